import Bytes
import CBoard

/// What committing a transaction dropped to stay within the bounds.
public struct Committed: Equatable, Sendable {
    /// Unread notifications that left a full inbox.
    public var droppedUnread = 0
    /// The oldest acknowledgements that waited.
    public var droppedAcknowledgements = 0
    /// Hooks that had still to run and left a full inbox with their notifications.
    public var droppedHooks = 0

    public init(droppedUnread: Int = 0, droppedAcknowledgements: Int = 0, droppedHooks: Int = 0) {
        self.droppedUnread = droppedUnread
        self.droppedAcknowledgements = droppedAcknowledgements
        self.droppedHooks = droppedHooks
    }
}

/// What is counted since the state directory was made.
public struct Counters: Equatable, Sendable {
    /// Distinct notifications shown.
    public var received: Int64 = 0
    public var duplicates: Int64 = 0
    public var expired: Int64 = 0
    /// Notifications that could not be decrypted or decoded.
    public var rejected: Int64 = 0
    public var droppedUnread: Int64 = 0
    public var droppedAcknowledgements: Int64 = 0

    public init(
        received: Int64 = 0, duplicates: Int64 = 0, expired: Int64 = 0, rejected: Int64 = 0, droppedUnread: Int64 = 0,
        droppedAcknowledgements: Int64 = 0
    ) {
        self.received = received
        self.duplicates = duplicates
        self.expired = expired
        self.rejected = rejected
        self.droppedUnread = droppedUnread
        self.droppedAcknowledgements = droppedAcknowledgements
    }
}

public enum Counter: Sendable {
    case received, duplicates, expired, rejected
}

extension Store {
    /// Kept in memory until the transaction is committed.
    struct Pending {
        var counters = Counters()
        var notifications = 0
        var acknowledgements = 0
        /// When an identifier was last remembered, Unix seconds.
        var seenAt: Int64?
    }

    /// A transaction is open.
    public var isInTransaction: Bool { connection.isInTransaction }

    /// Begins a transaction, which one burst shares. Waits for another process, at most so many milliseconds.
    public func begin(waiting milliseconds: Int64 = Limits.storeBusy) throws(StoreError) {
        guard !isInTransaction else { throw misuse("begin") }
        pending = Pending()
        connection.setPatience(milliseconds)
        defer { connection.setPatience(Limits.storeBusy) }
        try statements.begin.run()
    }

    /// Brings the tables within their bounds, adds what was counted and commits. Durable when it returns: synced.
    public func commit() throws(StoreError) -> Committed {
        let seenBefore = seenSincePruning
        do throws(StoreError) {
            guard isInTransaction else { throw misuse("commit") }
            var committed = Committed()
            if pending.notifications > 0 {
                let dropped = try boundInbox()
                committed.droppedUnread = dropped.unread
                committed.droppedHooks = dropped.hooks
            }
            if pending.acknowledgements > 0 { committed.droppedAcknowledgements = try boundAcknowledgements() }
            if let now = pending.seenAt, seenSincePruning >= bounds.pruning { try forget(now: now) }
            pending.counters.droppedUnread += Int64(committed.droppedUnread)
            pending.counters.droppedAcknowledgements += Int64(committed.droppedAcknowledgements)
            try addCounters()
            try statements.commit.run()
            return committed
        } catch {
            seenSincePruning = max(seenBefore, seenSincePruning)
            rollback()
            throw error
        }
    }

    /// Undoes everything since `begin`. Harmless where there is no transaction.
    public func rollback() {
        pending = Pending()
        // SQLite may have rolled back by itself already.
        if isInTransaction { try? statements.rollback.run() }
    }

    /// Adds to a counter when the transaction is committed.
    public func count(_ counter: Counter) {
        switch counter {
        case .received: pending.counters.received += 1
        case .duplicates: pending.counters.duplicates += 1
        case .expired: pending.counters.expired += 1
        case .rejected: pending.counters.rejected += 1
        }
    }

    public func counters() throws(StoreError) -> Counters {
        let statement = statements.counters
        defer { statement.reset() }
        guard try statement.step() else { return Counters() }
        let row = Columns(statement)
        return Counters(
            received: row.integer(0), duplicates: row.integer(1), expired: row.integer(2), rejected: row.integer(3),
            droppedUnread: row.integer(4), droppedAcknowledgements: row.integer(5))
    }

    /// Does several things as one: all are durable when it returns, or none happened. Within an open transaction it
    /// is a part of that one.
    public func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        if isInTransaction { return try change(body) }
        try begin()
        try change(body)
        _ = try commit()
    }

    /// A part of a transaction. An error undoes the whole transaction.
    func change<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard isInTransaction else { throw misuse("write outside a transaction") }
        do throws(StoreError) {
            return try body()
        } catch {
            rollback()
            throw error
        }
    }

    func misuse(_ call: String) -> StoreError { .misuse(.init(call: call, path: path)) }

    func require(_ bytes: RawSpan, _ lengths: ClosedRange<Int>, _ call: String) throws(StoreError) {
        guard lengths.contains(bytes.byteCount) else { throw misuse(call) }
    }

    private func addCounters() throws(StoreError) {
        guard pending.counters != Counters() else { return }
        let added = pending.counters
        let statement = statements.addCounters
        try statement.bind(1, added.received)
        try statement.bind(2, added.duplicates)
        try statement.bind(3, added.expired)
        try statement.bind(4, added.rejected)
        try statement.bind(5, added.droppedUnread)
        try statement.bind(6, added.droppedAcknowledgements)
        try statement.run()
    }
}
