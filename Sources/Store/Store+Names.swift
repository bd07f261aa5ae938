import Bytes

/// Where a server was found last (SGP v2 §1). Bytes are lent until the callback returns.
public struct NamesRow: ~Escapable {
    private let columns: Columns

    @_lifetime(copy columns)
    init(_ columns: Columns) { self.columns = columns }

    /// `tcp_addr`, an IP literal or a host name.
    public var host: RawSpan {
        @_lifetime(copy self)
        get { columns.bytes(0) }
    }
    public var port: Int64 { columns.integer(1) }
    /// 4 or 16 bytes each, behind one byte that says how many.
    public var addresses: RawSpan {
        @_lifetime(copy self)
        get { columns.bytes(2) }
    }
    /// SHA-256 of the certificate that was pinned then.
    public var pin: RawSpan {
        @_lifetime(copy self)
        get { columns.bytes(3) }
    }
    /// Unix seconds, by the board's own clock.
    public var fetched: Int64 { columns.integer(4) }
}

extension Store {
    /// Lends what is kept under a name. False where there is nothing.
    public func names(_ name: RawSpan, _ body: (NamesRow) -> Void) throws(StoreError) -> Bool {
        let statement = statements.names
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, text: name)
        guard try statement.step() else { return false }
        body(NamesRow(Columns(statement)))
        return true
    }

    /// Keeps where a server was found, in the place of what was known. A transaction of its own.
    public func setNames(
        _ name: RawSpan, host: RawSpan, port: UInt16, addresses: RawSpan, pin: RawSpan, at time: Int64
    ) throws(StoreError) {
        try require(name, 1...Limits.hostName, "name")
        try require(host, 1...Limits.hostName, "host")
        try transaction { () throws(StoreError) in
            let statement = statements.setNames
            try statement.bind(1, text: name)
            try statement.bind(2, text: host)
            try statement.bind(3, Int64(port))
            try statement.bind(4, blob: addresses)
            try statement.bind(5, blob: pin)
            try statement.bind(6, time)
            try statement.run()
        }
    }

    /// Forgets where a server was found, or where all were. Writes nothing where nothing is kept.
    public func removeNames(_ name: RawSpan?) throws(StoreError) {
        let count = statements.countNames
        defer { count.reset() }
        try count.bind(1, text: name)
        guard try count.step(), Columns(count).integer(0) > 0 else { return }
        count.reset()
        try transaction { () throws(StoreError) in
            try statements.removeNames.bind(1, text: name)
            try statements.removeNames.run()
        }
    }
}
