/// Base64 with padding (RFC 4648 §4).
extension ByteBuffer {
    public mutating func append(base64 bytes: RawSpan) {
        var index = 0
        while index < bytes.byteCount {
            let left = bytes.byteCount - index
            let first = UInt32(bytes[index]) << 16
            let second = left > 1 ? UInt32(bytes[index + 1]) << 8 : 0
            let third = left > 2 ? UInt32(bytes[index + 2]) : 0
            let group = first | second | third
            append(base64Digit(group >> 18))
            append(base64Digit(group >> 12))
            append(left > 1 ? base64Digit(group >> 6) : UInt8(ascii: "="))
            append(left > 2 ? base64Digit(group) : UInt8(ascii: "="))
            index += 3
        }
    }
}

private func base64Digit(_ value: UInt32) -> UInt8 {
    switch UInt8(value & 63) {
    case let v where v < 26: UInt8(ascii: "A") + v
    case let v where v < 52: UInt8(ascii: "a") + v - 26
    case let v where v < 62: UInt8(ascii: "0") + v - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
}
