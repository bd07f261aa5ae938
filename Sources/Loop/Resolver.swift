import Bytes
import CBoard

/// DNS in the poll loop, through c-ares: one question at a time, a TXT record or the addresses of a host.
///
/// Both kinds of addresses are asked for at once. The question is answered as soon as IPv6 addresses are there, or IPv4
/// ones for a moment (RFC 8305 §3): a name server that leaves one kind unanswered holds nothing up. While `isBusy` the
/// other kind may still come.
public final class Resolver {
    /// What became of the question.
    public enum Outcome: Equatable, Sendable {
        case idle
        case pending
        case answered
        /// c-ares's status; `append(resolverStatus:)` has words for it.
        case failed(Int32)
    }

    public private(set) var outcome = Outcome.idle
    /// The addresses of a host, in the order to try them: the two kinds by turns, IPv6 first (RFC 8305 §4).
    public var addresses: AddressList {
        var list = AddressList()
        for index in 0..<Swift.max(v6.list.count, v4.list.count) {
            if let address = v6.list[index] { list.append(address) }
            if let address = v4.list[index] { list.append(address) }
        }
        return list
    }
    /// Something of the question is still open.
    public var isBusy: Bool { outcome == .pending || v6.isOpen || v4.isOpen }
    /// TXT records that came; those beyond the first eight are left out.
    public private(set) var textCount = 0

    private var channel: ares_channel?
    private let servers: String?
    /// The system's configuration, where no servers are given.
    private let system: SystemServers?
    private let timeout: Int32

    /// Another resolv.conf than /etc's, and the port of its servers.
    struct SystemServers {
        var path: String
        var port: UInt16
    }
    /// The strings of the TXT records, each joined, one after the other; `textEnds` says where each ends.
    private var textBytes = ByteBuffer(capacity: 4096)
    private var textEnds = InlineArray<8, Int>(repeating: 0)
    private var isQuestionOpen = false
    private var port: UInt16 = 0
    /// The question is one for addresses.
    private var isAsking = false
    private var v6 = Family()
    private var v4 = Family()
    /// When IPv4 addresses alone are an answer.
    private var patience = Int64.max
    /// The name asked for, with C's terminator.
    private var name = ByteBuffer(capacity: 256)
    /// What resolv.conf was when it was last read.
    private var fileStamp = FileStamp()
    private var file = ByteBuffer(capacity: 0)
    private var nameServers = NameServers()
    /// How c-ares gets at its sockets where a name server is on one link; it keeps the pointer.
    private let sockets = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)

    /// Addresses of one kind.
    private struct Family {
        var isOpen = false
        var status: Int32 = 0
        var list = AddressList()
    }

    /// Tells a file from what it was before.
    private struct FileStamp: Equatable {
        var size: Int64 = -1
        var number: UInt64 = 0
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
    }

    /// Uses these servers (`address[:port]`, comma-separated) or, without any, those of the system. Nil without memory,
    /// or if the servers are no such list.
    public convenience init?(servers: String?) { self.init(servers: servers, system: nil) }

    /// `timeout` is that of the first try, in milliseconds.
    init?(servers: String?, system: SystemServers?, timeout: Int32 = 2_000) {
        self.servers = servers
        self.system = system
        self.timeout = timeout
        if servers == nil { file = ByteBuffer(capacity: 8192) }
        sockets.initialize(to: Self.socketFunctions)
        guard ares_library_init(ARES_LIB_INIT_ALL) == 0, open() else { return nil }
    }

    /// So many servers are asked in turn with the whole timeout.
    private static let patientServers = 3

    private func open() -> Bool {
        if servers == nil {
            fileStamp = stamp()
            readServers()
        }
        guard open(timeout: timeout) else { return false }
        let count = serverCount
        guard count > Self.patientServers else { return true }
        // Each of many is waited for shorter, so that the last one is asked before the question is given up.
        if let channel { ares_destroy(channel) }
        channel = nil
        return open(timeout: max(timeout * Int32(Self.patientServers) / count, timeout / 4))
    }

    private var serverCount: Int32 {
        var count: Int32 = 0
        _ = isAnyServer { _ in
            count += 1
            return false
        }
        return count
    }

    private func open(timeout: Int32) -> Bool {
        var options = ares_options()
        options.timeout = timeout
        options.tries = 2
        var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES
        let path = system.map { strdup($0.path) } ?? nil
        defer { free(path) }
        if let system {
            // Copied by c-ares.
            options.resolvconf_path = path
            options.udp_port = system.port
            mask |= ARES_OPT_RESOLVCONF | ARES_OPT_UDP_PORT
        }
        guard ares_init_options(&channel, &options, mask) == 0 else { return false }
        guard let servers else { return !nameServers.hasLinks || useNameServers() }
        return ares_set_servers_ports_csv(channel, servers) == 0
    }

    deinit {
        isQuestionOpen = false
        if let channel { ares_destroy(channel) }
        ares_library_cleanup()
        sockets.deallocate()
    }

    /// The strings of one TXT record, joined. Valid until the next question.
    public func text(_ index: Int) -> UnsafeRawBufferPointer {
        let begin = index > 0 ? textEnds[index - 1] : 0
        return UnsafeRawBufferPointer(rebasing: textBytes.pointer[begin..<textEnds[index]])
    }

    /// Asks for the TXT records of a name.
    public func askText(_ name: String) {
        guard begin(name) else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        ares_query(
            channel, cName, 1, 16,
            { context, status, _, answer, length in
                guard let context else { return }
                Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue().receiveText(status, answer, length)
            }, me)
    }

    /// Asks for the IPv6 and IPv4 addresses of a host; each comes with this port.
    public func askAddresses(_ host: String, port: UInt16) {
        guard begin(host) else { return }
        askAddresses(port: port)
    }

    /// The same without a String.
    public func askAddresses(_ host: RawSpan, port: UInt16) {
        guard begin({ $0.append(host) }) else { return }
        askAddresses(port: port)
    }

    private func askAddresses(port: UInt16) {
        self.port = port
        guard !takeLiteral() else { return }
        v6.isOpen = true
        v4.isOpen = true
        isAsking = true
        patience = .max
        var hints = ares_addrinfo_hints()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let me = Unmanaged.passUnretained(self).toOpaque()
        hints.ai_family = AF_INET6
        ares_getaddrinfo(
            channel, cName, nil, &hints,
            { context, status, _, result in
                defer { if let result { ares_freeaddrinfo(result) } }
                guard let context else { return }
                let resolver = Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
                guard resolver.isQuestionOpen else { return }
                resolver.fill(&resolver.v6, status, result)
                resolver.settle()
            }, me)
        hints.ai_family = AF_INET
        ares_getaddrinfo(
            channel, cName, nil, &hints,
            { context, status, _, result in
                defer { if let result { ares_freeaddrinfo(result) } }
                guard let context else { return }
                let resolver = Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
                guard resolver.isQuestionOpen else { return }
                resolver.fill(&resolver.v4, status, result)
                resolver.settle()
            }, me)
    }

    /// An address needs no name server; c-ares would ask one for the other kind of it.
    private func takeLiteral() -> Bool {
        let text = UnsafeRawBufferPointer(rebasing: name.pointer.dropLast())
        guard let address = SocketAddress(literal: text.bytes, port: port) else { return false }
        if address.isIPv6 { v6.list.append(address) } else { v4.list.append(address) }
        finish(0)
        return true
    }

    private var cName: UnsafePointer<CChar>? {
        name.pointer.baseAddress?.assumingMemoryBound(to: CChar.self)
    }

    /// Gives the question up, or what is still open of it.
    public func cancel() {
        isQuestionOpen = false
        isAsking = false
        v6.isOpen = false
        v4.isOpen = false
        if let channel { ares_cancel(channel) }
        outcome = .idle
    }

    // MARK: In the loop

    /// Adds the sockets in use to a poll set.
    public func register(in set: inout PollSet) {
        guard isBusy else { return }
        var sockets = InlineArray<16, Int32>(repeating: 0)
        let events = withSockets(&sockets) { ares_getsock(channel, $0, 16) }
        for index in 0..<16 {
            let wanted =
                (events >> Int32(index) & 1 != 0 ? POLLIN : 0) | (events >> Int32(index + 16) & 1 != 0 ? POLLOUT : 0)
            set.add(sockets[index], events: wanted)
        }
    }

    /// Milliseconds until `process` must run even if no socket is ready; never more than `limit`.
    public func timeout(limit: Int32) -> Int32 {
        guard isBusy else { return limit }
        let limit = outcome == .pending ? min(limit, Int32(clamping: max(patience - SystemClock().now, 0))) : limit
        return cb_ares_timeout_ms(channel, limit)
    }

    /// Reads and writes what can be and runs out timers.
    public func process() {
        guard isBusy else { return }
        defer { settle() }
        var sockets = InlineArray<16, Int32>(repeating: 0)
        let events = withSockets(&sockets) { ares_getsock(channel, $0, 16) }
        for index in 0..<16 where events >> Int32(index) & 0x10001 != 0 {
            ares_process_fd(channel, sockets[index], sockets[index])
        }
        ares_process_fd(channel, -1, -1)
    }

    /// Whether a question that is open was asked from an address that this board has no more: no answer can arrive.
    public func isOwnEndGone(_ monitor: NetworkMonitor) -> Bool {
        guard isBusy else { return false }
        var sockets = InlineArray<16, Int32>(repeating: 0)
        let events = withSockets(&sockets) { ares_getsock(channel, $0, 16) }
        for index in 0..<16 where events >> Int32(index) & 0x10001 != 0 {
            if let own = SocketAddress(ownEndOf: sockets[index]), monitor.isGone(own) { return true }
        }
        return false
    }

    private func withSockets(_ sockets: inout InlineArray<16, Int32>, _ body: (UnsafeMutablePointer<Int32>) -> Int32)
        -> Int32
    {
        withUnsafeMutablePointer(to: &sockets) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 16) { body($0) }
        }
    }

    // MARK: Answers

    private func begin(_ name: String) -> Bool { begin { $0.append(name) } }

    private func begin(_ write: (inout ByteBuffer) -> Void) -> Bool {
        isQuestionOpen = false
        textBytes.removeAll()
        textCount = 0
        isAsking = false
        v6 = Family()
        v4 = Family()
        name.removeAll()
        write(&name)
        let isName = !name.overflowed && !name.isEmpty && !name.pointer.contains(0)
        name.append(0 as UInt8)
        guard isName, !name.overflowed else {
            outcome = .failed(Int32(ARES_EBADNAME))
            return false
        }
        guard refresh() else {
            outcome = .failed(Int32(ARES_ENOMEM))
            return false
        }
        outcome = .pending
        isQuestionOpen = true
        return true
    }

    /// Ends what was asked before. A board may get its address, and resolv.conf its servers, long after the start; c-ares
    /// reads that file only when a channel is made.
    private func refresh() -> Bool {
        guard servers == nil else {
            ares_cancel(channel)
            return true
        }
        if let old = channel { ares_destroy(old) }
        channel = nil
        return open()
    }

    // MARK: Servers of one link

    /// Lines of resolv.conf that name a server on a link that this board does not have now.
    public var ignoredServers: Int { nameServers.ignored }

    /// Reads resolv.conf for what c-ares leaves out. One that cannot be read, or is too long, has nothing of the kind.
    private func readServers() {
        file.removeAll()
        nameServers = NameServers()
        let opened = FileDescriptor(raw: (system?.path ?? "/etc/resolv.conf").withCString { cb_open($0, O_RDONLY, 0) })
        guard opened.isOpen else { return }
        while file.free > 0 {
            let count = read(opened.raw, file.tail.baseAddress, file.free)
            guard count > 0 else { break }
            file.commit(count)
        }
        nameServers = NameServers(file.bytes)
    }

    /// Gives c-ares all of the servers, in their order, and sockets that know the way to those of one link.
    private func useNameServers() -> Bool {
        var nodes = InlineArray<16, ares_addr_port_node>(repeating: ares_addr_port_node())
        let count = nameServers.count
        let given = withUnsafeMutablePointer(to: &nodes) { pointer in
            pointer.withMemoryRebound(to: ares_addr_port_node.self, capacity: 16) { nodes in
                for index in 0..<count {
                    let bytes = nameServers[index].address
                    nodes[index].family = bytes.count == 4 ? AF_INET : AF_INET6
                    withUnsafeMutableBytes(of: &nodes[index].addr) {
                        for at in 0..<bytes.count { $0[at] = bytes[at] }
                    }
                    if index + 1 < count { nodes[index].next = nodes + (index + 1) }
                }
                return ares_set_servers_ports(channel, nodes)
            }
        }
        guard given == 0 else { return false }
        ares_set_socket_functions(channel, sockets, Unmanaged.passUnretained(self).toOpaque())
        return true
    }

    private static var socketFunctions: ares_socket_functions {
        ares_socket_functions(
            asocket: { family, type, kind, _ in
                socket(family, type | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), kind)
            },
            aclose: { socket, _ in CBoard.close(socket) },
            aconnect: { socket, address, length, context in
                guard let context else { return -1 }
                let resolver = Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
                return resolver.connect(socket, to: address, length)
            },
            arecvfrom: { socket, buffer, size, flags, from, length, _ in
                recvfrom(socket, buffer, size, flags, from, length)
            },
            asendv: { socket, parts, count, _ in writev(socket, parts, count) })
    }

    private func connect(_ socket: Int32, to address: UnsafePointer<sockaddr>?, _ length: UInt32) -> Int32 {
        guard let plain = SocketAddress(address, length: length) else { return -1 }
        let scoped = plain.with(scope: nameServers.scope(of: plain.bytes))
        return scoped.withPointer { CBoard.connect(socket, $0, $1) }
    }

    // MARK: resolv.conf

    /// Whether resolv.conf is another than when the last question was asked. Always false where servers are configured.
    public var hasChangedServers: Bool { servers == nil && stamp() != fileStamp }

    private func stamp() -> FileStamp {
        var status = stat()
        let found = (system?.path ?? "/etc/resolv.conf").withCString { stat($0, &status) }
        guard found == 0 else { return FileStamp() }
        return FileStamp(
            size: Int64(status.st_size), number: UInt64(status.st_ino), seconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec))
    }

    /// Whether this board has a way to any of its name servers. Nothing is sent to find out.
    public var canReachServers: Bool {
        isAnyServer { node in
            let length = node.pointee.family == AF_INET6 ? 16 : 4
            let port = UInt16(truncatingIfNeeded: node.pointee.udp_port > 0 ? node.pointee.udp_port : 53)
            let address = withUnsafeBytes(of: node.pointee.addr) {
                SocketAddress(bytes: UnsafeRawBufferPointer(rebasing: $0[0..<length]).bytes, port: port)
            }
            guard let address else { return false }
            return address.with(scope: nameServers.scope(of: address.bytes)).hasRoute
        }
    }

    /// Whether something is true of one of the servers; true where they are not known.
    private func isAnyServer(_ body: (UnsafeMutablePointer<ares_addr_port_node>) -> Bool) -> Bool {
        var list: UnsafeMutablePointer<ares_addr_port_node>?
        guard let channel, ares_get_servers_ports(channel, &list) == 0 else { return true }
        defer { if let list { ares_free_data(list) } }
        var next = list
        while let node = next {
            if body(node) { return true }
            next = node.pointee.next
        }
        return false
    }

    private func finish(_ status: Int32) {
        isQuestionOpen = false
        outcome = status == 0 ? .answered : .failed(status)
    }

    private func receiveText(_ status: Int32, _ answer: UnsafeMutablePointer<UInt8>?, _ length: Int32) {
        guard isQuestionOpen else { return }
        var list: UnsafeMutablePointer<ares_txt_ext>?
        let parsed = status == 0 ? ares_parse_txt_reply_ext(answer, length, &list) : status
        defer { if let list { ares_free_data(list) } }
        var next = list
        while let string = next {
            guard keep(string.pointee) else { break }
            next = string.pointee.next
        }
        finish(parsed)
    }

    /// Adds a string to its record. False once there is no room for it; half a record is then forgotten, since it could
    /// say something else than the whole.
    private func keep(_ string: ares_txt_ext) -> Bool {
        if string.record_start != 0 || textCount == 0 {
            guard textCount < textEnds.count else { return false }
            textCount += 1
        }
        textBytes.append(UnsafeRawBufferPointer(start: string.txt, count: string.length))
        guard !textBytes.overflowed else {
            textCount -= 1
            return false
        }
        textEnds[textCount - 1] = textBytes.count
        return true
    }

    private func fill(_ family: inout Family, _ status: Int32, _ result: UnsafeMutablePointer<ares_addrinfo>?) {
        family.isOpen = false
        family.status = status
        var next = result?.pointee.nodes
        while let node = next {
            if let address = SocketAddress(node.pointee.ai_addr, length: node.pointee.ai_addrlen) {
                family.list.append(address.with(port: port))
            }
            next = node.pointee.ai_next
        }
    }

    /// Whether what has come of the addresses is an answer.
    private func settle() {
        guard isAsking else { return }
        if !v6.isOpen, !v4.isOpen {
            isAsking = false
            if outcome == .pending { finish(v6.list.isEmpty && v4.list.isEmpty ? failure : 0) }
            isQuestionOpen = false
        } else if outcome == .pending, !v6.list.isEmpty {
            outcome = .answered
        } else if outcome == .pending, !v4.list.isEmpty {
            let now = SystemClock().now
            if patience == .max { patience = now + Limits.resolutionDelay }
            if now >= patience { outcome = .answered }
        }
    }

    /// Why there are no addresses. What may pass is worth more than that there are none of one kind.
    private var failure: Int32 {
        if Self.isTemporary(v6.status), !Self.isTemporary(v4.status) { return v6.status }
        return v4.status == 0 ? Int32(ARES_ENODATA) : v4.status
    }

    /// Whether asking again may bring an answer: the servers failed or did not answer, rather than said that there is
    /// none.
    public static func isTemporary(_ status: Int32) -> Bool {
        status != Int32(ARES_SUCCESS) && status != Int32(ARES_ENODATA) && status != Int32(ARES_ENOTFOUND)
            && status != Int32(ARES_EBADNAME)
    }

    /// Whether no server was heard, rather than one that failed.
    public static func meansNoAnswer(_ status: Int32) -> Bool {
        status == Int32(ARES_ETIMEOUT) || status == Int32(ARES_ECONNREFUSED)
    }
}

extension ByteBuffer {
    /// c-ares's words for a status, without allocating.
    public mutating func append(resolverStatus status: Int32) {
        append(cString: ares_strerror(status))
    }
}
