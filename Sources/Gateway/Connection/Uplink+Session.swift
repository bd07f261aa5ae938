import Bytes
import Loop
import Payload
import SGP
import Store

/// An open connection: bytes to events, events to rows, rows to acknowledgements, frames to bytes.
extension Uplink {
    /// Rounds of reading and writing before others have their turn.
    private static let rounds = 8

    func pump(now: Int64) {
        let (unixTime, offset) = timekeeper.clock.local(boot: now)
        session.clockOffset = offset
        for _ in 0..<Self.rounds {
            let reading = receive(now: now)
            if let reason = takeEvents(now: now, unixTime: unixTime) ?? reading.end {
                return end(reason, now: now)
            }
            if let failure = commit(now: now) { return finish(failure, now: now) }
            keepEvidence(now: now)
            timekeeper.save(now: now)
            if reading.moved, probeDue != .max { probeAnswered(now: now) }
            synchronise()
            let writing = flush(now: now)
            if let reason = writing.end { return finish(reason, now: now) }
            guard reading.moved || writing.sent else { return }
        }
        wantsTurn = true
    }

    /// What is already received is made durable before the connection goes.
    private func end(_ reason: EndReason, now: Int64) {
        if let failure = commit(now: now) { return finish(failure, now: now) }
        // While it is known which network it was.
        keepEvidence(now: now)
        finish(reason, now: now)
    }

    /// Reads what there is room for. An end of the stream counts only after everything before it has been taken.
    private func receive(now: Int64) -> (moved: Bool, end: EndReason?) {
        switch stream.read(into: session.receiveTail()) {
        case .done(let count):
            session.received(count, now: now)
            return (true, nil)
        case .blocked: return (false, nil)
        case .failed(let error): return (false, EndReason(error))
        }
    }

    /// Handles events until there are none or the burst is full; gives the reason once the session has ended.
    private func takeEvents(now: Int64, unixTime: Int64) -> EndReason? {
        while true {
            // A full burst is committed before the next event. Every acknowledgement of it then has room, so none is
            // passed over by a later one.
            if delivery.waiting > 0, !delivery.hasRoom || session.acknowledgementsFree <= delivery.waiting {
                if let failure = commit(now: now) { return failure }
            }
            guard let event = session.next(now: now, unixTime: unixTime) else { return nil }
            if let reason = handle(event, now: now) { return reason }
        }
    }

    private func handle(_ event: SessionEvent, now: Int64) -> EndReason? {
        switch event {
        case .legacyHello: log.debug(.session, "the server opened with a legacy hello")
        case .hello(let version):
            timekeeper.loginSent()
            log.debug(.session, "S_HELLO, server version \(version)")
        case .challenge: return sign(now: now) ? nil : .identity
        case .registered: return register(now: now)
        case .registerFailed(let code):
            let words = UnsafeRawBufferPointer(rebasing: session.payloadPointer.dropFirst(3))
            log.error(.link, "S_REGISTER_FAIL \(code): \(printable: words)")
        case .authenticated: authenticated(now: now)
        case .notify: return takeNotify(now: now)
        case .oversizeNotify: return takeOversize()
        case .pollDone:
            delivery.endPoll()
            log.debug(.session, "S_POLL_DONE")
        case .ping: log.debug(.session, "S_PING answered")
        case .pong(let roundTrip):
            guard let roundTrip else {
                log.notice(.session, "an S_PONG that matches no ping of ours: ignored")
                return nil
            }
            acks.pingAnswered()
            log.debug(.session, "S_PONG after \(roundTrip) ms")
        case .timeSync(let offset):
            log.info(.clock, "the server's clock is \(offset) s from ours")
            timekeeper.synchronised(offset: offset, now: now)
        case .ended(let reason): return reason
        }
        return nil
    }

    private func register(now: Int64) -> EndReason? {
        timekeeper.loginAccepted(now: now)
        do throws(StoreError) { try commitRegistration(unixTime: timekeeper.moment(now: now).time) } catch {
            report(error)
            if identity == nil { return .store(.address, isFull: error.isFull) }
        }
        keepTarget()
        return nil
    }

    private func authenticated(now: Int64) {
        link.reached(.connected, now: now)
        timekeeper.loginAccepted(now: now)
        // Also what comes before C_POLL may overtake what waits for it.
        delivery.beginPoll()
        keepTarget()
        lastEnd = nil
        seenFingerprint = Blob<32>()
        refreshPlace(now: now)
        log.notice(.link, "connected to \(endpointText) with \(stream.version)")
    }

    // MARK: Notifications

    private func takeNotify(now: Int64) -> EndReason? {
        let payload = session.payloadPointer
        do throws(StoreError) {
            let verdict = try delivery.take(
                payload.bytes, registrations, routing, store: store, now: timekeeper.moment(now: now))
            logVerdict(verdict, payload)
            return nil
        } catch { return abandon(error) }
    }

    private func abandon(_ error: StoreError) -> EndReason {
        report(error)
        store.rollback()
        delivery.abandon()
        return .store(.burst, isFull: error.isFull)
    }

    private func takeOversize() -> EndReason? {
        let payload = session.payloadPointer
        do throws(StoreError) {
            _ = try delivery.refuseOversize(payload.bytes, store: store)
            log.warning(.notification, "an S_NOTIFY longer than a frame may be: skipped")
            return nil
        } catch { return abandon(error) }
    }

    private func logVerdict(_ verdict: Verdict, _ payload: UnsafeRawBufferPointer) {
        guard let header = NotifyHeader(payload.bytes) else { return }
        let id = header.messageID
        switch verdict {
        case .shown(let decision): logShown(id, decision)
        case .duplicate: log.info(.notification, "\(hex: id) came before: acknowledged again, not shown again")
        case .muted: log.info(.notification, "\(hex: id) for a muted application")
        case .replayed: log.notice(.notification, "\(hex: id) holds a note that was shown before")
        case .expired: log.notice(.notification, "\(hex: id) had expired")
        case .wrongKey: log.warning(.notification, "\(hex: id) could not be decrypted")
        case .unreadable(let error):
            if let offset = error.offset {
                log.warning(.notification, "\(hex: id) could not be read: \(error.reason), at byte \(offset)")
            } else {
                log.warning(.notification, "\(hex: id) could not be read: \(error.reason)")
            }
        case .unknownKey: log.warning(.notification, "\(hex: id) for an unknown routing key: not acknowledged")
        }
    }

    private func logShown(_ id: Blob<16>, _ decision: Decision) {
        guard let route = decision.route else { return log.info(.notification, "\(hex: id) shown") }
        let name = routing.routes[route].name
        if decision.isMuted {
            log.info(.notification, "\(hex: id) kept as read: route \(name) is muted")
        } else {
            log.info(.notification, "\(hex: id) shown by route \(name)")
        }
    }

    /// Makes the burst durable and queues its acknowledgements. The reason if the store failed: the connection must then
    /// end without them, so that the server sends the burst again.
    private func commit(now: Int64) -> EndReason? {
        let isEmpty = !store.isInTransaction
        do throws(StoreError) {
            let dropped = try delivery.commit(store, confirmed: acks.confirmed)
            if dropped.droppedUnread > 0 {
                log.warning(.store, "the inbox is full: \(dropped.droppedUnread) unread notifications dropped")
            }
            if dropped.droppedHooks > 0 {
                log.warning(.hook, "the inbox is full: \(dropped.droppedHooks) hooks that had still to run dropped")
            }
            if dropped.droppedAcknowledgements > 0 {
                log.warning(.store, "\(dropped.droppedAcknowledgements) acknowledgements dropped")
            }
        } catch { return abandon(error) }
        if !isEmpty { link.forgetStoreFailures() }
        session.lastSeq = delivery.lastSequence
        while let ack = delivery.nextAck() {
            guard session.syncStep == .done, session.acknowledge(ack.messageID.bytes, ack.status) else { continue }
            acks.queue(ack.row)
        }
        tell(now: now)
        if delivery.shownInBurst > 0 {
            news.inboxChanged = true
            news.beeps = max(news.beeps, delivery.beepsInBurst)
        }
        delivery.endBurst()
        return nil
    }

    /// Tells outlets of what has just become durable. They may miss it: nothing depends on them.
    private func tell(now: Int64) {
        while let told = delivery.nextTold() {
            do throws(StoreError) { try outlets.append(told.id, route: told.route, now: now) } catch { report(error) }
        }
    }

    // MARK: After S_AUTH_OK

    /// C_FILTER, then the acknowledgements that the server may not have, then C_POLL (SGP v2 §4).
    private func synchronise() {
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
        } catch { report(error) }
        if isComplete { session.acknowledgementsDone() }
    }

    // MARK: Frames out

    /// Sends frames, each whole and in a record of its own, until the socket takes no more.
    @discardableResult
    func flush(now: Int64) -> (sent: Bool, end: EndReason?) {
        var sent = false
        while stream.stage == .open, session.hasFrames {
            session.sending(now: now)
            let type = session.frontType
            let isRepeated = session.frontIsRepeatedPing
            switch stream.write(session.framePointer.bytes) {
            case .done: session.sent()
            case .blocked: return (sent, nil)
            case .failed(let error): return (sent, EndReason(error))
            }
            acks.sent(type, isRepeatedPing: isRepeated)
            if type == .poll { delivery.beginPoll() }
            sent = true
        }
        return (sent, nil)
    }
}
