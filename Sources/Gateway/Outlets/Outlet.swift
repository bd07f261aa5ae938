import Bytes
import CBoard
import Loop

/// One `fifo:` or `socket:` to which notifications are written, a line of JSON each, as far as somebody reads.
///
/// Lines wait in a buffer of fixed size. When it is full, a reader that is slow misses the newest line; while nobody
/// reads at all the oldest go, so that whoever comes finds the latest. A line that was cut by the end of its reader is
/// written again from its beginning to the next one.
final class Outlet {
    let address: OutletAddress
    private let text: String
    private let socketAddress: sockaddr_un?
    private let log: Log
    private var lines = ByteBuffer(capacity: Limits.outletBuffer)
    /// Bytes of the first line that the reader has.
    private var written = 0
    private var descriptor = FileDescriptor()
    private var nextTry = Int64.max
    private var delay = Outlet.shortest
    /// Why it is closed, to be logged once.
    private var lastError: Int32 = 0
    private var dropped: Int64 = 0
    private var reason = ByteBuffer(capacity: 128)

    private static let shortest: Int64 = 1_000
    private static let longest: Int64 = 30_000

    init(_ address: OutletAddress, log: Log) {
        self.address = address
        self.log = log
        text = address.text
        socketAddress = address.kind == .socket ? UnixSocket.address(address.path) : nil
    }

    /// Takes a line with its newline.
    func append(_ line: UnsafeRawBufferPointer, now: Int64) {
        if line.count > lines.free, !descriptor.isOpen { dropOldest(for: line.count) }
        if line.count > lines.free { drop(1) } else { lines.append(line) }
        if !descriptor.isOpen { nextTry = now }
    }

    /// Writes what the reader takes.
    func advance(now: Int64) {
        guard !lines.isEmpty else { return }
        if !descriptor.isOpen {
            guard now >= nextTry else { return }
            open(now: now)
        }
        while descriptor.isOpen, !lines.isEmpty { guard write(now: now) else { return } }
    }

    /// When it is to be opened again.
    var deadline: Int64 { descriptor.isOpen || lines.isEmpty ? .max : nextTry }

    func register(in set: inout PollSet) { set.add(descriptor.raw, events: lines.isEmpty ? 0 : POLLOUT) }

    // MARK: Writing

    /// False when the reader takes no more now.
    private func write(now: Int64) -> Bool {
        let rest = UnsafeRawBufferPointer(rebasing: lines.pointer[written...])
        let count =
            address.kind == .socket
            ? CBoard.send(descriptor.raw, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            : CBoard.write(descriptor.raw, rest.baseAddress, rest.count)
        if count < 0, cb_errno() == EAGAIN { return false }
        if count < 0, cb_errno() == EINTR { return true }
        guard count > 0 else {
            fail(cb_errno(), now: now)
            return false
        }
        written += count
        forgetWritten()
        return true
    }

    /// Drops the lines that the reader has whole.
    private func forgetWritten() {
        var end = written
        while end > 0, lines.pointer[end - 1] != UInt8(ascii: "\n") { end -= 1 }
        lines.removeFirst(end)
        written -= end
    }

    // MARK: Opening and closing

    private func open(now: Int64) {
        let error = address.kind == .fifo ? openPipe() : connect()
        guard error == 0 else { return fail(error, now: now) }
        log.info(.route, "\(text): open")
        lastError = 0
        delay = Self.shortest
        if dropped > 0 { log.warning(.route, "\(text): \(dropped) lines were dropped before") }
        dropped = 0
    }

    /// Gives the error, or 0. Nothing but a pipe is written to.
    private func openPipe() -> Int32 {
        let raw = address.path.withCString { cb_open($0, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0) }
        guard raw >= 0 else { return cb_errno() }
        var status = stat()
        guard fstat(raw, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFIFO) else {
            close(raw)
            return ENOSTR
        }
        descriptor = FileDescriptor(raw: raw)
        return 0
    }

    private func connect() -> Int32 {
        guard let socketAddress else { return ENAMETOOLONG }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = CBoard.socket(AF_UNIX, type, 0)
        guard raw >= 0 else { return cb_errno() }
        guard UnixSocket.connect(raw, socketAddress) == 0 else {
            let error = cb_errno()
            close(raw)
            return error
        }
        descriptor = FileDescriptor(raw: raw)
        return 0
    }

    private func fail(_ error: Int32, now: Int64) {
        descriptor.close()
        written = 0
        nextTry = now + delay
        delay = min(2 * delay, Self.longest)
        guard error != lastError else { return }
        lastError = error
        reason.removeAll()
        switch error {
        case ENXIO, EPIPE: reason.append("nobody reads it")
        case ENOSTR: reason.append("it is no pipe")
        default: reason.append(errno: error)
        }
        log.notice(.route, "\(text): \(printable: reason.pointer)")
    }

    // MARK: Dropping

    /// Makes room, a line at a time.
    private func dropOldest(for needed: Int) {
        guard needed <= lines.capacity else { return }
        var count: Int64 = 0
        while lines.free < needed, let end = lines.pointer.firstIndex(of: UInt8(ascii: "\n")) {
            lines.removeFirst(end + 1)
            count += 1
        }
        drop(count)
    }

    private func drop(_ count: Int64) {
        guard count > 0 else { return }
        dropped += count
        log.warning(.route, "\(text): nobody reads fast enough: \(dropped) lines dropped")
    }
}
