import CBoard
import Foundation

/// An SGP v2 server on the loopback address with faults on demand. It runs on a thread of its own; every method may be
/// called from any thread.
///
/// Written from the protocol's specification alone, so that a mistake in the gateway cannot hide behind the same mistake
/// here. It keeps every promise of SGP v2 unless `faults` or a plan tells it to break one.
public final class Server: @unchecked Sendable {
    public struct Options: Sendable {
        /// 0 takes any port.
        public var port: UInt16 = 0
        /// The web server's port; nil for none.
        public var webPort: UInt16? = 0
        /// Where certificate, key and devices are kept; nil keeps them in memory.
        public var directory: String?
        /// The server address, part of every device address.
        public var address = "sgn.test"
        public var keyKind = ServerCertificate.KeyKind.ellipticCurve
        /// Makes a certificate that was valid in 2001 only.
        public var expiredCertificate = false

        public init() {}
    }

    public let options: Options
    public let events = EventLog()
    /// What a client pins.
    public let certificate: ServerCertificate
    /// The port of the last listener.
    public private(set) var port: UInt16 = 0
    public private(set) var webPort: UInt16 = 0

    // Everything below is guarded by the lock. Recursive, so that a burst can hold it around other calls.
    let lock = NSRecursiveLock()
    var state = Faults()
    var plans: [Plan] = []
    var devices: [[UInt8]: Device] = [:]
    var connections: [Connection] = []
    /// The connection that a device's live notifications go to.
    var live: [[UInt8]: Connection] = [:]
    var webClients: [WebClient] = []
    var listener: Int32 = -1
    var webListener: Int32 = -1
    /// The payload of each message by identifier, for `resend`; the oldest go first.
    var history: [[UInt8]: Row] = [:]
    var historyOrder: [[UInt8]] = []
    var rowsMade = 0
    var bursting = false
    private var connectionsMade = 0
    private var wrong: ServerCertificate?
    private var wake: (read: Int32, write: Int32) = (-1, -1)
    private var stopping = false
    private let stopped = DispatchSemaphore(value: 0)

    /// Makes or loads the certificate, listens and starts the thread. Ignores SIGPIPE in the whole process.
    public init(_ options: Options = Options()) throws(TestbedError) {
        self.options = options
        signal(SIGPIPE, SIG_IGN)
        certificate = try Server.loadCertificate(options, name: "server", expired: options.expiredCertificate)
        devices = Server.loadDevices(options)
        wake = try Listener.pair()
        port = options.port
        try listen()
        if let port = options.webPort {
            (webListener, webPort) = try Listener.open(port: port)
            events.append(.listening, connection: 0, fields: [("http", .integer(Int64(webPort)))])
        }
        let thread = Thread { [self] in run() }
        thread.name = "testbed"
        thread.start()
    }

    /// Ends every connection and the thread, and saves the devices. Call it once, when done.
    public func stop() {
        let first = locked { () -> Bool in
            defer { stopping = true }
            return !stopping
        }
        guard first else { return }
        wakeUp()
        stopped.wait()
    }

    /// `endpoint` of a client's configuration.
    public var endpoint: String { "127.0.0.1:\(port)" }
    /// `http_addr` of a client's configuration.
    public var webAddress: String { "http://127.0.0.1:\(webPort)" }

    /// A certificate for the same name that no client has pinned. The fault `wrongCertificate` presents it.
    public var wrongCertificate: ServerCertificate {
        get throws(TestbedError) {
            lock.lock()
            defer { lock.unlock() }
            if let wrong { return wrong }
            let made = try Server.loadCertificate(options, name: "wrong", expired: false)
            wrong = made
            return made
        }
    }

    /// How the server misbehaves. May be changed at any time; transport faults count from the next connection on.
    public var faults: Faults {
        get { locked { state } }
        _modify {
            lock.lock()
            defer { lock.unlock() }
            yield &state
        }
    }

    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// Makes the server's thread look at the state again.
    func wakeUp() {
        var byte: UInt8 = 1
        _ = write(wake.write, &byte, 1)
    }

    /// Opens the port again after `unlisten`; nothing if it is open.
    public func listen() throws(TestbedError) {
        lock.lock()
        defer { lock.unlock() }
        guard listener < 0 else { return }
        (listener, port) = try Listener.open(port: port)
        events.append(.listening, connection: 0, fields: [("port", .integer(Int64(port)))])
        wakeUp()
    }

    /// Closes the port, and with `dropping` resets every connection. `listen` takes the same port again.
    public func unlisten(dropping: Bool = true) {
        locked {
            if listener >= 0 { Listener.close(listener) }
            listener = -1
            if dropping { connections.forEach { reset($0, why: "unlisten") } }
            wakeUp()
        }
    }
}

// MARK: The thread

extension Server {
    private func run() {
        while true {
            lock.lock()
            if stopping { break }
            var set = pollSet()
            let timeout = pollTimeout()
            lock.unlock()
            poll(&set, nfds_t(set.count), timeout)
            lock.lock()
            serve(set)
            lock.unlock()
        }
        connections.forEach { reset($0, why: "stop") }
        webClients.forEach { Listener.close($0.fd) }
        for fd in [listener, webListener, wake.read, wake.write] where fd >= 0 { Listener.close(fd) }
        listener = -1
        saveDevices()
        lock.unlock()
        stopped.signal()
    }

    private func pollSet() -> [pollfd] {
        var set = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
        for fd in [listener, webListener] { set.append(pollfd(fd: fd, events: Int16(POLLIN), revents: 0)) }
        for connection in connections {
            let untouched = connection.stage == .untouched
            let reads = untouched || (connection.stalled && connection.stage == .open) ? 0 : POLLIN
            let writes = connection.wantsWrite ? POLLOUT : 0
            // A negative descriptor keeps a hang-up of a stalled connection from spinning.
            set.append(pollfd(fd: reads | writes == 0 ? -1 : connection.fd, events: Int16(reads | writes), revents: 0))
        }
        for client in webClients {
            let events = client.output.isEmpty ? POLLIN : POLLOUT
            set.append(pollfd(fd: client.fd, events: Int16(events), revents: 0))
        }
        return set
    }

    private func pollTimeout() -> Int32 {
        let now = monotonic()
        var next: Int64?
        for connection in connections {
            if connection.stage == .draining { next = min(next ?? .max, connection.drainDeadline) }
            if connection.hasOutput, !connection.wantsWrite, connection.stage == .open {
                next = min(next ?? .max, connection.outbox[connection.outboxStart].time)
            }
            if connection.readAgain, connection.stage == .open, !connection.stalled { return 0 }
        }
        if state.referenceWays { next = min(next ?? .max, now + 1000) }
        guard let next else { return -1 }
        return Int32(clamping: max(0, next - now))
    }

    private func serve(_ set: [pollfd]) {
        if set[0].revents != 0 {
            var scratch = [UInt8](repeating: 0, count: 256)
            while read(wake.read, &scratch, scratch.count) > 0 {}
        }
        let ready = Dictionary(
            set.dropFirst(3).filter { $0.revents != 0 }.map { ($0.fd, $0.revents) }, uniquingKeysWith: |)
        // Connections first: a descriptor accepted below may have the number of one that ends here.
        for connection in connections { advance(connection, ready[connection.fd] ?? 0) }
        connections.removeAll { $0.stage == .ended }
        for client in webClients where ready[client.fd] != nil { advance(client) }
        webClients.removeAll { $0.ended }
        if listener >= 0 { while let fd = Listener.accept(listener) { begin(fd) } }
        if webListener >= 0 { while let fd = Listener.accept(webListener) { webClients.append(WebClient(fd)) } }
    }

    private func begin(_ fd: Int32) {
        connectionsMade += 1
        let connection = Connection(number: connectionsMade, fd: fd)
        connection.lastFrame = monotonic()
        connections.append(connection)
        log(.connected, connection)
        if state.silence.contains(.tls) {
            connection.stage = .untouched
            log(.fault, connection, [("what", .text("silent before TLS"))])
            return
        }
        guard fires(.accept, connection) else { return }
        startTLS(connection)
    }
}

// MARK: Events

extension Server {
    func log(_ kind: Event.Kind, _ connection: Connection?, _ fields: [(name: String, value: Event.Value)] = []) {
        events.append(kind, connection: connection?.number ?? 0, fields: fields)
    }

    func violation(_ connection: Connection, _ what: String, _ fields: [(name: String, value: Event.Value)] = []) {
        log(.violation, connection, [("what", .text(what))] + fields)
    }
}
