import Bytes
import Testing

@testable import Store

extension StoreTests {
    /// Where servers were found (SGP v2 §1).
    @Suite struct NamesTests {
        private struct Row: Equatable {
            var host: String
            var port: Int64
            var addresses: [UInt8]
            var pin: [UInt8]
            var fetched: Int64
        }

        private func row(_ store: Store, _ name: String) throws -> Row? {
            var found: Row?
            let bytes = Array(name.utf8)
            let isThere = try store.names(bytes.span.bytes) { row in
                found = Row(
                    host: row.host.string, port: row.port, addresses: row.addresses.array, pin: row.pin.array,
                    fetched: row.fetched)
            }
            #expect(isThere == (found != nil))
            return found
        }

        private func keep(_ store: Store, _ name: String, host: String = "push.sgn.example", at time: Int64 = 10) throws
        {
            let (name, host) = (Array(name.utf8), Array(host.utf8))
            let addresses: [UInt8] = [4, 192, 0, 2, 1]
            let pin = [UInt8](repeating: 9, count: 32)
            try store.setNames(
                name.span.bytes, host: host.span.bytes, port: 7373, addresses: addresses.span.bytes,
                pin: pin.span.bytes, at: time)
        }

        @Test func keptAndReplaced() throws {
            let directory = try TemporaryDirectory()
            do {
                let store = try directory.open()
                #expect(try row(store, "sgn.test") == nil)
                try keep(store, "sgn.test")
                try keep(store, "sgn.test", host: "other.sgn.example", at: 20)
                try keep(store, "sgn.other")
            }
            let store = try directory.open()
            let expected = Row(
                host: "other.sgn.example", port: 7373, addresses: [4, 192, 0, 2, 1],
                pin: [UInt8](repeating: 9, count: 32), fetched: 20)
            #expect(try row(store, "sgn.test") == expected)
            #expect(try row(store, "sgn.other")?.host == "push.sgn.example")
        }

        @Test func forgotten() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for name in ["a", "b", "c"] { try keep(store, name) }
            let name = Array("b".utf8)
            try store.removeNames(name.span.bytes)
            #expect(try row(store, "a") != nil && row(store, "b") == nil && row(store, "c") != nil)
            try store.removeNames(nil)
            #expect(try store.connection.integer("SELECT count(*) FROM names") == 0)
        }

        /// Cards wear out: forgetting what is not there writes nothing.
        @Test func forgettingNothingWritesNothing() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            try keep(store, "a")
            let before = try directory.data("skyglow.db-wal")
            let name = Array("b".utf8)
            try store.removeNames(name.span.bytes)
            #expect(try directory.data("skyglow.db-wal") == before)
        }

        @Test(arguments: [0, 1, 252, 253, 254]) func lengths(count: Int) throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            let text = String(repeating: "x", count: count)
            let isGood = (1...253).contains(count)
            #expect((thrown { try keep(store, text) } == nil) == isGood)
            #expect((thrown { try keep(store, "a", host: text) } == nil) == isGood)
            #expect(try store.connection.integer("SELECT count(*) FROM names") == (isGood ? 2 : 0))
        }

        /// The tables of before keep what they hold.
        @Test func added() throws {
            let directory = try TemporaryDirectory()
            try directory.write("skyglow.db", [])
            do {
                let before = try Connection(path: directory.file("skyglow.db"))
                try before.migrate(Array(Schema.steps.prefix(4)))
                try before.execute(
                    "INSERT INTO networks(name, kind, key, proven, changed) VALUES ('eth0', 1, x'', 600, 1)", as: "test"
                )
                before.accept()
            }
            let store = try directory.open()
            #expect(try store.connection.integer("SELECT proven FROM networks") == 600)
            #expect(
                try store.learnedInterval(name: Array("eth0".utf8).span.bytes, kind: 1, key: [UInt8]().span.bytes)
                    == LearnedInterval(proven: 600, refuted: nil, changed: 1))
            try keep(store, "sgn.test")
        }
    }
}
