import Bytes
import CBoard

/// What the kernel says of this board's networks (rtnetlink), and when it wakes from suspend.
///
/// Events only say that something may have changed. What there is is then read anew and compared: a router that
/// advertises itself again, or an interface without an address, is no change. Without netlink (a sandbox may forbid it)
/// nothing is known, and nothing depends on it.
public final class NetworkMonitor {
    /// What there is to react to.
    public enum Change: Equatable, Sendable {
        case network
        /// Milliseconds of suspend.
        case wake(Int64)
        /// The wall clock was set.
        case clock
    }

    /// The way to an address.
    public struct Path: BitwiseCopyable, Sendable {
        /// The interface's name.
        public var name = Blob<16>()
        public var gateway = Blob<16>()
        /// The gateway's hardware address, where it is known.
        public var hardware = Blob<20>()
    }

    private struct Interface: BitwiseCopyable {
        var index: Int32 = 0
        var name = Blob<16>()
        var flags: UInt32 = 0
        var hasAddress = false
    }

    private struct Address: BitwiseCopyable {
        var index: Int32 = 0
        var address = Blob<16>()
    }

    private var events: FileDescriptor
    private var alarm: FileDescriptor
    private var buffer = ByteBuffer(capacity: Limits.netlinkBuffer)
    private var request = ByteBuffer(capacity: 96)
    private var interfaces = InlineArray<32, Interface>(repeating: Interface())
    private var interfaceCount = 0
    private var addresses = InlineArray<64, Address>(repeating: Address())
    private var addressCount = 0
    /// There was room for every interface and address.
    private var isComplete = false
    private var fingerprint: UInt64 = 0
    /// When what has changed is looked at; events follow each other closely.
    private var due = Int64.max
    private var looked = -Limits.networkPause
    /// Something was seen that is a change even if everything is as before by now.
    private var isCertain = false
    /// Milliseconds that the board has been suspended since it booted.
    private let suspendedTime: () -> Int64
    private var suspended: Int64
    private var sequence: UInt32 = 0

    /// An interface that is up has an address that reaches beyond it. True where nothing is known.
    public private(set) var hasUsableAddress = true

    public convenience init() { self.init { cb_suspended_ns() / 1_000_000 } }

    /// For tests: with another clock of suspend.
    init(suspendedTime: @escaping () -> Int64) {
        self.suspendedTime = suspendedTime
        suspended = suspendedTime()
        events = FileDescriptor(raw: cb_netlink_open(1))
        alarm = FileDescriptor(raw: cb_watch_clock(-1))
        look()
    }

    public func register(in set: inout PollSet) {
        set.add(events.raw, events: POLLIN)
        set.add(alarm.raw, events: POLLIN)
    }

    /// For tests.
    var eventSocket: Int32 { events.raw }

    /// When `next` must be called even if nothing comes.
    public var deadline: Int64 { due }

    /// What has changed since the last call, or nil.
    public func next(now: Int64) -> Change? {
        if let change = clockChange() { return change }
        drain(now: now)
        guard now >= due else { return nil }
        due = .max
        looked = now
        let before = fingerprint
        look()
        defer { isCertain = false }
        return isCertain || fingerprint != before ? .network : nil
    }

    // MARK: Suspend

    private func clockChange() -> Change? {
        let total = suspendedTime()
        let slept = total - suspended
        let wasSet = drainAlarm()
        guard slept < Limits.wake else {
            suspended = total
            return .wake(slept)
        }
        return wasSet ? .clock : nil
    }

    private func drainAlarm() -> Bool {
        guard alarm.isOpen else { return false }
        var count: UInt64 = 0
        if read(alarm.raw, &count, 8) < 0, cb_errno() != ECANCELED { return false }
        _ = cb_watch_clock(alarm.raw)
        return true
    }

    // MARK: Events

    private func drain(now: Int64) {
        guard events.isOpen else { return }
        for _ in 0..<64 {
            buffer.removeAll()
            let count = cb_netlink_receive(events.raw, buffer.tail.baseAddress, buffer.capacity)
            if count < 0 {
                // Some were lost: whatever they were, everything is read anew.
                if cb_errno() == ENOBUFS { settle(now: now) }
                if cb_errno() != EINTR, cb_errno() != ENOBUFS { return }
                continue
            }
            buffer.commit(count)
            var reader = NetlinkReader(buffer.pointer.bytes)
            while let message = reader.next() { take(message, now: now) }
            if reader.isBroken { settle(now: now) }
        }
    }

    /// Soon, but not sooner after the last look than `Limits.networkPause`: a board on which something keeps changing
    /// does nothing else otherwise.
    private func settle(now: Int64) {
        due = min(due, max(now + Limits.networkSettling, looked + Limits.networkPause))
    }

    private func take(_ message: NetlinkMessage, now: Int64) {
        switch message.kind {
        case .link, .linkGone:
            if let place = interface(message.index), interfaces[place].hasAddress,
                message.kind == .linkGone || interfaces[place].flags != message.flags & Self.state
            {
                interfaces[place].flags = message.flags & Self.state
                isCertain = true
            }
            settle(now: now)
        case .addressGone:
            isCertain = isCertain || Self.isGlobal(message)
            settle(now: now)
        case .address, .route, .routeGone, .overrun: settle(now: now)
        default: break
        }
    }

    /// IFF_UP and IFF_RUNNING: switched on, and with a carrier.
    private static let state: UInt32 = 0x41
    private static let isUp: UInt32 = 0x01
    private static let loopback: UInt32 = 0x08

    /// Reaches beyond its link.
    private static func isGlobal(_ message: NetlinkMessage) -> Bool { message.scope < 253 }

    // MARK: What there is

    /// Reads links, addresses and routes.
    private func look() {
        guard events.isOpen else { return }
        let socket = FileDescriptor(raw: cb_netlink_open(0))
        guard socket.isOpen else { return }
        interfaceCount = 0
        addressCount = 0
        isComplete = true
        hasUsableAddress = false
        fingerprint = 0
        var isWhole = ask(socket.raw, type: 18, list: true) { takeLink($0) }
        isWhole = ask(socket.raw, type: 22, list: true) { takeAddress($0) } && isWhole
        isWhole = ask(socket.raw, type: 26, list: true) { takeRoute($0) } && isWhole
        isComplete = isComplete && isWhole
        if !isComplete { hasUsableAddress = true }
    }

    private func takeLink(_ message: NetlinkMessage) {
        guard message.kind == .link else { return }
        guard interfaceCount < interfaces.count else { return isComplete = false }
        interfaces[interfaceCount] = Interface(
            index: message.index, name: message.name, flags: message.flags & (Self.state | Self.loopback))
        interfaceCount += 1
    }

    private func takeAddress(_ message: NetlinkMessage) {
        guard message.kind == .address else { return }
        guard addressCount < addresses.count else { return isComplete = false }
        addresses[addressCount] = Address(index: message.index, address: message.address)
        addressCount += 1
        // IFA_F_TENTATIVE and IFA_F_DADFAILED.
        guard let place = interface(message.index), Self.isGlobal(message), message.flags & 0x48 == 0 else { return }
        let isLoopback = interfaces[place].flags & Self.loopback != 0
        interfaces[place].hasAddress = !isLoopback
        guard !isLoopback, interfaces[place].flags & Self.state == Self.state else { return }
        hasUsableAddress = true
        var hash = Hash()
        hash.add(1)
        hash.add(UInt8(truncatingIfNeeded: message.index))
        hash.add(message.prefix)
        hash.add(message.address.bytes)
        fingerprint &+= hash.value
    }

    private func takeRoute(_ message: NetlinkMessage) {
        // The main table; unicast; no RTM_F_CLONED.
        guard message.kind == .route, message.table == 254, message.type == 1, message.flags & 0x200 == 0,
            !Self.isLinkLocal(message)
        else { return }
        var hash = Hash()
        hash.add(2)
        hash.add(message.family)
        hash.add(message.prefix)
        hash.add(UInt8(truncatingIfNeeded: message.index))
        hash.add(UInt8(truncatingIfNeeded: message.priority))
        hash.add(UInt8(truncatingIfNeeded: message.priority >> 8))
        hash.add(message.address.bytes)
        hash.add(message.gateway.bytes)
        fingerprint &+= hash.value
    }

    /// Every interface that speaks IPv6 has one of these.
    private static func isLinkLocal(_ message: NetlinkMessage) -> Bool {
        message.address.count == 16 && message.address[0] == 0xFE && message.address[1] & 0xC0 == 0x80
    }

    private func interface(_ index: Int32) -> Int? {
        for place in 0..<interfaceCount where interfaces[place].index == index { return place }
        return nil
    }

    // MARK: Questions

    /// Whether an address of this board, in use by a connection, has gone, or its interface is switched off. False where
    /// that is not known.
    public func isGone(_ address: SocketAddress) -> Bool {
        guard events.isOpen, isComplete, !address.isLoopback else { return false }
        let bytes = address.bytes
        for place in 0..<addressCount where addresses[place].address == bytes {
            guard let owner = interface(addresses[place].index), interfaces[owner].flags & Self.isUp == 0 else {
                return false
            }
        }
        return true
    }

    /// How this board reaches an address from one of its own. Nil where that is not known.
    public func path(from local: SocketAddress, to address: SocketAddress) -> Path? {
        let socket = FileDescriptor(raw: cb_netlink_open(0))
        guard socket.isOpen else { return nil }
        var path = Path()
        var index: Int32 = 0
        let own = local.bytes
        // From this very address: rules may send others another way (ip-rule(8)).
        _ = ask(socket.raw, type: 26, list: false, source: own, destination: address.bytes) {
            guard $0.kind == .route else { return }
            index = $0.index
            path.gateway = $0.gateway
        }
        var owner: Int32 = 0
        for place in 0..<addressCount where addresses[place].address == own {
            if owner == 0 || addresses[place].index == index { owner = addresses[place].index }
        }
        if owner != 0, owner != index {
            // By another interface than the address's: then this is not the way that the connection goes.
            path.gateway = Blob()
            index = owner
        }
        guard let place = interface(index) else { return nil }
        path.name = interfaces[place].name
        guard !path.gateway.isEmpty else { return path }
        let gateway = path.gateway
        _ = ask(socket.raw, type: 30, list: true) {
            if $0.kind == .neighbour, $0.index == index, $0.address == gateway { path.hardware = $0.hardware }
        }
        return path
    }

    /// Sends one request and takes its answers, which the kernel has ready at once. False if they did not come whole.
    private func ask(
        _ socket: Int32, type: UInt16, list: Bool, source: Blob<16> = Blob(), destination: Blob<16> = Blob(),
        _ take: (NetlinkMessage) -> Void
    ) -> Bool {
        sequence &+= 1
        write(type: type, list: list, source: source, destination: destination)
        guard send(socket, request.pointer.baseAddress, request.count, 0) == request.count else { return false }
        // As many as 512 parts: a router's table is long, and not endless.
        for _ in 0..<512 {
            buffer.removeAll()
            let count = cb_netlink_receive(socket, buffer.tail.baseAddress, buffer.capacity)
            guard count >= 0 else { return false }
            buffer.commit(count)
            var reader = NetlinkReader(buffer.pointer.bytes)
            while let message = reader.next() {
                switch message.kind {
                case .done: return true
                case .error, .overrun: return false
                default: take(message)
                }
                if !list { return true }
            }
            if reader.isBroken { return false }
        }
        return false
    }

    /// NLM_F_REQUEST, and NLM_F_DUMP for a list; the fixed part that the type asks for, all zero but the family.
    private func write(type: UInt16, list: Bool, source: Blob<16>, destination: Blob<16>) {
        request.removeAll()
        let fixed = type == 18 ? 16 : type == 22 ? 8 : 12
        // Both of one family, or the kernel takes neither.
        let source = source.count == destination.count ? source : Blob()
        let extra = (destination.isEmpty ? 0 : 4 + destination.count) + (source.isEmpty ? 0 : 4 + source.count)
        let family = destination.isEmpty ? AF_UNSPEC : destination.count == 4 ? AF_INET : AF_INET6
        append(UInt32(16 + fixed + extra))
        append(type)
        append(UInt16(list ? 0x301 : 1))
        append(sequence)
        append(UInt32(0))
        request.append(UInt8(clamping: family))
        request.append(UInt8(destination.count * 8))
        request.append(UInt8(source.count * 8))
        for _ in 3..<fixed { request.append(0 as UInt8) }
        // RTA_DST and RTA_SRC.
        append(attribute: 1, destination)
        append(attribute: 2, source)
    }

    private func append(attribute type: UInt16, _ value: Blob<16>) {
        guard !value.isEmpty else { return }
        append(UInt16(4 + value.count))
        append(type)
        request.append(value.bytes)
    }

    /// In the byte order of the machine.
    private func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        request.append(bigEndian: value.bigEndian)
    }

    /// FNV-1a. What it is made of comes from the kernel.
    private struct Hash {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

        mutating func add(_ bytes: RawSpan) {
            add(UInt8(truncatingIfNeeded: bytes.byteCount))
            for index in 0..<bytes.byteCount { add(bytes[index]) }
        }
    }
}
