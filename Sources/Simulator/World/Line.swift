import SGP

/// One TCP connection between the board and the server, with TLS on top, as far as either end can tell: bytes arrive
/// in order, or late, or not at all, and each end learns of the other's end only if something gets through.
final class Line {
    enum Stage { case connecting, handshaking, open, closed }

    enum Item {
        case bytes([UInt8])
        case end
        case reset
    }

    let number: Int
    let network: Network
    unowned(unsafe) let world: World

    // The board's end.
    var stage = Stage.connecting
    /// What has come and has not been read.
    private(set) var arrived: [UInt8] = []
    /// What the board's next read or write says after what has arrived.
    private(set) var failure: EndReason?
    private var isHalfClosed = false
    /// The machine that had this end has lost it: power cut or crash.
    var isOrphan = false

    // The server's end.
    var conversation: Conversation?
    var isServerGone = false

    private let up = Direction()
    private let down = Direction()
    private var lastTraffic: Int64 = 0
    private var isForgotten = false

    private final class Direction {
        var items: [(item: Item, ready: Int64)] = []
        var bytes = 0
        var isBusy = false
        /// When the first try to get the front one through failed, and how long until the next.
        var failingSince: Int64?
        var pause: Int64 = 1_000
    }

    /// TCP gives up what it sends again and again after this time.
    private static let patience: Int64 = 924_000
    /// Bytes that the system takes before a write blocks.
    private static let room = 16_384

    init(number: Int, network: Network, world: World) {
        self.number = number
        self.network = network
        self.world = world
        lastTraffic = world.now
    }

    // MARK: The board's calls

    func fail(_ reason: EndReason) {
        guard failure == nil, stage != .closed else { return }
        failure = reason
        world.machine.wake()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, end: EndReason?) {
        let count = min(arrived.count, buffer.count)
        if count > 0 {
            arrived.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            arrived.removeFirst(count)
            return (count, nil)
        }
        return (0, arrived.isEmpty ? failure : nil)
    }

    var hasArrived: Bool { !arrived.isEmpty || failure != nil }

    enum Written { case done, blocked, failed(EndReason) }

    func write(_ frame: UnsafeRawBufferPointer) -> Written {
        if case .network(let code) = failure { return .failed(.network(code)) }
        guard !isBlocked else { return .blocked }
        guard world.machine.power.tick() else { return .blocked }
        world.ledger.leaves(Array(frame), on: self)
        send(.bytes(Array(frame)), up)
        return .done
    }

    private var isBlocked: Bool { up.bytes >= Self.room }

    func finishWriting() {
        guard !isHalfClosed else { return }
        isHalfClosed = true
        send(.end, up)
    }

    func close() {
        guard stage != .closed else { return }
        let wasOpen = stage == .open
        stage = .closed
        if wasOpen, !isHalfClosed, !isOrphan { send(.end, up) }
    }

    // MARK: The server's calls

    func sendDown(_ frame: [UInt8]) { send(.bytes(frame), down) }

    /// The server's end goes, politely or with a reset.
    func closeServer(reset: Bool) {
        guard !isServerGone else { return }
        isServerGone = true
        send(reset ? .reset : .end, down)
    }

    // MARK: On the way

    private func send(_ item: Item, _ way: Direction) {
        way.items.append((item, world.now + network.latency))
        if case .bytes(let frame) = item { way.bytes += frame.count }
        turn(way)
    }

    private func turn(_ way: Direction) {
        guard !way.isBusy, let front = way.items.first else { return }
        way.isBusy = true
        world.at(front.ready) { [self] in
            way.isBusy = false
            arrive(way)
        }
    }

    private func arrive(_ way: Direction) {
        guard let front = way.items.first else { return }
        let isUp = way === up
        guard passes(isUp: isUp) else { return again(way) }
        way.items.removeFirst()
        if case .bytes(let frame) = front.item {
            let wasBlocked = isBlocked
            way.bytes -= frame.count
            if isUp, wasBlocked { world.machine.wake() }
        }
        way.failingSince = nil
        way.pause = 1_000
        lastTraffic = world.now
        if isUp { reachServer(front.item) } else { reachBoard(front.item) }
        turn(way)
    }

    /// Whether something gets through now. A NAT that has forgotten the connection may answer the board with a reset.
    private func passes(isUp: Bool) -> Bool {
        guard network.passes, world.active === network, !world.machine.isAsleep else { return false }
        guard !world.server.isUnreachable else { return false }
        if !isForgotten, network.forgets(after: world.now - lastTraffic, &world.random) {
            isForgotten = true
            world.countForgotten()
            world.note("nat forgets", Int64(number), (world.now - lastTraffic) / 1_000)
        }
        if isForgotten, isUp, network.resets { fail(.network(104)) }
        return !isForgotten
    }

    private func again(_ way: Direction) {
        let since = way.failingSince ?? world.now
        way.failingSince = since
        let isUp = way === up
        if (isUp && stage == .closed) || (!isUp && isServerGone && stage == .closed) {
            return way.items.removeAll()
        }
        guard world.now - since < Self.patience else {
            way.items.removeAll()
            if isUp { fail(.network(110)) } else { conversation?.lost() }
            return
        }
        let pause = way.pause
        way.pause = min(2 * pause, 120_000)
        way.isBusy = true
        world.after(pause) { [self] in
            way.isBusy = false
            arrive(way)
        }
    }

    private func reachServer(_ item: Item) {
        guard !isServerGone, let conversation else {
            if case .bytes = item { fail(.network(104)) }
            return
        }
        switch item {
        case .bytes(let frame): conversation.receive(frame)
        case .end, .reset: conversation.boardLeft()
        }
    }

    private func reachBoard(_ item: Item) {
        if isOrphan || stage == .closed {
            // Nobody knows this connection here: a reset goes back.
            conversation?.lost()
            return
        }
        switch item {
        case .bytes(let frame): arrived.append(contentsOf: frame)
        case .end: if failure == nil { failure = .closed }
        case .reset: failure = .network(104)
        }
        world.machine.wake()
    }
}
