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

    /// What a second connection proves is evidence like any other, and puts the next ping off.
    @Test func probeOnASecondConnection() {
        let driver = Driver.synchronised()
        driver.session.keepAlive = KeepAlive(minimum: 600 * second, maximum: 3_300 * second, pongTimeout: 15 * second)
        driver.session.keepAlive.probesApart = true
        let due = driver.session.deadline
        driver.session.probed(120 * second, isAlive: true, now: due - 1)
        let evidence = driver.session.takeEvidence()
        #expect(evidence?.change == .proven && evidence?.idle == 120 * second && evidence?.interval == 120 * second)
        #expect(driver.session.deadline == due + 60 * second)
        driver.session.probed(180 * second, isAlive: false, now: due)
        #expect(driver.session.takeEvidence()?.change == .refuted)
        #expect(driver.session.deadline == due + 60 * second)
    }

    /// A frame of nine bytes, whole.
    @Test func goodbyeOfAConnectionWithoutASession() {
        var frame = ByteBuffer(capacity: 9)
        Session.appendGoodbye(to: &frame)
        #expect(Array(frame.pointer) == [0x53, 0x02, 0x24, 0x00, 0, 0, 0, 1, 0])
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

    /// The first packet of the new connection had to be repeated: the line was out.
    @Test func lateConnectionExcuses() {
        let driver = growing()
        driver.wait(810 * second)
        driver.session.connectionEnded(.timeout(.pong))
        driver.session.reset()
        driver.session.reachedLate()
        driver.start(.login)
        driver.feed(Server.hello, Server.challenge, Server.authOK)
        #expect(driver.session.keepAlive.refuted == nil && driver.session.keepAlive.interval == 810 * second)
    }

    /// 5 % of the pongs are lost, for 20,000 questions on a network that holds 3300 s, which is two years. A question is
    /// asked up to three times, so that about three connections die.
    @Test func lostPongsDoNotShrinkTheInterval() {
        let driver = Driver.synchronised()
        driver.session.keepAlive = KeepAlive(minimum: 600 * second, maximum: 3_300 * second, pongTimeout: 15 * second)
        driver.session.keepAlive.restore(proven: 3_300 * second, refuted: nil, now: driver.now)
        var random: UInt64 = 5
        var (lost, dead, questions) = (0, 0, 0)
        while questions < 20_000 {
            driver.forget()
            driver.wait(driver.session.keepAlive.interval)
            questions += 1
            for turn in 0...3 {
                if turn > 0 { driver.wait(5 * second) }
                guard driver.end == nil, let ping = driver.frames.last else { break }
                driver.forget()
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                if random >> 33 % 20 > 0 {
                    driver.feed(frame(.pong, Array(ping.dropFirst(8))))
                    break
                }
                lost += 1
            }
            if driver.end != nil {
                dead += 1
                end(driver, .timeout(.pong))
            }
        }
        #expect(lost > 900 && lost < 1_200 && dead > 0 && dead < 10)
        #expect(driver.session.keepAlive.proven == 3_300 * second && driver.session.keepAlive.refuted == nil)
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
