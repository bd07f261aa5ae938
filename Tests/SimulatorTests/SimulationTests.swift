import Foundation
import SGP
import Simulator
import Testing

private let hour: Int64 = 3_600_000

/// Whole months of a board in a simulated world.
@Suite(.serialized) struct SimulationTests {
    /// In a process of its own: the stores of other modules' tests take from the same memory, and what SQLite reads again
    /// from the disk depends on how much is left.
    @Test func oneSeedDecidesEverything() async {
        await #expect(processExitsWith: .success) {
            let first = await simulate(Plan(seed: 5))
            let again = await simulate(Plan(seed: 5))
            let other = await simulate(Plan(seed: 6))
            guard first.hash == again.hash, first.messages == again.messages, first.writes == again.writes,
                first.hash != other.hash
            else { exit(1) }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func monthsWithFaults(seed: UInt64) async {
        let outcome = await simulate(Plan(seed: seed))
        #expect(outcome.violation == nil)
        #expect(outcome.shown > 0 && outcome.comparisons > 0)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func monthsWithoutFaults(seed: UInt64) async {
        var plan = Plan(seed: seed)
        plan.faults = []
        let outcome = await simulate(plan)
        #expect(outcome.violation == nil)
        #expect(outcome.boots == 1 && outcome.forgotten <= 5 && outcome.comparisons > 700)
    }

    /// What these were found by has been mended; the world has changed since, so that they may go by another way now.
    @Test(
        arguments: [
            (18, "a frame of the server's proved 23 s, and the interval became that"),
            (19, "the same with 37 s"),
            (24, "the clock was set, and what had not expired counted as expired"),
            (214, "a sync failed, the program started anew, and a power cut took what was committed after that"),
            (1015, "a connection of an hour without a turn of the loop was none for the simulator"),
        ] as [(UInt64, String)])
    func seedsThatFailedOnce(seed: UInt64, fault: String) async {
        let outcome = await simulate(Plan(seed: seed))
        #expect(outcome.violation == nil, "\(fault)")
    }

    @Test func severalMonths() async {
        var plan = Plan(seed: 77)
        plan.months = 3
        let outcome = await simulate(plan)
        #expect(outcome.violation == nil)
    }

    /// Every check can fail: a program or a disk that is wrong in one way is found out within a few months.
    @Test(arguments: mutants)
    func mutantIsFoundOut(mutant: Mutant, invariant: Invariant) async {
        for seed in 1...40 as ClosedRange<UInt64> {
            var plan = Plan(seed: seed)
            plan.mutant = mutant
            guard let violation = await simulate(plan).violation else { continue }
            #expect(violation.invariant == invariant, "\(violation.text)")
            return
        }
        Issue.record("not found out")
    }

    @Test func everyInvariantHasAMutant() {
        #expect(Set(Self.mutants.map(\.1)) == Set(Invariant.allCases))
        #expect(Set(Self.mutants.map(\.0)) == Set(Mutant.allCases))
    }

    static let mutants: [(Mutant, Invariant)] = [
        (.acknowledgesEarly, .acknowledgedIsKept), (.disk, .acknowledgedIsKept), (.showsAgain, .shownOnce),
        (.waits, .deadline), (.givesUp, .deadline), (.hurries, .backoff), (.dawdles, .backoff),
        (.forgetsDisk, .backoff), (.doubles, .oneConnection), (.keepsSet, .oneSet), (.pollsAhead, .lastSequence),
        (.trustsSending, .delivered), (.deaf, .notDeaf), (.spins, .noSpin), (.nags, .keepAlive), (.rots, .store),
    ]
}

/// What the learner promises, with the whole program around it.
@Suite(.serialized) struct LearnerInTheWorldTests {
    private func plan(_ seed: UInt64, timeout: Int64) -> Plan {
        var plan = Plan(seed: seed)
        plan.faults = []
        plan.timeout = timeout
        plan.isSilent = true
        return plan
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func worseNetworkIsLearnedAgain(seed: UInt64) async {
        var plan = plan(seed, timeout: 3_600_000)
        // Two days before the end: after a week the network is looked at anew, which may cost another connection.
        plan.change = (time: 28 * 24 * hour, timeout: 300_000)
        let outcome = await simulate(plan)
        #expect(outcome.violation == nil)
        #expect(outcome.dead > 0 && outcome.dead <= 4)
        #expect(outcome.stage == .steady && outcome.interval <= 300_000 && outcome.interval >= 180_000)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func lostPongsDoNotShrinkTheInterval(seed: UInt64) async {
        var plan = plan(seed, timeout: 3_600_000)
        plan.lostPongs = 20
        plan.months = 2
        let outcome = await simulate(plan)
        #expect(outcome.violation == nil)
        #expect(outcome.interval == 3_300_000)
    }

    @Test(arguments: [(90, 5), (240, 5), (590, 5), (900, 3), (1_800, 3), (3_400, 3), (7_200, 3)] as [(Int64, Int)])
    func fewConnectionsDie(timeout: Int64, dead: Int) async {
        let outcome = await simulate(plan(9, timeout: timeout * 1_000))
        #expect(outcome.violation == nil)
        #expect(outcome.dead <= dead)
        #expect(outcome.interval <= timeout * 1_000 && outcome.interval >= min(timeout * 1_000, 3_300_000) - 120_000)
    }
}
