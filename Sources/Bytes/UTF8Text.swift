/// UTF-8 (RFC 3629): shortest forms only, no surrogates, nothing above U+10FFFF.
public enum UTF8Text {
    /// The length of the well-formed sequence that begins at `index`, or nil.
    public static func sequence(at index: Int, in bytes: RawSpan) -> Int? {
        let lead = bytes[index]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if lead == 0xE0 { second = 0xA0...0xBF }
            if lead == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if lead == 0xF0 { second = 0x90...0xBF }
            if lead == 0xF4 { second = 0x80...0x8F }
        default: return nil
        }
        guard index + length <= bytes.byteCount, second.contains(bytes[index + 1]) else { return nil }
        for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 { return nil }
        return length
    }

    /// How many of the bytes fit in `limit` without the cut being inside a character.
    public static func prefix(of bytes: RawSpan, limit: Int) -> Int {
        guard bytes.byteCount > limit else { return bytes.byteCount }
        var index = 0
        while true {
            let next = index + (sequence(at: index, in: bytes) ?? 1)
            guard next <= limit else { return index }
            index = next
        }
    }

    /// The whole of the bytes is well-formed.
    public static func isValid(_ bytes: RawSpan) -> Bool {
        var index = 0
        while index < bytes.byteCount {
            guard let length = sequence(at: index, in: bytes) else { return false }
            index += length
        }
        return true
    }
}

extension ByteBuffer {
    /// Text of unknown origin for people to read: control characters and bytes that are not UTF-8 become `?`, and what
    /// does not fit in `limit` bytes is cut between characters.
    public mutating func append(printable bytes: RawSpan, limit: Int = .max) {
        let start = count
        var index = 0
        while index < bytes.byteCount {
            let length = UTF8Text.sequence(at: index, in: bytes)
            let size = length ?? 1
            let isControl =
                bytes[index] < 0x20 || bytes[index] == 0x7F
                || (size == 2 && bytes[index] == 0xC2 && bytes[index + 1] < 0xA0)
            let replaced = length == nil || isControl
            guard count - start + (replaced ? 1 : size) <= limit else { return }
            if replaced {
                append(UInt8(ascii: "?"))
            } else {
                append(bytes.extracting(index..<index + size))
            }
            index += size
        }
    }
}
