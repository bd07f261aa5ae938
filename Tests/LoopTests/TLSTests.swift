import Bytes
import CBoard
import Foundation
import Testbed
import Testing

@testable import Loop

/// A stream to a server in the test, with the loop around it that the gateway has.
final class Line {
    let context: TLSContext
    let stream: TLSStream
    let address: SocketAddress
    var clientCertificate: ClientCertificate?

    init(_ listener: TCPListener, pin: ServerCertificate) throws {
        context = try #require(TLSContext())
        stream = TLSStream(context: context)
        address = try listener.address
        let der = pin.der
        let pinned = context.pin(der.span.bytes)
        #expect(pinned)
    }

    /// Waits until poll says that the stream can go on. False if it does not.
    @discardableResult
    func wait(read: Bool = true, write: Bool = false, milliseconds: Int32 = 5000) throws -> Bool {
        var set = PollSet(capacity: 1)
        let slot = set.add(stream.raw, events: stream.interest(wantsRead: read, wantsWrite: write))
        try set.wait(milliseconds: milliseconds)
        let ready = set.ready(slot)
        return ready.readable || ready.writable
    }

    /// Connects; nil once the stream is open, otherwise why it is not.
    func open() throws -> StreamError? {
        do throws(StreamError) { try stream.connect(to: address) } catch { return error }
        for _ in 0..<50 {
            try wait()
            do throws(StreamError) {
                if try stream.advance(clientCertificate: clientCertificate) { return nil }
            } catch { return error }
        }
        return .closed
    }

    /// Reads until `count` bytes have come or the stream ends.
    func read(_ count: Int) throws -> (bytes: [UInt8], end: StreamError?) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            switch chunk.withUnsafeMutableBytes({ stream.read(into: $0) }) {
            case .done(let got): bytes += chunk.prefix(got)
            case .blocked: guard try wait() else { return (bytes, nil) }
            case .failed(let error): return (bytes, error)
            }
        }
        return (bytes, nil)
    }

    /// Writes everything; how often it had to wait, or why it failed.
    func write(_ bytes: [UInt8]) throws -> Result<Int, StreamError> {
        var waits = 0
        while true {
            switch writeOnce(bytes) {
            case .done(let count): return count == bytes.count ? .success(waits) : .failure(.closed)
            case .blocked:
                waits += 1
                guard try wait(read: false, write: true) else { return .failure(.closed) }
            case .failed(let error): return .failure(error)
            }
        }
    }
}

@Suite struct TLSStreamTests {
    static let certificate = try! ServerCertificate(name: "sgn.test")

    private func server(maximum: Int32 = TLS1_3_VERSION) throws -> (TCPListener, TLSServer) {
        (try TCPListener(), try TLSServer(certificate: Self.certificate, maximum: maximum))
    }

    @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func bothVersions(version: Int32, name: String) throws {
        let (listener, server) = try server(maximum: version)
        listener.serve { client in
            server.accept(client) { ssl in server.write(ssl, Array(server.read(ssl, until: "\n").utf8)) }
        }
        let line = try Line(listener, pin: Self.certificate)
        #expect(line.stream.interest(wantsRead: true, wantsWrite: true) == 0)
        #expect(try line.open() == nil)
        #expect(line.stream.stage == .open)
        #expect(line.stream.version.text == name)
        #expect(line.context.matched && !line.context.mismatch)
        #expect(try line.write(Array("hello\n".utf8)) == .success(0))
        let (bytes, end) = try line.read(6)
        #expect(String(decoding: bytes, as: UTF8.self) == "hello\n" && end == nil)
        line.stream.close()
        #expect(line.stream.stage == .idle && line.stream.raw == -1 && line.stream.version.isEmpty)
    }

    /// Below 1.2 nothing is agreed on.
    @Test(arguments: [TLS1_VERSION, TLS1_1_VERSION]) func oldVersions(version: Int32) throws {
        let (listener, server) = try server(maximum: version)
        nonisolated(unsafe) var accepted = true
        let task = listener.serve { client in accepted = server.accept(client) { _ in } }
        let line = try Line(listener, pin: Self.certificate)
        let error = try line.open()
        guard case .tls(let code)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text { $0.append(tlsReason: code) }.contains("protocol version"))
        line.stream.close()
        #expect(task.wait() && !accepted)
    }

    /// Another certificate ends the handshake before a byte of ours, and its fingerprint is known.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION]) func anotherCertificate(version: Int32) throws {
        let (listener, server) = try server(maximum: version)
        nonisolated(unsafe) var read: String?
        let task = listener.serve { client in server.accept(client) { ssl in read = server.read(ssl, until: "\n") } }
        let line = try Line(listener, pin: try ServerCertificate(name: "sgn.test"))
        #expect(try line.open() == .pinMismatch)
        #expect(line.context.mismatch && !line.context.matched)
        #expect(text { $0.append(hex: line.context.shownFingerprint.bytes) } == Self.certificate.fingerprint)
        line.stream.close()
        #expect(task.wait() && (read ?? "") == "")
        // The same stream, pinned right, is not held back by what was.
        let again = try Line(listener, pin: Self.certificate)
        listener.serve { client in server.accept(client) { _ in } }
        #expect(try again.open() == nil)
    }

    @Test func nothingPinned() throws {
        let (listener, server) = try server()
        let line = try Line(listener, pin: Self.certificate)
        let empty: [UInt8] = []
        let pinned = line.context.pin(empty.span.bytes)
        #expect(!pinned)
        listener.serve { client in server.accept(client) { _ in } }
        #expect(try line.open() == .pinMismatch)
    }

    @Test(arguments: [Limits.certificate, Limits.certificate + 1]) func pinsOfGreatLength(length: Int) throws {
        let context = try #require(TLSContext())
        let der = [UInt8](repeating: 1, count: length)
        let pinned = context.pin(der.span.bytes)
        #expect(pinned == (length <= Limits.certificate))
    }

    /// A server that shows no certificate at all does not get past the pin.
    @Test func anonymousServer() throws {
        let listener = try TCPListener()
        nonisolated(unsafe) var accepted = true
        let task = listener.serve { client in
            let context = SSL_CTX_new(TLS_server_method())
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
            SSL_CTX_set_cipher_list(context, "aNULL:@SECLEVEL=0")
            let ssl = SSL_new(context)
            SSL_set_fd(ssl, client)
            accepted = SSL_accept(ssl) == 1
            SSL_free(ssl)
            SSL_CTX_free(context)
        }
        let line = try Line(listener, pin: Self.certificate)
        guard case .tls? = try line.open() else { return #expect(Bool(false)) }
        line.stream.close()
        #expect(task.wait() && !accepted)
    }

    // MARK: Connecting

    /// As long as the connection is not made it is neither open nor broken, however often it is asked.
    @Test func stillConnecting() throws {
        let listener = try TCPListener(backlog: 0)
        let fillers = (0..<3).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
        defer { fillers.forEach { close($0) } }
        let address = try listener.address
        for filler in fillers { _ = address.withPointer { connect(filler, $0, $1) } }
        let line = try Line(listener, pin: Self.certificate)
        try line.stream.connect(to: address)
        for _ in 0..<5 {
            let open = try line.stream.advance(clientCertificate: nil)
            #expect(!open && line.stream.stage == .connecting)
            #expect(line.stream.interest(wantsRead: true, wantsWrite: true) == POLLOUT)
            #expect(try !line.wait(milliseconds: 20))
        }
        line.stream.close()
        #expect(line.stream.stage == .idle)
    }

    @Test func nobodyListens() throws {
        let listener = try TCPListener(backlog: nil)
        let line = try Line(listener, pin: Self.certificate)
        #expect(try line.open() == .network(SystemError("connect", code: ECONNREFUSED)))
        line.stream.close()
    }

    @Test(arguments: ["240.0.0.1", "ff02::1"]) func placesThatCannotBeReached(literal: String) throws {
        let listener = try TCPListener()
        let line = try Line(listener, pin: Self.certificate)
        let address = try #require(SocketAddress(literal: literal, port: 7))
        do throws(StreamError) {
            try line.stream.connect(to: address)
            line.stream.close()
        } catch {
            guard case .network(let failure) = error else { return #expect(Bool(false), "\(error)") }
            #expect(failure.call == "connect" && line.stream.stage == .idle && line.stream.raw == -1)
        }
    }

    @Test func nothingIsDoneWithoutAConnection() throws {
        let listener = try TCPListener()
        let line = try Line(listener, pin: Self.certificate)
        var chunk: [UInt8] = [0]
        #expect(chunk.withUnsafeMutableBytes { line.stream.read(into: $0) } == .blocked)
        #expect(line.writeOnce([1]) == .blocked)
        #expect(try line.stream.advance(clientCertificate: nil) == false)
        #expect(!line.stream.hasPending)
        line.stream.close()
        line.stream.close()
    }

    // MARK: The server goes

    /// How a connection may end before TLS is done.
    enum Step: CaseIterable, Sendable {
        case accepted, acceptedWithReset, clientHelloRead, garbage, halfARecord, aRecordOfNothing
    }

    @Test(arguments: Step.allCases) func theHandshakeBreaks(step: Step) throws {
        let listener = try TCPListener()
        listener.serve { client in
            switch step {
            case .accepted: break
            case .acceptedWithReset: Self.resetOnClose(client)
            case .clientHelloRead: receive(client, until: "\u{3}")
            case .garbage: sendAll(client, Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            case .halfARecord: sendAll(client, [0x16, 3, 3, 0, 100, 2, 0, 0, 96, 3, 3])
            case .aRecordOfNothing: sendAll(client, [0x16, 3, 3, 0, 0])
            }
        }
        let line = try Line(listener, pin: Self.certificate)
        let error = try line.open()
        switch step {
        case .garbage: guard case .tls? = error else { return #expect(Bool(false), "\(step)") }
        case _ where error == .truncated: break
        default:
            // A reset may come before the connection is looked at, between two calls, or amid one of them.
            guard case .network(let failure)? = error else { return #expect(Bool(false), "\(step)") }
            #expect([ECONNRESET, EPIPE].contains(failure.code), "\(step)")
        }
        line.stream.close()
        #expect(line.stream.stage == .idle && line.stream.raw == -1)
    }

    private static func resetOnClose(_ client: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// What was sent before the end is read first, whichever way it ends.
    @Test(arguments: ["goodbye", "without goodbye", "reset"]) func theServerCloses(way: String) throws {
        let (listener, server) = try server()
        let closing = DispatchSemaphore(value: 0)
        listener.serve { client in
            server.accept(client) { ssl in
                server.write(ssl, Array("last words".utf8))
                closing.wait()
                if way != "goodbye" { SSL_set_quiet_shutdown(ssl, 1) }
                if way == "reset" { Self.resetOnClose(client) }
            }
        }
        let line = try Line(listener, pin: Self.certificate)
        #expect(try line.open() == nil)
        let words = try line.read(10)
        #expect(String(decoding: words.bytes, as: UTF8.self) == "last words")
        closing.signal()
        let (bytes, end) = try line.read(1)
        #expect(bytes.isEmpty)
        switch way {
        case "goodbye": #expect(end == .closed)
        case "reset": #expect(end == .network(SystemError("connection", code: ECONNRESET)))
        default: #expect(end == .truncated, "anybody between can end a connection so")
        }
        line.stream.close()
    }

    @Test func writingToOneThatIsGone() throws {
        let (listener, server) = try server()
        let task = listener.serve { client in
            server.accept(client) { ssl in
                SSL_set_quiet_shutdown(ssl, 1)
                Self.resetOnClose(client)
            }
        }
        cb_ignore_sigpipe()
        let line = try Line(listener, pin: Self.certificate)
        #expect(try line.open() == nil)
        task.wait()
        var result: Result<Int, StreamError> = .success(0)
        for _ in 0..<20 where (try? result.get()) != nil {
            usleep(5_000)
            result = try line.write([1, 2, 3])
        }
        guard case .failure(.network(let error)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(error.code == EPIPE || error.code == ECONNRESET)
        line.stream.close()
    }

    // MARK: Transfers

    /// More than every buffer on the way holds: blocks, goes on when poll says so, and every byte arrives.
    @Test func aWriteThatBlocks() throws {
        // Version 1.3 sends tickets after the handshake, which would make the stream readable.
        let (listener, server) = try server(maximum: TLS1_2_VERSION)
        let reading = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var got: [UInt8] = []
        let bytes = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let task = listener.serve { client in
            server.accept(client) { ssl in
                reading.wait()
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while got.count < bytes.count {
                    let count = SSL_read(ssl, &chunk, Int32(chunk.count))
                    guard count > 0 else { break }
                    got += chunk.prefix(Int(count))
                }
            }
        }
        let line = try Line(listener, pin: Self.certificate)
        #expect(try line.open() == nil)
        #expect(line.writeOnce(bytes) == .blocked)
        // The other direction is free meanwhile.
        var chunk: [UInt8] = [0]
        #expect(chunk.withUnsafeMutableBytes { line.stream.read(into: $0) } == .blocked)
        #expect(line.stream.interest(wantsRead: true, wantsWrite: true) == POLLIN | POLLOUT)
        reading.signal()
        guard case .success(let waits) = try line.write(bytes) else { return #expect(Bool(false)) }
        #expect(waits > 0)
        #expect(task.wait())
        #expect(got == bytes)
        line.stream.close()
    }

    /// A frame is one record, and a record of one byte is one read.
    @Test func oneRecordAWrite() throws {
        let (listener, server) = try server()
        nonisolated(unsafe) var sizes: [Int32] = []
        let task = listener.serve { client in
            server.accept(client) { ssl in
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = SSL_read(ssl, &chunk, Int32(chunk.count))
                    guard count > 0 else { break }
                    sizes.append(count)
                }
            }
        }
        let line = try Line(listener, pin: Self.certificate)
        #expect(try line.open() == nil)
        let ladder = [1, 2, 8, 4095, 4096, Limits.frame, 16_383, 16_384]
        for size in ladder { #expect(try line.write([UInt8](repeating: 1, count: size)) == .success(0)) }
        line.stream.close()
        #expect(task.wait())
        #expect(sizes == ladder.map(Int32.init))
    }

    /// Bytes that TLS holds back are not seen by poll; `hasPending` tells.
    @Test func whatPollDoesNotSee() throws {
        let (listener, server) = try server()
        listener.serve { client in
            server.accept(client) { ssl in
                server.write(ssl, Array("0123456789".utf8))
                server.read(ssl, until: "\n")
            }
        }
        let line = try Line(listener, pin: Self.certificate)
        #expect(try line.open() == nil)
        _ = try line.read(1)
        var four = [UInt8](repeating: 0, count: 4)
        var rest: [UInt8] = []
        while line.stream.hasPending {
            guard case .done(let count) = four.withUnsafeMutableBytes({ line.stream.read(into: $0) }) else { break }
            rest += four.prefix(count)
        }
        line.stream.close()
    }

    /// A server that has gone without a word looks like one that has nothing to say.
    @Test func halfOpen() throws {
        let (listener, server) = try server()
        let done = DispatchSemaphore(value: 0)
        listener.serve { client in server.accept(client) { _ in done.wait() } }
        let line = try Line(listener, pin: Self.certificate)
        #expect(try line.open() == nil)
        // What TLS itself still has to say comes first.
        var isQuiet = false
        for _ in 0..<10 where !isQuiet {
            let (bytes, end) = try line.readNow()
            #expect(bytes.isEmpty && end == nil)
            isQuiet = try !line.wait(milliseconds: 50)
        }
        #expect(isQuiet)
        #expect(line.stream.interest(wantsRead: true, wantsWrite: false) == POLLIN)
        #expect(line.stream.interest(wantsRead: false, wantsWrite: false) == 0)
        done.signal()
        line.stream.close()
    }

    // MARK: The client certificate

    @Test(arguments: [true, false], [TLS1_2_VERSION, TLS1_3_VERSION])
    func clientCertificate(shown: Bool, version: Int32) throws {
        let (listener, server) = try server(maximum: version)
        server.requestCertificate()
        nonisolated(unsafe) var seen: [UInt8]?
        let task = listener.serve { client in
            server.accept(client) { ssl in
                guard let peer = SSL_get1_peer_certificate(ssl) else { return }
                var der = [UInt8](repeating: 0, count: Int(i2d_X509(peer, nil)))
                der.withUnsafeMutableBufferPointer { buffer in
                    var at = buffer.baseAddress
                    i2d_X509(peer, &at)
                }
                X509_free(peer)
                seen = der
            }
        }
        let mine = try ServerCertificate(name: "a device")
        let line = try Line(listener, pin: Self.certificate)
        if shown {
            line.clientCertificate = withBytes(Array((mine.pem + mine.keyPEM).utf8)) { ClientCertificate(pem: $0) }
            #expect(line.clientCertificate != nil)
        }
        #expect(try line.open() == nil)
        line.stream.close()
        #expect(task.wait())
        #expect(seen == (shown ? mine.der : nil))
    }

    /// After the handshake the certificate is not needed any more, and nothing of it stays behind the caller's back.
    @Test func aForgottenClientCertificate() throws {
        let (listener, server) = try server()
        server.requestCertificate()
        listener.serve { client in
            server.accept(client) { ssl in server.write(ssl, Array(server.read(ssl, until: "\n").utf8)) }
        }
        let mine = try ServerCertificate(name: "a device")
        let line = try Line(listener, pin: Self.certificate)
        line.clientCertificate = withBytes(Array((mine.pem + mine.keyPEM).utf8)) { ClientCertificate(pem: $0) }
        line.stream.forgetCertificate()
        #expect(try line.open() == nil)
        weak let held = line.clientCertificate
        line.clientCertificate = nil
        #expect(held == nil)
        line.stream.forgetCertificate()
        #expect(try line.write(Array("still here\n".utf8)) == .success(0))
        #expect(String(decoding: try line.read(11).bytes, as: UTF8.self) == "still here\n")
        line.stream.close()
        line.stream.forgetCertificate()
    }

    // MARK: Half a connection

    /// After the end of our half everything that we wrote is read, and what the server still says is too.
    @Test func theEndOfOurHalf() throws {
        let (listener, server) = try server()
        nonisolated(unsafe) var got = ""
        let task = listener.serve { client in
            server.accept(client) { ssl in
                got = server.read(ssl, until: "never")
                server.write(ssl, Array("so long".utf8))
            }
        }
        let line = try Line(listener, pin: Self.certificate)
        line.stream.finishWriting()
        #expect(try line.open() == nil)
        #expect(try line.write(Array("the end".utf8)) == .success(0))
        line.stream.finishWriting()
        let (bytes, end) = try line.read(100)
        #expect(String(decoding: bytes, as: UTF8.self) == "so long" && end == .closed)
        #expect(task.wait() && got == "the end")
        guard case .failed = line.writeOnce([1]) else { return #expect(Bool(false)) }
        line.stream.close()
    }

    // MARK: One after the other

    /// A stream is used for one connection after the other; every one starts a new session.
    @Test func manyConnections() throws {
        let (listener, server) = try server()
        let line = try Line(listener, pin: Self.certificate)
        nonisolated(unsafe) var resumed = 0
        for _ in 0..<50 {
            let task = listener.serve { client in
                server.accept(client) { ssl in
                    resumed += Int(SSL_session_reused(ssl))
                    server.write(ssl, [1])
                    server.read(ssl, until: "\n")
                }
            }
            #expect(try line.open() == nil)
            #expect(try line.read(1).bytes == [1])
            #expect(try line.write([10]) == .success(0))
            line.stream.close()
            #expect(task.wait())
        }
        #expect(resumed == 0)
    }
}

extension Line {
    func writeOnce(_ bytes: [UInt8]) -> TLSStream.Transfer { stream.write(bytes.span.bytes) }

    /// Reads what is there without waiting.
    func readNow() throws -> (bytes: [UInt8], end: StreamError?) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        switch chunk.withUnsafeMutableBytes({ stream.read(into: $0) }) {
        case .done(let count): return (Array(chunk.prefix(count)), nil)
        case .blocked: return ([], nil)
        case .failed(let error): return ([], error)
        }
    }
}
