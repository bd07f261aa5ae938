import CBoard
import Foundation
import Testing

@testable import Loop

/// A DNS server on any port of the loopback address, UDP and TCP, written from RFC 1035. Answers come from a closure.
final class DNSServer: @unchecked Sendable {
    struct Question: Equatable, Sendable {
        var name: String
        /// 1 A, 16 TXT, 28 AAAA.
        var type: UInt16
        var bytes: [UInt8]
    }

    struct Record: Sendable {
        var type: UInt16
        var data: [UInt8]

        init(_ type: UInt16, _ data: [UInt8]) {
            self.type = type
            self.data = data
        }

        /// Names the question by a pointer and lives for a minute.
        var bytes: [UInt8] {
            var bytes: [UInt8] = [0xC0, 12, UInt8(type >> 8), UInt8(type & 255), 0, 1, 0, 0, 0, 60]
            bytes += [UInt8(data.count >> 8), UInt8(data.count & 255)]
            return bytes + data
        }
    }

    enum Answer: Sendable {
        case records([Record])
        /// A response code: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED.
        case failure(UInt8)
        /// Bytes after the identifier of the question.
        case raw([UInt8])
        /// Anything, with no right identifier.
        case garbage([UInt8])
        case silence
    }

    let fd: Int32
    let port: UInt16
    private let lock = NSLock()
    private var asked: [Question] = []
    private var answer: @Sendable (Question, Int) -> Answer
    private let stopped = DispatchSemaphore(value: 0)

    private let listener: Int32

    /// `answer` gets each question and its number from 0.
    init(_ answer: @escaping @Sendable (Question, Int) -> Answer) throws {
        (fd, listener, port) = try Self.sockets()
        self.answer = answer
        Thread.detachNewThread { [self] in
            while !(lock.withLock { ended }) { serve() }
            stopped.signal()
        }
    }

    private var ended = false

    func stop() {
        lock.withLock { ended = true }
        stopped.wait()
        close(fd)
        close(listener)
    }

    /// Both kinds on one port.
    private static func sockets() throws -> (udp: Int32, tcp: Int32, port: UInt16) {
        for _ in 0..<100 {
            let (udp, port) = try boundSocket(SOCK_DGRAM)
            if let (tcp, _) = try? boundSocket(SOCK_STREAM, port: port), listen(tcp, 16) == 0 {
                return (udp, tcp, port)
            }
            close(udp)
        }
        throw SystemError("bind", code: EADDRINUSE)
    }

    var list: String { "127.0.0.1:\(port)" }
    var questions: [Question] { lock.withLock { asked } }

    private func serve() {
        var both = [
            pollfd(fd: fd, events: Int16(POLLIN), revents: 0), pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
        poll(&both, 2, 50)
        if both[0].revents != 0 { serveDatagram() }
        if both[1].revents != 0 { serveStream() }
    }

    private func serveDatagram() {
        var packet = [UInt8](repeating: 0, count: 4096)
        var from = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &from) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(fd, &packet, packet.count, 0, $0, &length) }
        }
        guard count > 0, let reply = reply(to: Array(packet.prefix(count))) else { return }
        _ = withUnsafePointer(to: &from) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(fd, reply, reply.count, 0, $0, length) }
        }
    }

    /// One question with its length in front.
    private func serveStream() {
        let client = accept(listener, nil, nil)
        defer { close(client) }
        cb_set_socket_timeout(client, 1000)
        var packet = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &packet, packet.count, 0)
        guard count > 2, let reply = reply(to: Array(packet[2..<count])) else { return }
        sendAll(client, [UInt8(reply.count >> 8), UInt8(reply.count & 255)] + reply)
        _ = recv(client, &packet, packet.count, 0)
    }

    private func reply(to packet: [UInt8]) -> [UInt8]? {
        guard packet.count >= 12, let question = Self.question(packet) else { return nil }
        let number = lock.withLock { () -> Int in
            asked.append(question)
            return asked.count - 1
        }
        return Self.reply(to: question, answer(question, number))
    }

    private static func question(_ packet: [UInt8]) -> Question? {
        var labels: [String] = []
        var at = 12
        while at < packet.count, packet[at] > 0 {
            let end = at + 1 + Int(packet[at])
            guard end < packet.count else { return nil }
            labels.append(String(decoding: packet[at + 1..<end], as: UTF8.self))
            at = end
        }
        guard at + 5 <= packet.count else { return nil }
        let type = UInt16(packet[at + 1]) << 8 | UInt16(packet[at + 2])
        return Question(name: labels.joined(separator: "."), type: type, bytes: Array(packet.prefix(at + 5)))
    }

    private static func reply(to question: Question, _ answer: Answer) -> [UInt8]? {
        let identifier = Array(question.bytes.prefix(2))
        let section = Array(question.bytes.dropFirst(12))
        func header(code: UInt8, records: Int) -> [UInt8] {
            identifier + [0x85, 0x80 | code, 0, 1, UInt8(records >> 8), UInt8(records & 255), 0, 0, 0, 0]
        }
        switch answer {
        case .silence: return nil
        case .garbage(let bytes): return bytes
        case .raw(let bytes): return identifier + bytes
        case .failure(let code): return header(code: code, records: 0) + section
        case .records(let records):
            return header(code: 0, records: records.count) + section + records.flatMap(\.bytes)
        }
    }
}

extension DNSServer.Answer {
    /// One TXT record of these strings.
    static func text(_ strings: String...) -> Self { .records([.init(16, textData(strings))]) }

    static func textData(_ strings: [String]) -> [UInt8] {
        strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    static let none = Self.records([])
}

/// Asks and turns a loop until nothing of the question is open any more; the milliseconds it took.
@discardableResult
func resolve(_ resolver: Resolver, within limit: Int64 = 15_000, _ ask: (Resolver) -> Void) throws -> Int64 {
    try milliseconds {
        ask(resolver)
        let end = SystemClock().now + limit
        while resolver.isBusy, SystemClock().now < end {
            var set = PollSet(capacity: 16)
            resolver.register(in: &set)
            try set.wait(milliseconds: resolver.timeout(limit: 1_000))
            resolver.process()
        }
    }
}
