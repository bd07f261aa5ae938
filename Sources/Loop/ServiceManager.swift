import Bytes
import CBoard

/// The word to systemd (sd_notify(3)): ready, status, stopping, and the watchdog, which only the loop feeds. Does nothing
/// where no service manager listens.
public struct ServiceManager: ~Copyable {
    private let socket: FileDescriptor
    private let address: sockaddr_un
    private let addressLength: UInt32
    private var message = ByteBuffer(capacity: 256)
    /// Milliseconds between two signs of life: half of what the manager waits. Nil without a watchdog.
    private let interval: Int64?
    private var nextSign: Int64

    /// Finds the manager by its environment variables NOTIFY_SOCKET and WATCHDOG_USEC.
    public init(now: Int64) {
        var address = sockaddr_un()
        var length = 0
        if let path = getenv("NOTIFY_SOCKET"), path.pointee != 0 {
            length = strlen(path)
            address.sun_family = sa_family_t(AF_UNIX)
            let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
                guard length < target.count else { return false }
                target.copyMemory(from: UnsafeRawBufferPointer(start: path, count: length))
                // An abstract name is written with @ and begins with a zero byte.
                if target[0] == UInt8(ascii: "@") { target[0] = 0 }
                return true
            }
            if !fits { length = 0 }
        }
        self.address = address
        addressLength = UInt32(MemoryLayout<sa_family_t>.size + length)
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        socket = FileDescriptor(raw: length > 0 ? CBoard.socket(AF_UNIX, type, 0) : -1)
        interval = length > 0 ? Self.watchdogInterval() : nil
        nextSign = now
    }

    private static func watchdogInterval() -> Int64? {
        guard let text = getenv("WATCHDOG_USEC"), let microseconds = Int64(String(cString: text)), microseconds > 0
        else {
            return nil
        }
        if let owner = getenv("WATCHDOG_PID"), Int32(String(cString: owner)) != getpid() { return nil }
        return max(microseconds / 2_000, 1)
    }

    /// When the next sign of life is due.
    public var deadline: Int64 { interval == nil ? .max : nextSign }

    /// Everything is reserved and open.
    public mutating func ready() { send("READY=1") }
    public mutating func stopping() { send("STOPPING=1") }

    /// One line for `systemctl status`.
    public mutating func status(_ text: String) { send("STATUS=", text) }

    /// The loop is alive. Sends it when it is due.
    public mutating func sign(now: Int64) {
        guard let interval, now >= nextSign else { return }
        nextSign = now + interval
        send("WATCHDOG=1")
    }

    private mutating func send(_ first: String, _ second: String = "") {
        guard socket.isOpen else { return }
        message.removeAll()
        message.append(first)
        message.append(second)
        // A manager that does not read is not waited for.
        _ = withUnsafeBytes(of: address) { raw in
            sendto(
                socket.raw, message.pointer.baseAddress, message.count, Int32(MSG_NOSIGNAL),
                raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), addressLength)
        }
    }
}
