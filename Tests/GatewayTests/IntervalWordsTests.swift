import Bytes
import SGP
import Store
import Testing

@testable import Gateway

@Suite struct IntervalWordsTests {
    private static let now: Int64 = 1_800_000_000

    private func words(_ write: (inout ByteBuffer) -> Void) -> String {
        var out = ByteBuffer(capacity: 1024)
        write(&out)
        return String(decoding: out.pointer, as: UTF8.self)
    }

    private func learner(minimum: Int64 = 600, maximum: Int64 = 3_300) -> KeepAlive {
        KeepAlive(minimum: minimum * 1_000, maximum: maximum * 1_000, pongTimeout: 15_000)
    }

    private func brief(_ learner: KeepAlive, _ evidence: IntervalEvidence = IntervalEvidence(), now: Int64 = 0)
        -> String
    {
        let state = IntervalState(learner, now: now, unixTime: Self.now)
        return words { $0.append(brief: state, evidence, now: Self.now) }
    }

    private func reason(_ learner: KeepAlive) -> String {
        let state = IntervalState(learner, now: 0, unixTime: Self.now)
        return words { $0.append(reason: state) }
    }

    // MARK: Each thing that a learner can do

    @Test func beginning() {
        #expect(brief(learner()) == "every 2 min: a first try on this network")
        #expect(reason(learner()) == "Nothing is known of this network yet: 2 min is a cautious first try.")
    }

    @Test func fixed() {
        #expect(brief(learner(minimum: 900, maximum: 900)) == "every 15 min: fixed by the configuration")
        #expect(IntervalState(learner(minimum: 900, maximum: 900), now: 0, unixTime: 0).probe == nil)
    }

    @Test func growing() {
        var learner = learner()
        _ = learner.survived(120_000, now: 1)
        #expect(brief(learner) == "every 3 min: trying more than the proven 2 min")
        #expect(reason(learner).contains("nothing speaks against more"))
        let state = IntervalState(learner, now: 1, unixTime: 1)
        #expect(state.probe == IntervalState.Probe(interval: 180, due: nil))
    }

    @Test func nothingSurvives() {
        var learner = learner()
        learner.silence(120_000)
        _ = learner.reconnected(now: 1)
        #expect(brief(learner) == "every 60 s: 2 min was not survived, shorter is tried")
        #expect(reason(learner) == "A silence of 2 min was not survived, so shorter ones are tried until one is.")
    }

    @Test func between() {
        var learner = learner()
        learner.restore(proven: 600_000, refuted: nil, now: 0)
        _ = learner.survived(600_000, now: 600_000)
        learner.silence(learner.interval)
        _ = learner.reconnected(now: 600_001)
        #expect(learner.stage == .refinedGrowth)
        #expect(reason(learner).contains("one between the two is tried"))
        _ = learner.survived(learner.interval, now: 2_000_000)
        _ = learner.survived(learner.interval, now: 3_000_000)
        #expect(learner.interval == learner.refuted)
        #expect(reason(learner).contains("maybe by chance, so it is tried once more"))
    }

    @Test func settledBelowACeiling() {
        var learner = learner()
        learner.restore(proven: 1_680_000, refuted: 1_790_000, now: 0)
        let evidence = IntervalEvidence(provenAt: Self.now - 3 * 86_400 - 5, refutedAt: Self.now, refutations: 1)
        #expect(brief(learner, evidence) == "every 28 min: proved 3 days ago, nothing longer survived")
        #expect(reason(learner).contains("28 min is the longest silence that was survived; 29 min 50 s was not."))
        #expect(reason(learner).contains("not worth another dead connection"))
        let probe = IntervalState(learner, now: 0, unixTime: Self.now).probe
        #expect(probe?.due == Self.now + 30 * 86_400 && probe.map { $0.interval > 1_790 } == true)
    }

    @Test func interrupted() {
        var learner = learner()
        learner.restore(proven: 600_000, refuted: 810_000, now: 0)
        #expect(brief(learner) == "every 10 min: proved, longer tried next")
        #expect(reason(learner).hasSuffix("The search goes on once this has held again."))
        #expect(
            IntervalState(learner, now: 0, unixTime: Self.now).probe
                == IntervalState.Probe(interval: 705, due: Self.now))
    }

    /// A modem holds no silence of the configured minimum: nothing is fixed, and the bounds are the network's.
    @Test func minimumAboveTheNetworksLimit() {
        let learner = learner(minimum: 1_800).fresh(jitter: 0, maximum: 1_680_000)
        let state = IntervalState(learner, now: 0, unixTime: 0)
        #expect(!state.isFixed && state.minimum == 1_680 && state.maximum == 1_680 && state.interval == 120)
        #expect(reason(learner) == "Nothing is known of this network yet: 2 min is a cautious first try.")
    }

    @Test func settledWithoutACeiling() {
        var learner = learner()
        learner.restore(proven: 600_000, refuted: nil, now: 1_000)
        #expect(brief(learner, now: 1_000) == "every 10 min: proved, longer tried next")
        let state = IntervalState(learner, now: 1_000, unixTime: Self.now)
        #expect(state.probe?.due == Self.now)
        #expect(state.probe.map { $0.interval > 600 } == true)
    }

    @Test func atTheMaximum() {
        var learner = learner()
        learner.restore(proven: 3_300_000, refuted: nil, now: 0)
        let evidence = IntervalEvidence(provenAt: Self.now - 60)
        #expect(brief(learner, evidence) == "every 55 min: proved 1 minute ago, the longest allowed")
    }

    @Test func onASecondConnection() {
        var learner = learner()
        learner.probesApart = true
        #expect(brief(learner) == "every 60 s: longer is tried on a second connection")
        #expect(
            reason(learner)
                == "A silence of 2 min is tried on a second connection, which may die of it. The one that notifications "
                + "come on is asked more often than anything is known to need.")
        _ = learner.probed(120_000, isAlive: true, now: 0)
        #expect(brief(learner) == "every 2 min: longer is tried on a second connection")
        #expect(reason(learner).hasSuffix("is asked at what was survived."))
        let state = IntervalState(learner, now: 0, unixTime: 0)
        #expect(state.probe == .init(interval: 180, due: nil) && state.place == .second)
        learner.restore(proven: 600_000, refuted: nil, now: 1_000)
        #expect(brief(learner, now: 1_000) == "every 10 min: proved, longer tried next")
        #expect(IntervalState(learner, now: 1_000, unixTime: 0).probe?.interval == 810)
    }

    /// The lowest interval there is can be tried on the live connection alone.
    @Test func lowestOfAll() {
        var learner = learner(minimum: 2, maximum: 8)
        learner.probesApart = true
        let state = IntervalState(learner, now: 0, unixTime: 0)
        #expect(state.probe == .init(interval: 2, due: nil) && state.place == .live)
        _ = learner.survived(2_000, now: 2_000)
        let next = IntervalState(learner, now: 2_000, unixTime: 2)
        #expect(next.interval == 2 && next.probe == .init(interval: 8, due: nil) && next.place == .second)
    }

    @Test func onNoSecondConnection() {
        var state = IntervalState(learner(), now: 0, unixTime: 0)
        state.place = .refused
        let text = words { $0.append(reason: state) }
        #expect(text.hasPrefix("The server takes no second connection to try anything on. Nothing is known"))
        let brief = words { $0.append(brief: state, IntervalEvidence(), now: 0) }
        #expect(brief == "every 2 min: a first try on this network")
    }

    @Test func doubted() {
        var learner = learner()
        learner.restore(proven: 1_680_000, refuted: 1_790_000, now: 0)
        learner.silence(1_680_000)
        _ = learner.reconnected(now: 1)
        #expect(brief(learner) == "every 10 min: 28 min got no answer once, maybe by chance")
        #expect(reason(learner).hasPrefix("28 min of silence was proven and then got no answer once."))
    }

    /// No line of `status` is longer than a screen.
    @Test func briefIsBrief() {
        for interval in [59, 121, 3_299, 86_399, 86_400] as [Int64] {
            for proven in [0, interval - 1, interval] {
                for refuted in [nil, interval + 1] {
                    for doubted in [false, true] {
                        let state = IntervalState(
                            stage: .steady, interval: interval, proven: proven, refuted: refuted, isDoubted: doubted,
                            minimum: 60, maximum: 86_400,
                            probe: refuted == nil ? .init(interval: interval + 40, due: Self.now + 86_399) : nil)
                        let evidence = IntervalEvidence(provenAt: Self.now - 364 * 86_400)
                        let text = words { $0.append(brief: state, evidence, now: Self.now) }
                        #expect(text.utf8.count <= 67, "\(text)")
                    }
                }
            }
        }
    }

    // MARK: Numbers

    @Test(
        arguments: [
            (Int64.min, "0 s"), (0, "0 s"), (119, "119 s"), (120, "2 min"), (121, "2 min 1 s"), (7_199, "119 min 59 s"),
            (7_200, "2 h"), (86_399, "23 h 59 min"), (86_400, "1 d"), (90_000, "1 d 1 h"),
        ] as [(Int64, String)])
    func spans(seconds: Int64, expected: String) {
        #expect(words { $0.append(span: seconds) } == expected)
    }

    @Test(
        arguments: [
            (-1, ""), (0, " just now"), (59, " just now"), (60, " 1 minute ago"), (3_599, " 59 minutes ago"),
            (3_600, " 1 hour ago"), (86_399, " 23 hours ago"), (86_400, " 1 day ago"), (2 * 86_400, " 2 days ago"),
        ] as [(Int64, String)])
    func ago(seconds: Int64, expected: String) {
        #expect(words { $0.append(ago: Self.now - seconds, now: Self.now) } == expected)
    }

    // MARK: The control socket

    @Test func stateSurvivesTheSocket() {
        let states = [
            IntervalState(
                stage: .steady, interval: 1, proven: 2, refuted: 3, isDoubted: true, minimum: 4, maximum: 5,
                probe: .init(interval: 6, due: 7), isFixed: true),
            IntervalState(
                stage: .backoff, interval: .max, proven: 0, refuted: nil, isDoubted: false, minimum: 4, maximum: 4,
                probe: .init(interval: 6, due: nil), place: .second),
            IntervalState(
                stage: .initialGrowth, interval: 1, proven: 0, refuted: nil, isDoubted: false, minimum: 4, maximum: 4,
                probe: nil, place: .refused),
        ]
        for state in states {
            let line = words { state.append(to: &$0) }
            #expect(IntervalState(line.split(separator: " ").map(String.init)[...]) == state)
        }
        for line in [
            "", "1 2", "9 1 2 3 1 4 5 6 7 0 0", "2 1 2 3 1 4 5 6 x 0 0", "- 1 2 3 1 4 5 6 7 0 0",
            "2 1 2 3 1 4 5 6 7 0 0 8", "2 1 2 3 1 4 5 6 7 0", "2 1 2 3 1 4 5 6 7 3 0", "2 1 2 3 1 4 5 6 7 - 0",
            "2 1 2 3 1 4 5 6 7 0 -",
        ] {
            #expect(IntervalState(line.split(separator: " ").map(String.init)[...]) == nil, "\(line)")
        }
    }

    // MARK: Evidence

    private func evidence(_ events: [(Int64, Int64, Int64)], proven: Int64, refuted: Int64?) -> IntervalEvidence {
        var evidence = IntervalEvidence()
        for (time, idle, outcome) in events {
            evidence.add(
                IntervalEvent(time: time, idle: idle, outcome: outcome, stage: 0, interval: 1), proven: proven,
                refuted: refuted)
        }
        return evidence
    }

    @Test func whatTheHistorySays() {
        let found = evidence(
            [(1, 600, 1), (2, 810, 3), (3, 810, 4), (4, 810, 3), (5, 810, 2), (6, 705, 1), (7, 9_999, 77)],
            proven: 705, refuted: 810)
        // The first doubt was dispelled and does not count.
        #expect(found.refutations == 2 && found.refutedAt == 5)
        #expect(found.provenAt == 6 && found.count == 7)
    }

    @Test func whatTheHistoryDoesNotSay() {
        let found = evidence([(1, 600, 1), (2, 1_000, 2)], proven: 705, refuted: 810)
        #expect(found.provenAt == nil && found.refutedAt == nil && found.refutations == 0)
        #expect(evidence([], proven: 0, refuted: nil) == IntervalEvidence())
    }

    // MARK: Names

    @Test(
        arguments: [
            ("eth0", 1, "b827eb123456", "eth0, ethernet, gateway b8:27:eb:12:34:56"),
            ("ppp0", 3, "", "ppp0, wwan"), ("eth0", 1, "c0a80101", "eth0, ethernet, gateway 192.168.1.1"),
            (
                "wlan0", 2, "fe800000000000000000000000000001",
                "wlan0, wifi, gateway fe80:0000:0000:0000:0000:0000:0000:0001"
            ),
            ("wlan0", 2, "0102030405060708", "wlan0, wifi, network 010203040506"), ("", 0, "", "unidentified network"),
        ] as [(String, UInt8, String, String)])
    func networks(name: String, kind: UInt8, key: String, expected: String) throws {
        let name = Array(name.utf8)
        let digits = Array(key.utf8)
        let decoded = Blob<20>(hex: digits.span.bytes)
        let key = try #require(decoded)
        let kind = try #require(InterfaceKind(rawValue: kind))
        let text = words { $0.append(network: name.span.bytes, kind: kind, key: key.bytes) }
        #expect(text == expected)
    }

    @Test func wrapped() {
        let text = Array(String(repeating: "seven77 ", count: 30).utf8)
        let lines = words { $0.append(wrapped: text.span.bytes, indent: 13) }.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].utf8.count + 13 <= 80)
        for line in lines.dropFirst() { #expect(line.utf8.count <= 80 && line.hasPrefix("             s")) }
    }
}
