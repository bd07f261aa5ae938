import Gateway
import SGP
import Simulator
import Store
import Testing

private let second: Int64 = 1_000
private let hour: Int64 = 3_600_000
private let day = 24 * hour

/// What the store keeps of a network, and what comes of it after a restart.
@Suite struct RestartTests {
    /// The learner of a process that starts at `now`, out of the row that the one before wrote.
    private func restarted(_ learner: KeepAlive, after age: Int64 = 0, jitter: Int64 = 0, now: Int64 = 0) -> LearnedRule
    {
        let learned: Int64 = 1_700_000_000
        var rule = LearnedRule(jitter: jitter)
        rule.learner.restore(LearnedInterval(learner, at: learned), now: now, unixTime: learned + age / second)
        return rule
    }

    /// Weeks after a first visit, what the store kept of it is enough for four weeks without a dead connection.
    @Test(arguments: [0, 1, 2] as [Int64])
    func secondVisitCostsNothing(days age: Int64) {
        for timeout in AcceptanceTable.timeouts(geometric: true) {
            var first = Life()
            var rule = LearnedRule(jitter: -3_000)
            first.run(&rule, until: Life.week, timeout: { _ in timeout })
            var again = restarted(rule.learner, after: age * day, jitter: 3_000)
            var second = Life()
            second.run(&again, until: 4 * Life.week - age * day, timeout: { _ in timeout })
            #expect(second.dead == 0, "\(timeout)")
        }
    }

    /// A visit after so long that networks change: one connection at most, and the network that is as it was is not
    /// asked again in the four weeks that follow, whatever restarts there are.
    @Test func visitAfterAMonth() {
        for timeout in AcceptanceTable.timeouts(geometric: true) {
            var first = Life()
            var rule = LearnedRule(jitter: 0)
            first.run(&rule, until: Life.week, timeout: { _ in timeout })
            let before = rule.interval
            var again = restarted(rule.learner, after: 31 * day)
            var second = Life()
            second.run(&again, until: day, timeout: { _ in timeout })
            #expect(second.dead == (before < 3_300_000 ? 1 : 0) && again.interval == before, "\(timeout)")
            var third = Life()
            again = restarted(again.learner, after: 31 * day)
            third.run(&again, until: 4 * Life.week, timeout: { _ in timeout })
            #expect(third.dead == 0, "\(timeout)")
        }
    }

    /// A network that holds more than it did is found out.
    @Test func betterNetworkIsFoundAfterAMonth() {
        var first = Life()
        var rule = LearnedRule(jitter: 0)
        first.run(&rule, until: Life.week, timeout: { _ in 700 * second })
        #expect(rule.interval <= 700 * second)
        first.run(&rule, until: 4 * Life.week, timeout: { _ in 7_200 * second })
        #expect(rule.interval <= 700 * second)
        first.run(&rule, until: 6 * Life.week, timeout: { _ in 7_200 * second })
        #expect(rule.interval == 3_300 * second)
    }

    /// One board's life with the power cut every so many milliseconds: when it was within 120 s of the best interval or
    /// had at least 92 % of it, and how many connections died.
    private func settled(timeout: Int64, cut: Int64, seed: UInt64) -> (time: Int64?, dead: Int) {
        var random = SeededRandom(seed: seed)
        var (now, dead): (Int64, Int) = (0, 0)
        var rule = LearnedRule(jitter: random.integer(-5_000...5_000))
        let best = min(timeout, AcceptanceTable.ceiling)
        var time: Int64?
        while now < 7 * day {
            let off = (now / cut + 1) * cut
            if now + rule.interval + 15_000 > off {
                now = off
                rule = restarted(rule.learner, jitter: random.integer(-5_000...5_000), now: now)
                continue
            }
            now += rule.interval
            if rule.interval <= timeout {
                rule.survived(now: now)
            } else {
                dead += 1
                now += 19_000
                rule.died(now: now)
            }
            let isNear = best - rule.learner.proven <= 120_000 || rule.learner.proven * 100 >= best * 92
            if isNear, time == nil { time = now }
        }
        return (time, dead)
    }

    /// Every two hours there is time for what is proven and for one longer silence. Without restarts it takes six hours.
    @Test func powerCutEveryTwoHours() {
        var (slowest, most): (Int64, Int) = (0, 0)
        for (index, timeout) in AcceptanceTable.timeouts(geometric: true).enumerated() {
            let (time, dead) = settled(timeout: timeout, cut: 2 * hour, seed: UInt64(index))
            slowest = max(slowest, time ?? .max)
            most = max(most, dead)
        }
        print("power cut every 2 h: settled within \(slowest * 10 / hour) tenths of an hour, at most \(most) dead")
        #expect(slowest <= 12 * hour)
        #expect(most <= 3)
    }
}
