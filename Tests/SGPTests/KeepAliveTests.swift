import SGP
import Testing

private let second: Int64 = 1_000
private let hour: Int64 = 3_600_000

@Suite struct KeepAliveTests {
    private func learner() -> KeepAlive {
        KeepAlive(minimum: 600 * second, maximum: 3_300 * second, pongTimeout: 15 * second)
    }

    private func settled(at proven: Int64, refuted: Int64? = nil) -> KeepAlive {
        var learner = learner()
        learner.restore(proven: proven * second, refuted: refuted.map { $0 * second }, now: 0)
        return learner
    }

    private func dies(_ learner: inout KeepAlive, _ idle: Int64, now: Int64 = 0) -> KeepAlive.Change? {
        learner.silence(idle * second)
        return learner.reconnected(now: now)
    }

    @Test func climbsTheLadder() {
        var learner = learner()
        var rungs: [Int64] = []
        while learner.stage == .initialGrowth {
            rungs.append(learner.interval / second)
            #expect(learner.survived(learner.interval, now: 0) == .proven)
        }
        // Half more, the minimum, 35 % more, then 400 s more.
        #expect(rungs == [120, 180, 270, 405, 600, 810, 1093, 1476, 1876, 2276, 2676, 3076, 3300])
        #expect(learner.stage == .steady && learner.interval == 3_300 * second)
    }

    @Test func failureBeginsRefinedGrowth() {
        var learner = learner()
        _ = learner.survived(150 * second, now: 0)
        #expect(learner.interval == 180 * second, "more than was asked for proves only what was asked for")
        while learner.interval < 810 * second { _ = learner.survived(learner.interval, now: 0) }
        #expect(dies(&learner, 810) == .refuted)
        #expect(learner.stage == .refinedGrowth && learner.interval == 705 * second)
        #expect(learner.proven == 600 * second && learner.refuted == 810 * second)
    }

    @Test func goesBelowTheMinimumDownToAMinute() {
        var learner = learner()
        #expect(dies(&learner, 120) == .refuted)
        #expect(learner.interval == 60 * second && learner.stage == .backoff)
        #expect(dies(&learner, 60) == .refuted)
        #expect(learner.interval == 60 * second)
        #expect(dies(&learner, 60) == nil, "nothing new, nothing to store")
    }

    @Test func oneStrikeIsNotTwo() {
        var learner = settled(at: 3_300)
        #expect(dies(&learner, 3_300) == .doubted)
        #expect(learner.stage == .backoff && learner.interval == 600 * second)
        #expect(learner.survived(600 * second, now: 0) == nil)
        #expect(learner.interval == 3_300 * second)
        #expect(learner.survived(3_300 * second, now: 0) == .confirmed)
        #expect(learner.strikes == 0 && learner.proven == 3_300 * second && learner.stage == .steady)
    }

    @Test func secondStrikeShrinks() {
        var learner = settled(at: 3_300)
        _ = dies(&learner, 3_300)
        _ = learner.survived(600 * second, now: 0)
        #expect(dies(&learner, 3_300) == .refuted)
        #expect(learner.proven == 600 * second && learner.refuted == 3_168 * second)
        var both = settled(at: 3_300)
        _ = dies(&both, 3_300)
        #expect(dies(&both, 600) == .refuted)
        #expect(both.proven == 0 && both.interval == 300 * second && both.stage == .backoff)
    }

    /// Once or twice may be chance, once more is a limit that varies.
    @Test func limitThatVariesIsKeptAwayFrom() {
        var learner = settled(at: 2_000)
        var now: Int64 = 0
        var changes: [KeepAlive.Change?] = []
        for _ in 0..<3 {
            now += 50 * 2_000 * second
            #expect(dies(&learner, 2_000, now: now) == .doubted)
            #expect(learner.survived(600 * second, now: now) == nil)
            changes.append(learner.survived(2_000 * second, now: now))
        }
        #expect(changes == [.confirmed, .confirmed, .refuted])
        #expect(learner.proven == 1_920 * second && learner.interval == 1_920 * second)
        #expect(learner.refuted == 2_000 * second && learner.stage == .steady)
    }

    @Test func rareChanceChangesNothing() {
        var learner = settled(at: 2_000)
        for turn in 1...20 as ClosedRange<Int64> {
            let now = turn * 260 * 2_000 * second
            #expect(dies(&learner, 2_000, now: now) == .doubted)
            #expect(learner.survived(600 * second, now: now) == nil)
            #expect(learner.survived(2_000 * second, now: now) == .confirmed)
        }
        #expect(learner.interval == 2_000 * second)
    }

    /// Where not even the floor is survived, a frame of the server's soon after another proves next to nothing.
    @Test func intervalNeverGoesBelowItsFloor() {
        var learner = learner()
        #expect(dies(&learner, 120) == .refuted)
        #expect(dies(&learner, 60) == .refuted)
        #expect(learner.survived(23 * second, now: 0) == .proven)
        #expect(learner.proven == 23 * second && learner.interval == 60 * second)
        #expect(dies(&learner, 60) == nil && dies(&learner, 60) == nil, "nothing new, nothing to store")
    }

    @Test func outageIsNoEvidence() {
        var learner = settled(at: 1_875, refuted: 2_000)
        learner.silence(1_875 * second)
        learner.attemptFailed()
        #expect(learner.reconnected(now: 0) == nil && learner.strikes == 0)
        learner.silence(1_875 * second)
        learner.attemptFailed()
        #expect(learner.reconnected(now: 0) == nil)
        // A network that always fails once after a silence is believed in the end.
        learner.silence(1_875 * second)
        learner.attemptFailed()
        #expect(learner.reconnected(now: 0) == .doubted)
    }

    @Test func sleepIsNoEvidence() {
        var learner = settled(at: 1_875, refuted: 2_000)
        #expect(dies(&learner, 1_875 + 60) == nil)
        #expect(dies(&learner, 1_875 + 59) == .doubted)
    }

    @Test func pushAfterALongSilenceIsProof() {
        var learner = learner()
        learner = settled(at: 600, refuted: 670)
        #expect(learner.survived(650 * second, now: 0) == nil, "it slept less than a minute too long")
        #expect(learner.interval == 600 * second)
        var growing = self.learner()
        #expect(growing.survived(119 * second + 999, now: 0) == .proven)
        #expect(growing.proven == 119 * second && growing.interval == 180 * second)
    }

    @Test func knownNetworkIsSteadyAtOnce() {
        let known = settled(at: 1_875, refuted: 1_990)
        #expect(known.stage == .steady && known.interval == 1_875 * second)
        let lowered = settled(at: 9_000, refuted: 9_100)
        #expect(lowered.interval == 3_300 * second && lowered.refuted == nil)
        #expect(settled(at: 0).interval == 120 * second)
    }

    /// Whatever the search had come to: it goes on once what was proven has held again.
    @Test(
        arguments: [
            (780, nil, 0, 1_093), (780, 1_093, 1, 936), (1_000, 1_040, 1, 1_040), (1_000, 1_040, 2, 1_000),
            (300, 340, 2, 340), (300, 340, 3, 300), (3_000, 3_080, 1, 3_000),
        ] as [(Int64, Int64?, Int, Int64)])
    func interruptedSearchGoesOn(proven: Int64, refuted: Int64?, failures: Int, next: Int64) {
        var learner = learner()
        learner.restore(
            proven: proven * second, refuted: refuted.map { $0 * second }, failures: failures, now: 5 * hour)
        #expect(learner.stage == .steady && learner.interval == proven * second)
        let now = 5 * hour + proven * second
        #expect(learner.survived(proven * second, now: now) == nil)
        #expect(learner.interval == next * second)
        #expect((learner.stage == .steady) == (next == proven))
    }

    /// A doubt on the way does not end the search.
    @Test func interruptedSearchOutlastsADoubt() {
        var learner = settled(at: 1_476)
        #expect(dies(&learner, 1_476) == .doubted)
        _ = learner.survived(600 * second, now: 1)
        #expect(learner.survived(1_476 * second, now: 2) == .confirmed && learner.interval == 1_476 * second)
        _ = learner.survived(1_476 * second, now: 3)
        #expect(learner.interval == 1_876 * second)
    }

    @Test func nothingProvenIsNotNothingKnown() {
        var learner = learner()
        learner.restore(proven: 0, refuted: 120 * second, failures: 1, now: 0)
        #expect(learner.refuted == 120 * second && learner.interval == 60 * second && learner.stage == .backoff)
        #expect(learner.failures == 1 && learner.nextLook == nil)
        learner.restore(proven: 0, refuted: nil, now: 0)
        #expect(learner.interval == 120 * second && learner.stage == .initialGrowth)
    }

    // MARK: Outages

    /// One hiccup at the first 600 s does not cost the other 2,700.
    @Test func oneSilenceIsTriedOnceMore() {
        var learner = learner()
        while learner.interval < 600 * second { _ = learner.survived(learner.interval, now: 0) }
        #expect(dies(&learner, 600) == .refuted)
        #expect(learner.failures == 1)
        var tried: [Int64] = []
        while tried.last ?? 0 < 600, tried.count < 10 {
            tried.append(learner.interval / second)
            #expect(learner.survived(learner.interval, now: 0) == .proven)
        }
        #expect(tried == [502, 551, 600])
        #expect(learner.refuted == nil && learner.failures == 0 && learner.interval == 810 * second)
    }

    /// The second silence is believed, and told: the row has to know.
    @Test func twoSilencesAreBelieved() {
        var learner = learner()
        while learner.interval < 810 * second { _ = learner.survived(learner.interval, now: 0) }
        _ = dies(&learner, 810)
        _ = learner.survived(705 * second, now: 0)
        _ = learner.survived(757 * second, now: 0)
        #expect(learner.interval == 810 * second && learner.stage == .refinedGrowth)
        #expect(dies(&learner, 810, now: 7) == .refuted)
        #expect(learner.stage == .steady && learner.interval == 757 * second && learner.failures >= 2)
        #expect(learner.nextLook == 7 + 30 * 24 * hour)
    }

    /// What was found is looked at again after a month, then after two, and at most every four months.
    @Test func looksAgainWithDoublingPatience() {
        var learner = settled(at: 1_875, refuted: 1_990)
        var now: Int64 = 0
        for days in [30, 60, 120, 120] as [Int64] {
            #expect(learner.survived(1_875 * second, now: now + days * 24 * hour - 1) == nil)
            #expect(learner.interval == 1_875 * second && learner.nextLook == now + days * 24 * hour)
            now += days * 24 * hour
            _ = learner.survived(1_875 * second, now: now)
            #expect(learner.interval > 1_990 * 9 / 8 * second && learner.stage == .initialGrowth)
            #expect(dies(&learner, learner.interval / second, now: now) == .refuted, "the patience is to be stored")
            #expect(learner.interval == 1_875 * second && learner.refuted == 1_990 * second)
        }
        now += 120 * 24 * hour
        _ = learner.survived(1_875 * second, now: now)
        #expect(learner.survived(learner.interval, now: now) == .proven)
        #expect(learner.refuted == nil && learner.stage == .initialGrowth)
    }

    /// A restart takes nothing off the time, and adds nothing.
    @Test func patienceOutlivesARestart() {
        let day = 24 * hour
        for (age, isDue) in [(59 * day, false), (60 * day, true)] {
            var learner = learner()
            learner.restore(
                proven: 1_875 * second, refuted: 1_990 * second, failures: 4, patience: 60 * day, age: age, now: 9)
            #expect(learner.nextLook == 9 + 60 * day - age)
            _ = learner.survived(1_875 * second, now: 9)
            #expect((learner.interval > 1_990 * second) == isDue)
        }
    }

    @Test func shrunkNetworkIsLookedAtAfterAWeek() {
        var learner = settled(at: 3_300)
        _ = dies(&learner, 3_300)
        _ = learner.survived(600 * second, now: 0)
        #expect(dies(&learner, 3_300) == .refuted)
        while learner.stage != .steady { _ = learner.survived(learner.interval, now: 0) }
        #expect(learner.nextLook == 7 * 24 * hour && learner.refuted == 3_168 * second)
    }

    // MARK: Bounds

    // MARK: Longer silences on a second connection

    private func apart() -> KeepAlive {
        var learner = learner()
        learner.probesApart = true
        return learner
    }

    @Test func nothingIsTriedApartUnlessWanted() {
        var learner = learner()
        #expect(learner.candidate == nil && learner.interval == 120 * second)
        #expect(learner.probed(120 * second, isAlive: true, now: 0) == nil)
        #expect(learner.proven == 0)
        var fixed = KeepAlive(interval: 900 * second, pongTimeout: second)
        fixed.probesApart = true
        #expect(fixed.candidate == nil && fixed.interval == 900 * second)
    }

    /// The same rungs; the live connection is asked at the one below, at first at the floor.
    @Test func climbsTheLadderApart() {
        var learner = apart()
        var rungs: [Int64] = []
        var intervals: [Int64] = []
        while let candidate = learner.candidate {
            rungs.append(candidate / second)
            intervals.append(learner.interval / second)
            #expect(learner.survived(learner.interval, now: 0) == (rungs.count == 1 ? .proven : nil))
            #expect(learner.candidate == candidate, "what the live connection survives changes nothing")
            #expect(learner.probed(candidate, isAlive: true, now: 0) == .proven)
        }
        #expect(rungs == [120, 180, 270, 405, 600, 810, 1093, 1476, 1876, 2276, 2676, 3076, 3300])
        #expect(intervals == [60] + rungs.dropLast())
        #expect(learner.stage == .steady && learner.interval == 3_300 * second)
    }

    @Test func deadProbeBeginsRefinedGrowth() {
        var learner = apart()
        while let candidate = learner.candidate, candidate < 810 * second {
            _ = learner.probed(candidate, isAlive: true, now: 0)
        }
        #expect(learner.probed(600 * second, isAlive: false, now: 0) == nil, "it was survived before")
        #expect(learner.probed(810 * second, isAlive: false, now: 0) == .refuted)
        #expect(learner.stage == .refinedGrowth && learner.candidate == 705 * second)
        #expect(learner.interval == 600 * second && learner.proven == 600 * second)
        #expect(learner.refuted == 810 * second)
        #expect(learner.probed(705 * second, isAlive: false, now: 0) == .refuted)
        #expect(learner.stage == .refinedGrowth && learner.candidate == 652 * second)
        #expect(learner.probed(652 * second, isAlive: true, now: 0) == .proven)
        #expect(learner.stage == .steady && learner.candidate == nil && learner.interval == 652 * second)
    }

    /// A live connection that dies at what was proven is asked about first; the search goes on where it was.
    @Test func doubtInterruptsTheSearch() {
        var learner = apart()
        while let candidate = learner.candidate, candidate < 1_093 * second {
            _ = learner.probed(candidate, isAlive: true, now: 0)
        }
        _ = learner.probed(1_093 * second, isAlive: false, now: 0)
        let candidate = learner.candidate
        #expect(candidate == 951 * second)
        learner.silence(810 * second)
        #expect(learner.probed(951 * second, isAlive: true, now: 0) == nil, "until it is known what that was")
        #expect(learner.reconnected(now: 0) == .doubted)
        #expect(learner.candidate == nil && learner.interval == 405 * second)
        #expect(learner.probed(951 * second, isAlive: true, now: 0) == nil)
        #expect(learner.survived(405 * second, now: 0) == nil && learner.interval == 810 * second)
        #expect(learner.candidate == nil)
        #expect(learner.survived(810 * second, now: 0) == .confirmed)
        #expect(learner.candidate == candidate && learner.interval == 810 * second)
    }

    @Test func settledNetworkLooksFurtherApart() {
        var learner = apart()
        learner.restore(proven: 1_875 * second, refuted: nil, now: 0)
        #expect(learner.candidate == nil && learner.interval == 1_875 * second)
        _ = learner.survived(1_875 * second, now: 1_875 * second)
        #expect(learner.candidate == 2_276 * second && learner.interval == 1_875 * second)
        // Where the server is not willing, the live connection tries it.
        learner.probesApart = false
        #expect(learner.candidate == nil && learner.interval == 2_276 * second)
        #expect(learner.fresh(jitter: 0).candidate == nil)
        learner.probesApart = true
        #expect(learner.fresh(jitter: 0).candidate == 120 * second)
    }

    @Test func fixedIntervalStays() {
        var fixed = KeepAlive(minimum: 2 * second, maximum: 2 * second, pongTimeout: second)
        #expect(fixed.stage == .steady && fixed.interval == 2 * second)
        #expect(fixed.survived(2 * second, now: 0) == nil && dies(&fixed, 2) == nil)
        #expect(fixed.interval == 2 * second && fixed.proven == 2 * second)
        let modem = fixed.fresh(jitter: 0, maximum: second)
        #expect(modem.isFixed && modem.interval == 2 * second, "what the configuration fixes stays")
        let reversed = KeepAlive(minimum: 900 * second, maximum: 60 * second, pongTimeout: second)
        #expect(reversed.maximum == 900 * second)
    }

    /// A minimum above what the network is asked to hold at most fixes nothing.
    @Test func minimumAboveTheNetworksLimit() {
        for minimum in [1_679, 1_680, 1_681, 1_800, 3_299] as [Int64] {
            let configured = KeepAlive(minimum: minimum * second, maximum: 3_300 * second, pongTimeout: 15 * second)
            var modem = configured.fresh(jitter: 0, maximum: 1_680 * second)
            #expect(!modem.isFixed && modem.minimum == min(minimum, 1_680) * second)
            #expect(modem.maximum == 1_680 * second && modem.interval == 120 * second)
            var turns = 0
            while modem.stage != .steady, turns < 20 {
                _ = modem.survived(modem.interval, now: 0)
                turns += 1
            }
            #expect(modem.interval == 1_680 * second && modem.proven == 1_680 * second)
        }
    }

    @Test func extremesDoNotTrap() {
        for value in [Int64.min, -1, 0, 1, .max] {
            var learner = KeepAlive(minimum: value, maximum: 3_300_000, pongTimeout: 1)
            _ = learner.survived(value, now: value)
            learner.silence(value)
            _ = learner.reconnected(now: value)
            #expect(learner.interval > 0)
            learner.restore(
                proven: value, refuted: value, failures: Int(value), patience: value, age: value, now: value)
            _ = learner.nextLook
            _ = learner.survived(learner.interval, now: value)
            learner.silence(learner.interval)
            _ = learner.reconnected(now: value)
            #expect(learner.interval > 0 && learner.interval <= learner.maximum)
            learner.probesApart = true
            _ = learner.probed(value, isAlive: false, now: value)
            _ = learner.probed(value, isAlive: true, now: value)
            #expect(learner.interval > 0)
        }
    }
}
