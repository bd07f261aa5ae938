import Bytes
import CBoard
import Foundation
import Testing

@testable import Loop

/// What the kernel says, in a network of its own for each test: a thread may have one where it may make namespaces.
@Suite struct NetworkMonitorTests {
    /// Calls `body` on a thread in a network that has nothing but a loopback interface that is switched off.
    private func alone(_ body: @escaping @Sendable (Network) throws -> Void) throws {
        nonisolated(unsafe) var outcome: Result<Void, any Error>?
        let task = Task {
            if let network = Network() { outcome = Result { try body(network) } }
        }
        #expect(task.wait(seconds: 30))
        try #require(outcome, "a network for this thread").get()
    }

    /// Every change until nothing more is due.
    private func changes(_ monitor: NetworkMonitor, at now: Int64) -> [NetworkMonitor.Change] {
        var all: [NetworkMonitor.Change] = []
        while let change = monitor.next(now: now) { all.append(change) }
        return all
    }

    @Test func nothingHappens() {
        let monitor = NetworkMonitor()
        let deadline = monitor.deadline
        #expect(deadline == .max)
    }

    /// A second of suspend is told once, and less of it not until it adds up to one.
    @Test func suspend() {
        #expect(Limits.wake == 1_000)
        nonisolated(unsafe) var suspended: Int64 = 50_000
        let monitor = NetworkMonitor { suspended }
        // The same moment throughout: no other change is looked at.
        func next() -> NetworkMonitor.Change? { monitor.next(now: 0) }
        #expect(next() == nil, "what was before the start is no wake")
        suspended = 50_999
        #expect(next() == nil)
        suspended = 51_000
        #expect(next() == .wake(1_000))
        #expect(next() == nil, "once")
        suspended = 51_999
        #expect(next() == nil)
        suspended = 8 * 3_600_000 + 51_000
        #expect(next() == .wake(8 * 3_600_000))
        #expect(next() == nil)
    }

    /// Told once, soon after the first of several events and not with each of them.
    @Test(.takesInterfaces) func comesAndGoes() throws {
        try alone { network in
            let monitor = NetworkMonitor()
            #expect(!monitor.hasUsableAddress)
            // Loopback alone is no network, and switching it on or off no change.
            network.setLoopback(up: true)
            #expect(monitor.next(now: 1_000) == nil)
            let due = monitor.deadline
            #expect(due == 1_000 + Limits.networkSettling)
            #expect(monitor.next(now: due - 1) == nil && monitor.next(now: due) == nil)
            #expect(!monitor.hasUsableAddress && monitor.deadline == .max)

            network.addInterface()
            network.run("address", "add", "192.0.2.7/24", "dev", "d0")
            network.run("route", "add", "default", "via", "192.0.2.1", "dev", "d0")
            #expect(monitor.next(now: 10_000) == nil)
            #expect(monitor.deadline == 10_000 + Limits.networkSettling)
            #expect(changes(monitor, at: 10_300) == [.network] && monitor.hasUsableAddress)
            #expect(changes(monitor, at: 20_000) == [] && monitor.deadline == .max)

            // The same again is no change.
            network.run("route", "replace", "default", "via", "192.0.2.1", "dev", "d0")
            #expect(changes(monitor, at: 30_000) == [] && changes(monitor, at: 30_300) == [])

            let own = try #require(SocketAddress(literal: "192.0.2.7", port: 1))
            #expect(!monitor.isGone(own))
            network.run("address", "flush", "dev", "d0")
            #expect(changes(monitor, at: 40_000) == [])
            #expect(changes(monitor, at: 40_300) == [.network])
            #expect(monitor.isGone(own) && !monitor.hasUsableAddress)
            let loopback = try #require(SocketAddress(literal: "127.0.0.1", port: 1))
            #expect(!monitor.isGone(loopback))
        }
    }

    /// What is switched off carries nothing, though its address stays.
    @Test(.takesInterfaces) func switchedOff() throws {
        try alone { network in
            network.addInterface()
            network.run("address", "add", "192.0.2.7/24", "dev", "d0")
            let monitor = NetworkMonitor()
            let own = try #require(SocketAddress(literal: "192.0.2.7", port: 1))
            #expect(!monitor.isGone(own))
            network.run("link", "set", "d0", "down")
            #expect(changes(monitor, at: 5_000) == [])
            #expect(changes(monitor, at: 5_300) == [.network])
            #expect(monitor.isGone(own))
            network.run("link", "set", "d0", "up")
            #expect(changes(monitor, at: 9_000) == [])
            #expect(changes(monitor, at: 9_300) == [.network])
            #expect(!monitor.isGone(own))
        }
    }

    /// Gone and there again between two looks: the connection of before may be dead.
    @Test(.takesInterfaces) func aMomentWithout() throws {
        try alone { network in
            network.addInterface()
            network.run("address", "add", "192.0.2.7/24", "dev", "d0")
            let monitor = NetworkMonitor()
            network.run("address", "flush", "dev", "d0")
            network.run("address", "add", "192.0.2.7/24", "dev", "d0")
            #expect(changes(monitor, at: 5_000) == [])
            #expect(changes(monitor, at: 5_300) == [.network])
            network.run("link", "set", "d0", "down")
            network.run("link", "set", "d0", "up")
            network.settle()
            #expect(changes(monitor, at: 10_000) == [])
            #expect(changes(monitor, at: 10_300) == [.network])
        }
    }

    /// Where something changes all the time, it is looked at now and then.
    @Test(.isAlone) func changesWithoutEnd() throws {
        try alone { network in
            let monitor = NetworkMonitor()
            var looks: [Int64] = []
            for step in 0..<100 {
                network.setLoopback(up: step % 2 == 0)
                let now = 10_000 + Int64(step) * 100
                let due = monitor.deadline
                _ = monitor.next(now: now)
                if due <= now { looks.append(now) }
            }
            // 300 ms after the first, then every 1,500.
            #expect(looks.count == 7 && looks.first == 10_300)
        }
    }

    /// The kernel drops events that nobody takes and says so: everything is read anew.
    @Test(.takesInterfaces) func overflow() throws {
        try alone { network in
            let monitor = NetworkMonitor()
            var size: Int32 = 1
            setsockopt(monitor.eventSocket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            network.addInterface()
            for step in 0..<400 { network.setLoopback(up: step % 2 == 0) }
            network.run("address", "add", "192.0.2.7/24", "dev", "d0")
            #expect(changes(monitor, at: 50_000) == [] && monitor.deadline == 50_300)
            #expect(changes(monitor, at: 50_300) == [.network] && monitor.hasUsableAddress)
            // And it goes on.
            network.run("address", "flush", "dev", "d0")
            #expect(changes(monitor, at: 60_000) == [])
            #expect(changes(monitor, at: 60_300) == [.network] && !monitor.hasUsableAddress)
        }
    }

    /// Only the kernel is listened to, whoever else finds the socket.
    @Test(.isAlone) func othersAreNotListenedTo() throws {
        try alone { network in
            let monitor = NetworkMonitor()
            var own = [UInt8](repeating: 0, count: 12)
            var length = socklen_t(own.count)
            let port = own.withUnsafeMutableBytes { raw -> UInt32 in
                let address = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
                getsockname(monitor.eventSocket, address, &length)
                return raw.load(fromByteOffset: 4, as: UInt32.self)
            }
            let sender = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 0)
            defer { close(sender) }
            // struct sockaddr_nl: family, padding, port, groups.
            let to =
                Wire.number(UInt16(AF_NETLINK)) + Wire.number(UInt16(0)) + Wire.number(port) + Wire.number(UInt32(0))
            let lie = Wire.message(21, Wire.address(1, Wire.attribute(1, [192, 0, 2, 1])))
            let sent = to.withUnsafeBytes { raw in
                sendto(sender, lie, lie.count, 0, raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), 12)
            }
            // The kernel may refuse it by itself.
            #expect(sent == lie.count || cb_errno() == EPERM)
            #expect(monitor.next(now: 1_000) == nil && monitor.deadline == .max)
            network.setLoopback(up: true)
            #expect(monitor.next(now: 1_000) == nil && monitor.deadline < .max, "the socket still works")
        }
    }

    /// Which way leads to an address, by interface and gateway.
    @Test(.takesInterfaces) func paths() throws {
        try alone { network in
            network.setLoopback(up: true)
            network.addInterface()
            network.run("address", "add", "192.0.2.7/24", "dev", "d0")
            network.run("route", "add", "default", "via", "192.0.2.1", "dev", "d0")
            network.run("neighbour", "add", "192.0.2.1", "lladdr", "02:00:00:00:00:09", "dev", "d0")
            let monitor = NetworkMonitor()
            func path(_ from: String, _ to: String) -> String? {
                guard let own = SocketAddress(literal: from, port: 1), let other = SocketAddress(literal: to, port: 1),
                    let path = monitor.path(from: own, to: other)
                else { return nil }
                func hex(_ bytes: RawSpan) -> String {
                    (0..<bytes.byteCount).map { String(format: "%02x", bytes[$0]) }.joined()
                }
                let name = String(decoding: (0..<path.name.count).map { path.name[$0] }, as: UTF8.self)
                return "\(name) \(hex(path.gateway.bytes)) \(hex(path.hardware.bytes))"
            }
            #expect(path("127.0.0.1", "127.0.0.1") == "lo  ")
            #expect(path("192.0.2.7", "198.51.100.1") == "d0 c0000201 020000000009")
            #expect(path("192.0.2.7", "192.0.2.9") == "d0  ", "on the same link there is no gateway")
            // Another way out for everybody but this address, as rules do it.
            network.run("address", "add", "192.0.3.7/24", "dev", "d1")
            network.run("route", "replace", "default", "via", "192.0.3.1", "dev", "d1")
            network.run("neighbour", "add", "192.0.3.1", "lladdr", "02:00:00:00:00:0a", "dev", "d1")
            let both = NetworkMonitor()
            func way(_ from: String) -> String? {
                guard let own = SocketAddress(literal: from, port: 1),
                    let other = SocketAddress(literal: "198.51.100.1", port: 1),
                    let path = both.path(from: own, to: other)
                else { return nil }
                return "\(path.name.text) \(path.gateway.count) \(path.hardware.isEmpty ? 0 : path.hardware[5])"
            }
            #expect(way("192.0.3.7") == "d1 4 10")
            #expect(way("192.0.2.7") == "d0 0 0", "the gateway is another interface's")
            network.run("rule", "add", "from", "192.0.2.7", "lookup", "101")
            network.run("route", "add", "default", "via", "192.0.2.1", "dev", "d0", "table", "101")
            #expect(way("192.0.2.7") == "d0 4 9")
            #expect(way("192.0.3.7") == "d1 4 10")
        }
    }
}

extension Trait where Self == ConditionTrait {
    fileprivate static var isAlone: Self {
        .enabled(if: Network.isAllowed, "a thread may not have a network of its own here")
    }

    fileprivate static var takesInterfaces: Self {
        .enabled(if: Network.takesInterfaces, "no interface can be put into a network of one's own here")
    }
}

/// The network of the calling thread, which is its own.
private struct Network: Sendable {
    private let socket: Int32

    static let isAllowed = probe { _ in true }
    static let takesInterfaces = probe { $0.addInterface() }

    private static func probe(_ body: @escaping @Sendable (Network) -> Bool) -> Bool {
        nonisolated(unsafe) var outcome = false
        let task = Task {
            if let network = Network() { outcome = body(network) }
        }
        return task.wait(seconds: 30) && outcome
    }

    /// Nil where that is not allowed.
    init?() {
        guard let symbol = dlsym(nil, "unshare") else { return nil }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        // CLONE_NEWNET
        guard unshare(0x4000_0000) == 0 else { return nil }
        socket = cb_netlink_open(0)
    }

    /// RTM_NEWLINK for interface 1, with IFF_UP alone.
    func setLoopback(up: Bool) {
        let body: [UInt8] =
            [0, 0] + Wire.number(UInt16(0)) + Wire.number(Int32(1)) + Wire.number(UInt32(up ? 1 : 0))
            + Wire.number(UInt32(1))
        let message =
            Wire.number(UInt32(16 + body.count)) + Wire.number(UInt16(16)) + Wire.number(UInt16(1))
            + Wire.number(UInt32(1)) + Wire.number(UInt32(0)) + body
        #expect(send(socket, message, message.count, 0) == message.count)
    }

    /// d0, up and with a carrier, without any address. False where there is no ip(8), or no such interface.
    @discardableResult
    func addInterface() -> Bool {
        guard run("link", "add", "d0", "type", "veth", "peer", "name", "d1") else { return false }
        for name in ["d0", "d1"] {
            run("link", "set", name, "addrgenmode", "none")
            run("link", "set", name, "up")
        }
        settle()
        return true
    }

    /// A carrier comes a moment later.
    func settle() { usleep(200_000) }

    /// Runs ip(8) in this network. False if it fails.
    @discardableResult
    func run(_ arguments: String...) -> Bool {
        var child: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = (["ip"] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        // The child is made by this thread, and so in its network.
        guard posix_spawnp(&child, "ip", nil, nil, &words, environ) == 0 else { return false }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return status == 0
    }
}
