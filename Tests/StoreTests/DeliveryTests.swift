import Bytes
import Foundation
import Testing

@testable import Store

extension StoreTests {
    @Suite struct DeliveryTests {
        @Test func everyFieldComesBack() throws {
            let directory = try TemporaryDirectory()
            let texts = ["org.a", "titlé", "subtitle", "body\u{0}with nul", "sound", "category", "thread", "passive"]
            let bytes = texts.map { Array($0.utf8) }
            let (bundle, title, subtitle, body) = (bytes[0], bytes[1], bytes[2], bytes[3])
            let (sound, category, thread, priority) = (bytes[4], bytes[5], bytes[6], bytes[7])
            let json = Array(#"{"aps":{}}"#.utf8)
            let id = messageID(9)
            var number: Int64 = 0
            do {
                let store = try directory.open()
                try store.begin()
                let new = NewNotification(
                    messageID: id.span.bytes, bundle: bundle.span.bytes, source: .pocketty, received: 5,
                    expires: Int64.max, title: title.span.bytes, subtitle: subtitle.span.bytes,
                    body: body.span.bytes, sound: sound.span.bytes, badge: -3, category: category.span.bytes,
                    thread: thread.span.bytes, priority: priority.span.bytes, isStale: true, isPlaceholder: true,
                    payload: json.span.bytes)
                number = try store.insertNotification(new)
                #expect(try store.commit() == Committed())
            }
            let store = try directory.open()
            let found = try store.notification(number) { row in
                #expect(row.id == number)
                #expect(row.messageID.array == id)
                #expect(row.bundle.string == texts[0])
                #expect(row.source == .pocketty && row.source.name == "pocketty")
                #expect(row.received == 5 && row.expires == Int64.max && row.badge == -3)
                #expect(!row.isRead && row.isStale && row.isPlaceholder)
                #expect(row.title?.string == texts[1] && row.subtitle?.string == texts[2])
                #expect(row.body?.string == texts[3] && row.sound?.string == texts[4])
                #expect(row.category?.string == texts[5] && row.thread?.string == texts[6])
                #expect(row.priority?.string == texts[7])
                #expect(row.payload.array == json)
            }
            #expect(found)
            try store.unread { row in
                #expect(row.id == number && row.bundle.string == "org.a" && row.source == .pocketty)
                #expect(row.received == 5 && row.priority?.string == "passive" && row.isStale && row.isPlaceholder)
                return true
            }
        }

        @Test func absentAndEmptyAreDifferent() throws {
            let store = try TemporaryDirectory().open()
            let id = messageID(1)
            let none: [UInt8] = []
            try store.begin()
            let new = NewNotification(
                messageID: id.span.bytes, bundle: none.span.bytes, source: .sgp, received: 0, expires: 0,
                title: none.span.bytes, payload: none.span.bytes)
            try store.insertNotification(new)
            _ = try store.commit()
            try store.notifications { row in
                #expect(row.title?.byteCount == 0)
                #expect(row.bundle.byteCount == 0 && row.payload.byteCount == 0)
                #expect(row.body == nil && row.subtitle == nil && row.sound == nil && row.category == nil)
                #expect(row.thread == nil && row.priority == nil && row.badge == nil && row.expires == nil)
                return true
            }
        }

        /// Canonical JSON may be six times as long as what a payload inflates to.
        @Test(arguments: [0, 1, 4000, 4096, 65_536, Limits.canonicalJSON])
        func payloadSizes(size: Int) throws {
            let store = try TemporaryDirectory().open()
            let payload = String(repeating: "p", count: size)
            try store.deliver(1, payload: payload)
            try store.deliver(2, payload: payload)
            var lengths: [Int] = []
            try store.notifications { row in
                lengths.append(row.payload.byteCount)
                return true
            }
            #expect(lengths == [size, size])
        }

        @Test(arguments: [0, 15, 17, 32])
        func identifierLengths(length: Int) throws {
            let store = try TemporaryDirectory().open()
            let id = [UInt8](repeating: 1, count: length)
            for attempt in 0..<3 {
                try store.begin()
                let error = thrown {
                    switch attempt {
                    case 0: try store.markSeen(id.span.bytes, at: 0, expires: 0)
                    case 1: try store.insertAcknowledgement(id.span.bytes, status: 0)
                    default:
                        let new = NewNotification(
                            messageID: id.span.bytes, bundle: id.span.bytes, source: .sgp, received: 0, expires: 0,
                            payload: id.span.bytes)
                        try store.insertNotification(new)
                    }
                }
                guard case .misuse = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(!store.isInTransaction)
            }
        }

        @Test func oneCommitCoversABurst() throws {
            let directory = try TemporaryDirectory()
            let store = try directory.open()
            let other = try directory.open()
            try store.begin()
            for number in 0..<Limits.burst {
                try store.insert(number)
                try store.mark(number, at: 0)
                try store.acknowledge(number)
                store.count(.received)
            }
            #expect(try other.inbox().isEmpty)
            #expect(try other.acknowledgementCount() == 0)
            _ = try store.commit()
            #expect(try other.inbox().count == Limits.burst)
            #expect(try other.acknowledgementCount() == Limits.burst)
            #expect(try other.counters().received == Int64(Limits.burst))
        }

        @Test func rollbackUndoesEverything() throws {
            let store = try TemporaryDirectory().open()
            try store.deliver(1)
            try store.begin()
            try store.insert(2)
            try store.mark(2, at: 0)
            try store.acknowledge(2)
            store.count(.received)
            store.count(.rejected)
            #expect(try store.hasSeen(2))
            store.rollback()
            store.rollback()
            #expect(try !store.hasSeen(2))
            #expect(try store.inbox() == [1])
            #expect(try store.acknowledged() == [1])
            #expect(try store.counters() == Counters(received: 1))
            // Numbers have no gap.
            try store.deliver(3)
            #expect(try store.acknowledged() == [1, 2])
        }

        @Test func writesOutsideATransactionAreRefused() throws {
            let store = try TemporaryDirectory().open()
            let attempts: [() throws -> Void] = [
                { try store.insert(1) }, { try store.mark(1, at: 0) }, { try store.acknowledge(1) },
                { try store.setLastSequence(1) }, { _ = try store.commit() },
            ]
            for attempt in attempts {
                guard case .misuse = thrown(attempt) else {
                    Issue.record("accepted")
                    return
                }
            }
            try store.begin()
            guard case .misuse = thrown({ try store.begin() }) else {
                Issue.record("began twice")
                return
            }
            #expect(store.isInTransaction)
        }

        @Test func countersAddUp() throws {
            let directory = try TemporaryDirectory()
            for _ in 0..<2 {
                let store = try directory.open()
                try store.begin()
                store.count(.received)
                store.count(.duplicates)
                store.count(.duplicates)
                for _ in 0..<3 { store.count(.expired) }
                for _ in 0..<4 { store.count(.rejected) }
                _ = try store.commit()
            }
            let expected = Counters(received: 2, duplicates: 4, expired: 6, rejected: 8)
            #expect(try directory.open().counters() == expected)
        }
    }

    @Suite struct InboxTests {
        @Test func listing() throws {
            let store = try TemporaryDirectory().open()
            #expect(try store.inbox() == [])
            for number in 1...5 { try store.deliver(number) }
            #expect(try store.inbox() == [5, 4, 3, 2, 1])
            #expect(try store.inbox(limit: 0) == [])
            #expect(try store.inbox(limit: 2) == [5, 4])
            #expect(try store.inbox(limit: 6) == [5, 4, 3, 2, 1])
            #expect(try store.markRead(4) == .marked)
            #expect(try store.markRead(4) == .wasRead)
            #expect(try store.markRead(6) == .unknown)
            #expect(try store.markRead(0) == .unknown)
            #expect(try store.markRead(.min) == .unknown)
            #expect(try store.inbox(unreadOnly: true) == [5, 3, 2, 1])
            #expect(try store.inbox(unreadOnly: true, limit: 2) == [5, 3])
            #expect(try store.unreadCount() == 4)
            var unread: [Int64] = []
            try store.unread { row in
                unread.append(row.id)
                return unread.count < 3
            }
            #expect(unread == [1, 2, 3])
        }

        @Test func markingAll() throws {
            let store = try TemporaryDirectory().open()
            #expect(try store.markAllRead() == 0)
            for number in 1...5 { try store.deliver(number) }
            #expect(try store.markAllRead(through: 2) == 2)
            #expect(try store.unreadCount() == 3)
            #expect(try store.markAllRead() == 3)
            #expect(try store.markAllRead() == 0)
            #expect(try store.unreadCount() == 0)
        }

        @Test func severalAtOnce() throws {
            let store = try TemporaryDirectory().open()
            for number in 1...3 { try store.deliver(number) }
            try store.transaction { () throws(StoreError) in
                _ = try store.markRead(1)
                _ = try store.markRead(3)
            }
            #expect(try store.inbox(unreadOnly: true) == [2])
            let error = thrown {
                try store.transaction { () throws(StoreError) in
                    _ = try store.markRead(2)
                    throw StoreError.misuse(.init(call: "test", path: ""))
                }
            }
            #expect(error?.failure.call == "test")
            #expect(try store.inbox(unreadOnly: true) == [2])
        }

        @Test(arguments: [(9, 0), (10, 0), (11, 1), (15, 5)])
        func unreadOldestLeaveAFullInbox(inserted: Int, dropped: Int) throws {
            let store = try TemporaryDirectory().open(bounds: .init(inboxRows: 10))
            try store.begin()
            for number in 0..<inserted { try store.insert(number) }
            #expect(try store.commit().droppedUnread == dropped)
            #expect(try store.inbox() == Array((dropped..<inserted).reversed()))
            #expect(try store.counters().droppedUnread == Int64(dropped))
            #expect(try store.connection.integer("SELECT count(*) FROM content") == Int64(inserted - dropped))
        }

        @Test func readOnesGoFirst() throws {
            let store = try TemporaryDirectory().open(bounds: .init(inboxRows: 5))
            for number in 1...5 { try store.deliver(number) }
            for id in [2, 4, 5] as [Int64] { #expect(try store.markRead(id) == .marked) }
            try store.deliver(6)
            #expect(try store.inbox() == [6, 5, 4, 3, 1])
            try store.begin()
            for number in 7...9 { try store.insert(number) }
            // Two read ones were left, then the oldest unread one.
            #expect(try store.commit() == Committed(droppedUnread: 1))
            #expect(try store.inbox() == [9, 8, 7, 6, 3])
            #expect(try store.counters().droppedUnread == 1)
        }

        @Test func theBoundOfTheLimits() throws {
            let store = try TemporaryDirectory().open()
            var dropped = 0
            for burst in 0..<17 {
                try store.begin()
                for number in 0..<Limits.burst { try store.insert(burst * Limits.burst + number) }
                dropped += try store.commit().droppedUnread
            }
            #expect(dropped == 17 * Limits.burst - Limits.inboxRows)
            #expect(try store.inbox().count == Limits.inboxRows)
            #expect(try store.unreadCount() == Limits.inboxRows)
        }
    }

    @Suite struct SeenTests {
        private let week = Limits.seenSeconds

        @Test func firstTimeOnly() throws {
            let directory = try TemporaryDirectory()
            do {
                let store = try directory.open()
                #expect(try !store.hasSeen(1))
                try store.begin()
                #expect(try store.mark(1, at: 10))
                #expect(try !store.mark(1, at: 11))
                _ = try store.commit()
            }
            let store = try directory.open()
            #expect(try store.hasSeen(1))
            #expect(try !store.hasSeen(2))
        }

        /// Kept for a week, to the second.
        @Test(arguments: [(-1, true), (0, true), (1, false)] as [(Int64, Bool)])
        func aWeek(late: Int64, isKept: Bool) throws {
            let store = try TemporaryDirectory().open(bounds: .init(seenRows: 2, pruning: 1))
            try store.begin()
            for number in 0..<3 { try store.mark(number, at: 1000) }
            _ = try store.commit()
            try store.maintain(now: 1000 + week + late)
            #expect(try store.hasSeen(0) == isKept)
            // The newest are kept however old they are.
            #expect(try store.hasSeen(1) && store.hasSeen(2))
        }

        @Test(arguments: [9, 10, 11])
        func theNewestStay(count: Int) throws {
            let store = try TemporaryDirectory().open(bounds: .init(seenRows: 10, pruning: 100))
            try store.begin()
            for number in 0..<count { try store.mark(number, at: 0) }
            _ = try store.commit()
            try store.maintain(now: .max)
            #expect(try store.hasSeen(0) == (count <= 10))
            #expect(try store.connection.integer("SELECT count(*) FROM seen") == Int64(min(count, 10)))
        }

        @Test func farExpiriesStay() throws {
            let store = try TemporaryDirectory().open(bounds: .init(seenRows: 0, pruning: 100))
            let far = 10 * week
            try store.begin()
            try store.mark(4, at: .max, expires: 0)
            try store.mark(1, at: 0, expires: far)
            try store.mark(2, at: 0, expires: 5)
            try store.mark(3, at: 0, expires: 0)
            _ = try store.commit()
            try store.maintain(now: week + 1)
            #expect(try store.hasSeen(1))
            #expect(try !store.hasSeen(2) && !store.hasSeen(3))
            try store.maintain(now: far)
            #expect(try store.hasSeen(1))
            try store.maintain(now: far + 1)
            #expect(try !store.hasSeen(1))
            #expect(try store.hasSeen(4))
        }

        /// What came while nobody knew the time is too old by no clock, and lets nothing else be forgotten for its age.
        @Test func withoutAClock() throws {
            let store = try TemporaryDirectory().open(bounds: .init(seenRows: 0, seenArrivals: 10, pruning: 1))
            try store.begin()
            try store.mark(1, at: 0)
            try store.mark(2, at: nil)
            _ = try store.commit()
            #expect(try store.hasSeen(1) && store.hasSeen(2))
            try store.maintain(now: .max - 1)
            #expect(try !store.hasSeen(1) && store.hasSeen(2))
            try store.begin()
            for number in 3..<20 { try store.mark(number, at: nil) }
            _ = try store.commit()
            #expect(try !store.hasSeen(2), "but arrivals count")
        }

        /// Expiries that never come do not fill the disk: the oldest arrivals go.
        @Test func arrivalsAreBounded() throws {
            let store = try TemporaryDirectory().open(bounds: .init(seenRows: 5, seenArrivals: 100, pruning: 10))
            for burst in 0..<50 {
                try store.begin()
                for number in 0..<10 { try store.mark(burst * 10 + number, at: 0, expires: .max) }
                _ = try store.commit()
                #expect(try store.connection.integer("SELECT count(*) FROM seen") <= 110)
            }
            #expect(try store.hasSeen(499) && store.hasSeen(400))
            #expect(try !store.hasSeen(399) && !store.hasSeen(0))
        }

        /// Forgetting is amortised, keeps up with what comes, and happens although the daemon restarts often.
        @Test func forgettingKeepsUp() throws {
            let directory = try TemporaryDirectory()
            let bounds = Store.Bounds(seenRows: 20, pruning: 10)
            var number = 0
            func deliver(_ store: Store, at time: Int64) throws {
                try store.begin()
                try store.mark(number, at: time)
                number += 1
                _ = try store.commit()
            }
            do {
                let store = try directory.open(bounds: bounds)
                for _ in 0..<200 { try deliver(store, at: 0) }
                #expect(try store.connection.integer("SELECT count(*) FROM seen") == 200)
                for _ in 0..<100 { try deliver(store, at: week + 1) }
                let kept = try store.connection.integer("SELECT count(*) FROM seen WHERE keep_until < \(week + 2)")
                #expect(kept < 20)
            }
            for _ in 0..<5 {
                let store = try directory.open(bounds: bounds)
                try deliver(store, at: 3 * week)
            }
            let store = try directory.open(bounds: bounds)
            #expect(try store.connection.integer("SELECT count(*) FROM seen") == 20)
        }

        @Test func noStatementScansATable() throws {
            let store = try TemporaryDirectory().open()
            for (statement, name) in [
                (store.statements.isSeen, "isSeen"), (store.statements.markSeen, "markSeen"),
                (store.statements.forgetSeen, "forgetSeen"), (store.statements.forgetOldest, "forgetOldest"),
                (store.statements.acknowledgements, "acknowledgements"), (store.statements.dropRead, "dropRead"),
                (store.statements.unread, "unread"), (store.statements.unreadCount, "unreadCount"),
                (store.statements.inboxCount, "inboxCount"), (store.statements.markAllRead, "markAllRead"),
                (store.statements.unreadLights, "unreadLights"),
                (store.statements.replaceCollapsed, "replaceCollapsed"),
                (store.statements.replaceThread, "replaceThread"), (store.statements.notification, "notification"),
                (store.statements.unreadInbox, "unreadInbox"), (store.statements.registration, "registration"),
            ] {
                let sql = String(cString: try #require(sqlText(statement)))
                let plan = try store.connection.prepare("EXPLAIN QUERY PLAN " + sql)
                while try plan.step() {
                    let row = Columns(plan)
                    let detail = row.bytes(3).string
                    let isScan = detail.hasPrefix("SCAN") && !detail.contains("COVERING INDEX")
                    #expect(!isScan && !detail.contains("TEMP B-TREE"), "\(name): \(detail)")
                }
                plan.reset()
            }
        }
    }

    @Suite struct AcknowledgementTests {
        @Test func pagingAndDeleting() throws {
            let store = try TemporaryDirectory().open()
            #expect(try store.acknowledged() == [])
            try store.begin()
            for number in 1...5 { #expect(try store.acknowledge(number, status: UInt8(number)) == Int64(number)) }
            _ = try store.commit()
            var rows: [(Int64, [UInt8], UInt8)] = []
            try store.acknowledgements(after: 1, limit: 2) { row in
                rows.append((row.id, row.messageID.array, row.status))
                return true
            }
            #expect(rows.map(\.0) == [2, 3] && rows.map(\.1) == [messageID(2), messageID(3)])
            #expect(rows.map(\.2) == [2, 3])
            #expect(try store.acknowledged(after: 5) == [])
            #expect(try store.acknowledgementCount(after: 2) == 3)
            #expect(try store.acknowledged(limit: 0) == [])
            try store.deleteAcknowledgements(through: 0)
            #expect(try store.acknowledgementCount() == 5)
            try store.deleteAcknowledgements(through: 3)
            #expect(try store.acknowledged() == [4, 5])
            try store.begin()
            try store.deleteAcknowledgements(through: 4)
            store.rollback()
            #expect(try store.acknowledged() == [4, 5])
            try store.deleteAcknowledgements(through: 5)
            // Numbers are never used again.
            try store.deliver(9)
            #expect(try store.acknowledged() == [6])
        }

        @Test(arguments: [(9, 0), (10, 0), (11, 1), (25, 15)])
        func bound(inserted: Int, dropped: Int) throws {
            let store = try TemporaryDirectory().open(bounds: .init(pendingAcks: 10))
            try store.begin()
            for number in 0..<inserted { try store.acknowledge(number) }
            #expect(try store.commit().droppedAcknowledgements == dropped)
            #expect(try store.acknowledgementCount() == inserted - dropped)
            #expect(try store.acknowledged().first == Int64(dropped + 1))
            #expect(try store.counters().droppedAcknowledgements == Int64(dropped))
        }
    }
}
