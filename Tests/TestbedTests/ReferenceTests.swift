import Testbed
import Testing

/// The quirk mode does what SGP v2 §10 says of the reference server.
@Suite struct ReferenceTests {
    private func connect(_ rig: Rig) throws -> TestClient {
        let client = try rig.connect()
        #expect(try client.readRecord().count == 4)
        _ = try client.readRecord()
        try client.send(0x00)
        try client.expect(0x10)
        return client
    }

    private func login(_ rig: Rig, _ address: [UInt8]) throws -> TestClient {
        let client = try connect(rig)
        try client.login(address)
        let mark = rig.server.events.mark
        try client.filter([(1, rig.token.routingKey, "org.example.bell")])
        try rig.server.events.wait(for: .filter, after: mark)
        return client
    }

    @Test func tls13Only() throws {
        let rig = try Rig(.reference)
        #expect(throws: ClientError.self) {
            _ = try TestClient(port: rig.server.port, pin: nil, maximum: 0x0303)
        }
    }

    @Test func firstFrameIsSwallowedWhateverItIs() throws {
        let rig = try Rig(.reference)
        let client = try rig.connect()
        _ = try client.readRecord()
        _ = try client.readRecord()
        try client.send(0x27, be(Int64(1)))
        try client.expect(0x10)
        #expect(rig.server.events.of(.violation).isEmpty)
    }

    @Test func splitFrameIsDropped() throws {
        let rig = try Rig(.reference)
        let client = try connect(rig)
        try client.write([0x53, 2, 0x24, 0, 0, 0, 0, 1])
        #expect(throws: ClientError.reset) { _ = try client.receive() }
    }

    @Test func loginAfterRegistrationIsRefused() throws {
        let rig = try Rig(.reference)
        let client = try connect(rig)
        let address = try client.register()
        try client.send(0x20, counted(address) + be(Int64(0)) + be(UInt32(2)))
        #expect(try client.expect(0x14) == [2, 0, 0, 0, 0])
    }

    @Test func oneMessageAKeyNoPollDoneAndTimesAsSequence() throws {
        let rig = try Rig(.reference)
        let client = try login(rig, try connect(rig).register())
        for title in ["old", "new"] {
            var message = Message(title: title)
            message.delivery = .held
            try rig.server.notify(message, token: rig.token.text)
        }
        try client.poll()
        let payload = try client.expect(0x13)
        #expect(payload.suffix(100).contains(UInt8(ascii: "w")))
        #expect(payload[48..<56].reduce(0) { $0 << 8 | Int64($1) } > 1_700_000_000)
        client.setTimeout(milliseconds: 200)
        #expect(throws: ClientError.timeout) { _ = try client.receive() }
    }

    @Test func numbersAreDoubles() throws {
        let rig = try Rig(.reference)
        let client = try login(rig, try connect(rig).register())
        try rig.server.notify(Message(.structured(["badge": 3])), token: rig.token.text)
        let payload = try client.expect(0x13)
        #expect(hex(payload[70...]) == "010f" + "056261646765" + "054008000000000000")
    }

    @Test func olderConnectionIsNotToldAndItsEndStopsLivePushes() throws {
        let rig = try Rig(.reference)
        let address = try connect(rig).register()
        let older = try login(rig, address)
        let newer = try login(rig, address)
        let mark = rig.server.events.mark
        try older.send(0x24, [0])
        try rig.server.events.wait(for: .closed, after: mark)
        #expect(try rig.server.notify(Message(title: "x"), token: rig.token.text).pushed == false)
        try newer.poll()
        try newer.expect(0x13)
    }

    @Test(arguments: [true, false]) func repeatedKeyEndsTheServer(inOneSet: Bool) throws {
        let rig = try Rig(.reference)
        let client = try login(rig, try connect(rig).register())
        if inOneSet {
            let key = [UInt8](repeating: 1, count: 32)
            try client.filter([(1, key, "a"), (1, key, "b")])
        } else {
            try client.filter([(1, rig.token.routingKey, "org.example.bell")])
        }
        try rig.server.events.wait(for: .crashed)
        #expect(throws: ClientError.reset) { _ = try client.receive() }
        #expect(throws: ClientError.refused) { _ = try rig.connect() }
    }

    @Test(arguments: [(64, false), (65, true)]) func longBundleEndsTheServer(length: Int, ends: Bool) throws {
        let rig = try Rig(.reference)
        let client = try login(rig, try connect(rig).register())
        let bundle = String(repeating: "b", count: length)
        try client.filter([(1, [UInt8](repeating: 1, count: 32), bundle)])
        try client.poll()
        try rig.server.events.wait(for: ends ? .crashed : .polled)
    }

    @Test func shortPayloadEndsTheServer() throws {
        let rig = try Rig(.reference)
        let client = try connect(rig)
        try client.send(0x24)
        #expect(try rig.server.events.wait(for: .crashed).text("what") == "short payload of C_DISCONNECT")
    }
}
