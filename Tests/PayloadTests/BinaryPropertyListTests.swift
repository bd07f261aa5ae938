import Bytes
import Payload
import Testing
import Vectors

private func decode(_ bytes: [UInt8]) -> Outcome { decode(bytes, type: ContentType.propertyList) }

/// A map `{"a": value}` whose objects are a map, a key and a value, in this order, with one byte for each reference.
private func list(_ value: String) -> [UInt8] {
    var writer = BinaryWriter()
    writer.objects = [.container(0xD0, [1, 2], count: 1), .leaf([0x51, 97]), .leaf(unhex(value))]
    return writer.bytes(top: 0)
}

/// Where the value is in that: header, `D1 01 02`, `51 61`.
private let offset = 8 + 3 + 2

/// A list of objects given as hex digits.
private func list(_ objects: [String], top: Int = 0, size: Int = 1) -> [UInt8] {
    var writer = BinaryWriter()
    writer.referenceSize = size
    writer.objects = objects.map { .leaf(unhex($0)) }
    return writer.bytes(top: top)
}

@Suite struct BinaryPropertyListTests {
    @Test(
        arguments: [
            ("08", "false"), ("09", "true"),
            ("10 00", "0"), ("10 ff", "255"), ("11 ff ff", "65535"), ("12 ff ff ff ff", "4294967295"),
            ("13 7f ff ff ff ff ff ff ff", "9223372036854775807"),
            ("13 80 00 00 00 00 00 00 00", "-9223372036854775808"),
            ("13 ff ff ff ff ff ff ff ff", "-1"),
            ("14 00 00 00 00 00 00 00 00 7f ff ff ff ff ff ff ff", "9223372036854775807"),
            ("14 ff ff ff ff ff ff ff ff 80 00 00 00 00 00 00 00", "-9223372036854775808"),
            ("14 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff fe", "-2"),
            // Beyond Int64, to 2^64 − 1.
            ("14 00 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00", "9.223372036854776e+18"),
            ("14 00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff", "1.8446744073709552e+19"),
            ("22 3f c0 00 00", "1.5"), ("22 80 00 00 00", "-0.0"), ("22 3d cc cc cd", "0.10000000149011612"),
            ("23 3f b9 99 99 99 99 99 9a", "0.1"), ("23 7f e1 cc f3 85 eb c8 a0", "1e+308"),
            ("23 00 00 00 00 00 00 00 01", "5e-324"),
            ("33 00 00 00 00 00 00 00 00", #""2001-01-01T00:00:00Z""#),
            ("33 bf e0 00 00 00 00 00 00", #""2000-12-31T23:59:59Z""#),
            ("40", #"{"$data":""}"#), ("43 00 01 ff", #"{"$data":"AAH/"}"#), ("4f 10 02 00 01", #"{"$data":"AAE="}"#),
            ("50", #""""#), ("52 61 7f", "\"a\u{7F}\""), ("52 00 0a", #""\u0000\n""#),
            ("5f 10 01 61", #""a""#), ("5f 11 00 01 61", #""a""#), ("5f 12 00 00 00 01 61", #""a""#),
            ("5f 13 00 00 00 00 00 00 00 01 61", #""a""#),
            ("60", #""""#), ("61 00 61", #""a""#), ("61 00 00", #""\u0000""#), ("61 00 e9", "\"\u{E9}\""),
            ("61 20 14", "\"\u{2014}\""),
            ("61 d7 ff", "\"\u{D7FF}\""), ("61 e0 00", "\"\u{E000}\""), ("61 ff ff", "\"\u{FFFF}\""),
            ("61 fe ff", "\"\u{FEFF}\""),
            ("61 07 ff", "\"\u{7FF}\""), ("61 08 00", "\"\u{800}\""),
            ("62 d8 00 dc 00", "\"\u{10000}\""), ("62 d8 3d dd 14", "\"\u{1F514}\""),
            ("62 db ff df ff", "\"\u{10FFFF}\""),
            ("6f 10 01 00 61", #""a""#), ("a0", "[]"), ("a2 01 01", #"["a","a"]"#), ("d0", "{}"),
            ("d1 01 01", #"{"a":"a"}"#),
            ("d2 01 01 01 01", #"{"a":"a"}"#),
        ]) func values(object: String, expected: String)
    {
        #expect(decode(list(object)) == .json(#"{"a":"# + expected + "}"))
    }

    @Test(
        arguments: [
            // Integers of 16 bytes beyond 65 bits; sizes that do not exist.
            ("14 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00", .number(offset: offset)),
            ("14 ff ff ff ff ff ff ff ff 7f ff ff ff ff ff ff ff", .number(offset: offset)),
            ("14 80 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff", .number(offset: offset)),
            ("15", .unknownType(0x15, offset: offset)), ("1f", .unknownType(0x1F, offset: offset)),
            ("20 00", .unknownType(0x20, offset: offset)), ("21 00 00", .unknownType(0x21, offset: offset)),
            ("24", .unknownType(0x24, offset: offset)), ("32 00 00 00 00", .unknownType(0x32, offset: offset)),
            ("30", .unknownType(0x30, offset: offset)), ("01", .unknownType(0x01, offset: offset)),
            ("0f", .unknownType(0x0F, offset: offset)), ("07", .unknownType(0x07, offset: offset)),
            ("90", .unknownType(0x90, offset: offset)), ("e0", .unknownType(0xE0, offset: offset)),
            ("ff", .unknownType(0xFF, offset: offset)),
            // What other programs put into property lists of their own.
            ("0c", .foreignType(0x0C, offset: offset)), ("0d", .foreignType(0x0D, offset: offset)),
            ("0e", .foreignType(0x0E, offset: offset)), ("71 61", .foreignType(0x71, offset: offset)),
            ("80 01", .foreignType(0x80, offset: offset)), ("b0", .foreignType(0xB0, offset: offset)),
            ("c1 01", .foreignType(0xC1, offset: offset)),
            // Not finite.
            ("22 7f 80 00 00", .notFinite(offset: offset)), ("22 7f c0 00 00", .notFinite(offset: offset)),
            ("23 7f f0 00 00 00 00 00 00", .notFinite(offset: offset)),
            ("23 ff f8 00 00 00 00 00 00", .notFinite(offset: offset)),
            ("33 7f f8 00 00 00 00 00 00", .notFinite(offset: offset)),
            ("33 ff f0 00 00 00 00 00 00", .notFinite(offset: offset)),
            ("33 43 00 00 00 00 00 00 00", .date(offset: offset)),
            ("33 c3 00 00 00 00 00 00 00", .date(offset: offset)),
            // Texts.
            ("51 80", .utf8(offset: offset + 1)), ("52 61 ff", .utf8(offset: offset + 2)),
            ("61 d8 00", .utf8(offset: offset + 1)), ("61 dc 00", .utf8(offset: offset + 1)),
            ("62 d8 00 d8 00", .utf8(offset: offset + 1)), ("62 dc 00 d8 00", .utf8(offset: offset + 1)),
            ("62 00 61 db ff", .utf8(offset: offset + 3)), ("62 d8 00 00 61", .utf8(offset: offset + 1)),
            // Past the end of the objects.
            ("10", .truncated(offset: offset)), ("11 00", .truncated(offset: offset)),
            ("13 00 00 00 00 00 00 00", .truncated(offset: offset)),
            ("14 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", .truncated(offset: offset)),
            ("22 00 00 00", .truncated(offset: offset)),
            ("23 00", .truncated(offset: offset)), ("33 00", .truncated(offset: offset)),
            ("41", .truncated(offset: offset)),
            ("52 61", .truncated(offset: offset)), ("61 00", .truncated(offset: offset)),
            ("a1", .truncated(offset: offset)),
            ("d1 01", .truncated(offset: offset)), ("5f", .truncated(offset: offset)),
            ("5f 10", .truncated(offset: offset)),
            ("5f 11 00", .truncated(offset: offset)), ("5f 10 01", .truncated(offset: offset)),
            // Counts.
            ("5f 0f 61", .unknownType(0x0F, offset: offset + 1)), ("5f 14 61", .unknownType(0x14, offset: offset + 1)),
            ("5f 51 61", .unknownType(0x51, offset: offset + 1)), ("4f 23 61", .unknownType(0x23, offset: offset + 1)),
            ("5f 12 ff ff ff ff 61", .truncated(offset: offset)),
            ("5f 13 ff ff ff ff ff ff ff ff 61", .truncated(offset: offset)),
            ("6f 13 80 00 00 00 00 00 00 00 61", .truncated(offset: offset)),
            ("af 13 7f ff ff ff ff ff ff ff 01", .truncated(offset: offset)),
            ("df 13 80 00 00 00 00 00 00 01 01 01", .truncated(offset: offset)),
            // References and cycles.
            ("a1 03", .reference(offset: offset + 1)), ("a1 ff", .reference(offset: offset + 1)),
            ("d1 03 01", .reference(offset: offset + 1)),
            ("d1 01 03", .reference(offset: offset + 2)), ("a1 00", .cycle(offset: 8)),
            ("a1 02", .cycle(offset: offset)),
            ("d1 01 02", .cycle(offset: offset)), ("d1 01 00", .cycle(offset: 8)),
            // Keys that are not strings.
            ("d1 00 01", .keyNotString(offset: 8)), ("d1 02 01", .keyNotString(offset: offset)),
        ] as [(String, PayloadError)]) func invalid(object: String, expected: PayloadError)
    {
        #expect(decode(list(object)) == .error(expected))
    }

    @Test(arguments: [
        "00", "08", "09", "10 01", "23 00 00 00 00 00 00 00 00", "33 00 00 00 00 00 00 00 00", "41 61", "a0", "d0",
    ])
    func keysThatAreNoStrings(object: String) {
        #expect(decode(list(["d1 01 02", object, "09"])) == .error(.keyNotString(offset: 11)))
        // Not even that of a value which is dropped.
        #expect(decode(list(["d1 01 02", object, "00"])) == .error(.keyNotString(offset: 11)))
    }

    @Test func nullIsDropped() {
        #expect(decode(list(["d2 01 02 03 04", "51 61", "51 62", "00", "09"])) == .json(#"{"b":true}"#))
        #expect(decode(list(["d1 01 02", "51 61", "a3 03 04 03", "00", "09"])) == .json(#"{"a":[true]}"#))
        #expect(decode(list(["d1 01 02", "51 61", "00"])) == .error(.empty))
        #expect(decode(list(["d2 01 01 02 03", "51 61", "09", "00"])) == .json(#"{"a":true}"#))
    }

    @Test func duplicates() {
        #expect(
            decode(list(["d3 01 02 01 03 04 05", "51 61", "51 62", "10 01", "10 02", "10 03"]))
                == .json(#"{"a":3,"b":2}"#))
        // The same key in both kinds of strings.
        #expect(decode(list(["d2 01 02 03 04", "51 61", "61 00 61", "10 01", "10 02"])) == .json(#"{"a":2}"#))
    }

    @Test func tops() {
        for object in ["a0", "09", "00", "51 61", "10 01"] {
            #expect(decode(list([object])) == .error(.notMap(offset: 8)))
        }
        #expect(decode(list(["d0"])) == .error(.empty))
        #expect(decode(list(["51 61", "09", "d1 00 01"], top: 2)) == .json(#"{"a":true}"#))
        #expect(decode(list(["80 01"])) == .error(.foreignType(0x80, offset: 8)))
    }

    @Test(arguments: 1...8) func sizesOfReferences(size: Int) {
        var writer = BinaryWriter()
        writer.referenceSize = size
        writer.objects = [
            .container(0xD0, [1, 2], count: 1), .leaf([0x51, 97]), .container(0xA0, [1, 3], count: 2), .leaf([9]),
        ]
        for offsetSize in 1...8 {
            let bytes = writer.bytes(top: 0, order: [3, 1, 0, 2], filler: [15, 15], offsetSize: offsetSize)
            #expect(decode(bytes) == .json(#"{"a":["a",true]}"#))
        }
        // Bits above those of an Int.
        writer.objects[2] = .leaf([0xA1] + [UInt8](repeating: 0xFF, count: size))
        #expect(decode(writer.bytes(top: 0)).isError { if case .reference = $0 { true } else { false } })
    }

    @Test func versions() {
        // bplist0 and any digit (SGP v2 §6).
        var bytes = list("09")
        for version in array("0159?") {
            bytes[7] = version
            #expect(decode(bytes) == .json(#"{"a":true}"#))
        }
        bytes[6] = UInt8(ascii: "1")
        #expect(decode(bytes) == .error(.contradictsContentType(2)))
    }

    @Test func trailers() {
        let bytes = list("09")
        let trailer = bytes.count - 32
        // Unused bytes and the version of sorting.
        for index in 0..<6 {
            var changed = bytes
            changed[trailer + index] = 0xFF
            #expect(decode(changed) == .json(#"{"a":true}"#))
        }
        // Every byte that says something, with every value.
        for index in trailer + 6..<bytes.count {
            for value: UInt8 in 0...255 where bytes[index] != value {
                var changed = bytes
                changed[index] = value
                let outcome = decode(changed)
                // Another object may be the top, and the map's references are read with another size.
                #expect(outcome.isError { _ in true }, "\(index - trailer) \(value) \(outcome)")
            }
        }
        for size: UInt8 in [0, 9, 16, 255] {
            for index in [6, 7] {
                var changed = bytes
                changed[trailer + index] = size
                #expect(decode(changed) == .error(.trailer(offset: trailer)))
            }
        }
    }

    @Test func offsets() {
        let bytes = list(["d1 01 02", "51 61", "a3 01 03 01", "09"])
        #expect(decode(bytes) == .json(#"{"a":["a",true,"a"]}"#))
        let table = bytes.count - 32 - 4
        for entry in 0..<4 {
            for value: UInt8 in 0...255 where bytes[table + entry] != value {
                var changed = bytes
                changed[table + entry] = value
                let outcome = decode(changed)
                if value < 8 || Int(value) >= table {
                    #expect(outcome == .error(.reference(offset: table + entry)), "\(entry) \(value)")
                } else if case .json(let text) = outcome {
                    // Other objects in the place of these: the document differs.
                    #expect(text != #"{"a":["a",true,"a"]}"#, "\(entry) \(value)")
                }
            }
        }
    }

    @Test func everyTruncationIsAnError() {
        var encoder = Encoder(seed: 1)
        let model = Model.map([
            ("aps", .map([("alert", .string("\u{E9}\u{1F514}")), ("badge", .int(3)), ("x", .double(1.5))])),
            ("d", .data([1, 2])),
        ])
        let bytes = encoder.binary(model)
        let whole = decode(bytes)
        #expect(!whole.isError { _ in true })
        for length in 0..<bytes.count {
            #expect(decode(Array(bytes.prefix(length))).isError { _ in true }, "\(length)")
            #expect(decode(Array(bytes[..<length] + bytes[(length + 1)...])).isError { _ in true }, "\(length)")
        }
        #expect(decode(bytes + [0]).isError { _ in true })
    }

    /// Whatever a byte is changed to, there is an answer.
    @Test(.timeLimit(.minutes(1))) func everyByteChanged() {
        var encoder = Encoder(seed: 2)
        let model = Model.map([
            ("aps", .map([("alert", .string("\u{1F514}")), ("s", .array([.int(300), .double(0.1)]))]))
        ])
        let bytes = encoder.binary(model)
        var documents = 0
        for index in bytes.indices {
            for value: UInt8 in 0...255 {
                var changed = bytes
                changed[index] = value
                if !decode(changed).isError(where: { _ in true }) { documents += 1 }
            }
        }
        #expect(documents >= bytes.count)
    }

    @Test func nesting() {
        for depth in [32, 33, 200] {
            // A map, its key, and arrays each around the next.
            var writer = BinaryWriter()
            writer.objects = [.container(0xD0, [1, 2], count: 1), .leaf([0x51, 107])]
            for level in 2..<depth { writer.objects.append(.container(0xA0, [level + 1], count: 1)) }
            writer.objects.append(.container(0xA0, [], count: 0))
            let outcome = decode(writer.bytes(top: 0))
            if depth == 32 {
                let arrays = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
                #expect(outcome == .json(#"{"k":"# + arrays + "}"))
            } else {
                #expect(outcome == .error(.nesting(offset: 13 + 2 * 31)))
            }
        }
    }

    /// A map that is in itself, through any number of others.
    @Test(arguments: 1...40) func cycles(length: Int) {
        var writer = BinaryWriter()
        writer.objects = [.container(0xD0, [1, 2], count: 1), .leaf([0x51, 107])]
        for level in 1..<length { writer.objects.append(.container(0xA0, [level + 2], count: 1)) }
        writer.objects.append(.container(0xA0, [length > 1 ? 2 : 0], count: 1))
        let outcome = decode(writer.bytes(top: 0))
        let expected: PayloadError
        switch length {
        case 1: expected = .cycle(offset: 8)
        case ...31: expected = .cycle(offset: 13)
        default: expected = .nesting(offset: 13 + 2 * 31)
        }
        #expect(outcome == .error(expected))
    }

    /// Shared objects are written out.
    @Test func sharing() {
        let objects = ["d2 01 02 03 03", "51 61", "51 62", "a3 04 04 05", "d1 01 02", "62 d8 3d dd 14"]
        let shared = #"[{"a":"b"},{"a":"b"},"🔔"]"#
        #expect(decode(list(objects)) == .json(#"{"a":\#(shared),"b":\#(shared)}"#))
    }

    /// Doubled thirty times, and arrays of nulls, which leave no trace in the document: all end at a bound.
    @Test(.timeLimit(.minutes(1))) func exponentialSharing() {
        for leaf in ["09", "00", "50", "a0", "4f 10 64" + String(repeating: " ff", count: 100), "61 d8 00"] {
            for width in [2, 100, 250] {
                var writer = BinaryWriter()
                writer.objects = [.container(0xD0, [1, 2], count: 1), .leaf([0x51, 107])]
                for level in 2..<31 {
                    writer.objects.append(.container(0xA0, [Int](repeating: level + 1, count: width), count: width))
                }
                writer.objects.append(.leaf(unhex(leaf)))
                let outcome = decode(writer.bytes(top: 0))
                #expect(
                    outcome.isError {
                        switch $0 {
                        case .capacity: true
                        case .utf8: leaf == "61 d8 00"
                        default: false
                        }
                    }, "\(leaf) \(width) \(outcome)")
            }
        }
    }

    /// The largest there are: as many values as fit, a long text in UTF-16, and one key with many values.
    @Test(.timeLimit(.minutes(1))) func sizes() {
        var writer = BinaryWriter()
        let count = Limits.inflated - 100
        writer.objects = [
            .container(0xD0, [1, 2], count: 1), .leaf([0x51, 107]),
            .container(0xA0, [Int](repeating: 3, count: count), count: count),
            .leaf([9]),
        ]
        #expect(
            decode(writer.bytes(top: 0))
                == .json(#"{"k":["# + Array(repeating: "true", count: count).joined(separator: ",") + "]}"))
        let units = (Limits.inflated - 100) / 2
        writer.objects[2] = .leaf(BinaryWriter.marker(0x60, units) + [UInt8](repeating: 0x20, count: 2 * units))
        #expect(
            decode(writer.bytes(top: 0)) == .json(#"{"k":""# + String(repeating: "\u{2020}", count: units) + #""}"#))
        writer.objects[0] = .container(
            0xD0, [Int](repeating: 1, count: 30_000) + [Int](repeating: 3, count: 30_000), count: 30_000)
        writer.objects[2] = .leaf([8])
        #expect(decode(writer.bytes(top: 0)) == .json(#"{"k":true}"#))
        let bytes = writer.bytes(top: 0) + [UInt8](repeating: 0, count: Limits.inflated)
        #expect(decode(bytes) == .error(.tooLong(length: bytes.count)))
    }
}
