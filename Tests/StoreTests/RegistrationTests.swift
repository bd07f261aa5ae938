import Bytes
import Foundation
import Testing

@testable import Store

extension StoreTests {
    @Suite struct RegistrationTests {
        @Test func addingIsIdempotent() throws {
            let store = try TemporaryDirectory().open()
            #expect(try store.registrationsGeneration() == 0)
            #expect(try store.register("org.a", fill: 1) == .changed)
            #expect(try store.register("org.a", fill: 2) == .unchanged)
            #expect(try store.registrationsGeneration() == 1)
            var tokens: [[UInt8]] = []
            try store.registrations(server: nil) { row in
                tokens.append(row.token.array)
                #expect(row.server.string == "sgn.test")
                #expect(row.bundle.string == "org.a")
                #expect(row.endToEndKey.array == [UInt8](repeating: 0xFE, count: 32))
                #expect(row.routingKey.byteCount == 32)
                #expect(!row.isMuted && row.created == 1_700_000_000)
                return true
            }
            #expect(tokens == [[UInt8](repeating: 1, count: 32)])
        }

        @Test func bundlesAreUniqueForEachServer() throws {
            let store = try TemporaryDirectory().open()
            #expect(try store.register("org.a", server: "one", fill: 1) == .changed)
            #expect(try store.register("org.a", server: "two", fill: 2) == .changed)
            #expect(try store.bundles(server: "one") == ["org.a"])
            #expect(try store.bundles() == ["org.a", "org.a"])
            #expect(try store.registrationCount() == 2)
            // The same routing key for another bundle is refused: the server would end on it.
            let clash = Array("org.b".utf8)
            let server = Array("one".utf8)
            let bytes = [UInt8](repeating: 3, count: 32)
            let first = thrown {
                _ = try store.addRegistration(
                    server: server.span.bytes, bundle: clash.span.bytes, token: bytes.span.bytes,
                    routingKey: bytes.span.bytes, endToEndKey: bytes.span.bytes, at: 0)
            }
            #expect(first == nil)
            let other = Array("org.c".utf8)
            let second = thrown {
                _ = try store.addRegistration(
                    server: server.span.bytes, bundle: other.span.bytes, token: bytes.span.bytes,
                    routingKey: bytes.span.bytes, endToEndKey: bytes.span.bytes, at: 0)
            }
            guard case .misuse = second else {
                Issue.record("\(String(describing: second))")
                return
            }
            #expect(try store.registrationCount() == 3)
            #expect(!store.isInTransaction)
        }

        @Test func muteUnmuteDelete() throws {
            let store = try TemporaryDirectory().open()
            let server = Array("sgn.test".utf8)
            let bundle = Array("org.a".utf8)
            func mute(_ muted: Bool) throws -> RegistrationChange {
                try store.setMuted(muted, server: server.span.bytes, bundle: bundle.span.bytes)
            }
            func delete() throws -> RegistrationChange {
                try store.deleteRegistration(server: server.span.bytes, bundle: bundle.span.bytes)
            }
            func isMuted() throws -> Bool? {
                var muted: Bool?
                _ = try store.registration(server: server.span.bytes, bundle: bundle.span.bytes) { muted = $0.isMuted }
                return muted
            }
            #expect(try mute(true) == .unknown)
            #expect(try delete() == .unknown)
            #expect(try isMuted() == nil)
            try store.register("org.a", fill: 1)
            #expect(try isMuted() == false)
            #expect(try mute(false) == .unchanged)
            #expect(try store.registrationsGeneration() == 1)
            #expect(try mute(true) == .changed)
            #expect(try isMuted() == true)
            #expect(try mute(false) == .changed)
            #expect(try delete() == .changed)
            #expect(try store.registrationsGeneration() == 4)
            #expect(try store.registrationCount() == 0)
        }

        @Test func orderIsThatOfAdding() throws {
            let directory = try TemporaryDirectory()
            let names = ["z", "a", "m", "b"]
            do {
                let store = try directory.open()
                for name in names { try store.register(name) }
            }
            let store = try directory.open()
            #expect(try store.bundles() == names)
            let bundle = Array("a".utf8)
            let server = Array("sgn.test".utf8)
            _ = try store.deleteRegistration(server: server.span.bytes, bundle: bundle.span.bytes)
            try store.register("a")
            #expect(try store.bundles() == ["z", "m", "b", "a"])
        }

        @Test(arguments: [(0, false), (1, true), (63, true), (64, true), (65, false)])
        func bundleLengths(length: Int, isAccepted: Bool) throws {
            let store = try TemporaryDirectory().open()
            let error = thrown { try store.register(String(repeating: "b", count: length)) }
            #expect((error == nil) == isAccepted)
            #expect(try store.registrationCount() == (isAccepted ? 1 : 0))
        }

        @Test(arguments: [(0, false), (1, true), (16, true), (17, false)])
        func serverLengths(length: Int, isAccepted: Bool) throws {
            let store = try TemporaryDirectory().open()
            let error = thrown { try store.register("a", server: String(repeating: "s", count: length)) }
            #expect((error == nil) == isAccepted)
        }

        @Test func numberIsBounded() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open(bounds: .init(registrations: 3))
            for name in ["a", "b", "c"] { try store.register(name) }
            let error = thrown { try store.register("d") }
            guard case .tooMuch = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            // One that is there is no new one.
            #expect(try store.register("a") == .unchanged)
            #expect(try store.registrationCount() == 3)
        }

        @Test func threeHundred() throws {
            let store = try TemporaryDirectory().open()
            let names = (0..<300).map { "org.example.app\($0)" }
            try store.transaction { () throws(StoreError) in
                for name in names {
                    do { try store.register(name, fill: 1) } catch { Issue.record(error) }
                }
            }
            #expect(try store.bundles() == names)
        }

        /// After deletion no key is left in any file.
        @Test func deletedKeysAreGone() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for index in 0..<40 { try store.register("org.app\(index)", fill: UInt8(index)) }
            let key = Data([UInt8](repeating: 0xFF ^ 0x11, count: 32))
            func isAnywhere() throws -> Bool {
                for name in ["skyglow.db", "skyglow.db-wal"] {
                    if try directory.data(name).range(of: key) != nil { return true }
                }
                return false
            }
            #expect(try isAnywhere())
            let server = Array("sgn.test".utf8)
            let bundle = Array("org.app17".utf8)
            _ = try store.deleteRegistration(server: server.span.bytes, bundle: bundle.span.bytes)
            #expect(try !isAnywhere())
            #expect(try store.registrationCount() == 39)
        }

        @Test func endingAndReentry() throws {
            let store = try TemporaryDirectory().open()
            for name in ["a", "b", "c"] { try store.register(name) }
            var seen = 0
            var inner: StoreError?
            try store.registrations(server: nil) { _ in
                seen += 1
                inner = thrown { try store.registrations(server: nil) { _ in true } }
                return seen < 2
            }
            #expect(seen == 2)
            guard case .misuse = inner else {
                Issue.record("\(String(describing: inner))")
                return
            }
            // The statement is free again.
            #expect(try store.bundles() == ["a", "b", "c"])
        }
    }

    @Suite struct IdentityTests {
        private func set(
            _ store: Store, server: String = "sgn.test", address: String = "device@1", hash: UInt8 = 1
        ) throws(StoreError) {
            let server = Array(server.utf8)
            let address = Array(address.utf8)
            let hash = [UInt8](repeating: hash, count: 32)
            try store.setIdentity(
                server: server.span.bytes, address: address.span.bytes, keyHash: hash.span.bytes, at: 42)
        }

        @Test func roundTrip() throws {
            let directory = try TemporaryDirectory()
            do {
                let store = try directory.open()
                #expect(try store.identity() == nil)
                try set(store)
            }
            let store = try directory.open()
            let identity = try #require(try store.identity())
            #expect(identity.server.text == "sgn.test")
            #expect(identity.address.text == "device@1")
            #expect(identity.keyHash.count == 32 && identity.keyHash[31] == 1)
            #expect(identity.registered == 42 && identity.lastSequence == 0)
            try store.removeIdentity()
            #expect(try store.identity() == nil)
        }

        @Test(arguments: [(0, false), (1, true), (254, true), (255, true), (256, false)])
        func addressLengths(length: Int, isAccepted: Bool) throws {
            let store = try TemporaryDirectory().open()
            let error = thrown { try set(store, address: String(repeating: "a", count: length)) }
            #expect((error == nil) == isAccepted)
            #expect(try store.identity()?.address.count == (isAccepted ? length : nil))
        }

        /// The last sequence number and the acknowledgements belong to the server, the address and the key.
        @Test func aNewIdentityStartsOver() throws {
            let store = try TemporaryDirectory().open()
            func advance() throws {
                try store.begin()
                try store.acknowledge(1)
                try store.setLastSequence(77)
                _ = try store.commit()
            }
            try set(store)
            try advance()
            try set(store)
            #expect(try store.identity()?.lastSequence == 77)
            #expect(try store.acknowledgementCount() == 1)
            for change in 0..<3 {
                if change == 0 { try set(store, address: "device@2") }
                if change == 1 { try set(store, server: "other", address: "device@2") }
                if change == 2 { try set(store, server: "other", address: "device@2", hash: 2) }
                #expect(try store.identity()?.lastSequence == 0)
                #expect(try store.acknowledgementCount() == 0)
                try advance()
            }
        }

        @Test(arguments: [0, 1, -1, Int64.max, Int64.min])
        func sequences(value: Int64) throws {
            let store = try TemporaryDirectory().open()
            try set(store)
            try store.begin()
            try store.setLastSequence(value)
            _ = try store.commit()
            #expect(try store.identity()?.lastSequence == value)
        }
    }

    @Suite struct MetaTests {
        @Test func integersAndBytes() throws {
            let store = try TemporaryDirectory().open()
            #expect(try store.metaInteger("since") == nil)
            try store.setMeta("since", Int64.max)
            #expect(try store.metaInteger("since") == Int64.max)
            try store.setMeta("since", -1)
            #expect(try store.metaInteger("since") == -1)
            var bytes: [UInt8]?
            #expect(try !store.meta("a name longer than fifteen bytes") { bytes = $0.array })
            let value: [UInt8] = [0, 1, 0, 255]
            try store.setMeta("a name longer than fifteen bytes", bytes: value.span.bytes)
            #expect(try store.meta("a name longer than fifteen bytes") { bytes = $0.array })
            #expect(bytes == value)
            let none: [UInt8] = []
            try store.setMeta("empty", bytes: none.span.bytes)
            #expect(try store.meta("empty") { bytes = $0.array })
            #expect(bytes == none)
        }
    }
}
