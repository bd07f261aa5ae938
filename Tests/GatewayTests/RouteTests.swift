import Bytes
import Panel
import Payload
import Testing

@testable import Gateway

private func table(_ text: String) throws -> Routing { Routing(try parsed(text).routes) }

private func decide(
    _ routes: Routing, _ bundle: String, _ json: String, time: Int64 = 1_764_500_000
) throws -> Decision {
    let bundle = Array(bundle.utf8)
    return try withDocument(json) { document in
        routes.decide(
            bundle: bundle.span.bytes, document, Appearance(NotificationView(document)), time: time)
    }
}

@Suite struct RouteTests {
    @Test func withoutRoutesTheDefaults() throws {
        let none = Routing([])
        #expect(try decide(none, "a", #"{"aps":{"alert":"x","sound":"s"}}"#) == Decision(light: .solid, beeps: 1))
        #expect(try decide(none, "a", #"{"aps":{"alert":"x"}}"#) == Decision(light: .solid, beeps: 0))
        #expect(try decide(none, "a", #"{"k":1}"#) == Decision(light: .solid, beeps: 0))
        #expect(
            try decide(none, "a", #"{"aps":{"alert":"x","sound":"s","interruption-level":"passive"}}"#)
                == Decision(light: .solid, beeps: 0))
        #expect(try decide(none, "a", #"{"aps":{"content-available":1},"k":1}"#) == Decision(light: .off, beeps: 0))
        #expect(
            try decide(none, "a", #"{"aps":{"content-available":1,"alert":"x"}}"#) == Decision(light: .solid, beeps: 0))
    }

    @Test func theFirstThatMatchesWins() throws {
        let routes = try table(
            """
            [route fire]
            bundle = org.example.*
            when = kind == fire
            light = fast
            beep = 5
            [route door]
            bundle = org.example.door
            light = slow
            [route example]
            bundle = org.example.*
            light = pulse
            beep = 0
            [route late]
            bundle = org.example.door
            light = double
            """)
        let plain = #"{"aps":{"alert":"x","sound":"s"}}"#
        let fire = #"{"aps":{"alert":"x","sound":"s"},"kind":"fire"}"#
        #expect(try decide(routes, "org.example.door", plain) == Decision(route: 1, light: .slow, beeps: 1))
        #expect(try decide(routes, "org.example.door", fire) == Decision(route: 0, light: .fast, beeps: 5))
        #expect(try decide(routes, "org.example.bell", plain) == Decision(route: 2, light: .pulse, beeps: 0))
        #expect(try decide(routes, "org.other", fire) == Decision(light: .solid, beeps: 1))
        #expect(routes.name(1) == Array("door".utf8) && routes.name(nil) == [])
    }

    @Test func severalWhenLinesMustAllHold() throws {
        let routes = try table("[route r]\nbundle = *\nwhen = a == 1 and b == 2\nlight = fast\nwhen = c == 3")
        #expect(try decide(routes, "x", #"{"a":1,"b":2,"c":3}"#).route == 0)
        #expect(try decide(routes, "x", #"{"a":1,"b":2}"#).route == nil)
        #expect(try decide(routes, "x", #"{"b":2,"c":3}"#).route == nil)
        let eight = Array(repeating: "when = a == 1 and b == 2\n", count: 4).joined()
        #expect(faults("[route r]\nbundle = *\n" + eight) == [])
        #expect(
            faults("[route r]\nbundle = *\n" + eight + "when = c exists")
                == ["f:7: `when`: more than 8 conditions in this route"])
    }

    /// `beep` is the owner's word: it counts with or without a sound of the sender's.
    @Test(
        arguments: [
            ("", "active", false, 0), ("", "active", true, 1), ("beep = 3", "active", false, 3),
            ("beep = 3", "passive", true, 0), ("beep = 3", "critical", false, 3), ("beep = 0", "critical", true, 0),
            ("quiet = 00:00-23:59", "active", true, 0), ("quiet = 00:00-23:59", "time-sensitive", true, 1),
            ("quiet = 00:00-23:59", "critical", true, 1), ("quiet = 00:00-23:59\nbeep = 2", "active", true, 0),
            ("quiet = 00:00-23:59\nbeep = 2", "time-sensitive", false, 2),
            ("quiet = 00:00-23:59\nbeep = 2", "passive", true, 0), ("quiet = 00:00-23:59", "unheard-of", true, 0),
        ])
    func beeps(keys: String, level: String, hasSound: Bool, expected: Int) throws {
        let routes = try table("[route r]\nbundle = *\nlight = slow\n\(keys)")
        let sound = hasSound ? #","sound":"s""# : ""
        let json = #"{"aps":{"alert":"x","interruption-level":"\#(level)"\#(sound)}}"#
        // Noon in Greenwich, so never the last minute of a day in a zone of whole hours.
        #expect(try decide(routes, "a", json, time: 1_764_504_000) == Decision(route: 0, light: .slow, beeps: expected))
    }

    @Test func aCriticalSoundIsCritical() throws {
        let routes = try table("[route r]\nbundle = *\nquiet = 00:00-23:59")
        let json = #"{"aps":{"alert":"x","sound":{"critical":1,"name":"s"}}}"#
        #expect(try decide(routes, "a", json, time: 1_764_504_000).beeps == 1)
        let passive = #"{"aps":{"alert":"x","interruption-level":"passive","sound":{"critical":1,"name":"s"}}}"#
        #expect(try decide(routes, "a", passive, time: 1_764_504_000).beeps == 0)
    }

    @Test func muteIsSilentAndDark() throws {
        let routes = try table("[route r]\nbundle = *\nlight = fast\nbeep = 2\nmute = yes")
        let json = #"{"aps":{"alert":"x","sound":"s","interruption-level":"critical"}}"#
        #expect(try decide(routes, "a", json) == Decision(route: 0, light: .off, beeps: 0, isMuted: true))
    }

    @Test func aBackgroundNotificationIsDark() throws {
        let routes = try table("[route r]\nbundle = *\nlight = fast\nbeep = 2")
        #expect(
            try decide(routes, "a", #"{"aps":{"content-available":1}}"#) == Decision(route: 0, light: .off, beeps: 0))
    }

    @Test func theMostUrgentLightIsShown() {
        func shown(_ patterns: LightPattern...) -> LightPattern {
            Lights.message(unread: LightSet(patterns.reduce(0) { $0 | 1 << UInt64($1.rawValue) }))
        }
        #expect(shown() == .off)
        for pattern in LightPattern.allCases { #expect(shown(pattern) == pattern) }
        #expect(shown(.off, .pulse) == .pulse)
        #expect(shown(.pulse, .solid) == .solid)
        #expect(shown(.solid, .slow) == .slow)
        #expect(shown(.slow, .double) == .double)
        #expect(shown(.double, .fast) == .fast)
        #expect(shown(.off, .solid, .slow, .fast, .double, .pulse) == .fast)
        #expect(Lights.urgency.count == LightPattern.allCases.count)
    }

    @Test(
        arguments: [
            (#"{"collapse-id":"x"}"#, "x", false), (#"{"aps":{"collapse-id":"x"}}"#, "x", false),
            (#"{"collapse-id":"x","aps":{"collapse-id":"y"}}"#, "x", false), (#"{"collapse-id":true}"#, nil, true),
            (#"{"aps":{"collapse-id":true}}"#, nil, true), (#"{"collapse-id":false}"#, nil, false),
            (#"{"collapse-id":""}"#, nil, false), (#"{"collapse-id":7}"#, nil, false),
            (#"{"aps":{"thread-id":"t"}}"#, nil, false),
            ("{\"collapse-id\":\"\(String(repeating: "c", count: 64))\"}", String(repeating: "c", count: 64), false),
            ("{\"collapse-id\":\"\(String(repeating: "c", count: 65))\"}", nil, false),
        ])
    func collapse(json: String, identifier: String?, byThread: Bool) throws {
        try withDocument(json) { document in
            let collapse = Collapse(document)
            var text: String?
            if let span = collapse.identifier {
                text = String(decoding: (0..<span.byteCount).map { span[$0] }, as: UTF8.self)
            }
            #expect(text == identifier)
            #expect(collapse.byThread == byThread)
        }
    }
}
