import Bytes
import CBoard
import Foundation
import Testing

@testable import Loop

/// A control socket with a loop around it, as the gateway has one. Answers each request with its text and a newline.
final class ControlLoop: @unchecked Sendable {
    let directory: TemporaryDirectory
    let socket: ControlSocket
    /// Requests in the order in which they were answered.
    private(set) var requests: [String] = []
    /// Times that poll returned.
    private(set) var turns = 0
    var answer: (String) -> String = { $0 + "\n" }
    /// Milliseconds that the loop's clock is ahead.
    var ahead: Int64 = 0

    init() throws {
        directory = try TemporaryDirectory()
        socket = try ControlSocket(path: directory.file("control.sock"))
    }

    var path: String { directory.file("control.sock") }
    var now: Int64 { SystemClock().now + ahead }

    func turn(atMost limit: Int64 = 100) throws {
        var set = PollSet(capacity: 32)
        socket.register(in: &set)
        let due = min(socket.deadline, now + limit)
        try set.wait(milliseconds: Int32(clamping: max(due - now + 1, 0)))
        turns += 1
        socket.advance(now: now) { request, out in
            let text = request.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            requests.append(text)
            out.append(answer(text))
        }
    }

    /// Turns until a condition holds or time is up; says which.
    func run(seconds: Double = 5, until condition: () -> Bool) throws -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while !condition() {
            if Date() > end { return false }
            try turn()
        }
        return true
    }
}

/// The asking side on raw sockets.
final class ControlClient {
    let fd: Int32

    init(_ path: String) throws {
        fd = CBoard.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        let address = try #require(UnixSocket.address(path))
        try #require(UnixSocket.withPointer(address) { connect(fd, $0, $1) } == 0)
    }

    deinit { close(fd) }

    func send(_ text: String) { sendAll(fd, Array(text.utf8)) }

    /// What has come: nil for nothing, empty for the end.
    func read() -> String? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(fd, &chunk, chunk.count, 0)
        return count >= 0 ? String(decoding: chunk.prefix(count), as: UTF8.self) : cb_errno() == EAGAIN ? nil : ""
    }
}

@Suite struct ControlSocketTests {
    @Test func oneLineInAnAnswerOut() throws {
        let loop = try ControlLoop()
        let client = try ControlClient(loop.path)
        client.send("status\n")
        #expect(try loop.run { loop.requests.count == 1 })
        #expect(loop.requests == ["status"])
        #expect(client.read() == "status\n")
        #expect(client.read() == "")
    }

    @Test func mode() throws {
        let loop = try ControlLoop()
        var status = stat()
        #expect(stat(loop.path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o660)
    }

    @Test func aRequestInPieces() throws {
        let loop = try ControlLoop()
        let client = try ControlClient(loop.path)
        for piece in ["s", "tat", "us"] {
            client.send(piece)
            try loop.turn()
            #expect(client.read() == nil)
        }
        client.send("\nmore that nobody reads\n")
        #expect(try loop.run { loop.requests.count == 1 })
        #expect(loop.requests == ["status"])
        #expect(client.read() == "status\n")
        try loop.turn(atMost: 10)
        #expect(loop.requests == ["status"])
    }

    @Test func anEmptyLine() throws {
        let loop = try ControlLoop()
        let client = try ControlClient(loop.path)
        client.send("\n")
        #expect(try loop.run { loop.requests.count == 1 })
        #expect(loop.requests == [""])
        #expect(client.read() == "\n")
    }

    /// With its newline a request fits, without it nothing longer is waited for.
    @Test(arguments: [Limits.controlRequest - 1, Limits.controlRequest, Limits.controlRequest + 1, 10_000])
    func lengths(length: Int) throws {
        let loop = try ControlLoop()
        let client = try ControlClient(loop.path)
        let request = String(repeating: "x", count: length - 1) + "\n"
        client.send(request)
        if length <= Limits.controlRequest {
            #expect(try loop.run { loop.requests.count == 1 })
            #expect(client.read() == request)
        } else {
            #expect(try loop.run { client.read() == "" })
            #expect(loop.requests.isEmpty)
        }
    }

    @Test func clientsThatLeave() throws {
        let loop = try ControlLoop()
        for text in ["", "half"] {
            var client: ControlClient? = try ControlClient(loop.path)
            client?.send(text)
            try loop.turn()
            client = nil
            try loop.turn()
            #expect(loop.socket.deadline == .max)
        }
        // One that has asked and does not wait for the answer.
        var client: ControlClient? = try ControlClient(loop.path)
        loop.answer = { _ in
            client = nil
            return String(repeating: "x", count: Limits.controlAnswer)
        }
        client?.send("status\n")
        #expect(try loop.run { loop.requests.count == 1 && loop.socket.deadline == .max })
    }

    /// A client that says nothing, half of a line, or does not read, is dropped after five seconds; others are served.
    @Test func slowClients() throws {
        let loop = try ControlLoop()
        let silent = try ControlClient(loop.path)
        let half = try ControlClient(loop.path)
        half.send("stat")
        try loop.turn()
        try loop.turn()
        let due = loop.socket.deadline
        #expect(due > loop.now && due <= loop.now + 5_000)
        loop.ahead = 4_000
        let quick = try ControlClient(loop.path)
        quick.send("status\n")
        #expect(try loop.run { loop.requests == ["status"] })
        #expect(quick.read() == "status\n")
        #expect(silent.read() == nil && half.read() == nil)
        loop.ahead = 5_100
        try loop.turn()
        #expect(silent.read() == "" && half.read() == "")
        #expect(loop.socket.deadline == .max)
    }

    @Test func aClientThatDoesNotRead() throws {
        let loop = try ControlLoop()
        loop.answer = { _ in String(repeating: "x", count: Limits.controlAnswer) }
        let client = try ControlClient(loop.path)
        // The answer cannot be taken at once.
        var size: Int32 = 1
        setsockopt(client.fd, SOL_SOCKET, SO_RCVBUF, &size, 4)
        client.send("status\n")
        #expect(try loop.run { loop.requests.count == 1 })
        let other = try ControlClient(loop.path)
        other.send("other\n")
        #expect(try loop.run { loop.requests.count == 2 })
        loop.ahead = 5_100
        try loop.turn()
        #expect(loop.socket.deadline == .max)
    }

    /// Eight at once; the ninth waits its turn and is served.
    @Test func nineClients() throws {
        let loop = try ControlLoop()
        let clients = try (0..<9).map { _ in try ControlClient(loop.path) }
        for _ in 0..<3 { try loop.turn(atMost: 10) }
        clients[8].send("ninth\n")
        let turns = loop.turns
        for _ in 0..<3 { try loop.turn(atMost: 20) }
        #expect(loop.requests.isEmpty)
        #expect(loop.turns == turns + 3, "nobody is ready, so poll sleeps")
        clients[0].send("first\n")
        #expect(try loop.run { loop.requests == ["first", "ninth"] })
        #expect(clients[8].read() == "ninth\n")
        for client in clients[1..<8] { client.send("\n") }
        #expect(try loop.run { loop.requests.count == 9 })
        #expect(loop.socket.deadline == .max)
    }

    /// Where a client cannot be accepted, for want of descriptors perhaps, poll must not be asked about it again at once.
    @Test func noDescriptorLeft() throws {
        let loop = try ControlLoop()
        let listener = try #require(listenerNumber(loop.path))
        let kept = dup(listener)
        defer { close(kept) }
        // Always readable, never to be accepted from.
        let null = open("/dev/null", O_RDONLY)
        dup2(null, listener)
        close(null)
        let begin = loop.now
        while loop.now < begin + 300 { try loop.turn(atMost: 1_000) }
        #expect(loop.turns <= 3)
        #expect(loop.socket.deadline <= loop.now + 1_000)
        dup2(kept, listener)
        let client = try ControlClient(loop.path)
        client.send("status\n")
        #expect(try loop.run { loop.requests == ["status"] })
        #expect(loop.socket.deadline == .max)
    }

    /// The descriptor that listens on a path.
    private func listenerNumber(_ path: String) -> Int32? {
        (0..<1024).first { number in
            var address = sockaddr_un()
            var length = socklen_t(MemoryLayout<sockaddr_un>.size)
            var listening: Int32 = 0
            var size = socklen_t(4)
            guard getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0, listening == 1 else {
                return false
            }
            let named = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) == 0 }
            }
            return named
                && withUnsafeBytes(of: address.sun_path) { $0.prefix(path.utf8.count).elementsEqual(path.utf8) }
        }
    }

    /// Each descriptor is closed: hundreds of clients leave none behind.
    @Test func manyClientsOneAfterTheOther() throws {
        let loop = try ControlLoop()
        for number in 0..<300 {
            let client = try ControlClient(loop.path)
            client.send("\(number)\n")
            #expect(try loop.run { loop.requests.count == number + 1 })
            #expect(client.read() == "\(number)\n")
        }
        #expect(loop.requests == (0..<300).map(String.init))
        #expect(loop.socket.deadline == .max)
    }

    @Test func whatADeadProcessLeftIsReplaced() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("control.sock")
        do { _ = try ControlSocket(path: path) }
        #expect(access(path, F_OK) == 0, "only remove takes it away")
        let second = try ControlSocket(path: path)
        _ = try ControlClient(path)
        second.remove()
        #expect(access(path, F_OK) != 0)
    }

    @Test func placesThatCannotBe() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: SystemError("bind", code: ENOENT)) {
            try ControlSocket(path: directory.file("none/control.sock"))
        }
        let long = directory.file(String(repeating: "x", count: 120))
        #expect(throws: SystemError("bind", code: ENAMETOOLONG)) { try ControlSocket(path: long) }
        mkdir(directory.file("folder"), 0o755)
        #expect(throws: SystemError("bind", code: EADDRINUSE)) { try ControlSocket(path: directory.file("folder")) }
        let longest = directory.path + "/" + String(repeating: "x", count: 107 - directory.path.utf8.count - 1)
        _ = try ControlSocket(path: longest)
        #expect(throws: SystemError("bind", code: ENAMETOOLONG)) { try ControlSocket(path: longest + "x") }
    }
}

@Suite struct UnixSocketTests {
    func ask(_ path: String, milliseconds: Int32 = 500) -> Result<String, SystemError> {
        do throws(SystemError) {
            let answer = try UnixSocket.ask(path: path, request: "status", milliseconds: milliseconds)
            return .success(String(decoding: answer, as: UTF8.self))
        } catch { return .failure(error) }
    }

    @Test func aWholeAnswer() throws {
        let loop = try ControlLoop()
        loop.answer = { _ in String(repeating: "x", count: Limits.controlAnswer) }
        nonisolated(unsafe) var result: Result<String, SystemError>?
        let path = loop.path
        let task = Task { result = ask(path) }
        #expect(try loop.run { loop.requests.count == 1 })
        #expect(task.wait())
        #expect(result == .success(String(repeating: "x", count: Limits.controlAnswer)))
    }

    @Test func nobodyThere() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("control.sock")
        #expect(ask(path) == .failure(SystemError("connect", code: ENOENT)))
        do { _ = try ControlSocket(path: path) }
        #expect(ask(path) == .failure(SystemError("connect", code: ECONNREFUSED)))
        #expect(
            ask(directory.file(String(repeating: "x", count: 120)))
                == .failure(SystemError("connect", code: ENAMETOOLONG)))
    }

    /// A gateway that hangs: its queue takes some, and nobody waits for ever.
    @Test func aGatewayThatHangs() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("control.sock")
        let socket = try ControlSocket(path: path)
        var waiting: [ControlClient] = []
        for _ in 0..<Limits.controlClients + 1 { waiting.append(try ControlClient(path)) }
        let took = milliseconds {
            #expect(ask(path, milliseconds: 200) == .failure(SystemError("connect", code: ETIMEDOUT)))
        }
        #expect(took >= 200 && took < 3000)
        waiting.removeLast(waiting.count)
        withExtendedLifetime(socket) {}
    }

    @Test func noAnswer() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("control.sock")
        let socket = try ControlSocket(path: path)
        let took = milliseconds {
            #expect(ask(path, milliseconds: 200) == .failure(SystemError("poll", code: ETIMEDOUT)))
        }
        #expect(took >= 200 && took < 3000)
        withExtendedLifetime(socket) {}
    }

    @Test func dropped() throws {
        let loop = try ControlLoop()
        loop.answer = { _ in "" }
        nonisolated(unsafe) var result: Result<String, SystemError>?
        let path = loop.path
        let task = Task { result = ask(path) }
        #expect(try loop.run { loop.requests.count == 1 })
        #expect(task.wait())
        #expect(result == .success(""))
    }
}
