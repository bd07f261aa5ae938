extension RawSpan {
    /// The byte at an offset, which must be within the span.
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < byteCount)
        return unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    /// The same bytes. Not for secrets: it stops at the first difference.
    public func equals(_ other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        for index in 0..<byteCount where self[index] != other[index] { return false }
        return true
    }

    /// The UTF-8 bytes of a text.
    public func equals(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard byteCount == utf8.count else { return false }
        var index = 0
        for byte in utf8 {
            guard self[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Whether these bytes come before the others in bytewise order, a prefix before the longer.
    public func precedes(_ other: RawSpan) -> Bool {
        for index in 0..<Swift.min(byteCount, other.byteCount) where self[index] != other[index] {
            return self[index] < other[index]
        }
        return byteCount < other.byteCount
    }

    /// Begins with the UTF-8 bytes of a text.
    public func starts(with text: String) -> Bool {
        let length = text.utf8.count
        return byteCount >= length && extracting(0..<length).equals(text)
    }
}
