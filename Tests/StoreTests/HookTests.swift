import Bytes
import Testing

@testable import Store

extension Store {
    /// Puts a notification with a waiting hook into the inbox.
    @discardableResult
    func putHook(_ number: Int, route: String = "r", isRead: Bool = false) throws -> Int64 {
        let id = messageID(number)
        let (bundle, payload, name) = (Array("a".utf8), Array("{}".utf8), Array(route.utf8))
        try begin()
        let row = try insertNotification(
            NewNotification(
                messageID: id.span.bytes, bundle: bundle.span.bytes, source: .sgp, received: Int64(number), expires: 0,
                payload: payload.span.bytes, isRead: isRead, route: name.span.bytes))
        try insertHook(row, route: name.span.bytes)
        _ = try commit()
        return row
    }

    func next(_ route: String = "r") throws -> NextHook? {
        let name = Array(route.utf8)
        return try nextHook(route: name.span.bytes)
    }

    func ended(_ id: Int64, _ state: HookState, _ reason: String? = nil) throws {
        let text = reason.map { Array($0.utf8) }
        try hookEnded(id, state, reason: text?.span.bytes)
    }

    func openRoutes() throws -> [String] {
        var names: [String] = []
        try openHookRoutes { name in
            names.append(name.string)
            return true
        }
        return names
    }

    /// State, tries and reason of each row's hook, the newest first.
    func hooks() throws -> [String] {
        var found: [String] = []
        try notifications { row in
            found.append("\(row.hook?.name ?? "-") \(row.hookTries) \(row.hookReason?.string ?? "-")")
            return true
        }
        return found
    }
}

extension StoreTests {
    @Suite struct HookTests {
        @Test func fromWaitingToTheEnd() throws {
            let directory = try TemporaryDirectory()
            do {
                let store = try directory.open()
                #expect(try store.next() == nil)
                for number in 1...3 { try store.putHook(number) }
                try store.put(4)
                try store.putHook(5, route: "other")
                #expect(try store.hooks() == ["waiting 0 -", "- 0 -", "waiting 0 -", "waiting 0 -", "waiting 0 -"])
                #expect(try store.openHookCount() == 4)
                #expect(try store.openRoutes() == ["other", "r"])
                #expect(try store.next() == NextHook(id: 1, tries: 0))
                try store.hookStarts(1)
                #expect(try store.next() == NextHook(id: 1, tries: 1))
                try store.ended(1, .done)
                #expect(try store.next() == NextHook(id: 2, tries: 0))
                try store.hookStarts(2)
                try store.ended(2, .waiting, "exit 75")
                #expect(try store.next() == NextHook(id: 2, tries: 1))
                try store.hookStarts(2)
            }
            // Its gateway died while it ran.
            let store = try directory.open()
            #expect(try store.hooks() == ["waiting 0 -", "- 0 -", "waiting 0 -", "running 2 exit 75", "done 1 -"])
            #expect(try store.next() == NextHook(id: 2, tries: 2))
            try store.ended(2, .dead, "exit 1")
            #expect(try store.next() == NextHook(id: 3, tries: 0))
            #expect(try store.hooks()[3] == "dead 2 exit 1")
            #expect(try store.next("other") == NextHook(id: 5, tries: 0))
            #expect(try store.openHookCount() == 2)
        }

        @Test func stoppingGivesTheTryBack() throws {
            let store = try TemporaryDirectory().open()
            let id = try store.putHook(1)
            try store.hookStarts(id)
            try store.hookStopped(id)
            #expect(try store.hooks() == ["waiting 0 -"])
            try store.hookStarts(id)
            try store.ended(id, .done)
            try store.hookStopped(id)
            #expect(try store.hooks() == ["done 1 -"])
        }

        @Test func aWholeRouteIsGivenUp() throws {
            let store = try TemporaryDirectory().open()
            for number in 1...3 { try store.putHook(number) }
            try store.putHook(4, route: "other")
            try store.ended(1, .done)
            let (name, reason) = (Array("r".utf8), Array("gone".utf8))
            #expect(try store.buryHooks(route: name.span.bytes, reason: reason.span.bytes) == 2)
            #expect(try store.hooks() == ["waiting 0 -", "dead 0 gone", "dead 0 gone", "done 0 -"])
            #expect(try store.openRoutes() == ["other"])
        }

        @Test func aHookIsMadeWithItsNotificationOrNotAtAll() throws {
            let store = try TemporaryDirectory().open()
            let route = Array("r".utf8)
            #expect(thrown { try store.insertHook(1, route: route.span.bytes) } != nil)
            try store.begin()
            try store.insert(1)
            try store.insertHook(1, route: route.span.bytes)
            store.rollback()
            #expect(try store.openHookCount() == 0)
            // Without its notification.
            try store.begin()
            #expect(thrown { try store.insertHook(7, route: route.span.bytes) } != nil)
            #expect(!store.isInTransaction)
        }

        /// Read ones without work to do go first, then read ones, then unread ones; hooks leave with their rows.
        @Test func theBoundOfTheInbox() throws {
            let store = try TemporaryDirectory().open(bounds: .init(inboxRows: 4))
            try store.putHook(1, isRead: true)
            try store.put(2, isRead: true)
            try store.putHook(3)
            try store.put(4, isRead: true)
            try store.put(5)
            #expect(try store.inbox() == [5, 4, 3, 1])
            try store.put(6)
            #expect(try store.inbox() == [6, 5, 3, 1])
            let id = messageID(7)
            let empty = Array("{}".utf8)
            try store.begin()
            for number in [7, 8] {
                try store.insertNotification(
                    NewNotification(
                        messageID: id.span.bytes, bundle: empty.span.bytes, source: .sgp, received: Int64(number),
                        expires: 0, payload: empty.span.bytes))
            }
            #expect(try store.commit() == Committed(droppedUnread: 1, droppedHooks: 2))
            #expect(try store.inbox() == [8, 7, 6, 5])
            #expect(try store.openHookCount() == 0)
            #expect(try store.next() == nil)
        }

        @Test func noStatementScansATable() throws {
            let store = try TemporaryDirectory().open()
            for statement in [
                store.statements.nextHook, store.statements.openHookCount, store.statements.openHookRoutes,
                store.statements.startHook, store.statements.endHook, store.statements.stopHook,
                store.statements.buryHooks, store.statements.dropReadWithHook,
            ] {
                let sql = String(cString: try #require(sqlText(statement)))
                let plan = try store.connection.prepare("EXPLAIN QUERY PLAN " + sql)
                while try plan.step() {
                    let detail = Columns(plan).bytes(3).string
                    let isScan = detail.hasPrefix("SCAN") && !detail.contains("COVERING INDEX")
                    #expect(!isScan && !detail.contains("TEMP B-TREE"), "\(sql): \(detail)")
                }
                plan.reset()
            }
        }
    }
}
