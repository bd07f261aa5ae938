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

    let exchange: Exchange
    let context: TLSContext
    let stream: TLSStream
    let resolver: Resolver
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
    /// When it began to connect, and how long the attempt before it took until TCP was connected.
    var dialSince: Int64 = 0
    var lastDial = Int64.max
    /// Name servers that are left out, as the log has it.
    var ignoredServers = 0
    /// When resolv.conf is looked at again.
    var watchDue = Int64.max
    /// What is known of the board's networks; the gateway's.
    var monitor: NetworkMonitor?
    /// Where longer silences are tried on a second connection.
    var probing: Probing?
    /// SHA-256 of the pinned certificate: where the server was found is believed as long as this is pinned.
    let pin: Blob<32>
    /// The certificate that the last server showed in the place of the pinned one.
    var seenFingerprint = Blob<32>()
    /// When resolving, connecting or the TLS handshake must have ended.
    var stageDeadline = Int64.max
    /// More can be done at once, without waiting for poll.
    var wantsTurn = false
    var lastEnd: EndReason?
    /// It has been looked at, even if it stays unknown.
    var isNetworkIdentified = false
    /// What is known of the network in use was taken up by a clock that was trusted, so that what is too old was left.
    var isAgeKnown = false
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
        guard let context = TLSContext(), let resolver = Resolver(servers: settings.resolvers) else { throw failure }
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
        self.resolver = resolver
        stream = TLSStream(context: context)
        stream.unconfirmed = max(Limits.unconfirmed, settings.keepAlive.pongTimeout + Limits.unconfirmedMargin)
        exchange = try Exchange(server: settings.serverAddress, store: store, keepAlive: settings.keepAlive)
        if settings.keepAlive.probesApart { probing = Probing(context: context) }
        exchange.useNetwork(.unknown, self, now: 0, unixTime: 0)
        try exchange.loadRegistrations(self)
        try loadIdentity()
    }

    // MARK: What the gateway asks for

    /// Begins; a key to register with is made here and not when a connection waits for it.
    func start(now: Int64) {
        deleteClientCertificate()
        if identity == nil, !hasFreshKey { _ = makeKey() }
        exchange.link.start(isConfigured: true, now: now)
    }

    /// The set of registrations changed in the store.
    func registrationsChanged(now: Int64) { exchange.registrationsChanged(now: now) }

    /// Closes what there is and connects at once.
    func reconnect(now: Int64) { exchange.reconnect(self, now: now) }

    /// Says goodbye and stays away. `isClosing` tells whether the server has yet to take notice.
    func stop(now: Int64) { exchange.stop(self, now: now) }

    /// The connection, or the attempt at one, is over.
    func finish(_ reason: EndReason, now: Int64) { exchange.finish(reason, self, now: now) }

    // MARK: What the exchange holds

    var link: Link { exchange.link }
    var hasRegistrations: Bool { exchange.hasRegistrations }
    var identity: DeviceIdentity? { exchange.identity }
    var purpose: Purpose { exchange.purpose }
    var network: NetworkIdentity { exchange.network }
    /// A goodbye has been said and the server's own end is awaited.
    var isClosing: Bool { exchange.isClosing }
    /// Failures of any kind in a row.
    var failures: Int { link.failures + link.nameFailures + link.storeFailures }

    // MARK: In the loop

    /// When `advance` must be called even if nothing happens on the socket.
    func deadline(now: Int64) -> Int64 {
        if wantsTurn { return now }
        var earliest = exchange.deadline
        if isClosing { return earliest }
        earliest = min(earliest, stageDeadline, min(dialer.deadline, watchDue))
        if stream.stage == .open { earliest = min(earliest, exchange.session.deadline, probingDeadline) }
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
            probing?.prober.register(in: &set)
        }
        let hasRoom = isClosing || exchange.session.receiveTail().count > 0
        set.add(stream.raw, events: stream.interest(wantsRead: hasRoom, wantsWrite: exchange.session.hasFrames))
    }

    /// Goes on with whatever can go on.
    func advance(now: Int64, unixTime: Int64) {
        wantsTurn = false
        timekeeper.observe(now: now, unixTime: unixTime)
        guard !isClosing else { return exchange.advanceClosing(self, now: now) }
        exchange.sendRegistrations(self, now: now)
        watchServers(now: now)
        if exchange.link.takeAttempt(now: now) { begin(now: now, unixTime: unixTime) }
        resolve(now: now, unixTime: unixTime)
        switch stream.stage {
        case .idle: dial(now: now)
        case .connecting, .handshaking: handshake(now: now)
        case .open: if exchange.advance(self, now: now) { wantsTurn = true }
        }
        // After what has come was read: a turn that took long is no reason.
        if !isClosing, now >= exchange.probeDue { networkFailed(now: now) }
        reviewAge(now: now)
        probe(now: now)
    }

    // MARK: What is durable

    /// Reads who we are to this server, and checks that the private key is there and belongs to it.
    func loadIdentity() throws(StoreError) {
        guard let known = try store.identity() else { return }
        guard known.server == settings.serverAddress else {
            return log.notice(.link, "registered with another server before: registering anew")
        }
        guard try hasKey(of: known) else {
            return log.error(.link, "\(keyFile.path) is missing or is not the key of this device: registering anew")
        }
        exchange.resume(as: known)
    }
}
