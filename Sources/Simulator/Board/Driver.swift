import Bytes
import Gateway
import Payload
import SGP
import Store

/// The gateway's program on the simulated board: its real exchange over its real store. What `Uplink` does with sockets,
/// names and the private key is simple here: a `Line` for TCP and TLS, one question for the name, a key that is always
/// there. What `Timekeeper` keeps in the store is kept beside it.
final class Driver {
    unowned(unsafe) let world: World
    let store: Store
    let exchange: Exchange
    let routing = Routing()
    private(set) var line: Line?
    private var isResolving = false
    private var answer: Answer?
    private var targets = 0
    private var stageDeadline = Int64.max
    private(set) var wantsTurn = false
    private var random: SeededRandom
    private let bootedAt: Int64
    private(set) var clock: ServerClock

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
    func isMutant(_ mutant: Mutant) -> Bool { world.plan.mutant == mutant }

    init(world: World, store: Store, keepAlive: KeepAlive, bootedAt: Int64, seed: UInt64) throws(StoreError) {
        self.world = world
        self.store = store
        self.bootedAt = bootedAt
        clock = ServerClock(boot: world.now - bootedAt, wall: world.machine.unixTime * 1_000)
        if let kept = world.machine.keptClock {
            clock.restore(kept.saved, isSameBoot: kept.boot == bootedAt, boot: world.now - bootedAt)
        }
        random = SeededRandom(seed: seed)
        exchange = try Exchange(
            server: Self.server, store: store,
            keepAlive: world.plan.mutant == .nags ? KeepAlive(interval: 10_000, pongTimeout: 5_000) : keepAlive)
        exchange.useNetwork(world.active?.identity ?? .unknown, self, now: now, unixTime: 0)
        try exchange.loadRegistrations(self)
        if let identity = try store.identity() { exchange.resume(as: identity) }
    }

    var link: Link { exchange.link }

    func start() { exchange.link.start(isConfigured: true, now: now) }

    // MARK: From outside

    func registrationsChanged() {
        guard !isMutant(.keepsSet) else { return }
        exchange.registrationsChanged(now: now)
    }

    func reconnect() {
        world.watch.personHelps()
        let isLeft = line?.stage == .open && !exchange.isClosing
        exchange.reconnect(self, now: now)
        if !isLeft { world.watch.anew(mayKick: true) }
    }

    func stop() { exchange.stop(self, now: now) }

    /// The board woke.
    func woke() {
        exchange.session.slept(now: now)
        networkChanged()
    }

    /// A link, an address or a route has come or gone, or the board woke.
    func networkChanged() {
        exchange.session.networkChanged()
        exchange.link.networkChanged(now: now)
        world.watch.anew()
        guard !exchange.isClosing else { return }
        if let line, line.network !== world.active { return networkFailed() }
        guard line?.stage == .open, exchange.probe(now: now) else { return }
        wantsTurn = true
    }

    private func networkFailed() {
        exchange.finish(.networkChanged, self, now: now)
        exchange.link.networkChanged(now: now)
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
        if exchange.isClosing { return exchange.deadline }
        var earliest = min(exchange.deadline, stageDeadline)
        if line?.stage == .open, !isMutant(.waits) { earliest = min(earliest, exchange.session.deadline) }
        if isMutant(.deaf), line?.stage == .open { earliest = now + 60_000 }
        return earliest
    }

    func advance() {
        wantsTurn = false
        if let late = dawdlesUntil, now < late { return }
        dawdlesUntil = nil
        if clock.observe(boot: now, wall: world.machine.unixTime * 1_000) { clockWasSet() }
        guard !exchange.isClosing else { return exchange.advanceClosing(self, now: now) }
        exchange.sendRegistrations(self, now: now)
        if now >= exchange.probeDue { networkFailed() }
        if exchange.link.takeAttempt(now: now) { begin() }
        if isResolving { resolve() }
        guard let line else { return }
        switch line.stage {
        case .connecting, .handshaking: handshake(line)
        case .open:
            if isMutant(.deaf), exchange.session.phase == .authenticated, !line.hasArrived { return }
            if exchange.advance(self, now: now) { wantsTurn = true }
        case .closed: break
        }
    }

    // MARK: The clock

    private func clockWasSet() {
        if clock.mayTryAgain, link.state == .authRefused || link.nextAttempt != nil {
            clock.triesAgain()
            exchange.link.tryAgain(now: now)
            world.watch.anew(mayKick: true)
        } else if clock.trust(boot: now) == .moved, exchange.session.phase == .authenticated {
            _ = exchange.leave(.clockSet, self, now: now)
        }
    }

    private func judgeClock(by reason: EndReason) {
        switch reason {
        case .protocolFault(.clockOffset(let seconds)): clock.contradicted(by: seconds)
        case .disconnected(let code, _) where DisconnectReason(rawValue: code) == .authFail:
            guard clock.loginRefused(boot: now), link.state == .authRefused else { return }
            exchange.link.tryAgain(now: now)
            world.watch.anew(mayKick: true)
        default: break
        }
    }

    // MARK: From an attempt to an open connection

    private func begin() {
        world.watch.attempts()
        world.note("attempt", Int64(link.failures), exchange.identity == nil ? 0 : 1)
        if let failure = exchange.beginAttempt(self) { return finish(failure) }
        if targets > 0 { return connect() }
        exchange.link.reached(.resolving, now: now)
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
        exchange.link.reached(.connecting, now: now)
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
        if exchange.network != line.network.identity {
            exchange.useNetwork(
                line.network.identity, self, now: now, unixTime: clock.trust(boot: now).isTrusted ? unixTime : 0)
        }
        exchange.start(publicKey: Self.publicKey.span.bytes, now: now)
        wantsTurn = true
    }

    // MARK: Ends

    private func finish(_ reason: EndReason) { exchange.finish(reason, self, now: now) }

    private func mutate(_ reason: EndReason) {
        guard let due = link.nextAttempt else { return }
        if isMutant(.hurries) { exchange.link.kick(now: now) }
        if isMutant(.givesUp), random.one(in: 20) { exchange.link.stop(.noNetwork, now: now) }
        if isMutant(.dawdles), due > now { dawdlesUntil = due + (due - now) }
    }

    private var dawdlesUntil: Int64?
    /// The highest number that was received, for a driver that polls from there.
    private var ahead: Int64 = 0
}

// MARK: What the exchange leaves to its owner

extension Driver: ExchangeOwner {
    var openStream: Line? { line?.stage == .open ? line : nil }
    var isUnderWay: Bool { line != nil || isResolving }

    func leaves() { world.machine.connectionEnds() }

    func attributed(_ reason: EndReason) -> EndReason { reason }

    func disconnect(_ reason: EndReason) {
        if let line, !isMutant(.doubles) || line.stage != .open {
            line.close()
            world.watch.closes()
        }
        line = nil
        isResolving = false
        stageDeadline = .max
        world.ended(reason, exchange.purpose)
    }

    func isCutOff(after reason: EndReason) -> Bool? {
        switch reason {
        case .noNetwork: true
        default: reason.classified(during: exchange.purpose) == .planned ? nil : false
        }
    }

    func random(in range: ClosedRange<Int64>) -> Int64 { random.integer(range) }

    func ended(_ reason: EndReason, now: Int64) {
        world.watch.ended(reason, exchange.purpose)
        judgeClock(by: reason)
        mutate(reason)
    }

    // MARK: The clock

    func localTime(now: Int64) -> (time: Int64, offset: Int64) { clock.local(boot: now) }

    func moment(now: Int64) -> CorrectedTime {
        let trust = clock.trust(boot: now)
        return CorrectedTime(
            time: unixTime, isTrusted: trust.isTrusted, isPlausible: trust.isTrusted || trust == .unconfirmed)
    }

    func loginAccepted(now: Int64) { clock.loginAccepted() }

    func saveClock(now: Int64) {
        if let saved = clock.saved(boot: now) { world.machine.keptClock = (saved, bootedAt) }
    }

    // MARK: The key

    func answerChallenge(now: Int64) -> Bool {
        exchange.session.answerChallenge(signature: Self.signature.span.bytes, now: now)
        return true
    }

    func publicKeyHash() throws(StoreError) -> Blob<32> { Blob(Self.keyHash.span.bytes) ?? Blob() }
    func registrationIsDurable() { world.watch.wrote() }

    // MARK: Events

    func handled(_ event: SessionEvent, now: Int64) {
        switch event {
        case .hello: clock.loginSent()
        case .registered: targets = 1
        case .authenticated:
            if isMutant(.forgetsDisk) { exchange.link.forgetStoreFailures() }
            world.watch.loggedIn()
            world.loggedIn()
            world.note("connected")
            targets = 1
        case .timeSync(let offset):
            clock.synchronised(offset: offset, boot: now)
            knowsTime = true
        default: break
        }
    }

    func probeAnswered(now: Int64) {}

    func learned(_ evidence: KeepAliveEvidence, time: Int64) {
        world.note("learned", Int64(evidence.change.rawValue), evidence.interval / 1_000)
    }

    func registrationsLeftOut(_ count: Int) { world.note("registrations left out", Int64(count)) }

    func report(_ error: StoreError) {
        world.note("store error", Int64(error.failure.code))
        world.trace.say(world.now, error.text)
    }

    // MARK: Notifications

    func judged(_ verdict: Verdict, _ payload: UnsafeRawBufferPointer) throws(StoreError) {
        guard let header = NotifyHeader(payload.bytes) else { return }
        world.ledger.judged(header.messageID, verdict)
        if isMutant(.acknowledgesEarly) {
            exchange.session.acknowledge(header.messageID.bytes, .delivered)
            exchange.flush(self, now: now)
        }
        if isMutant(.pollsAhead) { ahead = max(ahead, header.sequence) }
        if isMutant(.showsAgain), verdict == .duplicate { try showAgain(header) }
    }

    private func showAgain(_ header: NotifyHeader) throws(StoreError) {
        try store.insertNotification(
            NewNotification(
                messageID: header.messageID.bytes, bundle: Self.server.bytes, source: .sgp, received: unixTime,
                expires: 0, payload: Self.server.bytes))
    }

    func refusedOversize(_ payload: UnsafeRawBufferPointer) {
        if let header = NotifyHeader(payload.bytes) { world.ledger.oversizeJudged(header.messageID) }
    }

    func burstAbandoned() { world.ledger.abandoned() }

    func committed(_ outcome: Committed, wrote: Bool, now: Int64) {
        if wrote { world.watch.wrote() }
        world.ledger.committed(store)
        if isMutant(.pollsAhead) { exchange.session.lastSeq = max(ahead, exchange.delivery.lastSequence) }
        if isMutant(.trustsSending) { exchange.acks.allRead() }
    }
}

extension Line: ExchangeStream {
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> ExchangeTransfer {
        let (count, end) = read(into: buffer)
        guard count > 0 else { return end.map { .failed($0) } ?? .blocked }
        world.heardBoard()
        return .done(count)
    }

    func send(_ frame: UnsafeRawBufferPointer) -> ExchangeTransfer {
        switch write(frame) {
        case .done: .done(frame.count)
        case .blocked: .blocked
        case .failed(let reason): .failed(reason)
        }
    }

    func finishSending() { finishWriting() }
}
