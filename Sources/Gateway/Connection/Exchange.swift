import Bytes
import Payload
import SGP
import Store

/// All that decides whether promises to the server and to people are kept, whatever carries the bytes: session, delivery,
/// registrations, acknowledgements and what is learned of silence, over one store, in the order that they need. The gateway
/// drives it with a TLS stream and the simulator with a model of a network.
package final class Exchange {
    package let store: Store
    /// The server's address, for registrations and identity.
    let server: Blob<16>
    /// What a network that nothing is known of begins with.
    private let keepAlive: KeepAlive
    package var link = Link()
    package var session: Session
    package var delivery: Delivery
    package private(set) var registrations = RegistrationSet()
    /// What is in `registrations` is the whole set. An incomplete one must not be sent: the server would make every token
    /// that is not in it invalid (SGP v2 §10).
    package private(set) var hasRegistrations = false
    /// Who we are to this server; nil before the registration.
    package var identity: DeviceIdentity?
    /// What the connection at hand is for.
    package private(set) var purpose = Purpose.login
    /// How far acknowledgements have come.
    package var acks = AckProgress()
    /// What carries the connection, for what is learned about silence there.
    package private(set) var network = NetworkIdentity.unknown
    /// When a change of the registration set goes out; changes that follow each other closely go out together.
    package var registrationsDue: Int64?
    /// A connection that lived through a change of the network is given up then, unless something comes.
    package var probeDue = Int64.max
    var closing: Closing?
    var discarded = ByteBuffer(capacity: 1024)

    /// A connection between our goodbye and the server's.
    struct Closing {
        var reason: EndReason
        var until: Int64
        var isHalfClosed = false
    }

    /// Reserves everything that it will need.
    /// - Throws: `memory` where a library has none.
    package init(server: Blob<16>, store: Store, keepAlive: KeepAlive) throws(StoreError) {
        guard let delivery = Delivery() else { throw StoreError.memory(.init(call: "start", path: store.path)) }
        self.server = server
        self.store = store
        self.keepAlive = keepAlive
        self.delivery = delivery
        session = Session(keepAlive: keepAlive)
    }

    // MARK: Time

    /// A goodbye has been said and the server's own end is awaited.
    package var isClosing: Bool { closing != nil }

    /// When something is due, the session's own waits apart. Nothing else is done before a goodbye has had its answer.
    package var deadline: Int64 {
        closing?.until ?? min(link.nextAttempt ?? .max, registrationsDue ?? .max, probeDue)
    }

    // MARK: Attempts

    /// An attempt begins: for a login, or for the registration that comes before it. The reason if it cannot go on.
    package func beginAttempt<Owner: ExchangeOwner>(_ owner: Owner) -> EndReason? {
        purpose = identity == nil ? .register : .login
        return hasRegistrations ? nil : readRegistrations(owner)
    }

    /// The connection is up: the session begins. `publicKey` is DER and needed for a registration alone.
    package func start(publicKey: RawSpan, now: Int64) {
        switch purpose {
        case .register:
            link.reached(.registering, now: now)
            session.start(.register, identity: publicKey, now: now)
        case .login:
            let address = identity?.address ?? Blob<255>()
            link.reached(.authenticating, now: now)
            session.start(.login, identity: address.bytes, now: now)
            session.lastSeq = delivery.lastSequence
        }
    }

    /// Somebody asks for another connection: closes what there is and connects at once.
    package func reconnect<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) {
        link.forgetStoreFailures()
        if leave(.requested, owner, now: now) { return }
        if owner.isUnderWay { finish(.requested, owner, now: now) }
        link.kick(now: now)
    }

    /// Says goodbye and stays away. `isClosing` tells whether the server has yet to take notice.
    package func stop<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) {
        if leave(.stopped, owner, now: now) { return }
        finish(.stopped, owner, now: now)
    }

    // MARK: Who we are

    /// Goes on as this device.
    package func resume(as known: DeviceIdentity) {
        identity = known
        delivery.resume(after: known.lastSequence)
    }

    /// Makes the assigned address durable. The reason if the connection must end for another.
    func register<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) -> EndReason? {
        owner.loginAccepted(now: now)
        do throws(StoreError) { try commitRegistration(owner, now: now) } catch {
            owner.report(error)
            return .store(.address, isFull: error.isFull)
        }
        return nil
    }

    private func commitRegistration<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) throws(StoreError) {
        let hash = try owner.publicKeyHash()
        let address = session.assignedAddress
        let time = owner.moment(now: now).time
        try store.setIdentity(server: server.bytes, address: address.bytes, keyHash: hash.bytes, at: time)
        link.forgetStoreFailures()
        owner.registrationIsDurable()
        identity = try store.identity()
        delivery.resume(after: 0)
        acks.removeAll()
    }

    // MARK: The registration set

    /// The set changed in the store. It goes out on a new connection, one set a connection (SGP v2 §10).
    package func registrationsChanged(now: Int64) {
        if registrationsDue == nil { registrationsDue = now + Self.settling }
    }

    private static let settling: Int64 = 200

    /// A change that is due goes out, if there is a connection on which the old set went out.
    package func sendRegistrations<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) {
        guard let due = registrationsDue, now >= due else { return }
        registrationsDue = nil
        if let failure = readRegistrations(owner) {
            if !leave(failure, owner, now: now), owner.isUnderWay { finish(failure, owner, now: now) }
            return
        }
        guard session.phase == .authenticated else { return }
        _ = leave(.registrationsChanged, owner, now: now)
    }

    /// Reads the set again. The reason, with what the store says told, if that failed: no connection may then be used.
    private func readRegistrations<Owner: ExchangeOwner>(_ owner: Owner) -> EndReason? {
        do throws(StoreError) {
            try loadRegistrations(owner)
            return nil
        } catch {
            owner.report(error)
            return .store(.registrations, isFull: error.isFull)
        }
    }

    /// Reads the set of this server.
    package func loadRegistrations<Owner: ExchangeOwner>(_ owner: Owner) throws(StoreError) {
        hasRegistrations = false
        registrations.removeAll()
        var refused = 0
        try store.registrations(server: server.bytes) { row in
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
        if refused > 0 { owner.registrationsLeftOut(refused) }
    }

    // MARK: Silence

    /// Another network carries the connection from now on: what was learned there is restored. `unixTime` 0 believes
    /// what is stored whatever its age.
    package func useNetwork<Owner: ExchangeOwner>(
        _ identity: NetworkIdentity, _ owner: Owner, now: Int64, unixTime: Int64
    ) {
        network = identity
        let jitter = owner.random(in: -KeepAlive.jitterBound...KeepAlive.jitterBound)
        var learner = keepAlive.fresh(jitter: jitter, maximum: identity.longestInterval)
        do throws(StoreError) {
            if let known = try store.learnedInterval(name: identity.name.bytes, kind: kind, key: identity.key.bytes) {
                learner.restore(known, now: now, unixTime: unixTime)
            }
        } catch { owner.report(error) }
        session.keepAlive = learner
    }

    /// The kind of the network at hand, as it is stored.
    var kind: Int64 { Int64(network.kind.rawValue) }

    /// What the session has seen is kept. Only what is new is written: never while nothing happens. A failure costs a
    /// little knowledge and no notification.
    func keepEvidence<Owner: ExchangeOwner>(_ owner: Owner, now: Int64) {
        guard let evidence = session.takeEvidence() else { return }
        let time = owner.moment(now: now).time
        owner.learned(evidence, time: time)
        let learned = LearnedInterval(session.keepAlive, at: time)
        do throws(StoreError) {
            try store.keepInterval(
                name: network.name.bytes, kind: kind, key: network.key.bytes, learned, IntervalEvent(evidence, at: time)
            )
        } catch { owner.report(error) }
    }

    /// A connection that may have lost its network answers within `Limits.probe`, or is given up. False without one.
    package func probe(now: Int64) -> Bool {
        guard session.phase == .authenticated else { return false }
        session.ping(now: now)
        probeDue = min(probeDue, now + Limits.probe)
        return true
    }
}
