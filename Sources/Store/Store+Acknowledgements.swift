import Bytes

/// An acknowledgement that the server may not have yet, lent to a callback (SGP v2 §5).
public struct AcknowledgementRow: ~Escapable {
    private let columns: Columns

    @_lifetime(borrow statement)
    init(_ statement: borrowing Statement) { columns = Columns(statement) }

    /// Grows with every acknowledgement.
    public var id: Int64 { columns.integer(0) }
    public var messageID: RawSpan { @_lifetime(copy self) get { columns.bytes(1) } }
    public var status: UInt8 { UInt8(truncatingIfNeeded: columns.integer(2)) }
}

extension Store {
    /// Within a transaction: an acknowledgement to be sent once it is committed. Gives its number.
    @discardableResult
    public func insertAcknowledgement(_ messageID: RawSpan, status: UInt8) throws(StoreError) -> Int64 {
        try change { () throws(StoreError) in
            try require(messageID, Limits.messageID...Limits.messageID, "message identifier")
            try statements.insertAcknowledgement.bind(1, blob: messageID)
            try statements.insertAcknowledgement.bind(2, Int64(status))
            try statements.insertAcknowledgement.run()
            pending.acknowledgements += 1
            return connection.lastRow
        }
    }

    /// Lends the acknowledgements with numbers above `after`, the oldest first, at most `limit`.
    public func acknowledgements(
        after: Int64, limit: Int = .max, _ body: (AcknowledgementRow) -> Bool
    ) throws(StoreError) {
        let statement = statements.acknowledgements
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, after)
        try statement.bind(2, Int64(limit))
        while try statement.step() {
            guard body(AcknowledgementRow(statement)) else { return }
        }
    }

    /// Deletes those with numbers up to `id`: the server has them. A transaction of its own, or a part of the open one.
    public func deleteAcknowledgements(through id: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.deleteAcknowledgements.bind(1, id)
            try statements.deleteAcknowledgements.run()
        }
    }

    /// How many there are with numbers above `after`.
    public func acknowledgementCount(after: Int64 = 0) throws(StoreError) -> Int {
        try statements.acknowledgementCount.bind(1, after)
        return Int(try statements.acknowledgementCount.integer() ?? 0)
    }

    /// Deletes what is beyond `Limits.pendingAcks`, the oldest first. Numbers have no gaps: a transaction that is
    /// rolled back gives its numbers back, and rows are deleted from the front only.
    func boundAcknowledgements() throws(StoreError) -> Int {
        let last = try statements.lastAcknowledgement.integer() ?? 0
        try statements.deleteAcknowledgements.bind(1, last - Int64(bounds.pendingAcks))
        try statements.deleteAcknowledgements.run()
        return statements.deleteAcknowledgements.changes
    }
}
