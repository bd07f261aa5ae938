import Bytes
import Testing

@testable import Store

extension StoreTests {
    @Suite struct NetworkTests {
        private func keep(_ store: Store, _ name: String, _ proven: Int64, at time: Int64) throws {
            let bytes = Array(name.utf8)
            try store.keepInterval(
                name: bytes.span.bytes, kind: 1, key: [UInt8](repeating: 7, count: 6).span.bytes,
                LearnedInterval(
                    proven: proven, refuted: proven + 90, changed: time, failures: 2, patience: time * 86_400),
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
            #expect(
                known
                    == LearnedInterval(proven: 810, refuted: 900, changed: 20, failures: 2, patience: 20 * 86_400))
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
            // Of the other networks nothing was lost.
            #expect(
                try store.connection.integer("SELECT count(*) FROM intervals")
                    == Int64(Limits.intervalEvents + Limits.networks - 1))
            #expect(try count(store) == Int64(Limits.networks))
        }

        /// A home of which all was learned long ago outlives any number of places that were visited once.
        @Test func whatIsInUseStays() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            let (name, key) = (Array("home".utf8), [UInt8](repeating: 7, count: 6))
            func use(at time: Int64) throws {
                try store.noteUse(name: name.span.bytes, kind: 1, key: key.span.bytes, at: time)
            }
            func changes() throws -> Int64 { try store.connection.integer("SELECT total_changes()") }
            let day: Int64 = 86_400
            try use(at: day)
            #expect(try count(store) == 0, "of an unknown one nothing is kept")
            try keep(store, "home", 600, at: day)
            let before = try changes()
            for time in [day, day + 1, 2 * day - 1, 0] { try use(at: time) }
            #expect(try changes() == before, "once a day at most")
            try use(at: 300 * day)
            #expect(try changes() == before + 1)
            for index in 0..<2 * Limits.networks { try keep(store, "w\(index)", 600, at: 200 * day + Int64(index)) }
            #expect(try store.networkID(name: name.span.bytes, kind: 1, key: key.span.bytes) != nil)
            // A time from far ahead is put right.
            try use(at: 10 * day)
            try keep(store, "w", 600, at: 300 * day)
            #expect(try store.networkID(name: name.span.bytes, kind: 1, key: key.span.bytes) == nil)
            #expect(try count(store) == Int64(Limits.networks))
        }

        /// The history of one network is bounded by itself; the oldest go first.
        @Test func historyIsBoundedForEach() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            try keep(store, "wlan0", 600, at: 1)
            for (extra, first) in [(-1, 0), (0, 0), (1, 1), (2, 2)] {
                try store.connection.execute("DELETE FROM networks WHERE name = 'eth0'", as: "test")
                for index in 0..<Limits.intervalEvents + extra { try keep(store, "eth0", Int64(index), at: 2) }
                let name = Array("eth0".utf8)
                let key = [UInt8](repeating: 7, count: 6)
                let id = try #require(try store.networkID(name: name.span.bytes, kind: 1, key: key.span.bytes))
                var idles: [Int64] = []
                try store.intervalEvents(network: id) { event in
                    idles.append(event.idle)
                    return true
                }
                #expect(idles == (first..<Limits.intervalEvents + extra).map { Int64($0) })
            }
            #expect(try store.connection.integer("SELECT count(*) FROM networks WHERE name = 'wlan0'") == 1)
            #expect(
                try store.connection.integer("SELECT count(*) FROM intervals") == Int64(Limits.intervalEvents + 1))
        }

        /// What somebody else wrote there is read without harm: numbers within sane bounds, and of a history without end
        /// the latest.
        @Test func strangeRows() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            try store.connection.execute(
                """
                INSERT INTO networks VALUES (7, 'eth0', -9, x'', -9223372036854775808, 9223372036854775807,
                -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO intervals SELECT i, 7, 9223372036854775807, -i, i, i, 9223372036854775807 FROM n;
                """, as: "test")
            var learned: LearnedInterval?
            try store.networks { row in
                learned = row.learned
                return true
            }
            #expect(
                learned
                    == LearnedInterval(
                        proven: 0, refuted: Limits.intervalSeconds, changed: 0, failures: 1_000,
                        patience: 253_402_300_799))
            var events: [IntervalEvent] = []
            try store.intervalEvents(network: 7) { event in
                events.append(event)
                return true
            }
            #expect(events.count == Limits.intervalEvents)
            #expect(
                events.last
                    == IntervalEvent(
                        time: 253_402_300_799, idle: 0, outcome: 20_000, stage: 20_000,
                        interval: Limits.intervalSeconds))
        }

        @Test func oneIsForgotten() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for name in ["eth0", "wlan0"] { try keep(store, name, 600, at: 1) }
            let name = Array("eth0".utf8)
            let key = [UInt8](repeating: 7, count: 6)
            let id = try #require(try store.networkID(name: name.span.bytes, kind: 1, key: key.span.bytes))
            #expect(try store.forgetNetwork(id))
            #expect(try store.forgetNetwork(id) == false)
            #expect(try store.networkID(name: name.span.bytes, kind: 1, key: key.span.bytes) == nil)
            #expect(try count(store) == 1)
            #expect(try store.connection.integer("SELECT count(*) FROM intervals") == 1)
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
