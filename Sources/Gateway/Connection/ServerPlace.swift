import Bytes
import Loop

/// Where a server is: what its DNS record says, and the addresses of the host that it names (SGP v2 §1).
struct ServerPlace {
    /// Empty where nothing is known.
    var host = Blob<253>()
    var port: UInt16 = 0
    var addresses = AddressList()
    /// When DNS last said so (CLOCK_BOOTTIME); nil for longer ago than anybody knows.
    var resolvedAt: Int64?
    /// It has been looked for in the store.
    var isLoaded = false
    /// An IP literal of the configuration: nothing to resolve.
    var isFixed = false

    var isEmpty: Bool { addresses.isEmpty }

    /// DNS should be asked again.
    func isStale(now: Int64) -> Bool {
        guard let resolvedAt else { return true }
        return now - resolvedAt >= Limits.namesSeconds * 1_000
    }

    /// The same host, port and addresses.
    func isSame(as other: ServerPlace) -> Bool {
        host == other.host && port == other.port && addresses.isSame(as: other.addresses)
    }
}

/// What the resolver is asked for.
enum Question {
    case none
    /// The attempt at hand cannot go on without it.
    case attempt
    /// Behind a connection or between two attempts: nobody waits for it.
    case refresh
}
