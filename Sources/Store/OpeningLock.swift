import Bytes
import CBoard

/// Held while a database is opened, so that of several processes that find none one makes it and the others wait.
///
/// SQLite's own locks do not cover that: a file that is being switched to the write-ahead log refuses others at once, and
/// one that is half made looks like somebody else's. The lock is the kernel's, on the directory: nothing is left behind.
struct OpeningLock: ~Copyable {
    private let directory: Descriptor

    /// Waits at most `Limits.storeBusy`.
    /// - Throws: `busy`, `permission`, `io`.
    init(of path: String) throws(StoreError) {
        directory = try Self.acquire(path)
    }

    private static func acquire(_ path: String) throws(StoreError) -> Descriptor {
        let directory = try Descriptor(AtomicFile.parent(of: path), O_RDONLY | O_DIRECTORY)
        var waited: Int64 = 0
        while flock(directory.number, LOCK_EX | LOCK_NB) != 0 {
            let failure = StoreError.Failure(call: "flock", path: path, errno: cb_errno())
            switch failure.errno {
            case EINTR: continue
            case EWOULDBLOCK where waited < Limits.storeBusy:
                usleep(useconds_t(pause * 1000))
                waited += pause
            case EWOULDBLOCK: throw StoreError.busy(failure)
            default: throw StoreError.io(failure)
            }
        }
        return directory
    }

    /// The database is open. On the way out of an error the lock goes with its descriptor.
    consuming func release() {}

    /// Milliseconds between two tries.
    private static let pause: Int64 = 10
}
