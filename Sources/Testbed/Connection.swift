import CBoard

/// One client connection: its socket, its TLS and what waits to be written. Used by the server's thread, or by others
/// under the server's lock.
final class Connection {
    enum Stage {
        /// Accepted and deliberately left alone.
        case untouched
        case handshake
        case open
        /// close_notify and FIN are out; what still comes in is thrown away.
        case draining
        case ended
    }

    /// Where the client stands, SGP v2 §3.
    enum Phase {
        case start, awaitingUpgrade, hello, challenged, answered, authenticated
    }

    enum Pending {
        case login(address: [UInt8], timestamp: Int64)
        case registration(publicKey: [UInt8], timestamp: Int64)
    }

    /// One item of the outbox; bytes are one SSL_write.
    struct Output {
        enum Item {
            case bytes([UInt8])
            case close
            case drop
        }
        var item: Item
        /// Not before this time, in milliseconds of CLOCK_BOOTTIME.
        var time: Int64
        /// Frames that are complete once these bytes are written.
        var notes: [[(name: String, value: Event.Value)]] = []
    }

    let number: Int
    let fd: Int32
    var tls: OpaquePointer?
    var stage = Stage.handshake
    var phase = Phase.start
    /// Monotonic milliseconds at which a draining connection is closed for good.
    var drainDeadline: Int64 = 0
    var lastFrame: Int64 = 0

    var outbox: [Output] = []
    var outboxStart = 0
    var wantsWrite = false
    /// What was written since a burst began; nil outside of one.
    var burst: (bytes: [UInt8], notes: [[(name: String, value: Event.Value)]])?

    var inbox: [UInt8] = []
    var stalled = false
    /// Data may wait inside OpenSSL, where poll does not see it.
    var readAgain = false
    var silenced = false

    var device: Device?
    var nonce: [UInt8] = []
    var pending: Pending?
    var registered = false
    var swallowNext = false
    var filterEntries: [Registration] = []
    var filterChunks = 0
    var filterSize = 0
    var filtersSeen = 0
    /// Routing keys that this connection has sent, for the reference server's trap.
    var keysSent: Set<[UInt8]> = []

    init(number: Int, fd: Int32) {
        self.number = number
        self.fd = fd
    }

    var hasOutput: Bool { outboxStart < outbox.count }
    var isUsable: Bool { stage == .open }

    /// The first output, if its time has come.
    func nextOutput(now: Int64) -> Output? {
        guard hasOutput, outbox[outboxStart].time <= now else { return nil }
        return outbox[outboxStart]
    }

    func dropFirstOutput() {
        outboxStart += 1
        if outboxStart == outbox.count {
            outbox.removeAll(keepingCapacity: true)
            outboxStart = 0
        } else if outboxStart > 1024, outboxStart * 2 > outbox.count {
            outbox.removeFirst(outboxStart)
            outboxStart = 0
        }
    }

    func freeTLS() {
        if let tls { SSL_free(tls) }
        tls = nil
    }
}

/// Milliseconds of CLOCK_BOOTTIME.
func monotonic() -> Int64 { cb_boottime_ns() / 1_000_000 }
