import Bytes
import CBoard
import Testing

@testable import Loop

/// The listener with real sockets of the loopback address and a clock of the test's.
private final class Rig {
    let listener: HTTPListener
    let port: UInt16
    var now: Int64 = 1_000_000
    var allows = true
    var holds = false
    /// Methods, targets and lengths of bodies, in the order in which they were handled.
    private(set) var handled: [String] = []
    /// Lengths of the addresses that were asked about.
    private(set) var peers: [Int] = []
    /// Status and address of what was no request.
    private(set) var refused: [String] = []
    private var set = PollSet(capacity: Limits.pollSlots)

    init(host: String = "127.0.0.1", port: UInt16? = nil) throws {
        if let port {
            self.port = port
        } else {
            let bound = try boundSocket(SOCK_STREAM)
            close(bound.fd)
            self.port = bound.port
        }
        listener = HTTPListener(address: try #require(SocketAddress(literal: host, port: self.port)))
        try turn()
    }

    /// One turn of the loop. The answers say the length of the body.
    func turn(waiting milliseconds: Int32 = 0, durable: Bool = true) throws {
        set.removeAll()
        listener.register(in: &set)
        try set.wait(milliseconds: listener.wantsTurn ? 0 : milliseconds)
        listener.collect(set)
        listener.advance(
            now: now,
            allows: { peer in
                self.peers.append(peer.byteCount)
                return self.allows
            },
            refused: { status, peer in
                self.refused.append("\(status) \(text(capacity: 64) { $0.append(address: peer) })")
            },
            handle: { method, target, body, _, answer in
                let text = target.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                self.handled.append(
                    "\(method == .post ? "POST" : method == .head ? "HEAD" : "other") \(text) \(body.byteCount)")
                answer.status = 202
                answer.body.append("took ")
                answer.body.append(decimal: body.byteCount)
                answer.isHeld = self.holds
            })
        listener.release(durable: durable, now: now)
    }

    /// Turns until nothing happens any more.
    func settle(durable: Bool = true) throws { for _ in 0..<8 { try turn(waiting: 5, durable: durable) } }

    /// Moves the clock; then what is due happens.
    func pass(_ milliseconds: Int64) throws {
        now += milliseconds
        try settle()
    }
}

private final class Client {
    let fd: Int32

    init(_ rig: Rig, host: String = "127.0.0.1", receiveBuffer: Int32? = nil) throws {
        let address = try #require(SocketAddress(literal: host, port: rig.port))
        fd = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer { setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        let result = address.withPointer { connect(fd, $0, $1) }
        try #require(result == 0)
    }

    deinit { close(fd) }

    func send(_ text: String) { sendAll(fd, Array(text.utf8)) }

    /// What has come by now; nil once the other side has closed and everything was read.
    func take() -> String? {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(fd, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count <= 0 {
                let isOver = count == 0 || cb_errno() == ECONNRESET
                return isOver && text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
            }
            text += chunk.prefix(count)
        }
    }

    /// The status of the one answer that has come, 0 for none.
    func status() -> Int {
        let words = (take() ?? "").split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }
}

private func post(_ length: Int, _ fields: String = "", sent: Int? = nil) -> String {
    "POST /p HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(length)\r\n\r\n"
        + String(repeating: "b", count: sent ?? length)
}

@Suite struct HTTPListenerTests {
    @Test(arguments: [0, 1, 8_191, 8_192, 8_193]) func bodies(length: Int) throws {
        let rig = try Rig()
        let client = try Client(rig)
        client.send(post(length))
        try rig.settle()
        let answer = try #require(client.take())
        if length > Limits.requestBody {
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("\r\nConnection: close\r\n"))
            #expect(client.take() == nil && rig.handled.isEmpty)
        } else {
            #expect(answer.hasPrefix("HTTP/1.1 202 Accepted\r\n") && answer.hasSuffix("\r\n\r\ntook \(length)"))
            #expect(rig.handled == ["POST /p \(length)"] && client.take() == "", "and stays")
        }
    }

    /// The longest head and the longest body together fill a connection's buffer.
    @Test func theLargestRequest() throws {
        let rig = try Rig()
        let client = try Client(rig)
        let filler = Limits.requestHead - post(8_192, "A: \r\n", sent: 0).utf8.count
        client.send(post(8_192, "A: \(String(repeating: "a", count: filler))\r\n") + post(1))
        try rig.settle()
        #expect(rig.handled == ["POST /p 8192", "POST /p 1"])
    }

    @Test func pipelined() throws {
        let rig = try Rig()
        let client = try Client(rig)
        // More than the buffer holds.
        client.send(
            post(3) + post(8_192) + post(8_192) + post(0) + "GET /g HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        for _ in 0..<4 { try rig.settle() }
        #expect(rig.handled == ["POST /p 3", "POST /p 8192", "POST /p 8192", "POST /p 0", "other /g 0"])
        let answers = client.take() ?? ""
        #expect(answers.components(of: "took ") == ["3", "8192", "8192", "0", "0"])
        #expect(answers.components(of: "Connection: close").count == 1 && client.take() == nil)
        try rig.settle()
        #expect(rig.listener.connections == 1, "until the client closes too")
    }

    @Test func aFaultEndsAPipeline() throws {
        let rig = try Rig()
        let client = try Client(rig)
        client.send(post(1) + "nonsense\r\n" + post(2))
        try rig.settle()
        #expect(rig.handled == ["POST /p 1"])
        #expect((client.take() ?? "").components(of: "HTTP/1.1 ").map { $0.prefix(3) } == ["202", "400"])
    }

    /// The connection stays good for the next request (RFC 9110 §9.3.2).
    @Test func anAnswerToHeadHasNoBody() throws {
        let rig = try Rig()
        let client = try Client(rig)
        client.send("HEAD /p HTTP/1.1\r\nHost: x\r\n\r\n" + post(1))
        try rig.settle()
        #expect(rig.handled == ["HEAD /p 0", "POST /p 1"])
        let answers = client.take() ?? ""
        #expect(answers.components(of: "Content-Length: ") == ["6", "6"])
        #expect(answers.components(of: "took ") == ["1"])
        client.send("HEAD /p HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n")
        try rig.settle()
        let refusal = client.take() ?? ""
        #expect(refusal.hasPrefix("HTTP/1.1 400 ") && refusal.hasSuffix("\r\n\r\n"))
    }

    /// Wherever a client ends its half of the connection: what was whole is answered, in order, and nothing else.
    @Test func theEndAtEveryByte() throws {
        let one = post(3)
        let all = one + post(2) + post(0)
        let ends = [one.utf8.count, (one + post(2)).utf8.count, all.utf8.count]
        let rig = try Rig()
        for cut in 1...all.utf8.count {
            let client = try Client(rig)
            client.send(String(decoding: Array(all.utf8.prefix(cut)), as: UTF8.self))
            shutdown(client.fd, Int32(SHUT_WR))
            for _ in 0..<4 { try rig.turn(waiting: 1) }
            let expected = Array(["3", "2", "0"].prefix(ends.filter { $0 <= cut }.count))
            #expect((client.take() ?? "").components(of: "took ") == expected, "byte \(cut)")
            #expect(client.take() == nil && rig.listener.connections == 0, "byte \(cut)")
        }
        #expect(rig.refused.isEmpty)
    }

    /// What is no request is told with its status and where it came from.
    @Test func refusals() throws {
        let rig = try Rig()
        let wrong = [
            "nonsense\r\n", "POST /p HTTP/1.1\r\nHost: x\r\n\r\n", post(8_193),
            "POST /" + String(repeating: "a", count: 5_000),
            "POST /p HTTP/1.1\r\nA: " + String(repeating: "a", count: 5_000), "POST /p HTTP/2.0\r\n",
        ]
        for text in wrong {
            let client = try Client(rig)
            client.send(text)
            try rig.settle()
        }
        let slow = try Client(rig)
        slow.send("P")
        try rig.settle()
        try rig.pass(Limits.request)
        #expect(rig.refused == [400, 411, 413, 414, 431, 505, 408].map { "\($0) 127.0.0.1" })
        #expect(rig.handled.isEmpty && slow.status() == 408)
    }

    @Test func expectations() throws {
        let rig = try Rig()
        let client = try Client(rig)
        client.send(post(2, "Expect: 100-continue\r\n", sent: 0))
        try rig.settle()
        #expect(client.take() == "HTTP/1.1 100 Continue\r\n\r\n", "once")
        client.send("b")
        try rig.settle()
        #expect(client.take() == "")
        client.send("b")
        try rig.settle()
        #expect(client.status() == 202)
        client.send(post(2, "Expect: 100-continue\r\n"))
        try rig.settle()
        #expect(client.status() == 202, "what is there already is not asked for")
        client.send(post(8_193, "Expect: 100-continue\r\n", sent: 0))
        try rig.settle()
        #expect(client.status() == 413, "what is too long neither")
    }

    // MARK: Deadlines

    @Test func silence() throws {
        let rig = try Rig()
        let client = try Client(rig)
        try rig.settle()
        #expect(rig.listener.connections == 1 && rig.listener.deadline == rig.now + Limits.idleRequest)
        try rig.pass(Limits.idleRequest - 1)
        #expect(client.take() == "")
        try rig.pass(1)
        #expect(client.take() == nil && rig.listener.connections == 0)
    }

    /// A byte a second moves no deadline: it counts from the first.
    @Test func slowly() throws {
        let rig = try Rig()
        let client = try Client(rig)
        let other = try Client(rig)
        for (number, byte) in post(200, sent: 0).prefix(11).enumerated() {
            client.send(String(byte))
            if number == 9 {
                other.send(post(1))
                try rig.pass(999)
                #expect(client.take() == "" && other.status() == 202, "one millisecond before, and nobody else waits")
                #expect(rig.listener.deadline == rig.now + 1)
                try rig.pass(1)
            } else if number < 9 {
                try rig.settle()
                rig.now += 1_000
            }
        }
        #expect(client.status() == 408)
        // It may still send, for two seconds.
        client.send("more")
        try rig.settle()
        #expect(rig.listener.connections == 2)
        try rig.pass(Limits.refusedRequest)
        #expect(rig.listener.connections == 1)
        other.send(post(1))
        try rig.settle()
        #expect(other.status() == 202)
    }

    @Test func aBodyThatNeverComes() throws {
        let rig = try Rig()
        let client = try Client(rig)
        client.send(post(200, sent: 199))
        try rig.settle()
        try rig.pass(Limits.request - 1)
        #expect(client.take() == "")
        try rig.pass(1)
        #expect(client.status() == 408 && rig.handled.isEmpty)
    }

    @Test func answersThatNobodyReads() throws {
        let rig = try Rig()
        let client = try Client(rig, receiveBuffer: 1)
        let one = Array(post(0).utf8)
        var idle = 0
        for _ in 0..<200_000 where idle < 50 {
            let before = rig.handled.count
            let sent = one.withUnsafeBytes {
                send(client.fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            try rig.turn(waiting: sent < 0 ? 1 : 0)
            idle = rig.handled.count == before && sent < 0 ? idle + 1 : 0
        }
        try #require(idle == 50, "the kernel took everything")
        try rig.pass(Limits.request - 1)
        #expect(rig.listener.connections == 1)
        try rig.pass(1)
        #expect(rig.listener.connections == 0)
    }

    // MARK: Many

    @Test func aFullTable() throws {
        let rig = try Rig()
        var clients: [Client] = []
        for number in 0..<Limits.relayConnections {
            clients.append(try Client(rig))
            if number % 2 == 0 { clients[number].send("POST") }
        }
        try rig.settle()
        #expect(rig.listener.connections == Limits.relayConnections)
        let late = try Client(rig)
        late.send(post(1))
        try rig.pass(Limits.crowdedRequest - 1)
        #expect(late.take() == "")
        try rig.pass(1)
        try rig.settle()
        #expect(late.status() == 202, "those who do not ask make room")
        #expect(clients[0].status() == 408 && clients[1].take() == nil)
        // Those that were told so end with their patience; then there is room for as many again.
        try rig.pass(Limits.refusedRequest)
        #expect(rig.listener.connections == 1)
        clients = try (1..<Limits.relayConnections).map { _ in try Client(rig) }
        for client in clients { client.send(post(1)) }
        try rig.settle()
        #expect(clients.allSatisfy { $0.status() == 202 })
    }

    /// Clients that always ask again give their places to those who wait.
    @Test func aBusyCrowd() throws {
        let rig = try Rig()
        let crowd = try (0..<Limits.relayConnections).map { _ in try Client(rig) }
        for client in crowd { client.send(post(1)) }
        try rig.settle()
        #expect(crowd.allSatisfy { $0.status() == 202 }, "and stay, while nobody waits")
        let late = try Client(rig)
        late.send(post(2))
        for client in crowd { client.send(post(1)) }
        try rig.turn(waiting: 5)
        try rig.settle()
        let answers = crowd.map { $0.take() ?? "" }
        #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 202 ") }, "nobody is turned away")
        #expect(answers.contains { $0.contains("Connection: close") })
        #expect(late.take() == "")
        try rig.pass(Limits.crowdedRefused)
        try rig.settle()
        #expect(late.status() == 202)
    }

    /// Twice as many as there are places, none of which says anything whole, delay one who does by little more than one
    /// crowd's patience.
    @Test func slowClientsInTwoCrowds() throws {
        let rig = try Rig()
        var slow: [Client] = []
        // As many as the queue takes at a time.
        for count in [100, 28, 120] {
            for _ in 0..<count {
                slow.append(try Client(rig))
                slow[slow.count - 1].send("P")
            }
            try rig.settle()
        }
        #expect(rig.listener.connections == Limits.relayConnections)
        let late = try Client(rig)
        late.send(post(1))
        let begin = rig.now
        while rig.now - begin < 10_000, late.status() != 202 { try rig.pass(50) }
        #expect(rig.now - begin <= Limits.crowdedRequest + Limits.crowdedRefused + 100)
    }

    @Test func clientsThatGoAway() throws {
        let rig = try Rig()
        for text in ["", "POST", post(5, sent: 4), post(1)] {
            var client: Client? = try Client(rig)
            client?.send(text)
            client = nil
            try rig.settle()
            #expect(rig.listener.connections == 0, "\(text)")
        }
        let client = try Client(rig)
        client.send(post(7))
        shutdown(client.fd, Int32(SHUT_WR))
        try rig.settle()
        #expect(client.status() == 202, "half of a connection is enough for an answer")
        #expect(rig.listener.connections == 0)
    }

    // MARK: What is promised

    @Test func heldUntilDurable() throws {
        let rig = try Rig()
        rig.holds = true
        let clients = try (0..<20).map { _ in try Client(rig) }
        for client in clients { client.send(post(1)) }
        try rig.settle(durable: false)
        for client in clients {
            let answer = client.take() ?? ""
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("\r\nRetry-After: 5\r\n"))
            client.send(post(1))
        }
        try rig.settle()
        #expect(clients.allSatisfy { $0.status() == 202 }, "on the same connection")
    }

    // MARK: Who may come

    @Test func strangers() throws {
        let rig = try Rig()
        rig.allows = false
        let client = try Client(rig)
        client.send(post(1))
        try rig.settle()
        #expect(client.take() == nil && rig.handled.isEmpty && rig.listener.connections == 0)
        rig.allows = true
        let other = try Client(rig)
        other.send(post(1))
        try rig.settle()
        #expect(other.status() == 202 && rig.peers == [4, 4])
    }

    @Test func overIPv6() throws {
        let rig = try Rig(host: "::1")
        try #require(rig.listener.isListening)
        let client = try Client(rig, host: "::1")
        client.send(post(1))
        try rig.settle()
        #expect(client.status() == 202 && rig.peers == [16])
    }

    /// `::` is every address of either kind; who comes by IPv4 is known as such.
    @Test func everyAddress() throws {
        let rig = try Rig(host: "::")
        try #require(rig.listener.isListening)
        for host in ["127.0.0.1", "::1"] {
            let client = try Client(rig, host: host)
            client.send(post(1))
            try rig.settle()
            #expect(client.status() == 202, "\(host)")
            client.send("nonsense\r\n")
            try rig.settle()
        }
        #expect(rig.refused == ["400 127.0.0.1", "400 ::1"])
    }

    // MARK: A late address

    @Test func aPortThatIsTaken() throws {
        let other = try boundSocket(SOCK_STREAM)
        listen(other.fd, 1)
        let rig = try Rig(port: other.port)
        #expect(!rig.listener.isListening && rig.listener.failure == EADDRINUSE)
        #expect(rig.listener.deadline == rig.now + Limits.listenRetry)
        close(other.fd)
        try rig.pass(Limits.listenRetry - 1)
        #expect(!rig.listener.isListening)
        try rig.pass(1)
        #expect(rig.listener.isListening && rig.listener.failure == 0 && rig.listener.deadline == .max)
        let client = try Client(rig)
        client.send(post(1))
        try rig.settle()
        #expect(client.status() == 202)
    }

    /// Half a minute late: it is tried every two seconds and not less often with the time.
    @Test func aPortThatIsFreeLate() throws {
        let other = try boundSocket(SOCK_STREAM)
        listen(other.fd, 1)
        let rig = try Rig(port: other.port)
        let begin = rig.now
        for attempt in 1...15 {
            rig.now += 1_999
            try rig.turn()
            #expect(rig.listener.deadline == rig.now + 1, "not before attempt \(attempt) is due")
            rig.now += 1
            try rig.turn()
            #expect(!rig.listener.isListening && rig.listener.failure == EADDRINUSE)
            #expect(rig.listener.deadline == rig.now + 2_000, "attempt \(attempt) was made and failed")
        }
        #expect(rig.now == begin + 30_000)
        close(other.fd)
        rig.now += 2_000
        try rig.turn()
        #expect(rig.listener.isListening && rig.listener.failure == 0 && rig.listener.deadline == .max)
        let client = try Client(rig)
        client.send(post(1))
        try rig.settle()
        #expect(client.status() == 202)
    }

    @Test func anAddressThatIsNotHere() throws {
        // TEST-NET-1 (RFC 5737).
        let rig = try Rig(host: "192.0.2.1", port: 8_787)
        #expect(!rig.listener.isListening && rig.listener.failure == EADDRNOTAVAIL)
        for _ in 0..<3 {
            try rig.pass(Limits.listenRetry)
            #expect(rig.listener.deadline == rig.now + Limits.listenRetry, "for ever, and not faster")
        }
    }
}

extension String {
    /// What follows each occurrence of a word, up to the next line or the end of the digits.
    fileprivate func components(of word: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: word) {
            rest = rest[range.upperBound...]
            found.append(String(rest.prefix { $0 != "\r\n" && $0 != "H" }))
        }
        return found
    }
}
