import Bytes
import CBoard
import Foundation
import Loop
import Payload
import SGP
import Store
import Testing

@testable import Gateway
@testable import Testbed

/// An uplink with a loop around it, as the gateway has one, and a server. Its clock can be put forward.
final class UplinkRig {
    let directory: StateDirectory
    let store: Store
    let server: Server
    let token = DeviceToken(serverAddress: "sgn.test", secret: Array(1...16))
    private(set) var uplink: Uplink
    /// Milliseconds that the clock is ahead.
    private(set) var ahead: Int64 = 0
    /// Whether the wall clock is put forward as well. The server's is not, so there can be no login then.
    var wallFollows = false
    /// Seconds that the system's clock is ahead of the true time.
    private(set) var wrong: Int64 = 0
    /// Turns of the loop, and the most that followed each other without any wait or progress.
    private(set) var turns = 0
    private(set) var idleTurns = 0
    private let log: Log
    /// The host of the endpoint.
    private let host: String
    private var set = PollSet(capacity: Limits.pollSlots)

    init(
        _ faults: Faults = Faults(), directory: StateDirectory? = nil, server: Server? = nil, identity: String? = nil,
        host: String = "127.0.0.1", keepAlive: KeepAlive = KeepAlive(interval: 600_000, pongTimeout: 15_000),
        prepare: (StateDirectory) throws -> Void = { _ in }
    ) throws {
        self.host = host
        self.directory = try directory ?? StateDirectory()
        self.server = try server ?? Server()
        self.server.faults = faults
        store = try self.directory.open()
        try store.add(token, bundle: "org.example.door")
        let ring = try RingLog(path: self.directory.file("log.ring"), size: 65_536)
        log = Log(level: .debug, ring: ring, stream: .none)
        try prepare(self.directory)
        uplink = try Uplink(
            Self.settings(self.server, identity: identity, host: host, keepAlive: keepAlive), routing: Routing([]),
            outlets: Outlets([], store: store, log: log), store: store,
            keyFile: KeyFile(directory: self.directory.path), log: log)
    }

    deinit { server.stop() }

    static func settings(
        _ server: Server, identity: String? = nil, host: String = "127.0.0.1",
        keepAlive: KeepAlive = KeepAlive(interval: 600_000, pongTimeout: 15_000)
    ) -> UplinkSettings {
        UplinkSettings(
            serverAddress: Blob("sgn.test") ?? Blob(), certificate: server.certificate.der,
            endpoint: Endpoint(host: host, port: server.port), resolvers: "127.0.0.1:9",
            registrationCertificate: identity,
            keepAlive: keepAlive)
    }

    // MARK: The loop

    var now: Int64 { SystemClock().now + ahead }
    var state: LinkState { uplink.link.state }

    func start() { uplink.start(now: now) }

    /// One turn; waits at most `limit` milliseconds.
    func turn(atMost limit: Int64 = 50) throws {
        turns += 1
        let before = (state, uplink.stream.stage, uplink.exchange.session.phase)
        uplink.advance(now: now, unixTime: SystemClock().unixTime + wrong + (wallFollows ? ahead / 1_000 : 0))
        set.removeAll()
        uplink.register(in: &set)
        let wait = min(max(uplink.deadline(now: now) - now, 0), limit)
        let begin = SystemClock().now
        try set.wait(milliseconds: Int32(wait))
        let moved = before != (state, uplink.stream.stage, uplink.exchange.session.phase)
        idleTurns = moved || SystemClock().now > begin ? 0 : idleTurns + 1
        // A turn that moves bytes takes less than a millisecond too, but not hundreds of them in a row.
        try #require(idleTurns < 2_000, "the loop turns in circles in the state \(state.name)")
    }

    /// Turns until a condition holds. Where the next attempt waits, the clock is put forward.
    func run(
        seconds: Double = 10, hurry: Bool = true, until condition: () -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let end = Date(timeIntervalSinceNow: seconds)
        while !condition() {
            if Date() > end {
                Issue.record(
                    "state \(state.name)\n\(lines.suffix(20).joined(separator: "\n"))", sourceLocation: location)
                throw Overdue()
            }
            if hurry, let due = uplink.link.nextAttempt, due > now { ahead += due - now }
            try turn()
        }
    }

    struct Overdue: Error {}

    func runUntilConnected() throws {
        let mark = server.events.mark
        start()
        try run { state == .connected && !server.events.of(.polled, after: mark).isEmpty }
    }

    /// Goes on for some time.
    func idle(milliseconds: Int64) throws {
        let end = SystemClock().now + milliseconds
        while SystemClock().now < end { try turn(atMost: end - SystemClock().now) }
    }

    /// Puts the clock to the deadline at hand and lets it pass.
    func passDeadline() throws {
        let due = uplink.deadline(now: now)
        try #require(due < now + 60_000, "no deadline in the state \(state.name)")
        ahead += max(due - now, 0) + 1
        try turn(atMost: 0)
    }

    /// Puts the clock to this time, unless it is later already.
    func putForward(to time: Int64) { if time > now { ahead += time - now } }

    /// As after a restart of the process.
    func restart(
        identity: String? = nil, keepAlive: KeepAlive = KeepAlive(interval: 600_000, pongTimeout: 15_000)
    ) throws {
        uplink = try Uplink(
            Self.settings(server, identity: identity, host: host, keepAlive: keepAlive), routing: Routing([]),
            outlets: Outlets([], store: store, log: log), store: store,
            keyFile: KeyFile(directory: directory.path), log: log)
    }

    /// As `date -s` does.
    func setClock(wrongBy seconds: Int64) {
        wrong = seconds
        let wasSet = uplink.timekeeper.observe(now: now, wall: SystemClock().unixMilliseconds + wrong * 1_000)
        if wasSet { uplink.clockWasSet(now: now) }
    }

    // MARK: What was seen

    /// The lines of the log without their time.
    var lines: [String] {
        log.flush()
        guard let reader = try? RingReader(path: directory.file("log.ring")), let part = try? reader.last(.max) else {
            return []
        }
        return String(decoding: part.bytes, as: UTF8.self).split(separator: "\n").map {
            String($0.drop { $0 != " " }.dropFirst())
        }
    }

    func count(_ words: String) -> Int { lines.count { $0.contains(words) } }

    @discardableResult
    func notify(_ title: String, _ change: (inout Message) -> Void = { _ in }) throws -> [UInt8] {
        var message = Message(title: title)
        change(&message)
        return try server.notify(message, token: token.text).identifier
    }
}
