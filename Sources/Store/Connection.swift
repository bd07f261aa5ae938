import Bytes
import CBoard

/// One connection to the database file. Owns it and every statement prepared on it.
struct Connection: ~Copyable {
    private let handle: OpaquePointer
    let path: String

    /// Opens a file that exists. What is in it is not looked at yet, and never changed by closing it again until
    /// `accept` is called. `vfs` names a way to the disk, nil for the usual one.
    init(path: String, vfs: String? = nil) throws(StoreError) {
        handle = try Self.open(path, vfs)
        self.path = path
    }

    private static func open(_ path: String, _ vfs: String?) throws(StoreError) -> OpaquePointer {
        guard SQLiteMemory.installed == SQLITE_OK else {
            throw StoreError(call: "sqlite3_config", path: path, code: SQLiteMemory.installed, errno: 0)
        }
        var handle: OpaquePointer?
        // No mutex: one thread uses a store.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, vfs)
        guard code == SQLITE_OK, let handle else {
            let errno = sqlite3_system_errno(handle)
            sqlite3_close(handle)
            throw StoreError(call: "open", path: path, code: code, errno: errno)
        }
        guard sqlite3_db_readonly(handle, "main") == 0 else {
            sqlite3_close(handle)
            throw StoreError.permission(.init(call: "open for writing", path: path, errno: EACCES))
        }
        sqlite3_busy_timeout(handle, Int32(Limits.storeBusy))
        _ = cb_sqlite3_checkpoint_on_close(handle, 0)
        return handle
    }

    deinit {
        while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    /// The file is ours: from now on closing it moves its log into the database.
    func accept() { _ = cb_sqlite3_checkpoint_on_close(handle, 1) }

    /// How long another process is waited for, in milliseconds.
    func setPatience(_ milliseconds: Int64) { sqlite3_busy_timeout(handle, Int32(clamping: milliseconds)) }

    /// A statement that is kept as long as the connection.
    func prepare(_ sql: String) throws(StoreError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error("prepare", code) }
        return Statement(handle: statement, path: path)
    }

    /// Executes statements whose rows do not matter. For opening and migrating.
    func execute(_ sql: String, as call: String) throws(StoreError) {
        cb_set_errno(0)
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(call, code) }
    }

    /// The integer that a statement without parameters gives. For opening.
    func integer(_ sql: String) throws(StoreError) -> Int64 {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement.handle) }
        return try statement.integer() ?? 0
    }

    /// Whether the text that a statement without parameters gives is this one. For opening.
    func says(_ sql: String, _ expected: String) throws(StoreError) -> Bool {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement.handle) }
        guard try statement.step() else { return false }
        let columns = Columns(statement)
        return columns.bytes(0).equals(expected)
    }

    /// A transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Moves what is in the log into the database as far as no reader needs it; `emptying` also cuts the file to
    /// nothing. Says whether all was moved.
    @discardableResult
    func checkpoint(emptying: Bool) -> Bool {
        let mode = emptying ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        return sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil) == SQLITE_OK
    }

    /// After a start: what is in the log is moved into the database, so that nothing new depends on it. A sync that once
    /// failed may have left something in the log that is there to be read and will not outlive a power cut, and all that
    /// follows it would be lost with it. Another process in the way, or a full disk, is no reason not to start.
    func settle() throws(StoreError) {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        if code & 0xFF == SQLITE_IOERR { throw error("checkpoint", code) }
    }

    func error(_ call: String, _ code: Int32) -> StoreError {
        StoreError(call: call, path: path, code: code, errno: systemError(handle, code))
    }
}
