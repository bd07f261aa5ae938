import Bytes
import Testing

@testable import Payload

@Suite struct DocumentTests {
    @Test func aNodeIsSmall() {
        #expect(MemoryLayout<Document.Node>.stride == 24)
    }

    @Test func reading() throws {
        var document = Document()
        #expect(describe(document, nil) == "none")
        #expect(describe(document, document.root) == "none")
        #expect(describe(document, document.lookup("a")) == "none")
        let model = Model.map([
            ("s", .string("text")), ("i", .int(-5)), ("d", .double(2.75)), ("b", .bool(true)), ("n", .null),
            ("x", .data([9, 8])), ("m", .map([("k", .map([("deep", .int(7))]))])), ("l", .array([.int(1), .null])),
        ])
        var decoder = DocumentDecoder()!
        try decoder.decode(contentType: 3, data: model.tlv.span.bytes, into: &document)
        let expected =
            "map 8 {b: bool true 0, d: double 2.75 integer 2 0, i: int -5 integer -5 0, "
            + "l: array 2 {int 1 integer 1 0, null 0}, m: map 1 {k: map 1 {deep: int 7 integer 7 0}}, n: null 0, "
            + "s: string text 4, x: data [9, 8] 2}"
        #expect(describe(document, document.root) == expected)
        #expect(describe(document, document.lookup("m", "k", "deep")) == "deep: int 7 integer 7 0")
        #expect(describe(document, document.lookup("m", "k")) == "k: map 1 {deep: int 7 integer 7 0}")
        #expect(describe(document, document.lookup("m", "k", "missing")) == "none")
        #expect(describe(document, document.lookup("m", "missing", "deep")) == "none")
        #expect(describe(document, document.lookup("s", "k")) == "none")
        #expect(describe(document, document.lookup("l", "")) == "none")
        document.removeAll()
        #expect(describe(document, document.root) == "none")
    }

    /// Everything that the query functions say about a value: each typed access must answer for its own kind only.
    private func describe(_ document: borrowing Document, _ value: Document.Value?) -> String {
        guard let value else { return "none" }
        var result = ""
        if let key = document.key(value) { result += text(key)! + ": " }
        result += "\(document.kind(value))"
        if let string = document.string(value) { result += " " + text(string)! }
        if let data = document.data(value) { result += " \(array(data))" }
        if let int = document.int(value) { result += " \(int)" }
        if let double = document.double(value) { result += " \(double)" }
        if let bool = document.bool(value) { result += " \(bool)" }
        if let integer = document.integer(value) { result += " integer \(integer)" }
        result += " \(document.count(value))"
        guard document.firstChild(value) != nil else { return result }
        var children: [String] = []
        var child = document.firstChild(value)
        while let next = child {
            children.append(describe(document, next))
            child = document.next(next)
        }
        return result + " {" + children.joined(separator: ", ") + "}"
    }

    @Test func copiedTexts() {
        let outcome = build { (document) throws(PayloadError) in
            try document.beginMap()
            try document.key("literal")
            let mark = document.textMark
            try document.appendText(array("in ").span.bytes)
            try document.appendText(array("pieces").span.bytes)
            try document.string(document.text(since: mark))
            let key = try document.copyText(array("key").span.bytes)
            try document.key(key)
            try document.data(key)
            // One text may stand at several places.
            try document.key("twice")
            try document.string(key)
            try document.end()
        }
        #expect(outcome == .json(#"{"key":{"$data":"a2V5"},"literal":"in pieces","twice":"key"}"#))
    }

    @Test func inputAndCopiesTogether() throws {
        var document = Document()
        try document.load(array("abcdef").span.bytes)
        try document.beginMap()
        try document.key(document.inputText(0..<2))
        try document.string(document.inputText(2..<6))
        try document.key("x")
        try document.null()
        try document.end()
        try document.finish()
        #expect(json(document) == #"{"ab":"cdef","x":null}"#)
    }

    @Test func valuesOutOfPlace() {
        for index in 0..<8 {
            let outcome = build { (document) throws(PayloadError) in try misplace(index, &document) }
            #expect(outcome == .error(.structure(offset: 0)), "call \(index)")
        }
        let array = build { (document) throws(PayloadError) in
            try document.beginArray()
            try document.end()
        }
        #expect(array == .error(.notMap(offset: 0)))
        let null = build { (document) throws(PayloadError) in
            try document.null(at: 9)
            try document.end()
        }
        #expect(null == .error(.notMap(offset: 9)))
    }

    /// Calls that make no document.
    private func misplace(_ index: Int, _ document: inout Document) throws(PayloadError) {
        switch index {
        case 0: return
        case 1: return try document.end()
        case 2: return try document.key("a")
        default: try document.beginMap()
        }
        switch index {
        case 3: try document.int(1)
        case 4:
            try document.key("a")
            try document.key("b")
        case 5:
            try document.key("a")
            try document.end()
        case 6:
            try document.key("a")
            try document.beginArray()
            try document.key("b")
        default:
            try document.end()
            try document.beginMap()
        }
    }

    @Test func unfinished() {
        let outcome = build { (document) throws(PayloadError) in
            try document.beginMap()
            try document.key("a")
            try document.null()
        }
        #expect(outcome == .error(.structure(offset: 0)))
    }

    @Test func emptyDocument() {
        let outcome = build { (document) throws(PayloadError) in
            try document.beginMap()
            try document.end()
        }
        #expect(outcome == .error(.empty))
    }

    @Test func nesting() {
        for depth in [32, 33] {
            let outcome = build { (document) throws(PayloadError) in
                try document.beginMap()
                try document.key("a")
                for _ in 1..<depth { try document.beginArray(at: 5) }
                for _ in 0..<depth { try document.end() }
            }
            if depth == 33 {
                #expect(outcome == .error(.nesting(offset: 5)))
            } else {
                let expected = #"{"a":"# + String(repeating: "[", count: 31) + String(repeating: "]", count: 31) + "}"
                #expect(outcome == .json(expected))
            }
        }
    }

    @Test func tooManyValues() {
        for count in [Limits.documentValues - 2, Limits.documentValues - 1] {
            let outcome = build { (document) throws(PayloadError) in
                try document.beginMap()
                try document.key("a")
                try document.beginArray()
                for _ in 0..<count { try document.int(1, at: 3) }
                try document.end()
                try document.end()
            }
            if count == Limits.documentValues - 2 {
                guard case .json = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
            } else {
                #expect(outcome == .error(.capacity(offset: 3)))
            }
        }
    }

    @Test func tooMuchText() {
        for count in [Limits.documentText - 1, Limits.documentText] {
            let outcome = build { (document) throws(PayloadError) in
                try document.beginMap()
                try document.key("a")
                let mark = document.textMark
                for _ in 0..<count { try document.appendText(array("x").span.bytes, at: 4) }
                try document.string(document.text(since: mark))
                try document.end()
            }
            if count == Limits.documentText {
                #expect(outcome == .error(.capacity(offset: 4)))
            } else {
                #expect(outcome == .json(#"{"a":""# + String(repeating: "x", count: count) + #""}"#))
            }
        }
    }

    /// A text that is referred to over and over, as binary property lists may, ends before its JSON has no room.
    @Test func sharedTexts() {
        let outcome = build { (document) throws(PayloadError) in
            try document.beginMap()
            try document.key("a")
            try document.beginArray()
            let text = try document.copyText([UInt8](repeating: 1, count: 1000).span.bytes)
            for index in 0..<1000 { try document.string(text, at: index) }
        }
        // {"a":[ and 6,003 bytes each, the first without its comma.
        #expect(outcome == .error(.capacity(offset: (Limits.canonicalJSON - 7) / 6003)))
    }

    @Test func notFinite() {
        for value in [Double.infinity, -.infinity, .nan, .signalingNaN] {
            let outcome = build { (document) throws(PayloadError) in
                try document.beginMap()
                try document.key("a")
                try document.double(value, at: 2)
            }
            #expect(outcome == .error(.notFinite(offset: 2)))
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 7, 8, 9, 100, 1000]) func sortingLadder(count: Int) throws {
        var generator = SeededGenerator(state: UInt64(count))
        // Few enough different keys that many meet.
        let keys = (0..<count).map { _ in Int.random(in: 0...max(count / 2, 1), using: &generator) }
        var document = Document()
        try document.beginMap()
        try document.key("")
        try document.null()
        for (index, key) in keys.enumerated() {
            try document.key("\(key)")
            try document.int(Int64(index))
        }
        try document.end()
        try document.finish()
        var last: [String: Int] = [:]
        for (index, key) in keys.enumerated() { last["\(key)"] = index }
        let entries = last.sorted { $0.key < $1.key }.map { ",\"\($0.key)\":\($0.value)" }
        #expect(json(document) == "{\"\":null" + entries.joined() + "}")
        let children = document.count(document.root!)
        #expect(children == last.count + 1)
    }

    @Test func reuse() {
        var decoder = DocumentDecoder()!
        var document = Document()
        for round in 0..<50 {
            let model = Model.map([("n", .int(Int64(round))), ("s", .string(String(repeating: "x", count: round)))])
            do throws(PayloadError) {
                try decoder.decode(contentType: 3, data: model.tlv.span.bytes, into: &document)
            } catch { Issue.record("\(error)") }
            #expect(json(document) == "{\"n\":\(round),\"s\":\"\(String(repeating: "x", count: round))\"}")
            do throws(PayloadError) {
                try decoder.decode(contentType: 3, data: [UInt8]([1, 9]).span.bytes, into: &document)
                Issue.record("accepted")
            } catch {
                let isEmpty = document.root == nil
                #expect(isEmpty)
            }
        }
    }
}
