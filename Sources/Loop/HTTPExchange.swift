import Bytes
import CBoard

/// One connection to a web server, plain or TLS. Its calls wait, but never beyond the deadline: however slowly the bytes
/// come, the whole exchange ends in time.
final class HTTPExchange {
    private let deadline: Int64
    private var socket = FileDescriptor()
    private var ssl: OpaquePointer?
    private var chunk = ByteBuffer(capacity: 4096)

    /// `deadline` in milliseconds of `SystemClock`.
    init(deadline: Int64) { self.deadline = deadline }

    deinit { SSL_free(ssl) }

    func connect(to target: SocketAddress) throws(HTTPError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        socket = FileDescriptor(raw: CBoard.socket(target.family, type, 0))
        guard socket.isOpen else { throw .network(SystemError("socket").text) }
        if target.withPointer({ CBoard.connect(socket.raw, $0, $1) }) == 0 { return }
        guard cb_errno() == EINPROGRESS else { throw failure(to: target, cb_errno()) }
        try wait(POLLOUT)
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket.raw, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { throw failure(to: target, code) }
    }

    private func failure(to target: SocketAddress, _ code: Int32) -> HTTPError {
        .network(SystemError("connect to " + target.text, code: code).text)
    }

    /// TLS with a server of any certificate. Its name goes along, since one address may serve many.
    /// With `verifies` only one whose certificate the system's authorities vouch for, by this name or address.
    func handshake(host: String, verifies: Bool = false) throws(HTTPError) {
        // The library writes to the socket by itself, so that a broken connection would end the process.
        cb_ignore_sigpipe()
        // The system's openssl.cnf is for other programs.
        OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
        let context = SSL_CTX_new(TLS_client_method())
        defer { SSL_CTX_free(context) }
        guard let context, let made = SSL_new(context) else { throw .network("no memory for TLS") }
        ssl = made
        SSL_set_verify(made, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        if verifies {
            cb_ssl_ctx_trust_system(context)
            SSL_ctrl(made, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
            guard host.withCString({ SSL_set1_host(made, $0) }) == 1 else { throw .network("no memory for TLS") }
        }
        if SocketAddress(literal: host, port: 0) == nil {
            host.withCString { name in
                _ = SSL_ctrl(
                    made, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                    UnsafeMutableRawPointer(mutating: name))
            }
        }
        guard SSL_set_fd(made, socket.raw) == 1 else { throw .network("no memory for TLS") }
        var result: Int32 = 0
        do throws(HTTPError) { result = try finish(made, { SSL_connect(made) }) } catch {
            throw Self.distrust(made) ?? error
        }
        guard result > 0 else { throw .network("the server closed the connection in the TLS handshake") }
    }

    /// What is wrong with the server's certificate; nil if nothing is, or if it was not asked.
    private static func distrust(_ ssl: OpaquePointer) -> HTTPError? {
        let code = SSL_get_verify_result(ssl)
        guard SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE, code != Int(X509_V_OK),
            let words = X509_verify_cert_error_string(code)
        else { return nil }
        var text = ByteBuffer(capacity: 256)
        text.append("its certificate is refused: ")
        text.append(cString: words)
        switch Int32(code) {
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            text.append("; SSL_CERT_FILE=FILE names an authority of your own")
        default: break
        }
        return .network(String(decoding: text.pointer, as: UTF8.self))
    }

    func send(_ bytes: [UInt8]) throws(HTTPError) {
        if let ssl {
            guard try finish(ssl, { SSL_write(ssl, bytes, Int32(bytes.count)) }) > 0 else { throw .truncated }
            return
        }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                CBoard.send(socket.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { sent += count } else { try recover("send", POLLOUT) }
        }
    }

    /// Everything up to the end of the connection, at most `limit` bytes.
    func receive(limit: Int) throws(HTTPError) -> [UInt8] {
        var answer: [UInt8] = []
        while answer.count <= limit {
            guard SystemClock().now < deadline else { throw .timeout }
            let count = try read()
            if count == 0 { return answer }
            answer.append(contentsOf: chunk.tail.prefix(count))
        }
        throw .tooLong
    }

    /// Reads into the tail of `chunk`; 0 at the end.
    private func read() throws(HTTPError) -> Int {
        let space = chunk.tail
        if let ssl { return Int(try finish(ssl, { SSL_read(ssl, space.baseAddress, Int32(space.count)) })) }
        while true {
            let count = recv(socket.raw, space.baseAddress, space.count, 0)
            if count >= 0 { return count }
            try recover("recv", POLLIN)
        }
    }

    /// Waits where a call would have blocked; throws for any other error.
    private func recover(_ call: String, _ events: Int32) throws(HTTPError) {
        switch cb_errno() {
        case EINTR: break
        case EAGAIN: try wait(events)
        default: throw .network(SystemError(call).text)
        }
    }

    /// Repeats a call of OpenSSL until it is done. 0 once the server has closed the connection.
    private func finish(_ ssl: OpaquePointer, _ call: () -> Int32) throws(HTTPError) -> Int32 {
        while true {
            ERR_clear_error()
            let result = call()
            let errno = cb_errno()
            if result > 0 { return result }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: try wait(POLLIN)
            case SSL_ERROR_WANT_WRITE: try wait(POLLOUT)
            case SSL_ERROR_ZERO_RETURN: return 0
            case SSL_ERROR_SYSCALL where ERR_peek_error() == 0:
                if errno == 0 { return 0 }
                throw .network(SystemError("TLS connection", code: errno).text)
            default:
                let code = ERR_get_error()
                if cb_ssl_is_unexpected_eof(UInt(code)) != 0 { return 0 }
                if cb_ssl_is_no_tls(UInt(code)) != 0 { throw .network("the server does not speak TLS on this port") }
                throw .network(Self.words(of: UInt(code)))
            }
        }
    }

    private static func words(of code: UInt) -> String {
        var text = ByteBuffer(capacity: 256)
        text.append("TLS: ")
        text.append(tlsReason: code)
        return String(decoding: text.pointer, as: UTF8.self)
    }

    /// Waits for the socket or the deadline.
    private func wait(_ events: Int32) throws(HTTPError) {
        while true {
            let left = deadline - SystemClock().now
            guard left > 0 else { throw .timeout }
            var one = pollfd(fd: socket.raw, events: Int16(events), revents: 0)
            let ready = poll(&one, 1, Int32(clamping: left))
            if ready > 0 { return }
            if ready < 0, cb_errno() != EINTR { throw .network(SystemError("poll").text) }
        }
    }
}
