/// Reading base64 (RFC 4648), strictly: no white space, no bits set behind the last byte, padding as the alphabet has it.
public enum Base64Alphabet: Sendable {
    /// §4, with padding.
    case standard
    /// §5, `-` and `_`, without padding.
    case url

    /// The six bits of a digit, or nil for what is none.
    public func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+") where self == .standard, UInt8(ascii: "-") where self == .url: 62
        case UInt8(ascii: "/") where self == .standard, UInt8(ascii: "_") where self == .url: 63
        default: nil
        }
    }
}

extension ByteBuffer {
    /// Appends what the digits stand for. False, and nothing is appended, for what is not base64 or does not fit.
    public mutating func append(decoding text: RawSpan, _ alphabet: Base64Alphabet) -> Bool {
        var digits = text.byteCount
        if alphabet == .standard {
            guard digits % 4 == 0 else { return false }
            for _ in 0..<2 where digits > 0 && text[digits - 1] == UInt8(ascii: "=") { digits -= 1 }
        }
        guard digits % 4 != 1, digits / 4 * 3 + digits % 4 * 3 / 4 <= free else { return false }
        let start = count
        var bits: UInt32 = 0
        for index in 0..<digits {
            guard let value = alphabet.value(text[index]) else {
                truncate(to: start)
                return false
            }
            bits = bits << 6 | UInt32(value)
            if index % 4 > 0 { append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * (index % 4)))) }
        }
        let unused: UInt32 = digits % 4 == 2 ? 0xF : digits % 4 == 3 ? 0x3 : 0
        if bits & unused != 0 {
            truncate(to: start)
            return false
        }
        return true
    }

    /// Base64 of the URL alphabet, without padding.
    public mutating func append(base64URL bytes: RawSpan) {
        let start = count
        append(base64: bytes)
        let written = mutablePointer
        var end = count
        for index in start..<count {
            switch written[index] {
            case UInt8(ascii: "+"): written[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): written[index] = UInt8(ascii: "_")
            case UInt8(ascii: "="): end = min(end, index)
            default: break
            }
        }
        // An overflow would be forgotten by cutting.
        if !overflowed { truncate(to: end) }
    }
}
