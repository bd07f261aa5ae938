import Bytes
import SGP
import Store

/// What is learned about silence, kept for each network (SGP v2 §8).
extension Uplink {
    /// What was learned of a network is forgotten, of all without an identifier: the interval in use with it. False if
    /// there was nothing. Not on the notification path.
    func forgetNetwork(_ id: Int64?, now: Int64, unixTime: Int64) throws(StoreError) -> Bool {
        let own = try store.networkID(name: network.name.bytes, kind: exchange.kind, key: network.key.bytes)
        let existed: Bool
        if let id { existed = try store.forgetNetwork(id) } else { existed = try store.forgetNetworks(name: nil) > 0 }
        guard id == nil || id == own else { return existed }
        _ = exchange.session.takeEvidence()
        exchange.useNetwork(network, self, now: now, unixTime: unixTime)
        wantsTurn = true
        return existed
    }

    func learned(_ evidence: KeepAliveEvidence, time: Int64) {
        let event = IntervalEvent(evidence, at: time)
        log.info(
            .keepalive,
            "a silence of \(event.idle) s \(evidence.change.words); next \(event.interval) s, \(evidence.stage.name)")
    }
}

extension KeepAlive.Change {
    /// Completes "a silence of N s …".
    var words: String {
        switch self {
        case .proven: "was survived"
        case .refuted: "was not survived"
        case .doubted: "was not survived, which may be chance"
        case .confirmed: "was survived again"
        }
    }
}

extension KeepAlive {
    /// Comes back to a network that something is known of; with `unixTime` 0, as if it had been learned just now.
    package mutating func restore(_ known: LearnedInterval, now: Int64, unixTime: Int64) {
        restore(
            proven: known.proven * 1_000, refuted: known.refuted.map { $0 * 1_000 }, failures: Int(known.failures),
            patience: known.patience * 1_000, age: unixTime > 0 ? max(unixTime - known.changed, 0) * 1_000 : 0,
            now: now)
    }
}

extension LearnedInterval {
    /// What the learner holds, as it is stored: seconds. `time` is corrected Unix seconds.
    package init(_ keepAlive: KeepAlive, at time: Int64) {
        self.init(
            proven: keepAlive.proven / 1_000, refuted: keepAlive.refuted.map { $0 / 1_000 }, changed: time,
            failures: Int64(keepAlive.failures), patience: keepAlive.patience / 1_000)
    }
}

extension IntervalEvent {
    /// A line of the history, as it is stored: seconds. `time` is corrected Unix seconds.
    package init(_ evidence: KeepAliveEvidence, at time: Int64) {
        self.init(
            time: time, idle: evidence.idle / 1_000, outcome: Int64(evidence.change.rawValue),
            stage: Int64(evidence.stage.rawValue), interval: evidence.interval / 1_000)
    }
}
