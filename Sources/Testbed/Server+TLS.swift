import CBoard

// TLS over non-blocking sockets: one SSL_write an item of the outbox, so one TLS record up to 16,384 bytes.
extension Server {
    func startTLS(_ connection: Connection) {
        let presented: ServerCertificate
        do {
            presented = state.wrongCertificate ? try wrongCertificate : certificate
        } catch {
            return finish(connection, by: "server", how: "error", why: "\(error)")
        }
        guard let context = makeContext(presented), let tls = SSL_new(context) else {
            return finish(connection, by: "server", how: "error", why: Cryptography.lastError())
        }
        SSL_CTX_free(context)
        SSL_set_fd(tls, connection.fd)
        SSL_set_accept_state(tls)
        connection.tls = tls
        if state.wrongCertificate { log(.fault, connection, [("what", .text("wrong certificate"))]) }
    }

    private func makeContext(_ presented: ServerCertificate) -> OpaquePointer? {
        guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, min(state.tlsMinimum, state.tlsMaximum).number, nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, state.tlsMaximum.number, nil)
        // Versions below 1.2 sign with SHA-1, which the default security level refuses.
        if state.tlsMaximum < .tls12 { SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0") }
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
        SSL_CTX_use_certificate(context, presented.certificate)
        SSL_CTX_use_PrivateKey(context, presented.key)
        SSL_CTX_set_session_id_context(context, "testbed", 7)
        if state.clientCertificate != .ignore {
            let require = state.clientCertificate == .require ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
            // Any certificate is accepted and recorded.
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | require) { _, _ in 1 }
        }
        return context
    }

    /// Goes on with a connection as far as its socket allows.
    func advance(_ connection: Connection, _ ready: Int16) {
        if connection.stage == .handshake, connection.tls != nil { handshake(connection) }
        if connection.stage == .draining { return drain(connection) }
        guard connection.stage == .open else { return }
        pump(connection)
        if connection.stage == .open, !connection.stalled, ready != 0 || connection.readAgain { receive(connection) }
        if connection.stage == .open { pump(connection) }
        if connection.stage == .open { checkIdle(connection) }
    }

    private func handshake(_ connection: Connection) {
        ERR_clear_error()
        let result = SSL_do_handshake(connection.tls)
        connection.wantsWrite = false
        if result == 1 {
            connection.stage = .open
            connection.readAgain = true
            logSecured(connection)
            return opened(connection)
        }
        switch SSL_get_error(connection.tls, result) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_WANT_WRITE: connection.wantsWrite = true
        case let code:
            let why = code == SSL_ERROR_SYSCALL ? "connection lost" : Cryptography.lastError()
            log(.refused, connection, [("error", .text(why))])
            finish(connection, by: "client", how: "error", why: "TLS handshake")
        }
    }

    private func logSecured(_ connection: Connection) {
        var fingerprint: [UInt8] = []
        var subject = ""
        if let peer = SSL_get1_peer_certificate(connection.tls) {
            fingerprint = Cryptography.sha256(ServerCertificate.der(peer))
            var text = [CChar](repeating: 0, count: 256)
            X509_NAME_oneline(X509_get_subject_name(peer), &text, 256)
            subject = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            X509_free(peer)
        }
        log(
            .secured, connection,
            [
                ("tls", .text(String(cString: SSL_get_version(connection.tls)))),
                ("client_certificate", .bytes(fingerprint)), ("client_subject", .text(subject)),
            ])
    }

    /// Writes what is due.
    func pump(_ connection: Connection) {
        connection.wantsWrite = false
        let now = monotonic()
        while connection.stage == .open, let output = connection.nextOutput(now: now) {
            switch output.item {
            case .close: return closeGracefully(connection)
            case .drop: return reset(connection, why: "planned")
            case .bytes(let bytes):
                ERR_clear_error()
                let written = bytes.isEmpty ? 1 : SSL_write(connection.tls, bytes, Int32(bytes.count))
                guard written > 0 else { return writeFailed(connection, written) }
                connection.dropFirstOutput()
                for note in output.notes { log(.sent, connection, note) }
            }
        }
    }

    private func writeFailed(_ connection: Connection, _ result: Int32) {
        switch SSL_get_error(connection.tls, result) {
        case SSL_ERROR_WANT_WRITE: connection.wantsWrite = true
        case SSL_ERROR_WANT_READ: break
        default: finish(connection, by: "client", how: "reset", why: "write failed")
        }
    }

    private func receive(_ connection: Connection) {
        connection.readAgain = false
        var record = [UInt8](repeating: 0, count: 16_384)
        while connection.stage == .open, !connection.stalled {
            ERR_clear_error()
            let count = SSL_read(connection.tls, &record, Int32(record.count))
            if count > 0 {
                // SSL_read returns the bytes of one record at most, so boundaries are seen here.
                received(connection, record[..<Int(count)])
                continue
            }
            switch SSL_get_error(connection.tls, count) {
            case SSL_ERROR_WANT_READ: return
            case SSL_ERROR_WANT_WRITE:
                connection.wantsWrite = true
                return
            case SSL_ERROR_ZERO_RETURN:
                // Answered in kind, so that the client knows how far we have read.
                SSL_shutdown(connection.tls)
                return finish(connection, by: "client", how: "close", why: "close_notify")
            case SSL_ERROR_SYSCALL:
                let code = cb_errno()
                return finish(connection, by: "client", how: code == ECONNRESET ? "reset" : "eof", why: "errno \(code)")
            default:
                let why = Cryptography.lastError()
                let how = why.contains("unexpected eof") ? "eof" : "error"
                return finish(connection, by: "client", how: how, why: why)
            }
        }
        if connection.stalled { connection.readAgain = false }
    }

    /// close_notify, FIN, and a second for the client to read what was sent.
    private func closeGracefully(_ connection: Connection) {
        SSL_shutdown(connection.tls)
        shutdown(connection.fd, Int32(SHUT_WR))
        detach(connection)
        connection.stage = .draining
        connection.drainDeadline = monotonic() + 1000
        log(.closed, connection, [("by", .text("server")), ("how", .text("close"))])
    }

    private func drain(_ connection: Connection) {
        var scratch = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection.fd, &scratch, scratch.count, 0)
            if count > 0 { continue }
            if count < 0, cb_errno() == EAGAIN, monotonic() < connection.drainDeadline { return }
            connection.freeTLS()
            Listener.close(connection.fd)
            connection.stage = .ended
            return
        }
    }

    /// Ends a connection with RST, throwing away what was not written.
    func reset(_ connection: Connection, why: String) {
        guard connection.stage != .ended else { return }
        let told = connection.stage != .draining
        detach(connection)
        connection.freeTLS()
        Listener.reset(connection.fd)
        connection.stage = .ended
        if told {
            log(.closed, connection, [("by", .text("server")), ("how", .text("reset")), ("why", .text(why))])
        }
    }

    /// Frees a connection that is over.
    func finish(_ connection: Connection, by: String, how: String, why: String) {
        guard connection.stage != .ended else { return }
        detach(connection)
        connection.freeTLS()
        Listener.close(connection.fd)
        connection.stage = .ended
        log(.closed, connection, [("by", .text(by)), ("how", .text(how)), ("why", .text(why))])
    }

    private func detach(_ connection: Connection) {
        guard let device = connection.device else { return }
        // The reference server forgets the device's live connection when any of them ends (SGP v2 §10).
        if state.referenceWays || live[device.address] === connection { live[device.address] = nil }
    }
}

extension Faults.TLSVersion: Comparable {
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    var number: Int {
        switch self {
        case .tls10: Int(TLS1_VERSION)
        case .tls11: Int(TLS1_1_VERSION)
        case .tls12: Int(TLS1_2_VERSION)
        case .tls13: Int(TLS1_3_VERSION)
        }
    }
}
