import SGP

/// A rule that decides how long a connection may be silent. Times are milliseconds.
public protocol KeepAliveRule {
    var interval: Int64 { get }
    /// A ping after `interval` was answered.
    mutating func survived(now: Int64)
    /// It was not.
    mutating func died(now: Int64)

    /// The silence to try on a second connection, if any.
    var candidate: Int64? { get }
    /// What such a silence of `idle` came to.
    mutating func probed(_ idle: Int64, isAlive: Bool, now: Int64)
}

extension KeepAliveRule {
    public var candidate: Int64? { nil }
    public mutating func probed(_ idle: Int64, isAlive: Bool, now: Int64) {}
}

/// Ours.
public struct LearnedRule: KeepAliveRule {
    public var learner: KeepAlive

    /// - Parameter apart: longer silences are tried on a second connection.
    public init(jitter: Int64, minimum: Int64 = 600_000, maximum: Int64 = 3_300_000, apart: Bool = false) {
        learner = KeepAlive(minimum: minimum, maximum: maximum, pongTimeout: 15_000, jitter: jitter)
        learner.probesApart = apart
    }

    public var interval: Int64 { learner.interval }
    public mutating func survived(now: Int64) { _ = learner.survived(interval, now: now) }
    public mutating func died(now: Int64) {
        learner.silence(interval)
        _ = learner.reconnected(now: now)
    }

    public var candidate: Int64? { learner.candidate }
    public mutating func probed(_ idle: Int64, isAlive: Bool, now: Int64) {
        _ = learner.probed(idle, isAlive: isAlive, now: now)
    }
}

public struct FixedRule: KeepAliveRule {
    public let interval: Int64
    public init(minutes: Int64) { interval = minutes * 60_000 }
    public mutating func survived(now: Int64) {}
    public mutating func died(now: Int64) {}
}

/// Grows by 1.3 until a ping fails, then halves the gap leaning to the good side, until it is below a tenth.
public struct BisectingRule: KeepAliveRule {
    public private(set) var interval: Int64 = 120_000
    private var good: Int64 = 0
    private var bad: Int64?
    private static let ceiling: Int64 = 3_300_000

    public init() {}

    public mutating func survived(now: Int64) {
        good = max(good, interval)
        next()
    }

    public mutating func died(now: Int64) {
        bad = min(bad ?? interval, interval)
        if interval <= good { good = 0 }
        next()
    }

    private mutating func next() {
        if good == 0 {
            interval = max((bad ?? interval) / 2, 30_000)
        } else if let bad {
            interval = bad - good <= good / 10 ? good : good + (bad - good) * 35 / 100
        } else {
            interval = min(good * 13 / 10, Self.ceiling)
        }
    }
}

/// The reference client's rule on Wi-Fi, as `keepalive-reference.md` has it. Its daemon never tells it of a failure;
/// `hearsFailures` is the rule as it was meant.
public struct ReferenceRule: KeepAliveRule {
    private enum Stage { case initial, refined, steady, backoff }
    private var stage = Stage.initial
    private var current: Int64 = 900
    private var last: Int64?
    private var highWatermark: Int64 = 0
    private var lastGrowth: Int64 = 0
    private var random: SeededRandom?

    private let hearsFailures: Bool

    /// Seed nil: without jitter.
    public init(seed: UInt64?, hearsFailures: Bool) {
        random = seed.map { SeededRandom(seed: $0) }
        self.hearsFailures = hearsFailures
    }

    private mutating func jitter() -> Int64 { random?.integer(-20...20) ?? 0 }

    public var interval: Int64 { current * 1_000 }
    public mutating func survived(now: Int64) { success() }

    public mutating func died(now: Int64) {
        guard hearsFailures else { return }
        switch stage {
        case .initial:
            set(last ?? 900)
            stage = .refined
            success()
        case .refined:
            set(last ?? 900)
            stage = .steady
            success()
        case .steady, .backoff:
            stage = .backoff
            set(current / 2)
        }
    }

    private mutating func success() {
        switch stage {
        case .initial: grow()
        case .refined:
            if current >= lastGrowth, lastGrowth > 0 { return grow() }
            highWatermark = max(highWatermark, current)
            set(current + 120 + jitter())
        case .steady:
            if highWatermark > 0, current >= highWatermark - 330 { return }
            highWatermark = 0
            grow()
        case .backoff: grow()
        }
    }

    private mutating func grow() {
        stage = current >= 3_600 ? .steady : .initial
        highWatermark = max(highWatermark, current)
        lastGrowth = current + 300 + jitter()
        set(lastGrowth)
    }

    private mutating func set(_ value: Int64) {
        last = current
        current = min(max(value, 600), 3_600)
    }
}
