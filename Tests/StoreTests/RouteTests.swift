import Bytes
import Testing

@testable import Store

extension Store {
    /// Puts a notification into the inbox with what a route decides, in a transaction of its own.
    @discardableResult
    func put(
        _ number: Int, bundle: String = "a", light: UInt8 = 1, isRead: Bool = false, route: String? = nil,
        collapse: String? = nil, thread: String? = nil
    ) throws -> Int64 {
        let id = messageID(number)
        let (bundle, route, payload) = (Array(bundle.utf8), route.map { Array($0.utf8) }, Array("{}".utf8))
        let (collapse, thread) = (collapse.map { Array($0.utf8) }, thread.map { Array($0.utf8) })
        try begin()
        let new = NewNotification(
            messageID: id.span.bytes, bundle: bundle.span.bytes, source: .sgp, received: Int64(number), expires: 0,
            thread: thread?.span.bytes, payload: payload.span.bytes, isRead: isRead, light: light,
            route: route?.span.bytes, collapse: collapse?.span.bytes)
        let row = try insertNotification(new)
        _ = try commit()
        return row
    }

    func replace(_ bundle: String, collapse: String, before id: Int64) throws -> Int {
        let (bundle, collapse) = (Array(bundle.utf8), Array(collapse.utf8))
        return try replace(bundle: bundle.span.bytes, collapse: collapse.span.bytes, before: id)
    }

    func replace(_ bundle: String, thread: String, before id: Int64) throws -> Int {
        let (bundle, thread) = (Array(bundle.utf8), Array(thread.utf8))
        return try replace(bundle: bundle.span.bytes, thread: thread.span.bytes, before: id)
    }
}

extension StoreTests {
    @Suite struct RouteTests {
        @Test func whatARouteDecidedIsKept() throws {
            let store = try TemporaryDirectory().open()
            try store.put(1, light: 3, route: "door", collapse: "c")
            try store.put(2, light: 0, isRead: true)
            var rows: [String] = []
            try store.notifications { row in
                rows.append(
                    "\(row.light) \(row.isRead) \(row.route?.string ?? "-") \(row.collapse?.string ?? "-")")
                return true
            }
            #expect(rows == ["0 true - -", "3 false door c"])
            #expect(try store.unreadCount() == 1)
        }

        @Test func lightsOfTheUnread() throws {
            let store = try TemporaryDirectory().open()
            #expect(try store.unreadLights() == 0)
            let first = try store.put(1, light: 0)
            #expect(try store.unreadLights() == 1)
            for number in 2...5 { try store.put(number, light: UInt8(number)) }
            try store.put(6, light: 5)
            try store.put(7, light: 1, isRead: true)
            #expect(try store.unreadLights() == 0b111101)
            _ = try store.markRead(first)
            #expect(try store.unreadLights() == 0b111100)
            try store.markAllRead(through: 5)
            #expect(try store.unreadLights() == 0b100000)
            try store.markAllRead()
            #expect(try store.unreadLights() == 0)
        }

        @Test func replacingByCollapseIdentifier() throws {
            let store = try TemporaryDirectory().open()
            try store.put(1, collapse: "x")
            try store.put(2, bundle: "b", collapse: "x")
            try store.put(3, collapse: "y")
            try store.put(4)
            try store.put(5, collapse: "x")
            let newest = try store.put(6, collapse: "x")
            try store.put(7, collapse: "x")
            try store.begin()
            #expect(try store.replace("a", collapse: "x", before: newest) == 2)
            #expect(try store.replace("a", collapse: "x", before: newest) == 0)
            _ = try store.commit()
            #expect(try store.inbox(unreadOnly: true) == [7, 6, 4, 3, 2])
        }

        @Test func replacingByThread() throws {
            let store = try TemporaryDirectory().open()
            try store.put(1, thread: "x")
            try store.put(2, bundle: "b", thread: "x")
            try store.put(3, collapse: "x", thread: "y")
            let newest = try store.put(4, thread: "x")
            try store.begin()
            #expect(try store.replace("a", thread: "x", before: newest) == 1)
            _ = try store.commit()
            #expect(try store.inbox(unreadOnly: true) == [4, 3, 2])
        }

        /// Undone with the rest of its transaction.
        @Test func replacingIsAPartOfTheTransaction() throws {
            let store = try TemporaryDirectory().open()
            try store.put(1, collapse: "x")
            #expect(thrown { _ = try store.replace("a", collapse: "x", before: 9) } != nil)
            try store.begin()
            #expect(try store.replace("a", collapse: "x", before: 9) == 1)
            store.rollback()
            #expect(try store.inbox(unreadOnly: true) == [1])
        }
    }
}
