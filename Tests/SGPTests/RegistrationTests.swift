import Bytes
import SGP
import Testing

/// Registration (SGP v2 §4).
@Suite struct RegistrationTests {
    @Test(arguments: [1, 2, 294, 511, 512]) func frames(keyLength: Int) {
        let key = pattern(keyLength)
        let driver = Driver()
        driver.start(.register, identity: key)
        driver.feed(Server.hello)
        #expect(driver.events == [.hello(version: 2)])
        #expect(driver.frames == [Client.register(key, Driver.unixTime)])
        #expect(driver.session.phase == .challengeWait)
        driver.forget()
        driver.unixTime += 9
        driver.feed(Server.challenge)
        #expect(driver.events == [.challenge])
        #expect(driver.lent == [Server.nonce + bigEndian(Driver.unixTime)])
        #expect(driver.frames == [Client.registerResponse(Driver.signature, Driver.unixTime)])
        #expect(driver.session.phase == .authWait)
    }

    /// The layout once more, spelt out.
    @Test func spelt() {
        let driver = Driver()
        driver.unixTime = 0x0102_0304_0506_0708
        driver.start(.register, identity: [0xAA, 0xBB, 0xCC])
        driver.feed(Server.hello)
        #expect(
            driver.frames == [
                [0x53, 2, 0x28, 0, 0, 0, 0, 17, 0, 3, 0xAA, 0xBB, 0xCC, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 2]
            ])
        driver.forget()
        driver.answers = false
        driver.feed(Server.challenge)
        driver.answer([0xDD, 0xEE])
        driver.pump()
        #expect(driver.frames == [[0x53, 2, 0x29, 0, 0, 0, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 0, 2, 0xDD, 0xEE]])
    }

    @Test(arguments: [Int64(0), 1, -1, 300, -172_800, 172_800]) func clockOffset(offset: Int64) {
        let driver = Driver()
        driver.session.clockOffset = offset
        driver.start(.register)
        driver.feed(Server.hello)
        driver.unixTime += 5
        driver.feed(Server.challenge)
        let timestamp = Driver.unixTime + offset
        #expect(
            driver.frames == [
                Client.register(Driver.key, timestamp), Client.registerResponse(Driver.signature, timestamp),
            ])
        #expect(driver.lent.last == Server.nonce + bigEndian(timestamp))
    }

    @Test(arguments: [1, 2, 21, 254, 255]) func accepted(length: Int) {
        let address = Array(String(repeating: "a", count: length - 1).utf8) + [UInt8(ascii: "z")]
        for most in [Int.max, 1] {
            let driver = Driver(.register, in: .authWait)
            driver.feed(Server.registerOK(address, version: 0x0102_0304), most: most)
            #expect(driver.events == [.registered(version: 0x0102_0304), .ended(.registered)])
            #expect(driver.lent.first == address)
            #expect(driver.frames == [Client.goodbye])
            #expect(driver.session.phase == .closed)
        }
    }

    /// The inner length against what is there.
    @Test func lengthLies() {
        let lies: [(declared: Int, present: Int)] = [
            (0, 1), (0, 255), (2, 1), (1, 2), (255, 254), (254, 255), (256, 255), (0x100, 1), (0xFFFF, 255),
            (0xFF00, 16),
        ]
        for (declared, present) in lies {
            let payload = [0, 0, 0, 2] + bigEndian(UInt16(declared)) + [UInt8](repeating: 97, count: present)
            let driver = Driver(.register, in: .authWait)
            driver.feed(frame(.registerOK, payload))
            #expect(driver.fault == .payload(.registerOK), "\(declared) \(present)")
            #expect(driver.events.count == 1)
        }
    }

    @Test(arguments: [0, 6, 262, 4096]) func frameBounds(length: Int) {
        let driver = Driver(.register, in: .authWait)
        driver.feed(frame(.registerOK, pattern(length)))
        #expect(driver.fault == .frame(.length(.registerOK, UInt32(length))))
    }

    /// All 256 values, first, in the middle, last and alone.
    @Test(arguments: 0..<4) func addressBytes(place: Int) {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@-".utf8)
        #expect(allowed.count == 66)
        for byte in UInt8(0)...255 {
            var address = Array("dev@sgn".utf8)
            if place == 3 { address = [byte] } else { address[place * 3] = byte }
            let driver = Driver(.register, in: .authWait)
            driver.feed(Server.registerOK(address))
            if allowed.contains(byte) {
                #expect(driver.events == [.registered(version: 2), .ended(.registered)], "\(byte)")
                #expect(driver.lent.first == address)
            } else {
                #expect(driver.events == [.ended(.protocolFault(.addressByte(byte)))], "\(byte)")
                #expect(driver.frames == [Client.goodbye])
            }
        }
    }

    /// The first forbidden byte is the one that is named.
    @Test func firstForbiddenByte() {
        let driver = Driver(.register, in: .authWait)
        driver.feed(Server.registerOK(Array("ok!\u{7}".utf8)))
        #expect(driver.fault == .addressByte(UInt8(ascii: "!")))
    }

    /// Nothing that follows S_REGISTER_OK in the same read is looked at.
    @Test func nothingAfterTheEnd() {
        let driver = Driver(.register, in: .authWait)
        driver.feed(Server.registerOK(Array("a".utf8)) + Server.hello + frame(type: 0xFF))
        #expect(driver.events == [.registered(version: 2), .ended(.registered)])
        #expect(driver.frames == [Client.goodbye])
    }

    /// The address outlives the end, for the login that follows.
    @Test func addressForTheNextConnection() {
        let driver = Driver(.register, in: .authWait)
        let address = Array("x.Y_0-9@sgn.test".utf8)
        driver.feed(Server.registerOK(address))
        let assigned = driver.session.assignedAddress
        #expect(array(assigned.bytes) == address)
        driver.session.reset()
        driver.forget()
        driver.start(.login, identity: array(assigned.bytes))
        driver.feed(Server.hello)
        #expect(driver.frames == [Client.login(address, Driver.unixTime)])
    }

    // MARK: S_REGISTER_FAIL

    @Test(arguments: [Phase.challengeWait, .authWait], [UInt8(0), 1, 2, 0x80, 0xFF])
    func refused(phase: Phase, code: UInt8) {
        let payloads: [(payload: [UInt8], text: [UInt8])] = [
            ([code], []), ([code, 0, 0], []), ([code, 0, 1, 0x58], [0x58]), ([code, 0, 2, 0, 0xFF], [0, 0xFF]),
            ([code, 0, 255] + pattern(255), pattern(255)),
        ]
        for (payload, text) in payloads {
            for most in [Int.max, 1] {
                let driver = Driver(.register, in: phase)
                driver.feed(frame(.registerFail, payload), most: most)
                #expect(driver.events == [.registerFailed(code: code), .ended(.registerFailed(code: code))])
                #expect(driver.lent.first == text)
                #expect(driver.session.phase == .closed)
            }
        }
    }

    @Test(
        arguments: [
            [1, 0], [1, 0xFF], [1, 0, 1], [1, 1, 0], [1, 0xFF, 0xFF], [1, 0, 0, 88], [1, 0, 2, 88], [1, 1, 1, 88],
            [1, 0, 254] + pattern(255), [1, 1, 0] + pattern(255),
        ] as [[UInt8]])
    func refusedWithALie(payload: [UInt8]) {
        let driver = Driver(.register, in: .authWait)
        driver.feed(frame(.registerFail, payload))
        #expect(driver.events == [.ended(.protocolFault(.payload(.registerFail)))])
    }

    @Test(arguments: [0, 259]) func refusedOutOfBounds(length: Int) {
        let driver = Driver(.register, in: .authWait)
        driver.feed(frame(.registerFail, pattern(length)))
        #expect(driver.fault == .frame(.length(.registerFail, UInt32(length))))
    }
}
