import Bytes
import CBoard
import Loop
import SGP
import Store

/// From an attempt that is due to an open TLS connection.
extension Uplink {
    /// An attempt begins: a key to register with if need be, then the address of the server.
    func begin(now: Int64) {
        purpose = identity == nil ? .register : .login
        guard hasRegistrations || readRegistrations() else { return finish(.store, now: now) }
        guard purpose == .login || hasFreshKey || makeKey() else { return finish(.identity, now: now) }
        if let target = takeTarget() { return connect(to: target, now: now) }
        link.reached(.resolving, now: now)
        stageDeadline = now + Limits.connect
        if let endpoint = settings.endpoint {
            if let literal = SocketAddress(literal: endpoint.host, port: endpoint.port) {
                return use(literal, now: now)
            }
            resolvingPort = endpoint.port
            resolver.askAddresses(endpoint.host, port: endpoint.port)
        } else {
            resolvingPort = nil
            resolver.askText(queryName)
        }
    }

    /// The next address to try. After the last one they are asked for again.
    private func takeTarget() -> SocketAddress? {
        guard let target = targets[nextTarget] else {
            forgetTargets()
            return nil
        }
        nextTarget += 1
        return target
    }

    func forgetTargets() {
        targets = AddressList()
        nextTarget = 0
    }

    /// The address at hand has proved good: the next connection begins with it.
    func keepTarget() { nextTarget = max(nextTarget - 1, 0) }

    func resolve(now: Int64) {
        resolver.process()
        switch resolver.outcome {
        case .idle, .pending:
            if now >= stageDeadline { finish(.unresolved, now: now) }
        case .failed(let status):
            logResolver(status)
            finish(.unresolved, now: now)
        case .answered: resolved(now: now)
        }
    }

    private func logResolver(_ status: Int32) {
        text.removeAll()
        text.append(resolverStatus: status)
        log.warning(.resolver, "\(settings.serverAddress): \(printable: text.pointer)")
    }

    private func use(_ literal: SocketAddress, now: Int64) {
        forgetTargets()
        targets.append(literal)
        begin(now: now)
    }

    private func resolved(now: Int64) {
        if resolvingPort != nil {
            targets = resolver.addresses
            nextTarget = 0
            return begin(now: now)
        }
        for index in 0..<resolver.textCount {
            guard let record = ServiceRecord(resolver.text(index).bytes) else { continue }
            let host = record.host.text
            if let literal = SocketAddress(literal: host, port: record.port) { return use(literal, now: now) }
            resolvingPort = record.port
            return resolver.askAddresses(host, port: record.port)
        }
        log.warning(.resolver, "no TXT record of \(queryName) names tcp_addr and tcp_port")
        finish(.unresolved, now: now)
    }

    private func connect(to target: SocketAddress, now: Int64) {
        text.removeAll()
        text.append(target)
        endpointText = Blob<64>(text.pointer) ?? Blob<64>()
        link.reached(.connecting, now: now)
        stageDeadline = now + Limits.connect
        log.info(.link, "connecting to \(endpointText)")
        guard purpose == .login || loadClientCertificate() else { return finish(.identity, now: now) }
        do throws(StreamError) { try stream.connect(to: target) } catch { failed(EndReason(error), now: now) }
    }

    /// An address could not be reached. Another of the same host is tried at once; the last one's failure is that of
    /// the attempt.
    private func failed(_ reason: EndReason, now: Int64) {
        guard let next = targets[nextTarget] else { return finish(reason, now: now) }
        nextTarget += 1
        text.removeAll()
        text.append(reason)
        log.notice(.link, "\(endpointText): \(printable: text.pointer); trying the next address")
        stream.close()
        connect(to: next, now: now)
    }

    /// Goes on with TCP and TLS; hands the open stream to the session.
    func handshake(now: Int64) {
        let stage = stream.stage
        do throws(StreamError) {
            guard try stream.advance(clientCertificate: clientCertificate) else {
                if stream.stage != stage { stageDeadline = now + Limits.connect }
                if now < stageDeadline { return }
                return stage == .connecting
                    ? failed(.timeout(.connect), now: now) : finish(.timeout(.tlsHandshake), now: now)
            }
        } catch {
            let reason = EndReason(error)
            return stream.stage == .connecting ? failed(reason, now: now) : finish(reason, now: now)
        }
        stageDeadline = .max
        switch purpose {
        case .register: beginRegistration(now: now)
        case .login: beginLogin(now: now)
        }
        wantsTurn = true
    }

    private func beginLogin(now: Int64) {
        let address = identity?.address ?? Blob<255>()
        link.reached(.authenticating, now: now)
        session.start(.login, identity: address.bytes, now: now)
        session.lastSeq = delivery.lastSequence
    }
}

extension EndReason {
    init(_ error: StreamError) {
        switch error {
        case .network(let failure) where Self.meansNoNetwork(failure.code): self = .noNetwork(failure.code)
        case .network(let failure): self = .network(failure.code)
        case .tls(let code): self = .tls(code)
        case .pinMismatch: self = .pinMismatch
        case .closed, .truncated: self = .closed
        }
    }

    /// The errors of a board without a route, rather than of a server that is away.
    private static func meansNoNetwork(_ code: Int32) -> Bool {
        code == ENETUNREACH || code == ENETDOWN || code == EHOSTUNREACH || code == EADDRNOTAVAIL
    }
}
