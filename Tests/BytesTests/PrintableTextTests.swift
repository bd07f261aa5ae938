import Bytes
import Testing

@Suite struct PrintableTextTests {
    private func shown(_ bytes: [UInt8], limit: Int = .max) -> String {
        var buffer = ByteBuffer(capacity: 100)
        buffer.append("a")
        buffer.append(printable: bytes.span.bytes, limit: limit)
        return String(decoding: Array(buffer.pointer.dropFirst()), as: UTF8.self)
    }

    /// The log shows the same; see LogTextTests.
    @Test(
        arguments: [
            ([], ""), ([0x00, 0x1F, 0x20, 0x7E, 0x7F], "?? ~?"), ([0x1B, 0x5B], "?["), ([0xC2, 0x85], "?"),
            ([0xC2, 0xA0], "\u{A0}"), ([0xFF, 0x41], "?A"), ([0xE2, 0x82], "??"), ([0xED, 0xA0, 0x80], "???"),
            ([0xF0, 0x9F, 0x94, 0x94], "🔔"),
        ] as [([UInt8], String)])
    func unprintable(bytes: [UInt8], expected: String) {
        #expect(shown(bytes) == expected)
    }

    /// What is replaced takes one byte, whatever it took before.
    @Test(
        arguments: [
            ("abc", 0, ""), ("abc", 2, "ab"), ("abc", 3, "abc"), ("ää", 3, "ä"), ("ää", 4, "ää"),
            ("\u{85}\u{85}", 1, "?"), ("\u{85}\u{85}", 2, "??"), ("🔔", 3, ""), ("🔔", 4, "🔔"),
        ])
    func cuts(text: String, limit: Int, expected: String) {
        #expect(shown(Array(text.utf8), limit: limit) == expected)
    }
}
