import Bytes
import CBoard
import Loop
import Payload
import Relay
import Sealing
import Store

/// Takes alerts and notes of daemons directly: requests in, decided, opened, made durable, answered. Reserved once.
final class RelayService {
    let settings: Configuration.Relay
    let opener: SealedOpener
    private let store: Store
    let log: Log
    private let outlets: Outlets
    let listener: HTTPListener
    var delivery: Delivery
    var request = Document()
    var scratch = ByteBuffer(capacity: Limits.grant)
    var policy: AdmissionPolicy
    var grantsByPeer = RateWindow(perMinute: 10)
    var grantsByToken = RateWindow(perMinute: 10)
    var pushesByPeer = RateWindow(perMinute: 60)
    var pushesByToken = RateWindow(perMinute: 60)
    var counters = RelayCounters()
    /// Replaced when the configuration changes.
    var routing: Routing
    let path: [UInt8]
    var news = Uplink.News()
    private let boot: Blob<36>
    /// Why nothing of this turn can be kept.
    private var failure: StoreError?
    /// Until then a store that another process holds is not waited for again.
    private var impatientUntil = Int64.min
    /// As they were before this turn.
    private var earlier = RelayCounters()
    /// When what the policy has only seen is written down, though nothing else is.
    private var saveDue: Int64?
    private var reportedFailure: Int32 = -1
    /// Of the request at hand.
    var now: Int64 = 0
    var moment = CorrectedTime(time: 0)
    private var wall: Int64 = 0

    private static let saveDelay: Int64 = 60_000

    /// - Throws: what the store says; `memory` also where a library has none.
    init(
        _ settings: Configuration.Relay, routing: Routing, opener: SealedOpener, outlets: Outlets, store: Store,
        log: Log, counters: RelayCounters = RelayCounters()
    ) throws(StoreError) {
        guard let delivery = Delivery(),
            let address = SocketAddress(literal: settings.listen.host, port: settings.listen.port)
        else { throw .memory(.init(call: "start relay", path: store.path)) }
        self.settings = settings
        self.opener = opener
        self.store = store
        self.log = log
        self.outlets = outlets
        self.delivery = delivery
        self.routing = routing
        self.counters = counters
        listener = HTTPListener(address: address)
        path = Array(settings.path.utf8)
        policy = AdmissionPolicy(settings.numbers)
        boot = BootIdentifier.current
        try restore()
    }

    // MARK: In the loop

    func register(in set: inout PollSet) { listener.register(in: &set) }

    func collect(_ set: borrowing PollSet) { listener.collect(set) }

    func deadline(now: Int64) -> Int64 {
        listener.wantsTurn ? now : min(listener.deadline, saveDue ?? .max)
    }

    /// `moment` is by the corrected clock, `wall` the board's own in milliseconds.
    func advance(now: Int64, moment: CorrectedTime, wall: Int64) {
        self.now = now
        self.moment = moment
        self.wall = wall
        failure = nil
        earlier = counters
        listener.advance(
            now: now,
            allows: { peer in
                if self.isAllowed(peer) { return true }
                self.counters.strangers += 1
                self.name(peer)
                self.log.warning(
                    .relay, "a connection from \(printable: self.scratch.pointer), an address that is not allowed")
                return false
            },
            refused: { status, peer in
                self.counters.requests += 1
                self.counters.refused += 1
                self.name(peer)
                self.log.notice(
                    .relay, "what \(printable: self.scratch.pointer) sent is no request and was answered \(status)")
            },
            handle: { method, target, body, peer, answer in
                self.handle(method, target, body, peer, &answer)
            })
        let durable = commit()
        listener.release(durable: durable, now: now)
        if let due = saveDue, now >= due { save() }
        reportListening()
    }

    /// The address of a peer, into `scratch`.
    func name(_ peer: RawSpan) {
        scratch.removeAll()
        scratch.append(address: peer)
    }

    /// Writes down what the policy has seen; for a clean stop.
    func save() {
        saveDue = nil
        guard !store.isInTransaction else { return }
        do throws(StoreError) {
            try waitForStore()
            try keepPolicy()
            _ = try store.commit()
            policy.changesAreKept()
        } catch {
            report(error)
            store.rollback()
            saveLater()
        }
    }

    func saveLater() { if saveDue == nil { saveDue = now + Self.saveDelay } }

    private func isAllowed(_ peer: RawSpan) -> Bool {
        guard let address = IPAddress(peer) else { return false }
        for range in settings.allow where range.contains(address) { return true }
        return false
    }

    private func reportListening() {
        guard listener.failure != reportedFailure else { return }
        reportedFailure = listener.failure
        scratch.removeAll()
        scratch.append(listener.address)
        guard listener.failure != 0 else {
            return log.notice(.relay, "listening on \(printable: scratch.pointer)")
        }
        scratch.append(": ")
        scratch.append(errno: listener.failure)
        log.warning(.relay, "cannot listen yet on \(printable: scratch.pointer)")
    }

    // MARK: What is durable

    /// Within the transaction of this turn, which begins with the first. Once something has failed, nothing more is tried
    /// in this turn: each try might wait.
    func begin() throws(StoreError) {
        if let failure { throw failure }
        if !store.isInTransaction { try waitForStore() }
    }

    /// Begins a transaction. The whole gateway stands still meanwhile, so that another process is waited for briefly, and
    /// after a failure not again for a while: every turn of the loop may bring requests.
    private func waitForStore() throws(StoreError) {
        do throws(StoreError) {
            try store.begin(waiting: now < impatientUntil ? 0 : Limits.relayBusy)
        } catch {
            if error.isBusy, now >= impatientUntil { impatientUntil = now + Limits.relayBusyPause }
            throw error
        }
        impatientUntil = .min
    }

    /// Shows the document of the delivery.
    func show(_ arrival: Arrival) throws(StoreError) {
        let decision = try delivery.show(arrival, routing, store: store)
        store.count(.received)
        guard let route = decision.route else { return log.info(.relay, "shown, from \(arrival.bundle)") }
        log.info(.relay, "shown by route \(routing.routes[route].name), from \(arrival.bundle)")
    }

    func openNote() throws(StoreError) -> SealedOpener.Opened {
        try opener.openNote(at: moment, store: store, into: &delivery.document)
    }

    /// Something of this turn cannot be kept: nothing of it is, and those who wait are told so.
    func abandon(_ error: StoreError) {
        if failure == nil { report(error) }
        store.rollback()
        failure = error
    }

    /// True if what the requests of this turn promise is durable.
    private func commit() -> Bool {
        guard failure == nil else { return undo() }
        guard store.isInTransaction else { return true }
        do throws(StoreError) {
            try keepPolicy()
            let dropped = try store.commit()
            if dropped.droppedUnread > 0 {
                log.warning(.store, "the inbox is full: \(dropped.droppedUnread) unread notifications dropped")
            }
        } catch {
            abandon(error)
            return undo()
        }
        policy.changesAreKept()
        saveDue = nil
        while let told = delivery.nextTold() {
            do throws(StoreError) { try outlets.append(told.id, route: told.route, now: now) } catch { report(error) }
        }
        if delivery.shownInBurst > 0 {
            news.inboxChanged = true
            news.beeps = max(news.beeps, delivery.beepsInBurst)
        }
        delivery.endBurst()
        return true
    }

    /// Policy and counters forget what did not happen.
    private func undo() -> Bool {
        counters.failed += 1
        counters.forwarded = earlier.forwarded
        counters.coalesced = earlier.coalesced
        counters.suppressed = earlier.suppressed
        counters.replayed = earlier.replayed
        counters.notes = earlier.notes
        counters.stale = earlier.stale
        counters.unopened = earlier.unopened
        // Requests after the one that failed may have begun another.
        store.rollback()
        delivery.abandon()
        policy.removeAll()
        do throws(StoreError) {
            // A daemon may have been unpaired meanwhile, and the command that did it may not have told.
            try opener.load(store, directory: opener.directory)
            try restore()
        } catch { report(error) }
        return false
    }

    private func keepPolicy() throws(StoreError) {
        try policy.forEachChange(
            forget: { (device, key) throws(StoreError) in try store.deleteAdmission(device: device, key: key) },
            keep: { (device, key, state, seen) throws(StoreError) in
                // A pairing that was undone meanwhile has no row any more.
                guard opener.knows(device) else { return }
                try store.setAdmission(device: device, key: key, state: state, seen: seen)
            })
        try store.setRelayClock(RelayClock(boot: boot, booted: now, wall: wall))
    }

    /// Reads what the policy knew. After a reboot its times are moved to the new clock, as far as the old one is known.
    private func restore() throws(StoreError) {
        var shift: Int64 = 0
        let system = SystemClock()
        let now = system.now
        if let clock = try store.relayClock(), clock.boot != boot {
            let away = max(system.unixMilliseconds &- clock.wall, 0)
            shift = now &- clock.booted &- away
        }
        try store.admissions { row in
            policy.restore(device: row.device, key: row.key, state: row.state, shift: shift, now: now)
            return true
        }
    }

    func report(_ error: StoreError) {
        var text = ByteBuffer(capacity: Limits.logLine)
        error.describe(into: &text)
        log.error(.store, "\(printable: text.pointer)")
    }
}
