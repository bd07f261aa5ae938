import Bytes
import Payload
import Testing
import Vectors

private func decode(_ bytes: [UInt8]) -> Outcome { decode(bytes, type: ContentType.structuredTLV) }
private func decode(_ text: String) -> Outcome { decode(unhex(text)) }

/// Maps or arrays around a NULL, `depth` containers deep.
private func nested(_ depth: Int, arrays: Bool) -> [UInt8] {
    var model = Model.null
    for level in stride(from: depth, to: 0, by: -1) {
        model = arrays && level > 1 ? .array([model]) : .map([("k", model)])
    }
    return model.tlv
}

@Suite struct StructuredTLVTests {
    @Test(
        arguments: [
            ("01 03 01 61 07", #"{"a":null}"#),
            ("01 04 01 61 06 00", #"{"a":false}"#),
            ("01 04 01 61 06 01", #"{"a":true}"#),
            ("01 04 01 61 04 00", #"{"a":0}"#),
            ("01 04 01 61 04 01", #"{"a":-1}"#),
            ("01 04 01 61 04 02", #"{"a":1}"#),
            ("01 0d 01 61 04 ff ff ff ff ff ff ff ff ff 01", #"{"a":-9223372036854775808}"#),
            ("01 0d 01 61 04 fe ff ff ff ff ff ff ff ff 01", #"{"a":9223372036854775807}"#),
            ("01 0b 01 61 05 40 08 00 00 00 00 00 00", #"{"a":3.0}"#),
            ("01 0b 01 61 05 80 00 00 00 00 00 00 00", #"{"a":-0.0}"#),
            ("01 04 01 61 03 00", #"{"a":""}"#),
            ("01 07 01 61 03 03 e2 80 94", "{\"a\":\"\u{2014}\"}"),
            ("01 04 01 61 08 00", #"{"a":{"$data":""}}"#),
            ("01 05 01 61 08 01 ff", #"{"a":{"$data":"/w=="}}"#),
            ("01 04 01 61 01 00", #"{"a":{}}"#),
            ("01 04 01 61 02 00", #"{"a":[]}"#),
            ("01 08 01 61 02 04 07 02 01 07", #"{"a":[null,[null]]}"#),
            // The empty key, and keys out of order.
            ("01 02 00 07", #"{"":null}"#),
            ("01 0a 02 61 61 07 00 07 01 61 06 01", #"{"":null,"a":true,"aa":null}"#),
            // Lengths and numbers written longer than needed.
            ("01 84 00 81 00 61 07", #"{"a":null}"#),
            ("01 83 80 80 80 80 80 80 80 80 00 01 61 07", #"{"a":null}"#),
            ("01 06 01 61 04 82 80 00", #"{"a":1}"#),
        ]) func valid(bytes: String, expected: String)
    {
        #expect(decode(bytes) == .json(expected))
    }

    @Test(
        arguments: [
            ("", .empty),
            ("01 00", .empty),
            // Another kind of value, or none, at the top.
            ("02 00", .notMap(offset: 0)),
            ("03 01 61", .notMap(offset: 0)),
            ("07", .notMap(offset: 0)),
            ("00", .contradictsContentType(3)),
            ("09 00", .contradictsContentType(3)),
            ("7b 7d", .contradictsContentType(3)),
            ("62 70 6c 69 73 74 30 30", .contradictsContentType(3)),
            // Bytes after the top map.
            ("01 03 01 61 07 00", .trailing(offset: 5)),
            ("01 00 00", .trailing(offset: 2)),
            ("01 02 01 61 07", .truncated(offset: 4)),
            // A container that ends before or after its children.
            ("01 04 01 61 07", .truncated(offset: 1)),
            ("01 04 01 61 07 01", .truncated(offset: 5)),
            ("01 06 01 61 02 02 03 01", .truncated(offset: 7)),
            ("01 07 01 61 02 01 03 01 62", .truncated(offset: 7)),
            // A key without a value; a key longer than its map, though not longer than the data.
            ("01 02 01 61", .truncated(offset: 4)),
            ("01 08 01 61 01 02 04 62 07 07", .truncated(offset: 6)),
            // Types.
            ("01 03 01 61 00", .unknownType(0, offset: 4)),
            ("01 03 01 61 09", .unknownType(9, offset: 4)),
            ("01 03 01 61 ff", .unknownType(255, offset: 4)),
            // Booleans, numbers, texts.
            ("01 04 01 61 06 02", .boolean(offset: 4)),
            ("01 0b 01 61 05 7f f0 00 00 00 00 00 00", .notFinite(offset: 4)),
            ("01 0b 01 61 05 ff f0 00 00 00 00 00 00", .notFinite(offset: 4)),
            ("01 0b 01 61 05 7f f8 00 00 00 00 00 00", .notFinite(offset: 4)),
            ("01 0b 01 61 05 7f f0 00 00 00 00 00 01", .notFinite(offset: 4)),
            ("01 0a 01 61 05 40 08 00 00 00 00 00", .truncated(offset: 5)),
            ("01 05 01 61 03 01 80", .utf8(offset: 4)),
            ("01 06 01 61 03 02 c0 80", .utf8(offset: 4)),
            ("01 07 01 61 03 03 ed a0 80", .utf8(offset: 4)),
            ("01 08 01 61 03 04 f4 90 80 80", .utf8(offset: 4)),
            ("01 05 01 61 03 01 c3", .utf8(offset: 4)),
            ("01 03 01 ff 07", .utf8(offset: 2)),
            // Varints of eleven bytes, and of more than 64 bits.
            ("01 0e 01 61 04 80 80 80 80 80 80 80 80 80 80 00", .varint(offset: 5)),
            ("01 0d 01 61 04 ff ff ff ff ff ff ff ff ff 02", .varint(offset: 5)),
            ("01 83 80 80 80 80 80 80 80 80 80 00 01 61 07", .varint(offset: 1)),
            // Lengths of nearly 2^63 and 2^64.
            ("01 ff ff ff ff ff ff ff ff 7f", .truncated(offset: 1)),
            ("01 ff ff ff ff ff ff ff ff ff 01", .truncated(offset: 1)),
            ("01 0d 01 61 03 ff ff ff ff ff ff ff ff ff 01", .truncated(offset: 5)),
        ] as [(String, PayloadError)]) func invalid(bytes: String, expected: PayloadError)
    {
        #expect(decode(bytes) == .error(expected))
    }

    @Test(arguments: [false, true]) func nesting(arrays: Bool) {
        for depth in [1, 31, 32] {
            let outcome = decode(nested(depth, arrays: arrays))
            guard case .json(let text) = outcome else {
                Issue.record("depth \(depth): \(outcome)")
                continue
            }
            #expect(text.filter { $0 == "{" || $0 == "[" }.count == depth)
        }
        for depth in [33, 34, 1000] {
            guard case .error(.nesting) = decode(nested(depth, arrays: arrays)) else {
                Issue.record("depth \(depth) was accepted")
                continue
            }
        }
    }

    @Test func valuesBesideTheDeepestContainer() {
        // A leaf at depth 32 is no container and does not count.
        let bytes = nested(32, arrays: false)
        #expect(decode(Model.map([("a", .null), ("z", .int(1))]).tlv) == .json(#"{"a":null,"z":1}"#))
        guard case .json = decode(bytes) else {
            Issue.record("refused")
            return
        }
    }

    @Test func everyTruncationIsAnError() {
        let model = Model.map([
            ("aps", .map([("alert", .map([("title", .string("Door")), ("body", .string("\u{2014}"))]))])),
            ("n", .array([.int(-300), .double(2.5), .bool(true), .null, .data([1, 2, 3])])),
        ])
        let bytes = model.tlv
        guard case .json = decode(bytes) else {
            Issue.record("the whole is refused")
            return
        }
        for length in 0..<bytes.count {
            let outcome = decode(Array(bytes.prefix(length)))
            #expect(outcome == .error(length == 0 ? .empty : .truncated(offset: 1)), "\(length)")
        }
        // The same, with the length of the top map made to fit: whole only between its two entries.
        let alert = Model.map([("title", .string("Door")), ("body", .string("\u{2014}"))])
        let first = Model.map([("aps", .map([("alert", alert)]))])
        for length in 3..<bytes.count {
            let body = Array(bytes[2..<length])
            let outcome = decode([1] + varint(body.count) + body)
            guard case .error(.truncated) = outcome else {
                #expect(body.count == first.tlv.count - 2, "\(length)")
                continue
            }
        }
    }

    @Test func lastDuplicateWins() {
        let model = Model.map([
            ("b", .int(1)), ("a", .map([("x", .int(1)), ("x", .int(2))])), ("b", .int(2)), ("a", .string("last")),
            ("b", .int(3)),
        ])
        #expect(decode(model.tlv) == .json(#"{"a":"last","b":3}"#))
        let inner = Model.map([("a", .map([("x", .int(1)), ("y", .null), ("x", .map([("x", .int(2))]))]))])
        #expect(decode(inner.tlv) == .json(#"{"a":{"x":{"x":2},"y":null}}"#))
    }

    @Test func keysAreComparedAsBytes() {
        // The same letter, composed and decomposed: two keys.
        let model = Model.map([("\u{E9}", .int(1)), ("e\u{301}", .int(2)), ("z", .int(3))])
        #expect(decode(model.tlv) == .json("{\"e\u{301}\":2,\"z\":3,\"\u{E9}\":1}"))
        // UTF-8 and UTF-16 order differ above U+FFFF.
        let high = Model.map([("\u{1F514}", .int(1)), ("\u{FFFD}", .int(2))])
        #expect(decode(high.tlv) == .json("{\"\u{FFFD}\":2,\"\u{1F514}\":1}"))
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false]) func manyKeys(distinct: Bool) {
        // As many two-byte keys as fit, backwards; or one key over and over.
        let body = (0..<16_000).reversed().flatMap { index -> [UInt8] in
            let key = distinct ? [UInt8(index >> 7), UInt8(index & 127)] : [97, 97]
            return [2] + key + [7]
        }
        let outcome = decode([1] + varint(body.count) + body)
        guard case .json(let text) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(text.utf8.split(separator: UInt8(ascii: ",")).count >= (distinct ? 16_000 : 1))
        if !distinct { #expect(text == #"{"aa":null}"#) }
    }

    @Test func sizes() {
        // The largest array of NULLs, one byte too many, and the one that has the longest JSON for its size.
        let nulls = [UInt8](repeating: 7, count: Limits.inflated - 10)
        let largest = [1] + varint(nulls.count + 6) + [1, 97, 2] + varint(nulls.count) + nulls
        #expect(largest.count == Limits.inflated)
        guard case .json = decode(largest) else {
            Issue.record("largest refused")
            return
        }
        let larger = [1] + varint(nulls.count + 7) + [1, 97, 2] + varint(nulls.count + 1) + nulls + [7]
        #expect(decode(larger) == .error(.tooLong(length: Limits.inflated + 1)))
        let pairs = (0..<(Limits.inflated - 10) / 2).flatMap { _ in [8, 0] as [UInt8] }
        let widest = [1] + varint(pairs.count + 6) + [1, 97, 2] + varint(pairs.count) + pairs
        guard case .json(let text) = decode(widest) else {
            Issue.record("widest refused")
            return
        }
        #expect(text.utf8.count > 6 * Limits.inflated)
        #expect(text.utf8.count <= Limits.canonicalJSON)
    }
}
