import Bytes
import CBoard
import Loop
import SGP
import Store

/// What a change of the board's networks means for the connection.
extension Uplink {
    /// A link, an address or a route has come or gone, or the board woke: failures of before say nothing any more. A
    /// connection whose address is gone ends at once, any other has to answer a ping within `Limits.probe`.
    func networkChanged(now: Int64) {
        probing?.putOff(now: now)
        exchange.session.networkChanged()
        exchange.link.networkChanged(hasNetwork: monitor?.hasUsableAddress ?? true, now: now)
        guard !isClosing else { return }
        if isOwnAddressGone { return networkFailed(now: now) }
        switch stream.stage {
        case .open where exchange.session.phase == .authenticated:
            log.info(.link, "asking whether the connection still lives")
            wantsTurn = exchange.probe(now: now)
        case .open: doubt(now: now)
        case .idle where !dialer.isActive && question != .attempt: break
        case .connecting, .handshaking: doubt(from: Limits.probe, now: now)
        case .idle: doubt(from: Limits.attemptAge, now: now)
        }
    }

    /// The attempt at hand may wait for a network that is not there any more. One that is older than `age` begins anew at
    /// once, any other has `Limits.probe` left. Where something keeps changing, a slow board must be able to finish what
    /// it has begun: after an attempt that was given up, the next one is given more time.
    private func doubt(from age: Int64 = .max, now: Int64) {
        if abandoned == 0, now - attemptSince >= age { return networkFailed(now: now) }
        exchange.probeDue = min(exchange.probeDue, now + Limits.probe * Int64(1 + abandoned))
    }

    private static let mostAbandoned = 3

    /// The end of what was in doubt since the network changed. That nobody answered then says nothing of the server.
    func attributed(_ reason: EndReason) -> EndReason {
        guard exchange.probeDue != .max, isCutOff(after: reason) != true else { return reason }
        switch reason {
        case .timeout: return .networkChanged
        case .network(let code) where EndReason.meansNoNetwork(code) || code == ETIMEDOUT: return .networkChanged
        case .resolverFailed(let status) where Resolver.meansNoAnswer(status): return .networkChanged
        default: return reason
        }
    }

    /// The board woke from suspend.
    func woke(now: Int64) {
        exchange.session.slept(now: now)
        networkChanged(now: now)
    }

    /// The connection, or the attempt at hand, belongs to a network that is not there any more: anew and at once.
    func networkFailed(now: Int64) {
        if exchange.session.phase != .authenticated { abandoned = min(abandoned + 1, Self.mostAbandoned) }
        finish(.networkChanged, now: now)
        exchange.link.networkChanged(hasNetwork: monitor?.hasUsableAddress ?? true, now: now)
    }

    /// Whether an end says that this board is cut off: without an address of its own, or without a way to any name
    /// server. A cable that was pulled leaves routes behind, and then nobody answers.
    func isCutOff(after reason: EndReason) -> Bool? {
        let hasNoAddress = monitor?.hasUsableAddress == false
        switch reason {
        case .noNetwork: return true
        case .resolverFailed: return hasNoAddress || !resolver.canReachServers
        case .timeout(.connect), .network: return hasNoAddress && place.addresses.first?.isLoopback == false
        default: return reason.classified(during: purpose) == .planned ? nil : false
        }
    }

    /// The connection has lived through a change of the network, and what carries it may be another one. The silence
    /// before belongs to the old one.
    func probeAnswered(now: Int64) { identifyNetwork(now: now) }

    private var isOwnAddressGone: Bool {
        guard let monitor else { return false }
        guard stream.stage == .idle else {
            return SocketAddress(ownEndOf: stream.raw).map { monitor.isGone($0) } ?? false
        }
        return dialer.isOwnEndGone(monitor) || question == .attempt && resolver.isOwnEndGone(monitor)
    }

    /// Which network carries the connection. What is learned of silence belongs to that network alone.
    func identifyNetwork(now: Int64) {
        let found = identity(ofNetworkTo: target)
        // Of the one that is left, too.
        if isNetworkIdentified { noteUse(timekeeper.moment(now: now)) }
        guard found != network || !isNetworkIdentified else { return }
        // Until the first connection nobody has asked how old what is known of any network is.
        isNetworkIdentified = true
        if found != network {
            log.info(.link, "by way of \(printable: found.name.bytes), \(found.kind.name)")
        }
        takeUp(found, now: now)
    }

    /// Where only the login makes the clock a trusted one, what is too old is left as soon as that is known: nothing has
    /// been learned since.
    func reviewAge(now: Int64) {
        guard isNetworkIdentified, !isAgeKnown, timekeeper.trust.isTrusted else { return }
        takeUp(network, now: now)
    }

    private func takeUp(_ network: NetworkIdentity, now: Int64) {
        let moment = timekeeper.moment(now: now)
        isAgeKnown = moment.isTrusted
        // By a clock that is not trusted nothing is too old.
        exchange.useNetwork(network, self, now: now, unixTime: moment.isTrusted ? moment.time : 0)
        noteUse(moment)
    }

    /// Only by a clock that is trusted: a time that is wrong would keep the network, or lose it.
    private func noteUse(_ moment: CorrectedTime) {
        guard moment.isTrusted else { return }
        do throws(StoreError) {
            try store.noteUse(
                name: network.name.bytes, kind: Int64(network.kind.rawValue), key: network.key.bytes, at: moment.time)
        } catch { report(error) }
    }

    private func identity(ofNetworkTo target: SocketAddress?) -> NetworkIdentity {
        guard let monitor, let target, let own = SocketAddress(ownEndOf: stream.raw),
            let path = monitor.path(from: own, to: target)
        else { return .unknown }
        let key = path.hardware.isEmpty ? Blob<20>(path.gateway.bytes) ?? Blob() : path.hardware
        return NetworkIdentity(name: path.name, kind: InterfaceKind(of: path.name, path: &text), key: key)
    }
}
