import Bytes
import Testing

@testable import Store

extension StoreTests {
    @Suite struct NetworkTests {
        private func keep(_ store: Store, _ name: String, _ proven: Int64, at time: Int64) throws {
            let bytes = Array(name.utf8)
            try store.keepInterval(
                name: bytes.span.bytes, kind: 1, key: [UInt8](repeating: 7, count: 6).span.bytes,
                LearnedInterval(proven: proven, refuted: nil, changed: time),
                IntervalEvent(time: time, idle: proven, outcome: 1, stage: 0, interval: proven + 1))
        }

        private func count(_ store: Store) throws -> Int64 {
            try store.connection.integer("SELECT count(*) FROM networks")
        }

        @Test func whatWasLearnedIsThereAgain() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            let name = Array("eth0".utf8)
            let key = [UInt8](repeating: 7, count: 6)
            #expect(try store.learnedInterval(name: name.span.bytes, kind: 1, key: key.span.bytes) == nil)
            try keep(store, "eth0", 600, at: 10)
            try keep(store, "eth0", 810, at: 20)
            let known = try store.learnedInterval(name: name.span.bytes, kind: 1, key: key.span.bytes)
            #expect(known == LearnedInterval(proven: 810, refuted: nil, changed: 20))
            #expect(try store.learnedInterval(name: name.span.bytes, kind: 2, key: key.span.bytes) == nil)
            var id: Int64 = 0
            try store.networks { row in
                id = row.id
                return true
            }
            var idles: [Int64] = []
            try store.intervalEvents(network: id) { event in
                idles.append(event.idle)
                return true
            }
            #expect(idles == [600, 810])
        }

        @Test func bounded() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for index in 0..<(Limits.networks + 3) { try keep(store, "w\(index)", 600, at: Int64(index)) }
            #expect(try count(store) == Int64(Limits.networks))
            for index in 0..<Limits.intervalEvents { try keep(store, "eth0", Int64(600 + index), at: 1_000) }
            #expect(
                try store.connection.integer("SELECT count(*) FROM intervals") == Int64(Limits.intervalEvents))
            #expect(try count(store) == Int64(Limits.networks))
        }

        @Test func forgotten() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for name in ["eth0", "wlan0"] { try keep(store, name, 600, at: 1) }
            let name = Array("eth0".utf8)
            #expect(try store.forgetNetworks(name: name.span.bytes) == 1)
            #expect(try store.forgetNetworks(name: nil) == 1)
            #expect(try store.connection.integer("SELECT count(*) FROM intervals") == 0)
        }
    }
}
