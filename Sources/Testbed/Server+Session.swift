import Foundation

// The server's side of the protocol, SGP v2 §2 to §9: what each frame of the client does.
extension Server {
    /// TLS is done.
    func opened(_ connection: Connection) {
        guard fires(.tls, connection) else { return }
        if let opening = state.opening {
            log(.fault, connection, [("what", .text("opening"))])
            connection.phase = .hello
            return enqueue(connection, opening)
        }
        guard state.legacyHello != .off else { return sendHello(connection) }
        let body = Server.legacyBody
        log(.fault, connection, [("what", .text("legacy hello"))])
        if state.legacyHello == .two {
            enqueue(connection, Wire.bigEndian(UInt32(body.count)))
            enqueue(connection, body)
        } else {
            enqueue(connection, Wire.bigEndian(UInt32(body.count)) + body)
        }
        connection.phase = .awaitingUpgrade
        connection.swallowNext = state.referenceWays
    }

    /// A binary property list of an empty dictionary: header, object, offset table, trailer.
    private static let legacyBody: [UInt8] =
        Array("bplist00".utf8) + [0xD0, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1] + Wire.bigEndian(UInt64(1))
        + Wire.bigEndian(UInt64(0)) + Wire.bigEndian(UInt64(9))

    private func sendHello(_ connection: Connection) {
        connection.phase = .hello
        guard !state.silence.contains(.hello) else { return }
        send(connection, .hello, Wire.bigEndian(state.helloVersion))
        _ = fires(.hello, connection)
    }

    /// The bytes of one TLS record.
    func received(_ connection: Connection, _ record: ArraySlice<UInt8>) {
        connection.lastFrame = monotonic()
        let continued = !connection.inbox.isEmpty
        connection.inbox += record
        var start = 0
        while connection.stage == .open, connection.inbox.count - start >= Wire.headerSize {
            let header = Array(connection.inbox[start..<start + Wire.headerSize])
            let length = header[4...].reduce(0) { $0 << 8 | Int($1) }
            guard accepts(connection, header, length) else { return }
            guard connection.inbox.count - start >= Wire.headerSize + length else { break }
            let payload = Array(connection.inbox[start + Wire.headerSize..<start + Wire.headerSize + length])
            start += Wire.headerSize + length
            handle(connection, header[2], payload)
        }
        guard connection.stage == .open else { return }
        connection.inbox.removeFirst(start)
        if !continued, !connection.inbox.isEmpty {
            violation(connection, "frame split over TLS records")
            if state.referenceWays { reset(connection, why: "frame split") }
        }
    }

    private func accepts(_ connection: Connection, _ header: [UInt8], _ length: Int) -> Bool {
        let good =
            header[0] == Wire.magic && header[1] == Wire.version && header[3] == 0 && length <= Wire.payloadMaximum
        guard !good else { return true }
        connection.inbox.removeAll()
        violation(connection, "bad header", [("header", .bytes(header))])
        bye(connection, DisconnectReason.protocolError)
        return false
    }

    private func handle(_ connection: Connection, _ number: UInt8, _ payload: [UInt8]) {
        guard let type = ClientType(rawValue: number) else {
            violation(connection, "unknown type", [("type", .integer(Int64(number)))])
            return bye(connection, DisconnectReason.protocolError)
        }
        let frame: ClientFrame
        do {
            frame = try ClientFrame(type, payload)
        } catch {
            violation(connection, "malformed \(type.name)", [("why", .text("\(error)")), ("payload", .bytes(payload))])
            if state.referenceWays, error == .short { return crash(connection, "short payload of \(type.name)") }
            return bye(connection, DisconnectReason.protocolError)
        }
        log(.frame, connection, [("type", .text(type.name)), ("size", .integer(Int64(payload.count)))] + frame.fields)
        if connection.swallowNext {
            connection.swallowNext = false
            return sendHello(connection)
        }
        guard allowed(frame, in: connection.phase) else {
            violation(connection, "\(type.name) out of phase", [("phase", .text("\(connection.phase)"))])
            return bye(connection, DisconnectReason.protocolError)
        }
        act(connection, on: frame)
    }

    private func allowed(_ frame: ClientFrame, in phase: Connection.Phase) -> Bool {
        switch frame {
        case .upgrade: phase == .awaitingUpgrade
        case .login, .register: phase == .hello
        case .loginResponse, .registerResponse: phase == .challenged
        case .poll, .ack, .ping, .pong, .filter: phase == .authenticated
        case .disconnect: true
        }
    }

    private func act(_ connection: Connection, on frame: ClientFrame) {
        switch frame {
        case .upgrade:
            if fires(.upgrade, connection) { sendHello(connection) }
        case .login(let address, let timestamp, let version):
            login(connection, address, timestamp, version)
        case .register(let key, let timestamp, let version):
            register(connection, key, timestamp, version)
        case .loginResponse(let timestamp, let signature):
            if fires(.response, connection) { finishLogin(connection, timestamp, signature) }
        case .registerResponse(let timestamp, let signature):
            if fires(.response, connection) { finishRegistration(connection, timestamp, signature) }
        case .filter(let more, let entries): filter(connection, more, entries)
        case .poll(let sequence): poll(connection, after: sequence)
        case .ack(let identifier, let status): acknowledge(connection, identifier, status)
        case .ping(let sequence):
            guard fires(.ping, connection), !state.silence.contains(.pong) else { return }
            send(connection, .pong, Wire.bigEndian(sequence), [("seq", .integer(sequence))])
        case .pong: _ = fires(.pong, connection)
        case .disconnect: end(connection, .close)
        }
    }

    /// The reference server drops a client that sent nothing for 60 minutes.
    func checkIdle(_ connection: Connection) {
        guard state.referenceWays, monotonic() - connection.lastFrame >= 3_600_000 else { return }
        connection.lastFrame = monotonic()
        bye(connection, DisconnectReason.protocolError)
    }
}

// MARK: Registration and login, SGP v2 §4

extension Server {
    /// The server's clock, Unix seconds.
    func now() -> Int64 { Int64(Date().timeIntervalSince1970) + state.clockOffset }

    private func register(_ connection: Connection, _ key: [UInt8], _ timestamp: Int64, _ version: UInt32) {
        guard fires(.register, connection) else { return }
        guard version == 2 else { return bye(connection, DisconnectReason.versionMismatch) }
        if let failure = state.registerFailure, failure.early { return fail(connection, failure) }
        connection.pending = .registration(publicKey: key, timestamp: timestamp)
        challenge(connection)
    }

    private func login(_ connection: Connection, _ address: [UInt8], _ timestamp: Int64, _ version: UInt32) {
        guard fires(.login, connection) else { return }
        guard version == 2 else { return bye(connection, DisconnectReason.versionMismatch) }
        if connection.registered, state.refuseLoginAfterRegistration {
            log(.fault, connection, [("what", .text("login refused after registration"))])
            return bye(connection, DisconnectReason.protocolError)
        }
        if let reason = state.refuseLogin {
            log(.fault, connection, [("what", .text("login refused"))])
            return bye(connection, reason)
        }
        guard devices[address] != nil else { return bye(connection, DisconnectReason.authFail) }
        connection.pending = .login(address: address, timestamp: timestamp)
        challenge(connection)
    }

    private func challenge(_ connection: Connection) {
        connection.phase = .challenged
        connection.nonce = Cryptography.random(32)
        guard !state.silence.contains(.challenge) else { return }
        send(connection, .challenge, connection.nonce)
        _ = fires(.challenge, connection)
    }

    private func timely(_ timestamp: Int64, _ first: Int64) -> Bool {
        let (difference, overflow) = timestamp.subtractingReportingOverflow(now())
        return timestamp == first && !overflow && difference.magnitude <= 300
    }

    private func finishRegistration(_ connection: Connection, _ timestamp: Int64, _ signature: [UInt8]) {
        guard case .registration(let key, let first)? = connection.pending else {
            violation(connection, "C_REGISTER_RESP for a login")
            return bye(connection, DisconnectReason.protocolError)
        }
        let message = connection.nonce + Wire.bigEndian(timestamp)
        guard timely(timestamp, first), Cryptography.isRSA2048(key),
            Cryptography.verify(signature, over: message, publicKey: key)
        else {
            log(.note, connection, [("what", .text("registration refused: clock, key or signature"))])
            return bye(connection, DisconnectReason.authFail)
        }
        connection.phase = .hello
        connection.pending = nil
        if let failure = state.registerFailure { return fail(connection, failure) }
        guard !state.silence.contains(.answer) else { return }
        let address = state.address ?? Array("\(hex(Cryptography.random(16)))@\(options.address)".utf8)
        devices[address] = Device(address: address, publicKey: key)
        saveDevices()
        connection.registered = true
        log(.registered, connection, [("address", .text(String(decoding: address, as: UTF8.self)))])
        send(
            connection, .registerOK,
            Wire.bigEndian(state.helloVersion) + Wire.bigEndian(UInt16(truncatingIfNeeded: address.count)) + address)
        _ = fires(.registered, connection)
    }

    private func fail(_ connection: Connection, _ failure: Faults.RegisterFailure) {
        log(.fault, connection, [("what", .text("registration refused"))])
        connection.phase = .hello
        let reason = failure.reason.map { Wire.bigEndian(UInt16(truncatingIfNeeded: $0.count)) + $0 } ?? []
        send(connection, .registerFail, [failure.code] + reason, [("code", .integer(Int64(failure.code)))])
    }

    private func finishLogin(_ connection: Connection, _ timestamp: Int64, _ signature: [UInt8]) {
        guard case .login(let address, let first)? = connection.pending, let device = devices[address] else {
            violation(connection, "C_LOGIN_RESP for a registration")
            return bye(connection, DisconnectReason.protocolError)
        }
        let message = connection.nonce + address + Wire.bigEndian(timestamp)
        guard timely(timestamp, first), Cryptography.verify(signature, over: message, publicKey: device.publicKey)
        else {
            log(.note, connection, [("what", .text("login refused: clock or signature"))])
            return bye(connection, DisconnectReason.authFail)
        }
        connection.phase = .authenticated
        connection.pending = nil
        guard !state.silence.contains(.answer) else { return }
        if let older = live[address], older !== connection, !state.referenceWays {
            bye(older, DisconnectReason.replaced)
        }
        connection.device = device
        live[address] = connection
        send(connection, .authOK)
        log(.authenticated, connection, [("address", .text(String(decoding: address, as: UTF8.self)))])
        if let ahead = state.timeSync { send(connection, .timeSync, Wire.bigEndian(now() &+ ahead)) }
        _ = fires(.authenticated, connection)
    }
}

// MARK: Registrations, polls and acknowledgements

extension Server {
    private func filter(_ connection: Connection, _ more: Bool, _ entries: [Registration]) {
        guard let device = connection.device else { return }
        inspect(connection, more, entries)
        guard connection.stage == .open else { return }
        connection.filterEntries += entries
        connection.filterChunks += 1
        connection.filterSize = more ? 3 + entries.reduce(0) { $0 + $1.size } : 0
        guard !more else { return }
        device.registrations = connection.filterEntries
        let chunks = connection.filterChunks
        connection.filterEntries = []
        connection.filterChunks = 0
        connection.filtersSeen += 1
        saveDevices()
        let ignored = device.registrations.count { $0.tag == Registration.ignored }
        log(
            .filter, connection,
            [
                ("count", .integer(Int64(device.registrations.count))), ("ignored", .integer(Int64(ignored))),
                ("chunks", .integer(Int64(chunks))),
            ])
        _ = fires(.filter, connection)
    }

    private func inspect(_ connection: Connection, _ more: Bool, _ entries: [Registration]) {
        if connection.filterSize > 0, let first = entries.first,
            connection.filterSize + first.size <= Wire.payloadMaximum
        {
            violation(connection, "C_FILTER not packed greedily")
        }
        if entries.isEmpty, more || connection.filterChunks > 0 { violation(connection, "empty chunk of C_FILTER") }
        for entry in entries {
            if entry.tag != Registration.enabled, entry.tag != Registration.ignored {
                violation(connection, "unknown tag in C_FILTER", [("tag", .integer(Int64(entry.tag)))])
            }
            let repeated = !connection.keysSent.insert(entry.routingKey).inserted
            let long = entry.bundle.utf8.count > 64
            if state.referenceWays, repeated { return crash(connection, "routing key repeated on a connection") }
            if state.referenceWays, long { return crash(connection, "bundle id over 64 bytes") }
            if repeated, connection.filterEntries.contains(where: { $0.routingKey == entry.routingKey }) {
                violation(connection, "routing key twice in a set")
            }
        }
        if !state.referenceWays, !more { connection.keysSent.removeAll() }
    }

    private func poll(_ connection: Connection, after sequence: Int64) {
        guard let device = connection.device else { return }
        if connection.filtersSeen == 0 { violation(connection, "C_POLL before C_FILTER") }
        let rows = state.silence.contains(.notify) ? [] : device.rows(after: sequence)
        log(
            .polled, connection,
            [("last_seq", .integer(sequence)), ("redelivered", .integer(Int64(rows.count)))])
        guard fires(.poll, connection) else { return }
        for row in rows { push(row, connection) }
        if !state.silence.contains(.pollDone) { send(connection, .pollDone) }
        _ = fires(.pollDone, connection)
    }

    private func acknowledge(_ connection: Connection, _ identifier: [UInt8], _ status: UInt8) {
        guard fires(.ack, connection), let device = connection.device else { return }
        if connection.filtersSeen == 0 { violation(connection, "C_ACK before C_FILTER") }
        if status > 3 { violation(connection, "unknown status in C_ACK", [("status", .integer(Int64(status)))]) }
        let known = device.unacknowledged.removeValue(forKey: identifier) != nil
        log(
            .acked, connection,
            [("msg_id", .bytes(identifier)), ("status", .integer(Int64(status))), ("known", .flag(known))])
    }

    /// S_NOTIFY, with the duplicates that are wished for.
    func push(_ row: Row, _ connection: Connection) {
        for _ in 0...max(0, state.duplicates) {
            send(
                connection, .notify, row.payload,
                [("msg_id", .bytes(row.identifier)), ("seq", .integer(row.sequence))])
            _ = fires(.notify, connection)
        }
    }
}

extension Registration {
    /// Bytes in C_FILTER.
    var size: Int { 1 + 32 + 2 + bundle.utf8.count }
}
