import CBoard
import Foundation
import Testing

@testable import Store

extension StoreTests {
    @Suite struct SchemaTests {
        @Test func freshAndReopened() throws {
            let directory = try TemporaryDirectory()
            do {
                let store = try directory.open()
                #expect(directory.mode("skyglow.db") == 0o600)
                try store.deliver(1)
                #expect(directory.mode("skyglow.db-wal") == 0o600)
                #expect(directory.mode("skyglow.db-shm") == 0o600)
                try store.verify()
            }
            // Closing the last connection moves the log into the database.
            #expect(!directory.exists("skyglow.db-wal"))
            let store = try directory.open()
            #expect(try store.inbox() == [1])
            #expect(try store.counters().received == 1)
        }

        @Test func pathIsNamed() throws {
            let directory = try TemporaryDirectory()
            #expect(try Store.open(directory: directory.path + "/").path == directory.file("skyglow.db"))
        }

        @Test func openModesAreTightened() throws {
            let directory = try TemporaryDirectory()
            _ = try directory.open()
            chmod(directory.file("skyglow.db"), 0o644)
            _ = try directory.open()
            #expect(directory.mode("skyglow.db") == 0o600)
        }

        @Test func settings() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            #expect(try store.connection.says("PRAGMA journal_mode", "wal"))
            #expect(try store.connection.integer("PRAGMA synchronous") == 2)
            #expect(try store.connection.integer("PRAGMA foreign_keys") == 1)
            #expect(try store.connection.integer("PRAGMA secure_delete") == 1)
            #expect(try store.connection.integer("PRAGMA busy_timeout") == 2000)
            #expect(try store.connection.integer("PRAGMA user_version") == Int64(Schema.steps.count))
        }

        /// An empty file is version 0: what a crash between making and filling it leaves.
        @Test func emptyFile() throws {
            let directory = try TemporaryDirectory()
            try directory.write("skyglow.db", [])
            #expect(try directory.open().inbox() == [])
        }

        /// Another process is making the database: it is waited for, and not for ever.
        @Test func openingWaitsForAnother() throws {
            let directory = try TemporaryDirectory()
            let holder = cb_open(directory.path, O_RDONLY | O_DIRECTORY, 0)
            defer { close(holder) }
            #expect(flock(holder, LOCK_EX) == 0)
            let error = thrown { _ = try directory.open() }
            #expect(error?.isBusy == true)
            // A thread, as other tests may keep every task waiting.
            Thread.detachNewThread {
                usleep(100_000)
                _ = flock(holder, LOCK_UN)
            }
            #expect(try directory.open().path == directory.file("skyglow.db"))
        }

        @Test func migrationsRunInOrderFromWhereTheFileIs() throws {
            let directory = try TemporaryDirectory()
            try directory.open().deliver(1)
            let next = "ALTER TABLE inbox ADD COLUMN colour TEXT"
            let last = "UPDATE inbox SET colour = 'red'"
            let store = try directory.open(steps: Schema.steps + [next, last])
            #expect(try store.connection.integer("PRAGMA user_version") == Int64(Schema.steps.count + 2))
            #expect(try store.connection.says("SELECT colour FROM inbox", "red"))
            #expect(try store.inbox() == [1])
        }

        /// What the first version left: every notification is kept, and its light is solid while it is unread.
        @Test func theFirstVersionIsBroughtUpToDate() throws {
            let directory = try TemporaryDirectory()
            try directory.write("skyglow.db", [])
            do {
                let first = try Connection(path: directory.file("skyglow.db"))
                try first.migrate([Schema.steps[0]])
                try first.execute(
                    """
                    INSERT INTO inbox(msg_id, bundle, source, received, read, stale, placeholder) VALUES
                    (x'00112233445566778899aabbccddeeff', 'a', 0, 1, 0, 0, 0),
                    (x'ffeeddccbbaa99887766554433221100', 'b', 0, 2, 1, 0, 0);
                    INSERT INTO content(id, title, thread, payload) VALUES (1, 'T', 'th', '{}'), (2, 'U', NULL, '{}');
                    INSERT INTO seen(msg_id, keep_until) VALUES (x'00112233445566778899aabbccddeeff', 9);
                    """, as: "test")
                first.accept()
            }
            let store = try directory.open()
            #expect(try store.connection.integer("PRAGMA user_version") == Int64(Schema.steps.count))
            #expect(try store.unreadLights() == 1 << 1)
            var rows: [String] = []
            try store.notifications { row in
                rows.append("\(row.id) \(row.title?.string ?? "-") \(row.light) \(row.isRead)")
                #expect(row.route == nil && row.collapse == nil)
                return true
            }
            #expect(rows == ["2 U 1 true", "1 T 1 false"])
            try store.begin()
            #expect(
                try store.replace(bundle: Array("a".utf8).span.bytes, thread: Array("th".utf8).span.bytes, before: 3)
                    == 1)
            _ = try store.commit()
            #expect(try store.unreadLights() == 0)
            try store.verify()
        }

        @Test func aFailingMigrationChangesNothing() throws {
            let directory = try TemporaryDirectory()
            try directory.open().deliver(1)
            let steps = Schema.steps + ["ALTER TABLE inbox ADD COLUMN colour TEXT", "UPDATE nowhere SET a = 1"]
            let error = thrown { _ = try directory.open(steps: steps) }
            #expect(error?.failure.call == "migrate")
            let store = try directory.open()
            #expect(try store.connection.integer("PRAGMA user_version") == Int64(Schema.steps.count))
            #expect(try store.inbox() == [1])
            #expect(thrown { try directory.execute("SELECT colour FROM inbox") } != nil)
        }

        @Test func aNewerFileIsRefusedAndNotTouched() throws {
            let directory = try TemporaryDirectory()
            try directory.open().deliver(1)
            try directory.execute("PRAGMA user_version = \(Schema.steps.count + 1)")
            let before = try directory.data("skyglow.db")
            let error = thrown { _ = try directory.open() }
            guard case .newer(_, let schema) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(schema == Schema.steps.count + 1)
            let text = "written by a newer skyglowd (schema \(Schema.steps.count + 1)), not touched"
            #expect(error?.text == "\(directory.file("skyglow.db")): \(text)")
            #expect(try directory.data("skyglow.db") == before)
        }

        /// Also not by moving its log into it, though that is what closing a database does.
        @Test func aNewerFileWithALogIsNotTouched() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            try store.deliver(1)
            try store.connection.execute("PRAGMA user_version = \(Schema.steps.count + 1)", as: "test")
            let crashed = try directory.copy()
            let before = (try crashed.data("skyglow.db"), try crashed.data("skyglow.db-wal"))
            let error = thrown { _ = try crashed.open() }
            guard case .newer = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try crashed.data("skyglow.db") == before.0)
            #expect(try crashed.data("skyglow.db-wal") == before.1)
        }

        // (One byte is an empty file to SQLite.)
        @Test(arguments: [2, 15, 16, 99, 100, 512, 4096, 10_000])
        func garbageIsRefusedAndNotTouched(size: Int) throws {
            let directory = try TemporaryDirectory()
            let garbage = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
            try directory.write("skyglow.db", garbage)
            let error = thrown { _ = try directory.open() }
            guard case .corrupt(let failure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.path == directory.file("skyglow.db"))
            #expect(try directory.data("skyglow.db") == Data(garbage))
        }

        /// Another program's database, with or without a version of its own.
        @Test(arguments: ["", "PRAGMA user_version = 1;", "PRAGMA application_id = 5;"])
        func foreignDatabase(mark: String) throws {
            let directory = try TemporaryDirectory()
            try directory.write("skyglow.db", [])
            try directory.execute("CREATE TABLE mine(a); \(mark)")
            let before = try directory.data("skyglow.db")
            let error = thrown { _ = try directory.open() }
            guard case .corrupt = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try directory.data("skyglow.db") == before)
        }

        /// A page in the middle overwritten: found by `verify`, and an error rather than a crash when it is used.
        @Test func damagedPages() throws {
            let directory = try TemporaryDirectory()
            do {
                let store = try directory.open()
                for number in 0..<200 { try store.deliver(number, payload: String(repeating: "x", count: 500)) }
            }
            var bytes = [UInt8](try directory.data("skyglow.db"))
            for index in stride(from: 12 * 4096, to: bytes.count, by: 4096) {
                for offset in 0..<64 { bytes[index + offset] = 0xFE }
            }
            try directory.write("skyglow.db", bytes)
            let error = thrown {
                let store = try directory.open()
                try store.verify()
            }
            guard case .corrupt = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            let read = thrown {
                let store = try directory.open()
                _ = try store.inbox()
            }
            guard case .corrupt = read else {
                Issue.record("\(String(describing: read))")
                return
            }
        }
    }
}
