import Testing

@testable import Payload

/// The bytes of base64 that is known to be good.
func unbase64(_ text: String) -> [UInt8] {
    let bytes = decodeBase64(text)
    precondition(bytes != nil)
    return bytes!
}

private func decodeBase64(_ text: String) -> [UInt8]? {
    var bytes = array(text)
    let count = bytes.withUnsafeMutableBytes { Base64Digits.decode($0) }
    return count.map { Array(bytes.prefix($0)) }
}

@Suite struct Base64DigitsTests {
    /// RFC 4648 §10.
    @Test(
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ]) func vectors(text: String, expected: String)
    {
        #expect(decodeBase64(text) == array(expected))
        #expect(decodeBase64(text.filter { $0 != "=" }) == array(expected))
        let spaced = text.map { "\n\t\($0) \r" }.joined()
        #expect(decodeBase64(spaced) == array(expected))
    }

    @Test(arguments: 0...300) func ladder(count: Int) {
        var generator = SeededGenerator(state: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(decodeBase64(base64(bytes)) == bytes)
    }

    @Test(arguments: [
        "A", "=", "==", "A===", "AA=", "AA===", "AAA==", "AAAA=", "AAAAA", "AA==A", "A=A=", "AA-_", "AA\u{0}A", "AA.A",
        "é", "AAAA====",
    ])
    func invalid(text: String) {
        #expect(decodeBase64(text) == nil)
    }
}
