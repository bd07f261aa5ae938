import Bytes
import Gateway
import Payload
import SGP
import Store

/// The gateway's program on the simulated board: the real session, keep-alive, backoff, registration set, delivery and
/// store, driven in the order in which `Uplink` drives them. What `Uplink` does with sockets, names and the private key
/// is simple here: a `Line` for TCP and TLS, one question for the name, a key that is always there. What `Timekeeper` keeps
/// in the store is kept beside it.
final class Driver {
    unowned(unsafe) let world: World
    let store: Store
    var link = Link()
    var session: Session
    private var delivery: Delivery
    private let routing = Routing()
    private(set) var registrations = RegistrationSet()
    private(set) var hasRegistrations = false
    private(set) var identity: DeviceIdentity?
    private(set) var purpose = Purpose.login
    private(set) var line: Line?
    private var isResolving = false
    private var answer: Answer?
    private var targets = 0
    private var stageDeadline = Int64.max
    private(set) var wantsTurn = false
    private var registrationsDue: Int64?
    private var probeDue = Int64.max
    private var acks = AckProgress()
    private var network = NetworkIdentity.unknown
    private var closing: Closing?
    private var discarded = ByteBuffer(capacity: 1024)
    private var random: SeededRandom
    private let bootedAt: Int64
    private(set) var clock: ServerClock

    private struct Closing {
        var reason: EndReason
        var until: Int64
        var isHalfClosed = false
    }

    enum Answer { case address, failure }

    /// The server has told the time since the program started.
    private(set) var knowsTime = false

    static let server = Blob<16>("sgn.test") ?? Blob()
    private static let keyHash = [UInt8](repeating: 9, count: 32)
    private static let publicKey = [UInt8](repeating: 3, count: 294)
    private static let signature = [UInt8](repeating: 5, count: 256)

    /// Milliseconds since the board booted.
    var now: Int64 { world.now - bootedAt }
    /// The corrected time.
    private var unixTime: Int64 { clock.time(boot: now) }
    private var moment: CorrectedTime {
        let trust = clock.trust(boot: now)
        return CorrectedTime(
            time: unixTime, isTrusted: trust.isTrusted, isPlausible: trust.isTrusted || trust == .unconfirmed)
    }
    private func isMutant(_ mutant: Mutant) -> Bool { world.plan.mutant == mutant }

    init(world: World, store: Store, keepAlive: KeepAlive, bootedAt: Int64, seed: UInt64) throws(StoreError) {
        guard let delivery = Delivery() else { throw StoreError.memory(.init(call: "start", path: store.path)) }
        self.world = world
        self.store = store
        self.delivery = delivery
        self.bootedAt = bootedAt
        clock = ServerClock(boot: world.now - bootedAt, wall: world.machine.unixTime * 1_000)
        if let kept = world.machine.keptClock {
            clock.restore(kept.saved, isSameBoot: kept.boot == bootedAt, boot: world.now - bootedAt)
        }
        random = SeededRandom(seed: seed)
        fresh = world.plan.mutant == .nags ? KeepAlive(interval: 10_000, pongTimeout: 5_000) : keepAlive
        session = Session(keepAlive: fresh)
        useNetwork(world.active?.identity ?? .unknown, unixTime: 0)
        try loadRegistrations()
        identity = try store.identity()
        if let identity { self.delivery.resume(after: identity.lastSequence) }
    }

    private let fresh: KeepAlive

    func start() { link.start(isConfigured: true, now: now) }

    // MARK: From outside

    func registrationsChanged() {
        guard !isMutant(.keepsSet) else { return }
        if registrationsDue == nil { registrationsDue = now + 200 }
    }

    func reconnect() {
        link.forgetStoreFailures()
        world.watch.personHelps()
        if leave(.requested) { return }
        if line != nil || isResolving { finish(.requested) }
        link.kick(now: now)
        world.watch.anew(mayKick: true)
    }

    func stop() {
        if leave(.stopped) { return }
        finish(.stopped)
    }

    /// The board woke.
    func woke() {
        session.slept(now: now)
        networkChanged()
    }

    /// A link, an address or a route has come or gone, or the board woke.
    func networkChanged() {
        session.networkChanged()
        link.networkChanged(now: now)
        world.watch.anew()
        guard closing == nil else { return }
        if let line, line.network !== world.active { return networkFailed() }
        guard line?.stage == .open, session.phase == .authenticated else { return }
        session.ping(now: now)
        probeDue = min(probeDue, now + Limits.probe)
        wantsTurn = true
    }

    private func networkFailed() {
        probeDue = .max
        finish(.networkChanged)
        link.networkChanged(now: now)
        world.watch.anew()
    }

    func answered(_ answer: Answer) {
        guard isResolving else { return }
        self.answer = answer
    }

    // MARK: In the loop

    /// When `advance` must be called, in milliseconds since the boot.
    var deadline: Int64 {
        if wantsTurn || isMutant(.spins) { return now }
        if let dawdlesUntil { return dawdlesUntil }
        if let closing { return closing.until }
        var earliest = min(link.nextAttempt ?? .max, stageDeadline, min(registrationsDue ?? .max, probeDue))
        if line?.stage == .open, !isMutant(.waits) { earliest = min(earliest, session.deadline) }
        if isMutant(.deaf), line?.stage == .open { earliest = now + 60_000 }
        return earliest
    }

    func advance() {
        wantsTurn = false
        if let late = dawdlesUntil, now < late { return }
        dawdlesUntil = nil
        if clock.observe(boot: now, wall: world.machine.unixTime * 1_000) { clockWasSet() }
        guard closing == nil else { return advanceClosing() }
        if let due = registrationsDue, now >= due { sendRegistrations() }
        if now >= probeDue { networkFailed() }
        if link.takeAttempt(now: now) { begin() }
        if isResolving { resolve() }
        guard let line else { return }
        switch line.stage {
        case .connecting, .handshaking: handshake(line)
        case .open: pump(line)
        case .closed: break
        }
    }

    // MARK: The clock

    private func clockWasSet() {
        if clock.mayTryAgain, link.state == .authRefused || link.nextAttempt != nil {
            clock.triesAgain()
            link.tryAgain(now: now)
            world.watch.anew(mayKick: true)
        } else if clock.trust(boot: now) == .moved, session.phase == .authenticated {
            _ = leave(.clockSet)
        }
    }

    private func judgeClock(by reason: EndReason) {
        switch reason {
        case .protocolFault(.clockOffset(let seconds)): clock.contradicted(by: seconds)
        case .disconnected(let code, _) where DisconnectReason(rawValue: code) == .authFail:
            guard clock.loginRefused(boot: now), link.state == .authRefused else { return }
            link.tryAgain(now: now)
            world.watch.anew(mayKick: true)
        default: break
        }
    }

    // MARK: From an attempt to an open connection

    private func begin() {
        world.watch.attempts()
        purpose = identity == nil ? .register : .login
        world.note("attempt", Int64(link.failures), purpose == .login ? 1 : 0)
        if !hasRegistrations, let failure = readRegistrations() { return finish(failure) }
        if targets > 0 { return connect() }
        link.reached(.resolving, now: now)
        stageDeadline = now + Limits.connect
        isResolving = true
        answer = nil
        world.ask()
    }

    private func resolve() {
        switch answer {
        case nil: if now >= stageDeadline { finish(.resolverFailed(12)) }
        case .failure: finish(.resolverFailed(3))
        case .address:
            isResolving = false
            targets = 1
            connect()
        }
    }

    private func connect() {
        targets -= 1
        link.reached(.connecting, now: now)
        stageDeadline = isMutant(.waits) ? .max : now + Limits.connect
        if isMutant(.doubles), let old = line { world.after(60_000) { old.close() } }
        line = world.connect()
    }

    private func handshake(_ line: Line) {
        if let reason = line.failure { return finish(reason) }
        if now >= stageDeadline {
            return finish(line.stage == .connecting ? .timeout(.connect) : .timeout(.tlsHandshake))
        }
    }

    /// TCP is up, then TLS.
    func reached(_ stage: Line.Stage, _ line: Line) {
        guard line === self.line else { return }
        stageDeadline = now + Limits.connect
        guard stage == .open else { return }
        stageDeadline = .max
        if network != line.network.identity {
            useNetwork(line.network.identity, unixTime: clock.trust(boot: now).isTrusted ? unixTime : 0)
        }
        switch purpose {
        case .register:
            link.reached(.registering, now: now)
            session.start(.register, identity: Self.publicKey.span.bytes, now: now)
        case .login:
            let address = identity?.address ?? Blob<255>()
            link.reached(.authenticating, now: now)
            session.start(.login, identity: address.bytes, now: now)
            session.lastSeq = delivery.lastSequence
        }
        wantsTurn = true
    }

    // MARK: An open connection

    private static let rounds = 8

    private func pump(_ line: Line) {
        let (localTime, offset) = clock.local(boot: now)
        session.clockOffset = offset
        for _ in 0..<Self.rounds {
            let reading = receive(line)
            if isMutant(.deaf), session.phase == .authenticated, !reading.moved { return }
            if let reason = takeEvents(localTime) ?? reading.end { return end(reason) }
            if let failure = commit() { return finish(failure) }
            keepEvidence()
            if let saved = clock.saved(boot: now) { world.machine.keptClock = (saved, bootedAt) }
            synchronise()
            let writing = flush()
            if let reason = writing.end { return finish(reason) }
            guard reading.moved || writing.sent else { return }
        }
        wantsTurn = true
    }

    private func end(_ reason: EndReason) {
        if let failure = commit() { return finish(failure) }
        keepEvidence()
        finish(reason)
    }

    private func receive(_ line: Line) -> (moved: Bool, end: EndReason?) {
        let tail = session.receiveTail()
        guard tail.count > 0 else { return (false, nil) }
        let (count, end) = line.read(into: tail)
        if count > 0 {
            session.received(count, now: now)
            world.heardBoard()
            probeDue = .max
        }
        return (count > 0, end)
    }

    private func takeEvents(_ localTime: Int64) -> EndReason? {
        while true {
            if delivery.waiting > 0, !delivery.hasRoom || session.acknowledgementsFree <= delivery.waiting {
                if let failure = commit() { return failure }
            }
            guard let event = session.next(now: now, unixTime: localTime) else { return nil }
            if let reason = handle(event) { return reason }
        }
    }

    private func handle(_ event: SessionEvent) -> EndReason? {
        switch event {
        case .challenge: session.answerChallenge(signature: Self.signature.span.bytes, now: now)
        case .registered: return register()
        case .authenticated:
            link.reached(.connected, now: now)
            clock.loginAccepted()
            if isMutant(.forgetsDisk) { link.forgetStoreFailures() }
            world.watch.loggedIn()
            world.loggedIn()
            world.note("connected")
            delivery.beginPoll()
            targets = 1
        case .notify: return takeNotify()
        case .oversizeNotify: return takeOversize()
        case .pollDone: delivery.endPoll()
        case .pong(let roundTrip): if roundTrip != nil { acks.pingAnswered() }
        case .ended(let reason): return reason
        case .hello: clock.loginSent()
        case .timeSync(let offset):
            clock.synchronised(offset: offset, boot: now)
            knowsTime = true
        case .legacyHello, .registerFailed, .ping: break
        }
        return nil
    }

    private func register() -> EndReason? {
        clock.loginAccepted()
        do throws(StoreError) {
            let address = session.assignedAddress
            try store.setIdentity(
                server: Self.server.bytes, address: address.bytes, keyHash: Self.keyHash.span.bytes, at: unixTime)
            wrote()
            identity = try store.identity()
            delivery.resume(after: 0)
            acks.removeAll()
        } catch {
            report(error)
            if identity == nil { return .store(.address, isFull: error.isFull) }
        }
        targets = 1
        return nil
    }

    private func takeNotify() -> EndReason? {
        let payload = session.payloadPointer
        if isMutant(.acknowledgesEarly), let header = NotifyHeader(payload.bytes) {
            session.acknowledge(header.messageID.bytes, .delivered)
            _ = flush()
        }
        do throws(StoreError) {
            let verdict = try delivery.take(
                payload.bytes, registrations, routing, store: store, now: moment)
            guard let header = NotifyHeader(payload.bytes) else { return nil }
            world.ledger.judged(header.messageID, verdict)
            if isMutant(.pollsAhead) { ahead = max(ahead, header.sequence) }
            if isMutant(.showsAgain), verdict == .duplicate { try showAgain(header) }
            return nil
        } catch { return abandon(error) }
    }

    private var ahead: Int64 = 0

    private func showAgain(_ header: NotifyHeader) throws(StoreError) {
        try store.insertNotification(
            NewNotification(
                messageID: header.messageID.bytes, bundle: Self.server.bytes, source: .sgp, received: unixTime,
                expires: 0, payload: Self.server.bytes))
    }

    private func takeOversize() -> EndReason? {
        let payload = session.payloadPointer
        do throws(StoreError) {
            if try delivery.refuseOversize(payload.bytes, store: store), let header = NotifyHeader(payload.bytes) {
                world.ledger.oversizeJudged(header.messageID)
            }
            return nil
        } catch { return abandon(error) }
    }

    private func abandon(_ error: StoreError) -> EndReason {
        report(error)
        store.rollback()
        delivery.abandon()
        world.ledger.abandoned()
        return .store(.burst, isFull: error.isFull)
    }

    private func commit() -> EndReason? {
        let isEmpty = !store.isInTransaction
        do throws(StoreError) { _ = try delivery.commit(store, confirmed: acks.confirmed) } catch {
            return abandon(error)
        }
        if !isEmpty { wrote() }
        world.ledger.committed(store)
        session.lastSeq = isMutant(.pollsAhead) ? max(ahead, delivery.lastSequence) : delivery.lastSequence
        while let ack = delivery.nextAck() {
            guard session.syncStep == .done, session.acknowledge(ack.messageID.bytes, ack.status) else { continue }
            acks.queue(ack.row)
            if isMutant(.trustsSending) { acks.allRead() }
        }
        delivery.endBurst()
        return nil
    }

    private func wrote() {
        link.forgetStoreFailures()
        world.watch.wrote()
    }

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

    @discardableResult
    private func flush() -> (sent: Bool, end: EndReason?) {
        var sent = false
        while let line, line.stage == .open, session.hasFrames {
            session.sending(now: now)
            let type = session.frontType
            let isRepeated = session.frontIsRepeatedPing
            switch line.write(session.framePointer) {
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

    // MARK: Ends

    /// C_DISCONNECT, then the end of our half. False if there is no connection that is alive.
    private func leave(_ reason: EndReason) -> Bool {
        guard line?.stage == .open, closing == nil else { return false }
        world.machine.connectionEnds()
        session.sayGoodbye()
        closing = Closing(reason: reason, until: now + 1_000)
        link.reached(reason == .stopped ? .stopping : .connecting, now: now)
        advanceClosing()
        return true
    }

    private func advanceClosing() {
        guard let ending = closing, let line else { return }
        if !ending.isHalfClosed {
            if flush().end != nil { return finish(ending.reason) }
            if !session.hasFrames {
                line.finishWriting()
                closing?.isHalfClosed = true
            }
        }
        while true {
            let (count, end) = line.read(into: discarded.tail)
            if count > 0 { continue }
            guard let end else { break }
            if end == .closed, closing?.isHalfClosed == true { acks.allRead() }
            return finish(ending.reason)
        }
        if now >= ending.until { finish(ending.reason) }
    }

    private func finish(_ reason: EndReason) {
        store.rollback()
        delivery.abandon()
        world.ledger.abandoned()
        flush()
        if let line, !isMutant(.doubles) || line.stage != .open {
            line.close()
            world.watch.closes()
        }
        line = nil
        session.connectionEnded(reason)
        session.reset()
        isResolving = false
        stageDeadline = .max
        probeDue = .max
        closing = nil
        acks.connectionEnded()
        world.ended(reason, purpose)
        let isCutOff: Bool? =
            switch reason {
            case .noNetwork: true
            default: reason.classified(during: purpose) == .planned ? nil : false
            }
        link.ended(
            reason, during: purpose, random: random.integer(0...Backoff.jitter), isCutOff: isCutOff, now: now)
        world.watch.ended(reason, purpose)
        judgeClock(by: reason)
        mutate(reason)
        if reason == .stopped { stopped() }
    }

    private func mutate(_ reason: EndReason) {
        guard let due = link.nextAttempt else { return }
        if isMutant(.hurries) { link.kick(now: now) }
        if isMutant(.givesUp), random.one(in: 20) { link.stop(.noNetwork, now: now) }
        if isMutant(.dawdles), due > now { dawdlesUntil = due + (due - now) }
    }

    private var dawdlesUntil: Int64?

    private func stopped() {
        link.stop(.stopping, now: now)
        guard acks.confirmed > 0 else { return }
        do throws(StoreError) { try store.deleteAcknowledgements(through: acks.confirmed) } catch { report(error) }
    }

    private func report(_ error: StoreError) {
        world.note("store error", Int64(error.failure.code))
        world.trace.say(world.now, error.text)
    }

    // MARK: What is durable

    private func sendRegistrations() {
        registrationsDue = nil
        if let failure = readRegistrations() {
            if !leave(failure), line != nil || isResolving { finish(failure) }
            return
        }
        guard session.phase == .authenticated else { return }
        _ = leave(.registrationsChanged)
    }

    private func readRegistrations() -> EndReason? {
        do throws(StoreError) {
            try loadRegistrations()
            return nil
        } catch {
            report(error)
            return .store(.registrations, isFull: error.isFull)
        }
    }

    private func loadRegistrations() throws(StoreError) {
        hasRegistrations = false
        registrations.removeAll()
        try store.registrations(server: Self.server.bytes) { row in
            guard let routingKey = Blob<32>(row.routingKey), let endToEndKey = Blob<32>(row.endToEndKey),
                let bundle = Blob<64>(row.bundle)
            else { return true }
            return registrations.insert(
                Registration(routingKey: routingKey, endToEndKey: endToEndKey, bundle: bundle, isMuted: row.isMuted))
        }
        hasRegistrations = true
    }

    private func useNetwork(_ identity: NetworkIdentity, unixTime: Int64) {
        network = identity
        let jitter = random.integer(-KeepAlive.jitterBound...KeepAlive.jitterBound)
        var keepAlive = fresh.fresh(jitter: jitter, maximum: identity.longestInterval)
        do throws(StoreError) {
            let kind = Int64(identity.kind.rawValue)
            if let known = try store.learnedInterval(name: identity.name.bytes, kind: kind, key: identity.key.bytes) {
                let isOld = unixTime - known.changed > 30 * 86_400
                keepAlive.restore(
                    proven: known.proven * 1_000, refuted: isOld ? nil : known.refuted.map { $0 * 1_000 }, now: now)
            }
        } catch { report(error) }
        session.keepAlive = keepAlive
    }

    private func keepEvidence() {
        guard let evidence = session.takeEvidence() else { return }
        world.note("learned", Int64(evidence.change.rawValue), evidence.interval / 1_000)
        let time = unixTime
        let learned = LearnedInterval(session.keepAlive, at: time)
        let event = IntervalEvent(evidence, at: time)
        do throws(StoreError) {
            try store.keepInterval(
                name: network.name.bytes, kind: Int64(network.kind.rawValue), key: network.key.bytes, learned, event)
        } catch { report(error) }
    }
}
