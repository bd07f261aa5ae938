import Bytes
import Loop
import SGP

/// Longer silences than were proven, tried on a second connection if the configuration says so (SGP v2 §8).
struct Probing {
    let prober: Prober
    /// Probes in a row that the server refused.
    var refusals = 0
    /// When the next one begins.
    var due: Int64 = 0

    init(context: TLSContext) { prober = Prober(context: context) }

    mutating func liveEnded(_ end: EndClass, now: Int64) {
        if end == .planned { prober.stop() } else { putOff(now: now) }
    }

    /// Changes of the network and failures may come often, and then a probe must not begin upon each.
    mutating func putOff(now: Int64) {
        prober.stop()
        due = max(due, now + Limits.apartPause)
    }
}

extension Uplink {
    /// Nothing is tried while there is no live connection to compare with.
    private var candidate: Int64? {
        guard exchange.session.phase == .authenticated, !isClosing, exchange.probeDue == .max else { return nil }
        return exchange.session.keepAlive.candidate
    }

    /// The server took no second connection, so what is longer is tried on the live one.
    var isProbeRefused: Bool { settings.keepAlive.probesApart && !exchange.session.keepAlive.probesApart }

    /// When `probe` must be called.
    var probingDeadline: Int64 {
        guard let probing, candidate != nil else { return .max }
        return probing.prober.isIdle ? probing.due : probing.prober.deadline
    }

    /// After everything else has been done in a turn of the loop.
    func probe(now: Int64) {
        guard let prober = probing?.prober else { return }
        guard let candidate, prober.isIdle || prober.silence == candidate else { return prober.stop() }
        if prober.isIdle { beginProbe(candidate, now: now) }
        let outcome = prober.advance(frames: exchange.session.framesReceived, now: now)
        if prober.takeQuestion(frames: exchange.session.framesReceived) {
            exchange.session.ping(now: now)
            wantsTurn = true
        }
        if let outcome { took(outcome, of: candidate, now: now) }
    }

    private func beginProbe(_ candidate: Int64, now: Int64) {
        guard let probing, now >= probing.due else { return }
        guard let target, let own = SocketAddress(ownEndOf: stream.raw) else {
            self.probing?.due = now + Limits.apartPause
            return
        }
        log.debug(.keepalive, "trying a silence of \(candidate / 1_000) s on a second connection")
        probing.prober.begin(
            candidate, to: target, from: own.bytes, pongTimeout: exchange.session.keepAlive.pongTimeout, now: now)
    }

    private func took(_ outcome: Prober.Outcome, of silence: Int64, now: Int64) {
        probing?.due = now
        wantsTurn = true
        switch outcome {
        case .survived, .dead:
            probing?.refusals = 0
            exchange.session.probed(silence, isAlive: outcome == .survived, now: now)
            exchange.keepEvidence(self, now: now)
        case .unknown:
            probing?.due = now + Limits.apartPause
            log.info(.keepalive, "a silence of \(silence / 1_000) s on a second connection told nothing")
        case .refused(let reason): refused(reason, silence, now: now)
        }
    }

    /// The live connection is not kept at a short interval for the sake of a server that takes no second one.
    private func refused(_ reason: EndReason, _ silence: Int64, now: Int64) {
        text.removeAll()
        text.append(reason)
        log.notice(.keepalive, "no second connection for a silence of \(silence / 1_000) s: \(printable: text.pointer)")
        let refusals = (probing?.refusals ?? 0) + 1
        guard refusals >= Limits.apartRefusals else {
            probing?.refusals = refusals
            probing?.due = now + Limits.apartPause
            return
        }
        probing?.refusals = 0
        exchange.session.keepAlive.probesApart = false
        log.notice(.keepalive, "longer silences are tried on the connection itself from now on")
    }
}
