import Bytes
import SGP
import Store

/// What the history of one network says of its interval. Times are Unix seconds.
struct IntervalEvidence: Equatable, Sendable {
    /// When the proven silence was survived; nil where the history does not reach back so far.
    var provenAt: Int64?
    /// When the shortest silence that was not survived failed last, and how often in a row it did.
    var refutedAt: Int64?
    var refutations = 0
    /// Events in the history.
    var count = 0

    /// Takes the next event, oldest first. `proven` and `refuted` are what has come of all of them.
    mutating func add(_ event: IntervalEvent, proven: Int64, refuted: Int64?) {
        count += 1
        switch event.change {
        case .proven, .confirmed:
            // A silence may be measured as longer than it was asked for.
            if proven > 0, event.idle >= proven { provenAt = event.time }
            if let refuted, event.idle >= refuted { refutations = 0 }
        case .refuted, .doubted:
            guard let refuted, event.idle >= refuted, event.idle < refuted + Self.lateness else { return }
            refutations += 1
            refutedAt = event.time
        case nil: return
        }
    }

    private static let lateness: Int64 = 60

    /// Reads it; allocates nothing.
    static func read(
        _ store: Store, network: Int64, proven: Int64, refuted: Int64?
    ) throws(StoreError) -> IntervalEvidence {
        var evidence = IntervalEvidence()
        try store.intervalEvents(network: network) { event in
            evidence.add(event, proven: proven, refuted: refuted)
            return true
        }
        return evidence
    }
}

extension IntervalEvent {
    /// Nil for a number that no version of ours wrote.
    var change: KeepAlive.Change? { UInt8(exactly: outcome).flatMap { KeepAlive.Change(rawValue: $0) } }
}
