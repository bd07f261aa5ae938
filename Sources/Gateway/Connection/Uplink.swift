import Bytes
import CBoard
import Loop
import SGP
import Sealing
import Store

/// What an uplink needs to know of its server.
struct UplinkSettings: Equatable {
    /// At most 16 bytes; part of every device token.
    var serverAddress: Blob<16>
    /// The pinned certificate as DER.
    var certificate: [UInt8]
    /// Where to connect without asking the server's own DNS record.
    var endpoint: Endpoint?
    /// `address[:port]`, comma-separated, instead of the system's servers.
    var resolvers: String?
    /// Path of a PEM bundle that is shown while registering and then deleted.
    var registrationCertificate: String?
    var keepAlive: KeepAlive
}

/// The connection to one server: resolves, connects, registers or logs in, delivers, and comes back after every end.
/// Does what can be done when `advance` is called and never waits.
final class Uplink {
    let settings: UplinkSettings
    let store: Store
    let log: Log
    let keyFile: KeyFile
    /// Replaced when the configuration changes.
    var routing: Routing
    let outlets: Outlets
    let timekeeper: Timekeeper

    var link = Link()
    var session: Session
    var delivery: Delivery
    var registrations = RegistrationSet()
    /// What is in `registrations` is the whole set. An incomplete one must not be sent: the server would make every token
    /// that is not in it invalid (SGP v2 §10).
    private(set) var hasRegistrations = false
    let context: TLSContext
    let stream: TLSStream
    let resolver: Resolver
    var identity: DeviceIdentity?
    /// What the connection at hand is for.
    var purpose = Purpose.login
    /// A key made for a registration that has not been committed yet.
    var hasFreshKey = false
    /// Shown while registering only; freed as soon as the registration is committed.
    var clientCertificate: ClientCertificate?
    /// Where the server is, as far as it is known, and which of its addresses is tried first.
    var place = ServerPlace()
    var firstTarget = 0
    /// What the resolver is asked for, and since when.
    var question = Question.none
    var questionSince: Int64 = 0
    /// Addresses have come after the answer was used.
    var hasLateAddresses = false
    /// What has come of the record that the question began with.
    var record: ServiceRecord?
    var dialer = Dialer()
    /// What the connection at hand leads to.
    var target: SocketAddress?
    /// Attempts in a row that were given up because the network changed.
    var abandoned = 0
    /// When the attempt at hand began, and why it has not succeeded so far.
    var attemptSince: Int64 = 0
    var attemptFailure: EndReason?
    /// Name servers that are left out, as the log has it.
    var ignoredServers = 0
    /// When resolv.conf is looked at again.
    var watchDue = Int64.max
    /// What is known of the board's networks; the gateway's.
    var monitor: NetworkMonitor?
    /// A connection or an attempt that lived through a change of the network is given up then, unless something comes.
    var probeDue = Int64.max
    /// SHA-256 of the pinned certificate: where the server was found is believed as long as this is pinned.
    let pin: Blob<32>
    /// The certificate that the last server showed in the place of the pinned one.
    var seenFingerprint = Blob<32>()
    /// When resolving, connecting or the TLS handshake must have ended.
    var stageDeadline = Int64.max
    /// More can be done at once, without waiting for poll.
    var wantsTurn = false
    /// When a change of the registration set goes out; changes that follow each other closely go out together.
    var registrationsDue: Int64?
    /// How far acknowledgements have come.
    var acks = AckProgress()
    var lastEnd: EndReason?
    /// What carries the connection, for what is learned about silence there.
    var network = NetworkIdentity.unknown
    /// It has been looked at, even if it stays unknown.
    var isNetworkIdentified = false
    private var closing: Closing?
    private var discarded = ByteBuffer(capacity: 1024)

    /// A connection between our goodbye and the server's.
    private struct Closing {
        var reason: EndReason
        var until: Int64
        var isHalfClosed = false
    }
    /// What the panel should know, cleared by the gateway.
    var news = News()
    var endpointText = Blob<64>()
    /// The name of the server's TXT record.
    let queryName: String
    /// Words for the log.
    var text = ByteBuffer(capacity: Limits.logLine)
    var keyWork = KeyWork()

    struct News {
        var inboxChanged = false
        var beeps = 0
    }

    /// Reserves everything the connection will need.
    /// - Throws: what the store says; `memory` also where a library has none.
    init(
        _ settings: UplinkSettings, routing: Routing, outlets: Outlets, store: Store, keyFile: KeyFile, log: Log,
        timekeeper: Timekeeper? = nil
    ) throws(StoreError) {
        let failure = StoreError.memory(.init(call: "start", path: store.path))
        guard let context = TLSContext(), let delivery = Delivery(),
            let resolver = Resolver(servers: settings.resolvers)
        else { throw failure }
        guard context.pin(settings.certificate.span.bytes),
            let pin = try? SHA256.digest(settings.certificate.span.bytes)
        else { throw failure }
        self.pin = pin
        self.settings = settings
        self.store = store
        self.log = log
        self.keyFile = keyFile
        self.routing = routing
        self.outlets = outlets
        self.timekeeper = timekeeper ?? Timekeeper(store: store, log: log, server: settings.serverAddress)
        self.context = context
        queryName = "_sgn." + settings.serverAddress.text
        self.delivery = delivery
        self.resolver = resolver
        stream = TLSStream(context: context)
        stream.unconfirmed = max(Limits.unconfirmed, settings.keepAlive.pongTimeout + Limits.unconfirmedMargin)
        session = Session(keepAlive: settings.keepAlive)
        useNetwork(network, now: 0, unixTime: 0)
        try loadRegistrations()
        try loadIdentity()
    }

    // MARK: What the gateway asks for

    /// Begins; a key to register with is made here and not when a connection waits for it.
    func start(now: Int64) {
        deleteClientCertificate()
        if identity == nil, !hasFreshKey { _ = makeKey() }
        link.start(isConfigured: true, now: now)
    }

    /// The set of registrations changed in the store. It goes out on a new connection, one set a connection (SGP v2
    /// §10).
    func registrationsChanged(now: Int64) {
        if registrationsDue == nil { registrationsDue = now + Self.settling }
    }

    private static let settling: Int64 = 200

    /// Closes what there is and connects at once.
    func reconnect(now: Int64) {
        link.forgetStoreFailures()
        if leave(.requested, now: now) { return }
        if isUnderWay { finish(.requested, now: now) }
        link.kick(now: now)
    }

    /// Says goodbye and stays away. `isClosing` tells whether the server has yet to take notice.
    func stop(now: Int64) {
        if leave(.stopped, now: now) { return }
        finish(.stopped, now: now)
    }

    // MARK: In the loop

    /// When `advance` must be called even if nothing happens on the socket.
    func deadline(now: Int64) -> Int64 {
        if wantsTurn { return now }
        // Nothing else is done before.
        if let closing { return closing.until }
        var earliest = min(link.nextAttempt ?? .max, stageDeadline, registrationsDue ?? .max)
        earliest = min(earliest, dialer.deadline, min(watchDue, probeDue))
        if stream.stage == .open { earliest = min(earliest, session.deadline) }
        if resolver.isBusy {
            earliest = min(earliest, now + Int64(resolver.timeout(limit: 1_000)))
        } else if question != .none {
            // c-ares answers some questions at once, and then no socket of it becomes ready.
            earliest = now
        }
        return earliest
    }

    func register(in set: inout PollSet) {
        if !isClosing {
            resolver.register(in: &set)
            dialer.register(in: &set)
        }
        let hasRoom = isClosing || session.receiveTail().count > 0
        set.add(stream.raw, events: stream.interest(wantsRead: hasRoom, wantsWrite: session.hasFrames))
    }

    /// Goes on with whatever can go on.
    func advance(now: Int64, unixTime: Int64) {
        wantsTurn = false
        timekeeper.observe(now: now, unixTime: unixTime)
        guard !isClosing else { return advanceClosing(now: now) }
        if let due = registrationsDue, now >= due { sendRegistrations(now: now) }
        watchServers(now: now)
        if link.takeAttempt(now: now) { begin(now: now, unixTime: unixTime) }
        resolve(now: now, unixTime: unixTime)
        switch stream.stage {
        case .idle: dial(now: now)
        case .connecting, .handshaking: handshake(now: now)
        case .open: pump(now: now)
        }
        // After what has come was read: a turn that took long is no reason.
        if !isClosing, now >= probeDue { networkFailed(now: now) }
    }

    private func sendRegistrations(now: Int64) {
        registrationsDue = nil
        if let failure = readRegistrations() {
            if !leave(failure, now: now), isUnderWay { finish(failure, now: now) }
            return
        }
        guard session.phase == .authenticated else { return }
        _ = leave(.registrationsChanged, now: now)
    }

    /// Reads the set again. The reason, with what the store says logged, if that failed: no connection may then be used.
    func readRegistrations() -> EndReason? {
        do throws(StoreError) {
            try loadRegistrations()
            return nil
        } catch {
            report(error)
            return .store(.registrations, isFull: error.isFull)
        }
    }

    /// An attempt or a connection is there to be ended.
    private var isUnderWay: Bool { stream.stage != .idle || dialer.isActive || question == .attempt }

    // MARK: Ends

    /// Failures of any kind in a row.
    var failures: Int { link.failures + link.nameFailures + link.storeFailures }

    /// A goodbye has been said and the server's own end is awaited.
    var isClosing: Bool { closing != nil }

    /// How long the server may take to answer a goodbye.
    private static let closingTime: Int64 = 1_000

    /// Ends a connection that is alive: C_DISCONNECT, then the end of our half. Only when the server ends its half too has
    /// it read every acknowledgement. False if there is no such connection.
    func leave(_ reason: EndReason, now: Int64) -> Bool {
        guard stream.stage == .open, closing == nil else { return false }
        session.sayGoodbye()
        closing = Closing(reason: reason, until: now + Self.closingTime)
        link.reached(reason == .stopped ? .stopping : .connecting, now: now)
        advanceClosing(now: now)
        return true
    }

    func advanceClosing(now: Int64) {
        guard let ending = closing else { return }
        if !ending.isHalfClosed {
            if flush(now: now).end != nil { return finish(ending.reason, now: now) }
            if !session.hasFrames {
                stream.finishWriting()
                closing?.isHalfClosed = true
            }
        }
        // What still comes is not acknowledged, so the server sends it again.
        for _ in 0..<Self.closingReads {
            switch stream.read(into: discarded.tail) {
            case .done: continue
            case .blocked: break
            case .failed(let error):
                if error == .closed, closing?.isHalfClosed == true { acks.allRead() }
                return finish(ending.reason, now: now)
            }
            break
        }
        if now >= ending.until { finish(ending.reason, now: now) }
    }

    private static let closingReads = 64

    /// The connection, or the attempt at one, is over.
    func finish(_ reason: EndReason, now: Int64) {
        let reason = attributed(reason)
        store.rollback()
        delivery.abandon()
        flush(now: now)
        stream.close()
        session.connectionEnded(reason)
        session.reset()
        dialer.stop()
        if question == .attempt || reason == .stopped { endQuestion() }
        clientCertificate = nil
        if reason == .pinMismatch { forgetPlace() }
        stageDeadline = .max
        probeDue = .max
        attemptFailure = nil
        closing = nil
        acks.connectionEnded()
        lastEnd = reason
        let random = Int64.random(in: 0...Backoff.jitter)
        link.ended(reason, during: purpose, random: random, isCutOff: isCutOff(after: reason), now: now)
        watchDue = reason.isOfNames ? now + Limits.resolverWatch : .max
        switch reason {
        case .resolverFailed, .timeout, .network: if link.isCutOff { lastEnd = .noNetwork(ENETUNREACH) }
        default: break
        }
        logEnd(reason, now: now)
        judgeClock(by: reason, now: now)
        if case .soft = reason.classified(during: purpose) { refreshPlace(now: now) }
        if reason == .stopped { stopped(now: now) }
    }

    private func stopped(now: Int64) {
        link.stop(.stopping, now: now)
        timekeeper.saveLast(now: now)
        guard acks.confirmed > 0 else { return }
        do throws(StoreError) { try store.deleteAcknowledgements(through: acks.confirmed) } catch { report(error) }
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

    // MARK: What is durable

    /// Reads the registration set of this server.
    func loadRegistrations() throws(StoreError) {
        hasRegistrations = false
        registrations.removeAll()
        var refused = 0
        try store.registrations(server: settings.serverAddress.bytes) { row in
            guard let routingKey = Blob<32>(row.routingKey), let endToEndKey = Blob<32>(row.endToEndKey),
                let bundle = Blob<64>(row.bundle)
            else { return true }
            let added = registrations.insert(
                Registration(
                    routingKey: routingKey, endToEndKey: endToEndKey, bundle: bundle, isMuted: row.isMuted))
            if !added { refused += 1 }
            return true
        }
        hasRegistrations = true
        if refused > 0 { log.error(.store, "\(refused) registrations do not fit and are left out") }
    }

    /// Reads who we are to this server, and checks that the private key is there and belongs to it.
    func loadIdentity() throws(StoreError) {
        identity = try store.identity()
        guard let known = identity else { return }
        guard known.server == settings.serverAddress else {
            log.notice(.link, "registered with another server before: registering anew")
            identity = nil
            return
        }
        guard try hasKey(of: known) else {
            log.error(.link, "\(keyFile.path) is missing or is not the key of this device: registering anew")
            identity = nil
            return
        }
        delivery.resume(after: known.lastSequence)
    }
}
