import Bytes
import CBoard

/// A prepared statement. Copies are the same statement; its connection finalises it.
///
/// What is bound is not copied by SQLite (SQLITE_STATIC): the bytes are borrowed until `run` or `reset`, which the
/// store calls before it returns to its caller.
struct Statement {
    let handle: OpaquePointer
    let path: String

    func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: Int32, _ value: Int64?) throws(StoreError) {
        if let value {
            try check(sqlite3_bind_int64(handle, index, value))
        } else {
            try check(sqlite3_bind_null(handle, index))
        }
    }

    func bind(_ index: Int32, _ value: Bool) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, index, value ? 1 : 0))
    }

    func bind(_ index: Int32, blob: RawSpan) throws(StoreError) {
        let count = Int32(clamping: blob.byteCount)
        // A null address would bind NULL: no bytes are lent from any address that is not null.
        let code = blob.withUnsafeBytes {
            sqlite3_bind_blob(handle, index, $0.baseAddress ?? UnsafeRawPointer(handle), count, nil)
        }
        try check(code)
    }

    /// Well-formed UTF-8, or NULL.
    func bind(_ index: Int32, text: RawSpan?) throws(StoreError) {
        guard let text else { return try check(sqlite3_bind_null(handle, index)) }
        let count = Int32(clamping: text.byteCount)
        let code = text.withUnsafeBytes {
            let address = $0.baseAddress ?? UnsafeRawPointer(handle)
            return sqlite3_bind_text(handle, index, address.assumingMemoryBound(to: CChar.self), count, nil)
        }
        try check(code)
    }

    /// A text that SQLite copies (SQLITE_TRANSIENT), since a short String has no address that stays.
    func bind(_ index: Int32, copying text: String) throws(StoreError) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        try check(sqlite3_bind_text(handle, index, text, -1, transient))
    }

    /// Whether there is a row. After an error the statement is reset.
    func step() throws(StoreError) -> Bool {
        cb_set_errno(0)
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let error = error("execute", code)
        reset()
        throw error
    }

    /// Executes a statement that returns no rows that matter, and resets it.
    func run() throws(StoreError) {
        _ = try step()
        reset()
    }

    /// The first column of the first row, or nil where there is no row or it is NULL.
    func integer() throws(StoreError) -> Int64? {
        defer { reset() }
        guard try step(), sqlite3_column_type(handle, 0) != SQLITE_NULL else { return nil }
        return sqlite3_column_int64(handle, 0)
    }

    /// Ends the execution and forgets what was bound.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// A callback of this very statement is running.
    func refuseReentry() throws(StoreError) {
        guard sqlite3_stmt_busy(handle) == 0 else { throw error("callback", SQLITE_MISUSE) }
    }

    /// Rows that the last execution changed.
    var changes: Int { Int(sqlite3_changes64(sqlite3_db_handle(handle))) }

    private func check(_ code: Int32) throws(StoreError) {
        guard code != SQLITE_OK else { return }
        let error = error("bind", code)
        reset()
        throw error
    }

    private func error(_ call: String, _ code: Int32) -> StoreError {
        StoreError(call: call, path: path, code: code, errno: systemError(sqlite3_db_handle(handle), code))
    }
}

/// Columns of the row at which a statement stands. Bytes are valid until the callback returns.
///
/// Copyable, and so are the rows made of it: the compiler puts a local that cannot be copied, and that lends bytes, into
/// a box on the heap.
struct Columns: ~Escapable {
    private let handle: OpaquePointer

    @_lifetime(borrow statement)
    init(_ statement: borrowing Statement) { handle = statement.handle }

    func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    func optionalInteger(_ index: Int32) -> Int64? {
        sqlite3_column_type(handle, index) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, index)
    }

    /// The bytes of a text or blob, empty for NULL.
    @_lifetime(copy self)
    func bytes(_ index: Int32) -> RawSpan {
        // sqlite3_column_blob gives the bytes of a text as they are; unlike sqlite3_column_text it adds no terminator
        // and so needs no memory.
        let address = sqlite3_column_blob(handle, index)
        let count = address == nil ? 0 : Int(sqlite3_column_bytes(handle, index))
        let bytes = UnsafeRawBufferPointer(start: address, count: count).bytes
        return _overrideLifetime(bytes, copying: self)
    }

    @_lifetime(copy self)
    func optionalBytes(_ index: Int32) -> RawSpan? {
        if sqlite3_column_type(handle, index) == SQLITE_NULL { return nil }
        return bytes(index)
    }
}

/// The `errno` behind a result code, or 0. SQLite keeps it for some failures and not for those of a commit.
func systemError(_ database: OpaquePointer?, _ code: Int32) -> Int32 {
    let kept = sqlite3_system_errno(database)
    return kept == 0 && code & 0xFF == SQLITE_IOERR ? cb_errno() : kept
}
