import Bytes
import SGP

/// What the learner holds of one network and what it means to do next, in seconds: what `status` and `keepalive show`
/// explain.
struct IntervalState: Equatable, Sendable {
    /// A longer silence that is to be tried.
    struct Probe: Equatable, Sendable {
        var interval: Int64
        /// Unix seconds; nil where it is being tried now.
        var due: Int64?
    }

    /// Which connection longer silences are tried on.
    enum Place: UInt8, Sendable {
        case live, second
        /// The live one, since the server took no second one.
        case refused
    }

    var stage: KeepAlive.Stage
    var interval: Int64
    /// 0 for none.
    var proven: Int64
    var refuted: Int64?
    /// A proven silence got no answer once.
    var isDoubted: Bool
    var minimum: Int64
    var maximum: Int64
    var probe: Probe?
    /// By the configuration: nothing is learned.
    var isFixed = false
    var place = Place.live
}

extension IntervalState {
    /// `now` is milliseconds of the learner's clock, `unixTime` the same moment in Unix seconds.
    init(_ learner: KeepAlive, now: Int64, unixTime: Int64) {
        stage = learner.stage
        interval = learner.interval / 1_000
        proven = learner.proven / 1_000
        refuted = learner.refuted.map { $0 / 1_000 }
        isDoubted = learner.strikes > 0
        minimum = learner.minimum / 1_000
        maximum = learner.maximum / 1_000
        isFixed = learner.isFixed
        place = learner.probesApart ? .second : .live
        if isFixed { return }
        if let due = learner.nextLook {
            // What it will decide then, it knows best itself.
            var later = learner
            _ = later.survived(later.interval, now: due)
            let longer = later.candidate ?? later.interval
            probe = Probe(interval: longer / 1_000, due: unixTime + max(due - now, 0) / 1_000)
        } else if let candidate = learner.candidate {
            probe = Probe(interval: candidate / 1_000, due: nil)
        } else if !isDoubted, learner.interval > learner.proven {
            // The lowest interval there is: only the live connection itself can be asked so often.
            probe = Probe(interval: interval, due: nil)
            place = .live
        }
    }

    /// The search is over, and what is tried next is only to see whether the network has become better.
    func isBelieved(below probe: Probe) -> Bool { refuted.map { probe.interval > $0 + 1 } ?? false }

    // MARK: On the control socket

    /// Words between spaces, `-` for none.
    func append(to out: inout ByteBuffer) {
        let values: [Int64?] = [
            Int64(stage.rawValue), interval, proven, refuted, isDoubted ? 1 : 0, minimum, maximum, probe?.interval,
            probe?.due, Int64(place.rawValue), isFixed ? 1 : 0,
        ]
        for (index, value) in values.enumerated() {
            if index > 0 { out.append(" ") }
            if let value { out.append(decimal: value) } else { out.append("-") }
        }
    }

    /// Nil unless `append` wrote them.
    init?(_ words: ArraySlice<String>) {
        guard words.count == 11 else { return nil }
        var values: [Int64?] = []
        for word in words {
            let value = Int64(word)
            guard value != nil || word == "-" else { return nil }
            values.append(value)
        }
        guard let number = values[0], let raw = UInt8(exactly: number), let stage = KeepAlive.Stage(rawValue: raw),
            let last = values[9], let rawPlace = UInt8(exactly: last), let place = Place(rawValue: rawPlace),
            let interval = values[1], let proven = values[2], let doubt = values[4], let minimum = values[5],
            let maximum = values[6], let fixed = values[10]
        else { return nil }
        self.init(
            stage: stage, interval: interval, proven: proven, refuted: values[3], isDoubted: doubt != 0,
            minimum: minimum, maximum: maximum,
            probe: values[7].map { Probe(interval: $0, due: values[8]) }, isFixed: fixed != 0, place: place)
    }
}
