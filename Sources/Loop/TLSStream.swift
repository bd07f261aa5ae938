import Bytes
import CBoard

/// One TLS connection without a blocking call: connect, handshake, read and write each take what the socket gives and
/// say what they wait for. Used again for one connection after the other.
public final class TLSStream {
    /// How far the connection has come.
    public enum Stage: Equatable, Sendable { case idle, connecting, handshaking, open }

    /// What a read or a write came to.
    public enum Transfer: Equatable, Sendable {
        case done(Int)
        /// Nothing now: poll tells when to try again.
        case blocked
        case failed(StreamError)
    }

    public private(set) var stage = Stage.idle
    /// The version of TLS that the open connection agreed on; empty without one.
    public private(set) var version = Blob<16>()

    /// How long sent bytes may stay unconfirmed by the other side's TCP, in milliseconds, on connections that are opened
    /// from now on.
    public var unconfirmed = Limits.unconfirmed

    private let context: TLSContext
    private var socket = FileDescriptor()
    private var ssl: OpaquePointer?
    private var readWantsWrite = false
    private var writeWantsRead = false
    private var handshakeWantsWrite = false

    public init(context: TLSContext) { self.context = context }

    deinit { close() }

    public var raw: Int32 { socket.raw }

    /// The events of `poll` that would let the stream go on.
    public func interest(wantsRead: Bool, wantsWrite: Bool) -> Int32 {
        switch stage {
        case .idle: 0
        case .connecting: POLLOUT
        case .handshaking: handshakeWantsWrite ? POLLOUT : POLLIN
        case .open: openInterest(wantsRead: wantsRead, wantsWrite: wantsWrite)
        }
    }

    private func openInterest(wantsRead: Bool, wantsWrite: Bool) -> Int32 {
        var events: Int32 = 0
        if wantsRead { events |= readWantsWrite ? POLLOUT : POLLIN }
        if wantsWrite { events |= writeWantsRead ? POLLIN : POLLOUT }
        return events
    }

    /// Decrypted bytes wait inside TLS, where `poll` does not see them.
    public var hasPending: Bool { ssl.map { SSL_has_pending($0) == 1 } ?? false }

    // MARK: Connecting

    /// Begins to connect. `advance` goes on from there.
    public func connect(to address: SocketAddress) throws(StreamError) {
        close()
        socket = FileDescriptor(raw: try Self.open(address))
        stage = .connecting
    }

    /// Takes over a socket that is connected or about to be, and closes it in the end.
    public func adopt(_ raw: Int32) {
        close()
        socket = FileDescriptor(raw: raw)
        stage = .connecting
    }

    /// A socket that does not block and has begun to connect.
    static func open(_ address: SocketAddress) throws(StreamError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = CBoard.socket(address.family, type, 0)
        guard raw >= 0 else { throw .network(SystemError("socket")) }
        var on: Int32 = 1
        setsockopt(raw, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withPointer { CBoard.connect(raw, $0, $1) }
        guard result == 0 || cb_errno() == EINPROGRESS else {
            let error = SystemError("connect")
            _ = CBoard.close(raw)
            throw .network(error)
        }
        return raw
    }

    /// Goes on connecting after `poll` said so. True once the handshake is complete and the pin has matched.
    public func advance(clientCertificate: ClientCertificate?) throws(StreamError) -> Bool {
        if stage == .connecting { try finishConnect(clientCertificate) }
        if stage == .handshaking { try handshake() }
        return stage == .open
    }

    private func finishConnect(_ certificate: ClientCertificate?) throws(StreamError) {
        // The socket reports no error while it is still connecting, so the error alone does not tell the two apart.
        var one = pollfd(fd: socket.raw, events: Int16(POLLOUT), revents: 0)
        guard poll(&one, 1, 0) != 0 else { return }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket.raw, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { throw .network(SystemError("connect", code: code)) }
        guard let made = SSL_new(context.context) else { throw .tls(ERR_get_error()) }
        ssl = made
        guard SSL_set_fd(made, socket.raw) == 1 else { throw .tls(ERR_get_error()) }
        if let certificate, !certificate.use(on: made) { throw .tls(ERR_get_error()) }
        context.beginHandshake()
        stage = .handshaking
    }

    private func handshake() throws(StreamError) {
        guard let ssl else { return }
        ERR_clear_error()
        let result = SSL_connect(ssl)
        guard result == 1 else {
            if let error = wait(for: result, wantsWrite: &handshakeWantsWrite) {
                throw context.mismatch ? .pinMismatch : error
            }
            return
        }
        // Nothing that TLS negotiates may go past the pin.
        guard context.matched else { throw .pinMismatch }
        stage = .open
        limitUnconfirmed()
        if let name = SSL_get_version(ssl) {
            version = Blob<16>(UnsafeRawBufferPointer(start: name, count: strlen(name))) ?? Blob<16>()
        }
    }

    /// The kernel gives a connection up whose bytes nobody confirms. No SO_KEEPALIVE: the session asks for itself.
    private func limitUnconfirmed() {
        var milliseconds = UInt32(clamping: unconfirmed)
        setsockopt(
            socket.raw, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, socklen_t(MemoryLayout<UInt32>.size))
    }

    // MARK: Transfers

    /// Reads into the buffer as much as one record or the buffer holds.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        guard stage == .open, let ssl, buffer.count > 0 else { return .blocked }
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 {
            readWantsWrite = false
            return .done(Int(count))
        }
        return wait(for: count, wantsWrite: &readWantsWrite).map { .failed($0) } ?? .blocked
    }

    /// Writes the bytes in one record. `done` means all of them; after `blocked` the same bytes must be offered again.
    public func write(_ bytes: RawSpan) -> Transfer {
        guard stage == .open, let ssl, bytes.byteCount > 0 else { return .blocked }
        ERR_clear_error()
        let count = bytes.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32(clamping: $0.count)) }
        if count > 0 {
            writeWantsRead = false
            return .done(Int(count))
        }
        var wantsWrite = true
        let error = wait(for: count, wantsWrite: &wantsWrite)
        writeWantsRead = !wantsWrite
        return error.map { .failed($0) } ?? .blocked
    }

    /// Frees and clears the client certificate and its key, which an open connection needs no longer.
    public func forgetCertificate() {
        if let ssl { SSL_certs_clear(ssl) }
    }

    /// The other side's TCP has confirmed everything that was written.
    public var isConfirmed: Bool { socket.isOpen && cb_unconfirmed(socket.raw) == 0 }

    /// Ends our half: nothing more is written, and the other side reads an end after everything that was. What it still
    /// sends can be read until it ends its own half.
    public func finishWriting() {
        guard stage == .open, let ssl else { return }
        ERR_clear_error()
        SSL_shutdown(ssl)
        shutdown(socket.raw, Int32(SHUT_WR))
    }

    /// Closes the connection, with TLS's own goodbye where that does not block.
    public func close() {
        if let ssl {
            ERR_clear_error()
            if stage == .open { SSL_shutdown(ssl) }
            SSL_free(ssl)
        }
        ssl = nil
        socket.close()
        stage = .idle
        version = Blob<16>()
        readWantsWrite = false
        writeWantsRead = false
        handshakeWantsWrite = false
    }

    /// Sorts OpenSSL's answer: nil to wait for `poll`, otherwise why the stream is over.
    private func wait(for result: Int32, wantsWrite: inout Bool) -> StreamError? {
        let code = cb_errno()
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ:
            wantsWrite = false
            return nil
        case SSL_ERROR_WANT_WRITE:
            wantsWrite = true
            return nil
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL where ERR_peek_error() == 0:
            return code == 0 ? .truncated : .network(SystemError("connection", code: code))
        default:
            let error = ERR_get_error()
            // OpenSSL 3 reports a connection cut without close_notify as a TLS error.
            return cb_ssl_is_unexpected_eof(UInt(error)) != 0 ? .truncated : .tls(UInt(error))
        }
    }
}
