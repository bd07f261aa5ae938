/// Hexadecimal digits (RFC 4648 §8).
public enum Hex {
    /// The value of a digit of either case, or nil.
    public static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The lower-case digit of a value below 16.
    public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension ByteBuffer {
    /// Two lower-case digits a byte.
    public mutating func append(hex bytes: RawSpan) {
        for index in 0..<bytes.byteCount {
            append(Hex.digit(bytes[index] >> 4))
            append(Hex.digit(bytes[index] & 15))
        }
    }
}

extension Blob {
    /// Decodes digits of either case; nil for an odd number of them, a stray character or too many.
    public init?(hex text: RawSpan) {
        guard text.byteCount % 2 == 0, text.byteCount / 2 <= capacity else { return nil }
        var decoded = InlineArray<capacity, UInt8>(repeating: 0)
        for index in 0..<text.byteCount / 2 {
            guard let high = Hex.value(text[2 * index]), let low = Hex.value(text[2 * index + 1]) else { return nil }
            decoded[index] = high << 4 | low
        }
        self.init(decoded.span.bytes.extracting(0..<text.byteCount / 2))
    }
}
