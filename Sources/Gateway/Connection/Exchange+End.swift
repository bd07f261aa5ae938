import Bytes
import SGP
import Store

/// How a connection ends, and what follows from it (SGP v2 §9).
extension Exchange {
    /// How long the server may take to answer a goodbye.
    private static let closingTime: Int64 = 1_000
    private static let closingReads = 64

    /// Ends a connection that is alive: C_DISCONNECT, then the end of our half. Only when the server ends its half too has
    /// it read every acknowledgement. False if there is no such connection.
    package func leave<Owner: ExchangeOwner>(_ reason: EndReason, _ owner: Owner, now: Int64) -> Bool {
        guard closing == nil, owner.openStream != nil else { return false }
        owner.leaves()
        session.sayGoodbye()
        closing = Closing(reason: reason, until: now + Self.closingTime)
        link.reached(reason == .stopped ? .stopping : .connecting, now: now)
        advanceClosing(owner, now: now)
        return true
    }

    /// Goes on with a goodbye.
    package func advanceClosing<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) {
        guard let ending = closing, let stream = owner.openStream else { return }
        if !ending.isHalfClosed {
            if flush(owner, now: now).end != nil { return finish(ending.reason, owner, now: now) }
            if !session.hasFrames {
                stream.finishSending()
                closing?.isHalfClosed = true
            }
        }
        // What still comes is not acknowledged, so the server sends it again.
        for _ in 0..<Self.closingReads {
            switch stream.receive(into: discarded.tail) {
            case .done: continue
            case .blocked: break
            case .failed(let error):
                if error == .closed, closing?.isHalfClosed == true { acks.allRead() }
                return finish(ending.reason, owner, now: now)
            }
            break
        }
        if now >= ending.until { finish(ending.reason, owner, now: now) }
    }

    /// The connection, or the attempt at one, is over.
    package func finish<Owner: ExchangeOwner>(_ reason: EndReason, _ owner: Owner, now: Int64) {
        let reason = owner.attributed(reason)
        abandonBurst(owner)
        flush(owner, now: now)
        owner.disconnect(reason)
        session.connectionEnded(reason)
        session.reset()
        probeDue = .max
        closing = nil
        // What has been sent and not been confirmed is sent again.
        acks.connectionEnded()
        let random = owner.random(in: 0...Backoff.jitter)
        link.ended(reason, during: purpose, random: random, isCutOff: owner.isCutOff(after: reason), now: now)
        owner.ended(reason, now: now)
        if reason == .stopped { stopped(owner, now: now) }
    }

    private func stopped<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) {
        link.stop(.stopping, now: now)
        guard acks.confirmed > 0 else { return }
        do throws(StoreError) { try store.deleteAcknowledgements(through: acks.confirmed) } catch {
            owner.report(error)
        }
    }
}
