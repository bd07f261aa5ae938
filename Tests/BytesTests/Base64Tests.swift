import Bytes
import Testing

@Suite struct Base64Tests {
    private func decode(_ text: String, _ alphabet: Base64Alphabet, capacity: Int = 64) -> String? {
        var buffer = ByteBuffer(capacity: capacity)
        let digits = Array(text.utf8)
        guard buffer.append(decoding: digits.span.bytes, alphabet) else {
            return buffer.isEmpty ? nil : "left something"
        }
        return String(decoding: buffer.pointer, as: UTF8.self)
    }

    /// RFC 4648 §10.
    @Test(
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ]) func vectors(encoded: String, plain: String)
    {
        #expect(decode(encoded, .standard) == plain)
        #expect(decode(String(encoded.prefix { $0 != "=" }), .url) == plain)
        #expect(decode(encoded, .standard, capacity: plain.utf8.count) == plain)
        if !plain.isEmpty { #expect(decode(encoded, .standard, capacity: plain.utf8.count - 1) == nil) }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm 9", "Zm9v\n", "Z=g=", "====", "=", "Zm9-", "Zm9_", "Zm9é",
    ])
    func refused(text: String) { #expect(decode(text, .standard) == nil) }

    @Test(arguments: ["Z", "Zg==", "Zh", "Zm9+", "Zm9/", "Zm9v="]) func refusedInURLs(text: String) {
        #expect(decode(text, .url) == nil)
    }

    @Test func urls() {
        var buffer = ByteBuffer(capacity: 64)
        let bytes: [UInt8] = [0xFB, 0xFF, 0xBF, 0xFE]
        buffer.append("x")
        buffer.append(base64URL: bytes.span.bytes)
        #expect(String(decoding: buffer.pointer, as: UTF8.self) == "x-_-__g")
    }
}
