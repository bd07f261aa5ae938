import Bytes
import Payload
import Testing

/// The parts of a view as values.
private struct Parts: Equatable {
    var title: String?
    var subtitle: String?
    var body: String?
    var sound: String?
    var badge: Int64?
    var category: String?
    var thread: String?
    var title2: Localized?
    var subtitle2: Localized?
    var body2: Localized?
    var isCritical = false
    var volume: Double?
    var level: InterruptionLevel?
    var relevance: Double?
    var isAvailable = false
}

private struct Localized: Equatable {
    var key: String
    /// nil for an argument that is no string.
    var arguments: [String?] = []
}

private func localized(_ text: borrowing LocalizedText?, _ document: borrowing Document) -> Localized? {
    guard let text = copy text else { return nil }
    var result = Localized(key: String(decoding: array(text.key), as: UTF8.self))
    var next = text.arguments.flatMap { document.firstChild($0) }
    while let argument = next {
        result.arguments.append(PayloadTests.text(document.string(argument)))
        next = document.next(argument)
    }
    return result
}

private func parts(_ aps: Model) throws -> Parts {
    var decoder = DocumentDecoder()!
    var document = Document()
    try decoder.decode(
        contentType: 3, data: Model.map([("aps", aps), ("title", .string("no"))]).tlv.span.bytes, into: &document)
    let view = NotificationView(document)
    return Parts(
        title: text(view.title), subtitle: text(view.subtitle), body: text(view.body), sound: text(view.sound),
        badge: view.badge, category: text(view.category), thread: text(view.thread),
        title2: localized(view.localizedTitle, document), subtitle2: localized(view.localizedSubtitle, document),
        body2: localized(view.localizedBody, document), isCritical: view.isSoundCritical, volume: view.volume,
        level: view.interruption, relevance: view.relevance, isAvailable: view.isContentAvailable)
}

@Suite struct NotificationViewTests {
    @Test func everything() throws {
        let aps = Model.map([
            (
                "alert",
                .map([("title", .string("T")), ("subtitle", .string("S")), ("body", .string("B"))])
            ),
            ("sound", .string("bell")), ("badge", .int(3)), ("category", .string("C")), ("thread-id", .string("X")),
        ])
        let expected = Parts(
            title: "T", subtitle: "S", body: "B", sound: "bell", badge: 3, category: "C", thread: "X")
        #expect(try parts(aps) == expected)
    }

    @Test func shortForms() throws {
        #expect(try parts(.map([("alert", .string("B"))])) == Parts(body: "B"))
        #expect(
            try parts(.map([("sound", .map([("name", .string("n")), ("volume", .int(1))]))]))
                == Parts(sound: "n", volume: 1))
        #expect(try parts(.map([])) == Parts())
        #expect(try parts(.null) == Parts())
        #expect(try parts(.map([("alert", .map([]))])) == Parts())
        #expect(try parts(.map([("alert", .string(""))])) == Parts(body: ""))
    }

    @Test func wrongKindsCountAsAbsent() throws {
        let aps = Model.map([
            ("alert", .map([("title", .int(1)), ("body", .array([.string("x")])), ("subtitle", .null)])),
            ("sound", .map([("name", .bool(true))])), ("badge", .string("3")), ("category", .data([65])),
            ("thread-id", .double(1)),
        ])
        #expect(try parts(aps) == Parts())
        #expect(try parts(.array([.string("x")])) == Parts())
    }

    @Test(
        arguments: [
            (Model.double(3), 3), (.double(-0.5), 0), (.double(2.9), 2), (.double(-2.9), -2), (.int(.min), .min),
            (.double(-0x1p63), .min), (.double(0x1p63), nil), (.double(1e300), nil), (.bool(true), nil), (.null, nil),
        ] as [(Model, Int64?)]) func badges(value: Model, expected: Int64?) throws
    {
        #expect(try parts(.map([("badge", value)])) == Parts(badge: expected))
    }

    @Test func localizedTexts() throws {
        let alert = Model.map([
            ("title-loc-key", .string("TITLE")), ("title-loc-args", .array([.string("a"), .int(1), .string("")])),
            ("subtitle-loc-key", .string("SUBTITLE")), ("subtitle-loc-args", .string("no array")),
            ("loc-key", .string("BODY")), ("loc-args", .array([])), ("title", .string("T")),
        ])
        let expected = Parts(
            title: "T", title2: Localized(key: "TITLE", arguments: ["a", nil, ""]),
            subtitle2: Localized(key: "SUBTITLE"),
            body2: Localized(key: "BODY"))
        #expect(try parts(.map([("alert", alert)])) == expected)
        // Arguments without a key, and keys that are no strings.
        let wrong = Model.map([
            ("loc-args", .array([.string("a")])), ("title-loc-key", .int(1)), ("subtitle-loc-key", .null),
        ])
        #expect(try parts(.map([("alert", wrong)])) == Parts())
        #expect(try parts(.map([("loc-key", .string("not within alert"))])) == Parts())
    }

    @Test(
        arguments: [
            (Model.int(1), true), (.double(1), true), (.bool(true), true), (.int(0), false), (.int(2), false),
            (.bool(false), false),
            (.string("1"), false), (.null, false), (.array([]), false), (.double(1.5), false),
        ] as [(Model, Bool)]) func flags(value: Model, expected: Bool) throws
    {
        #expect(try parts(.map([("content-available", value)])) == Parts(isAvailable: expected))
        let sound = Model.map([("critical", value), ("name", .string("n"))])
        #expect(try parts(.map([("sound", sound)])) == Parts(sound: "n", isCritical: expected))
    }

    @Test(
        arguments: [
            (Model.double(0.5), 0.5), (.int(1), 1), (.int(0), 0), (.double(-1), 0), (.double(1e300), 1),
            (.int(.max), 1), (.string("1"), nil),
            (.bool(true), nil), (.null, nil),
        ] as [(Model, Double?)]) func volumes(value: Model, expected: Double?) throws
    {
        #expect(try parts(.map([("sound", .map([("volume", value)]))])) == Parts(volume: expected))
    }

    @Test(
        arguments: [
            ("passive", .passive), ("active", .active), ("time-sensitive", .timeSensitive), ("critical", .critical),
            ("", nil),
            ("Passive", nil), ("critical ", nil),
        ] as [(String, InterruptionLevel?)]) func interruptionLevels(word: String, expected: InterruptionLevel?) throws
    {
        #expect(try parts(.map([("interruption-level", .string(word))])) == Parts(level: expected))
        #expect(try parts(.map([("interruption-level", .int(1))])) == Parts())
    }

    @Test func relevance() throws {
        #expect(try parts(.map([("relevance-score", .double(0.25))])) == Parts(relevance: 0.25))
        #expect(try parts(.map([("relevance-score", .int(1))])) == Parts(relevance: 1))
        #expect(try parts(.map([("relevance-score", .string("1"))])) == Parts())
    }

    @Test(
        arguments: [
            (#"{"aps":{"content-available":1}}"#, true), (#"{"x":1}"#, true),
            (#"{"aps":{"sound":{"critical":1}}}"#, true),
            (#"{"aps":{"alert":""}}"#, false), (#"{"aps":{"badge":0}}"#, false), (#"{"aps":{"sound":"x"}}"#, false),
            (#"{"aps":{"alert":{"loc-key":"x"}}}"#, false), (#"{"aps":{"alert":{"title":"x"}}}"#, false),
            (#"{"aps":{"alert":{"subtitle-loc-key":"x"}}}"#, false), (#"{"aps":{"alert":{"loc-args":[]}}}"#, true),
        ]) func silence(json: String, expected: Bool) throws
    {
        var decoder = DocumentDecoder()!
        var document = Document()
        try decoder.decode(contentType: ContentType.json, data: array(json).span.bytes, into: &document)
        let view = NotificationView(document)
        let isSilent = view.isSilent
        #expect(isSilent == expected)
    }
}
