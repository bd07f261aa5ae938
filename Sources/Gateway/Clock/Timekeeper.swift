import Bytes
import CBoard
import Loop
import SGP
import Store

/// The corrected clock of a gateway: what the server said of the time, kept across restarts within one boot, and whether
/// it is to be trusted, told in the log when that changes. Reserved once.
final class Timekeeper {
    private(set) var clock: ServerClock
    /// When the clock became trusted, or stopped being so, in milliseconds of CLOCK_BOOTTIME.
    private(set) var since: Int64
    private(set) var trust = ServerClock.Trust.unconfirmed
    private let store: Store
    private let log: Log
    private let boot: Blob<36>
    private let server: Blob<16>
    private var saved: ServerClock.Saved?
    private var record = ByteBuffer(capacity: 128)
    private var hasReported = false

    /// - Parameter server: whose word is kept; another server's is not taken up.
    init(store: Store, log: Log, server: Blob<16>, now: Int64, wall: Int64, boot: Blob<36> = BootIdentifier.current) {
        self.store = store
        self.log = log
        self.server = server
        self.boot = boot
        since = now
        clock = ServerClock(boot: now, wall: wall)
        clock.isServed = TimeService.isKeeping
        do throws(StoreError) { try restore(now: now) } catch { report(error) }
        trust = clock.trust(boot: now)
        if trust == .neverSet || trust == .estimated { tell(now: now) }
    }

    /// As another server takes the place of the last.
    convenience init(store: Store, log: Log, server: Blob<16>) {
        let (now, wall) = SystemClock().both
        self.init(store: store, log: log, server: server, now: now, wall: wall)
    }

    // MARK: What it is

    /// This moment by the corrected clock.
    func moment(now: Int64) -> CorrectedTime {
        let trust = clock.trust(boot: now)
        return CorrectedTime(
            time: clock.time(boot: now), isTrusted: trust.isTrusted,
            isPlausible: trust.isTrusted || trust == .unconfirmed)
    }

    // MARK: What happens to it

    /// What the clocks say. True if the system's was set since the last time.
    @discardableResult
    func observe(now: Int64, wall: Int64) -> Bool {
        guard clock.observe(boot: now, wall: wall) else { return false }
        log.notice(.clock, "the system's clock was set; it differs by \(clock.offset) s from the one in force")
        refresh(now: now)
        return true
    }

    /// The same for a caller that knows seconds only.
    func observe(now: Int64, unixTime: Int64) {
        guard clock.systemTime(boot: now) != unixTime else { return }
        observe(now: now, wall: unixTime &* 1_000)
    }

    /// Asks whether a time service keeps the system's clock, and tells what has changed.
    func refresh(now: Int64) {
        clock.isServed = TimeService.isKeeping
        review(now: now)
    }

    func loginSent() { clock.loginSent() }

    func loginAccepted(now: Int64) {
        clock.loginAccepted()
        review(now: now)
    }

    /// True if another time is to be tried at once.
    func loginRefused(now: Int64) -> Bool {
        let refused = clock.time(boot: now)
        let hasOther = clock.loginRefused(boot: now)
        if hasOther {
            log.notice(
                .clock, "refused with the time \(refused): trying once more with \(clock.time(boot: now))")
        } else if !clock.trust(boot: now).isTrusted {
            log.warning(.clock, "clock not trusted: \(clock.trust(boot: now).words); it may be why")
            log.warning(.clock, "once the clock is set the login is tried again")
        }
        review(now: now)
        return hasOther
    }

    func synchronised(offset: Int64, now: Int64) {
        clock.synchronised(offset: offset, boot: now)
        review(now: now)
    }

    func contradicted(by seconds: Int64, now: Int64) {
        clock.contradicted(by: seconds)
        review(now: now)
    }

    func triesAgain() { clock.triesAgain() }

    private func review(now: Int64) {
        let before = trust
        trust = clock.trust(boot: now)
        guard trust != before else { return }
        if trust.isTrusted != before.isTrusted { since = now }
        tell(now: now)
    }

    private func tell(now: Int64) {
        guard trust.isTrusted else { return log.warning(.clock, "clock not trusted: \(trust.words)") }
        log.info(.clock, "clock trusted: \(trust.words), \(clock.offset) s from the system's")
    }

    // MARK: What is durable

    /// Writes down what is worth it, outside of any transaction. A failure costs a correction and no notification.
    func save(now: Int64) {
        guard !store.isInTransaction, let next = clock.saved(boot: now), next.differs(from: saved) else { return }
        write(next)
    }

    /// At a clean stop, so that a board without a clock of its own knows the least that it can be.
    func saveLast(now: Int64) {
        guard !store.isInTransaction, moment(now: now).isTrusted, let next = clock.saved(boot: now) else { return }
        write(next)
    }

    private static let version: UInt8 = 1

    private func write(_ next: ServerClock.Saved) {
        record.removeAll()
        record.append(Self.version)
        record.append(UInt8(server.count))
        record.append(server.bytes)
        record.append(UInt8(boot.count))
        record.append(boot.bytes)
        record.append(next.source.rawValue)
        record.append(bigEndian: next.base)
        record.append(bigEndian: next.accepted ?? next.base)
        record.append(bigEndian: next.offset)
        record.append(bigEndian: next.time)
        // Also after a failure: what changes next is tried again, and not this on every turn.
        saved = next
        do throws(StoreError) { try store.setClock(record.pointer.bytes) } catch { report(error) }
    }

    private func restore(now: Int64) throws(StoreError) {
        record.removeAll()
        guard try store.clock({ record.append($0) }) else { return }
        guard let (known, isSameBoot) = read() else {
            return log.warning(.clock, "what was kept of the server's time cannot be read")
        }
        guard let known else { return }
        clock.restore(known, isSameBoot: isSameBoot, boot: now)
        if isSameBoot { saved = known }
    }

    /// What is kept, nil where it is another server's, and whether it is of this boot. Nil for what is no record.
    private func read() -> (known: ServerClock.Saved?, isSameBoot: Bool)? {
        var reader = ByteReader(record.pointer.bytes)
        do throws(ByteError) {
            guard try reader.read(UInt8.self) == Self.version else { return nil }
            let owner = try reader.read(Int(try reader.read(UInt8.self)))
            let isOurs = owner.equals(server.bytes)
            let before = try reader.read(Int(try reader.read(UInt8.self)))
            let isSameBoot = !boot.isEmpty && before.equals(boot.bytes)
            guard let source = ServerClock.Source(rawValue: try reader.read(UInt8.self)) else { return nil }
            let known = ServerClock.Saved(
                source: source, base: try reader.read(), accepted: try reader.read(), offset: try reader.read(),
                time: try reader.read())
            guard reader.remaining == 0 else { return nil }
            return (isOurs ? known : nil, isSameBoot)
        } catch { return nil }
    }

    private func report(_ error: StoreError) {
        var text = ByteBuffer(capacity: Limits.logLine)
        error.describe(into: &text)
        log.error(.store, "\(printable: text.pointer)")
    }
}

extension ServerClock.Trust {
    /// Why it is trusted or not, for status and log.
    var words: String {
        switch self {
        case .server: "told by the server"
        case .login: "the server accepted a login with it"
        case .service: "a time service keeps it"
        case .unconfirmed: "neither the server nor a time service has confirmed it yet"
        case .neverSet: "it was never set, it shows a time before 2024"
        case .estimated: "it was never set, the time is estimated from the last stop"
        case .moved: "it was set since the server accepted it"
        case .contradicted: "the server's clock is more than two days from it"
        }
    }
}
