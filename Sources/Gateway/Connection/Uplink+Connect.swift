import Bytes
import CBoard
import Loop
import SGP
import Store

/// From an attempt that is due to an open TLS connection.
extension Uplink {
    /// An attempt begins: a key to register with if need be, then the address of the server.
    func begin(now: Int64, unixTime: Int64) {
        attemptSince = now
        attemptFailure = nil
        if lastEnd != .networkChanged { abandoned = 0 }
        if let failure = exchange.beginAttempt(self) { return finish(failure, now: now) }
        guard purpose == .login || hasFreshKey || makeKey() else { return finish(.identity, now: now) }
        loadPlace(now: now, unixTime: unixTime)
        guard !place.isEmpty else {
            exchange.link.reached(.resolving, now: now)
            guard question == .refresh else { return ask(.attempt, now: now) }
            question = .attempt
            watchDue = now + Limits.resolverWatch
            return
        }
        guard beginDialling(now: now) else { return }
        if !place.isFixed, place.isStale(now: now), question == .none { ask(.refresh, now: now) }
    }

    /// The address at hand has proved good: the next connection begins with it.
    func keepTarget() {
        for index in 0..<place.addresses.count where place.addresses[index] == target { firstTarget = index }
    }

    /// The address at hand connects, and no more is known of it: the next attempt begins with another.
    private func leaveTarget() {
        for index in 0..<place.addresses.count where place.addresses[index] == target {
            firstTarget = (index + 1) % place.addresses.count
            return
        }
    }

    // MARK: TCP

    /// Tries the addresses that are known; with `isOpen`, more may come. False if there is nothing to show that the
    /// server wants to see, and then nobody is called.
    @discardableResult
    func beginDialling(isOpen: Bool = false, now: Int64) -> Bool {
        exchange.link.reached(.connecting, now: now)
        guard purpose == .login || loadClientCertificate() else {
            finish(.clientCertificate, now: now)
            return false
        }
        dialSince = now
        dialer.start(place.addresses, first: firstTarget, isOpen: isOpen, now: now)
        return true
    }

    /// Several addresses race; the first that is connected goes on to TLS.
    func dial(now: Int64) {
        while let event = dialer.next(now: now) {
            switch event {
            case .began(let address):
                showTarget(address)
                log.info(.link, "connecting to \(endpointText)")
            case .failed(let address, let error): failed(address, EndReason(error), now: now)
            case .impossible(let address, let error): failed(address, EndReason(beginning: error), now: now)
            case .silent(let address): failed(address, .timeout(.connect), now: now)
            case .connected(let address): return begin(address, now: now)
            case .exhausted: return finish(attemptFailure ?? .timeout(.connect), now: now)
            }
        }
    }

    private func showTarget(_ address: SocketAddress) {
        text.removeAll()
        text.append(address)
        endpointText = Blob<64>(text.pointer) ?? Blob<64>()
    }

    /// An address was of no use. What is told in the end is the last failure, but another certificate counts more, and
    /// that one kind of address has no way out says nothing where the other has one.
    private func failed(_ address: SocketAddress, _ reason: EndReason, now: Int64) {
        showTarget(address)
        switch reason {
        case _ where attemptFailure == .pinMismatch: break
        case .noNetwork where attemptFailure != nil: break
        default: attemptFailure = reason
        }
        guard dialer.hasReserve else { return }
        text.removeAll()
        text.append(reason)
        log.notice(.link, "\(endpointText): \(printable: text.pointer); trying the next address")
    }

    private func begin(_ address: SocketAddress, now: Int64) {
        target = address
        showTarget(address)
        leaveTarget()
        if now - dialSince - Limits.lateConnect > lastDial { exchange.session.reachedLate() }
        lastDial = now - dialSince
        stream.adopt(dialer.take())
        let isShort = dialer.hasReserve && link.failures == 0
        stageDeadline = now + (isShort ? Limits.handshakeFirst : Limits.connect)
        handshake(now: now)
    }

    // MARK: TLS

    /// Goes on with TLS; hands the open stream to the session.
    func handshake(now: Int64) {
        do throws(StreamError) {
            guard try stream.advance(clientCertificate: clientCertificate) else {
                if now >= stageDeadline { handshakeFailed(.timeout(.tlsHandshake), now: now) }
                return
            }
        } catch { return handshakeFailed(EndReason(error), now: now) }
        stageDeadline = .max
        abandoned = 0
        dialer.stop()
        identifyNetwork(now: now)
        guard purpose == .login || readPublicKey() else { return finish(.identity, now: now) }
        exchange.start(publicKey: keyWork.publicKey.pointer.bytes, now: now)
        wantsTurn = true
    }

    /// Another address of the same host may do better.
    private func handshakeFailed(_ reason: EndReason, now: Int64) {
        if reason == .pinMismatch { seenFingerprint = context.shownFingerprint }
        guard let target, dialer.hasReserve else {
            return finish(attemptFailure == .pinMismatch ? .pinMismatch : reason, now: now)
        }
        failed(target, reason, now: now)
        stream.close()
        stageDeadline = .max
        guard dialer.resume(now: now) else { return finish(attemptFailure ?? reason, now: now) }
        dial(now: now)
    }

}

extension EndReason {
    init(_ error: StreamError) {
        switch error {
        case .network(let failure): self = .network(failure.code)
        case .tls(let code): self = .tls(code)
        case .pinMismatch: self = .pinMismatch
        case .closed, .truncated: self = .closed
        }
    }

    /// The kernel would not even begin to connect. The same errors later on are what a router says of the server's
    /// network, or of the server: this board has one.
    init(beginning error: SystemError) {
        self = Self.meansNoNetwork(error.code) ? .noNetwork(error.code) : .network(error.code)
    }

    /// The errors of a way that is not there, rather than of a server that is away.
    static func meansNoNetwork(_ code: Int32) -> Bool {
        code == ENETUNREACH || code == ENETDOWN || code == EHOSTUNREACH || code == EADDRNOTAVAIL
    }
}
