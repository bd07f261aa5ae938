import Bytes
import CBoard

/// The Unix socket on which `skyglowd status` and its like ask the running gateway: one line in, an answer out, closed.
public final class ControlSocket {
    private struct Client: ~Copyable {
        var descriptor = FileDescriptor()
        var request = ByteBuffer(capacity: Limits.controlRequest)
        var answer = ByteBuffer(capacity: Limits.controlAnswer)
        var sent = 0
        var isAnswering = false
        var since: Int64 = 0
    }

    private let path: String
    private var listener = FileDescriptor()
    private let clients: UnsafeMutablePointer<Client>
    /// When clients are taken again after one could not be; nil while they are.
    private var acceptDue: Int64?
    /// A client that neither asks nor reads is dropped after this time.
    private static let patience: Int64 = 5_000

    /// Binds the socket, replacing what a dead process left. The caller holds the lock that makes it the only one.
    public init(path: String) throws(SystemError) {
        self.path = path
        clients = .allocate(capacity: Limits.controlClients)
        for index in 0..<Limits.controlClients { (clients + index).initialize(to: Client()) }
        let raw = CBoard.socket(AF_UNIX, UnixSocket.type | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard raw >= 0 else { throw SystemError("socket") }
        listener = FileDescriptor(raw: raw)
        guard let address = UnixSocket.address(path) else { throw SystemError("bind", code: ENAMETOOLONG) }
        unlink(path)
        guard UnixSocket.withPointer(address, { CBoard.bind(raw, $0, $1) }) == 0 else { throw SystemError("bind") }
        guard chmod(path, 0o660) == 0 else { throw SystemError("chmod") }
        guard CBoard.listen(raw, Int32(Limits.controlClients)) == 0 else { throw SystemError("listen") }
    }

    deinit {
        (clients).deinitialize(count: Limits.controlClients)
        clients.deallocate()
    }

    /// Removes the socket's file; at a clean stop.
    public func remove() { unlink(path) }

    /// Adds the listener and the clients to a poll set.
    public func register(in set: inout PollSet) {
        set.add(listener.raw, events: hasRoom && acceptDue == nil ? POLLIN : 0)
        for index in 0..<Limits.controlClients {
            set.add(clients[index].descriptor.raw, events: clients[index].isAnswering ? POLLOUT : POLLIN)
        }
    }

    private var hasRoom: Bool {
        for index in 0..<Limits.controlClients where !clients[index].descriptor.isOpen { return true }
        return false
    }

    /// When the next silent client is dropped, or clients are taken again.
    public var deadline: Int64 {
        var earliest = acceptDue ?? .max
        for index in 0..<Limits.controlClients where clients[index].descriptor.isOpen {
            earliest = min(earliest, clients[index].since + Self.patience)
        }
        return earliest
    }

    /// Accepts, reads and writes what can be without waiting. `answer` gets each whole request line and writes the
    /// answer.
    public func advance(now: Int64, answer: (RawSpan, inout ByteBuffer) -> Void) {
        accept(now: now)
        for index in 0..<Limits.controlClients where clients[index].descriptor.isOpen {
            if now >= clients[index].since + Self.patience { drop(index) }
            if clients[index].descriptor.isOpen, !clients[index].isAnswering { receive(index, answer) }
            if clients[index].isAnswering { send(index) }
        }
    }

    private func accept(now: Int64) {
        if let due = acceptDue, now < due { return }
        acceptDue = nil
        for index in 0..<Limits.controlClients where !clients[index].descriptor.isOpen {
            let raw = cb_accept(listener.raw)
            guard raw >= 0 else {
                // Without a free descriptor the client stays in the queue, and poll would report it again at once.
                if cb_errno() != EAGAIN { acceptDue = now + Limits.acceptPause }
                return
            }
            clients[index].descriptor = FileDescriptor(raw: raw)
            clients[index].request.removeAll()
            clients[index].answer.removeAll()
            clients[index].sent = 0
            clients[index].isAnswering = false
            clients[index].since = now
        }
    }

    private func receive(_ index: Int, _ answer: (RawSpan, inout ByteBuffer) -> Void) {
        let tail = clients[index].request.tail
        let count = CBoard.read(clients[index].descriptor.raw, tail.baseAddress, tail.count)
        guard count > 0 else {
            if count == 0 || (cb_errno() != EAGAIN && cb_errno() != EINTR) { drop(index) }
            return
        }
        clients[index].request.commit(count)
        guard let end = endOfLine(index) else {
            if clients[index].request.free == 0 { drop(index) }
            return
        }
        let request = UnsafeRawBufferPointer(rebasing: clients[index].request.pointer[0..<end])
        answer(request.bytes, &clients[index].answer)
        clients[index].isAnswering = true
    }

    private func endOfLine(_ index: Int) -> Int? {
        let bytes = clients[index].request.pointer
        for offset in 0..<bytes.count where bytes[offset] == UInt8(ascii: "\n") { return offset }
        return nil
    }

    private func send(_ index: Int) {
        let bytes = clients[index].answer.pointer
        let left = bytes.count - clients[index].sent
        if left > 0 {
            let from = bytes.baseAddress.map { $0 + clients[index].sent }
            let count = CBoard.send(clients[index].descriptor.raw, from, left, Int32(MSG_NOSIGNAL))
            guard count > 0 else {
                if count < 0, cb_errno() != EAGAIN { drop(index) }
                return
            }
            clients[index].sent += count
        }
        if clients[index].sent == bytes.count { drop(index) }
    }

    private func drop(_ index: Int) {
        clients[index].descriptor.close()
        clients[index].isAnswering = false
    }
}

/// Addresses of Unix sockets, and the asking side of the control socket.
public enum UnixSocket {
    static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    /// Nil for a path that is too long.
    public static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
            guard path.utf8.count < target.count else { return false }
            target.copyBytes(from: path.utf8)
            return true
        }
        return fits ? address : nil
    }

    static func withPointer<R>(_ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, UInt32) -> R) -> R {
        withUnsafeBytes(of: address) { raw in
            body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), UInt32(MemoryLayout<sockaddr_un>.size))
        }
    }

    /// connect(2) with such an address.
    public static func connect(_ raw: Int32, _ address: sockaddr_un) -> Int32 {
        withPointer(address) { CBoard.connect(raw, $0, $1) }
    }

    /// Asks the gateway one thing and returns its whole answer. Waits at most `milliseconds` for each step.
    public static func ask(path: String, request: String, milliseconds: Int32) throws(SystemError) -> [UInt8] {
        guard let address = address(path) else { throw SystemError("connect", code: ENAMETOOLONG) }
        let descriptor = FileDescriptor(raw: CBoard.socket(AF_UNIX, type, 0))
        guard descriptor.isOpen else { throw SystemError("socket") }
        // A gateway that hangs has a full queue, and connecting to it would wait for ever.
        cb_set_socket_timeout(descriptor.raw, milliseconds)
        guard withPointer(address, { CBoard.connect(descriptor.raw, $0, $1) }) == 0 else {
            throw SystemError("connect", code: cb_errno() == EAGAIN ? ETIMEDOUT : cb_errno())
        }
        let line = Array((request + "\n").utf8)
        guard CBoard.send(descriptor.raw, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else {
            throw SystemError("send", code: cb_errno() == EAGAIN ? ETIMEDOUT : cb_errno())
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var one = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
            guard poll(&one, 1, milliseconds) > 0 else { throw SystemError("poll", code: ETIMEDOUT) }
            let count = CBoard.read(descriptor.raw, &chunk, chunk.count)
            guard count >= 0 else { throw SystemError("read") }
            if count == 0 { return answer }
            answer.append(contentsOf: chunk[0..<count])
        }
    }
}
