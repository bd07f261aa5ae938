import Bytes
import CBoard

/// A small HTTP/1.1 server within the loop: bounded connections, each with its own buffers, and a deadline for every
/// step. Answers that promise something are held until the caller says that it is durable, so that one transaction
/// covers what many clients sent at once.
public final class HTTPListener {
    private enum Stage {
        /// A request is awaited or arrives.
        case reading
        /// The answer waits for `release`.
        case held
        case writing
        /// Refused: what still comes is thrown away, lest the answer be lost in a reset.
        case draining
    }

    private struct Client: ~Copyable {
        var descriptor = FileDescriptor()
        var input = ByteBuffer(capacity: Limits.requestHead + Limits.requestBody)
        var output = ByteBuffer(capacity: Limits.answer)
        var answer = HTTPAnswer()
        var parser = HTTPRequestParser()
        var request: HTTPRequest?
        var stage = Stage.reading
        var sent = 0
        var since: Int64 = 0
        var closes = false
        /// The client has said all that it will say; what is here of it is still answered.
        var hasEnded = false
        /// The answer goes without its body (RFC 9110 §9.3.2).
        var isHead = false
        var slot = -1
        var isReady = false
    }

    public private(set) var address: SocketAddress
    private var listener = FileDescriptor()
    private let clients: UnsafeMutablePointer<Client>
    private let peers: UnsafeMutablePointer<sockaddr_storage>
    private var listenDue: Int64 = 0
    private var acceptDue: Int64?
    private var listenerSlot = -1
    private var isCrowded = false
    /// Why it does not listen; 0 while it does.
    public private(set) var failure: Int32 = 0
    public private(set) var connections = 0
    private var held = 0

    /// Reserves everything. It begins to listen with the first `advance`.
    public init(address: SocketAddress) {
        self.address = address
        clients = .allocate(capacity: Limits.relayConnections)
        peers = .allocate(capacity: Limits.relayConnections)
        peers.initialize(repeating: sockaddr_storage(), count: Limits.relayConnections)
        for index in 0..<Limits.relayConnections { (clients + index).initialize(to: Client()) }
    }

    deinit {
        clients.deinitialize(count: Limits.relayConnections)
        clients.deallocate()
        peers.deallocate()
    }

    public var isListening: Bool { listener.isOpen }

    // MARK: In the loop

    public func register(in set: inout PollSet) {
        let accepts = connections < Limits.relayConnections && acceptDue == nil
        listenerSlot = set.add(listener.raw, events: accepts ? POLLIN : 0)
        for index in 0..<Limits.relayConnections {
            clients[index].slot = set.add(
                clients[index].descriptor.raw, events: clients[index].stage == .writing ? POLLOUT : POLLIN)
        }
    }

    /// After poll: what can go on.
    public func collect(_ set: borrowing PollSet) {
        for index in 0..<Limits.relayConnections where clients[index].slot >= 0 {
            let ready = set.ready(clients[index].slot)
            if ready.readable || ready.writable { clients[index].isReady = true }
        }
    }

    public var deadline: Int64 {
        var earliest = listener.isOpen ? acceptDue ?? .max : listenDue
        guard connections > 0 else { return earliest }
        for index in 0..<Limits.relayConnections where clients[index].descriptor.isOpen {
            earliest = min(earliest, due(index))
        }
        return earliest
    }

    private func due(_ index: Int) -> Int64 {
        let patience: Int64 =
            switch clients[index].stage {
            case .reading where clients[index].input.isEmpty:
                isCrowded ? Limits.crowdedRequest : Limits.idleRequest
            case .reading: isCrowded ? Limits.crowdedRequest : Limits.request
            case .held, .writing: Limits.request
            case .draining: isCrowded ? Limits.crowdedRefused : Limits.refusedRequest
            }
        return clients[index].since + patience
    }

    /// Accepts, reads and answers what can be without waiting. `handle` gets the target, the body and the peer of each
    /// request and writes the answer; `allows` says whether a peer may connect; `refused` is told the status and the peer
    /// of what was no request. Then `release`.
    public func advance(
        now: Int64, allows: (RawSpan) -> Bool, refused: (Int, RawSpan) -> Void = { _, _ in },
        handle: (HTTPRequest.Method, RawSpan, RawSpan, RawSpan, inout HTTPAnswer) -> Void
    ) {
        if !listener.isOpen, now >= listenDue { listen(now: now) }
        accept(now: now, allows)
        for index in 0..<Limits.relayConnections where clients[index].descriptor.isOpen {
            if clients[index].isReady {
                clients[index].isReady = false
                advance(index, now: now, refused, handle)
            }
            if clients[index].descriptor.isOpen, now >= due(index) { expire(index, now: now, refused) }
        }
    }

    /// Sends the answers that were held, if what they promise is durable; else 503.
    public func release(durable: Bool, now: Int64) {
        guard held > 0 else { return }
        held = 0
        for index in 0..<Limits.relayConnections where clients[index].stage == .held {
            if clients[index].descriptor.isOpen {
                if !durable {
                    clients[index].answer.fail(503, "the store cannot take it now")
                    clients[index].answer.retryAfter = 5
                }
                begin(index, now: now)
            }
        }
    }

    private func listen(now: Int64) {
        let raw = address.withPointer { cb_listen($0, $1, Int32(Limits.relayConnections)) }
        failure = raw < 0 ? cb_errno() : 0
        listenDue = now + Limits.listenRetry
        if raw >= 0 { listener = FileDescriptor(raw: raw) }
    }

    private func accept(now: Int64, _ allows: (RawSpan) -> Bool) {
        isCrowded = false
        guard listener.isOpen else { return }
        if let due = acceptDue, now < due { return }
        acceptDue = nil
        for _ in 0..<Limits.relayConnections {
            guard let index = freePlace() else {
                // Others may wait: those who do not ask make room.
                isCrowded = true
                return
            }
            let raw = cb_accept_from(listener.raw, peers + index)
            guard raw >= 0 else {
                // Without a free descriptor the client stays in the queue, and poll would report it again at once.
                if cb_errno() != EAGAIN, cb_errno() != ECONNABORTED { acceptDue = now + Limits.acceptPause }
                return
            }
            clients[index].descriptor = FileDescriptor(raw: raw)
            guard allows(peer(index).bytes) else {
                clients[index].descriptor.close()
                continue
            }
            connections += 1
            clients[index].input.removeAll()
            clients[index].output.removeAll()
            clients[index].parser = HTTPRequestParser()
            clients[index].request = nil
            clients[index].stage = .reading
            clients[index].closes = false
            clients[index].hasEnded = false
            clients[index].isHead = false
            clients[index].since = now
            clients[index].isReady = true
        }
    }

    private func freePlace() -> Int? {
        for index in 0..<Limits.relayConnections where !clients[index].descriptor.isOpen { return index }
        return nil
    }

    /// The peer's address, 4 or 16 bytes.
    private func peer(_ index: Int) -> UnsafeRawBufferPointer {
        let isV6 = Int32(peers[index].ss_family) == AF_INET6
        let start = UnsafeRawPointer(peers + index) + (isV6 ? 8 : 4)
        return UnsafeRawBufferPointer(start: start, count: isV6 ? 16 : 4)
    }

    private func advance(
        _ index: Int, now: Int64, _ refused: (Int, RawSpan) -> Void,
        _ handle: (HTTPRequest.Method, RawSpan, RawSpan, RawSpan, inout HTTPAnswer) -> Void
    ) {
        switch clients[index].stage {
        case .held: break
        case .writing: send(index, now: now)
        case .draining: drain(index)
        case .reading:
            guard receive(index, now: now) else { return }
            understand(index, now: now, refused, handle)
        }
    }

    /// False if the connection is over or there is nothing to read.
    private func receive(_ index: Int, now: Int64) -> Bool {
        guard clients[index].input.free > 0 else { return true }
        let wasEmpty = clients[index].input.isEmpty
        let tail = clients[index].input.tail
        let count = recv(clients[index].descriptor.raw, tail.baseAddress, tail.count, 0)
        if count > 0 {
            clients[index].input.commit(count)
            // The deadline counts from the first byte of a request.
            if wasEmpty { clients[index].since = now }
            return true
        }
        if count == 0, !wasEmpty {
            // Half of the connection is closed: requests that came before may wait for their answers.
            clients[index].hasEnded = true
            return true
        }
        if count == 0 || (cb_errno() != EAGAIN && cb_errno() != EINTR) {
            drop(index)
            return false
        }
        // The next request may have come together with the one before.
        return !wasEmpty
    }

    private func understand(
        _ index: Int, now: Int64, _ refused: (Int, RawSpan) -> Void,
        _ handle: (HTTPRequest.Method, RawSpan, RawSpan, RawSpan, inout HTTPAnswer) -> Void
    ) {
        if clients[index].request == nil {
            let bytes = clients[index].input.pointer.bytes
            switch clients[index].parser.parse(bytes, full: clients[index].input.free == 0) {
            case .incomplete:
                if clients[index].hasEnded { drop(index) }
                return
            case .fault(let status): return refuse(index, status, now: now, refused)
            case .complete(let request): clients[index].request = request
            }
        }
        guard let request = clients[index].request else { return }
        let end = request.bodyStart + request.bodyLength
        guard clients[index].input.count >= end else {
            if clients[index].hasEnded { return drop(index) }
            if request.expectsContinue { sayContinue(index) }
            return
        }
        let bytes = clients[index].input.pointer
        let target = UnsafeRawBufferPointer(rebasing: bytes[request.target])
        let body = UnsafeRawBufferPointer(rebasing: bytes[request.bodyStart..<end])
        clients[index].answer.reset()
        handle(request.method, target.bytes, body.bytes, peer(index).bytes, &clients[index].answer)
        // While others wait for a place, nobody keeps one.
        clients[index].closes = !request.keepsAlive || isCrowded
        clients[index].isHead = request.method == .head
        clients[index].input.removeFirst(end)
        clients[index].request = nil
        clients[index].parser = HTTPRequestParser()
        if clients[index].answer.isHeld {
            clients[index].stage = .held
            held += 1
        } else {
            begin(index, now: now)
        }
    }

    private func sayContinue(_ index: Int) {
        clients[index].request?.expectsContinue = false
        clients[index].output.removeAll()
        clients[index].output.append("HTTP/1.1 100 Continue\r\n\r\n")
        let words = clients[index].output.pointer
        // A fresh connection has room for 25 bytes; a client that does not get them sends the body after a while.
        _ = CBoard.send(clients[index].descriptor.raw, words.baseAddress, words.count, Int32(MSG_NOSIGNAL))
    }

    private func refuse(_ index: Int, _ status: Int, now: Int64, _ refused: (Int, RawSpan) -> Void) {
        refused(status, peer(index).bytes)
        clients[index].isHead = clients[index].parser.method == .head
        clients[index].answer.fail(status, HTTPStatus.words(status))
        clients[index].closes = true
        begin(index, now: now)
    }

    private func begin(_ index: Int, now: Int64) {
        clients[index].output.removeAll()
        clients[index].output.append(
            clients[index].answer, closing: clients[index].closes, withBody: !clients[index].isHead)
        clients[index].sent = 0
        clients[index].stage = .writing
        clients[index].since = now
        send(index, now: now)
    }

    private func send(_ index: Int, now: Int64) {
        let bytes = clients[index].output.pointer
        while clients[index].sent < bytes.count, let base = bytes.baseAddress {
            let from = base + clients[index].sent
            let left = bytes.count - clients[index].sent
            let count = CBoard.send(clients[index].descriptor.raw, from, left, Int32(MSG_NOSIGNAL))
            guard count > 0 else {
                if cb_errno() != EAGAIN { drop(index) }
                return
            }
            clients[index].sent += count
        }
        clients[index].since = now
        if clients[index].closes {
            shutdown(clients[index].descriptor.raw, Int32(SHUT_WR))
            clients[index].stage = .draining
            clients[index].isReady = true
        } else {
            clients[index].stage = .reading
            // A client may have sent the next request already: it has its turn in the next round of the loop.
            if !clients[index].input.isEmpty { clients[index].isReady = true }
        }
    }

    /// Some request is here already that no poll will tell of.
    public var wantsTurn: Bool {
        guard connections > 0 else { return false }
        for index in 0..<Limits.relayConnections where clients[index].descriptor.isOpen {
            if clients[index].isReady { return true }
        }
        return false
    }

    private func drain(_ index: Int) {
        clients[index].input.removeAll()
        let tail = clients[index].input.tail
        for _ in 0..<8 {
            let count = recv(clients[index].descriptor.raw, tail.baseAddress, tail.count, 0)
            if count > 0 { continue }
            if count == 0 || cb_errno() != EAGAIN { drop(index) }
            return
        }
    }

    private func expire(_ index: Int, now: Int64, _ refused: (Int, RawSpan) -> Void) {
        guard clients[index].stage == .reading, !clients[index].input.isEmpty else { return drop(index) }
        refuse(index, 408, now: now, refused)
    }

    private func drop(_ index: Int) {
        guard clients[index].descriptor.isOpen else { return }
        clients[index].descriptor.close()
        clients[index].stage = .reading
        clients[index].isReady = false
        connections -= 1
    }
}
