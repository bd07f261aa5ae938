import Bytes

/// The server's time as far as the board can know it (SGP v2 §4), and how far it is to be trusted. No I/O and no clock.
///
/// Two clocks are handed in: `boot`, CLOCK_BOOTTIME in milliseconds, which nobody can set, and `wall`, the system's own
/// Unix time in milliseconds. What the server has told or accepted is kept against the former, so that a step of the
/// latter changes nothing about it. A *base* here is Unix time less `boot`: as long as no clock is set it stands still.
///
/// Which is believed when the two differ:
/// 1. S_TIME_SYNC, until the next one. The server judges logins and dates by its own clock, so that one counts.
/// 2. Without it the system's clock. A login or registration that the server accepts confirms it, since a server refuses
///    what is more than 300 s off.
/// 3. Refused with one time, a login is tried once more with the other, if there is another: the system's where the
///    server's was used, the one accepted earlier in this boot, or what an earlier boot learned of this clock.
/// 4. A clock that was never set gives way to the time of the last save, the least that it can be.
public struct ServerClock: BitwiseCopyable, Sendable {
    /// Where the time in force comes from.
    public enum Source: UInt8, BitwiseCopyable, Sendable, Equatable {
        case system = 0
        /// Accepted by the server, while the system's clock says something else.
        case login = 1
        /// S_TIME_SYNC.
        case server = 2
        /// The last time known before this boot, and the time since it began.
        case estimate = 3
        /// Being tried, because the server refused another.
        case trial = 4
    }

    /// How far the time in force is to be trusted, and why.
    public enum Trust: UInt8, BitwiseCopyable, Sendable, Equatable {
        /// The server told it.
        case server
        /// The server accepted a login with it, or with a time at most `Limits.clockTolerance` away.
        case login
        /// A time service keeps the system's clock.
        case service
        /// Nobody has confirmed it in this boot.
        case unconfirmed
        /// It is before `Limits.clockNeverSet`.
        case neverSet
        /// It is the least that it can be.
        case estimated
        /// The system's clock was set since the server accepted it.
        case moved
        /// The server named a time that is too far away to be taken over.
        case contradicted

        public var isTrusted: Bool {
            switch self {
            case .server, .login, .service: true
            case .unconfirmed, .neverSet, .estimated, .moved, .contradicted: false
            }
        }
    }

    /// What outlives the process. Bases are of the boot in which it was saved.
    public struct Saved: BitwiseCopyable, Sendable, Equatable {
        public var source: Source
        /// The base in force.
        public var base: Int64
        /// The base that the server accepted last.
        public var accepted: Int64?
        /// Seconds from the system's clock to the one in force.
        public var offset: Int64
        /// The time in force when it was saved, Unix seconds.
        public var time: Int64

        public init(source: Source, base: Int64, accepted: Int64?, offset: Int64, time: Int64) {
            self.source = source
            self.base = base
            self.accepted = accepted
            self.offset = offset
            self.time = time
        }

        /// Worth a write: the process would know less without it, or something else.
        public func differs(from other: Saved?) -> Bool {
            guard let other else { return true }
            guard source == other.source, distance(base, other.base) < Limits.clockStep else { return true }
            switch (accepted, other.accepted) {
            case (nil, nil): return false
            case (let mine?, let theirs?): return distance(mine, theirs) >= Limits.clockStep
            default: return true
            }
        }
    }

    public private(set) var source = Source.system
    /// A time service says that it keeps the system's clock; told by the owner.
    public var isServed = false
    /// The system's base, that at its last step, and the one in force where that is another.
    private var system: Int64
    private var steady: Int64
    private var other: Int64 = 0
    private var accepted: Int64?
    /// The base of the login under way.
    private var sent: Int64?
    /// The system's base when a login was refused.
    private var refused: Int64?
    /// What was in force before the one that is tried.
    private var before: (source: Source, base: Int64)?
    /// What an earlier boot knew of the system's clock, in seconds.
    private var earlier: Int64 = 0
    /// How far away the time was that the server named.
    public private(set) var contradiction: Int64?

    public init(boot: Int64, wall: Int64) { self.init(system: wall &- boot, isServed: false) }

    // MARK: What it is

    private var base: Int64 { source == .system ? system : other }

    /// The time in force, in Unix seconds.
    public func time(boot: Int64) -> Int64 { seconds(base &+ boot) }

    /// The system's own, in Unix seconds.
    public func systemTime(boot: Int64) -> Int64 { seconds(system &+ boot) }

    /// Seconds from the system's clock to the one in force.
    public var offset: Int64 {
        guard source != .system else { return 0 }
        let (difference, overflow) = other.subtractingReportingOverflow(system)
        let half: Int64 = difference < 0 ? -500 : 500
        return overflow ? (other < system ? .min : .max) / 1_000 : (difference &+ half) / 1_000
    }

    /// The time that S_TIME_SYNC is compared with, in Unix seconds, and what is to be added to it to get the time in
    /// force. It is the system's, unless that is known to be further off than any server may say (SGP v2 §4).
    public func local(boot: Int64) -> (time: Int64, offset: Int64) {
        let offset = offset
        guard offset.magnitude <= UInt64(Limits.clockOffset) else { return (time(boot: boot), 0) }
        return (systemTime(boot: boot), offset)
    }

    public func trust(boot: Int64) -> Trust {
        if contradiction != nil { return .contradicted }
        guard wasEverSet(base, boot: boot) else { return .neverSet }
        switch source {
        case .server: return .server
        case .login: return .login
        case .estimate: return .estimated
        case .trial: return .unconfirmed
        case .system: break
        }
        if let accepted, isNear(system, accepted) { return .login }
        if isServed { return .service }
        return accepted == nil ? .unconfirmed : .moved
    }

    // MARK: What happens to it

    /// What the two clocks say now. True if the system's was set since the last time, by `Limits.clockStep` or more.
    @discardableResult
    public mutating func observe(boot: Int64, wall: Int64) -> Bool {
        system = wall &- boot
        guard distance(system, steady) >= Limits.clockStep else { return false }
        steady = system
        contradiction = nil
        switch source {
        case .estimate where wasEverSet(system, boot: boot): source = .system
        // They agree again: the system's is the better one, for somebody looks after it.
        case .login where isNear(system, other): source = .system
        default: preferAccepted(boot: boot)
        }
        return true
    }

    /// A clock that was never set is wrong for certain, so what the server accepted in this boot stays.
    private mutating func preferAccepted(boot: Int64) {
        guard source == .system, let accepted, wasEverSet(accepted, boot: boot), !wasEverSet(system, boot: boot) else {
            return
        }
        source = .login
        other = accepted
    }

    /// C_LOGIN or C_REGISTER carries the time in force.
    public mutating func loginSent() { sent = base }

    /// The server accepted it.
    public mutating func loginAccepted() {
        guard let sent else { return }
        self.sent = nil
        accepted = sent
        refused = nil
        before = nil
        if source == .trial || source == .estimate { source = .login }
        if source == .login, isNear(system, sent) { source = .system }
    }

    /// The server refused a login or registration for a reason that the time may be (SGP v2 §10). True if there is
    /// another time to try, which is in force from now on.
    public mutating func loginRefused(boot: Int64) -> Bool {
        refused = system
        // Without a login on this connection the time cannot have been the reason.
        guard sent != nil else { return false }
        sent = nil
        if let before {
            source = before.source
            other = before.base
            self.before = nil
            return false
        }
        guard let next = alternative(boot: boot) else { return false }
        before = (source, other)
        if next == system {
            source = .system
        } else {
            source = .trial
            other = next
        }
        return true
    }

    private func alternative(boot: Int64) -> Int64? {
        guard source == .system else {
            return !isNear(system, other) && wasEverSet(system, boot: boot) ? system : nil
        }
        if let accepted, !isNear(system, accepted) { return accepted }
        return earlier.magnitude > UInt64(Limits.clockTolerance / 1_000) ? system &+ earlier &* 1_000 : nil
    }

    /// A login was refused, and the system's clock has been set by so much since that the server may judge otherwise.
    public var mayTryAgain: Bool {
        guard let refused else { return false }
        return distance(system, refused) >= Limits.clockRetry
    }

    /// What follows from `mayTryAgain` has been done.
    public mutating func triesAgain() { refused = nil }

    /// S_TIME_SYNC: the server's time is this many seconds from that of `local`.
    public mutating func synchronised(offset: Int64, boot: Int64) {
        let local = local(boot: boot)
        // By milliseconds of the system's clock, so that the offset is what it was said to be and not a second less.
        let ground = local.time == systemTime(boot: boot) ? system : base
        other = ground &+ offset &* 1_000
        source = .server
        accepted = other
        contradiction = nil
        before = nil
        refused = nil
    }

    /// S_TIME_SYNC named a time beyond what may be taken over, this many seconds away.
    public mutating func contradicted(by seconds: Int64) { contradiction = seconds }

    private init(system: Int64, isServed: Bool) {
        self.system = system
        steady = system
        self.isServed = isServed
    }

    // MARK: What outlives the process

    /// What is worth keeping; nil while the server has said nothing.
    public func saved(boot: Int64) -> Saved? {
        guard let accepted else { return nil }
        let isFirm = source == .server || source == .login
        return Saved(
            source: isFirm ? source : .system, base: isFirm ? other : system, accepted: accepted, offset: offset,
            time: time(boot: boot))
    }

    /// Takes up what was saved. Of another boot only the least time that it can be is used at once, and only where the
    /// system's clock was never set; what was known of the system's clock waits until the server refuses that.
    public mutating func restore(_ saved: Saved, isSameBoot: Bool, boot: Int64) {
        guard isSameBoot else {
            earlier = saved.offset
            guard !wasEverSet(system, boot: boot), saved.time >= Limits.clockNeverSet else { return }
            source = .estimate
            other = saved.time &* 1_000
            return
        }
        accepted = saved.accepted
        guard saved.source == .server || saved.source == .login else { return preferAccepted(boot: boot) }
        source = saved.source
        other = saved.base
        if source == .login, isNear(system, other) { source = .system }
    }
}

/// Whole seconds, rounded down also before 1970.
private func seconds(_ milliseconds: Int64) -> Int64 {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return remainder < 0 ? quotient - 1 : quotient
}

private func wasEverSet(_ base: Int64, boot: Int64) -> Bool { seconds(base &+ boot) >= Limits.clockNeverSet }

private func distance(_ one: Int64, _ two: Int64) -> Int64 {
    let (difference, overflow) = one.subtractingReportingOverflow(two)
    return overflow ? .max : Int64(clamping: difference.magnitude)
}

private func isNear(_ one: Int64, _ two: Int64) -> Bool { distance(one, two) <= Limits.clockTolerance }
