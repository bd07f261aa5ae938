import Bytes

/// What the server said of the time. Its form is the owner's.
extension Store {
    /// Lends what is kept. False where nothing is.
    public func clock(_ body: (RawSpan) -> Void) throws(StoreError) -> Bool {
        let statement = statements.clock
        try statement.refuseReentry()
        defer { statement.reset() }
        guard try statement.step() else { return false }
        body(Columns(statement).bytes(0))
        return true
    }

    /// Keeps it in the place of what was known. A transaction of its own, or a part of the open one.
    public func setClock(_ bytes: RawSpan) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.setClock.bind(1, blob: bytes)
            try statements.setClock.run()
        }
    }
}
