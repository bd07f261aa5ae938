import Bytes
import CBoard
import Foundation
import Testing

@testable import Loop

@Suite struct ResolverTests {
    private static let name = "_sgn.sgn.test"

    /// The texts that came for the name, or why none did.
    private func texts(_ server: DNSServer) -> Result<[String], Failure> {
        guard let resolver = quick(server) else {
            return .failure(Failure(description: "no resolver"))
        }
        ask(resolver) { $0.askText(Self.name) }
        return result(resolver) { (0..<resolver.textCount).map { String(decoding: resolver.text($0), as: UTF8.self) } }
    }

    private func addresses(_ server: DNSServer, host: String = "host.sgn.test") -> Result<[String], Failure> {
        guard let resolver = quick(server) else {
            return .failure(Failure(description: "no resolver"))
        }
        ask(resolver) { $0.askAddresses(host, port: 7373) }
        return result(resolver) { (0..<resolver.addresses.count).compactMap { resolver.addresses[$0]?.text } }
    }

    /// One that waits shorter.
    private func quick(_ server: DNSServer) -> Resolver? {
        Resolver(servers: server.list, system: nil, timeout: 300)
    }

    private func ask(_ resolver: Resolver, _ ask: (Resolver) -> Void) {
        do { try resolve(resolver, ask) } catch { Issue.record(error) }
    }

    struct Failure: Error, Equatable, CustomStringConvertible {
        var description: String
    }

    private func result(_ resolver: Resolver, _ good: () -> [String]) -> Result<[String], Failure> {
        switch resolver.outcome {
        case .answered: .success(good())
        case .failed(let status): .failure(Failure(description: text { $0.append(resolverStatus: status) }))
        case .idle, .pending: .failure(Failure(description: "\(resolver.outcome)"))
        }
    }

    private func with(
        _ answer: @escaping @Sendable (DNSServer.Question, Int) -> DNSServer.Answer, _ body: (DNSServer) throws -> Void
    ) throws {
        let server = try DNSServer(answer)
        defer { server.stop() }
        try body(server)
    }

    // MARK: TXT

    @Test func oneRecord() throws {
        try with({ _, _ in .text("tcp_addr=192.0.2.1 tcp_port=7373") }) { server in
            #expect(texts(server) == .success(["tcp_addr=192.0.2.1 tcp_port=7373"]))
            #expect(server.questions.map(\.name) == [Self.name])
            #expect(server.questions.map(\.type) == [16])
        }
    }

    /// Strings of one record are joined without anything between them (SGP v2 §1).
    @Test func stringsAreJoined() throws {
        try with({ _, _ in .text("tcp_addr=192.0", "", ".2.1 tcp_po", "rt=7373") }) { server in
            #expect(texts(server) == .success(["tcp_addr=192.0.2.1 tcp_port=7373"]))
        }
    }

    @Test(arguments: [0, 1, 2, 7, 8, 9, 12]) func severalRecords(count: Int) throws {
        try with({ _, _ in
            .records((0..<count).map { .init(16, DNSServer.Answer.textData(["record", " \($0)"])) })
        }) { server in
            let kept = (0..<min(count, 8)).map { "record \($0)" }
            let result = texts(server)
            if count == 0 {
                #expect(result == .failure(Failure(description: "DNS server returned answer with no data")))
            } else {
                #expect(result == .success(kept))
            }
        }
    }

    @Test func emptyStrings() throws {
        try with({ _, _ in .records([.init(16, [0]), .init(16, [0, 0]), .init(16, [1, 0x78])]) }) { server in
            #expect(texts(server) == .success(["", "", "x"]))
        }
    }

    @Test func bytesThatAreNoText() throws {
        try with({ _, _ in .records([.init(16, [4, 0, 0xFF, 0x0A, 0x20])]) }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            try resolve(resolver) { $0.askText(Self.name) }
            #expect(resolver.textCount == 1)
            #expect(Array(resolver.text(0)) == [0, 0xFF, 0x0A, 0x20])
        }
    }

    /// An answer over 512 bytes comes by TCP. All records together have 4,096 bytes; one that does not fit whole is left out, for half of it could say
    /// something else.
    @Test(arguments: [15, 16, 17]) func tooMuchText(strings: Int) throws {
        let string = String(repeating: "x", count: 255)
        // 16 × 255 = 4,080 bytes, and then 16 more fit.
        let long = DNSServer.Answer.textData(Array(repeating: string, count: strings) + ["tcp_port=73", "73"])
        try with({ _, _ in .records([.init(16, DNSServer.Answer.textData(["ok"])), .init(16, long)]) }) { server in
            let whole = String(repeating: string, count: strings) + "tcp_port=7373"
            #expect(texts(server) == .success(whole.utf8.count + 2 <= 4096 ? ["ok", whole] : ["ok"]))
        }
    }

    /// Other records among the answers, an alias for one, do not disturb.
    @Test func otherRecords() throws {
        try with({ _, _ in
            .records([.init(1, [192, 0, 2, 1]), .init(16, [1, 0x61]), .init(99, [1, 2, 3]), .init(16, [1, 0x62])])
        }) { server in
            #expect(texts(server) == .success(["a", "b"]))
        }
    }

    // MARK: Failures

    /// NXDOMAIN is final; another server could do better than one that fails or refuses, so c-ares asks once more.
    @Test(arguments: [(2, 2), (3, 1), (5, 2)] as [(UInt8, Int)]) func failures(code: UInt8, times: Int) throws {
        try with({ _, _ in .failure(code) }) { server in
            let words = code == 3 ? "Domain name not found" : "Could not contact DNS servers"
            #expect(texts(server) == .failure(Failure(description: words)))
            #expect(server.questions.count == times)
            #expect(addresses(server) == .failure(Failure(description: words)))
        }
    }

    @Test func anAnswerAfterAFailure() throws {
        try with({ _, number in number == 0 ? .failure(2) : .text("x") }) { server in
            #expect(texts(server) == .success(["x"]))
        }
    }

    @Test func noSuchRecord() throws {
        try with({ _, _ in .none }) { server in
            #expect(texts(server) == .failure(Failure(description: "DNS server returned answer with no data")))
            #expect(addresses(server) == .failure(Failure(description: "DNS server returned answer with no data")))
        }
    }

    /// Twice, after two seconds and after four: then it is over.
    @Test func silence() throws {
        try with({ _, _ in .silence }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            let took = try resolve(resolver) { $0.askText(Self.name) }
            #expect(resolver.outcome == .failed(Int32(ARES_ETIMEOUT)))
            #expect(took >= 4_000 && took < 10_000)
            #expect(server.questions.count == 2)
        }
    }

    /// However many are silent: the last one is asked before Uplink gives the question up.
    @Test(arguments: [1, 3, 4, 6, 16]) func silentOnesFirst(count: Int) throws {
        try with({ _, _ in .silence }) { silent in
            try with({ _, _ in .text("x") }) { server in
                let list = Array(repeating: silent.list, count: count - 1) + [server.list]
                let resolver = try #require(Resolver(servers: list.joined(separator: ",")))
                let took = try resolve(resolver) { $0.askText(Self.name) }
                #expect(resolver.outcome == .answered && took < Limits.connect - 1_000)
                #expect(silent.questions.count == count - 1)
            }
        }
    }

    @Test func nobodyListens() throws {
        let (fd, port) = try boundSocket(SOCK_DGRAM)
        close(fd)
        let resolver = try #require(Resolver(servers: "127.0.0.1:\(port)"))
        let took = try resolve(resolver) { $0.askText(Self.name) }
        guard case .failed = resolver.outcome else { return #expect(Bool(false), "\(resolver.outcome)") }
        #expect(took < 10_000)
    }

    /// What is no answer to the question is not taken for one; the right one may follow.
    @Test(
        arguments: [
            [], [0], [UInt8](repeating: 0, count: 11), [UInt8](repeating: 0xFF, count: 12),
            [UInt8](repeating: 0xFF, count: 4096), Array("HTTP/1.1 200 OK\r\n\r\n".utf8),
        ] as [[UInt8]])
    func garbage(bytes: [UInt8]) throws {
        try with({ _, number in number == 0 ? .garbage(bytes) : .text("after garbage") }) { server in
            let resolver = try #require(quick(server))
            let took = try resolve(resolver) { $0.askText(Self.name) }
            #expect(took < 3_000)
            if resolver.outcome == .answered {
                #expect(String(decoding: resolver.text(0), as: UTF8.self) == "after garbage")
            }
        }
    }

    /// The identifier is right and the rest is not: a failure or silence, never a crash or an answer.
    @Test(
        arguments: [
            [], [0x85, 0x80], [0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0], [0x85, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0],
            [0x85, 0x80, 0, 0, 0, 1, 0, 0, 0, 0, 0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 200, 5],
            [0x85, 0x80, 0, 0, 0, 1, 0, 0, 0, 0, 0xC0, 0x0C],
        ] as [[UInt8]])
    func brokenAnswers(bytes: [UInt8]) throws {
        try with({ _, _ in .raw(bytes) }) { server in
            let resolver = try #require(quick(server))
            let took = try resolve(resolver) { $0.askText(Self.name) }
            guard case .failed = resolver.outcome else { return #expect(Bool(false), "\(resolver.outcome)") }
            #expect(took < 10_000)
        }
    }

    /// A record whose strings run past its end is no record.
    @Test(arguments: [[5, 0x61], [0xFF], [1, 0x61, 2, 0x62]] as [[UInt8]]) func brokenRecords(data: [UInt8]) throws {
        try with({ _, _ in .records([.init(16, data)]) }) { server in
            guard case .failure = texts(server) else { return #expect(Bool(false)) }
        }
    }

    @Test(arguments: ["", ".", "..", "a..b", String(repeating: "x", count: 64), String(repeating: "x.", count: 200)])
    func namesThatAreNone(name: String) throws {
        try with({ _, _ in .none }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            for ask in [{ $0.askText(name) }, { $0.askAddresses(name, port: 1) }] as [(Resolver) -> Void] {
                let took = try resolve(resolver, ask)
                guard case .failed = resolver.outcome else { return #expect(Bool(false), "\(resolver.outcome)") }
                #expect(took < 10_000)
            }
        }
    }

    // MARK: Addresses

    /// Loopback addresses both: RFC 6724 puts ::1 first.
    @Test func bothKinds() throws {
        try with({ question, _ in
            question.type == 28
                ? .records([.init(28, [UInt8](repeating: 0, count: 15) + [1])]) : .records([.init(1, [127, 0, 0, 1])])
        }) { server in
            #expect(addresses(server) == .success(["[::1]:7373", "127.0.0.1:7373"]))
            #expect(Set(server.questions.map(\.type)) == [1, 28])
        }
    }

    @Test(arguments: [1, 28] as [UInt16]) func oneKindAlone(type: UInt16) throws {
        let record: DNSServer.Record =
            type == 1 ? .init(1, [127, 0, 0, 9]) : .init(28, [UInt8](repeating: 0, count: 15) + [1])
        for other in [DNSServer.Answer.none, .failure(3)] {
            try with({ question, _ in question.type == type ? .records([record]) : other }) { server in
                #expect(addresses(server) == .success([type == 1 ? "127.0.0.9:7373" : "[::1]:7373"]))
            }
        }
    }

    @Test(arguments: [7, 8, 9, 30]) func manyAddresses(count: Int) throws {
        try with({ question, _ in
            question.type == 1 ? .records((0..<count).map { .init(1, [127, 0, 0, UInt8($0 + 1)]) }) : .none
        }) { server in
            let found = try addresses(server).get()
            #expect(found.count == min(count, 8))
            #expect(Set(found).count == found.count)
            #expect(found.allSatisfy { $0.hasPrefix("127.0.0.") && $0.hasSuffix(":7373") })
        }
    }

    /// A record of the wrong length, and one of the other kind.
    @Test(arguments: [(1, []), (1, [127, 0, 0]), (1, [127, 0, 0, 1, 1]), (28, [0, 0, 0, 1])] as [(UInt16, [UInt8])])
    func brokenAddresses(type: UInt16, data: [UInt8]) throws {
        try with({ _, _ in .records([.init(type, data)]) }) { server in
            guard case .failure = addresses(server) else { return #expect(Bool(false)) }
        }
    }

    /// c-ares knows some without asking; the outcome is there at once.
    @Test(arguments: [("::1", "[::1]:7373"), ("127.0.0.9", "127.0.0.9:7373"), ("localhost", "127.0.0.1:7373")])
    func atOnce(host: String, expected: String) throws {
        try with({ _, _ in .silence }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            resolver.askAddresses(host, port: 7373)
            #expect(resolver.outcome == .answered)
            let addresses = resolver.addresses
            // "localhost" may have two.
            let literal = host == "localhost" ? "127.0.0.1" : host
            #expect(addresses.contains(try #require(SocketAddress(literal: literal, port: 7373))))
            #expect(resolver.timeout(limit: 50) == 50)
        }
    }

    // MARK: One question after the other

    @Test func aNewQuestionEndsTheOldOne() throws {
        try with({ question, _ in question.name == "slow.test" ? .silence : .text(question.name) }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            resolver.askText("slow.test")
            #expect(resolver.outcome == .pending)
            try resolve(resolver) { $0.askText("quick.test") }
            #expect(resolver.outcome == .answered)
            #expect(String(decoding: resolver.text(0), as: UTF8.self) == "quick.test")
            try resolve(resolver) { $0.askAddresses("127.0.0.1", port: 1) }
            #expect(resolver.textCount == 0)
        }
    }

    @Test func givenUp() throws {
        try with({ _, _ in .silence }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            resolver.cancel()
            #expect(resolver.outcome == .idle)
            resolver.askText(Self.name)
            resolver.cancel()
            #expect(resolver.outcome == .idle)
            var set = PollSet(capacity: 4)
            resolver.register(in: &set)
            resolver.process()
            #expect(resolver.outcome == .idle)
            #expect(resolver.timeout(limit: 77) == 77)
        }
    }

    /// A resolver may go while a question is open.
    @Test func goneInTheMiddle() throws {
        try with({ _, _ in .silence }) { server in
            for _ in 0..<20 {
                let resolver = try #require(Resolver(servers: server.list))
                resolver.askText(Self.name)
                resolver.process()
            }
        }
    }

    /// The same record asked for again is asked for again: nothing between us and the server keeps it for the 60 s that
    /// it lives.
    @Test func nothingIsKept() throws {
        try with({ _, number in .text("answer \(number)") }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            for number in 0..<3 {
                try resolve(resolver) { $0.askText(Self.name) }
                #expect(String(decoding: resolver.text(0), as: UTF8.self) == "answer \(number)")
            }
        }
    }

    /// Sockets do not pile up.
    @Test func hundredsOfQuestions() throws {
        try with({ _, number in number % 3 == 0 ? .failure(3) : .text("x") }) { server in
            let resolver = try #require(Resolver(servers: server.list))
            let before = try socketsTo(server.port)
            for _ in 0..<300 { try resolve(resolver) { $0.askText(Self.name) } }
            #expect(try socketsTo(server.port) <= before + 1)
        }
    }

    /// Connected UDP sockets of this machine that lead to a port.
    private func socketsTo(_ port: UInt16) throws -> Int {
        let wanted = ":" + String(port, radix: 16, uppercase: true)
        return try String(contentsOfFile: "/proc/net/udp", encoding: .ascii).split(separator: "\n").dropFirst()
            .count { line in line.split(separator: " ").dropFirst(2).first?.hasSuffix(wanted) ?? false }
    }

    @Test(arguments: ["nonsense", "127.0.0.1:x", "127.0.0.1,nonsense"]) func listsThatAreNone(list: String) {
        #expect(Resolver(servers: list) == nil)
    }

    // MARK: The system's servers

    /// A board gets its resolv.conf when its network comes, long after the gateway has started.
    @Test func resolvConfThatComesLater() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("resolv.conf")
        try with({ _, _ in .text("found") }) { server in
            try "nameserver 127.0.0.2\n".write(toFile: file, atomically: true, encoding: .utf8)
            let resolver = try #require(
                Resolver(servers: nil, system: .init(path: file, port: server.port), timeout: 200))
            try resolve(resolver) { $0.askText(Self.name) }
            guard case .failed = resolver.outcome else { return #expect(Bool(false), "\(resolver.outcome)") }
            try "nameserver 127.0.0.1\n".write(toFile: file, atomically: true, encoding: .utf8)
            try resolve(resolver) { $0.askText(Self.name) }
            #expect(resolver.outcome == .answered)
        }
    }
}
