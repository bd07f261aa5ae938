import Bytes
import SGP
import Testing

/// Every wait has an end (SGP v2 §2, §8): nothing one millisecond before it, the verdict on it.
@Suite struct DeadlineTests {
    private static func expect(
        _ wait: Wait, after time: Int64, in driver: Driver, from start: Int64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(driver.session.deadline == start + time, sourceLocation: sourceLocation)
        driver.now = start + time - 1
        driver.pump()
        #expect(driver.end == nil, sourceLocation: sourceLocation)
        driver.now = start + time
        driver.pump()
        #expect(driver.events == [.ended(.timeout(wait))], sourceLocation: sourceLocation)
        #expect(driver.session.phase == .closed, sourceLocation: sourceLocation)
        #expect(driver.session.deadline == .max, sourceLocation: sourceLocation)
        driver.wait(1_000_000_000)
        #expect(driver.events.count == 1, sourceLocation: sourceLocation)
    }

    @Test(arguments: [Purpose.login, .register], [(Phase.preHello, Wait.hello), (.challengeWait, .challenge)])
    func steps(purpose: Purpose, step: (phase: Phase, wait: Wait)) {
        let driver = Driver(purpose, in: step.phase)
        Self.expect(step.wait, after: 15_000, in: driver, from: driver.now)
    }

    @Test(arguments: [Purpose.login, .register]) func authentication(purpose: Purpose) {
        let driver = Driver(purpose, in: .authWait)
        Self.expect(.authentication, after: 15_000, in: driver, from: driver.now)
    }

    /// Each step has its own time.
    @Test func stepsAreCountedOneByOne() {
        let driver = Driver(.login, in: .preHello)
        driver.wait(14_999)
        driver.feed(Server.hello)
        driver.wait(14_999)
        driver.feed(Server.challenge)
        driver.wait(14_999)
        driver.feed(Server.authOK)
        #expect(driver.events == [.hello(version: 2), .challenge, .authenticated])
    }

    /// A legacy hello is no S_HELLO: it does not give the server another 15 s.
    @Test func legacyHelloDoesNotHelp() {
        let driver = Driver(.login, in: .preHello)
        let start = driver.now
        driver.wait(14_000)
        driver.feed(legacyHello(54))
        driver.forget()
        Self.expect(.hello, after: 15_000, in: driver, from: start)
    }

    /// C_LOGIN that never leaves is waited for no longer than the server would be.
    @Test func helloReceived() {
        let driver = Driver(.login, in: .helloReceived)
        Self.expect(.send, after: 15_000, in: driver, from: driver.now)
    }

    /// A challenge that our side does not answer ends as well.
    @Test func unanswered() {
        let driver = Driver(.login, in: .challengeWait)
        driver.answers = false
        driver.feed(Server.challenge)
        #expect(driver.session.deadline <= driver.now + 15_000)
        driver.wait(15_000)
        guard case .timeout = driver.end else {
            Issue.record("still waiting")
            return
        }
    }

    // MARK: Partial frames

    @Test(arguments: [1, 4, 7, 8, 11]) func partialFrame(length: Int) {
        for phase in [Phase.preHello, .challengeWait, .authWait] {
            let driver = Driver(.login, in: phase)
            driver.feed(Array(Server.sample(.disconnect).prefix(min(length, 8))))
            Self.expect(.receive, after: 10_000, in: driver, from: driver.now)
        }
        let driver = Driver.synchronised()
        driver.feed(Array(Server.notify(data: pattern(100)).prefix(length)))
        Self.expect(.receive, after: 10_000, in: driver, from: driver.now)
    }

    /// One byte at a time does not buy more time.
    @Test func trickle() {
        let driver = Driver.synchronised()
        let bytes = Server.notify(data: pattern(100))
        driver.feed([bytes[0]])
        let start = driver.now
        for index in 1..<10 {
            driver.wait(1000)
            driver.feed([bytes[index]])
        }
        Self.expect(.receive, after: 10_000, in: driver, from: start)
    }

    @Test func trickleInsideAnOversizeNotify() {
        let driver = Driver.synchronised()
        driver.feed(header(.notify, length: 100_000) + pattern(100))
        #expect(driver.events == [.oversizeNotify])
        driver.forget()
        let start = driver.now
        for _ in 0..<9 {
            driver.wait(1000)
            driver.feed(pattern(1000))
        }
        Self.expect(.receive, after: 10_000, in: driver, from: start)
    }

    @Test func trickleInsideALegacyHello() {
        let driver = Driver(.login, in: .preHello)
        driver.feed(Array(legacyHello(54).prefix(20)))
        Self.expect(.receive, after: 10_000, in: driver, from: driver.now)
    }

    /// A frame that follows at once has its own ten seconds: a long burst of frames, each in two reads, lives.
    @Test func burstWithoutAPause() {
        let driver = Driver.synchronised()
        let bytes = Server.notify(data: pattern(92))
        #expect(bytes.count == 170)
        driver.feed(Array(bytes.prefix(85)))
        for _ in 0..<60 {
            driver.wait(1000)
            driver.feed(Array(bytes.suffix(85) + bytes.prefix(85)))
        }
        #expect(driver.events == [SessionEvent](repeating: .notify, count: 60))
        driver.forget()
        Self.expect(.receive, after: 10_000, in: driver, from: driver.now)
    }

    @Test func completeInTime() {
        let driver = Driver.synchronised()
        let bytes = Server.notify(data: pattern(92))
        for _ in 0..<3 {
            driver.forget()
            driver.feed(Array(bytes.prefix(85)))
            driver.wait(9_999)
            driver.feed(Array(bytes.suffix(85)))
            #expect(driver.events == [.notify])
            driver.wait(30_000)
            #expect(driver.events == [.notify])
        }
    }

    /// Whole frames that wait for room to be answered are not the server's fault.
    @Test func heldBackIsNotPartial() {
        let driver = Driver.synchronised()
        driver.sends = false
        driver.feed((0..<1500).flatMap { frame(.ping, bigEndian(Int64($0))) })
        #expect(driver.session.hasFrames == true)
        driver.wait(10_000)
        #expect(driver.end == nil)
        // A deadline in the past would make the owner spin.
        #expect(driver.session.deadline > driver.now)
        driver.sends = true
        driver.pump()
        #expect(driver.frames.count == driver.events.count)
        #expect(driver.end == nil)
    }

    /// The rest of a frame may come late if it was our side that held it back; from then on its time counts.
    @Test func partialBehindHeldBack() {
        let driver = Driver.synchronised()
        driver.sends = false
        driver.feed((0..<1020).flatMap { frame(.ping, bigEndian(Int64($0))) } + Server.pollDone.prefix(5))
        #expect(driver.events.count < 1020)
        driver.wait(11_000)
        driver.sends = true
        driver.pump()
        #expect(driver.events == [SessionEvent](repeating: .ping, count: 1020))
        driver.forget()
        Self.expect(.receive, after: 10_000, in: driver, from: driver.now)
    }

    // MARK: Sending

    @Test func send() {
        let driver = Driver.synchronised()
        #expect(driver.acknowledge(pattern(16)))
        driver.session.sending(now: driver.now)
        let start = driver.now
        driver.sends = false
        // Trying again does not begin anew.
        driver.wait(5_000)
        driver.session.sending(now: driver.now)
        Self.expect(.send, after: 10_000, in: driver, from: start)
    }

    @Test func sendInEveryPhase() {
        for (phase, bytes) in [
            (Phase.preHello, legacyHello(54)), (.preHello, Server.hello), (.challengeWait, Server.challenge),
        ] {
            let driver = Driver(.login, in: phase)
            driver.sends = false
            driver.feed(bytes)
            driver.forget()
            driver.session.sending(now: driver.now)
            Self.expect(.send, after: 10_000, in: driver, from: driver.now)
        }
    }

    /// Without a frame there is nothing that could be late.
    @Test func sendingNothing() {
        let driver = Driver.synchronised()
        driver.session.sending(now: driver.now)
        driver.session.sent()
        driver.session.sending(now: driver.now)
        driver.wait(60_000)
        #expect(driver.events == [])
    }

    @Test func sentInTime() {
        let driver = Driver.synchronised()
        for _ in 0..<5 {
            #expect(driver.acknowledge(pattern(16)))
            driver.session.sending(now: driver.now)
            driver.now += 9_999
            driver.session.sent()
            driver.pump()
        }
        driver.wait(60_000)
        #expect(driver.events == [])
    }

    // MARK: Keep-alive

    @Test(arguments: [Int64(1), 1_000, 600_000, 3_300_000]) func pingIsDue(interval: Int64) {
        let driver = Driver.synchronised(interval: interval)
        let start = driver.now
        #expect(driver.session.deadline == start + interval)
        driver.now = start + interval - 1
        driver.pump()
        #expect(driver.frames == [])
        driver.now = start + interval
        driver.pump()
        #expect(driver.frames.count == 1)
        #expect(driver.frames.first?[2] == 0x27)
        #expect(driver.events == [])
        let asked = driver.now
        // Asked again after each third.
        for third in 1...2 as ClosedRange<Int64> {
            #expect(driver.session.deadline == asked + third * 5_000)
            driver.now = asked + third * 5_000
            driver.pump()
        }
        #expect(driver.frames.count == 3)
        Self.expect(.pong, after: 15_000, in: driver, from: asked)
    }

    @Test(arguments: [Int64(1), 2, 15_000, 60_000]) func pongTimeout(timeout: Int64) {
        let driver = Driver(interval: 1_000_000, pongTimeout: timeout)
        driver.start(.login)
        driver.feed(Server.hello, Server.challenge, Server.authOK)
        driver.synchronise(RegistrationSet(capacity: 1))
        driver.forget()
        driver.session.ping(now: driver.now)
        driver.pump()
        let asked = driver.now
        // Where there is time for an answer, it is asked again after each third.
        for third in 1...2 as ClosedRange<Int64> where timeout >= 3_000 {
            #expect(driver.session.deadline == asked + third * timeout / 3)
            driver.now = asked + third * timeout / 3
            driver.pump()
        }
        Self.expect(.pong, after: timeout, in: driver, from: asked)
    }

    /// Any received frame puts the next ping off.
    @Test(arguments: [Server.notify(), frame(.ping, bigEndian(Int64(1))), Server.pollDone])
    func pingIsPutOff(bytes: [UInt8]) {
        let driver = Driver.synchronised(interval: 100_000)
        driver.wait(99_999)
        driver.feed(bytes)
        #expect(driver.session.deadline == driver.now + 100_000)
        driver.forget()
        driver.wait(99_999)
        #expect(driver.frames.isEmpty)
        driver.wait(1)
        #expect(driver.frames.map { $0[2] } == [0x27])
    }

    /// Answered pings go on for ever, each an interval after the last answer.
    @Test func manyRounds() {
        let driver = Driver.synchronised(interval: 600_000)
        for _ in 0..<100 {
            driver.forget()
            driver.wait(600_000)
            #expect(driver.frames.count == 1)
            guard let ping = driver.frames.first else { return }
            driver.wait(14_999)
            driver.feed(frame(.pong, Array(ping.dropFirst(8))))
            #expect(driver.events == [.pong(roundTrip: 14_999)])
        }
    }

    /// The owner slept through both: the ping goes out first, and only its own silence ends the connection.
    @Test func overslept() {
        let driver = Driver.synchronised(interval: 600_000)
        driver.wait(100_000_000)
        #expect(driver.events == [])
        #expect(driver.frames.count == 1)
        driver.wait(15_000)
        #expect(driver.end == .timeout(.pong))
    }

    /// An answer that lies in the buffer when the deadline is noticed has come in time.
    @Test func answerBeforeVerdict() {
        let driver = Driver.synchronised()
        driver.session.ping(now: driver.now)
        driver.pump()
        let ping = driver.frames[0]
        driver.now += 15_000
        driver.feed(frame(.pong, Array(ping.dropFirst(8))))
        #expect(driver.events.first == .pong(roundTrip: 15_000))
        #expect(driver.end == nil)
    }

    @Test(arguments: [Phase.preHello, .challengeWait, .authWait, .authenticated]) func alwaysFinite(phase: Phase) {
        let driver = Driver(.login, in: phase)
        #expect(driver.session.deadline < .max)
        driver.session.reset()
        #expect(driver.session.deadline == .max)
        #expect(driver.session.phase == .closed)
    }
}
