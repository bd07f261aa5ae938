import Bytes
import Payload
import Testing

@testable import Gateway

private func string(_ span: RawSpan?) -> String? {
    guard let span else { return nil }
    return String(decoding: (0..<span.byteCount).map { span[$0] }, as: UTF8.self)
}

/// The texts of title, subtitle and body for a document.
private func texts(_ strings: StringsTable, _ json: String) throws -> [String?] {
    try withDocument(json) { document in
        var texts = LocalizedTexts()
        texts.resolve(document, strings)
        let view = NotificationView(document)
        return [string(texts.title(view)), string(texts.subtitle(view)), string(texts.body(view))]
    }
}

@Suite struct StringsTests {
    static let file = """
        \u{FEFF}/* Texts of the door,
           in two lines = "no" */
        // one line
        # another

        "RING" = "Someone rings";
          "ring_at" = "%@ rings at the %@" ;  // trailing
        swapped = %2$@ before %1$@
        "quotes\\"\\\\" = "say \\"hi\\"\\t\\u00e4\\U1F51\\n";\r
        spaces = two  words
        empty =
        percent = 100%% of %@, %d, %, %0$@, %1@, %1$x %
        "z" = "last"
        """

    private func table() throws -> StringsTable { try StringsTable.parse(Array(Self.file.utf8)) }

    @Test(
        arguments: [
            ("RING", "", "Someone rings"), ("ring_at", #""Ann","door""#, "Ann rings at the door"),
            ("ring_at", #""Ann""#, "Ann rings at the "), ("ring_at", "", " rings at the "),
            ("ring_at", #"1,{"a":1},"x""#, "1 rings at the "), ("swapped", #""a","b","c""#, "b before a"),
            ("swapped", #""a""#, " before a"), ("quotes\\\"\\\\", "", "say \"hi\"\tä\u{1F51}\n"),
            ("spaces", "", "two  words"), ("empty", "", ""), ("z", "", "last"), ("none", #""x""#, "none"),
            ("in two lines", "", "in two lines"),
            ("percent", #""x""#, "100% of x, %d, %, %0$@, %1@, %1$x %"), ("RIN", "", "RIN"), ("RING2", "", "RING2"),
        ])
    func bodies(key: String, arguments: String, expected: String) throws {
        let json = #"{"aps":{"alert":{"loc-key":"\#(key)","loc-args":[\#(arguments)]}}}"#
        #expect(try texts(table(), json) == [nil, nil, expected])
    }

    @Test func everyTextHasItsOwnKey() throws {
        let json = """
            {"aps":{"alert":{"title-loc-key":"z","subtitle-loc-key":"swapped","subtitle-loc-args":["1","2"],
            "loc-key":"RING","title":"t","subtitle":"s","body":"b"}}}
            """
        #expect(try texts(table(), json) == ["last", "2 before 1", "Someone rings"])
        #expect(try texts(StringsTable(), json) == ["t", "s", "b"], "the sender's own before the key")
    }

    @Test func withoutATextTheKey() throws {
        let json = #"{"aps":{"alert":{"title-loc-key":"T","loc-key":"B","loc-args":["x"]}}}"#
        #expect(try texts(StringsTable(), json) == ["T", nil, "B"])
        #expect(try texts(table(), #"{"aps":{"alert":"plain"}}"#) == [nil, nil, "plain"])
    }

    /// Many places for a long argument: cut between characters, never more than the bound.
    @Test func longTexts() throws {
        let strings = try StringsTable.parse(Array("k = \(String(repeating: "%1$@", count: 1000))|".utf8))
        let long = String(repeating: "ä", count: 15_000)
        let json = #"{"aps":{"alert":{"loc-key":"k","loc-args":["\#(long)"]}}}"#
        let body = try #require(try texts(strings, json)[2])
        #expect(body.utf8.count == Limits.localizedText)
        #expect(body.allSatisfy { $0 == "ä" })
        let odd = #"{"aps":{"alert":{"loc-key":"k","loc-args":["a\#(long)"]}}}"#
        let cut = try #require(try texts(strings, odd)[2])
        #expect(cut.utf8.count <= Limits.localizedText && cut.utf8.count > Limits.localizedText - 4)
        #expect(cut.hasSuffix("ä"))
    }

    @Test(
        arguments: [
            ("x", 1, "expected \"KEY\" = \"TEXT\"; or KEY = TEXT"),
            ("a = b\n\"x\" y", 2, "expected \"KEY\" = \"TEXT\"; or KEY = TEXT"),
            ("\"x", 1, "a quote is not closed"), ("\"x\" = \"y", 1, "a quote is not closed"),
            ("\"x\" = \"y\\", 1, "a quote is not closed"),
            ("\"x\" = \"y\" z", 1, "only `;` may follow the quoted text"),
            ("\"x\" = \"y\";;", 1, "only `;` may follow the quoted text"), ("\"\" = y", 1, "the key is empty"),
            ("= y", 1, "the key is empty"), ("a = 1\na = 2", 2, "`a` was set in line 1 already"),
            ("\"a\" = \"\\q\"", 1, "only \\\" \\\\ \\n \\t \\r \\uXXXX are escapes"),
            ("\"a\" = \"\\u12\"", 1, "`\\u` wants four hexadecimal digits of a character"),
            ("\"a\" = \"\\uD83D\"", 1, "`\\u` wants four hexadecimal digits of a character"),
            ("\n\n/* x\na = b\n", 3, "this comment is not closed: expected `*/` at the end of a line"),
            ("/*/", 1, "this comment is not closed: expected `*/` at the end of a line"),
        ])
    func faults(text: String, line: Int, message: String) {
        #expect(throws: StringsError(line: line, message: message)) { try StringsTable.parse(Array(text.utf8)) }
    }

    @Test func notUTF8() {
        #expect(throws: StringsError(line: 2, message: "is not UTF-8")) {
            try StringsTable.parse(Array("a = b\nc = ".utf8) + [0xFF])
        }
    }

    @Test(arguments: [0, 1, 1023, 1024, 1025]) func count(number: Int) throws {
        let text = (0..<number).map { "k\($0) = v\n" }.joined()
        guard number > 1024 else {
            #expect(try StringsTable.parse(Array(text.utf8)).count == number)
            return
        }
        #expect(throws: StringsError(line: 1025, message: "more than 1024 texts")) {
            try StringsTable.parse(Array(text.utf8))
        }
    }
}
