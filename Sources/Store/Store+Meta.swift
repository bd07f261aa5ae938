import Bytes

extension Store {
    /// A small integer kept under a name, or nil.
    public func metaInteger(_ key: String) throws(StoreError) -> Int64? {
        try statements.metaValue.bind(1, copying: key)
        return try statements.metaValue.integer()
    }

    /// Keeps a small integer under a name. A transaction of its own, or a part of the open one.
    public func setMeta(_ key: String, _ value: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.setMeta.bind(1, copying: key)
            try statements.setMeta.bind(2, value)
            try statements.setMeta.run()
        }
    }

    /// Lends bytes kept under a name. False where there are none.
    public func meta(_ key: String, _ body: (RawSpan) -> Void) throws(StoreError) -> Bool {
        let statement = statements.metaValue
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, copying: key)
        guard try statement.step() else { return false }
        let row = Columns(statement)
        body(row.bytes(0))
        return true
    }

    /// Keeps bytes under a name.
    public func setMeta(_ key: String, bytes: RawSpan) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.setMeta.bind(1, copying: key)
            try statements.setMeta.bind(2, blob: bytes)
            try statements.setMeta.run()
        }
    }
}
