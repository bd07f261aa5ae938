import Bytes
import SGP
import Testing

/// A server that pings, or sends, more often than our own ping is due: C_PING goes along with an answer, and C_POLL follows
/// its pong (SGP v2 §8, §10).
@Suite struct PassingPingTests {
    private static let interval: Int64 = 100_000

    /// What an owner saw in the time of a session with a server that sends `bytes` every `period`.
    private struct Life {
        var pings: [Int64] = []
        var polls: [Int64] = []
        /// Turns that no frame of the server's called for.
        var ownTurns = 0
    }

    private func live(
        _ driver: Driver, period: Int64, intervals: Int64, _ bytes: [UInt8] = frame(.ping, bigEndian(Int64(7)))
    ) -> Life {
        var life = Life()
        let start = driver.now
        var next = start + period
        while driver.now < start + intervals * Self.interval {
            driver.forget()
            if driver.session.deadline < next {
                driver.now = driver.session.deadline
                life.ownTurns += 1
                driver.pump()
            } else {
                driver.now = next
                next += period
                driver.feed(bytes)
            }
            guard let ping = driver.frames.first(where: { $0[2] == ClientMessage.ping.rawValue }) else { continue }
            life.pings.append(driver.now - start)
            driver.now += 40
            driver.feed(frame(.pong, Array(ping.dropFirst(8))))
            let polls = driver.frames.count { $0[2] == ClientMessage.poll.rawValue }
            life.polls += [Int64](repeating: driver.now - start, count: polls)
        }
        return life
    }

    /// At most once an interval, at least once in two, and never a turn of its own.
    @Test(arguments: [1_000, 33_333, 49_999, 50_000, 50_001, 99_900] as [Int64])
    func alongWithTheAnswer(period: Int64) {
        let driver = Driver.synchronised(interval: Self.interval)
        let life = live(driver, period: period, intervals: 20)
        #expect(life.ownTurns == 0)
        #expect(life.polls == life.pings.map { $0 + 40 })
        var before: Int64 = 0
        for time in life.pings {
            #expect(time - before >= Self.interval && time - before < 2 * Self.interval)
            #expect(time % period == 0, "with a ping of the server's")
            before = time
        }
        #expect(life.pings.count >= 10)
    }

    /// Where the server is as slow as we are, or slower, our own ping comes first and nothing goes along.
    @Test(arguments: [100_100, 150_000, 300_000] as [Int64])
    func serversThatAreSlower(period: Int64) {
        let driver = Driver.synchronised(interval: Self.interval)
        let life = live(driver, period: period, intervals: 20)
        #expect(life.polls == life.pings.map { $0 + 40 })
        for (before, time) in zip([0] + life.pings, life.pings) { #expect(time - before < 2 * Self.interval) }
        #expect(life.pings.first == Self.interval)
        #expect(life.ownTurns >= life.pings.count * 9 / 10)
    }

    /// Notifications fill a silence just as well.
    @Test func notifications() {
        let driver = Driver.synchronised(interval: Self.interval)
        let life = live(driver, period: 30_000, intervals: 10, Server.notify())
        #expect(life.ownTurns == 0)
        #expect(life.pings.count == 8 && life.polls.count == 8)
    }

    /// One millisecond before the interval nothing goes along; the login counts as the first question.
    @Test(arguments: [(99_999, 0), (100_000, 1), (100_001, 1)] as [(Int64, Int)])
    func notBeforeTheInterval(time: Int64, count: Int) {
        let driver = Driver.synchronised(interval: Self.interval)
        driver.wait(50_000)
        driver.feed(frame(.ping, bigEndian(Int64(1))))
        driver.forget()
        driver.wait(time - 50_000)
        driver.feed(frame(.ping, bigEndian(Int64(2))))
        let expected: [ClientMessage] = count == 1 ? [.pong, .ping] : [.pong]
        #expect(driver.frames.map { $0[2] } == expected.map(\.rawValue))
        // Only one is asked at a time.
        driver.forget()
        driver.feed(frame(.ping, bigEndian(Int64(3))))
        #expect(driver.frames.map { $0[2] } == [ClientMessage.pong.rawValue])
    }

    /// What goes along is a ping like any other: without an answer the connection is dead.
    @Test func noAnswer() {
        let driver = Driver.synchronised(interval: Self.interval)
        driver.wait(60_000)
        driver.feed(frame(.ping, bigEndian(Int64(1))))
        driver.wait(60_000)
        driver.feed(frame(.ping, bigEndian(Int64(2))))
        driver.wait(14_999)
        #expect(driver.end == nil)
        driver.wait(1)
        #expect(driver.end == .timeout(.pong))
    }

    /// After a goodbye, or a frame that ends the connection, nothing is asked.
    @Test func endedByTheFrame() {
        let driver = Driver.synchronised(interval: Self.interval)
        driver.wait(60_000)
        driver.feed(frame(.ping, bigEndian(Int64(1))))
        driver.forget()
        driver.wait(60_000)
        driver.feed(frame(.disconnect, [0]))
        #expect(driver.frames.isEmpty && driver.end == .disconnected(code: 0, retryAfter: 0))
    }

    /// The learner makes nothing of it: neither of the answer, nor of an answer that is missing.
    @Test(arguments: [true, false]) func learnsNothing(isAnswered: Bool) {
        let driver = Driver.synchronised()
        driver.session.keepAlive = KeepAlive(minimum: 600_000, maximum: 3_300_000, pongTimeout: 15_000)
        while driver.session.keepAlive.interval < 810_000 {
            driver.forget()
            driver.wait(driver.session.keepAlive.interval)
            driver.feed(frame(.pong, Array(driver.frames[0].dropFirst(8))))
        }
        let before = driver.session.keepAlive
        _ = driver.session.takeEvidence()
        for number in 1...3 as ClosedRange<Int64> {
            driver.forget()
            driver.wait(300_000)
            driver.feed(frame(.ping, bigEndian(number)))
        }
        #expect(driver.frames.map { $0[2] } == [ClientMessage.pong, .ping].map(\.rawValue))
        if isAnswered {
            driver.feed(frame(.pong, Array(driver.frames[1].dropFirst(8))))
        } else {
            driver.wait(15_000)
            #expect(driver.end == .timeout(.pong))
            driver.session.connectionEnded(.timeout(.pong))
            driver.session.reset()
            driver.start(.login)
            driver.feed(Server.hello, Server.challenge, Server.authOK)
        }
        let evidence = driver.session.takeEvidence()
        #expect(evidence == nil)
        #expect(driver.session.keepAlive == before)
    }
}
