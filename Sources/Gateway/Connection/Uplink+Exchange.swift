import Bytes
import CBoard
import Loop
import Payload
import SGP
import Sealing
import Store

/// What the exchange leaves to the gateway: a TLS stream, the clock, the key, and what is told in the log, to the panel and
/// to outlets.
extension Uplink: ExchangeOwner {
    // MARK: The way to the server

    var openStream: TLSStream? { stream.stage == .open ? stream : nil }
    var isUnderWay: Bool { stream.stage != .idle || dialer.isActive || question == .attempt }

    func leaves() { probing?.prober.stop() }

    func disconnect(_ reason: EndReason) {
        stream.close()
        dialer.stop()
        if question == .attempt || reason == .stopped { endQuestion() }
        clientCertificate = nil
        if reason == .pinMismatch { forgetPlace() }
        stageDeadline = .max
        attemptFailure = nil
    }

    func random(in range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range) }

    // MARK: The clock

    func localTime(now: Int64) -> (time: Int64, offset: Int64) { timekeeper.clock.local(boot: now) }
    func moment(now: Int64) -> CorrectedTime { timekeeper.moment(now: now) }
    func loginAccepted(now: Int64) { timekeeper.loginAccepted(now: now) }
    func saveClock(now: Int64) { timekeeper.save(now: now) }

    // MARK: Events

    func handled(_ event: SessionEvent, now: Int64) {
        switch event {
        case .legacyHello: log.debug(.session, "the server opened with a legacy hello")
        case .hello(let version):
            timekeeper.loginSent()
            log.debug(.session, "S_HELLO, server version \(version)")
        case .registered:
            log.notice(.link, "registered as \(exchange.session.assignedAddress)")
            deleteClientCertificate()
            keepTarget()
        case .registerFailed(let code):
            let words = UnsafeRawBufferPointer(rebasing: exchange.session.payloadPointer.dropFirst(3))
            log.error(.link, "S_REGISTER_FAIL \(code): \(printable: words)")
        case .authenticated: authenticated(now: now)
        case .pollDone: log.debug(.session, "S_POLL_DONE")
        case .ping: log.debug(.session, "S_PING answered")
        case .pong(nil): log.notice(.session, "an S_PONG that matches no ping of ours: ignored")
        case .pong(let roundTrip?): log.debug(.session, "S_PONG after \(roundTrip) ms")
        case .timeSync(let offset):
            log.info(.clock, "the server's clock is \(offset) s from ours")
            timekeeper.synchronised(offset: offset, now: now)
        case .challenge, .notify, .oversizeNotify, .ended: break
        }
    }

    private func authenticated(now: Int64) {
        keepTarget()
        lastEnd = nil
        seenFingerprint = Blob<32>()
        refreshPlace(now: now)
        log.notice(.link, "connected to \(endpointText) with \(stream.version)")
    }

    // MARK: Notifications

    func judged(_ verdict: Verdict, _ payload: UnsafeRawBufferPointer) {
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

    func refusedOversize(_ payload: UnsafeRawBufferPointer) {
        log.warning(.notification, "an S_NOTIFY longer than a frame may be: skipped")
    }

    func burstAbandoned() {}

    func committed(_ outcome: Committed, wrote: Bool, now: Int64) {
        if outcome.droppedUnread > 0 {
            log.warning(.store, "the inbox is full: \(outcome.droppedUnread) unread notifications dropped")
        }
        if outcome.droppedHooks > 0 {
            log.warning(.hook, "the inbox is full: \(outcome.droppedHooks) hooks that had still to run dropped")
        }
        if outcome.droppedAcknowledgements > 0 {
            log.warning(.store, "\(outcome.droppedAcknowledgements) acknowledgements dropped")
        }
        tell(now: now)
        guard exchange.delivery.shownInBurst > 0 else { return }
        news.inboxChanged = true
        news.beeps = max(news.beeps, exchange.delivery.beepsInBurst)
    }

    /// Tells outlets of what has just become durable. They may miss it: nothing depends on them.
    private func tell(now: Int64) {
        while let told = exchange.delivery.nextTold() {
            do throws(StoreError) { try outlets.append(told.id, route: told.route, now: now) } catch { report(error) }
        }
    }

    func registrationsLeftOut(_ count: Int) {
        log.error(.store, "\(count) registrations do not fit and are left out")
    }

    // MARK: The end

    func ended(_ reason: EndReason, now: Int64) {
        probing?.liveEnded(reason.classified(during: purpose), now: now)
        lastEnd = reason
        watchDue = reason.isOfNames ? now + Limits.resolverWatch : .max
        switch reason {
        case .resolverFailed, .timeout, .network: if link.isCutOff { lastEnd = .noNetwork(ENETUNREACH) }
        default: break
        }
        logEnd(reason, now: now)
        judgeClock(by: reason, now: now)
        if case .soft = reason.classified(during: purpose) { refreshPlace(now: now) }
        if reason == .stopped { timekeeper.saveLast(now: now) }
    }

    private func logEnd(_ reason: EndReason, now: Int64) {
        text.removeAll()
        text.append(reason)
        switch reason.classified(during: purpose) {
        case .planned: log.info(.link, "disconnected: \(printable: text.pointer)")
        case .authRefused, .versionRefused:
            log.error(.link, "\(printable: text.pointer): stopped until the configuration changes or a reload")
        case .soft:
            let seconds = ((link.nextAttempt ?? now) - now + 999) / 1_000
            log.warning(
                .link,
                "\(printable: text.pointer); failure \(failures) in a row, next attempt in \(seconds) s")
        }
        if reason == .pinMismatch {
            log.warning(.link, "the server showed a certificate with SHA-256 \(hex: seenFingerprint)")
        }
    }

    func report(_ error: StoreError) {
        text.removeAll()
        error.describe(into: &text)
        log.error(.store, "\(printable: text.pointer)")
    }
}

extension TLSStream: ExchangeStream {
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> ExchangeTransfer {
        ExchangeTransfer(read(into: buffer))
    }

    package func send(_ frame: UnsafeRawBufferPointer) -> ExchangeTransfer { ExchangeTransfer(write(frame.bytes)) }

    package func finishSending() { finishWriting() }
}

extension ExchangeTransfer {
    fileprivate init(_ transfer: TLSStream.Transfer) {
        switch transfer {
        case .done(let count): self = .done(count)
        case .blocked: self = .blocked
        case .failed(let error): self = .failed(EndReason(error))
        }
    }
}
