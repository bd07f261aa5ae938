import Foundation
import Testbed
import Testing

/// The server keeps SGP v2.
@Suite struct ProtocolTests {
    @Test func registersAndLogsInOnTheSameConnection() throws {
        let rig = try Rig()
        let client = try rig.connect()
        #expect(try client.expect(0x10) == [0, 0, 0, 2])
        let address = try client.register()
        #expect(String(decoding: address, as: UTF8.self).hasSuffix("@sgn.test"))
        try client.login(address)
        #expect(rig.server.events.of(.violation).isEmpty)
        #expect(rig.server.events.frames() == ["C_REGISTER", "C_REGISTER_RESP", "C_LOGIN", "C_LOGIN_RESP"])
    }

    @Test(arguments: [-310, 310] as [Int64]) func clocksMoreThan300SecondsOffAreRefused(skew: Int64) throws {
        let rig = try Rig()
        let client = try rig.connect()
        try client.expect(0x10)
        #expect(throws: ClientError.unexpected(0x14)) { _ = try client.register(skew: skew) }
    }

    @Test(arguments: [-290, 290] as [Int64]) func clocksUpTo300SecondsOffAreAccepted(skew: Int64) throws {
        let rig = try Rig()
        let address = try rig.register()
        let client = try rig.connect()
        try client.expect(0x10)
        try client.login(address, skew: skew)
    }

    @Test func anotherKeyCannotLogIn() throws {
        let rig = try Rig()
        let address = try rig.register()
        let client = try rig.connect()
        try client.expect(0x10)
        #expect(throws: ClientError.unexpected(0x14)) { try client.login(address, ClientKey()) }
    }

    @Test func saltOf32BytesIsRequired() throws {
        let rig = try Rig()
        let client = try rig.connect()
        try client.expect(0x10)
        let timestamp = be(Int64(time(nil)))
        try client.send(0x28, counted(ClientKey.shared.publicKey) + timestamp + be(UInt32(2)))
        let nonce = try client.expect(0x11)
        try client.send(0x29, timestamp + counted(ClientKey.shared.sign(nonce + timestamp, salt: 20)))
        #expect(try client.expect(0x14) == [1])
    }

    @Test(arguments: [1024, 3072] as [Int32]) func keysOfOtherSizesAreRefused(bits: Int32) throws {
        let rig = try Rig()
        let client = try rig.connect()
        try client.expect(0x10)
        #expect(throws: ClientError.unexpected(0x14)) { _ = try client.register(ClientKey(bits: bits)) }
    }

    @Test func unknownAddressIsRefused() throws {
        let rig = try Rig()
        let client = try rig.connect()
        try client.expect(0x10)
        try client.send(0x20, counted(Array("nobody@sgn.test".utf8)) + be(Int64(time(nil))) + be(UInt32(2)))
        #expect(try client.expect(0x14) == [1])
        #expect(throws: ClientError.closed) { _ = try client.receive() }
    }

    @Test func otherVersionIsRefused() throws {
        let rig = try Rig()
        let client = try rig.connect()
        try client.expect(0x10)
        try client.send(0x20, counted([0x61]) + be(Int64(time(nil))) + be(UInt32(3)))
        #expect(try client.expect(0x14) == [5])
    }

    @Test func notifiesAndCountsTheAcknowledgement() throws {
        let rig = try Rig()
        let client = try rig.login()
        let sent = try rig.server.notify(Message(title: "Hello", body: "World"), token: rig.token.text)
        let notify = try client.expect(0x13)
        #expect(sent.pushed)
        #expect(Array(notify[0..<32]) == rig.token.routingKey)
        #expect(Array(notify[32..<48]) == sent.identifier)
        #expect(Array(notify[48..<56]) == be(Int64(1)))
        #expect(Array(notify[56..<66]) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 3])
        #expect(rig.server.status[0].unacknowledged == 1)
        try client.ack(sent.identifier)
        let acked = try rig.server.events.wait(for: .acked)
        #expect(acked.bytes("msg_id") == sent.identifier)
        #expect(acked.integer("status") == 0)
        #expect(acked.flag("known"))
        #expect(rig.server.status[0].unacknowledged == 0)
    }

    @Test func redeliversWhatIsNewerThanThePolledSequence() throws {
        let rig = try Rig()
        let address = try rig.register()
        let first = try rig.login(address)
        var held = Message(title: "Later")
        held.delivery = .held
        let sent = try (1...3).map { _ in try rig.server.notify(held, token: rig.token.text) }
        try first.poll(after: 1)
        #expect(Array(try first.expect(0x13)[32..<48]) == sent[1].identifier)
        #expect(Array(try first.expect(0x13)[32..<48]) == sent[2].identifier)
        try first.expect(0x17)
        try first.ack(sent[2].identifier, 1)
        try rig.server.events.wait(for: .acked)
        let second = try rig.login(address)
        try second.poll(after: 0)
        #expect(Array(try second.expect(0x13)[32..<48]) == sent[0].identifier)
        #expect(Array(try second.expect(0x13)[32..<48]) == sent[1].identifier)
        try second.expect(0x17)
    }

    @Test func newerConnectionReplacesTheOlder() throws {
        let rig = try Rig()
        let address = try rig.register()
        let older = try rig.login(address)
        let newer = try rig.login(address)
        #expect(try older.expect(0x14) == [4])
        #expect(throws: ClientError.closed) { _ = try older.receive() }
        try rig.server.notify(Message(title: "x"), token: rig.token.text)
        try newer.expect(0x13)
    }

    @Test func pingsBothWays() throws {
        let rig = try Rig()
        let client = try rig.login()
        try client.send(0x27, be(Int64(77)))
        #expect(try client.expect(0x16) == be(Int64(77)))
        try rig.server.ping(-5)
        #expect(try client.expect(0x1A) == be(Int64(-5)))
        try client.send(0x2A, be(Int64(-5)))
        #expect(try rig.server.events.waitForFrame(.pong).integer("seq") == -5)
    }

    @Test func registrationSetInChunksReplacesTheOldOne() throws {
        let rig = try Rig()
        let client = try rig.login()
        let other = DeviceToken(serverAddress: "sgn.test")
        // 3 + 64 × (35 + 28) = 4035: the 65th entry of 28 bytes does not fit any more.
        let bundle = String(repeating: "b", count: 28)
        let entries = (0..<64).map { (tag: UInt8(2), key: [UInt8](repeating: UInt8($0), count: 32), bundle: bundle) }
        try client.filter(entries, more: true)
        try client.filter([(1, other.routingKey, bundle)])
        let event = try rig.server.events.wait(for: .filter, count: 2)
        #expect(event.integer("count") == 65)
        #expect(event.integer("chunks") == 2)
        #expect(rig.server.events.of(.violation).isEmpty)
        #expect(throws: TestbedError.unknownToken) {
            try rig.server.notify(Message(title: "x"), token: rig.token.text)
        }
        try rig.server.notify(Message(title: "x"), token: other.text)
        try client.expect(0x13)
    }

    @Test func chunksThatAreNotGreedyAreNoted() throws {
        let rig = try Rig()
        let client = try rig.login()
        try client.filter([(1, rig.token.routingKey, "a")], more: true)
        try client.filter([(1, [UInt8](repeating: 9, count: 32), "b")])
        #expect(try rig.server.events.wait(for: .violation).text("what") == "C_FILTER not packed greedily")
    }

    @Test func emptySetIsAccepted() throws {
        let rig = try Rig()
        let client = try rig.login(entries: [])
        _ = client
        #expect(rig.server.status[0].registrations.isEmpty)
        #expect(rig.server.events.of(.violation).isEmpty)
    }

    @Test(
        arguments: [
            (0x22, 8), (0x23, 17), (0x27, 8), (0x2A, 8), (0x24, 1), (0x20, 20), (0x28, 20), (0x2B, 3), (0x00, 0),
        ] as [(UInt8, Int)])
    func payloadsOneByteLongAreViolations(type: UInt8, size: Int) throws {
        let rig = try Rig()
        let client = try rig.login()
        try client.send(type, [UInt8](repeating: 0, count: size + 1))
        let event = try rig.server.events.wait(for: .violation)
        #expect(event.text("what")?.hasPrefix("malformed C_") == true)
        #expect(try client.expect(0x14) == [2])
    }

    @Test(arguments: [0x20, 0x21, 0x22, 0x23, 0x27, 0x29, 0x2A, 0x2B] as [UInt8])
    func framesOutOfPhaseAreViolations(type: UInt8) throws {
        let rig = try Rig()
        let client = try rig.connect()
        try client.expect(0x10)
        let sizes: [UInt8: Int] = [0x20: 14, 0x21: 10, 0x22: 8, 0x23: 17, 0x27: 8, 0x29: 10, 0x2A: 8, 0x2B: 3]
        if type == 0x20 {
            try client.send(0x20, counted([0x61]) + be(Int64(0)) + be(UInt32(2)))
            #expect(try client.expect(0x14) == [1])  // In phase, only unknown.
        } else {
            try client.send(type, [UInt8](repeating: 0, count: sizes[type]!))
            #expect(try client.expect(0x14) == [2])
            #expect(rig.server.events.of(.violation).first?.text("what")?.hasSuffix("out of phase") == true)
        }
    }

    @Test(arguments: [0, 1, 3, 4]) func badHeadersAreViolations(offset: Int) throws {
        let rig = try Rig()
        let client = try rig.login()
        var header: [UInt8] = [0x53, 2, 0x22, 0, 0, 0, 0, 8]
        header[offset] = 0x7F
        try client.write(header + be(Int64(0)))
        #expect(try client.expect(0x14) == [2])
        #expect(rig.server.events.of(.violation).first?.text("what") == "bad header")
    }

    @Test func splitFramesAreNotedAndUnderstood() throws {
        let rig = try Rig()
        let client = try rig.login()
        try client.write([0x53, 2, 0x27, 0, 0, 0, 0, 8])
        try client.write(be(Int64(3)))
        #expect(try client.expect(0x16) == be(Int64(3)))
        #expect(rig.server.events.of(.violation).first?.text("what") == "frame split over TLS records")
    }

    @Test func clientSaysGoodbye() throws {
        let rig = try Rig()
        let client = try rig.login()
        let mark = rig.server.events.mark
        try client.send(0x24, [0])
        #expect(try rig.server.events.waitForFrame(.disconnect).integer("reason") == 0)
        #expect(throws: ClientError.closed) { _ = try client.receive() }
        #expect(try rig.server.events.wait(for: .closed, after: mark).text("by") == "server")
    }

    @Test func devicesSurviveARestartOfListenerAndProcess() throws {
        let directory = NSTemporaryDirectory() + "testbed-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var options = Server.Options()
        options.directory = directory
        var address: [UInt8] = []
        var pin: [UInt8] = []
        var held = Message(title: "Kept")
        held.delivery = .held
        do {
            let rig = try Rig(options: options)
            address = try rig.register()
            pin = rig.server.certificate.der
            let port = rig.server.port
            let client = try rig.login(address)
            rig.server.unlisten()
            #expect(throws: ClientError.reset) { _ = try client.receive() }
            #expect(throws: ClientError.refused) { _ = try rig.connect() }
            try rig.server.listen()
            #expect(rig.server.port == port)
            _ = try rig.login(address)
            try rig.server.notify(held, token: rig.token.text)
            rig.server.stop()
        }
        let rig = try Rig(options: options)
        #expect(rig.server.certificate.der == pin)
        let client = try rig.login(address)
        try client.poll()
        try client.expect(0x13)
    }

    @Test func stopEndsEverything() throws {
        let rig = try Rig()
        let client = try rig.login()
        rig.server.stop()
        rig.server.stop()
        #expect(throws: ClientError.reset) { _ = try client.receive() }
        #expect(throws: ClientError.refused) { _ = try rig.connect() }
    }
}
