/// A cursor over borrowed bytes. Every read either moves past the value or throws and leaves the cursor in place.
/// Integers are big-endian.
public struct ByteReader: ~Copyable, ~Escapable {
    private let bytes: RawSpan
    /// Offset of the next byte to be read.
    public private(set) var position = 0

    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Bytes not yet read.
    public var remaining: Int { bytes.byteCount - position }

    /// The next `count` bytes, which share the lifetime of what is read.
    @_lifetime(copy self)
    public mutating func read(_ count: Int) throws(ByteError) -> RawSpan {
        guard count >= 0, count <= remaining else { throw .short }
        let start = position
        position += count
        return bytes.extracting(start..<start + count)
    }

    /// An integer of as many bytes as its type has.
    @_lifetime(self: copy self)
    public mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type = T.self) throws(ByteError) -> T {
        let size = MemoryLayout<T>.size
        guard size <= remaining else { throw .short }
        let value = bytes.unsafeLoadUnaligned(fromByteOffset: position, as: T.self)
        position += size
        return T(bigEndian: value)
    }

    /// Unsigned LEB128, at most ten bytes and 64 bits. Encodings longer than needed are accepted (SGP v2 §10).
    @_lifetime(self: copy self)
    public mutating func readVarint() throws(ByteError) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<10 {
            guard index < remaining else { throw .short }
            let byte = bytes.unsafeLoad(fromByteOffset: position + index, as: UInt8.self)
            // The tenth byte holds bit 63 alone.
            guard index < 9 || byte <= 1 else { throw .varint }
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            if byte & 0x80 == 0 {
                position += index + 1
                return value
            }
        }
        throw .varint
    }
}
