import Bytes
import CBoard

/// The memory of SQLite: one block of `Limits.storeMemory`, so that the store can neither grow without bound nor take
/// memory from anything else. When it is used up, the call at hand fails with `StoreError.memory`.
///
/// SQLite's allocator is a setting of the process, and its functions are called without a context. So the arena has to
/// be found from nowhere: `arena` is the one constant of this module that is not owned by anybody.
/// SQLite calls these functions under a mutex of its own as long as its memory statistics are on.
package enum SQLiteMemory {
    static let arena = FixedArena(capacity: Limits.storeMemory)

    /// SQLite's result code for installing the arena. Evaluated once, before the first connection.
    package static let installed: Int32 = install()

    private static func install() -> Int32 {
        var functions = sqlite3_mem_methods(
            xMalloc: { SQLiteMemory.arena.allocate(Int($0)) },
            xFree: { SQLiteMemory.arena.deallocate($0) },
            xRealloc: { SQLiteMemory.arena.reallocate($0, Int($1)) },
            xSize: { pointer in
                guard let pointer else { return 0 }
                return Int32(SQLiteMemory.arena.size(of: pointer))
            },
            xRoundup: { Int32(clamping: FixedArena.rounded(Int($0))) },
            xInit: { _ in SQLITE_OK },
            xShutdown: { _ in },
            pAppData: nil)
        let code = cb_sqlite3_config(&functions)
        guard code == SQLITE_OK else { return code }
        // Beyond this the page cache reuses pages instead of asking for more.
        sqlite3_soft_heap_limit64(Int64(Limits.storeMemory / 4 * 3))
        return sqlite3_initialize()
    }
}

/// The memory of SQLite in this process, for the status.
public struct StoreMemory: Equatable, Sendable {
    /// Bytes reserved, in use, and the most that ever were.
    public var reserved: Int
    public var used: Int
    public var peak: Int
    /// Requests that found no room.
    public var failures: Int
}
