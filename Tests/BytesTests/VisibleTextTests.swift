import Bytes
import Testing

@Suite struct VisibleTextTests {
    private func shown(_ bytes: [UInt8], limit: Int = 1000) -> String {
        var buffer = ByteBuffer(capacity: 1000)
        buffer.append(visible: bytes.span.bytes, limit: limit)
        return String(decoding: Array(buffer.pointer), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("", ""), ("plain", "plain"), ("Tür 🔔 \u{FFFF}", "Tür 🔔 \u{FFFF}"), ("שלום", "שלום"),
            ("\u{0}\t\n\u{1B}[31m\u{1F}\u{7F}", "␀␉␊␛[31m␟␡"), ("\u{80}\u{9B}2J\u{A0}", "\u{FFFD}\u{FFFD}2J\u{A0}"),
            ("a\u{202E}b\u{2066}c\u{2069}\u{2028}\u{2029}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("\u{2027}\u{202F}\u{2065}\u{206A}", "\u{2027}\u{202F}\u{2065}\u{206A}"),
        ])
    func pictures(text: String, expected: String) {
        #expect(shown(Array(text.utf8)) == expected)
    }

    @Test func whatIsNotUTF8() {
        #expect(shown([0x61, 0xFF, 0xC3, 0x62]) == "a\u{FFFD}\u{FFFD}b")
        #expect(shown([0xED, 0xA0, 0x80]) == "\u{FFFD}\u{FFFD}\u{FFFD}")
    }

    /// The whole text if it fits; otherwise what leaves room for the mark.
    @Test(
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "ab…"), ("abcdef", 3, "…"), ("abcdef", 2, ""), ("ab", 2, "ab"),
            ("ääää", 8, "ääää"), ("ääää", 7, "ää…"), ("ääää", 6, "ä…"), ("🔔🔔", 8, "🔔🔔"), ("🔔🔔", 7, "🔔…"),
            ("🔔🔔", 6, "…"), ("\u{1}\u{1}", 6, "␁␁"), ("\u{1}\u{1}", 5, "…"),
        ])
    func cuts(text: String, limit: Int, expected: String) {
        #expect(shown(Array(text.utf8), limit: limit) == expected)
    }
}
