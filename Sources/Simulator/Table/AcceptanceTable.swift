/// 200 NAT timeouts from 65 s to 7,440 s, four weeks of each, and what each rule makes of them.
public struct AcceptanceTable: Sendable {
    /// The worst and the mean over a range of timeouts. Milliseconds.
    public struct Column: Sendable {
        public var dead = 0
        public var deadBelowMinimum = 0
        public var deadWhenSettled = 0
        public var worstBlind: Int64 = 0
        public var blindSum: Int64 = 0
        public var lives: Int64 = 0
        public var above = 0
        public var farthest: Int64 = 0
        /// Thousandths of min(T, ceiling), where T is at least 1500 s.
        public var leastShare: Int64 = 1_000
        public var slowest: Int64 = 0
        /// Second connections, the most of them that died in one life, and wake-ups in the first day.
        public var probes = 0
        public var deadProbes = 0
        public var wakes = 0

        public var meanBlind: Int64 { blindSum / max(lives, 1) }

        mutating func add(_ life: Life, timeout: Int64) {
            let best = min(timeout, AcceptanceTable.ceiling)
            lives += 1
            deadWhenSettled += life.deadWhenSettled
            blindSum += life.blind
            slowest = max(slowest, life.settled)
            probes += life.probes
            deadProbes = max(deadProbes, life.deadProbes)
            wakes += life.wakes
            if life.interval > timeout { above += 1 }
            farthest = max(farthest, best - life.interval)
            if timeout < 600_000 {
                deadBelowMinimum = max(deadBelowMinimum, life.dead)
            } else {
                dead = max(dead, life.dead)
                worstBlind = max(worstBlind, life.blind)
            }
            if timeout >= 1_500_000 { leastShare = min(leastShare, life.interval * 1_000 / best) }
        }
    }

    public static let ceiling: Int64 = 3_300_000
    public static let duration: Int64 = 4 * Life.week

    /// Equal steps or equal ratios, in milliseconds.
    public static func timeouts(geometric: Bool) -> [Int64] {
        let count = 200
        guard geometric else { return (0..<count).map { 65_000 + 7_375_000 * Int64($0) / Int64(count - 1) } }
        // 114.46^(1/199)
        let ratio = 1.024_106_265
        var value = 65_000.0
        return (0..<count).map { _ in
            defer { value *= ratio }
            return Int64(value)
        }
    }

    /// - Parameter jitter: the NAT's timeout varies by so many thousandths each time.
    public static func column<Rule: KeepAliveRule>(
        _ timeouts: [Int64], jitter: Int64 = 0, _ make: (Int) -> Rule
    ) -> Column {
        var column = Column()
        for (index, timeout) in timeouts.enumerated() {
            var life = Life()
            var rule = make(index)
            var random = SeededRandom(seed: UInt64(index))
            life.run(
                &rule, until: duration,
                timeout: { _ in jitter == 0 ? timeout : timeout + timeout * random.integer(-jitter...jitter) / 1_000 })
            column.add(life, timeout: timeout)
        }
        return column
    }
}
