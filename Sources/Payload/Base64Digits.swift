import Bytes

/// Base64 as property lists hold it (RFC 4648 §4): white space anywhere, padding at the end or none.
enum Base64Digits {
    /// Decodes in place, from the front; the count of bytes, or nil for what is not base64.
    static func decode(_ text: UnsafeMutableRawBufferPointer) -> Int? {
        var count = 0
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for index in text.indices {
            let byte = text[index]
            if JSON.isSpace(byte) { continue }
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let digit = Base64Alphabet.standard.value(byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            digits += 1
            // Two, three and four digits each complete a byte.
            guard digits % 4 != 1 else { continue }
            let unused = UInt32(6 - 2 * ((digits - 1) % 4))
            text[count] = UInt8(truncatingIfNeeded: bits >> unused)
            count += 1
        }
        guard digits % 4 != 1, padding == 0 || (digits + padding) % 4 == 0 && padding < 3 else { return nil }
        return count
    }
}
