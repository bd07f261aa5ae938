import Bytes
import Payload
import Testing
import Vectors

private func decode(_ bytes: [UInt8]) -> Outcome { decode(bytes, type: ContentType.json) }
private func decode(_ text: String) -> Outcome { decode(array(text)) }

/// Arrays around nothing within a map, `depth` containers deep.
private func nested(_ depth: Int) -> String {
    #"{"k":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
}

@Suite struct JSONTests {
    @Test(
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#),
            (" \t\r\n{ \"b\" : [ 1 , { } , [ ] ] ,\n\"a\" : null }\r\n", #"{"a":null,"b":[1,{},[]]}"#),
            (#"{"a":true,"b":false,"c":null}"#, #"{"a":true,"b":false,"c":null}"#),
            // Integers and reals stay apart.
            (#"{"a":3,"b":3.0,"c":3e0,"d":30e-1}"#, #"{"a":3,"b":3.0,"c":3.0,"d":3.0}"#),
            (#"{"a":-0,"b":-0.0,"c":-0e1}"#, #"{"a":0,"b":-0.0,"c":-0.0}"#),
            (
                #"{"a":9007199254740991,"b":9007199254740992,"c":9007199254740993}"#,
                #"{"a":9007199254740991,"b":9007199254740992,"c":9007199254740993}"#
            ),
            (
                #"{"a":9223372036854775807,"b":-9223372036854775808}"#,
                #"{"a":9223372036854775807,"b":-9223372036854775808}"#
            ),
            // Beyond Int64: the nearest double, and the others as they are.
            (#"{"a":9223372036854775808,"b":3}"#, #"{"a":9.223372036854776e+18,"b":3}"#),
            (#"{"a":-9223372036854775809,"b":[7,7]}"#, #"{"a":-9.223372036854776e+18,"b":[7,7]}"#),
            (#"{"b":3,"a":100000000000000000000}"#, #"{"a":1e+20,"b":3}"#),
            (#"{"a":18446744073709551615}"#, #"{"a":1.8446744073709552e+19}"#),
            (#"{"99999999999999999999":"99999999999999999999"}"#, #"{"99999999999999999999":"99999999999999999999"}"#),
            (#"{"a":99999999999999999999,"b":"\"99999999999999999999"}"#, #"{"a":1e+20,"b":"\"99999999999999999999"}"#),
            (#"{"a":99999999999999999999.5e1}"#, #"{"a":1e+21}"#),
            (#"{"a":1e308,"b":1.7976931348623157e308}"#, #"{"a":1e+308,"b":1.7976931348623157e+308}"#),
            (#"{"a":4.9e-324,"b":1e-400,"c":0.1}"#, #"{"a":5e-324,"b":0.0,"c":0.1}"#),
            // Texts.
            (#"{"a":"\"\\\/\b\f\n\r\t"}"#, #"{"a":"\"\\/\b\f\n\r\t"}"#),
            (#"{"\u0061":"\u00e9\uD83D\uDD14"}"#, "{\"a\":\"\u{E9}\u{1F514}\"}"),
            (#"{"a":"x\u0000y"}"#, #"{"a":"x\u0000y"}"#),
            (#"{"":""}"#, #"{"":""}"#),
            ("{\"\u{2028}\u{FFFF}\":\"\u{7F}\u{10FFFF}\"}", "{\"\u{2028}\u{FFFF}\":\"\u{7F}\u{10FFFF}\"}"),
            // Brackets and quotation marks in texts.
            (
                #"{"a":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[","\"{":"\\"}"#,
                #"{"\"{":"\\","a":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}"#
            ),
            // Of equal keys the last one counts, however it is written.
            (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#),
            (#"{"a":1,"\u0061":null}"#, #"{"a":null}"#),
            (#"{"a":{"x":1},"a":{"y":2}}"#, #"{"a":{"y":2}}"#),
        ]) func valid(text: String, expected: String)
    {
        #expect(decode(text) == .json(expected))
    }

    @Test(
        arguments: [
            ("", .empty), ("{}", .empty), (" { } ", .empty),
            // Something else than an object.
            ("[1]", .contradictsContentType(1)), ("\"a\"", .contradictsContentType(1)),
            ("1", .contradictsContentType(1)),
            ("\u{FEFF}{\"a\":1}", .contradictsContentType(1)), ("bplist00", .contradictsContentType(1)),
            ("<?xml", .contradictsContentType(1)), ("\u{0}", .contradictsContentType(1)),
            (" [1]", .notMap(offset: 1)), ("\n\n[]", .notMap(offset: 2)),
            // The end.
            (" ", .truncated(offset: 1)), ("{", .truncated(offset: 1)), (#"{"a"#, .truncated(offset: 3)),
            (#"{"a":1"#, .truncated(offset: 6)), (#"{"a":1}x"#, .trailing(offset: 8)),
            (#"{"a":1} {"#, .trailing(offset: 9)), (#"{"a":1},"#, .trailing(offset: 8)),
            (#"{"a":1}}"#, .trailing(offset: 8)),
            // Numbers.
            (#"{"a":1e309}"#, .notFinite(offset: 10)), (#"{"a":-1e309,"b":1}"#, .notFinite(offset: 11)),
            (#"{"a":NaN}"#, .syntax(offset: 8)), (#"{"a":Infinity}"#, .syntax(offset: 13)),
            (#"{"a":01}"#, .syntax(offset: 6)), (#"{"a":-}"#, .syntax(offset: 6)), (#"{"a":1.}"#, .syntax(offset: 7)),
            (#"{"a":.5}"#, .syntax(offset: 6)), (#"{"a":+1}"#, .syntax(offset: 6)),
            (#"{"a":0x10}"#, .syntax(offset: 7)),
            (#"{"a":1e}"#, .syntax(offset: 7)),
            // Syntax.
            (#"{a:1}"#, .syntax(offset: 2)), (#"{1:1}"#, .syntax(offset: 2)), (#"{null:1}"#, .syntax(offset: 5)),
            (#"{"a":1,}"#, .syntax(offset: 8)), (#"{"a" 1}"#, .syntax(offset: 6)), (#"{'a':1}"#, .syntax(offset: 2)),
            (#"{"a":[1,]}"#, .syntax(offset: 9)), (#"{"a":True}"#, .syntax(offset: 9)),
            (#"{"a":1 /* */}"#, .syntax(offset: 8)), ("{\"a\":\"\n\"}", .syntax(offset: 6)),
            ("{\"a\":\"\u{0}\"}", .syntax(offset: 6)), ("{\"a\":1\u{0}}", .syntax(offset: 6)),
            ("{\"a\":1}\u{0}", .syntax(offset: 7)),
            (#"{"a":"\x41"}"#, .syntax(offset: 8)), (#"{"a":"\u12g4"}"#, .syntax(offset: 11)),
            // Half a surrogate pair is no character.
            (#"{"a":"\ud83d"}"#, .syntax(offset: 13)), (#"{"a":"\udd14"}"#, .syntax(offset: 13)),
            (#"{"a":"\ud83d\u0041"}"#, .syntax(offset: 19)),
            (#"{"a\u0000b":1}"#, .nulInKey(offset: 11)),
        ] as [(String, PayloadError)]) func invalid(text: String, expected: PayloadError)
    {
        #expect(decode(text) == .error(expected))
    }

    /// Offsets are those of the input, though a number before them was rewritten.
    @Test func offsetsBehindWideIntegers() {
        let wide = #"{"a":99999999999999999999,"b":-99999999999999999999,"#
        #expect(decode(wide + "x}") == .error(.syntax(offset: wide.utf8.count + 1)))
        #expect(decode(wide + #""c":1e309}"#) == .error(.notFinite(offset: wide.utf8.count + 9)))
        #expect(decode(wide + #""c":1}}"#) == .error(.trailing(offset: wide.utf8.count + 7)))
        let digits = String(repeating: "9", count: 400)
        #expect(decode("{\"a\":\(digits)}") == .error(.notFinite(offset: 405)))
    }

    @Test(
        arguments: [
            "80", "bf", "c080", "c1bf", "c3", "c328", "e08080", "eda080", "edbfbf", "e28028", "f0808080", "f4908080",
            "f5808080",
            "fe", "ff",
        ]) func notUTF8(sequence: String)
    {
        let value = decode(array(#"{"a":""#) + unhex(sequence) + array(#""}"#))
        #expect(value.isError { if case .utf8(6) = $0 { true } else { false } })
        let key = decode(array(#"{""#) + unhex(sequence) + array(#"":1}"#))
        #expect(key.isError { if case .utf8(2) = $0 { true } else { false } })
    }

    @Test func nesting() {
        let arrays = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        #expect(decode(nested(32)) == .json(#"{"k":"# + arrays + "}"))
        #expect(decode(nested(33)) == .error(.nesting(offset: 5 + 31)))
        // Far deeper than jansson itself goes, and nothing but opening brackets.
        #expect(decode(nested(5000)) == .error(.nesting(offset: 5 + 31)))
        let open = "{\"k\":" + String(repeating: "[", count: 65_000)
        #expect(decode(open) == .error(.nesting(offset: 5 + 31)))
        let maps = String(repeating: #"{"k":"#, count: 33) + "1" + String(repeating: "}", count: 33)
        #expect(decode(maps) == .error(.nesting(offset: 32 * 5)))
        // 32 deep again and again.
        let wide = #"{"a":["# + Array(repeating: nested(30), count: 500).joined(separator: ",") + "]}"
        #expect(decode(wide) == .json(wide))
    }

    @Test func sizes() {
        let frame = #"{"a":""}"#.utf8.count
        for count in [Limits.inflated, Limits.inflated + 1] {
            let text = #"{"a":""# + String(repeating: "x", count: count - frame) + #""}"#
            #expect(decode(text) == (count > Limits.inflated ? .error(.tooLong(length: count)) : .json(text)))
        }
        // White space counts, too.
        let spaces = #"{"a":1}"# + String(repeating: " ", count: Limits.inflated - 7)
        #expect(decode(spaces) == .json(#"{"a":1}"#))
        #expect(decode(spaces + " ") == .error(.tooLong(length: Limits.inflated + 1)))
    }

    @Test(arguments: [0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 32_767, 32_768, 65_528])
    func textLadder(count: Int) {
        let text = #"{"a":""# + String(repeating: "x", count: count) + #""}"#
        #expect(decode(text) == .json(text))
    }

    @Test func everyTruncationIsAnError() {
        let text =
            #" {"aps":{"alert":{"title":"T\u00e9\ud83d\udd14","body":"é"},"badge":-3.5e1},"n":99999999999999999999} "#
        let bytes = array(text)
        let whole = text.utf8.count - 1
        for length in 0..<whole {
            let outcome = decode(Array(bytes.prefix(length)))
            #expect(outcome.isError { _ in true }, "\(length)")
        }
        let expected = #"{"aps":{"alert":{"body":"é","title":"Té🔔"},"badge":-35.0},"n":1e+20}"#
        #expect(decode(Array(bytes.prefix(whole))) == .json(expected))
    }

    /// As many keys as fit, whose hashes the sender cannot foresee.
    @Test(.timeLimit(.minutes(1))) func manyKeys() {
        var text = "{"
        var expected: [String] = []
        for index in 10_000..<16_000 {
            text += "\"\(index)\":0,"
            expected.append("\"\(index)\":0")
        }
        text += "\"10000\":0}"
        #expect(decode(text) == .json("{" + expected.joined(separator: ",") + "}"))
    }
}
