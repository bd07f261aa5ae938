import CBoard
import Testbed
import Testing

@testable import Loop

/// What an answer comes to, as far as no network is needed.
@Suite struct HTTPBodyTests {
    func body(_ answer: String, limit: Int = 100) -> Result<String, HTTPError> {
        do throws(HTTPError) {
            return .success(String(decoding: try HTTPFetch.body(of: Array(answer.utf8), limit: limit), as: UTF8.self))
        } catch { return .failure(error) }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n\r\nbody", "body"), ("HTTP/1.0 200\r\n\r\n", ""), ("HTTP/1.1  200 OK\r\n\r\nx", "x"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", "body"),
        ("HTTP/1.1 200 OK\r\ncontent-length:4\r\n\r\nbody and more", "body"),
        ("HTTP/1.1 200 OK\r\nCONTENT-LENGTH: \t 4 \t\r\n\r\nbody", "body"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nbody", ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\nContent-Length: 4\r\n\r\nbody", "body"),
        ("HTTP/1.1 200 OK\r\nX-Content-Length: 9\r\n\r\nbody", "body"),
        ("HTTP/1.1 200 OK\r\n\r\n\r\n\r\nbody", "\r\n\r\nbody"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n02;x=y\r\nde\r\n0\r\n\r\n", "abcde"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 9\r\n\r\nA\r\n0123456789\r\n0\r\n",
            "0123456789"
        ),
    ])
    func good(answer: String, expected: String) {
        #expect(body(answer) == .success(expected))
    }

    @Test(
        arguments: [
            ("", .truncated), ("x", .malformed), ("\r\n\r\n", .malformed), ("HTTP/1.1 200 OK\r\n", .malformed),
            ("HTTP/1.1 200 OK\n\nbody", .malformed), ("HTTP/2 200 OK\r\n\r\n", .malformed),
            ("ICY 200 OK\r\n\r\n", .malformed),
            ("HTTP/1.1\r\n\r\n", .malformed), ("HTTP/1.1 OK 200\r\n\r\n", .malformed),
            ("HTTP/1.1 20 OK\r\n\r\n", .malformed),
            ("HTTP/1.1 +20 OK\r\n\r\n", .malformed), ("HTTP/1.1 2000 OK\r\n\r\n", .malformed),
            ("HTTP/1.1 099 OK\r\n\r\n", .malformed),
            ("HTTP/1.1 404 Not Found\r\n\r\nbody", .status(404)), ("HTTP/1.1 500\r\n\r\n", .status(500)),
            ("HTTP/1.1 204 No Content\r\n\r\n", .status(204)), ("HTTP/1.1 206 Partial\r\n\r\nbo", .status(206)),
            ("HTTP/1.1 302 Found\r\nLocation: http://elsewhere\r\n\r\n", .status(302)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody", .truncated),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nbody", .truncated),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nbody", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\nbody", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: +4\r\n\r\nbody", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\nbody", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nbody", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nbody", .malformed),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .truncated),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", .truncated),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n", .malformed),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .truncated),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n0\r\n", .malformed),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n;\r\nabc\r\n0\r\n", .malformed),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\nabc\r\n0\r\n", .truncated),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000\r\nabc\r\n0\r\n", .malformed),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n", .malformed),
        ] as [(String, HTTPError)])
    func bad(answer: String, expected: HTTPError) {
        #expect(body(answer) == .failure(expected))
    }

    @Test(arguments: [99, 100, 101]) func bounds(length: Int) {
        let text = String(repeating: "x", count: length)
        let expected: Result<String, HTTPError> = length > 100 ? .failure(.tooLong) : .success(text)
        #expect(body("HTTP/1.1 200 OK\r\n\r\n" + text) == expected)
        #expect(body("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" + text) == expected)
    }

    @Test func bytesThatAreNoText() throws {
        let head: [UInt8] = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xFF, 0xFE, 0x00] + Array("\r\n\r\n".utf8)
        #expect(try HTTPFetch.body(of: head + [0, 0xFF, 13, 10], limit: 10) == [0, 0xFF, 13, 10])
    }

    @Test(arguments: [
        ("http://h/p", "GET /p HTTP/1.0\r\nHost: h\r\nUser-Agent: skyglowd\r\n\r\n"),
        ("https://h/p", "GET /p HTTP/1.0\r\nHost: h\r\nUser-Agent: skyglowd\r\n\r\n"),
        ("http://h:443", "GET / HTTP/1.0\r\nHost: h:443\r\nUser-Agent: skyglowd\r\n\r\n"),
        ("http://[::1]:8080/", "GET / HTTP/1.0\r\nHost: [::1]:8080\r\nUser-Agent: skyglowd\r\n\r\n"),
    ])
    func request(address: String, expected: String) throws {
        #expect(HTTPFetch.request(try #require(WebAddress(address))) == expected)
    }

    @Test func everyErrorHasWords() {
        let errors: [HTTPError] = [.network("words"), .status(404), .malformed, .truncated, .tooLong, .timeout]
        #expect(Set(errors.map(\.text)).count == errors.count)
        #expect(HTTPError.status(404).text.contains("404"))
    }
}

/// Whole exchanges over the loopback address.
@Suite struct HTTPFetchTests {
    func get(
        _ listener: TCPListener, secure: Bool = false, limit: Int = 1000, milliseconds: Int64 = 3000
    ) -> Result<String, HTTPError> {
        guard let address = WebAddress("\(secure ? "https" : "http")://sgn.test:\(listener.port)/file"),
            let target = SocketAddress(literal: "127.0.0.1", port: listener.port)
        else { return .failure(.malformed) }
        do throws(HTTPError) {
            let body = try HTTPFetch.get(address, at: target, limit: limit, milliseconds: milliseconds)
            return .success(String(decoding: body, as: UTF8.self))
        } catch { return .failure(error) }
    }

    @Test func plain() throws {
        let listener = try TCPListener()
        listener.serve { client in
            let request = receive(client, until: "\r\n\r\n")
            sendAll(client, Array("HTTP/1.0 200 OK\r\n\r\n\(request.utf8.count)".utf8))
        }
        let request = try #require(WebAddress("http://sgn.test:\(listener.port)/file"))
        #expect(get(listener) == .success("\(HTTPFetch.request(request).utf8.count)"))
    }

    @Test func inSmallPieces() throws {
        let listener = try TCPListener()
        listener.serve { client in
            receive(client, until: "\r\n\r\n")
            for byte in "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody".utf8 {
                sendAll(client, [byte])
                usleep(1000)
            }
        }
        #expect(get(listener) == .success("body"))
    }

    /// A server whose answer is the name that the client asked TLS for.
    private func answeringWithTheName() throws -> TCPListener {
        let listener = try TCPListener()
        let server = try TLSServer(certificate: ServerCertificate(name: "sgn.test"))
        listener.serve { client in
            server.accept(client) { ssl in
                let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) } ?? "none"
                server.read(ssl, until: "\r\n\r\n")
                server.write(ssl, Array("HTTP/1.0 200 OK\r\n\r\n\(name)".utf8))
            }
        }
        return listener
    }

    @Test func secureWithTheServersName() throws {
        let listener = try answeringWithTheName()
        #expect(get(listener, secure: true) == .success("sgn.test"))
    }

    @Test func noNameForAnAddress() throws {
        let listener = try answeringWithTheName()
        let address = try #require(WebAddress("https://127.0.0.1:\(listener.port)/"))
        let body = try HTTPFetch.get(address, at: listener.address, limit: 100, milliseconds: 3000)
        #expect(String(decoding: body, as: UTF8.self) == "none")
    }

    /// However slowly a server answers, the fetch ends in time.
    @Test(arguments: [false, true], ["nothing", "slowly", "head only"])
    func deadlines(secure: Bool, way: String) throws {
        let listener = try TCPListener()
        listener.serve { client in
            switch way {
            case "nothing": receive(client, until: "never")
            case "slowly":
                for _ in 0..<400 {
                    // A TLS record of 16,383 bytes, of which one comes each time.
                    sendAll(client, secure ? [0x16] : [0x48])
                    usleep(20_000)
                }
            default:
                sendAll(client, secure ? [0x16, 3, 3, 0x3F, 0xFF] : Array("HTTP/1.0 200 OK\r\n".utf8))
                receive(client, until: "never")
            }
        }
        var result: Result<String, HTTPError> = .success("")
        let took = milliseconds { result = get(listener, secure: secure, milliseconds: 400) }
        if secure, way == "slowly" {
            // Five bytes of 0x16 are a record header of a version that does not exist.
            guard case .failure = result else { return #expect(Bool(false), "\(result)") }
        } else {
            #expect(result == .failure(.timeout))
            #expect(took >= 400)
        }
        #expect(took < 2000)
    }

    /// One byte of a valid TLS record at a time keeps OpenSSL reading, but not beyond the deadline.
    @Test func aHandshakeThatNeverEnds() throws {
        let listener = try TCPListener()
        listener.serve { client in
            sendAll(client, [0x16, 3, 3, 0x3F, 0xF0, 2, 0, 0x3F, 0xEC])
            for _ in 0..<400 {
                sendAll(client, [3])
                usleep(20_000)
            }
        }
        var result: Result<String, HTTPError> = .success("")
        let took = milliseconds { result = get(listener, secure: true, milliseconds: 400) }
        #expect(result == .failure(.timeout))
        #expect(took < 2000)
    }

    @Test func aConnectionThatIsNeverMade() throws {
        let listener = try TCPListener(backlog: 0)
        // The queue of one is full, so the next SYN gets no answer.
        let fillers = (0..<3).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
        defer { fillers.forEach { close($0) } }
        let address = try listener.address
        for filler in fillers { _ = address.withPointer { connect(filler, $0, $1) } }
        var result: Result<String, HTTPError> = .success("")
        let took = milliseconds { result = get(listener, milliseconds: 300) }
        #expect(result == .failure(.timeout))
        #expect(took < 2000)
    }

    @Test(arguments: [false, true]) func nobodyListens(secure: Bool) throws {
        let listener = try TCPListener(backlog: nil)
        let port = listener.port
        let target = try listener.address
        let address = try #require(WebAddress("\(secure ? "https" : "http")://127.0.0.1:\(port)"))
        #expect(throws: HTTPError.network("connect to 127.0.0.1:\(port): Connection refused")) {
            try HTTPFetch.get(address, at: target, limit: 10, milliseconds: 1000)
        }
    }

    @Test(arguments: [false, true]) func closedWithoutAnAnswer(secure: Bool) throws {
        let listener = try TCPListener()
        listener.serve { client in receive(client, until: secure ? "\u{1}" : "\r\n\r\n") }
        guard case .failure(let error) = get(listener, secure: secure) else { return #expect(Bool(false)) }
        #expect(error != .timeout)
    }

    /// Writing to a connection that is gone is an error and not the end of the process.
    @Test func resetInTheHandshake() throws {
        for _ in 0..<20 {
            let listener = try TCPListener()
            listener.serve { client in
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            }
            guard case .failure = get(listener, secure: true) else { return #expect(Bool(false)) }
        }
    }

    @Test func longerThanAllowed() throws {
        let listener = try TCPListener()
        listener.serve { client in
            receive(client, until: "\r\n\r\n")
            sendAll(client, Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 0x78, count: 1 << 20))
        }
        #expect(get(listener, limit: 1000) == .failure(.tooLong))
    }

    @Test func aHeadWithoutEnd() throws {
        let listener = try TCPListener()
        listener.serve { client in
            receive(client, until: "\r\n\r\n")
            sendAll(client, Array("HTTP/1.0 200 OK\r\n".utf8))
            for _ in 0..<2000 { sendAll(client, Array("X-Header: 0123456789\r\n".utf8)) }
        }
        #expect(get(listener, limit: 1000) == .failure(.tooLong))
    }

    /// The testbed's web server with its faults, as the commands meet it.
    @Test(arguments: Faults.Web.allCases) func theTestbed(fault: Faults.Web) throws {
        let server = try Server()
        defer { server.stop() }
        server.faults.web = fault
        let address = try #require(WebAddress(server.webAddress + "/snd/server_cert.pem"))
        let target = try #require(SocketAddress(literal: "127.0.0.1", port: server.webPort))
        let result: Result<[UInt8], HTTPError>
        do throws(HTTPError) {
            result = .success(try HTTPFetch.get(address, at: target, limit: 65_536, milliseconds: 500))
        } catch { result = .failure(error) }
        switch fault {
        case .ok, .chunked: #expect(result == .success(Array(server.certificate.pem.utf8)))
        case .wrong: #expect(result == .success(Array(try server.wrongCertificate.pem.utf8)))
        case .garbage: #expect(result == .success(Array("This is no certificate.\n".utf8)))
        case .notFound: #expect(result == .failure(.status(404)))
        case .serverError: #expect(result == .failure(.status(500)))
        case .truncated: #expect(result == .failure(.truncated))
        case .huge: #expect(result == .failure(.tooLong))
        case .silent: #expect(result == .failure(.timeout))
        }
    }
}
