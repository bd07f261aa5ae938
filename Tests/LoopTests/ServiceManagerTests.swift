import CBoard
import Foundation
import Testing

@testable import Loop

/// The environment is the process's, so one after the other.
@Suite(.serialized) struct ServiceManagerTests {
    /// A manager that listens on a datagram socket.
    final class Manager {
        let fd: Int32
        private let directory: TemporaryDirectory
        private(set) var name = ""

        init(abstract: Bool) throws {
            directory = try TemporaryDirectory()
            fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            name = abstract ? "@skyglow-test-\(getpid())-\(fd)" : directory.file("notify")
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = name
            withUnsafeMutableBytes(of: &address.sun_path) { to in
                to.copyBytes(from: path.utf8)
                if abstract { to[0] = 0 }
            }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, length) == 0 }
            }
            try #require(bound)
        }

        deinit { close(fd) }

        func next() -> String? {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(fd, &bytes, bytes.count, 0)
            return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
        }
    }

    private func environment(_ values: [String: String?], _ body: () throws -> Void) rethrows {
        defer { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }
        for (name, value) in values { if let value { setenv(name, value, 1) } else { unsetenv(name) } }
        try body()
    }

    @Test(arguments: [false, true]) func words(abstract: Bool) throws {
        let listener = try Manager(abstract: abstract)
        environment(["NOTIFY_SOCKET": listener.name]) {
            var manager = ServiceManager(now: 0)
            #expect(listener.next() == nil)
            manager.ready()
            manager.status("connected")
            manager.sign(now: 1_000_000)
            manager.stopping()
            #expect(listener.next() == "READY=1")
            #expect(listener.next() == "STATUS=connected")
            #expect(listener.next() == "STOPPING=1")
            #expect(listener.next() == nil)
            let deadline = manager.deadline
            #expect(deadline == .max)
        }
    }

    @Test(arguments: [
        "", nil, "/nowhere/notify", String(repeating: "x", count: 108), String(repeating: "/x", count: 500),
    ])
    func nobodyListens(name: String?) {
        environment(["NOTIFY_SOCKET": name, "WATCHDOG_USEC": name == nil ? "1000000" : nil]) {
            var manager = ServiceManager(now: 0)
            manager.ready()
            manager.status("connected")
            manager.sign(now: 5)
            manager.stopping()
            let deadline = manager.deadline
            #expect(deadline == .max)
        }
    }

    /// Half of the time that the manager waits.
    @Test(arguments: [("30000000", 15_000), ("2000", 1), ("1", 1), ("1999999", 999)] as [(String, Int64)])
    func watchdog(microseconds: String, interval: Int64) throws {
        let listener = try Manager(abstract: true)
        environment(["NOTIFY_SOCKET": listener.name, "WATCHDOG_USEC": microseconds]) {
            var manager = ServiceManager(now: 100)
            var deadline = manager.deadline
            #expect(deadline == 100)
            manager.sign(now: 99)
            #expect(listener.next() == nil)
            manager.sign(now: 100)
            #expect(listener.next() == "WATCHDOG=1")
            deadline = manager.deadline
            #expect(deadline == 100 + interval)
            manager.sign(now: 100 + interval - 1)
            #expect(listener.next() == nil)
            manager.sign(now: 100 + interval)
            #expect(listener.next() == "WATCHDOG=1")
            deadline = manager.deadline
            #expect(deadline == 100 + 2 * interval)
        }
    }

    @Test(arguments: ["0", "-5", "x", "", "99999999999999999999999", " 5"]) func noWatchdog(microseconds: String) throws
    {
        let listener = try Manager(abstract: true)
        environment(["NOTIFY_SOCKET": listener.name, "WATCHDOG_USEC": microseconds]) {
            var manager = ServiceManager(now: 0)
            manager.sign(now: 1_000_000)
            let deadline = manager.deadline
            #expect(listener.next() == nil && deadline == .max)
        }
    }

    @Test func aWatchdogOfAnotherProcess() throws {
        let listener = try Manager(abstract: true)
        for (owner, feeds) in [("\(getpid())", true), ("1", false), ("x", false)] {
            environment(["NOTIFY_SOCKET": listener.name, "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": owner]) {
                var manager = ServiceManager(now: 0)
                manager.sign(now: 0)
                #expect(listener.next() == (feeds ? "WATCHDOG=1" : nil))
            }
        }
    }

    /// A manager that does not read is not waited for.
    @Test func aFullQueue() throws {
        let listener = try Manager(abstract: true)
        environment(["NOTIFY_SOCKET": listener.name]) {
            var manager = ServiceManager(now: 0)
            let took = milliseconds { for _ in 0..<2000 { manager.status("connected") } }
            #expect(took < 5000)
            #expect(listener.next() == "STATUS=connected")
        }
    }
}
