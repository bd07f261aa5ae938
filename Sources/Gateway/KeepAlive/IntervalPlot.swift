import Bytes
import SGP
import Store

/// What a plot of one network's history shows: the silences that were tried, what came of them, and the interval from one to
/// the next.
struct IntervalPlot {
    /// The network in words.
    let title: String
    /// Oldest first, at least one.
    let events: [IntervalEvent]
    let time: TimeAxis
    let value: ValueAxis
    /// The moment at the right end.
    let end: Int64

    /// Nil for an empty history. `now` is Unix seconds.
    init?(title: String, events: [IntervalEvent], now: Int64) {
        guard let last = events.last else { return nil }
        self.title = title
        self.events = events
        end = max(now, last.time)
        var times: [Int64] = []
        var greatest: Int64 = 0
        for event in events {
            times.append(event.time)
            greatest = max(greatest, event.idle, event.interval)
        }
        time = TimeAxis(times + [end])
        value = ValueAxis(greatest: greatest)
    }

    /// The time of an event, or of the right end behind them.
    func moment(_ index: Int) -> Int64 { index < events.count ? events[index].time : end }

    /// What a mark stands for.
    enum Mark: UInt8, CaseIterable {
        case survived, again, doubted, failed

        var words: String {
            switch self {
            case .survived: "survived"
            case .again: "survived again"
            case .doubted: "not survived, may be chance"
            case .failed: "not survived"
            }
        }
    }

    /// Nil for an event of an unknown kind.
    static func mark(_ event: IntervalEvent) -> Mark? {
        switch event.change {
        case .proven: .survived
        case .confirmed: .again
        case .doubted: .doubted
        case .refuted: .failed
        case nil: nil
        }
    }

    /// How many events have this mark.
    func count(_ mark: Mark) -> Int {
        var count = 0
        for event in events where Self.mark(event) == mark { count += 1 }
        return count
    }

    /// The moments that get a label: both ends, and what follows a quiet time that was cut.
    var labelled: [Int] {
        var indices = [0, events.count]
        for cut in time.cuts where cut.index < events.count { indices.append(cut.index) }
        return indices
    }

    /// `2026-11-30 12:00`.
    static func label(_ seconds: Int64) -> String {
        var out = ByteBuffer(capacity: 32)
        out.append(date: seconds)
        let bytes = Array(out.pointer)
        return String(decoding: bytes[..<10] + [UInt8(ascii: " ")] + bytes[11..<16], as: UTF8.self)
    }
}
