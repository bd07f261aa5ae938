import Bytes
import CBoard
import Foundation
import Testing

@testable import Loop

/// Happy eyeballs (RFC 8305).
@Suite struct DialerTests {
    private func list(_ addresses: [(String, UInt16)]) throws -> AddressList {
        var list = AddressList()
        for (literal, port) in addresses { list.append(try #require(SocketAddress(literal: literal, port: port))) }
        return list
    }

    private func words(_ event: Dialer.Event) -> String {
        switch event {
        case .began(let address): "began \(address.text)"
        case .failed(let address, .network(let error)): "\(address.text) \(error.code)"
        case .failed(let address, _): "\(address.text) failed"
        case .impossible(let address, let error): "\(address.text) impossible \(error.code)"
        case .silent(let address): "silent \(address.text)"
        case .connected(let address): "connected \(address.text)"
        case .exhausted: "exhausted"
        }
    }

    /// Everything that happens at one moment.
    private func events(_ dialer: inout Dialer, at now: Int64) -> [String] {
        var all: [String] = []
        while let event = dialer.next(now: now) { all.append(words(event)) }
        return all
    }

    /// Turns a loop until an address is connected or none is left.
    private func run(_ dialer: inout Dialer, limit: Int64 = 5_000) throws -> [String] {
        var all: [String] = []
        let end = SystemClock().now + limit
        while SystemClock().now < end {
            all += events(&dialer, at: SystemClock().now)
            if let last = all.last, last.hasPrefix("connected") || last == "exhausted" { break }
            var set = PollSet(capacity: 16)
            dialer.register(in: &set)
            let wait = min(max(dialer.deadline - SystemClock().now, 0), 100)
            try set.wait(milliseconds: Int32(wait))
        }
        return all
    }

    private func dial(_ addresses: [(String, UInt16)], first: Int = 0) throws -> (events: [String], took: Int64) {
        var dialer = Dialer()
        var all: [String] = []
        let took = try milliseconds {
            dialer.start(try list(addresses), first: first, now: SystemClock().now)
            all = try run(&dialer)
        }
        let socket = dialer.take()
        if socket >= 0 { close(socket) }
        #expect((socket >= 0) == (all.last?.hasPrefix("connected") ?? false))
        return (all, took)
    }

    // MARK: Which one

    @Test func oneThatAnswers() throws {
        let listener = try TCPListener()
        let (events, _) = try dial([("127.0.0.1", listener.port)])
        #expect(events == ["began 127.0.0.1:\(listener.port)", "connected 127.0.0.1:\(listener.port)"])
    }

    @Test func none() throws {
        var dialer = Dialer()
        dialer.start(AddressList(), now: 0)
        #expect(events(&dialer, at: 0) == ["exhausted"])
        let (deadline, isActive, socket) = (dialer.deadline, dialer.isActive, dialer.take())
        #expect(deadline == .max && !isActive && socket == -1)
    }

    /// Monal #1411, mailflow #382: an AAAA into a black hole and a good A: connected within 1 s.
    @Test func aBlackHoleFirst() throws {
        let hole = try FullListener(IPv6: true)
        let listener = try TCPListener()
        let (events, took) = try dial([("::1", hole.port), ("127.0.0.1", listener.port)])
        #expect(
            events == [
                "began [::1]:\(hole.port)", "began 127.0.0.1:\(listener.port)", "connected 127.0.0.1:\(listener.port)",
            ])
        #expect(took >= 240 && took < 1_000)
    }

    /// An address that fails is not waited for.
    @Test func refusedFirst() throws {
        let listener = try TCPListener()
        let (events, took) = try dial([
            ("127.0.0.2", listener.port), ("127.0.0.3", listener.port), ("127.0.0.1", listener.port),
        ])
        #expect(events.last == "connected 127.0.0.1:\(listener.port)")
        #expect(events.filter { $0.hasSuffix(" \(ECONNREFUSED)") }.count == 2)
        #expect(took < 200)
    }

    /// All fail, each told once; the way out is known at once where there is none.
    @Test func allFail() throws {
        let (fd, port) = try boundSocket(SOCK_STREAM)
        defer { close(fd) }
        let (events, took) = try dial([("127.0.0.1", port), ("127.0.0.2", port), ("255.255.255.255", port)])
        #expect(events.last == "exhausted" && events.filter { $0.hasPrefix("began") }.count == 2)
        #expect(events.contains("127.0.0.1:\(port) \(ECONNREFUSED)"))
        #expect(events.filter { $0.hasPrefix("255.255.255.255:\(port) impossible") }.count == 1)
        #expect(took < 1_000)
    }

    /// The one that worked last is first, the others follow in their order.
    @Test(arguments: [0, 1, 2, 3, -1]) func order(first: Int) throws {
        let (fd, port) = try boundSocket(SOCK_STREAM)
        close(fd)
        let names = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
        let (events, _) = try dial(names.map { ($0, port) }, first: first)
        let begun = events.filter { $0.hasPrefix("began") }.map { $0.dropFirst(6).dropLast(String(port).count + 1) }
        let from = max(first, 0)
        #expect(begun.map(String.init) == (0..<3).map { names[(from + $0) % 3] })
    }

    // MARK: When, in a time of our own

    /// Each 250 ms after the one before, all of them at once in the end, each for ten seconds.
    @Test(arguments: [1, 2, 7, 8, 9, 12]) func silence(count: Int) throws {
        let hole = try FullListener()
        let kept = min(count, 8)
        var dialer = Dialer()
        dialer.start(try list((1...count).map { ("127.0.0.\($0)", hole.port) }), now: 1_000)
        for index in 0..<kept {
            let due = 1_000 + Int64(index) * 250
            if index > 0 {
                let deadline = dialer.deadline
                #expect(deadline == due)
                #expect(events(&dialer, at: due - 1) == [])
            }
            #expect(events(&dialer, at: due) == ["began 127.0.0.\(index + 1):\(hole.port)"])
        }
        for index in 0..<kept {
            let due = 11_000 + Int64(index) * 250
            let deadline = dialer.deadline
            #expect(deadline == due)
            let last = index == kept - 1 ? ["exhausted"] : []
            #expect(events(&dialer, at: due) == ["silent 127.0.0.\(index + 1):\(hole.port)"] + last)
        }
        let deadline = dialer.deadline
        #expect(deadline == .max)
    }

    /// Addresses that come later are taken up, known ones are not, and none is missed while more may come.
    @Test func lateAddresses() throws {
        let hole = try FullListener()
        let listener = try TCPListener()
        var dialer = Dialer()
        dialer.start(try list([("127.0.0.1", hole.port)]), isOpen: true, now: 0)
        #expect(events(&dialer, at: 0) == ["began 127.0.0.1:\(hole.port)"])
        #expect(events(&dialer, at: 10_000) == ["silent 127.0.0.1:\(hole.port)"])
        let (isActive, hasReserve) = (dialer.isActive, dialer.hasReserve)
        #expect(isActive && hasReserve, "more may come")
        dialer.add(try #require(SocketAddress(literal: "127.0.0.1", port: hole.port)))
        #expect(events(&dialer, at: 10_000) == [])
        dialer.add(try listener.address)
        #expect(events(&dialer, at: 10_000).first == "began 127.0.0.1:\(listener.port)")
        dialer.stop()
        dialer.add(try listener.address)
        #expect(events(&dialer, at: 10_001) == [])
    }

    /// What is connected may turn out to be of no use: the others stay in reserve.
    @Test func reserve() throws {
        let (one, other) = (try TCPListener(), try TCPListener())
        var dialer = Dialer()
        dialer.start(try list([("127.0.0.1", one.port), ("127.0.0.1", other.port)]), now: SystemClock().now)
        #expect(try run(&dialer).last == "connected 127.0.0.1:\(one.port)")
        let socket = dialer.take()
        let (nothing, quiet) = (dialer.take(), events(&dialer, at: SystemClock().now))
        #expect(socket >= 0 && nothing == -1 && quiet == [])
        let resumed = dialer.resume(now: SystemClock().now)
        #expect(resumed)
        #expect(try run(&dialer) == ["began 127.0.0.1:\(other.port)", "connected 127.0.0.1:\(other.port)"])
        let second = dialer.take()
        let again = dialer.resume(now: SystemClock().now)
        #expect(second >= 0 && !again)
        for one in [socket, second] { close(one) }
    }

    /// Whatever is under way is closed by a new start, a stop and the end.
    @Test func nothingStaysOpen() throws {
        let hole = try FullListener()
        let before = try socketsTo(hole.port)
        do {
            var dialer = Dialer()
            let addresses = try list((1...8).map { ("127.0.0.\($0)", hole.port) })
            for round in 0..<20 {
                dialer.start(addresses, now: 0)
                for moment in 0..<8 { _ = events(&dialer, at: Int64(moment) * 250) }
                #expect(try socketsTo(hole.port, expected: before + 8) == before + 8)
                if round % 2 == 0 { dialer.stop() }
            }
        }
        #expect(try socketsTo(hole.port, expected: before) == before)
    }

    /// The same, looked for again for a moment: the kernel's list may miss or repeat sockets where others come and go.
    private func socketsTo(_ port: UInt16, expected: Int) throws -> Int {
        var count = try socketsTo(port)
        for _ in 0..<50 where count != expected {
            usleep(20_000)
            count = try socketsTo(port)
        }
        return count
    }

    /// TCP sockets of this machine that are connecting to a port.
    private func socketsTo(_ port: UInt16) throws -> Int {
        let wanted = ":" + String(port, radix: 16, uppercase: true)
        // Its size is not known before its end is read.
        let table = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp")).readToEnd() ?? Data()
        return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst()
            .count { line in
                let fields = line.split(separator: " ")
                return fields.count > 3 && fields[2].hasSuffix(wanted) && fields[3] == "02"
            }
    }
}

/// A TCP port of every loopback address whose queue is full: no answer to a SYN.
final class FullListener {
    let port: UInt16
    private var descriptors: [Int32] = []

    init(IPv6: Bool = false) throws {
        let family = IPv6 ? AF_INET6 : AF_INET
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let any = try #require(SocketAddress(literal: IPv6 ? "::1" : "0.0.0.0", port: 0))
        let listener = socket(family, kind, 0)
        descriptors = [listener]
        try #require(any.withPointer { bind(listener, $0, $1) } == 0)
        port = try #require(SocketAddress(ownEndOf: listener)).port
        listen(listener, 0)
        let own = try #require(SocketAddress(literal: IPv6 ? "::1" : "127.0.0.1", port: port))
        for _ in 0..<3 {
            let filler = socket(family, kind, 0)
            descriptors.append(filler)
            _ = own.withPointer { connect(filler, $0, $1) }
        }
    }

    deinit { descriptors.forEach { close($0) } }
}
