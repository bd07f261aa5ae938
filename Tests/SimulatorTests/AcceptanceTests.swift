import SGP
import Simulator
import Testing

private let second: Int64 = 1_000
private let minute: Int64 = 60 * second
private let hour: Int64 = 60 * minute

@Suite struct AcceptanceTests {
    @Test(arguments: [false, true], [-5_000, -2_000, 0, 3_000, 5_000] as [Int64])
    func learnerKeepsItsPromises(geometric: Bool, jitter: Int64) {
        let column = AcceptanceTable.column(AcceptanceTable.timeouts(geometric: geometric)) { _ in
            LearnedRule(jitter: jitter)
        }
        #expect(column.dead <= 3)
        #expect(column.deadBelowMinimum <= 5)
        #expect(column.deadWhenSettled == 0)
        #expect(column.meanBlind <= 3 * minute)
        #expect(column.worstBlind <= 15 * minute)
        #expect(column.above == 0)
        #expect(column.farthest <= 120 * second)
        #expect(column.leastShare >= 920)
        #expect(column.slowest <= 6 * hour)
    }

    /// What is tried on a second connection costs the live one nothing: none dies and no push waits, for as good an
    /// interval in the same time. The price is a dozen connections beside it.
    @Test(arguments: [false, true], [-5_000, -2_000, 0, 3_000, 5_000] as [Int64])
    func nothingDiesOfWhatIsTriedApart(geometric: Bool, jitter: Int64) {
        let timeouts = AcceptanceTable.timeouts(geometric: geometric)
        let column = AcceptanceTable.column(timeouts) { _ in LearnedRule(jitter: jitter, apart: true) }
        #expect(column.dead == 0)
        #expect(column.deadBelowMinimum == 0)
        #expect(column.deadWhenSettled == 0)
        #expect(column.blindSum == 0)
        #expect(column.above == 0)
        #expect(column.farthest <= 120 * second)
        #expect(column.leastShare >= 920)
        #expect(column.slowest <= 6 * hour)
        #expect(column.deadProbes <= 3)
        #expect(column.probes <= 13 * timeouts.count && column.probes > 0)
        let alone = AcceptanceTable.column(timeouts) { _ in LearnedRule(jitter: jitter) }
        #expect(alone.probes == 0 && alone.deadProbes == 0)
        #expect(column.wakes > alone.wakes && column.wakes <= alone.wakes + 30 * timeouts.count)
    }

    @Test func secondVisitCostsNothing() {
        for timeout in AcceptanceTable.timeouts(geometric: true) {
            var first = Life()
            var rule = LearnedRule(jitter: 0)
            first.run(&rule, until: Life.week, timeout: { _ in timeout })
            var again = LearnedRule(jitter: 3_000)
            again.learner.restore(proven: rule.learner.proven, refuted: rule.learner.refuted, now: 0)
            var second = Life()
            second.run(&again, until: 4 * Life.week, timeout: { _ in timeout })
            #expect(second.dead == 0, "\(timeout)")
        }
    }

    @Test(arguments: [-5_000, 0, 5_000] as [Int64])
    func worseNetworkIsLearnedAgain(jitter: Int64) {
        var life = Life()
        var rule = LearnedRule(jitter: jitter)
        life.run(&rule, until: Life.week, timeout: { _ in 3_600 * second })
        #expect(life.dead == 0 && rule.interval == 3_300 * second)
        life.run(&rule, until: Life.week + 24 * hour, timeout: { _ in 300 * second })
        #expect(life.dead <= 4)
        #expect(rule.learner.stage == .steady)
        #expect(rule.interval <= 300 * second && rule.interval >= 180 * second)
    }

    /// The live connection dies once, and once more for a second opinion; the rest is learned apart.
    @Test(arguments: [-5_000, 0, 5_000] as [Int64])
    func worseNetworkIsLearnedAgainApart(jitter: Int64) {
        var life = Life()
        var rule = LearnedRule(jitter: jitter, apart: true)
        life.run(&rule, until: Life.week, timeout: { _ in 3_600 * second })
        #expect(life.dead == 0 && rule.interval == 3_300 * second)
        life.run(&rule, until: Life.week + 24 * hour, timeout: { _ in 300 * second })
        #expect(life.dead <= 2)
        #expect(rule.learner.stage == .steady)
        #expect(rule.interval <= 300 * second && rule.interval >= 180 * second)
    }

    /// The session asks three times within the time of one pong, so that the learner sees one loss in 8,000.
    @Test func lostPongsDoNotShrinkTheInterval() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var life = Life()
            var rule = LearnedRule(jitter: 0)
            life.run(&rule, until: Life.week, timeout: { _ in 3_600 * second })
            life.run(
                &rule, until: 5 * Life.week, timeout: { _ in 3_600 * second },
                lost: { (0..<3).allSatisfy { _ in random.one(in: 20) } })
            #expect(rule.learner.proven == 3_300 * second, "seed \(seed)")
        }
    }

    @Test func othersBesideIt() {
        let timeouts = AcceptanceTable.timeouts(geometric: true)
        let reference = AcceptanceTable.column(timeouts) { ReferenceRule(seed: UInt64($0), hearsFailures: false) }
        #expect(reference.dead > 50)
        let bisecting = AcceptanceTable.column(timeouts) { _ in BisectingRule() }
        #expect(bisecting.dead <= 3)
    }

    /// The traces of the reference rule, without its jitter.
    @Test func referenceRuleIsTheReferenceRule() {
        func trace(_ steps: String) -> [Int64] {
            var rule = ReferenceRule(seed: nil, hearsFailures: true)
            return steps.map { step in
                if step == "+" { rule.survived(now: 0) } else { rule.died(now: 0) }
                return rule.interval / second
            }
        }
        #expect(trace("+++-+++++") == [1200, 1500, 1800, 1620, 1740, 1860, 2160, 2460, 2760])
        #expect(trace("--++") == [1020, 900, 900, 900])
    }
}
