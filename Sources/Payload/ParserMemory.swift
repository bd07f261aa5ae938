import Bytes
import CBoard

/// The memory of jansson and expat: one block of `Limits.parserMemory`, empty between two documents. What would need
/// more is refused with `PayloadError.capacity`.
///
/// jansson's allocator is a setting of the process, and neither library hands its allocator a context. So the arena has
/// to be found from nowhere: this is the one place of the module with something that nobody owns. The gateway has one
/// thread; where there are more, as in tests, the lock is held from a document's first allocation to its last.
enum ParserMemory {
    static let arena = FixedArena(capacity: Limits.parserMemory)

    private nonisolated(unsafe) static let mutex = makeMutex()

    /// Evaluated once, before the first document: jansson allocates here, and its hash tables have a random seed, so
    /// that no sender can choose keys that meet in them.
    static let isInstalled: Bool = install()

    static func lock() { pthread_mutex_lock(mutex) }
    static func unlock() { pthread_mutex_unlock(mutex) }

    /// Whether no allocation can fail while jansson parses `count` bytes.
    ///
    /// On 64 bits the most for its size is an empty object in an array: `{},` takes 224 bytes for the object and up to
    /// 24 for its place in the array while that grows. Everything else takes less for each byte.
    static func hasRoom(forJSON count: Int) -> Bool {
        Limits.parserMemoryFactor * count + Limits.parserMemoryBase <= arena.usable - arena.used
    }

    /// For expat, which copies it into its parser.
    static var expatSuite: XML_Memory_Handling_Suite {
        XML_Memory_Handling_Suite(
            malloc_fcn: { ParserMemory.arena.allocate($0) },
            realloc_fcn: { ParserMemory.arena.reallocate($0, $1) },
            free_fcn: { ParserMemory.arena.deallocate($0) })
    }

    private static func install() -> Bool {
        json_set_alloc_funcs({ ParserMemory.arena.allocate($0) }, { ParserMemory.arena.deallocate($0) })
        json_object_seed(0)
        lock()
        defer { unlock() }
        return arena.used == 0
    }

    private static func makeMutex() -> UnsafeMutablePointer<pthread_mutex_t> {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        return mutex
    }
}

/// The memory of jansson and expat in this process, for the status.
public struct PayloadMemory: Equatable, Sendable {
    /// Bytes reserved, in use, and the most that ever were.
    public var reserved: Int
    public var used: Int
    public var peak: Int
    /// Requests that found no room.
    public var failures: Int
}
