import Foundation
import Testing

@testable import Store

extension StoreTests {
    /// Power cuts: the files are copied as they are between two writes, without closing the store, and opened anew.
    @Suite struct CrashTests {
        @Test func everyCommitIsInTheCopy() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for number in 1...30 {
                try store.deliver(number, payload: String(repeating: "p", count: number * 300))
                let copy = try directory.copy().open()
                #expect(try copy.inbox().count == number)
                #expect(try copy.hasSeen(number))
                #expect(try copy.acknowledged().count == number)
                #expect(try copy.counters().received == Int64(number))
            }
        }

        @Test func nothingOfAnOpenTransactionIsInTheCopy() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            try store.deliver(1)
            try store.begin()
            // More than the page cache holds, so that some of it has been written to the log.
            for number in 2...40 {
                try store.insert(number, payload: String(repeating: "p", count: 100_000))
                try store.mark(number, at: 0)
                try store.acknowledge(number)
            }
            #expect(try directory.data("skyglow.db-wal").count > 2_000_000)
            let before = try directory.copy().open()
            #expect(try before.inbox() == [1])
            #expect(try !before.hasSeen(2))
            #expect(try before.acknowledged() == [1])
            _ = try store.commit()
            let after = try directory.copy().open()
            #expect(try after.inbox().count == 40)
            try after.verify()
        }

        /// The log cut anywhere: a prefix of the commits is there, each of them whole.
        @Test func tornLog() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            var ends: [Int] = []
            for number in 1...6 {
                try store.deliver(number)
                ends.append(try directory.data("skyglow.db-wal").count)
            }
            let first = ends[0]
            let whole = ends[5]
            for length in stride(from: first - 1, through: whole, by: 1997) {
                let copy = try directory.copy(logBytes: length).open()
                let complete = ends.filter { $0 <= length }.count
                let inbox = try copy.inbox().count
                let acknowledged = try copy.acknowledged().count
                #expect(inbox == complete, "log of \(length) bytes")
                #expect(acknowledged == complete)
                #expect(try copy.counters().received == Int64(complete))
                // And it goes on from there.
                try copy.deliver(100)
                #expect(try copy.inbox().first == 100)
            }
        }

        @Test func damagedLogEndsAtTheDamage() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            for number in 1...6 { try store.deliver(number) }
            let crashed = try directory.copy()
            var log = [UInt8](try crashed.data("skyglow.db-wal"))
            log[log.count / 2] ^= 1
            try crashed.write("skyglow.db-wal", log)
            let copy = try crashed.open()
            let kept = try copy.inbox()
            #expect(kept == Array((1..<7).prefix(kept.count).reversed()) && kept.count < 6)
            try copy.verify()
        }
    }

    @Suite struct ProcessTests {
        /// Two connections, as of the daemon and of a command.
        @Test func changesElsewhereAreNoticed() throws {
            let directory = try TemporaryDirectory()
            let daemon = try directory.open()
            #expect(try !daemon.changedElsewhere())
            try daemon.deliver(1)
            #expect(try !daemon.changedElsewhere())
            let command = try directory.open()
            #expect(try command.markRead(1) == .marked)
            #expect(try daemon.changedElsewhere())
            #expect(try !daemon.changedElsewhere())
            #expect(try daemon.unreadCount() == 0)
            try command.register("org.a")
            #expect(try daemon.changedElsewhere())
            #expect(try daemon.registrationsGeneration() == 1)
            #expect(try daemon.bundles() == ["org.a"])
            // Reading is no change.
            _ = try command.inbox()
            #expect(try !daemon.changedElsewhere())
            #expect(try !command.changedElsewhere())
        }

        @Test func aWriterIsWaitedForAndThenAnError() throws {
            let directory = try TemporaryDirectory()
            let one = try directory.open()
            let two = try directory.open()
            try one.deliver(1)
            try one.begin()
            let start = Date()
            let error = thrown { _ = try two.markRead(1) }
            let waited = Date().timeIntervalSince(start)
            guard case .busy(let failure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.isBusy == true && failure.code & 0xFF == 5)
            #expect(waited > 1.5 && waited < 10)
            // Reading goes on meanwhile, and writing afterwards.
            #expect(try two.inbox() == [1])
            one.rollback()
            #expect(try two.markRead(1) == .marked)
        }

        @Test func aReaderDoesNotStopTheWriter() throws {
            let directory = try TemporaryDirectory()
            let daemon = try directory.open()
            let command = try directory.open()
            for number in 1...3 { try daemon.deliver(number) }
            var seen: [Int64] = []
            try command.notifications { row in
                seen.append(row.id)
                #expect(thrown { try daemon.deliver(10 + seen.count) } == nil)
                return true
            }
            #expect(seen == [3, 2, 1])
            #expect(try command.inbox().count == 6)
        }

        @Test func bothMakeTheDatabase() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path
            await withTaskGroup(of: StoreError?.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        thrown {
                            let store = try Store.open(directory: path)
                            try store.register("org.app\(number)")
                        }
                    }
                }
                for await error in group { #expect(error == nil) }
            }
            #expect(try directory.open().registrationCount() == 4)
        }
    }
}
