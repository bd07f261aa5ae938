import Bytes
import Payload
import Testing

/// A notification as a sender of APNs writes it.
struct Example: CustomTestStringConvertible, Sendable {
    var name: String
    /// The sender's JSON.
    var json: String
    /// The same document for the other encoders; a function, since a model cannot be shared between tests.
    var model: @Sendable () -> Model
    var expected: String

    var testDescription: String { name }
}

private func aps(_ entries: [(String, Model)], _ custom: [(String, Model)] = []) -> Model {
    .map([("aps", .map(entries))] + custom)
}

private let examples = [
    Example(
        name: "alert string",
        json: #"{"aps":{"alert":"The kettle boils","sound":"default","badge":1}}"#,
        model: { aps([("alert", .string("The kettle boils")), ("sound", .string("default")), ("badge", .int(1))]) },
        expected: #"{"aps":{"alert":"The kettle boils","badge":1,"sound":"default"}}"#),
    Example(
        name: "alert map",
        json: """
            {
                "aps" : {
                    "alert" : {
                        "title" : "Front door",
                        "subtitle" : "Opened",
                        "body" : "Somebody came in at 17:04."
                    },
                    "thread-id" : "door-1",
                    "category" : "DOOR_OPENED",
                    "interruption-level" : "time-sensitive",
                    "relevance-score" : 0.75
                },
                "door" : { "id" : 1, "locked" : false, "since" : 1735689600.25 }
            }
            """,
        model: {
            let alert = Model.map([
                ("title", .string("Front door")), ("subtitle", .string("Opened")),
                ("body", .string("Somebody came in at 17:04.")),
            ])
            let door = Model.map([("id", .int(1)), ("locked", .bool(false)), ("since", .double(1_735_689_600.25))])
            return aps(
                [
                    ("alert", alert), ("thread-id", .string("door-1")), ("category", .string("DOOR_OPENED")),
                    ("interruption-level", .string("time-sensitive")), ("relevance-score", .double(0.75)),
                ], [("door", door)])
        },
        expected: #"{"aps":{"alert":{"body":"Somebody came in at 17:04.","subtitle":"Opened","title":"Front door"},"#
            + #""category":"DOOR_OPENED","interruption-level":"time-sensitive","relevance-score":0.75,"thread-id":"door-1"},"#
            + #""door":{"id":1,"locked":false,"since":1735689600.25}}"#),
    Example(
        name: "silent",
        json: #"{"aps":{"content-available":1},"sync":{"cursor":"MTIz","pages":[1,2,3]}}"#,
        model: {
            let sync = Model.map([("cursor", .string("MTIz")), ("pages", .array([.int(1), .int(2), .int(3)]))])
            return aps([("content-available", .int(1))], [("sync", sync)])
        },
        expected: #"{"aps":{"content-available":1},"sync":{"cursor":"MTIz","pages":[1,2,3]}}"#),
    Example(
        name: "critical sound",
        json:
            #"{"aps":{"alert":{"title":"Smoke","body":"Kitchen"},"sound":{"critical":1,"name":"alarm.caf","volume":0.8},"#
            + #""interruption-level":"critical"}}"#,
        model: {
            let sound = Model.map([("critical", .int(1)), ("name", .string("alarm.caf")), ("volume", .double(0.8))])
            return aps([
                ("alert", .map([("title", .string("Smoke")), ("body", .string("Kitchen"))])), ("sound", sound),
                ("interruption-level", .string("critical")),
            ])
        },
        expected: #"{"aps":{"alert":{"body":"Kitchen","title":"Smoke"},"interruption-level":"critical","#
            + #""sound":{"critical":1,"name":"alarm.caf","volume":0.8}}}"#),
    Example(
        name: "localised",
        json: #"{"aps":{"alert":{"title-loc-key":"MOVE_TITLE","title-loc-args":["Ada"],"loc-key":"MOVE_%@_TO_%@","#
            + #""loc-args":["e2","e4"],"action-loc-key":"PLAY","launch-image":"board.png"},"badge":2}}"#,
        model: {
            let alert = Model.map([
                ("title-loc-key", .string("MOVE_TITLE")), ("title-loc-args", .array([.string("Ada")])),
                ("loc-key", .string("MOVE_%@_TO_%@")),
                ("loc-args", .array([.string("e2"), .string("e4")])), ("action-loc-key", .string("PLAY")),
                ("launch-image", .string("board.png")),
            ])
            return aps([("alert", alert), ("badge", .int(2))])
        },
        expected: #"{"aps":{"alert":{"action-loc-key":"PLAY","launch-image":"board.png","loc-args":["e2","e4"],"#
            + #""loc-key":"MOVE_%@_TO_%@","title-loc-args":["Ada"],"title-loc-key":"MOVE_TITLE"},"badge":2}}"#),
    Example(
        name: "unicode",
        json:
            #"{"aps":{"alert":{"title":"Caf\u00e9 \u2014 fermé","body":"\u65e5\u672c語\nΑΒΓ\u00a0ж"}},"clé":"ü<&>'\""}"#,
        model: {
            aps(
                [("alert", .map([("title", .string("Café — fermé")), ("body", .string("日本語\nΑΒΓ\u{A0}ж"))]))],
                [("clé", .string("ü<&>'\""))])
        },
        expected:
            "{\"aps\":{\"alert\":{\"body\":\"日本語\\nΑΒΓ\u{A0}ж\",\"title\":\"Café — fermé\"}},\"clé\":\"ü<&>'\\\"\"}"),
    Example(
        name: "emoji",
        json: #"{"aps":{"alert":"\ud83d\udd14 👩‍👩‍👧‍👦 \ud83c\uddf3\ud83c\uddf4 👍🏽"},"🔑":"\ud83d\udd11"}"#,
        model: { aps([("alert", .string("🔔 👩‍👩‍👧‍👦 🇳🇴 👍🏽"))], [("🔑", .string("🔑"))]) },
        expected: #"{"aps":{"alert":"🔔 👩‍👩‍👧‍👦 🇳🇴 👍🏽"},"🔑":"🔑"}"#),
    Example(
        name: "right to left",
        json: #"{"aps":{"alert":{"title":"\u05e9\u05dc\u05d5\u05dd","body":"مرحبا \u202bبالعالم\u202c 123"}}}"#,
        model: {
            aps([("alert", .map([("title", .string("שלום")), ("body", .string("مرحبا \u{202B}بالعالم\u{202C} 123"))]))])
        },
        expected: "{\"aps\":{\"alert\":{\"body\":\"مرحبا \u{202B}بالعالم\u{202C} 123\",\"title\":\"שלום\"}}}"),
    Example(
        name: "4 KiB",
        json: #"{"aps":{"alert":""# + String(repeating: "0123456789abcde\u{E9}", count: 239) + #""},"n":12345678}"#,
        model: {
            aps([("alert", .string(String(repeating: "0123456789abcde\u{E9}", count: 239)))], [("n", .int(12_345_678))])
        },
        expected: #"{"aps":{"alert":""# + String(repeating: "0123456789abcde\u{E9}", count: 239) + #""},"n":12345678}"#),
    Example(
        name: "numbers at the edges",
        json: #"{"aps":{"badge":3.0},"n":[9223372036854775807,-9223372036854775808,9007199254740991,9007199254740992,"#
            + #"9007199254740993,1e308,-0.0,0,-1,4294967296]}"#,
        model: {
            let numbers: [Model] = [
                .int(.max), .int(.min), .int(1 << 53 - 1), .int(1 << 53), .int(1 << 53 + 1), .double(1e308),
                .double(-0.0), .int(0), .int(-1),
                .int(1 << 32),
            ]
            return aps([("badge", .double(3))], [("n", .array(numbers))])
        },
        expected:
            #"{"aps":{"badge":3.0},"n":[9223372036854775807,-9223372036854775808,9007199254740991,9007199254740992,"#
            + #"9007199254740993,1e+308,-0.0,0,-1,4294967296]}"#),
    Example(
        name: "everything empty",
        json: #"{"aps":{"alert":{},"sound":""},"a":[],"m":{},"":{"":[{},[]]}}"#,
        model: {
            aps(
                [("alert", .map([])), ("sound", .string(""))],
                [("a", .array([])), ("m", .map([])), ("", .map([("", .array([.map([]), .array([])]))]))])
        },
        expected: #"{"":{"":[{},[]]},"a":[],"aps":{"alert":{},"sound":""},"m":{}}"#),
]

@Suite struct ExampleTests {
    @Test(arguments: examples) func everyFormat(example: Example) {
        let model = example.model()
        #expect(decode(array(example.json), type: ContentType.json) == .json(example.expected))
        #expect(decode(model.tlv, type: ContentType.structuredTLV) == .json(example.expected))
        for seed: UInt64 in 0..<8 {
            var encoder = Encoder(seed: seed)
            let json = encoder.json(model)
            let xml = encoder.xml(model)
            let binary = encoder.binary(model)
            #expect(decode(json, type: ContentType.json) == .json(example.expected))
            #expect(decode(xml, type: ContentType.propertyList) == .json(example.expected))
            #expect(decode(binary, type: ContentType.propertyList) == .json(example.expected))
            #expect(decode(deflate(xml), type: ContentType.propertyList, compressed: true) == .json(example.expected))
            // Each is refused under every other content type.
            for (type, bytes) in [
                (ContentType.json, json), (ContentType.propertyList, xml), (ContentType.propertyList, binary),
            ] {
                for other: UInt8 in 0...3 where other != type {
                    let isRefused = decode(bytes, type: other).isError {
                        // White space before JSON or XML could begin either, or a flat TLV's or a structured one's type.
                        if case .contradictsContentType(other) = $0 { true } else { bytes[0] <= 0x20 }
                    }
                    #expect(isRefused)
                }
            }
        }
    }

    @Test func fourKilobytes() {
        let count = examples.first { $0.name == "4 KiB" }?.json.utf8.count
        #expect(count == 4096)
    }

    @Test func nullStaysWhereItCan() {
        let model = aps([("alert", .null)], [("a", .array([.null, .int(1)])), ("b", .null)])
        var encoder = Encoder(seed: 0)
        let whole = Outcome.json(#"{"a":[null,1],"aps":{"alert":null},"b":null}"#)
        #expect(decode(model.tlv, type: ContentType.structuredTLV) == whole)
        #expect(decode(encoder.json(model), type: ContentType.json) == whole)
        let plain = Outcome.json(#"{"a":[1],"aps":{}}"#)
        #expect(decode(encoder.binary(model), type: ContentType.propertyList) == plain)
        #expect(decode(encoder.xml(model.withoutNull), type: ContentType.propertyList) == plain)
    }

    @Test(arguments: [ContentType.json, ContentType.propertyList]) func inflatedSizes(type: UInt8) {
        let (start, end) =
            type == ContentType.json
            ? (#"{"a":""#, #""}"#) : ("<plist><dict><key>a</key><string>", "</string></dict></plist>")
        for size in [Limits.inflated - 1, Limits.inflated, Limits.inflated + 1] {
            let text = String(repeating: "x", count: size - start.utf8.count - end.utf8.count)
            let outcome = decode(deflate(array(start + text + end)), type: type, compressed: true)
            #expect(outcome == (size > Limits.inflated ? .error(.inflatesTooFar) : .json("{\"a\":\"\(text)\"}")))
        }
    }
}
