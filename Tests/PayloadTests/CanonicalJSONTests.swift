import Bytes
import Foundation
import Payload
import Testing

@Suite struct CanonicalJSONTests {
    @Test(
        arguments: [
            (3.0, "3.0"), (-0.0, "-0.0"), (0.0, "0.0"), (0.1, "0.1"), (-2.5, "-2.5"), (1e308, "1e+308"),
            (1e21, "1e+21"), (100_000, "100000.0"), (1e-7, "1e-07"), (1.0 / 3, "0.3333333333333333"),
            (0x1p-44, "5.684341886080802e-14"), (.leastNonzeroMagnitude, "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
            (-2.2250738585072014e-308, "-2.2250738585072014e-308"), (9_007_199_254_740_992, "9007199254740992.0"),
        ]) func doubles(value: Double, expected: String)
    {
        var output = ByteBuffer(capacity: 24)
        output.append(json: value)
        #expect(text(output.bytes) == expected)
    }

    @Test func doublesReadBackTheSame() {
        var generator = SeededGenerator(state: 1)
        var output = ByteBuffer(capacity: 24)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            output.removeAll()
            output.append(json: value)
            let written = text(output.bytes)!
            #expect(Double(written)!.bitPattern == value.bitPattern)
            #expect(written.contains(".") || written.contains("e"))
            let overflowed = output.overflowed
            #expect(!overflowed)
        }
    }

    @Test(
        arguments: [
            ("", #""""#), ("a/b", #""a/b""#), ("\"\\", #""\"\\""#), ("\u{8}\u{9}\u{A}\u{C}\u{D}", #""\b\t\n\f\r""#),
            ("\u{0}\u{1}\u{B}\u{1F}", #""\u0000\u0001\u000b\u001f""#),
            ("\u{7F}\u{80}\u{2028}", "\"\u{7F}\u{80}\u{2028}\""),
            ("x\n\ny", #""x\n\ny""#), ("\u{1F514}", "\"\u{1F514}\""),
        ]) func strings(value: String, expected: String)
    {
        var output = ByteBuffer(capacity: 64)
        output.append(jsonString: array(value).span.bytes)
        #expect(text(output.bytes) == expected)
    }

    @Test func base64OfData() {
        for (plain, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            let model = Model.map([("d", .data(array(plain)))])
            let outcome = decode(model.tlv, type: ContentType.structuredTLV)
            #expect(outcome == .json(#"{"d":{"$data":""# + expected + #""}}"#))
        }
    }

    @Test func shape() {
        let model = Model.map([
            ("z", .array([.map([]), .array([]), .map([("b", .int(-1)), ("a", .array([.null, .bool(false)]))])])),
            ("B", .double(1)), ("a", .string("\u{E9}")), ("", .data([1])),
        ])
        let expected =
            "{\"\":{\"$data\":\"AQ==\"},\"B\":1.0,\"a\":\"\u{E9}\",\"z\":[{},[],{\"a\":[null,false],\"b\":-1}]}"
        #expect(decode(model.tlv, type: ContentType.structuredTLV) == .json(expected))
    }

    @Test func aValueAlone() throws {
        var document = Document()
        var decoder = DocumentDecoder()!
        let model = Model.map([("a", .map([("x", .array([.int(1), .int(2)]))])), ("b", .null)])
        try decoder.decode(contentType: 3, data: model.tlv.span.bytes, into: &document)
        var output = ByteBuffer(capacity: 64)
        output.append(canonicalJSON: document, document.lookup("a", "x")!)
        #expect(text(output.bytes) == "[1,2]")
        output.removeAll()
        output.append(canonicalJSON: document, document.lookup("a")!)
        #expect(text(output.bytes) == #"{"x":[1,2]}"#)
    }

    @Test func smallBuffersOverflow() throws {
        var document = Document()
        var decoder = DocumentDecoder()!
        try decoder.decode(
            contentType: 3, data: Model.map([("a", .string("text"))]).tlv.span.bytes, into: &document)
        for capacity in [0, 1, 11, 12] {
            var output = ByteBuffer(capacity: capacity)
            output.append(canonicalJSON: document)
            let overflowed = output.overflowed
            #expect(overflowed == (capacity < 12))
        }
    }

    /// Random documents: what Foundation reads in the JSON is what was encoded.
    @Test(arguments: 0..<300) func randomDocuments(seed: Int) throws {
        var generator = SeededGenerator(state: UInt64(seed))
        let model = Model.random(depth: 5, using: &generator)
        guard case .json(let written) = decode(model.tlv, type: ContentType.structuredTLV) else {
            Issue.record("refused")
            return
        }
        let parsed = try JSONSerialization.jsonObject(with: Data(written.utf8))
        #expect(same(parsed, model), "\(written)")
        // The order of the entries makes no difference.
        if case .map(let entries) = model {
            let unique = Model.last(entries).map { (String(decoding: $0, as: UTF8.self), $1) }
            let shuffled = Model.map(unique.shuffled(using: &generator))
            #expect(decode(shuffled.tlv, type: ContentType.structuredTLV) == .json(written))
        }
    }

    private func same(_ parsed: Any, _ model: Model) -> Bool {
        switch model {
        case .map(let entries):
            guard let object = parsed as? [String: Any] else { return false }
            let expected = Model.last(entries)
            return object.count == expected.count
                && expected.allSatisfy { key, value in
                    object[String(decoding: key, as: UTF8.self)].map { same($0, value) } ?? false
                }
        case .array(let values):
            guard let array = parsed as? [Any], array.count == values.count else { return false }
            return zip(array, values).allSatisfy { same($0, $1) }
        case .string(let text): return (parsed as? String).map { array($0) == array(text) } ?? false
        case .int(let value): return (parsed as? NSNumber)?.int64Value == value
        case .double(let value):
            // Foundation reads some numbers as decimals, whose last digits may then be off: doublesReadBackTheSame is
            // about those.
            guard let number = (parsed as? NSNumber)?.doubleValue else { return false }
            return abs(number - value) <= abs(value) * 1e-12
        case .bool(let value): return parsed as? Bool == value
        case .null: return parsed is NSNull
        case .data(let bytes):
            guard let object = parsed as? [String: Any], object.count == 1 else { return false }
            return object["$data"] as? String == Data(bytes).base64EncodedString()
        }
    }
}
