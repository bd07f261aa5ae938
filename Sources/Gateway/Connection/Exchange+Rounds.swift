import Bytes
import Payload
import SGP
import Store

/// An open connection: bytes to events, events to rows, rows to acknowledgements, frames to bytes.
extension Exchange {
    /// Rounds of reading and writing before others have their turn.
    private static let rounds = 8

    /// Goes on with whatever can go on. True if there is more to do at once.
    package func advance<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) -> Bool {
        let (unixTime, offset) = owner.localTime(now: now)
        session.clockOffset = offset
        for _ in 0..<Self.rounds {
            let reading = receive(owner, now: now)
            if let reason = takeEvents(owner, now: now, unixTime: unixTime) ?? reading.end {
                end(reason, owner, now: now)
                return false
            }
            if let failure = commit(owner, now: now) {
                finish(failure, owner, now: now)
                return false
            }
            keepEvidence(owner, now: now)
            owner.saveClock(now: now)
            if reading.moved { heard(owner, now: now) }
            synchronise(owner)
            let writing = flush(owner, now: now)
            if let reason = writing.end {
                finish(reason, owner, now: now)
                return false
            }
            guard reading.moved || writing.sent else { return false }
        }
        return true
    }

    /// What is already received is made durable before the connection goes.
    private func end<Owner: ExchangeOwner>(_ reason: EndReason, _ owner: Owner, now: Int64) {
        if let failure = commit(owner, now: now) { return finish(failure, owner, now: now) }
        // While it is known which network it was.
        keepEvidence(owner, now: now)
        finish(reason, owner, now: now)
    }

    /// A connection that lived through a change of the network lives.
    private func heard<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) {
        let wasProbed = probeDue != .max
        probeDue = .max
        if wasProbed { owner.probeAnswered(now: now) }
    }

    /// Reads what there is room for. An end of the stream counts only after everything before it has been taken.
    private func receive<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) -> (moved: Bool, end: EndReason?) {
        let tail = session.receiveTail()
        guard tail.count > 0, let stream = owner.openStream else { return (false, nil) }
        switch stream.receive(into: tail) {
        case .done(let count):
            session.received(count, now: now)
            return (true, nil)
        case .blocked: return (false, nil)
        case .failed(let reason): return (false, reason)
        }
    }

    /// Handles events until there are none or the burst is full; gives the reason once the session has ended.
    private func takeEvents<Owner: ExchangeOwner>(_ owner: Owner, now: Int64, unixTime: Int64) -> EndReason? {
        while true {
            // A full burst is committed before the next event. Every acknowledgement of it then has room, so none is
            // passed over by a later one.
            if delivery.waiting > 0, !delivery.hasRoom || session.acknowledgementsFree <= delivery.waiting {
                if let failure = commit(owner, now: now) { return failure }
            }
            guard let event = session.next(now: now, unixTime: unixTime) else { return nil }
            if let reason = handle(event, owner, now: now) { return reason }
        }
    }

    private func handle<Owner: ExchangeOwner>(_ event: SessionEvent, _ owner: Owner, now: Int64) -> EndReason? {
        switch event {
        case .ended(let reason): return reason
        case .notify: return takeNotify(owner, now: now)
        case .oversizeNotify: return takeOversize(owner)
        case .challenge: if !owner.answerChallenge(now: now) { return .identity }
        case .registered: if let failure = register(owner, now: now) { return failure }
        case .authenticated:
            link.reached(.connected, now: now)
            owner.loginAccepted(now: now)
            // Also what comes before C_POLL may overtake what waits for it.
            delivery.beginPoll()
        case .pollDone: delivery.endPoll()
        case .pong(let roundTrip): if roundTrip != nil { acks.pingAnswered() }
        case .legacyHello, .hello, .registerFailed, .ping, .timeSync: break
        }
        owner.handled(event, now: now)
        return nil
    }

    // MARK: Notifications

    private func takeNotify<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) -> EndReason? {
        let payload = session.payloadPointer
        do throws(StoreError) {
            let verdict = try delivery.take(
                payload.bytes, registrations, owner.routing, store: store, now: owner.moment(now: now))
            try owner.judged(verdict, payload)
            return nil
        } catch { return abandon(error, owner) }
    }

    private func takeOversize<Owner: ExchangeOwner>(_ owner: Owner) -> EndReason? {
        let payload = session.payloadPointer
        do throws(StoreError) {
            _ = try delivery.refuseOversize(payload.bytes, store: store)
            owner.refusedOversize(payload)
            return nil
        } catch { return abandon(error, owner) }
    }

    private func abandon<Owner: ExchangeOwner>(_ error: StoreError, _ owner: Owner) -> EndReason {
        owner.report(error)
        abandonBurst(owner)
        return .store(.burst, isFull: error.isFull)
    }

    func abandonBurst<Owner: ExchangeOwner>(_ owner: Owner) {
        store.rollback()
        delivery.abandon()
        owner.burstAbandoned()
    }

    /// Makes the burst durable and queues its acknowledgements. The reason if the store failed: the connection must then
    /// end without them, so that the server sends the burst again.
    private func commit<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) -> EndReason? {
        let wrote = store.isInTransaction
        let outcome: Committed
        do throws(StoreError) { outcome = try delivery.commit(store, confirmed: acks.confirmed) } catch {
            return abandon(error, owner)
        }
        if wrote { link.forgetStoreFailures() }
        session.lastSeq = delivery.lastSequence
        while let ack = delivery.nextAck() {
            guard session.syncStep == .done, session.acknowledge(ack.messageID.bytes, ack.status) else { continue }
            acks.queue(ack.row)
        }
        owner.committed(outcome, wrote: wrote, now: now)
        delivery.endBurst()
        return nil
    }

    // MARK: After S_AUTH_OK

    /// C_FILTER, then the acknowledgements that the server may not have, then C_POLL (SGP v2 §4).
    private func synchronise<Owner: ExchangeOwner>(_ owner: Owner) {
        session.sendFilter(registrations)
        guard session.syncStep == .acknowledgements else { return }
        var isComplete = true
        do throws(StoreError) {
            try store.acknowledgements(after: acks.queued) { row in
                guard session.acknowledgementsFree > 0, let status = AckStatus(rawValue: row.status),
                    session.acknowledge(row.messageID, status)
                else {
                    isComplete = AckStatus(rawValue: row.status) == nil
                    return isComplete
                }
                acks.queue(row.id)
                return true
            }
        } catch { owner.report(error) }
        if isComplete { session.acknowledgementsDone() }
    }

    // MARK: Frames out

    /// Sends frames, each whole and in a record of its own, until the stream takes no more.
    @discardableResult
    package func flush<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) -> (sent: Bool, end: EndReason?) {
        var sent = false
        while session.hasFrames, let stream = owner.openStream {
            session.sending(now: now)
            let type = session.frontType
            let isRepeated = session.frontIsRepeatedPing
            switch stream.send(session.framePointer) {
            case .done: session.sent()
            case .blocked: return (sent, nil)
            case .failed(let reason): return (sent, reason)
            }
            acks.sent(type, isRepeatedPing: isRepeated)
            if type == .poll { delivery.beginPoll() }
            sent = true
        }
        return (sent, nil)
    }
}
