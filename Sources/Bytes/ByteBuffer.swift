/// Bytes in a block of fixed capacity, reserved once. Appending what does not fit appends nothing and sets
/// `overflowed`, so a whole record can be written first and checked once.
public struct ByteBuffer: ~Copyable {
    private let base: UnsafeMutableRawPointer
    public let capacity: Int
    public private(set) var count = 0
    /// Something did not fit since the last `removeAll`.
    public private(set) var overflowed = false

    public init(capacity: Int) {
        base = .allocate(byteCount: max(capacity, 1), alignment: 16)
        self.capacity = capacity
    }

    deinit { base.deallocate() }

    public var isEmpty: Bool { count == 0 }
    /// Bytes that can still be appended.
    public var free: Int { capacity - count }

    /// What has been appended.
    public var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            let span = RawSpan(_unsafeStart: base, byteCount: count)
            return _overrideLifetime(span, borrowing: self)
        }
    }

    /// What has been appended, for C. Valid until the buffer changes.
    public var pointer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
    /// The same, writable.
    public var mutablePointer: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: count)
    }
    /// The unused tail, for a C function to fill; `commit` then says how much it wrote.
    public var tail: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base + count, count: free) }

    /// Counts `written` bytes of `tail` as appended.
    public mutating func commit(_ written: Int) {
        precondition(written >= 0 && written <= free)
        count += written
    }

    public mutating func append(_ byte: UInt8) {
        guard reserve(1) else { return }
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// An integer, big-endian.
    public mutating func append<T: FixedWidthInteger & BitwiseCopyable>(bigEndian value: T) {
        guard reserve(MemoryLayout<T>.size) else { return }
        base.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
        count += MemoryLayout<T>.size
    }

    public mutating func append(_ span: RawSpan) {
        span.withUnsafeBytes { append($0) }
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard reserve(bytes.count), let source = bytes.baseAddress else { return }
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// The UTF-8 of a text. A literal costs no allocation.
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// An integer in decimal digits.
    public mutating func append<T: BinaryInteger>(decimal value: T) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = UInt64(value.magnitude)
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var length = 0
        repeat {
            digits[length] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            length += 1
        } while rest > 0
        guard reserve(length) else { return }
        for index in (0..<length).reversed() { append(digits[index]) }
    }

    public mutating func removeAll() {
        count = 0
        overflowed = false
    }

    /// Keeps the first `length` bytes and forgets an overflow.
    public mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count)
        count = length
        overflowed = false
    }

    /// Drops the first `length` bytes and moves the rest to the front.
    public mutating func removeFirst(_ length: Int) {
        precondition(length >= 0 && length <= count)
        guard length > 0 else { return }
        count -= length
        base.copyMemory(from: base + length, byteCount: count)
    }

    /// Overwrites the whole block with zeros, so that no secret outlives its use, and empties it.
    public mutating func wipe() {
        Bytes.wipe(UnsafeMutableRawBufferPointer(start: base, count: capacity))
        removeAll()
    }

    private mutating func reserve(_ size: Int) -> Bool {
        if size <= free { return true }
        overflowed = true
        return false
    }
}

/// Overwrites memory with zeros in a way the optimiser must keep.
@inline(never)
@_optimize(none)
public func wipe(_ memory: UnsafeMutableRawBufferPointer) { clear(memory) }

/// Optimised on its own, since a call of `wipe` cannot be left out and this is its only caller: tables of registrations
/// are large.
@inline(never)
private func clear(_ memory: UnsafeMutableRawBufferPointer) {
    for index in 0..<memory.count { memory[index] = 0 }
}
