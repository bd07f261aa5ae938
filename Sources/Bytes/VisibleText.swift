extension ByteBuffer {
    /// Text of a sender for a person's terminal. What would control it is shown instead of obeyed: control characters
    /// become their pictures (U+2400 to U+2421), C1 controls, line separators, directional overrides and what is not
    /// UTF-8 become U+FFFD. What does not fit in `limit` bytes is cut between characters, and `…` marks the cut.
    public mutating func append(visible bytes: RawSpan, limit: Int) {
        let fits = Self.visible(bytes, room: limit) { _ in }
        if fits {
            Self.visible(bytes, room: limit) { append(scalar: $0) }
        } else if limit >= 3 {
            // The mark takes three bytes.
            Self.visible(bytes, room: limit - 3) { append(scalar: $0) }
            append(scalar: 0x2026)
        }
    }

    /// Hands over what is shown for each character while there is room; says whether there was for all.
    @discardableResult
    private static func visible(_ bytes: RawSpan, room: Int, _ body: (UInt32) -> Void) -> Bool {
        var used = 0
        var index = 0
        while index < bytes.byteCount {
            let length = UTF8Text.sequence(at: index, in: bytes)
            let shown = UTF8Text.scalar(at: index, length: length, in: bytes).map(picture) ?? 0xFFFD
            used += size(shown)
            guard used <= room else { return false }
            body(shown)
            index += length ?? 1
        }
        return true
    }

    private static func picture(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x00..<0x20: 0x2400 + scalar
        case 0x7F: 0x2421
        case 0x80..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: 0xFFFD
        default: scalar
        }
    }

    private static func size(_ scalar: UInt32) -> Int {
        scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
    }

    private mutating func append(scalar: UInt32) {
        func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(scalar >> shift & 0x3F) }
        switch Self.size(scalar) {
        case 1: append(UInt8(scalar))
        case 2:
            append(0xC0 | UInt8(scalar >> 6))
            append(tail(0))
        case 3:
            append(0xE0 | UInt8(scalar >> 12))
            append(tail(6))
            append(tail(0))
        default:
            append(0xF0 | UInt8(scalar >> 18))
            append(tail(12))
            append(tail(6))
            append(tail(0))
        }
    }
}

extension UTF8Text {
    /// The character of a well-formed sequence; nil for no length.
    static func scalar(at index: Int, length: Int?, in bytes: RawSpan) -> UInt32? {
        guard let length else { return nil }
        let lead = UInt32(bytes[index])
        if length == 1 { return lead }
        var scalar = lead & (0x7F >> UInt32(length))
        for offset in 1..<length { scalar = scalar << 6 | UInt32(bytes[index + offset] & 0x3F) }
        return scalar
    }
}
