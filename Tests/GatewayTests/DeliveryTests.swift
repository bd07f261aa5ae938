import Bytes
import CBoard
import Foundation
import Payload
import SGP
import Store
import Testing

@testable import Gateway
@testable import Testbed

/// A delivery on a store of its own, with a registration that is shown and one that is muted.
private final class Rig {
    let directory: StateDirectory
    let store: Store
    var delivery: Delivery
    var set = RegistrationSet()
    let token = DeviceToken(serverAddress: "sgn.test", secret: Array(1...16))
    let muted = DeviceToken(serverAddress: "sgn.test", secret: Array(17...32))
    let now: Int64 = 1_700_000_000

    init() throws {
        directory = try StateDirectory()
        store = try directory.open()
        let server = Array("sgn.test".utf8)
        let address = Array("device@sgn.test".utf8)
        let hash = [UInt8](repeating: 7, count: 32)
        try store.setIdentity(server: server.span.bytes, address: address.span.bytes, keyHash: hash.span.bytes, at: now)
        delivery = Self.made()
        for (token, isMuted) in [(token, false), (muted, true)] {
            let added = set.insert(
                Registration(
                    routingKey: Self.key(token.routingKey), endToEndKey: Self.key(token.endToEndKey),
                    bundle: Blob("org.example.door") ?? Blob(), isMuted: isMuted))
            try #require(added)
        }
    }

    private static func made() -> Delivery {
        guard let made = Delivery() else { fatalError("no delivery") }
        return made
    }

    private static func key(_ bytes: [UInt8]) -> Blob<32> { Blob(bytes.span.bytes) ?? Blob() }

    var waiting: Int { delivery.waiting }
    var shown: Int { delivery.shownInBurst }
    var hasRoom: Bool { delivery.hasRoom }
    var lastSequence: Int64 { delivery.lastSequence }

    /// As after a restart.
    func renew() { delivery = Self.made() }

    func refuseOversize(_ payload: [UInt8]) throws -> Bool {
        try delivery.refuseOversize(payload.span.bytes, store: store)
    }

    @discardableResult
    func makeDurable(confirmed: Int64 = 0) throws -> Committed {
        try delivery.commit(store, confirmed: confirmed)
    }

    func payload(_ message: Message, id: Int, seq: Int64, to token: DeviceToken? = nil) -> [UInt8] {
        message.payload(token: token ?? self.token, identifier: messageID(id), sequence: seq)
    }

    @discardableResult
    func take(_ payload: [UInt8], now: Int64? = nil) throws -> Verdict {
        try delivery.take(payload.span.bytes, set, Routing([]), store: store, now: now ?? self.now)
    }

    func take(_ payload: [UInt8], at now: CorrectedTime) throws -> Verdict {
        try delivery.take(payload.span.bytes, set, Routing([]), store: store, now: now)
    }

    @discardableResult
    func take(_ id: Int, seq: Int64? = nil, title: String = "title") throws -> Verdict {
        try take(payload(Message(title: title), id: id, seq: seq ?? Int64(id)))
    }

    /// Commits and gives what is to be sent: the number of each message and its status.
    func commit(confirmed: Int64 = 0) throws -> [(id: Int, status: AckStatus)] {
        try makeDurable(confirmed: confirmed)
        var acks: [(Int, AckStatus)] = []
        while let ack = delivery.nextAck() {
            var reader = ByteReader(ack.messageID.bytes.extracting(8..<16))
            let number = (try? reader.read(Int64.self)) ?? -1
            acks.append((Int(number), ack.status))
        }
        delivery.endBurst()
        return acks
    }

    /// The status of the one acknowledgement, or nil.
    func statuses() throws -> [UInt8] { try commit().map(\.status.rawValue) }

    func durableSequence() throws -> Int64? { try store.identity()?.lastSequence }
}

extension StateTests {
    @Suite struct DeliveryTests {
        // MARK: Verdicts

        @Test func shown() throws {
            let rig = try Rig()
            let other = try rig.directory.open()
            let verdict = try rig.take(1, title: "Hello")
            guard case .shown = verdict else { return #expect(Bool(false), "\(verdict)") }
            #expect(try other.titles().isEmpty && other.acks().isEmpty, "nothing before the commit")
            #expect(rig.waiting == 1 && rig.shown == 1)
            #expect(try rig.statuses() == [0])
            #expect(try other.titles() == ["Hello"] && other.acks() == [0])
            #expect(try other.counters() == Counters(received: 1))
        }

        @Test(arguments: [false, true], [false, true]) func encryptedAndCompressed(encrypted: Bool, compressed: Bool)
            throws
        {
            let rig = try Rig()
            var message = Message(title: "Hello", body: String(repeating: "body ", count: 100))
            message.encrypted = encrypted
            message.compressed = compressed
            guard case .shown = try rig.take(rig.payload(message, id: 1, seq: 1)) else { return #expect(Bool(false)) }
            #expect(try rig.statuses() == [0])
            #expect(try rig.store.titles() == ["Hello"])
        }

        /// Within a burst, after it, and in another life of the process.
        @Test func duplicates() throws {
            let rig = try Rig()
            try rig.take(1)
            #expect(try rig.take(1, seq: 9) == .duplicate)
            #expect(try rig.statuses() == [0, 0])
            #expect(try rig.take(1) == .duplicate)
            #expect(try rig.statuses() == [0])
            rig.renew()
            #expect(try rig.take(1) == .duplicate)
            #expect(try rig.statuses() == [0])
            #expect(try rig.store.titles() == ["title"])
            #expect(try rig.store.counters() == Counters(received: 1, duplicates: 3))
        }

        @Test func muted() throws {
            let rig = try Rig()
            let payload = rig.payload(Message(title: "quiet"), id: 1, seq: 1, to: rig.muted)
            #expect(try rig.take(payload) == .muted)
            #expect(rig.shown == 0)
            #expect(try rig.statuses() == [0])
            #expect(try rig.store.titles().isEmpty)
            #expect(try rig.store.counters() == Counters())
            #expect(try rig.take(payload) == .duplicate)
        }

        /// Muted is not opened: what could not be decrypted is acknowledged 0 all the same (SGP v2 §5).
        @Test func mutedWithAWrongKey() throws {
            let rig = try Rig()
            var message = Message(title: "quiet")
            message.wrongKey = true
            #expect(try rig.take(rig.payload(message, id: 1, seq: 1, to: rig.muted)) == .muted)
            #expect(try rig.statuses() == [0])
        }

        @Test(arguments: [(-1, true), (0, false), (1, false)] as [(Int64, Bool)]) func expiry(
            ahead: Int64, expired: Bool
        ) throws {
            let rig = try Rig()
            var message = Message(title: "late")
            message.expiresAt = rig.now + ahead
            let verdict = try rig.take(rig.payload(message, id: 1, seq: 1))
            #expect((verdict == .expired) == expired)
            #expect(try rig.statuses() == [expired ? 3 : 0])
            #expect(try rig.store.counters() == (expired ? Counters(expired: 1) : Counters(received: 1)))
        }

        @Test(arguments: [0, Int64.max]) func neverExpired(expiresAt: Int64) throws {
            let rig = try Rig()
            var message = Message(title: "x")
            message.expiresAt = expiresAt
            guard case .shown = try rig.take(rig.payload(message, id: 1, seq: 1)) else { return #expect(Bool(false)) }
        }

        /// By a clock that is not trusted nothing has expired, so that none is lost to a wrong year.
        @Test(
            arguments: [-1, 0, 1, 1_388_534_400, 1_700_000_000, 2_147_483_647, 2_147_483_648, 2_208_988_800] as [Int64])
        func noExpiryWithoutTrust(now: Int64) throws {
            let rig = try Rig()
            var message = Message(title: "x")
            // 2026-11-30.
            message.expiresAt = 1_796_000_000
            let clocks = [
                CorrectedTime(time: now, isTrusted: false),
                CorrectedTime(time: now, isTrusted: false, isPlausible: false),
            ]
            for (index, clock) in clocks.enumerated() {
                let verdict = try rig.take(rig.payload(message, id: index, seq: 1), at: clock)
                guard case .shown = verdict else { return #expect(Bool(false), "\(verdict)") }
            }
            let trusted = try rig.take(rig.payload(message, id: 9, seq: 1), at: CorrectedTime(time: now))
            #expect((trusted == .expired) == (now > 1_796_000_000))
        }

        /// A board and a server that both believe in 1970 agree on what has expired there.
        @Test func expiryBeforeTheClockWasSet() throws {
            let rig = try Rig()
            var message = Message(title: "x")
            message.expiresAt = 99
            let clock = CorrectedTime(time: 100, isTrusted: false, isPlausible: false)
            #expect(try rig.take(rig.payload(message, id: 1, seq: 1), at: clock) == .expired)
        }

        /// Expiry is checked before the key (SGP v2 §10).
        @Test(arguments: ["unknown key", "wrong key", "muted", "garbage"]) func expiredFirst(way: String) throws {
            let rig = try Rig()
            var message = way == "garbage" ? Message(.raw([1, 2, 3], type: 3)) : Message(title: "x")
            message.expiresAt = -1
            message.unknownKey = way == "unknown key"
            message.wrongKey = way == "wrong key"
            let payload = rig.payload(message, id: 1, seq: 1, to: way == "muted" ? rig.muted : nil)
            #expect(try rig.take(payload) == .expired)
            #expect(try rig.statuses() == [3])
        }

        @Test func wrongKey() throws {
            let rig = try Rig()
            var message = Message(title: "x")
            message.wrongKey = true
            let payload = rig.payload(message, id: 1, seq: 1)
            #expect(try rig.take(payload) == .wrongKey)
            #expect(try rig.statuses() == [1])
            #expect(try rig.store.counters() == Counters(rejected: 1))
            #expect(try rig.take(payload) == .wrongKey, "judged anew when it comes again")
        }

        /// Any bit changed after sealing.
        @Test func damagedCiphertext() throws {
            let rig = try Rig()
            var message = Message(title: "x")
            message.encrypted = true
            let payload = rig.payload(message, id: 1, seq: 1)
            for index in 70..<payload.count {
                var damaged = payload
                damaged[index] ^= 0x10
                #expect(try rig.take(damaged) == .wrongKey, "byte \(index)")
            }
            #expect(try Set(rig.statuses()) == [1])
        }

        @Test func unreadable() throws {
            let rig = try Rig()
            var broken: [Message] = [
                Message(.raw([], type: 3)), Message(.raw([1], type: 3)), Message(.raw([0x02, 0], type: 3)),
                Message(.raw([1, 0xFF, 0xFF], type: 0)), Message(.raw(Array("{".utf8), type: 1)),
                Message(.raw([0], type: 0x77)),
            ]
            for (flags, length) in [(0x04, nil), (0x80, nil), (0, 0), (0, .max), (2, nil)] as [(UInt8, UInt32?)] {
                var message = Message(title: "x")
                message.flags = flags
                message.dataLength = length
                broken.append(message)
            }
            for (index, message) in broken.enumerated() {
                let verdict = try rig.take(rig.payload(message, id: index, seq: 1))
                guard case .unreadable(let error) = verdict else { return #expect(Bool(false), "\(index): \(verdict)") }
                #expect(!error.reason.isEmpty)
            }
            #expect(try rig.statuses() == [UInt8](repeating: 2, count: broken.count))
            #expect(try rig.store.counters() == Counters(rejected: Int64(broken.count)))
            #expect(try rig.store.titles().isEmpty)
        }

        /// A bomb is stopped at its bound; exactly that much is fine.
        @Test(arguments: [65_536, 65_537]) func inflation(size: Int) throws {
            let rig = try Rig()
            var rest = size - 6
            var records = [Message.FlatRecord.title("Big")]
            while rest > 0 {
                let length = min(rest - 3, 60_000)
                records.append(.custom([UInt8](repeating: 0, count: length)))
                rest -= length + 3
                if rest > 0, rest < 3 { fatalError("no record of \(rest) bytes") }
            }
            var message = Message(.flat(records))
            message.compressed = true
            let verdict = try rig.take(rig.payload(message, id: 1, seq: 1))
            #expect((verdict == .unreadable(.inflatesTooFar)) == (size > 65_536))
            #expect(try rig.statuses() == [size > 65_536 ? 2 : 0])
        }

        /// Neither acknowledged nor remembered, and it does not hold the number of the poll back (SGP v2 §10).
        @Test func unknownKey() throws {
            let rig = try Rig()
            var message = Message(title: "x")
            message.unknownKey = true
            let payload = rig.payload(message, id: 1, seq: 5)
            #expect(try rig.take(payload) == .unknownKey)
            #expect(rig.waiting == 0)
            #expect(try rig.statuses().isEmpty)
            #expect(rig.lastSequence == 5)
            #expect(try rig.store.counters() == Counters())
            #expect(try rig.take(payload) == .unknownKey)
        }

        @Test(arguments: [0, 1, 69]) func shorterThanItsFixedPart(length: Int) throws {
            let rig = try Rig()
            #expect(try rig.take([UInt8](repeating: 1, count: length)) == .unknownKey)
            #expect(rig.waiting == 0 && !rig.store.isInTransaction)
        }

        @Test func oversize() throws {
            let rig = try Rig()
            let fixed = Array(rig.payload(Message(title: "x"), id: 4, seq: 6).prefix(70))
            #expect(try rig.refuseOversize(fixed))
            let short = Array(fixed.prefix(69))
            #expect(try !rig.refuseOversize(short))
            let acks = try rig.commit()
            #expect(acks.map(\.id) == [4] && acks.map(\.status) == [.unreadable])
            #expect(rig.lastSequence == 6)
        }

        // MARK: Bursts

        /// As many as a burst may have, in order, by one transaction.
        @Test func burst() throws {
            let rig = try Rig()
            for number in 1...Limits.burst {
                #expect(rig.hasRoom)
                try rig.take(number, title: "\(number)")
            }
            #expect(!rig.hasRoom && rig.waiting == Limits.burst)
            #expect(rig.shown == Limits.burst)
            #expect(try rig.commit().map(\.id) == Array(1...Limits.burst))
            #expect(rig.hasRoom && rig.shown == 0)
            #expect(try rig.store.titles() == (1...Limits.burst).reversed().map(String.init))
        }

        @Test func nothingToCommit() throws {
            let rig = try Rig()
            #expect(try rig.makeDurable() == Committed())
            #expect(try rig.makeDurable(confirmed: 99) == Committed())
        }

        /// What the server has read is forgotten with the next burst, and nothing else.
        @Test func confirmed() throws {
            let rig = try Rig()
            try rig.take(1)
            try rig.take(2)
            _ = try rig.commit()
            try rig.take(3)
            _ = try rig.commit(confirmed: 1)
            #expect(try rig.store.acks().count == 2)
        }

        @Test func abandoned() throws {
            let rig = try Rig()
            try rig.take(1, seq: 3)
            rig.store.rollback()
            rig.delivery.abandon()
            #expect(rig.waiting == 0 && rig.shown == 0 && rig.lastSequence == 0)
            #expect(try rig.commit().isEmpty)
            #expect(try rig.store.titles().isEmpty)
            guard case .shown = try rig.take(1, seq: 3) else { return #expect(Bool(false)) }
        }

        /// A burst that could not be made durable is neither acknowledged nor shown, and the next C_POLL does not say that
        /// it was delivered: the server would never send it again.
        @Test(arguments: ["UPDATE ON counters", "UPDATE OF last_seq ON identity"]) func commitFails(change: String)
            throws
        {
            let rig = try Rig()
            try rig.take(1, seq: 3)
            #expect(try rig.commit().count == 1)
            #expect(rig.lastSequence == 3)
            try rig.directory.refuse(change)
            try rig.take(2, seq: 7)
            #expect(throws: StoreError.self) { try rig.makeDurable() }
            rig.store.rollback()
            rig.delivery.abandon()
            #expect(rig.lastSequence == 3)
            #expect(rig.waiting == 0)
            #expect(try rig.store.titles().count == 1 && rig.store.acks().count == 1)
            #expect(try rig.durableSequence() == 3)
            try rig.directory.allow()
            guard case .shown = try rig.take(2, seq: 7) else { return #expect(Bool(false)) }
            #expect(try rig.statuses() == [0])
            #expect(try rig.durableSequence() == 7)
        }

        @Test(arguments: ["INSERT ON inbox", "INSERT ON seen", "INSERT ON acks"]) func takingFails(change: String)
            throws
        {
            let rig = try Rig()
            try rig.take(1, seq: 1)
            _ = try rig.commit()
            try rig.take(2, seq: 2)
            rig.store.rollback()
            rig.delivery.abandon()
            try rig.directory.refuse(change)
            #expect(throws: StoreError.self) { try rig.take(3, seq: 3) }
            rig.store.rollback()
            rig.delivery.abandon()
            #expect(rig.lastSequence == 1)
            #expect(try rig.store.titles().count == 1)
            try rig.directory.allow()
            guard case .shown = try rig.take(3, seq: 3) else { return #expect(Bool(false)) }
            #expect(try rig.statuses() == [0])
        }

        // MARK: The number of the poll

        @Test func theHighestNumber() throws {
            let rig = try Rig()
            for (id, seq) in [(1, 5), (2, 3), (3, 9), (4, -1)] as [(Int, Int64)] { try rig.take(id, seq: seq) }
            #expect(rig.lastSequence == 0, "not before the commit")
            _ = try rig.commit()
            #expect(rig.lastSequence == 9)
            #expect(try rig.durableSequence() == 9)
        }

        /// While older ones may still come, nothing moves it; the end of the poll does.
        @Test func heldWhilePolling() throws {
            let rig = try Rig()
            rig.delivery.resume(after: 4)
            rig.delivery.beginPoll()
            try rig.take(1, seq: 10)
            _ = try rig.commit()
            #expect(rig.lastSequence == 4)
            #expect(try rig.durableSequence() == 4)
            try rig.take(2, seq: 5)
            rig.delivery.endPoll()
            _ = try rig.commit()
            #expect(rig.lastSequence == 10)
            #expect(try rig.durableSequence() == 10)
        }

        /// A connection that ends during a poll forgets what had overtaken it.
        @Test func anInterruptedPoll() throws {
            let rig = try Rig()
            rig.delivery.beginPoll()
            try rig.take(1, seq: 10)
            _ = try rig.commit()
            rig.delivery.abandon()
            rig.delivery.beginPoll()
            try rig.take(2, seq: 5)
            rig.delivery.endPoll()
            _ = try rig.commit()
            #expect(rig.lastSequence == 5)
        }
    }
}
