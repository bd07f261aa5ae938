extension AcceptanceTable {
    /// Prints a row for each rule. False if ours breaks a bound.
    static func printAll() -> Bool {
        var isKept = true
        for geometric in [false, true] {
            let timeouts = timeouts(geometric: geometric)
            print("200 NAT timeouts from 65 s to 7,440 s, equal \(geometric ? "ratios" : "steps"), four weeks each")
            print(
                pad("rule", -22), pad("dead", 5), pad("<600s", 6), pad("later", 6), pad("blind", 7), pad("worst", 7),
                pad("above", 6), pad("off by", 7), pad("share", 6), pad("settled", 8))
            var ours = Column()
            for jitter in stride(from: Int64(-5_000), through: 5_000, by: 1_000) {
                ours = worse(ours, column(timeouts) { _ in LearnedRule(jitter: jitter) })
            }
            show("learned", ours)
            for percent in [1, 2, 5] as [Int64] {
                show(
                    "learned, T ± \(percent) %", column(timeouts, jitter: 10 * percent) { _ in LearnedRule(jitter: 0) })
            }
            show("reference, as it runs", column(timeouts) { ReferenceRule(seed: UInt64($0), hearsFailures: false) })
            show("reference, as meant", column(timeouts) { ReferenceRule(seed: UInt64($0), hearsFailures: true) })
            show("x 1.3, then bisected", column(timeouts) { _ in BisectingRule() })
            show("fixed, 15 min", column(timeouts) { _ in FixedRule(minutes: 15) })
            print()
            isKept = isKept && ours.isAccepted
        }
        print(
            """
            dead: most connections that died of silence in one life, T of 600 s or more; <600s: the same below;
            later: such more than a week after the interval changed last, all lives; blind, worst: minutes in which
            a push would have waited, mean and (600 s or more) worst; above: lives that end with an interval above T;
            off by: seconds below min(T, 3300); share: of it, T of 1500 s or more; settled: hours
            """)
        print("T ± p %: a timeout that varies so much each time, which nobody promises anything about")
        OutageTable.printAll()
        print(isKept ? "every bound is kept" : "A BOUND IS BROKEN")
        return isKept
    }

    private static func worse(_ one: Column, _ two: Column) -> Column {
        guard one.lives > 0 else { return two }
        var sum = one
        sum.dead = max(one.dead, two.dead)
        sum.deadBelowMinimum = max(one.deadBelowMinimum, two.deadBelowMinimum)
        sum.deadWhenSettled = max(one.deadWhenSettled, two.deadWhenSettled)
        sum.worstBlind = max(one.worstBlind, two.worstBlind)
        sum.blindSum = max(one.blindSum, two.blindSum)
        sum.above = max(one.above, two.above)
        sum.farthest = max(one.farthest, two.farthest)
        sum.leastShare = min(one.leastShare, two.leastShare)
        sum.slowest = max(one.slowest, two.slowest)
        return sum
    }

    private static func show(_ name: String, _ column: Column) {
        let never = column.slowest > duration - Life.week / 7
        print(
            pad(name, -22), pad("\(column.dead)", 5), pad("\(column.deadBelowMinimum)", 6),
            pad("\(column.deadWhenSettled)", 6), pad(tenths(column.meanBlind, 60_000), 7),
            pad(tenths(column.worstBlind, 60_000), 7), pad("\(column.above)", 6),
            pad("\(column.farthest / 1_000)", 7), pad("\(column.leastShare / 10) %", 6),
            pad(never ? "never" : tenths(column.slowest, 3_600_000), 8))
    }

    static func tenths(_ value: Int64, _ unit: Int64) -> String {
        let tenths = (value * 10 + unit / 2) / unit
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Right-aligned, or left-aligned where the width is negative.
    static func pad(_ text: String, _ width: Int) -> String {
        let fill = String(repeating: " ", count: max(abs(width) - text.count, 0))
        return width < 0 ? text + fill : fill + text
    }
}

extension AcceptanceTable.Column {
    /// The bounds that the learner promises.
    public var isAccepted: Bool {
        dead <= 3 && deadBelowMinimum <= 5 && deadWhenSettled == 0 && meanBlind <= 180_000 && worstBlind <= 900_000
            && above == 0 && farthest <= 120_000 && leastShare >= 920 && slowest <= 6 * 3_600_000
    }
}
