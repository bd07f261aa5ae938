/// A value of up to `capacity` bytes held in place, without the heap: keys, identifiers, addresses.
public struct Blob<let capacity: Int>: Sendable, BitwiseCopyable {
    @usableFromInline var storage = InlineArray<capacity, UInt8>(repeating: 0)
    public private(set) var count = 0

    public init() {}

    /// Copies the bytes, or nil if they are more than `capacity`.
    public init?(_ bytes: RawSpan) {
        guard bytes.byteCount <= capacity else { return nil }
        count = bytes.byteCount
        for index in 0..<count { storage[index] = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
    }

    /// Copies the bytes, or nil if they are more than `capacity`.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        self.init(bytes.bytes)
    }

    /// The UTF-8 of a text, or nil if it is longer than `capacity`.
    public init?(_ text: String) {
        let utf8 = text.utf8
        guard utf8.count <= capacity else { return nil }
        for byte in utf8 {
            storage[count] = byte
            count += 1
        }
    }

    public var isEmpty: Bool { count == 0 }

    /// What it holds. Transparent, because the specialised getter would take the blob by value and return a span of its
    /// own dead copy (Swift 6.3.1 with optimisation).
    public var bytes: RawSpan {
        @_transparent @_lifetime(borrow self)
        get { storage.span.bytes.extracting(0..<count) }
    }

    public subscript(index: Int) -> UInt8 { storage[index] }

    /// The text, with the replacement character where it is not UTF-8. Allocates.
    public var text: String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Overwrites the bytes with zeros.
    public mutating func wipe() {
        withUnsafeMutableBytes(of: &self) { Bytes.wipe($0) }
    }
}

extension Blob: Equatable {
    public static func == (left: Blob, right: Blob) -> Bool { left.bytes.equals(right.bytes) }
}
