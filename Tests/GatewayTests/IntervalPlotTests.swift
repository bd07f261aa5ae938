import Bytes
import Foundation
import FoundationXML
import SGP
import Store
import Testing

@testable import Gateway

@Suite struct IntervalPlotTests {
    private static let start: Int64 = 1_790_000_000

    /// A network that was learned in an afternoon, and became worse a month later.
    private static let life: [IntervalEvent] = [
        event(120, 120, 1, 180), event(300, 180, 1, 270), event(600, 270, 1, 600), event(1_300, 600, 1, 810),
        event(2_200, 810, 2, 705), event(3_000, 705, 1, 705), event(2_600_000, 705, 3, 600),
        event(2_601_000, 705, 2, 420),
    ]

    private static func event(_ time: Int64, _ idle: Int64, _ outcome: Int64, _ interval: Int64) -> IntervalEvent {
        IntervalEvent(time: start + time, idle: idle, outcome: outcome, stage: 0, interval: interval)
    }

    private func plot(_ events: [IntervalEvent], title: String = "eth0, ethernet", now: Int64? = nil) throws
        -> IntervalPlot
    {
        try #require(IntervalPlot(title: title, events: events, now: now ?? Self.start + 2_700_000))
    }

    private func svg(_ plot: IntervalPlot) throws -> (text: String, document: XMLDocument) {
        var out = ByteBuffer(capacity: Limits.intervalPicture)
        plot.append(svgTo: &out)
        let overflowed = out.overflowed
        #expect(!overflowed)
        let data = Data(out.pointer)
        return (String(decoding: data, as: UTF8.self), try XMLDocument(data: data))
    }

    @Test func emptyHistoryIsNoPlot() {
        #expect(IntervalPlot(title: "x", events: [], now: 1) == nil)
    }

    // MARK: Axes

    @Test(
        arguments: [
            (0, 10, 1), (1, 10, 1), (60, 10, 6), (61, 20, 4), (120, 20, 6), (121, 30, 5), (705, 120, 6),
            (3_300, 600, 6),
            (3_600, 600, 6), (3_601, 900, 5), (86_400, 14_400, 6), (86_401, 28_800, 4), (1_000_000, 230_400, 5),
        ] as [(Int64, Int64, Int64)])
    func valueAxis(greatest: Int64, step: Int64, count: Int64) {
        let axis = ValueAxis(greatest: greatest)
        #expect(axis.step == step && axis.count == count)
        #expect(axis.top >= greatest)
    }

    @Test func quietTimesAreCut() {
        let axis = TimeAxis([0, 10, 20, 30, 1_000, 1_010])
        #expect(axis.cuts == [TimeAxis.Cut(index: 4, seconds: 970)])
        #expect(axis.positions == [0, 10, 20, 30, 60, 70])
        #expect(axis.step(4, of: 70) == 60 && axis.step(5, of: 70) == 70)
    }

    @Test func oddTimes() {
        #expect(TimeAxis([]).positions == [])
        #expect(TimeAxis([5]).positions == [0])
        #expect(TimeAxis([5]).step(0, of: 70) == 0)
        #expect(TimeAxis([5, 5]).step(1, of: 70) == 0)
        let back = TimeAxis([100, 50, 60])
        #expect(back.positions == [0, 0, 10] && back.cuts.isEmpty)
        let whole = TimeAxis([0, 253_402_300_799])
        #expect(whole.cuts.isEmpty && whole.step(1, of: 760) == 760)
    }

    // MARK: Text

    @Test func textFitsAndTells() throws {
        for glyphs in [IntervalPlot.Glyphs.unicode, .ascii] {
            let text = try plot(Self.life).text(glyphs)
            let lines = text.split(separator: "\n")
            #expect(lines.count <= 24)
            for line in lines { #expect(line.count <= 80, "\(line)") }
            for part in [
                "eth0, ethernet", "seconds of silence", "time, UTC", "not survived", "may be chance", "drawn short",
            ] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(text.contains(glyphs.failed) && text.contains(glyphs.survived) && text.contains(glyphs.doubted))
            #expect(text.contains(IntervalPlot.label(Self.start + 120)))
            #expect(text.contains(IntervalPlot.label(Self.start + 2_700_000)))
        }
        #expect(try plot(Self.life).text(.ascii).utf8.allSatisfy { $0 < 0x80 })
    }

    /// One survived silence of the greatest value is in the upper left corner, and the line at its interval.
    @Test func placesOfOneEvent() throws {
        let lines = try plot([Self.event(0, 60, 1, 30)], now: Self.start + 100).text(.ascii)
            .split(separator: "\n").map(String.init)
        #expect(lines[2] == "     60+o")
        let half = try #require(lines.first { $0.hasPrefix("     30+") })
        #expect(half == "     30+" + String(repeating: "-", count: 70))
    }

    @Test func eachMarkHasItsCharacter() throws {
        for (outcome, character) in [(1, "●"), (2, "✕"), (3, "△"), (4, "○")] as [(Int64, String)] {
            let text = try plot([Self.event(0, 60, outcome, 30)]).text(.unicode)
            #expect(text.contains(character))
            for other in ["●", "✕", "△", "○"] where other != character { #expect(!text.contains(other)) }
        }
        // What no version of ours wrote is left out.
        let odd = try plot([Self.event(0, 60, 99, 30)]).text(.unicode)
        #expect(!odd.contains("●") && odd.contains("─"))
    }

    // MARK: SVG

    @Test func svgIsWellFormedAndAccessible() throws {
        let (text, document) = try svg(plot(Self.life))
        let root = try #require(document.rootElement())
        #expect(root.name == "svg" && text.contains(" role=\"img\" aria-labelledby=\"title desc\" "))
        #expect(root.elements(forName: "title").first?.stringValue == "Keep-alive history: eth0, ethernet")
        let description = try #require(root.elements(forName: "desc").first?.stringValue)
        for part in [
            "5 silences survived;", "2 silences not survived;", "1 silence not survived, may be chance;", "420 seconds",
        ] {
            #expect(description.contains(part), "\(part)")
        }
        for part in [
            "silence (s)", "time (UTC)", "class=\"survived\"", "class=\"failed\"", "class=\"tried\"", "class=\"cut\"",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        // Nothing from elsewhere: the only address is the name space.
        #expect(text.components(separatedBy: "http").count == 2 && !text.contains("href") && !text.contains("url("))
    }

    @Test func hostileTitle() throws {
        let (_, document) = try svg(plot(Self.life, title: "<script>&\"'\u{FFFE}]]>"))
        #expect(
            document.rootElement()?.elements(forName: "title").first?.stringValue
                == "Keep-alive history: <script>&\"'\u{FFFD}]]>")
        #expect(document.rootElement()?.elements(forName: "script").isEmpty == true)
    }

    /// The longest history of the greatest numbers fits.
    @Test func extremes() throws {
        let events = (0..<Limits.intervalEvents).map { index in
            IntervalEvent(
                time: index % 2 == 0 ? 253_402_300_799 : 0, idle: Limits.intervalSeconds, outcome: 3, stage: 9,
                interval: index % 3 == 0 ? 0 : Limits.intervalSeconds)
        }
        for now in [Int64.min, 0, 253_402_300_799] {
            let plot = try plot(events, title: String(repeating: "&", count: 100), now: now)
            _ = try svg(plot)
            for line in plot.text(.unicode).split(separator: "\n").dropFirst() { #expect(line.count <= 80) }
        }
    }

    @Test func everyPlaceIsInside() throws {
        let (text, _) = try svg(plot(Self.life))
        var rest = Substring(text)
        var found = 0
        while let range = rest.range(of: "cx=\"") {
            rest = rest[range.upperBound...]
            let x = try #require(Int64(rest.prefix { $0 != "\"" }))
            #expect(x >= 80 && x <= 840)
            found += 1
        }
        // Five survived, and two of the legend.
        #expect(found == 7)
    }
}
