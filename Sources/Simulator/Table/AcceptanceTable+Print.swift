extension AcceptanceTable {
    /// Prints a row for each rule. False if ours breaks a bound.
    static func printAll() -> Bool {
        var isKept = true
        for geometric in [false, true] {
            let timeouts = timeouts(geometric: geometric)
            print("200 NAT timeouts from 65 s to 7,440 s, equal \(geometric ? "ratios" : "steps"), four weeks each")
            print(
                pad("rule", -25), pad("dead", 5), pad("<600s", 6), pad("later", 6), pad("blind", 7), pad("worst", 7),
                pad("above", 6), pad("off by", 7), pad("share", 6), pad("settled", 8), pad("2nd", 6), pad("dead", 5),
                pad("wakes", 7))
            var (ours, apart) = (Column(), Column())
            for jitter in stride(from: Int64(-5_000), through: 5_000, by: 1_000) {
                ours = worse(ours, column(timeouts) { _ in LearnedRule(jitter: jitter) })
                apart = worse(apart, column(timeouts) { _ in LearnedRule(jitter: jitter, apart: true) })
            }
            show("learned", ours)
            show("learned apart", apart)
            for percent in [1, 2, 5] as [Int64] {
                for isApart in [false, true] {
                    show(
                        "learned\(isApart ? " apart" : ""), T ± \(percent) %",
                        column(timeouts, jitter: 10 * percent) { _ in LearnedRule(jitter: 0, apart: isApart) })
                }
            }
            show("reference, as it runs", column(timeouts) { ReferenceRule(seed: UInt64($0), hearsFailures: false) })
            show("reference, as meant", column(timeouts) { ReferenceRule(seed: UInt64($0), hearsFailures: true) })
            show("x 1.3, then bisected", column(timeouts) { _ in BisectingRule() })
            show("fixed, 15 min", column(timeouts) { _ in FixedRule(minutes: 15) })
            print()
            isKept = isKept && ours.isAccepted && apart.isAccepted && apart.isUninterrupted
        }
        print(
            """
            dead: most connections that died of silence in one life, T of 600 s or more; <600s: the same below;
            later: such more than a week after the interval changed last, all lives; blind, worst: minutes in which
            a push would have waited, mean and (600 s or more) worst; above: lives that end with an interval above T;
            off by: seconds below min(T, 3300); share: of it, T of 1500 s or more; settled: hours until the search ends;
            2nd: second connections in a life, mean; dead: the most of them that died in one life; wakes: times the
            board had to ask or to connect on the first day, mean
            """)
        print("apart: longer silences than were proven are tried on a second connection, so that the live one is kept")
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
        sum.probes = max(one.probes, two.probes)
        sum.deadProbes = max(one.deadProbes, two.deadProbes)
        sum.wakes = max(one.wakes, two.wakes)
        return sum
    }

    private static func show(_ name: String, _ column: Column) {
        let never = column.slowest > duration - Life.week / 7
        print(
            pad(name, -25), pad("\(column.dead)", 5), pad("\(column.deadBelowMinimum)", 6),
            pad("\(column.deadWhenSettled)", 6), pad(tenths(column.meanBlind, 60_000), 7),
            pad(tenths(column.worstBlind, 60_000), 7), pad("\(column.above)", 6),
            pad("\(column.farthest / 1_000)", 7), pad("\(column.leastShare / 10) %", 6),
            pad(never ? "never" : tenths(column.slowest, 3_600_000), 8),
            pad(tenths(Int64(column.probes), max(column.lives, 1)), 6), pad("\(column.deadProbes)", 5),
            pad(tenths(Int64(column.wakes), max(column.lives, 1)), 7))
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

    /// What probing on a second connection promises beyond them.
    public var isUninterrupted: Bool { dead == 0 && deadBelowMinimum == 0 && blindSum == 0 }
}
