import Bytes
import CBoard

/// The durable memory of one gateway: `skyglow.db` in its state directory.
///
/// SQLite in WAL mode, synced at every commit. Several processes may use one file: a command beside the daemon. One
/// thread uses one store. Statements are prepared when it is opened; from then on Swift code allocates nothing, and
/// SQLite takes its memory from one block of `Limits.storeMemory`.
///
/// Writes are transactions. An error in one rolls it back, and what follows until the next `begin` is refused, so that
/// nothing is ever half-written. Callbacks lend the bytes of a row until they return, must not call the method that
/// called them, and return false to end the listing.
public final class Store {
    let connection: Connection
    let statements: Statements
    let bounds: Bounds
    /// What the transaction at hand has to do before it is committed.
    var pending = Pending()
    /// Identifiers remembered since old ones were last forgotten.
    var seenSincePruning: Int
    private var lastDataVersion: Int64 = 0

    /// Bounds of the tables; tests use small ones.
    struct Bounds {
        var inboxRows = Limits.inboxRows
        var seenRows = Limits.seenRows
        var seenArrivals = Limits.seenArrivals
        var pendingAcks = Limits.pendingAcks
        var registrations = Limits.registrations
        /// Forgetting is tried after so many new identifiers, and forgets at most twice as many.
        var pruning = Limits.burst
    }

    /// Opens the database, makes it where there is none, and brings an older one up to date.
    ///
    /// Files are made with mode 0600, and an existing database is given it, since the end-to-end keys are in it.
    /// - Throws: `cannotCreate`, `permission`, `full`, `io`, `corrupt`, `newer`, `busy`, `memory`. Whatever was there is
    ///   left as it was.
    public static func open(directory: String) throws(StoreError) -> Store {
        try Store(directory: directory, bounds: Bounds(), steps: Schema.steps)
    }

    /// The same with one of SQLite's own ways to the disk, which is registered under this name: for a simulated disk.
    package static func open(directory: String, vfs: String) throws(StoreError) -> Store {
        try Store(directory: directory, bounds: Bounds(), steps: Schema.steps, vfs: vfs)
    }

    init(directory: String, bounds: Bounds, steps: [String], vfs: String? = nil) throws(StoreError) {
        let path = Self.path(of: "skyglow.db", in: directory)
        try Self.prepareFile(path)
        let opening = try OpeningLock(of: path)
        connection = try Connection(path: path, vfs: vfs)
        _ = try connection.schemaVersion(known: steps.count)
        try Self.configure(connection)
        try connection.settle()
        try connection.migrate(steps)
        statements = try Statements(connection)
        connection.accept()
        self.bounds = bounds
        seenSincePruning = bounds.pruning
        lastDataVersion = try statements.dataVersion.integer() ?? 0
        opening.release()
    }

    /// The path of the database.
    public var path: String { connection.path }

    static func path(of name: String, in directory: String) -> String {
        directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
    }

    /// Makes an empty file with the right mode, or checks the one that is there.
    private static func prepareFile(_ path: String) throws(StoreError) {
        let made = cb_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        if made >= 0 {
            close(made)
            return try AtomicFile.syncDirectory(of: path)
        }
        let errno = cb_errno()
        guard errno == EEXIST else {
            if errno == ENOENT { throw StoreError.cannotCreate(.init(call: "create", path: path, errno: errno)) }
            throw StoreError(call: "create", path: path, errno: errno)
        }
        // An existing file is not opened here: closing it would drop the locks that another connection of this process
        // has on it (POSIX advisory locks belong to the process).
        var status = stat()
        guard stat(path, &status) == 0 else { throw StoreError(call: "stat", path: path, errno: cb_errno()) }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
            throw StoreError.cannotCreate(.init(call: "open", path: path, errno: EISDIR))
        }
        guard access(path, R_OK | W_OK) == 0 else {
            throw StoreError(call: "access", path: path, errno: cb_errno())
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o600) != 0 {
            throw StoreError(call: "chmod", path: path, errno: cb_errno())
        }
    }

    private static func configure(_ connection: borrowing Connection) throws(StoreError) {
        guard try connection.says("PRAGMA journal_mode = WAL", "wal") else {
            throw StoreError.io(.init(call: "journal_mode", path: connection.path))
        }
        let logBytes = Limits.storeLogPages * 4096
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = \(Limits.storeCachePages);
            PRAGMA wal_autocheckpoint = \(Limits.storeLogPages);
            PRAGMA journal_size_limit = \(logBytes);
            """, as: "configure")
    }

    // MARK: Other processes

    /// Whether another process has changed anything since the last call, or since this store was opened. Costs no
    /// access to the disk. What changed is told by `unreadCount` and `registrationsGeneration`.
    public func changedElsewhere() throws(StoreError) -> Bool {
        let version = try statements.dataVersion.integer() ?? 0
        defer { lastDataVersion = version }
        return version != lastDataVersion
    }

    // MARK: Care

    /// For a quiet moment, every hour or so: forgets old identifiers and moves the log into the database.
    /// - Parameter now: Unix seconds.
    public func maintain(now: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in try forget(now: now) }
        connection.checkpoint(emptying: false)
    }

    /// Reads the whole database and checks its structure.
    /// - Throws: `corrupt`.
    public func verify() throws(StoreError) {
        guard try connection.says("PRAGMA quick_check(1)", "ok") else {
            throw StoreError.corrupt(.init(call: "quick_check", path: path))
        }
    }

    /// The memory of SQLite in this process.
    public static var memory: StoreMemory {
        let arena = SQLiteMemory.arena
        return StoreMemory(reserved: arena.capacity, used: arena.used, peak: arena.peak, failures: arena.failures)
    }
}
