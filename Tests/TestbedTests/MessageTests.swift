import Foundation
import Testbed
import Testing

/// What senders build, and how it can be wrong.
@Suite struct MessageTests {
    /// Token and key as recorded with the reference server.
    @Test func keysOfATokenAreThoseOfTheReferenceServer() throws {
        let token = try DeviceToken("73676e2e746573740000000000000000ef464179f45aa39cbd52ebdd09968c72")
        #expect(String(decoding: token.serverAddress, as: UTF8.self) == "sgn.test")
        #expect(hex(token.routingKey) == "c21d06ff34deee52acfd3d32b0e8b6cacc7ead438bd74212ffebeb3607ec7b9a")
        #expect(hex(token.endToEndKey) == "688ef95c9288ac60af3eb93780b19c5efa49f8a760cf20ef7196a3fd601083f6")
        #expect(token.text == "73676e2e746573740000000000000000ef464179f45aa39cbd52ebdd09968c72")
    }

    @Test(
        arguments: [
            "", "73", String(repeating: "0", count: 64), String(repeating: "g", count: 64),
            "73676e002e7465730000000000000000ef464179f45aa39cbd52ebdd09968c72",
            "73676e2e746573740000000000000000ef464179f45aa39cbd52ebdd09968c7200",
        ])
    func malformedTokens(text: String) {
        #expect(throws: TestbedError.malformedToken) { try DeviceToken(text) }
    }

    @Test(
        arguments: [
            ([:], "0100"), (["a": 1], "010401610402"), (["a": -1], "010401610401"),
            (["a": 300], "01050161 04d804"), (["a": "x"], "01050161 030178"), (["a": true], "010401610601"),
            (["a": nil], "0103016107"), (["a": [false]], "01060161 02020600"),
            (["a": 1.0], "010b0161 053ff0000000000000"),
            (["a": .data([1, 2])], "01060161 08020102"),
            (["a": .integer(.min)], "010d0161 04ffffffffffffffffff01"),
        ] as [(Value, String)])
    func structured(value: Value, text: String) {
        #expect(hex(value.structured) == text.replacingOccurrences(of: " ", with: ""))
    }

    @Test func json() throws {
        let value: Value = ["a": "q\"\\\n\u{1}é", "b": [1, 2.5, true, nil], "c": .data([0xAB])]
        let object = try #require(try JSONSerialization.jsonObject(with: Data(value.json.utf8)) as? [String: Any])
        #expect(object["a"] as? String == "q\"\\\n\u{1}é")
        #expect((object["b"] as? [Any])?.count == 4)
        #expect(object["c"] as? String == "ab")
    }

    @Test(arguments: [79, 110, 200, 4095, 4096, 4097, 65_000, 200_000]) func sizes(size: Int) throws {
        let rig = try Rig()
        let client = try rig.login()
        #expect(try rig.server.notify(.ofPayloadSize(size), token: rig.token.text).size == size)
        #expect(try client.expect(0x13).count == size)
    }

    /// Sends a message and returns the payload of S_NOTIFY.
    private func deliver(_ message: Message, _ faults: Faults = Faults()) throws -> (Rig, TestClient, [UInt8]) {
        let rig = try Rig()
        let client = try rig.login()
        rig.server.faults = faults
        try rig.server.notify(message, token: rig.token.text)
        return (rig, client, try client.expect(0x13))
    }

    private func data(_ payload: [UInt8]) -> [UInt8] {
        let length = payload[66..<70].reduce(0) { $0 << 8 | Int($1) }
        return Array(payload[70..<70 + length])
    }

    private let document: Value = .notification(title: "T", body: "B", sound: "bell", badge: 3)

    @Test func flat() throws {
        let (_, _, payload) = try deliver(Message(.flat([.title("T"), .body("Bo"), .sound("s"), .custom([0, 1])])))
        #expect(payload[65] == 0)
        #expect(hex(data(payload)) == "01000154" + "020002426f" + "03000173" + "0400020001")
    }

    @Test func jsonType() throws {
        let (_, _, payload) = try deliver(Message(.json(document)))
        #expect(payload[65] == 1)
        #expect(
            String(decoding: data(payload), as: UTF8.self)
                == #"{"aps":{"alert":{"title":"T","body":"B"},"sound":"bell","badge":3}}"#)
    }

    @Test func encrypted() throws {
        var message = Message(.structured(document))
        message.encrypted = true
        let (rig, _, payload) = try deliver(message)
        #expect(payload[64] == 1)
        let plain = open(data(payload), key: rig.token.endToEndKey, nonce: payload.suffix(12))
        #expect(plain == document.structured)
    }

    @Test func compressed() throws {
        var message = Message(.structured(document))
        message.compressed = true
        let (_, _, payload) = try deliver(message)
        #expect(payload[64] == 2)
        #expect(inflate(data(payload)) == document.structured)
    }

    @Test func compressedThenEncrypted() throws {
        var message = Message(.structured(document))
        message.compressed = true
        message.encrypted = true
        let (rig, _, payload) = try deliver(message)
        #expect(payload[64] == 3)
        let packed = try #require(open(data(payload), key: rig.token.endToEndKey, nonce: payload.suffix(12)))
        #expect(inflate(packed) == document.structured)
    }

    @Test func wrongKey() throws {
        var message = Message(.structured(document))
        message.wrongKey = true
        let (rig, _, payload) = try deliver(message)
        #expect(payload[64] == 1)
        #expect(open(data(payload), key: rig.token.endToEndKey, nonce: payload.suffix(12)) == nil)
    }

    @Test func unknownKey() throws {
        var message = Message(.structured(document))
        message.unknownKey = true
        let (rig, _, payload) = try deliver(message)
        #expect(Array(payload[..<32]) != rig.token.routingKey)
    }

    @Test func garbageAndEveryFieldOverridden() throws {
        var message = Message(.raw([0xFF, 0xFF], type: 3))
        message.flags = 0x84
        message.contentType = 9
        message.dataLength = 0xFFFF_FFFF
        message.expiresAt = 1
        message.sequence = -7
        message.identifier = [UInt8](repeating: 5, count: 16)
        let (_, _, payload) = try deliver(message)
        #expect(Array(payload[32..<48]) == [UInt8](repeating: 5, count: 16))
        #expect(Array(payload[48..<56]) == be(Int64(-7)))
        #expect(Array(payload[56..<64]) == be(Int64(1)))
        #expect(Array(payload[64...]) == [0x84, 9, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    }

    @Test func copiesAndDuplicatesAreTheSameFrame() throws {
        var message = Message(title: "x")
        message.copies = 2
        let (rig, client, payload) = try deliver(message)
        #expect(try client.expect(0x13) == payload)
        rig.server.faults.duplicates = 2
        try rig.server.notify(Message(title: "y"), token: rig.token.text)
        let first = try client.expect(0x13)
        #expect(try client.expect(0x13) == first)
        #expect(try client.expect(0x13) == first)
        rig.server.faults.duplicates = 0
        try rig.server.resend(Array(payload[32..<48]))
        #expect(try client.expect(0x13) == payload)
    }

    @Test func unqueuedIsForgotten() throws {
        var message = Message(title: "x")
        message.delivery = .unqueued
        let (rig, _, _) = try deliver(message)
        #expect(rig.server.status[0].unacknowledged == 0)
    }

    @Test func sequenceIsTime() throws {
        var faults = Faults()
        faults.sequenceIsTime = true
        let (_, _, payload) = try deliver(Message(title: "x"), faults)
        let sequence = payload[48..<56].reduce(0) { $0 << 8 | Int64($1) }
        #expect(abs(sequence - Int64(time(nil))) <= 2)
    }
}
