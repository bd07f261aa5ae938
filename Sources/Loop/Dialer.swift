import Bytes
import CBoard

/// Happy eyeballs (RFC 8305): connects to the addresses of one host, each a moment after the one before or as soon as
/// that one fails, and gives the first socket that is connected. The others stay in reserve until it has proved good.
public struct Dialer: ~Copyable {
    /// What happened, one at a time.
    public enum Event: Sendable {
        case began(SocketAddress)
        case failed(SocketAddress, StreamError)
        /// This board cannot even begin: the kernel said so at once, and not somebody on the way.
        case impossible(SocketAddress, SystemError)
        /// No answer in time.
        case silent(SocketAddress)
        /// `take` gives its socket.
        case connected(SocketAddress)
        /// No address is left.
        case exhausted
    }

    private enum State: BitwiseCopyable { case waiting, connecting, over }

    private var list = AddressList()
    private var states = InlineArray<8, State>(repeating: .waiting)
    private var sockets = InlineArray<8, Int32>(repeating: -1)
    private var since = InlineArray<8, Int64>(repeating: 0)
    private var nextBegin: Int64 = 0
    private var winner: Int?
    /// Something is being tried, or may be.
    public private(set) var isActive = false
    /// More addresses may come.
    public var isOpen = false

    public init() {}

    deinit { for index in 0..<sockets.count where sockets[index] >= 0 { _ = CBoard.close(sockets[index]) } }

    /// Begins anew with these addresses; the one at `first` is tried first and the others in their order.
    public mutating func start(_ addresses: AddressList, first: Int = 0, isOpen: Bool = false, now: Int64) {
        stop()
        for offset in 0..<addresses.count {
            if let address = addresses[(max(first, 0) + offset) % addresses.count] { list.append(address) }
        }
        nextBegin = now
        isActive = true
        self.isOpen = isOpen
    }

    /// One more address, unless it is known or there are eight.
    public mutating func add(_ address: SocketAddress) {
        if isActive, !list.contains(address) { list.append(address) }
    }

    /// Closes whatever has not been taken.
    public mutating func stop() {
        for index in 0..<sockets.count {
            closeSocket(index)
            states[index] = .waiting
        }
        list = AddressList()
        winner = nil
        isActive = false
        isOpen = false
    }

    /// Addresses that have not failed, the one that was taken apart.
    public var hasReserve: Bool {
        for index in 0..<list.count where states[index] != .over { return true }
        return isOpen
    }

    /// The connected socket; the caller closes it. Its address counts as tried; `resume` goes on with the others.
    public mutating func take() -> Int32 {
        guard let index = winner else { return -1 }
        winner = nil
        let socket = sockets[index]
        sockets[index] = -1
        // The others were slower: they are connected anew if they are needed at all.
        for other in 0..<list.count where states[other] == .connecting {
            closeSocket(other)
            states[other] = .waiting
        }
        states[index] = .over
        isActive = false
        return socket
    }

    /// Whether the own end of a socket that connects belongs to an address that this board has no more: whatever the
    /// other side answers cannot arrive.
    public func isOwnEndGone(_ monitor: NetworkMonitor) -> Bool {
        for index in 0..<list.count where sockets[index] >= 0 {
            if let own = SocketAddress(ownEndOf: sockets[index]), monitor.isGone(own) { return true }
        }
        return false
    }

    /// What was taken turned out to be of no use. False if nothing else is left.
    public mutating func resume(now: Int64) -> Bool {
        guard hasReserve else { return false }
        isActive = true
        nextBegin = now
        return true
    }

    /// When `next` must be called even if no socket is ready.
    public var deadline: Int64 {
        guard isActive else { return .max }
        var earliest = Int64.max
        for index in 0..<list.count {
            switch states[index] {
            case .waiting: earliest = min(earliest, nextBegin)
            case .connecting: earliest = min(earliest, since[index] + Limits.connect)
            case .over: break
            }
        }
        return earliest
    }

    public func register(in set: inout PollSet) {
        guard isActive else { return }
        for index in 0..<list.count where sockets[index] >= 0 { set.add(sockets[index], events: POLLOUT) }
    }

    /// The next thing that happened, or nil until a socket is ready or the deadline passes.
    public mutating func next(now: Int64) -> Event? {
        guard isActive, winner == nil else { return nil }
        var isConnecting = false
        for index in 0..<list.count where states[index] == .connecting {
            if let event = look(index, now: now) { return event }
            isConnecting = true
        }
        for index in 0..<list.count where states[index] == .waiting {
            return now >= nextBegin || !isConnecting ? begin(index, now: now) : nil
        }
        guard !isConnecting, !isOpen else { return nil }
        isActive = false
        return .exhausted
    }

    private mutating func begin(_ index: Int, now: Int64) -> Event? {
        guard let address = list[index] else { return nil }
        do throws(StreamError) {
            sockets[index] = try TLSStream.open(address)
            states[index] = .connecting
            since[index] = now
            nextBegin = now + Limits.dialStagger
            return .began(address)
        } catch {
            states[index] = .over
            nextBegin = now
            if case .network(let failure) = error { return .impossible(address, failure) }
            return .failed(address, error)
        }
    }

    private mutating func look(_ index: Int, now: Int64) -> Event? {
        guard let address = list[index] else { return nil }
        var one = pollfd(fd: sockets[index], events: Int16(POLLOUT), revents: 0)
        if poll(&one, 1, 0) > 0 {
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(sockets[index], SOL_SOCKET, SO_ERROR, &code, &size)
            guard code != 0 else {
                winner = index
                return .connected(address)
            }
            giveUp(index, now: now)
            return .failed(address, .network(SystemError("connect", code: code)))
        }
        guard now >= since[index] + Limits.connect else { return nil }
        giveUp(index, now: now)
        return .silent(address)
    }

    private mutating func giveUp(_ index: Int, now: Int64) {
        closeSocket(index)
        states[index] = .over
        nextBegin = now
    }

    private mutating func closeSocket(_ index: Int) {
        if sockets[index] >= 0 { _ = CBoard.close(sockets[index]) }
        sockets[index] = -1
    }
}
