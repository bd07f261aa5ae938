import SGP

/// Lines that are out for a moment while the learner looks: how much of min(T, 3300 s) it has in the end.
public struct OutageTable: Sendable {
    /// When the line is out.
    public enum Pattern: CaseIterable, Sendable {
        /// Never.
        case never
        /// Once for 10 s to 5 min, from just before one of the first 16 pings on.
        case uponPing
        /// Twice, each as above.
        case uponTwoPings
        /// Twice an hour for 10 s to 5 min, at random moments of the first day.
        case random

        var name: String {
            switch self {
            case .never: "never"
            case .uponPing: "as a ping is due"
            case .uponTwoPings: "so twice"
            case .random: "2 an hour for a day"
            }
        }
    }

    /// Thousandths of min(T, 3300 s), mean and worst, after a day, a week, four weeks and ten.
    public struct Column: Sendable {
        public var mean: [Int64] = []
        public var worst: [Int64] = []
        /// Most connections that died in one life, those of the outages among them.
        public var dead = 0
    }

    public static let moments: [Int64] = [Life.week / 7, Life.week, 4 * Life.week, 10 * Life.week]

    /// - Parameter lives: of each of 200 timeouts.
    public static func column(
        _ pattern: Pattern, lives: Int = 20, isToldOfLateness: Bool = true
    ) -> Column {
        var sums = [Int64](repeating: 0, count: moments.count)
        var column = Column()
        column.worst = [Int64](repeating: 1_000, count: moments.count)
        let timeouts = AcceptanceTable.timeouts(geometric: true)
        for (index, timeout) in timeouts.enumerated() {
            let best = min(timeout, AcceptanceTable.ceiling)
            for turn in 0..<lives {
                var life = OutageLife(pattern, seed: UInt64(index * lives + turn), isToldOfLateness: isToldOfLateness)
                for (moment, end) in moments.enumerated() {
                    life.run(timeout: timeout, until: end)
                    let share = min(life.rule.learner.proven, timeout) * 1_000 / best
                    sums[moment] += share
                    column.worst[moment] = min(column.worst[moment], share)
                }
                column.dead = max(column.dead, life.dead)
            }
        }
        column.mean = sums.map { $0 / Int64(timeouts.count * lives) }
        return column
    }

    static func printAll() {
        print("the line is out, 200 timeouts of equal ratios, 20 lives each: % of min(T, 3300), mean and worst")
        print(
            AcceptanceTable.pad("", -22), AcceptanceTable.pad("a day", 12), AcceptanceTable.pad("a week", 12),
            AcceptanceTable.pad("4 weeks", 12), AcceptanceTable.pad("10 weeks", 12), AcceptanceTable.pad("dead", 5))
        for pattern in Pattern.allCases {
            let column = column(pattern)
            var line = AcceptanceTable.pad(pattern.name, -22)
            for moment in moments.indices {
                let mean = AcceptanceTable.tenths(column.mean[moment], 10)
                line += " " + AcceptanceTable.pad("\(mean) / \(column.worst[moment] / 10)", 12)
            }
            print(line, AcceptanceTable.pad("\(column.dead)", 5))
        }
        print()
    }
}

/// A life of our rule on a line that is out now and then.
struct OutageLife {
    private(set) var rule: LearnedRule
    private(set) var dead = 0
    private var now: Int64 = 0
    private var pings: Int64 = 0
    private var hits: [Int64] = []
    private var times: [Int64] = []
    private var random: SeededRandom
    private let isToldOfLateness: Bool

    /// The kernel has repeated a ping for the last time within the time of its answer.
    private static let lastRepetition: Int64 = 13_000
    private static let pongTimeout: Int64 = 15_000
    /// How long one attempt to connect goes on.
    private static let attempt: Int64 = 10_000

    init(_ pattern: OutageTable.Pattern, seed: UInt64, isToldOfLateness: Bool) {
        random = SeededRandom(seed: seed)
        self.isToldOfLateness = isToldOfLateness
        rule = LearnedRule(jitter: random.integer(-5_000...5_000))
        switch pattern {
        case .never: break
        case .uponPing: hits = [random.integer(0...15)]
        case .uponTwoPings: hits = [random.integer(0...15), random.integer(0...15)]
        case .random: times = (0..<48).map { _ in random.integer(0...Life.week / 7) }
        }
        times.sort()
    }

    /// 10 s to 5 min, short ones as likely as long ones: 10 s × 30^x.
    private mutating func duration() -> Int64 {
        var value: Int64 = 10_000
        for _ in 0..<random.integer(0...34) { value += value / 10 }
        return min(value, 300_000)
    }

    /// How long the line is still out.
    private mutating func outage() -> Int64 {
        defer { pings += 1 }
        if hits.contains(pings) { return duration() }
        var longest: Int64 = 0
        while let begin = times.first, begin <= now {
            longest = max(longest, begin + duration() - now)
            times.removeFirst()
        }
        return longest
    }

    mutating func run(timeout: Int64, until end: Int64) {
        while now < end {
            let interval = rule.interval
            now += interval
            let out = outage()
            if interval <= timeout, out < Self.lastRepetition {
                rule.survived(now: now)
                continue
            }
            dead += 1
            rule.learner.silence(interval)
            reconnect(over: now + out)
            _ = rule.learner.reconnected(now: now)
        }
    }

    private mutating func reconnect(over: Int64) {
        now += Self.pongTimeout
        for failures in 1...100 {
            now += Backoff.delay(failures: failures, random: random.integer(0...Backoff.jitter), retryAfter: 0)
            guard now + Self.attempt < over else { break }
            now += Self.attempt
            rule.learner.attemptFailed()
        }
        // A first packet that nobody answered is repeated after a second.
        guard now < over else { return }
        if isToldOfLateness { rule.learner.attemptFailed() }
        now = over
    }
}
