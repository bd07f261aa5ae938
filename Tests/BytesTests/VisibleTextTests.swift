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

    /// Cut where a character ends; what is no UTF-8 counts byte by byte.
    @Test(
        arguments: [
            ("", 0, 0), ("ab", 0, 0), ("ab", 1, 1), ("ab", 2, 2), ("ab", 3, 2), ("aé", 1, 1), ("aé", 2, 1),
            ("aé", 3, 3),
            ("€", 2, 0), ("€", 3, 3), ("🔔", 3, 0), ("🔔", 4, 4), ("a🔔b", 4, 1), ("a🔔b", 5, 5), ("a🔔b", 6, 6),
        ])
    func prefixes(text: String, limit: Int, expected: Int) {
        let bytes = Array(text.utf8)
        #expect(UTF8Text.prefix(of: bytes.span.bytes, limit: limit) == expected)
    }

    @Test func prefixOfWhatIsNoUTF8() {
        let bytes: [UInt8] = [0xC3, 0xC3, 0xC3, 0x61]
        for limit in 0...4 { #expect(UTF8Text.prefix(of: bytes.span.bytes, limit: limit) == limit) }
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
