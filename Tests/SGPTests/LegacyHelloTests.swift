import Bytes
import SGP
import Testing

/// The frame of the old protocol that may open a connection (SGP v2 §2, §10).
@Suite struct LegacyHelloTests {
    @Test(arguments: [12, 13, 54, 4095, 4096]) func inBounds(length: Int) {
        for delivery in deliveries {
            let parsed = parse(legacyHello(length) + Server.hello, in: delivery.make())
            #expect(parsed == [.item(.legacyHello, []), .message(.hello, [0, 0, 0, 2])])
        }
    }

    @Test(arguments: [0, 1, 7, 8, 11, 4097, 4104, 65_536, 0x52FF_FFFF, 0x5400_0000, 0xFFFF_FFFF])
    func outOfBounds(length: Int) {
        let bytes = bigEndian(UInt32(length)) + Array("bplist00".utf8) + pattern(60)
        for delivery in deliveries {
            #expect(parse(bytes, in: delivery.make()) == [.fault(.legacyHello(UInt32(length)))])
        }
    }

    /// A length that begins with 0x53 is a header of SGP, whatever follows.
    @Test func magicWins() {
        #expect(parse([0x53, 0, 0, 20] + Array("bplist00".utf8)) == [.fault(.version(0))])
    }

    @Test(arguments: 0..<8) func wrongWord(position: Int) {
        for change in [UInt8(1), 0x20, 0x80, 0xFF] {
            var bytes = legacyHello(54)
            bytes[4 + position] ^= change
            for delivery in deliveries {
                #expect(parse(bytes + Server.hello, in: delivery.make()) == [.fault(.legacyHello(54))])
            }
        }
    }

    /// The body is not looked at: not even where it resembles a frame.
    @Test func bodyIsNotParsed() {
        let body = Array("bplist00".utf8) + Server.hello + frame(type: 0xFF)
        let bytes = bigEndian(UInt32(body.count)) + body + Server.hello
        #expect(parse(bytes) == [.item(.legacyHello, []), .message(.hello, [0, 0, 0, 2])])
    }

    @Test func splitAnywhere() {
        let bytes = legacyHello(54) + Server.hello
        for split in 1..<bytes.count {
            var sizes = [split, bytes.count - split]
            let parsed = parse(bytes) { sizes.removeFirst() }
            #expect(parsed == [.item(.legacyHello, []), .message(.hello, [0, 0, 0, 2])])
        }
    }

    @Test func onlyFirstAndOnce() {
        for delivery in deliveries {
            let twice = parse(legacyHello(54) + legacyHello(54), in: delivery.make())
            #expect(twice.count == 2)
            #expect(twice.first == .item(.legacyHello, []))
            guard case .fault = twice.last else {
                Issue.record("a second legacy hello was taken: \(delivery)")
                continue
            }
            let late = parse(Server.hello + legacyHello(54), in: delivery.make())
            #expect(late == [.message(.hello, [0, 0, 0, 2]), .fault(.magic(0))])
        }
    }

    /// C_UPGRADE goes out exactly once, before C_LOGIN and C_REGISTER.
    @Test(arguments: [Purpose.login, .register]) func answered(purpose: Purpose) {
        let first =
            purpose == .login
            ? Client.login(Driver.address, Driver.unixTime) : Client.register(Driver.key, Driver.unixTime)
        for most in [Int.max, 1, 2, 5, 57, 58, 59] {
            let driver = Driver(purpose, in: .preHello)
            driver.feed(legacyHello(54), most: most)
            #expect(driver.events == [.legacyHello])
            #expect(driver.frames == [Client.upgrade])
            #expect(driver.session.phase == .preHello)
            driver.feed(Server.hello, most: most)
            #expect(driver.events == [.legacyHello, .hello(version: 2)])
            #expect(driver.frames == [Client.upgrade, first])
        }
    }

    @Test(arguments: [Phase.preHello, .challengeWait, .authWait, .authenticated]) func refusedLater(phase: Phase) {
        let driver = Driver(.login, in: .preHello)
        driver.feed(legacyHello(54))
        if phase >= .challengeWait { driver.feed(Server.hello) }
        if phase >= .authWait { driver.feed(Server.challenge) }
        if phase >= .authenticated { driver.feed(Server.authOK) }
        #expect(driver.session.phase == phase)
        driver.forget()
        driver.feed(legacyHello(54))
        #expect(driver.fault != nil)
        #expect(driver.events.count == 1)
        #expect(driver.frames == (phase == .preHello ? [] : [Client.goodbye]))
    }

    /// A new connection may open with one again.
    @Test func againOnTheNextConnection() {
        let driver = Driver()
        for _ in 0..<3 {
            driver.start(.login)
            driver.feed(legacyHello(54) + Server.hello)
            #expect(driver.events == [.legacyHello, .hello(version: 2)])
            #expect(driver.frames == [Client.upgrade, Client.login(Driver.address, Driver.unixTime)])
            driver.session.reset()
            driver.forget()
        }
    }
}

extension Phase: Comparable {
    public static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
}
