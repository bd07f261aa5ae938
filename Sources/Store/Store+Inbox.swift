import Bytes

/// Where a notification came from. The raw value is stored.
public enum Source: Int64, Sendable {
    case sgp = 0
    case cronstable = 1
    case pocketty = 2

    /// As in the JSON of `skyglowd inbox`, a literal.
    public var name: String {
        switch self {
        case .sgp: "sgp"
        case .cronstable: "cronstable"
        case .pocketty: "pocketty"
        }
    }
}

/// A notification to be put into the inbox. Texts are well-formed UTF-8; nil where there is none.
public struct NewNotification: ~Escapable {
    /// 16 bytes.
    public let messageID: RawSpan
    public let bundle: RawSpan
    public let source: Source
    /// Unix seconds.
    public let received: Int64
    /// Unix seconds; 0 for never.
    public let expires: Int64
    public let title: RawSpan?
    public let subtitle: RawSpan?
    public let body: RawSpan?
    public let sound: RawSpan?
    public let badge: Int64?
    public let category: RawSpan?
    public let thread: RawSpan?
    public let priority: RawSpan?
    public let isStale: Bool
    public let isPlaceholder: Bool
    /// The document as canonical JSON.
    public let payload: RawSpan
    /// Never shown as new.
    public let isRead: Bool
    /// The pattern of the light while it is unread, a code below 64 of the caller's.
    public let light: UInt8
    /// The name of the route that decided.
    public let route: RawSpan?
    /// What a newer notification of the same bundle may replace it by.
    public let collapse: RawSpan?

    @_lifetime(
        copy messageID, copy bundle, copy title, copy subtitle, copy body, copy sound, copy category, copy thread,
        copy priority, copy payload, copy route, copy collapse)
    public init(
        messageID: RawSpan, bundle: RawSpan, source: Source, received: Int64, expires: Int64, title: RawSpan? = nil,
        subtitle: RawSpan? = nil, body: RawSpan? = nil, sound: RawSpan? = nil, badge: Int64? = nil,
        category: RawSpan? = nil, thread: RawSpan? = nil, priority: RawSpan? = nil, isStale: Bool = false,
        isPlaceholder: Bool = false, payload: RawSpan, isRead: Bool = false, light: UInt8 = 1,
        route: RawSpan? = nil, collapse: RawSpan? = nil
    ) {
        self.messageID = messageID
        self.bundle = bundle
        self.source = source
        self.received = received
        self.expires = expires
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.sound = sound
        self.badge = badge
        self.category = category
        self.thread = thread
        self.priority = priority
        self.isStale = isStale
        self.isPlaceholder = isPlaceholder
        self.payload = payload
        self.isRead = isRead
        self.light = light
        self.route = route
        self.collapse = collapse
    }
}

/// A notification of the inbox, lent to a callback.
public struct NotificationRow: ~Escapable {
    private let columns: Columns

    @_lifetime(borrow statement)
    init(_ statement: borrowing Statement) { columns = Columns(statement) }

    public var id: Int64 { columns.integer(0) }
    public var messageID: RawSpan { @_lifetime(copy self) get { columns.bytes(1) } }
    public var bundle: RawSpan { @_lifetime(copy self) get { columns.bytes(2) } }
    public var source: Source { Source(rawValue: columns.integer(3)) ?? .sgp }
    /// Unix seconds.
    public var received: Int64 { columns.integer(4) }
    /// Unix seconds, nil for never.
    public var expires: Int64? { columns.optionalInteger(5) }
    public var badge: Int64? { columns.optionalInteger(6) }
    public var priority: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(7) } }
    public var isRead: Bool { columns.integer(8) != 0 }
    public var isStale: Bool { columns.integer(9) != 0 }
    public var isPlaceholder: Bool { columns.integer(10) != 0 }
    public var title: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(11) } }
    public var subtitle: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(12) } }
    public var body: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(13) } }
    public var sound: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(14) } }
    public var category: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(15) } }
    public var thread: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(16) } }
    /// Canonical JSON.
    public var payload: RawSpan { @_lifetime(copy self) get { columns.bytes(17) } }
    /// The code of the light's pattern while unread.
    public var light: UInt8 { UInt8(truncatingIfNeeded: columns.integer(18)) }
    public var route: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(19) } }
    public var collapse: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(20) } }
    /// Nil where its route has no hook.
    public var hook: HookState? { columns.optionalInteger(21).flatMap { HookState(rawValue: $0) } }
    /// How often the hook has been started.
    public var hookTries: Int64 { columns.integer(22) }
    /// Why the hook did not end well.
    public var hookReason: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(23) } }
}

/// What the panel needs of an unread notification, lent to a callback.
public struct UnreadRow: ~Escapable {
    private let columns: Columns

    @_lifetime(borrow statement)
    init(_ statement: borrowing Statement) { columns = Columns(statement) }

    public var id: Int64 { columns.integer(0) }
    public var bundle: RawSpan { @_lifetime(copy self) get { columns.bytes(1) } }
    public var source: Source { Source(rawValue: columns.integer(2)) ?? .sgp }
    /// Unix seconds.
    public var received: Int64 { columns.integer(3) }
    public var priority: RawSpan? { @_lifetime(copy self) get { columns.optionalBytes(4) } }
    public var isStale: Bool { columns.integer(5) != 0 }
    public var isPlaceholder: Bool { columns.integer(6) != 0 }
}

/// What became of marking a notification read.
public enum ReadChange: Equatable, Sendable {
    /// No such notification, or it has left the inbox.
    case unknown
    case wasRead
    case marked
}

extension Store {
    /// Within a transaction: puts a notification into the inbox. Gives its number, which grows.
    @discardableResult
    public func insertNotification(_ new: NewNotification) throws(StoreError) -> Int64 {
        guard isInTransaction else { throw misuse("write outside a transaction") }
        do throws(StoreError) {
            try require(new.messageID, Limits.messageID...Limits.messageID, "message identifier")
            try insertFacts(new)
            let id = connection.lastRow
            try insertContent(new, id)
            pending.notifications += 1
            return id
        } catch {
            rollback()
            throw error
        }
    }

    private func insertFacts(_ new: NewNotification) throws(StoreError) {
        let statement = statements.insertNotification
        try statement.bind(1, blob: new.messageID)
        try statement.bind(2, text: new.bundle)
        try statement.bind(3, new.source.rawValue)
        try statement.bind(4, new.received)
        try statement.bind(5, new.expires == 0 ? nil : new.expires)
        try statement.bind(6, new.badge)
        try statement.bind(7, text: new.priority)
        try statement.bind(8, new.isStale)
        try statement.bind(9, new.isPlaceholder)
        try statement.bind(10, new.isRead)
        try statement.bind(11, Int64(new.light))
        try statement.bind(12, text: new.route)
        try statement.bind(13, text: new.collapse)
        try statement.run()
    }

    private func insertContent(_ new: NewNotification, _ id: Int64) throws(StoreError) {
        let statement = statements.insertContent
        try statement.bind(1, id)
        try statement.bind(2, text: new.title)
        try statement.bind(3, text: new.subtitle)
        try statement.bind(4, text: new.body)
        try statement.bind(5, text: new.sound)
        try statement.bind(6, text: new.category)
        try statement.bind(7, text: new.thread)
        try statement.bind(8, text: new.payload)
        try statement.run()
    }

    /// Lends notifications, the newest first, at most `limit`.
    public func notifications(
        unreadOnly: Bool = false, limit: Int = .max, _ body: (NotificationRow) -> Bool
    ) throws(StoreError) {
        let statement = unreadOnly ? statements.unreadInbox : statements.inbox
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, Int64(limit))
        while try statement.step() {
            guard body(NotificationRow(statement)) else { return }
        }
    }

    /// Lends one notification. False where there is none of this number.
    public func notification(_ id: Int64, _ body: (NotificationRow) -> Void) throws(StoreError) -> Bool {
        let statement = statements.notification
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, id)
        guard try statement.step() else { return false }
        body(NotificationRow(statement))
        return true
    }

    /// Lends what the panel needs of the unread notifications, the oldest first. Reads no texts.
    public func unread(_ body: (UnreadRow) -> Bool) throws(StoreError) {
        let statement = statements.unread
        try statement.refuseReentry()
        defer { statement.reset() }
        while try statement.step() {
            guard body(UnreadRow(statement)) else { return }
        }
    }

    /// The codes of the lights of the unread notifications, as bits. Read in an index of a few pages.
    public func unreadLights() throws(StoreError) -> UInt64 {
        let statement = statements.unreadLights
        defer { statement.reset() }
        var bits: UInt64 = 0
        while try statement.step() { bits |= 1 << UInt64(Columns(statement).integer(0) & 63) }
        return bits
    }

    /// Counted in an index of a few pages.
    public func unreadCount() throws(StoreError) -> Int { Int(try statements.unreadCount.integer() ?? 0) }

    /// A transaction of its own, or a part of the open one.
    public func markRead(_ id: Int64) throws(StoreError) -> ReadChange {
        var result = ReadChange.unknown
        try transaction { () throws(StoreError) in
            try statements.isRead.bind(1, id)
            guard let isRead = try statements.isRead.integer() else { return }
            result = isRead != 0 ? .wasRead : .marked
            guard result == .marked else { return }
            try statements.markRead.bind(1, id)
            try statements.markRead.run()
        }
        return result
    }

    /// Marks all up to a number read, so that one which comes while a person reads stays unread. Gives how many were
    /// unread.
    @discardableResult
    public func markAllRead(through id: Int64 = .max) throws(StoreError) -> Int {
        var count = 0
        try transaction { () throws(StoreError) in
            try statements.markAllRead.bind(1, id)
            try statements.markAllRead.run()
            count = statements.markAllRead.changes
        }
        return count
    }

    /// Within a transaction: marks those unread notifications read that the one of number `id` replaces, which are older
    /// and of the same bundle and the same collapse identifier. Gives how many.
    @discardableResult
    public func replace(bundle: RawSpan, collapse: RawSpan, before id: Int64) throws(StoreError) -> Int {
        try replace(statements.replaceCollapsed, bundle, collapse, id)
    }

    /// The same for those of the same thread.
    @discardableResult
    public func replace(bundle: RawSpan, thread: RawSpan, before id: Int64) throws(StoreError) -> Int {
        try replace(statements.replaceThread, bundle, thread, id)
    }

    private func replace(
        _ statement: Statement, _ bundle: RawSpan, _ text: RawSpan, _ id: Int64
    ) throws(StoreError) -> Int {
        try change { () throws(StoreError) in
            try statement.bind(1, text: bundle)
            try statement.bind(2, text: text)
            try statement.bind(3, id)
            try statement.run()
            return statement.changes
        }
    }

    /// Brings a full inbox back to its bound: read notifications go first, of those the ones whose hook has still to run
    /// last, then unread ones, the oldest of each first. Gives how many unread ones and unfinished hooks went.
    func boundInbox() throws(StoreError) -> (unread: Int, hooks: Int) {
        let excess = Int(try statements.inboxCount.integer() ?? 0) - bounds.inboxRows
        guard excess > 0 else { return (0, 0) }
        var left = try drop(statements.dropRead, excess)
        guard left > 0 else { return (0, 0) }
        let hooks = try openHookCount()
        left = try drop(statements.dropReadWithHook, left)
        let unread = left
        if left > 0 { left = try drop(statements.dropUnread, left) }
        return (unread - left, hooks - (try openHookCount()))
    }

    /// Drops up to so many; gives how many are still too many.
    private func drop(_ statement: Statement, _ excess: Int) throws(StoreError) -> Int {
        try statement.bind(1, Int64(excess))
        try statement.run()
        return excess - statement.changes
    }
}
