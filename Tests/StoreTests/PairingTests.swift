import Bytes
import Testing

@testable import Store

extension StoreTests {
    /// Daemons that are paired, what the admission policy remembers of them, and the last note of each pane.
    @Suite struct PairingTests {
        private struct Row: Equatable {
            var id: Int64
            var source: Source
            var texts: [String]
            var created: Int64
        }

        private func pair(
            _ store: Store, _ place: String, source: Source = .cronstable, name: String = "n", token: String? = nil,
            key: String = "", given: String = "", at time: Int64 = 5
        ) throws -> Int64 {
            let (name, bytes, token) = (Array(name.utf8), Array(place.utf8), Array((token ?? "t-\(place)").utf8))
            let (key, given) = (Array(key.utf8), Array(given.utf8))
            return try store.setPairing(
                source: source, name: name.span.bytes, place: bytes.span.bytes, token: token.span.bytes,
                key: key.span.bytes, given: given.span.bytes, at: time)
        }

        private func rows(_ store: Store) throws -> [Row] {
            var rows: [Row] = []
            try store.pairings { row in
                let texts = [row.name.string, row.place.string, row.token.string, row.key.string, row.given.string]
                rows.append(Row(id: row.id, source: row.source, texts: texts, created: row.created))
                return true
            }
            return rows
        }

        private func admit(_ store: Store, _ device: Int64, _ key: UInt16, _ state: UInt8 = 1, seen: Int64) throws {
            let (name, state) = ([UInt8(key >> 8), UInt8(key & 255)], [UInt8](repeating: state, count: 160))
            try store.begin()
            try store.setAdmission(device: device, key: name.span.bytes, state: state.span.bytes, seen: seen)
            _ = try store.commit()
        }

        private func admissions(_ store: Store) throws -> [[Int]] {
            var rows: [[Int]] = []
            try store.admissions { row in
                rows.append([Int(row.device), Int(row.key[0]) << 8 | Int(row.key[1]), Int(row.state[0])])
                return row.state.byteCount == 160
            }
            return rows
        }

        @Test func pairingsAreThereAgain() throws {
            let directory = try TemporaryDirectory()
            var store: Store? = try directory.open()
            if let store {
                #expect(try rows(store).isEmpty)
                let first = try pair(store, "http://a", name: "cellar", at: 7)
                let second = try pair(store, "me@desk", source: .pocketty, key: "K", given: "G")
                #expect(second != first)
            }
            store = nil
            let again = try directory.open()
            let found = try rows(again)
            #expect(
                found.map(\.texts) == [
                    ["cellar", "http://a", "t-http://a", "", ""], ["n", "me@desk", "t-me@desk", "K", "G"],
                ])
            #expect(found.map(\.source) == [.cronstable, .pocketty] && found[0].created == 7)
        }

        @Test func aPlacePairedAgainKeepsNumberAndToken() throws {
            let store = try TemporaryDirectory().open()
            let id = try pair(store, "p", name: "old", token: "first")
            #expect(try pair(store, "p", name: "new", token: "second", key: "K", given: "G") == id)
            #expect(try rows(store).map(\.texts) == [["new", "p", "first", "K", "G"]])
            #expect(try pair(store, "p", source: .pocketty, token: "third") != id, "of another kind")
            let taken = thrown { _ = try pair(store, "q", token: "first") }
            #expect(taken != nil, "a token names one daemon")
            #expect(try rows(store).count == 2)
        }

        @Test func bounds() throws {
            let store = try TemporaryDirectory().open()
            func works(_ name: Int, _ place: Int, _ token: Int) -> Bool {
                thrown {
                    let id = try pair(
                        store, String(repeating: "p", count: place), name: String(repeating: "n", count: name),
                        token: String(repeating: "t", count: token))
                    _ = try store.deletePairing(id)
                } == nil
            }
            #expect(works(0, 1, 1) && works(Limits.pairingName, Limits.pairingPlace, Limits.relayToken))
            #expect(!works(Limits.pairingName + 1, 1, 1) && !works(1, Limits.pairingPlace + 1, 1))
            #expect(!works(1, 1, Limits.relayToken + 1) && !works(1, 0, 1) && !works(1, 1, 0))
            for number in 0..<Limits.pairings { _ = try pair(store, "p\(number)") }
            guard case .tooMuch = thrown({ _ = try pair(store, "one more") }) else {
                return #expect(Bool(false), "one more than \(Limits.pairings)")
            }
            #expect(try rows(store).count == Limits.pairings && !store.isInTransaction)
            _ = try pair(store, "p0", name: "known before")
        }

        @Test func whatAPolicyRemembersGoesWithItsPairing() throws {
            let directory = try TemporaryDirectory()
            var store: Store? = try directory.open()
            if let store {
                let (one, two) = (try pair(store, "one"), try pair(store, "two"))
                try admit(store, one, 1, seen: 10)
                try admit(store, two, 1, seen: 30)
                try admit(store, one, 2, seen: 20)
                try admit(store, one, 1, 9, seen: 40)
                #expect(
                    try admissions(store) == [[Int(one), 1, 9], [Int(two), 1, 1], [Int(one), 2, 1]], "the newest first")
            }
            store = nil
            let again = try directory.open()
            #expect(try admissions(again).count == 3)
            #expect(try again.deletePairing(1) && !again.deletePairing(1) && !again.deletePairing(99))
            #expect(try admissions(again) == [[2, 1, 1]])
            // Of a device that is not paired nothing is kept, and nothing of its transaction.
            #expect(thrown { try admit(again, 1, 5, seen: 50) } != nil)
            #expect(!again.isInTransaction)
            #expect(try admissions(again) == [[2, 1, 1]])
        }

        @Test func anAdmissionIsForgotten() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            let one = try pair(store, "http://a")
            try admit(store, one, 1, seen: 10)
            try admit(store, one, 2, seen: 20)
            try store.begin()
            for (device, number) in [(one, 1), (one, 3), (one + 1, 2)] as [(Int64, UInt8)] {
                let key = [0, number]
                try store.deleteAdmission(device: device, key: key.span.bytes)
            }
            _ = try store.commit()
            #expect(try admissions(store) == [[Int(one), 2, 1]])
        }

        /// Another process is waited for as long as the caller says, and by the next caller as long as ever.
        @Test func aStoreThatAnotherHolds() throws {
            let directory = try TemporaryDirectory()
            let (store, other) = (try directory.open(), try directory.open())
            try other.begin()
            for (patience, most) in [(0, 200), (300, 1_000)] as [(Int64, Int)] {
                let clock = ContinuousClock()
                let took = clock.measure {
                    let error = thrown { try store.begin(waiting: patience) }
                    #expect(error?.isBusy == true)
                }
                #expect(took >= .milliseconds(patience) && took < .milliseconds(most), "\(patience) ms")
            }
            let took = ContinuousClock().measure { #expect(thrown { try store.begin() }?.isBusy == true) }
            #expect(took >= .milliseconds(Limits.storeBusy))
            other.rollback()
            try store.begin(waiting: 0)
            store.rollback()
        }

        /// Numbers are not given again: what an old one still sends would be another's.
        @Test func numbersAreNotGivenAgain() throws {
            let store = try TemporaryDirectory().open()
            let first = try pair(store, "a")
            _ = try store.deletePairing(first)
            #expect(try pair(store, "a") > first)
        }

        @Test func admissionsAreBounded() throws {
            let store = try TemporaryDirectory().open()
            let device = try pair(store, "one")
            for key in 0...Limits.admissions { try admit(store, device, UInt16(key), seen: Int64(1_000 - key % 7)) }
            let left = try admissions(store)
            #expect(left.count == Limits.admissions)
            // The first of those seen longest ago.
            #expect(!left.contains([Int(device), 6, 1]) && left.contains([Int(device), 0, 1]))
        }

        @Test func writingTakesATransaction() throws {
            let store = try TemporaryDirectory().open()
            let bytes = [UInt8](repeating: 0, count: 32)
            let span = bytes.span.bytes
            for error in [
                thrown { try store.setAdmission(device: 1, key: span, state: span, seen: 1) },
                thrown { try store.setRelayClock(RelayClock(boot: Blob(), booted: 1, wall: 2)) },
                thrown { try store.setLastNote(pane: span, time: 1, digest: span) },
            ] {
                guard case .misuse = error else { return #expect(Bool(false), "outside a transaction") }
            }
        }

        @Test func theClock() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            #expect(try store.relayClock() == nil)
            for booted: Int64 in [1, .max] {
                let clock = RelayClock(
                    boot: Blob("0123456789-123456789-123456789-12345") ?? Blob(), booted: booted, wall: .min)
                try store.begin()
                try store.setRelayClock(clock)
                #expect(try store.relayClock() == clock)
                store.rollback()
                #expect(try store.relayClock() == nil, "only with its transaction")
                try store.begin()
                try store.setRelayClock(clock)
                _ = try store.commit()
                #expect(try store.relayClock() == clock)
                try directory.execute("UPDATE relay_clock SET boot = 'far longer than any identifier of a boot is'")
                #expect(try store.relayClock()?.boot == Blob(), "damaged: of no boot that is known")
                try directory.execute("DELETE FROM relay_clock")
            }
        }

        // MARK: Panes

        private func note(_ store: Store, _ pane: UInt16, at time: Int64, _ digest: UInt8) throws {
            let (pane, digest) = ([UInt8(pane >> 8), UInt8(pane & 255)], [UInt8](repeating: digest, count: 32))
            try store.begin()
            try store.setLastNote(pane: pane.span.bytes, time: time, digest: digest.span.bytes)
            _ = try store.commit()
        }

        private func last(_ store: Store, _ pane: UInt16, _ digest: UInt8) throws -> [Int64]? {
            let (pane, digest) = ([UInt8(pane >> 8), UInt8(pane & 255)], [UInt8](repeating: digest, count: 32))
            return try store.lastNote(pane: pane.span.bytes, digest: digest.span.bytes).map {
                [$0.time, $0.isKnown ? 1 : 0]
            }
        }

        @Test func notesOfOneTimeAreAllKnown() throws {
            let directory = try TemporaryDirectory()
            var store: Store? = try directory.open()
            if let store {
                #expect(try last(store, 1, 0) == nil)
                // A digest may hold any bytes, zeros too.
                for digest: UInt8 in [0, 255, 0x27, 1] { try note(store, 1, at: 50, digest) }
                try note(store, 2, at: 60, 9)
            }
            store = nil
            let again = try directory.open()
            for digest: UInt8 in [0, 255, 0x27, 1] { #expect(try last(again, 1, digest) == [50, 1], "\(digest)") }
            #expect(try last(again, 1, 2) == [50, 0] && last(again, 2, 9) == [60, 1] && last(again, 2, 0) == [60, 0])
            try note(again, 1, at: 51, 7)
            #expect(try last(again, 1, 7) == [51, 1] && last(again, 1, 0) == [51, 0], "another time, only its own")
        }

        @Test func moreOfOneTimeThanCanBeTold() throws {
            let store = try TemporaryDirectory().open()
            for number in 1..<Limits.paneNotes { try note(store, 1, at: 50, UInt8(number)) }
            #expect(try last(store, 1, 200) == [50, 0])
            try note(store, 1, at: 50, 199)
            #expect(try last(store, 1, 200) == [50, 1], "held for known")
            try note(store, 1, at: 51, 1)
            #expect(try last(store, 1, 200) == [51, 0])
        }

        @Test func panesAreBounded() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for pane in 0..<Limits.panes { try note(store, UInt16(pane), at: 1, 1) }
            try note(store, 0, at: 2, 1)
            try note(store, 9_999, at: 1, 1)
            // The first was heard of again; the second was quiet longest.
            #expect(try last(store, 0, 1) != nil && last(store, 1, 1) == nil && last(store, 2, 1) != nil)
            try directory.execute("UPDATE panes SET digest = x'0102'")
            #expect(try last(store, 0, 1) == [2, 0], "damaged")
        }

        /// After a power cut there is all of a transaction or nothing, and what it said was seen is with what was shown.
        @Test func aPowerCut() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            let device = try pair(store, "one")
            let (name, state) = ([UInt8(0), 1], [UInt8](repeating: 3, count: 160))
            try store.begin()
            try store.insert(1)
            try store.setAdmission(device: device, key: name.span.bytes, state: state.span.bytes, seen: 1)
            let before = try directory.copy().open()
            #expect(try before.inbox().isEmpty && admissions(before).isEmpty && rows(before).count == 1)
            _ = try store.commit()
            let after = try directory.copy().open()
            #expect(try after.inbox() == [1] && admissions(after) == [[Int(device), 1, 3]])
            let size = try directory.data("skyglow.db-wal").count
            for cut in stride(from: 0, through: size, by: 2_999) {
                let part = try directory.copy(logBytes: cut).open()
                #expect(try part.inbox().count == admissions(part).count, "cut after \(cut) bytes")
            }
        }
    }
}
