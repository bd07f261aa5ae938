import Bytes
import Testing

@testable import Payload

/// The memory of jansson and expat.
@Suite struct ParserMemoryTests {
    /// Decodes with the lock held and all but `room` bytes of the arena taken by somebody else.
    private func decode(_ bytes: [UInt8], type: UInt8, room: Int) -> (outcome: Outcome, left: Int) {
        var document = Document()
        ParserMemory.lock()
        defer { ParserMemory.unlock() }
        let others = ParserMemory.arena.allocate(ParserMemory.arena.usable - room - 8)
        precondition(others != nil)
        defer { ParserMemory.arena.deallocate(others) }
        let before = ParserMemory.arena.used
        do throws(PayloadError) {
            try document.load(bytes.span.bytes)
            try type == ContentType.json ? JSON.decode(into: &document) : PropertyList.decode(into: &document)
            return (.json(json(document)), ParserMemory.arena.used - before)
        } catch { return (.error(error), ParserMemory.arena.used - before) }
    }

    /// Bytes that are not free between two documents.
    private func used() -> Int {
        ParserMemory.lock()
        defer { ParserMemory.unlock() }
        return ParserMemory.arena.used
    }

    private static let unit = [
        "{},", "[],", "\"\",", "1,", "0.0,", "{\"\":{}},", "{\"\":\"\"},", "[{},{},{},{},{},{},{},{},{}],",
    ]

    /// The shapes that take the most for each byte, as many of them as fit: all have room, and all is free again.
    @Test(arguments: unit) func largestJSON(unit: String) {
        let count = (Limits.inflated - 10) / unit.utf8.count
        let text = #"{"":["# + String(repeating: unit, count: count).dropLast() + "]}"
        let outcome = PayloadTests.decode(array(text), type: ContentType.json)
        #expect(outcome == .json(text))
        #expect(used() == 0)
    }

    /// A random mixture of those shapes.
    @Test func mixedJSON() {
        var generator = SeededGenerator(state: 3)
        for _ in 0..<20 {
            var text = #"{"":[0"#
            while text.utf8.count < Limits.inflated - 40 {
                text += "," + Self.unit.randomElement(using: &generator)!.dropLast()
            }
            text += "]}"
            #expect(PayloadTests.decode(array(text), type: ContentType.json) == .json(text))
        }
        #expect(used() == 0)
        #expect(DocumentDecoder.memory.reserved >= Limits.parserMemoryFactor * Limits.inflated)
        #expect(DocumentDecoder.memory.peak > 0)
    }

    /// Integers beyond Int64, which are copied with two bytes more each: as many as fit.
    @Test func wideIntegers() {
        let number = "9999999999999999999"
        let count = (Limits.inflated - 10) / (number.utf8.count + 1)
        func text(_ number: String) -> String {
            #"{"":["# + Array(repeating: number, count: count).joined(separator: ",") + "]}"
        }
        let outcome = PayloadTests.decode(array(text(number)), type: ContentType.json)
        #expect(outcome == .json(text("1e+19")))
        #expect(used() == 0)
    }

    @Test func allIsFreeAfterErrors() {
        for text in [
            "{\"a\":", "{\"a\":{\"b\":[1,2,", "{\"a\":[\"\u{0}", "{\"a\":1}}", "{\"a\":[[[[1e999]]]]}", " [1,2]", "{}",
        ] {
            #expect(PayloadTests.decode(array(text), type: ContentType.json).isError { _ in true })
            #expect(used() == 0)
        }
        for text in [
            "<plist>", "<plist><dict><key>a</key><array><x/>", "<plist><dict></plist>",
            "<!DOCTYPE plist [ <!ENTITY a 'b'> ]>",
        ] {
            #expect(PayloadTests.decode(array(text), type: ContentType.propertyList).isError { _ in true })
            #expect(used() == 0)
        }
    }

    /// jansson is not even begun without the memory that it may need.
    @Test func exhaustedJSON() {
        let text = #"{"aps":{"alert":["x",1,2.5,{},null],"sound":"\u0041\u0042\u0043"}}"#
        let expected = #"{"aps":{"alert":["x",1,2.5,{},null],"sound":"ABC"}}"#
        let needed = Limits.parserMemoryFactor * text.utf8.count + Limits.parserMemoryBase
        for room in stride(from: 16, through: needed + 64, by: 16) {
            let (outcome, left) = decode(array(text), type: ContentType.json, room: room)
            #expect(outcome == (room < needed ? .error(.capacity(offset: 0)) : .json(expected)), "\(room)")
            #expect(left == 0)
        }
        #expect(used() == 0)
    }

    /// expat runs out at every one of its allocations.
    @Test func exhaustedXML() {
        let attributes = (0..<40).map { " attribute\($0)='\($0)'" }.joined()
        let text =
            "<?xml version='1.0'?><!DOCTYPE plist SYSTEM 'x'><plist\(attributes)><dict><key>a</key><array><string>"
            + String(repeating: "text &amp; ", count: 200) + "</string><true/></array></dict></plist>"
        let expected = #"{"a":[""# + String(repeating: "text & ", count: 200) + #"",true]}"#
        var succeeded = 0
        for room in stride(from: 16, through: 40_000, by: 16) {
            let (outcome, left) = decode(array(text), type: ContentType.propertyList, room: room)
            #expect(left == 0)
            if outcome == .json(expected) {
                succeeded += 1
            } else {
                #expect(outcome.isError { if case .capacity = $0 { true } else { false } }, "\(room) \(outcome)")
            }
        }
        #expect(succeeded > 0 && succeeded < 2000, "\(succeeded)")
        #expect(used() == 0)
    }

    /// XML's most expensive shapes are far below JSON's.
    @Test func largestXML() {
        var attributes = "<plist"
        var index = 0
        while attributes.utf8.count < Limits.inflated - 60 {
            attributes += " a\(index)=''"
            index += 1
        }
        attributes += "><dict><key>a</key><true/></dict></plist>"
        #expect(PayloadTests.decode(array(attributes), type: ContentType.propertyList) == .json(#"{"a":true}"#))
        #expect(used() == 0)
    }
}
