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
}

private func parts(_ aps: Model) throws -> Parts {
    var decoder = DocumentDecoder()!
    var document = Document()
    try decoder.decode(
        contentType: 3, data: Model.map([("aps", aps), ("title", .string("no"))]).tlv.span.bytes, into: &document)
    let view = NotificationView(document)
    return Parts(
        title: text(view.title), subtitle: text(view.subtitle), body: text(view.body), sound: text(view.sound),
        badge: view.badge, category: text(view.category), thread: text(view.thread))
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
        #expect(try parts(.map([("sound", .map([("name", .string("n")), ("volume", .int(1))]))])) == Parts(sound: "n"))
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
}
