import Bytes
import Payload
import Testing

@testable import Relay

/// Ten minutes to the second, both ways: what is older or from further ahead is outdated and makes no sound.
@Suite struct StalenessTests {
    /// 2026-11-30T00:44:00Z
    private static let now: Int64 = 1_795_999_440

    /// How old it is when the clock shows the stamp's time and so many seconds more.
    private static let ages: [(Int64, Bool)] = [
        (0, false), (599, false), (600, false), (601, true), (86_400, true), (-599, false), (-600, false),
        (-601, true), (-86_400, true),
    ]

    private func render(
        _ json: String,
        _ body: (borrowing Document, inout AlertRenderer, inout Document) throws(PayloadError) -> Rendered?
    ) throws -> (isStale: Bool, hasSound: Bool, isPassive: Bool) {
        guard var decoder = DocumentDecoder() else { fatalError("no decoder") }
        var plain = Document()
        var output = Document()
        var renderer = AlertRenderer()
        let bytes = Array(json.utf8)
        try decoder.decode(contentType: ContentType.json, data: bytes.span.bytes, into: &plain)
        let rendered = try #require(try body(plain, &renderer, &output))
        let view = NotificationView(output)
        return (rendered.isStale, view.sound != nil, view.interruption == .passive)
    }

    @Test(arguments: ages) func alerts(age: Int64, isStale: Bool) throws {
        let json = #"{"v":1,"kind":"test","ts":"2026-11-30T00:44:00+00:00"}"#
        let shown = try render(json) { (plain, renderer, output) throws(PayloadError) in
            try renderer.alert(plain, urgency: .timeSensitive, now: Self.now + age, into: &output)
        }
        #expect(shown == (isStale, !isStale, isStale))
    }

    @Test(arguments: ages) func notes(age: Int64, isStale: Bool) throws {
        let members = ["host", "session", "workspace", "tab", "pane", "agent", "state"].map { #""\#($0)":"x","# }
            .joined()
        let shown = try render(#"{"v":1,\#(members)"time":"2026-11-30T00:44:00Z"}"#) {
            (plain, renderer, output) throws(PayloadError) in
            try renderer.note(plain, daemon: 1, now: Self.now + age, into: &output)
        }
        #expect(shown == (isStale, !isStale, isStale))
    }

    /// What does not say when it was sent is outdated, whatever the clock is.
    @Test(arguments: ["", #","ts":null"#, #","ts":"yesterday""#, #","ts":1795999440"#], [now, nil])
    func withoutATime(member: String, now: Int64?) throws {
        let shown = try render(#"{"v":1,"kind":"test"\#(member)}"#) { (plain, renderer, output) throws(PayloadError) in
            try renderer.alert(plain, urgency: .timeSensitive, now: now, into: &output)
        }
        #expect(shown == (true, false, true))
    }
}
