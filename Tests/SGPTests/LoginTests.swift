import Bytes
import SGP
import Testing

/// Login and the clock (SGP v2 §4).
@Suite struct LoginTests {
    @Test(arguments: [1, 2, 41, 254, 255]) func frames(addressLength: Int) {
        let address = pattern(addressLength)
        let driver = Driver()
        driver.start(.login, identity: address)
        driver.feed(Server.hello)
        #expect(driver.events == [.hello(version: 2)])
        #expect(driver.frames == [Client.login(address, Driver.unixTime)])
        driver.forget()
        driver.unixTime -= 100
        driver.feed(Server.challenge)
        #expect(driver.events == [.challenge])
        #expect(driver.lent == [Server.nonce + address + bigEndian(Driver.unixTime)])
        #expect(driver.frames == [Client.loginResponse(Driver.signature, Driver.unixTime)])
        driver.forget()
        driver.feed(Server.authOK)
        #expect(driver.events == [.authenticated])
        #expect(driver.session.phase == .authenticated)
        #expect(driver.session.syncStep == .filter(from: 0))
    }

    @Test func spelt() {
        let driver = Driver()
        driver.unixTime = -2
        driver.start(.login, identity: Array("a@b".utf8))
        driver.feed(Server.hello)
        #expect(
            driver.frames == [
                [0x53, 2, 0x20, 0, 0, 0, 0, 17, 0, 3, 0x61, 0x40, 0x62]
                    + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 2]
            ])
        driver.forget()
        driver.feed(Server.challenge)
        #expect(
            driver.lent == [
                Server.nonce + [0x61, 0x40, 0x62, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]
            ])
        #expect(
            driver.frames == [
                [0x53, 2, 0x21, 0, 0, 0, 1, 10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 1, 0]
                    + Driver.signature
            ])
    }

    @Test(arguments: [1, 2, 128, 255, 256]) func signatures(length: Int) {
        let driver = Driver(.login, in: .challengeWait)
        driver.answers = false
        driver.feed(Server.challenge)
        let signature = pattern(length)
        driver.answer(signature)
        driver.pump()
        #expect(driver.frames == [Client.loginResponse(signature, Driver.unixTime)])
        #expect(driver.session.phase == .authWait)
    }

    /// The reference server ends on a payload that is too short (§10): what cannot be right is not sent, and the end is
    /// ours to report.
    @Test(arguments: [0, 257, 4086, 70_000]) func impossibleSignatures(length: Int) {
        let driver = Driver(.login, in: .challengeWait)
        driver.answers = false
        driver.feed(Server.challenge)
        driver.answer(pattern(length))
        driver.pump()
        #expect(driver.events == [.challenge, .ended(.identity)])
        #expect(driver.frames == [Client.goodbye])
        #expect(driver.session.phase == .closed)
    }

    @Test(arguments: [(Purpose.login, 0), (.login, 256), (.register, 0), (.register, 513)])
    func impossibleIdentities(purpose: Purpose, length: Int) {
        let driver = Driver()
        driver.start(purpose, identity: pattern(length))
        #expect(driver.session.phase == .closed)
        driver.feed(Server.hello)
        #expect(driver.events == [.ended(.identity)])
        #expect(driver.frames == [])
        // The next connection is not harmed by it.
        driver.forget()
        driver.start(purpose)
        driver.feed(Server.hello)
        #expect(driver.events == [.hello(version: 2)])
    }

    /// The challenge is answered once; a second answer changes nothing.
    @Test func answeredOnce() {
        let driver = Driver(.login, in: .authWait)
        driver.answer(Driver.signature)
        driver.pump()
        #expect(driver.frames == [])
        for phase in [Phase.closed, .preHello, .challengeWait, .authenticated] {
            let early = Driver(.login, in: phase)
            early.answer(Driver.signature)
            early.pump()
            #expect(early.frames == [], "\(phase)")
            #expect(early.session.phase == phase)
        }
    }

    /// Every version is let through: a server that cannot live with ours says VERSION_MISMATCH.
    @Test(arguments: [UInt32(0), 1, 2, 3, .max]) func serverVersion(version: UInt32) {
        let driver = Driver(.login, in: .preHello)
        driver.feed(frame(.hello, bigEndian(version)))
        #expect(driver.events == [.hello(version: version)])
    }

    // MARK: S_TIME_SYNC

    @Test(
        arguments: [
            0, 1, -1, 300, -300, 172_799, -172_799, 172_800, -172_800,
        ] as [Int64])
    func timeSync(offset: Int64) {
        let driver = Driver.synchronised()
        driver.feed(frame(.timeSync, bigEndian(driver.unixTime + offset)))
        #expect(driver.events == [.timeSync(offset: offset)])
        #expect(driver.session.clockOffset == offset)
        // The next connection uses it, and the offset is against the board's own clock, not the corrected one.
        driver.feed(frame(.timeSync, bigEndian(driver.unixTime + offset)))
        #expect(driver.session.clockOffset == offset)
        driver.session.reset()
        driver.forget()
        driver.start(.login)
        driver.feed(Server.hello, Server.challenge)
        #expect(
            driver.frames == [
                Client.login(Driver.address, Driver.unixTime + offset),
                Client.loginResponse(Driver.signature, Driver.unixTime + offset),
            ])
    }

    @Test(arguments: [172_801, -172_801, 1 << 40, -(1 << 40)] as [Int64])
    func timeSyncTooFar(offset: Int64) {
        let driver = Driver.synchronised()
        driver.session.clockOffset = 12
        driver.feed(frame(.timeSync, bigEndian(driver.unixTime + offset)))
        #expect(driver.events == [.ended(.protocolFault(.clockOffset(offset)))])
        #expect(driver.session.clockOffset == 12)
        #expect(driver.frames == [Client.goodbye])
    }

    /// No pair of clocks traps; the distance is right where Int64 can hold it.
    @Test func timeSyncExtremes() {
        let clocks: [Int64] = [
            .min, .min + 1, .min + 172_800, -172_800, -1, 0, 1, 172_800, Driver.unixTime, .max - 172_800, .max - 1,
            .max,
        ]
        for server in clocks {
            for local in clocks {
                let driver = Driver.synchronised()
                driver.unixTime = local
                driver.feed(frame(.timeSync, bigEndian(server)))
                let (offset, overflow) = server.subtractingReportingOverflow(local)
                if !overflow, offset.magnitude <= 172_800 {
                    #expect(driver.events == [.timeSync(offset: offset)], "\(server) \(local)")
                } else {
                    guard case .clockOffset(let named) = driver.fault else {
                        Issue.record("\(server) \(local): \(driver.events)")
                        continue
                    }
                    if !overflow { #expect(named == offset) }
                    #expect((named > 0) == (server > local))
                    #expect(driver.session.clockOffset == 0)
                }
            }
        }
    }

    @Test(arguments: [Int64.min, .max]) func extremeClockAtLogin(unixTime: Int64) {
        for offset in [Int64(-172_800), 0, 172_800, .min, .max] {
            let driver = Driver()
            driver.unixTime = unixTime
            driver.session.clockOffset = offset
            driver.start(.login)
            driver.feed(Server.hello, Server.challenge)
            #expect(driver.frames.count == 2)
        }
    }

    // MARK: S_DISCONNECT

    @Test(arguments: [Phase.preHello, .challengeWait, .authWait, .authenticated]) func disconnect(phase: Phase) {
        for code in UInt8(0)...255 {
            for (rest, retryAfter) in [
                ([], 0), ([0, 0, 0, 0], 0), ([0, 0, 0, 1], 1), ([1, 2, 3, 4], 0x0102_0304),
                ([255, 255, 255, 255], .max),
            ] as [([UInt8], UInt32)] {
                let driver = Driver(.login, in: phase)
                driver.feed(frame(.disconnect, [code] + rest) + Server.pollDone)
                #expect(driver.events == [.ended(.disconnected(code: code, retryAfter: retryAfter))])
                #expect(driver.session.phase == .closed)
                // The server is gone: there is nobody to say goodbye to.
                #expect(driver.frames == [])
            }
        }
    }

    @Test(arguments: [2, 3, 4]) func disconnectWithALie(length: Int) {
        for phase in [Phase.preHello, .challengeWait, .authWait, .authenticated] {
            let driver = Driver(.login, in: phase)
            driver.feed(frame(.disconnect, pattern(length)))
            #expect(driver.events == [.ended(.protocolFault(.payload(.disconnect)))])
        }
    }

    @Test(arguments: [0, 6, 4096]) func disconnectOutOfBounds(length: Int) {
        let driver = Driver.synchronised()
        driver.feed(frame(.disconnect, pattern(length)))
        #expect(driver.fault == .frame(.length(.disconnect, UInt32(length))))
    }
}
