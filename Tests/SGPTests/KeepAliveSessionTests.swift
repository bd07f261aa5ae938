import Bytes
import SGP
import Testing

private let second: Int64 = 1_000

/// What a session makes of silence, and what it does not (SGP v2 §8).
@Suite struct KeepAliveSessionTests {
    /// A synchronised session that has proven 600 s and tries 810 s.
    private func growing() -> Driver {
        let driver = Driver.synchronised()
        driver.session.keepAlive = KeepAlive(minimum: 600 * second, maximum: 3_300 * second, pongTimeout: 15 * second)
        while driver.session.keepAlive.interval < 810 * second { pong(driver) }
        driver.forget()
        return driver
    }

    private func pong(_ driver: Driver) {
        driver.forget()
        driver.wait(driver.session.keepAlive.interval)
        guard let ping = driver.frames.first else { return }
        driver.feed(frame(.pong, Array(ping.dropFirst(8))))
    }

    /// The connection ends for this reason and the next login succeeds at once.
    private func end(_ driver: Driver, _ reason: EndReason) {
        driver.session.connectionEnded(reason)
        driver.session.reset()
        driver.start(.login)
        driver.feed(Server.hello, Server.challenge, Server.authOK)
    }

    @Test func answeredPingIsProof() {
        let driver = growing()
        _ = driver.session.takeEvidence()
        pong(driver)
        let evidence = driver.session.takeEvidence()
        #expect(evidence?.change == .proven && evidence?.idle == 810 * second)
        #expect(driver.session.keepAlive.proven == 810 * second)
        #expect(driver.session.takeEvidence() == nil)
    }

    @Test func silenceCountsAfterTheNextLogin() {
        let driver = growing()
        driver.wait(810 * second)
        driver.wait(15 * second)
        #expect(driver.end == .timeout(.pong))
        _ = driver.session.takeEvidence()
        driver.session.connectionEnded(.timeout(.pong))
        driver.session.reset()
        #expect(driver.session.keepAlive.refuted == nil)
        driver.start(.login)
        driver.feed(Server.hello, Server.challenge, Server.authOK)
        #expect(driver.session.keepAlive.refuted == 810 * second)
        #expect(driver.session.takeEvidence()?.change == .refuted)
    }

    @Test(arguments: [Int32(104), 32, 110]) func resetUponOurPingIsEvidence(code: Int32) {
        let driver = growing()
        driver.wait(810 * second)
        end(driver, .network(code))
        #expect(driver.session.keepAlive.refuted == 810 * second)
    }

    /// The board slept between a ping and its answer: the answer has its whole time from then on, and its absence says
    /// nothing of the network.
    @Test func sleepAfterAPing() {
        let driver = growing()
        driver.wait(810 * second)
        driver.now += 600 * second
        driver.session.slept(now: driver.now)
        driver.wait(14 * second)
        #expect(driver.end == nil)
        driver.wait(second)
        #expect(driver.end == .timeout(.pong))
        end(driver, .timeout(.pong))
        #expect(driver.session.keepAlive.refuted == nil && driver.session.keepAlive.interval == 810 * second)
    }

    /// A frame that waited while the board slept is no proof: the server's repetitions kept the way open.
    @Test func sleepBeforeAFrame() {
        let driver = growing()
        let before = driver.session.keepAlive
        driver.forget()
        driver.now += 3_000 * second
        driver.session.slept(now: driver.now)
        driver.wait(0)
        #expect(driver.frames.count == 1, "it asks at once")
        driver.feed(frame(.ping, [0, 0, 0, 0, 0, 0, 0, 1]))
        #expect(driver.session.keepAlive == before)
        // And after the answer a silence counts again.
        if let ping = driver.frames.first { driver.feed(frame(.pong, Array(ping.dropFirst(8)))) }
        #expect(driver.session.keepAlive == before)
        pong(driver)
        #expect(driver.session.keepAlive.proven == 810 * second)
    }

    /// The link went down with the connection, and the driver told it late.
    @Test func changeOfTheNetworkExcuses() {
        let driver = growing()
        driver.wait(810 * second)
        driver.session.connectionEnded(.timeout(.pong))
        driver.session.reset()
        driver.session.networkChanged()
        driver.start(.login)
        driver.feed(Server.hello, Server.challenge, Server.authOK)
        #expect(driver.session.keepAlive.refuted == nil && driver.session.keepAlive.strikes == 0)
    }

    @Test func failedAttemptExcuses() {
        let driver = growing()
        driver.wait(810 * second)
        driver.session.connectionEnded(.timeout(.pong))
        driver.session.reset()
        end(driver, .timeout(.connect))
        #expect(driver.session.keepAlive.refuted == nil && driver.session.keepAlive.strikes == 0)
    }

    @Test(arguments: [
        EndReason.closed, .disconnected(code: 0, retryAfter: 0), .network(101), .requested, .registrationsChanged,
        .store(.burst, isFull: true), .protocolFault(.legacyHello), .noNetwork(101),
    ])
    func otherEndsAreNoEvidence(reason: EndReason) {
        let driver = growing()
        driver.wait(810 * second)
        end(driver, reason)
        #expect(driver.session.keepAlive.refuted == nil && driver.session.keepAlive.interval == 810 * second)
    }

    @Test func resetWithoutOurPingIsNoEvidence() {
        let driver = growing()
        driver.wait(800 * second)
        end(driver, .network(104))
        #expect(driver.session.keepAlive.refuted == nil)
    }

    @Test func probeBeforeTheIntervalIsNoEvidence() {
        let driver = growing()
        driver.wait(300 * second)
        driver.session.ping(now: driver.now)
        driver.wait(15 * second)
        end(driver, .timeout(.pong))
        #expect(driver.session.keepAlive.refuted == nil && driver.session.keepAlive.strikes == 0)
    }

    /// Three questions within the time of one answer; any of them may be answered.
    @Test(arguments: [0, 1, 2]) func asksAgain(answered: Int) {
        let driver = growing()
        driver.wait(810 * second)
        #expect(driver.frames.count == 1 && !driver.session.frontIsRepeatedPing)
        driver.wait(5 * second)
        driver.wait(5 * second)
        #expect(driver.frames.count == 3 && driver.end == nil)
        guard driver.frames.count == 3 else { return }
        driver.feed(frame(.pong, Array(driver.frames[answered].dropFirst(8))))
        #expect(driver.end == nil && driver.session.keepAlive.proven == 810 * second)
    }
}
