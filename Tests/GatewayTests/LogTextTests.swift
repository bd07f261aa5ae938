import Bytes
import Testing

@testable import Gateway

@Suite struct LogTextTests {
    func string(_ text: LogText) -> String {
        text.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test func theKindsOfInterpolation() throws {
        let blob = try #require(Blob<8>("sgn.\u{7}"))
        let bytes: [UInt8] = [0x00, 0x7F, 0xAB]
        let text: LogText =
            "a \(-5) \(UInt64.max) \(Int64.min) \(true) \(false) \("te\nxt") \(hex: bytes.span.bytes) \(printable: bytes.span.bytes) \(blob) \(hex: blob)"
        #expect(
            string(text)
                == "a -5 18446744073709551615 -9223372036854775808 true false te?xt 007fab ??? sgn.? 73676e2e07")
    }

    @Test func errors() {
        let text: LogText = "\(errno: 2), \(errno: 13)"
        #expect(string(text) == "No such file or directory, Permission denied")
    }

    @Test func literals() {
        #expect(string("") == "")
        #expect(string("plain — text") == "plain — text")
        #expect(string("\(0)") == "0")
    }

    @Test(
        arguments: [
            ([0x1B, 0x5B], "?["), ([0xC2, 0x85], "?"), ([0xC2, 0xA0], "\u{A0}"), ([0xFF, 0x41], "?A"),
            ([0xE2, 0x82], "??"), ([0xED, 0xA0, 0x80], "???"), ([0xF0, 0x9F, 0x94, 0x94], "🔔"),
        ] as [([UInt8], String)])
    func unprintable(bytes: [UInt8], expected: String) {
        let text: LogText = "\(printable: bytes.span.bytes)"
        #expect(string(text) == expected)
    }

    /// Three bytes are kept for the mark of the cut.
    @Test(arguments: [0, 1, 444, 445, 446, 447, 448, 449, 10_000]) func lengths(length: Int) {
        let text: LogText = "\(String(repeating: "x", count: length))"
        if length <= 445 {
            #expect(string(text) == String(repeating: "x", count: length))
        } else {
            #expect(string(text) == String(repeating: "x", count: 445) + "…")
            #expect(text.count == Limits.logText)
        }
    }

    @Test func aCharacterIsNeverCut() {
        let text: LogText = "\(String(repeating: "x", count: 444))€ and more"
        #expect(string(text) == String(repeating: "x", count: 444) + "…")
    }

    @Test func aNumberIsNeverCut() {
        let text: LogText = "\(String(repeating: "x", count: 443))\(12_345)\(6)"
        #expect(string(text) == String(repeating: "x", count: 443) + "…")
    }

    @Test func theStorageIsTheLimit() {
        #expect(MemoryLayout<LogText>.size >= Limits.logText)
        #expect(Limits.logText + 64 <= Limits.logLine)
        // The longest level and area with both forms of the time.
        let level = LogLevel.allCases.map(\.name.utf8.count).max() ?? 0
        let area = LogArea.allCases.map(\.name.utf8.count).max() ?? 0
        #expect(Limits.logText + 20 + 1 + level + 1 + area + 2 + 1 <= Limits.logLine)
    }
}

@Suite struct LogDateTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_796_040_000, "2026-11-30T12:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (951_868_800, "2000-03-01T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"), (1_735_689_600, "2025-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"), (.min, "0000-01-01T00:00:00Z"),
        ] as [(Int64, String)])
    func dates(seconds: Int64, expected: String) {
        var buffer = ByteBuffer(capacity: 32)
        buffer.append(date: seconds)
        let text = buffer.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text == expected)
    }
}
