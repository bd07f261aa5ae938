import Bytes

/// How long a connection may be silent before C_PING asks whether it still lives (SGP v2 §8), learned from what one
/// network does. A pure value: what happened and when comes in, the interval comes out.
///
/// Two bounds are narrowed: the longest silence after which the server was heard, and the shortest after which it was
/// not. Where nothing is known against longer silences, a ladder is climbed: half as much again from two minutes up to
/// the minimum, then a third more or 400 s, whichever is less. Its rungs are far apart where a dead probe costs little
/// and close where it costs much, so that at most three connections die and the search ends within six hours. The gap
/// that is left is halved until it is too small to matter. A line that was out for a moment kills a connection as well:
/// where the bound that was found would cost much and rests on little, it is tried once more before it is believed, and
/// any bound is looked at again after a month. Times are milliseconds of a clock that never jumps.
public struct KeepAlive: Sendable, Equatable {
    /// The four stages of §8.
    public enum Stage: UInt8, Sendable, Equatable {
        case initialGrowth, refinedGrowth, steady, backoff

        /// The name that `status` and scripts use.
        public var name: String {
            switch self {
            case .initialGrowth: "initial"
            case .refinedGrowth: "refined"
            case .steady: "steady"
            case .backoff: "backoff"
            }
        }
    }

    /// What a piece of evidence came to.
    public enum Change: UInt8, Sendable, Equatable {
        /// A longer silence than ever was survived: to be stored.
        case proven = 1
        /// A shorter silence than ever was not survived: to be stored.
        case refuted = 2
        /// A proven silence was not survived, which may have been chance.
        case doubted = 3
        /// It was chance.
        case confirmed = 4
    }

    public private(set) var stage = Stage.initialGrowth
    /// Longer silences than were proven are tried on a second connection through the same network, which dies in the
    /// place of the live one if one of them is too long.
    public var probesApart = false
    /// The silence that the search has come to; the proven one where it rests.
    private var aim: Int64
    /// The longest silence that was survived; 0 before the first.
    public private(set) var proven: Int64 = 0
    /// The shortest silence that was not, if longer ones have been tried.
    public private(set) var refuted: Int64?
    /// Connections that died in finding `refuted`; at least `Self.certain` where one died of that silence again.
    public private(set) var failures = 0
    /// How long `refuted` is left alone once the search is over, in milliseconds: twice as long after each look.
    public private(set) var patience: Int64 = Self.firstPatience
    /// Milliseconds within which S_PONG must follow.
    public var pongTimeout: Int64
    public let minimum: Int64
    public let maximum: Int64
    /// One interval for ever, as the configuration has it: nothing is learned.
    public let isFixed: Bool
    /// Added to the rungs of the ladder, so that a crowd of boards does not ask in step; −`jitterBound`…`jitterBound`.
    public let jitter: Int64
    /// Connections that ended without an answer to a ping at a proven silence, one after the other.
    public private(set) var strikes = 0

    /// A connection that has just died of silence, until the next attempt tells whether the network was there.
    private var suspicion: Int64?
    /// The first strike came while something longer was tried apart: the search goes on once the doubt is gone.
    private var isInterrupted = false
    /// Suspicions in a row that an outage explained.
    private var excused = 0
    /// The longest silence survived since the first strike.
    private var secondOpinion: Int64 = 0
    /// When the steady stage began.
    private var steadySince: Int64?
    /// A search may have been interrupted by a restart, and goes on once what was proven has held again.
    private var isResumed = false
    /// Until when failures that were chance are held against the interval: later for each.
    private var doubtful: Int64 = 0

    public static let jitterBound: Int64 = 5_000
    /// The first interval on an unknown network.
    public static let start: Int64 = 120_000
    /// Where even the minimum fails, the interval goes down to this.
    public static let floor: Int64 = 60_000
    /// Waking up later than this after a ping was due means that the board was asleep.
    private static let lateness: Int64 = 60_000
    /// The longest step of the ladder.
    private static let step: Int64 = 400_000
    /// So many dead connections are no chance.
    private static let certain = 3
    /// Networks get better, and then nobody would notice: longer silences are tried again after a month, then after two
    /// and so on, and where they were survived once after a week.
    private static let firstPatience: Int64 = 30 * 86_400_000
    private static let shrunkPatience: Int64 = 7 * 86_400_000
    private static let lastPatience: Int64 = 120 * 86_400_000
    /// A silence that fails by chance more than twice in so many times lies within what the network's limit varies by.
    private static let chances: Int64 = 500

    /// Knows nothing yet. All are milliseconds; a maximum below the minimum counts as the minimum.
    public init(minimum: Int64, maximum: Int64, pongTimeout: Int64, jitter: Int64 = 0) {
        self.init(
            minimum: minimum, maximum: maximum, isFixed: maximum <= max(minimum, 1), pongTimeout: pongTimeout,
            jitter: jitter)
    }

    private init(minimum: Int64, maximum: Int64, isFixed: Bool, pongTimeout: Int64, jitter: Int64) {
        self.minimum = max(minimum, 1)
        self.maximum = max(maximum, self.minimum)
        self.isFixed = isFixed
        self.pongTimeout = pongTimeout
        self.jitter = min(max(jitter, -Self.jitterBound), Self.jitterBound)
        aim = self.minimum
        if isFixed { stage = .steady } else { plan(now: 0) }
    }

    /// The same interval for ever.
    public init(interval: Int64, pongTimeout: Int64) {
        self.init(minimum: interval, maximum: interval, pongTimeout: pongTimeout)
    }

    /// The same bounds with nothing learned, on a network where no silence is longer than `maximum`. What is fixed by the
    /// configuration stays as it is.
    public func fresh(jitter: Int64, maximum: Int64 = .max) -> KeepAlive {
        let limit = isFixed ? .max : maximum
        var fresh = KeepAlive(
            minimum: min(minimum, limit), maximum: min(self.maximum, limit), isFixed: isFixed,
            pongTimeout: pongTimeout, jitter: jitter)
        fresh.probesApart = probesApart
        return fresh
    }

    /// Comes back to a known network: begins steady at what was proven, if anything was, and goes on with a search that
    /// was interrupted as soon as that has held again.
    /// - Parameters:
    ///   - failures: 0 if nobody counted; what was refuted is believed then.
    ///   - patience: in milliseconds; 0 for a month.
    ///   - age: milliseconds since something was learned there last.
    public mutating func restore(
        proven: Int64, refuted: Int64?, failures: Int = 0, patience: Int64 = 0, age: Int64 = 0, now: Int64
    ) {
        guard !isFixed else { return }
        self.proven = min(max(proven, 0), maximum)
        self.refuted = refuted.flatMap { $0 > self.proven && $0 <= maximum ? $0 : nil }
        self.failures = self.refuted == nil ? 0 : failures > 0 ? failures : Self.certain
        self.patience = patience > 0 ? min(patience, Self.lastPatience) : Self.firstPatience
        strikes = 0
        guard self.proven > 0 else { return plan(now: now) }
        settle(now: now &- max(age, 0))
        isResumed = true
    }

    /// The lowest interval there is.
    private var lowest: Int64 { min(Self.floor, minimum) }

    /// Milliseconds without a frame after which C_PING goes out.
    public var interval: Int64 { isTriedApart ? max(proven, lowest) : aim }
    /// The silence to try on a second connection, in milliseconds; nil where there is none, as always unless
    /// `probesApart`.
    public var candidate: Int64? { isTriedApart && aim > interval ? aim : nil }
    private var isTriedApart: Bool { probesApart && !isFixed && aim > proven }

    // MARK: Evidence

    /// A frame came after a silence of `idle`, upon a ping or by itself.
    public mutating func survived(_ idle: Int64, now: Int64) -> Change? {
        suspicion = nil
        excused = 0
        guard !isFixed else {
            proven = max(proven, min(idle, interval))
            return nil
        }
        // What a busy board measures above the interval is no longer silence than was asked for.
        let asked = idle < interval + Self.lateness ? min(idle, interval) : idle
        let value = min(asked / 1_000 * 1_000, maximum)
        if strikes > 0 { return survivedInDoubt(value, now: now) }
        guard value > proven else {
            if stage == .steady, value >= interval { lookBeyond(now: now) }
            return nil
        }
        proven = value
        passBound()
        plan(now: now)
        return .proven
    }

    /// What was refuted may have been survived.
    private mutating func passBound() {
        guard let bound = refuted, proven >= bound else { return }
        refuted = nil
        failures = 0
    }

    private mutating func survivedInDoubt(_ value: Int64, now: Int64) -> Change? {
        if value >= proven {
            strikes = 0
            secondOpinion = 0
            return confirmed(now: now)
        }
        guard stage == .backoff, value >= interval else { return nil }
        secondOpinion = value
        aim = proven
        stage = .steady
        return nil
    }

    /// Pongs get lost, and then the interval stays. A limit that varies shows in the same way, but again and again.
    private mutating func confirmed(now: Int64) -> Change {
        let span = Self.chances / 2 * proven
        doubtful = max(doubtful, now) + span
        guard doubtful - now > 2 * span, proven > lowest else {
            if isInterrupted { plan(now: now) } else { settle(now: now) }
            return .confirmed
        }
        doubtful = now
        shrink()
        refuted = proven
        proven -= Self.margin(proven)
        settle(now: now)
        return .refuted
    }

    /// How far one keeps away from a silence that failed although it was proven.
    private static func margin(_ silence: Int64) -> Int64 { max(silence / 25 / 1_000 * 1_000, 1_000) }

    /// Our ping after a silence of `idle` got no answer in time, or a reset. It counts once the next attempt shows that
    /// the network is there. Nothing else is evidence against an interval.
    public mutating func silence(_ idle: Int64) {
        guard !isFixed, idle >= interval - 1_000, idle < interval + Self.lateness else { return }
        suspicion = min(idle, interval)
    }

    /// The silence that waits for its explanation, else 0.
    public var suspected: Int64 { suspicion ?? 0 }

    /// An attempt to connect failed: an outage explains the silence. Twice at most, or a network that always fails once
    /// would never be understood.
    public mutating func attemptFailed() {
        guard suspicion != nil, excused < 2 else { return }
        excused += 1
        suspicion = nil
    }

    /// The login after a silence succeeded: the connection alone had died.
    public mutating func reconnected(now: Int64) -> Change? {
        guard let idle = suspicion else { return nil }
        suspicion = nil
        excused = 0
        if idle > proven {
            let before = refuted
            refute(idle, now: now)
            // Where not even the floor is survived there is nothing new to store, once a minute.
            return refuted == before && idle <= lowest ? nil : .refuted
        }
        strikes += 1
        if strikes == 1, proven > lowest {
            // A second opinion at a silence that should be harmless costs less than the same again.
            isInterrupted = candidate != nil
            aim = proven > 2 * minimum ? minimum : max(lowest, proven / 2_000 * 1_000)
            stage = .backoff
            return .doubted
        }
        proven = secondOpinion
        strikes = 0
        secondOpinion = 0
        shrink()
        // Less survived: the limit may vary, and what has just failed survive again. The search must end below that.
        refute(proven > 0 ? idle - Self.margin(idle) : idle, now: now)
        return .refuted
    }

    /// The network has become worse: what is refuted was proven once.
    private mutating func shrink() {
        failures = Self.certain
        // Not anew each time, or a limit that varies about the maximum would be looked at every week for ever.
        if patience == Self.firstPatience { patience = Self.shrunkPatience }
        isResumed = false
    }

    /// What a silence of `idle` on a second connection came to. That it was not survived counts if the live connection was
    /// heard after that. Nil where it says nothing new.
    public mutating func probed(_ idle: Int64, isAlive: Bool, now: Int64) -> Change? {
        guard candidate != nil, strikes == 0, suspicion == nil, idle > proven else { return nil }
        guard isAlive else {
            let before = refuted
            refute(idle, now: now)
            return refuted == before && idle <= lowest ? nil : .refuted
        }
        proven = min(idle / 1_000 * 1_000, maximum)
        passBound()
        plan(now: now)
        return .proven
    }

    private mutating func refute(_ idle: Int64, now: Int64) {
        failures = idle >= refuted ?? .max ? max(failures + 1, Self.certain) : failures + 1
        refuted = max(min(refuted ?? idle, idle), proven + 1)
        plan(now: now)
    }

    // MARK: The search

    /// What is tried next.
    private mutating func plan(now: Int64) {
        isResumed = false
        isInterrupted = false
        guard proven > 0 else {
            // Halve until something survives.
            aim = max(refuted.map { $0 / 2_000 * 1_000 } ?? min(Self.start, minimum), lowest)
            stage = refuted == nil ? .initialGrowth : .backoff
            return
        }
        guard proven < maximum else { return settle(now: now) }
        guard let bound = refuted else {
            aim = rung(after: proven)
            stage = .initialGrowth
            return
        }
        let gap = bound - proven
        guard gap > resolution else {
            guard isDoubtful(bound) else { return settle(now: now) }
            aim = min(max((bound + 999) / 1_000 * 1_000, lowest), maximum)
            stage = .refinedGrowth
            return
        }
        let isWide = gap > Self.step + 2 * Self.jitterBound
        let middle = isWide ? min(rung(after: proven), proven + gap / 2) : (proven + gap / 2) / 1_000 * 1_000
        aim = max(middle, lowest)
        stage = isWide ? .initialGrowth : .refinedGrowth
    }

    /// A bound may be an outage's work, and is tried once more before it is believed: unless what is proven is nearly the
    /// maximum, or two connections have died of it. Below the minimum it takes three.
    private func isDoubtful(_ bound: Int64) -> Bool {
        failures < (bound < minimum ? Self.certain : Self.certain - 1) && proven < maximum - maximum / 8
    }

    /// The gap that is not worth another dead connection.
    private var resolution: Int64 { proven >= 1_000_000 ? 116_000 : proven >= 300_000 ? 80_000 : 40_000 }

    /// The first rung of the ladder well above a silence.
    private func rung(after silence: Int64) -> Int64 {
        var rung = min(Self.start, minimum)
        while rung < maximum, rung + jitter < silence + 40_000 {
            rung =
                rung < minimum
                ? (rung * 3 / 2 * 5 / 4 > minimum ? minimum : rung * 3 / 2)
                : rung + min(rung * 35 / 100, Self.step)
            if maximum - rung < 100_000 { rung = maximum }
        }
        let offset = rung < maximum && rung > Self.start ? jitter : 0
        return min((rung + offset) / 1_000 * 1_000, maximum)
    }

    private mutating func settle(now: Int64) {
        isInterrupted = false
        // What a frame of the server's has proved by chance may be very little.
        aim = max(proven, lowest)
        stage = .steady
        steadySince = now
    }

    /// In the steady stage: longer silences are tried again when `nextLook` says so.
    private mutating func lookBeyond(now: Int64) {
        guard let due = nextLook, now >= due else { return }
        guard let bound = refuted, !hasSearchLeft else { return plan(now: now) }
        patience = min(patience * 2, Self.lastPatience)
        // Far enough above the old bound that a limit that varies does not look like a better one.
        aim = rung(after: bound + bound / 8 - 40_000)
        stage = .initialGrowth
    }

    /// A restart came before the search was over.
    private var hasSearchLeft: Bool {
        guard isResumed, let bound = refuted else { return isResumed && proven < maximum }
        return bound - proven > resolution || isDoubtful(bound)
    }

    /// In the steady stage: when longer silences are tried again, upon the first answer from then on. At once where a
    /// restart interrupted the search, after max(24 × interval, 3600 s) where nothing is known against them, else when
    /// the patience is over. Nil in the other stages, and where there is nothing left to look for.
    public var nextLook: Int64? {
        guard !isFixed, stage == .steady, strikes == 0, proven < maximum, let since = steadySince else { return nil }
        if hasSearchLeft { return since }
        return since &+ (refuted == nil ? max(24 * interval, 3_600_000) : patience)
    }
}
