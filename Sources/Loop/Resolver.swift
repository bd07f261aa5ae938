import Bytes
import CBoard

/// DNS in the poll loop, through c-ares: one question at a time, a TXT record or the addresses of a host.
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
    /// The addresses of a host, in the order to try them.
    public private(set) var addresses = AddressList()
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

    /// Uses these servers (`address[:port]`, comma-separated) or, without any, those of the system. Nil without memory,
    /// or if the servers are no such list.
    public convenience init?(servers: String?) { self.init(servers: servers, system: nil) }

    /// `timeout` is that of the first try, in milliseconds.
    init?(servers: String?, system: SystemServers?, timeout: Int32 = 2_000) {
        self.servers = servers
        self.system = system
        self.timeout = timeout
        guard ares_library_init(ARES_LIB_INIT_ALL) == 0, open() else { return nil }
    }

    private func open() -> Bool {
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
        guard let servers else { return true }
        return ares_set_servers_ports_csv(channel, servers) == 0
    }

    deinit {
        isQuestionOpen = false
        if let channel { ares_destroy(channel) }
        ares_library_cleanup()
    }

    /// The strings of one TXT record, joined. Valid until the next question.
    public func text(_ index: Int) -> UnsafeRawBufferPointer {
        let begin = index > 0 ? textEnds[index - 1] : 0
        return UnsafeRawBufferPointer(rebasing: textBytes.pointer[begin..<textEnds[index]])
    }

    /// Asks for the TXT records of a name.
    public func askText(_ name: String) {
        guard begin() else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        name.withCString { name in
            ares_query(
                channel, name, 1, 16,
                { context, status, _, answer, length in
                    guard let context else { return }
                    Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue().receiveText(status, answer, length)
                }, me)
        }
    }

    /// Asks for the IPv6 and IPv4 addresses of a host; each comes with this port.
    public func askAddresses(_ host: String, port: UInt16) {
        guard begin() else { return }
        var hints = ares_addrinfo_hints()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let me = Unmanaged.passUnretained(self).toOpaque()
        self.port = port
        host.withCString { host in
            ares_getaddrinfo(
                channel, host, nil, &hints,
                { context, status, _, result in
                    guard let context else { return }
                    Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue().receiveAddresses(status, result)
                }, me)
        }
    }

    /// Gives the question up.
    public func cancel() {
        isQuestionOpen = false
        if let channel { ares_cancel(channel) }
        outcome = .idle
    }

    // MARK: In the loop

    /// Adds the sockets in use to a poll set.
    public func register(in set: inout PollSet) {
        guard outcome == .pending else { return }
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
        outcome == .pending ? cb_ares_timeout_ms(channel, limit) : limit
    }

    /// Reads and writes what can be and runs out timers.
    public func process() {
        guard outcome == .pending else { return }
        var sockets = InlineArray<16, Int32>(repeating: 0)
        let events = withSockets(&sockets) { ares_getsock(channel, $0, 16) }
        for index in 0..<16 where events >> Int32(index) & 0x10001 != 0 {
            ares_process_fd(channel, sockets[index], sockets[index])
        }
        ares_process_fd(channel, -1, -1)
    }

    private func withSockets(_ sockets: inout InlineArray<16, Int32>, _ body: (UnsafeMutablePointer<Int32>) -> Int32)
        -> Int32
    {
        withUnsafeMutablePointer(to: &sockets) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 16) { body($0) }
        }
    }

    // MARK: Answers

    private func begin() -> Bool {
        isQuestionOpen = false
        textBytes.removeAll()
        textCount = 0
        addresses = AddressList()
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

    private func receiveAddresses(_ status: Int32, _ result: UnsafeMutablePointer<ares_addrinfo>?) {
        defer { if let result { ares_freeaddrinfo(result) } }
        guard isQuestionOpen else { return }
        var next = result?.pointee.nodes
        while let node = next {
            if let address = SocketAddress(node.pointee.ai_addr, length: node.pointee.ai_addrlen) {
                addresses.append(address.with(port: port))
            }
            next = node.pointee.ai_next
        }
        finish(status == 0 && addresses.isEmpty ? Int32(ARES_ENODATA) : status)
    }
}

extension ByteBuffer {
    /// c-ares's words for a status, without allocating.
    public mutating func append(resolverStatus status: Int32) {
        append(cString: ares_strerror(status))
    }
}
