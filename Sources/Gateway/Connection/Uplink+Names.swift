import Bytes
import CBoard
import Loop
import SGP
import Store

/// Finding the server (SGP v2 §1). What is known is used at once, however old it is, and asked for again behind the
/// connection, so that a DNS outage never keeps a board from coming back.
extension Uplink {
    /// The name that the place is kept under, which is the one that DNS is asked for: the host that was configured, or
    /// that of the server's record. One says nothing of the other, even where a host has the server's name.
    private var placeName: Blob<253> {
        Blob(settings.endpoint?.host ?? queryName) ?? Blob()
    }

    /// From the store, once.
    func loadPlace(now: Int64, unixTime: Int64) {
        guard !place.isLoaded else { return }
        place.isLoaded = true
        if let endpoint = settings.endpoint,
            let literal = SocketAddress(literal: endpoint.host, port: endpoint.port)
        {
            place.isFixed = true
            place.addresses.append(literal)
            return
        }
        let name = placeName
        do throws(StoreError) {
            _ = try store.names(name.bytes) { row in take(row, now: now, unixTime: unixTime) }
        } catch { report(error) }
    }

    private func take(_ row: NamesRow, now: Int64, unixTime: Int64) {
        guard let host = Blob<253>(row.host), let port = UInt16(exactly: row.port), port > 0 else { return }
        // Found while another certificate was pinned: perhaps another server.
        guard row.pin.equals(pin.bytes) else { return }
        if let endpoint = settings.endpoint, !row.host.equals(endpoint.host) { return }
        // A configured port is what is configured now.
        place.host = host
        place.port = settings.endpoint?.port ?? port
        var reader = ByteReader(row.addresses)
        while let length = try? reader.read(UInt8.self), let bytes = try? reader.read(Int(length)),
            let address = SocketAddress(bytes: bytes, port: place.port)
        {
            place.addresses.append(address)
        }
        // The clock may have been wrong then or now: an age that cannot be is as good as old.
        let age = unixTime &- row.fetched
        // Another run has asked, even if in this very second: before the attempt at hand, which may ask again.
        if age >= 0, age < Limits.namesSeconds { place.resolvedAt = now - age * 1_000 - 1 }
    }

    /// Another certificate than the pinned one: the record may lead to another server by now.
    func forgetPlace() {
        guard !place.isFixed else { return }
        place = ServerPlace()
        place.isLoaded = true
        firstTarget = 0
        // An attempt that waits for its answer gets one of today, and would wait for ever without it.
        if question != .attempt { endQuestion() }
        let name = placeName
        do throws(StoreError) { try store.removeNames(name.bytes) } catch { report(error) }
    }

    /// Asks behind the connection, unless DNS has been asked for this very attempt, or is being asked.
    func refreshPlace(now: Int64) {
        guard !place.isFixed, !place.isEmpty, question == .none, link.state != .stopping,
            place.resolvedAt.map({ $0 < attemptSince }) ?? true
        else { return }
        ask(.refresh, now: now)
    }

    func ask(_ kind: Question, now: Int64) {
        question = kind
        questionSince = now
        hasLateAddresses = false
        record = nil
        if kind == .attempt { watchDue = now + Limits.resolverWatch }
        if let endpoint = settings.endpoint {
            resolver.askAddresses(endpoint.host, port: endpoint.port)
        } else {
            resolver.askText(queryName)
        }
        tellIgnoredServers()
    }

    /// Once, until there are others.
    private func tellIgnoredServers() {
        guard resolver.ignoredServers != ignoredServers else { return }
        ignoredServers = resolver.ignoredServers
        guard ignoredServers > 0 else { return }
        log.warning(
            .resolver, "resolv.conf has \(ignoredServers) name servers on a link that is not there: left out")
    }

    func endQuestion() {
        question = .none
        hasLateAddresses = false
        resolver.cancel()
        // None will come, so that the last address that fails is the end of the attempt.
        dialer.isOpen = false
    }

    // MARK: Answers

    func resolve(now: Int64, unixTime: Int64) {
        guard question != .none || resolver.isBusy else { return }
        resolver.process()
        guard question != .none else { return addLateAddresses(unixTime: unixTime) }
        switch resolver.outcome {
        // Nobody waits: both kinds of addresses, or the same answer would look like another one.
        case .answered where question == .refresh && resolver.isBusy && now < questionSince + Limits.connect: break
        case .idle, .pending:
            if now >= questionSince + Limits.connect { unresolved(.resolverFailed(Int32(ARES_ETIMEOUT)), now: now) }
        case .failed(let status):
            logResolver(status)
            unresolved(Resolver.isTemporary(status) ? .resolverFailed(status) : .unresolved, now: now)
        case .answered: answered(now: now, unixTime: unixTime)
        }
    }

    private func logResolver(_ status: Int32) {
        text.removeAll()
        text.append(resolverStatus: status)
        log.notice(.resolver, "\(settings.serverAddress): \(printable: text.pointer)")
    }

    private func unresolved(_ reason: EndReason, now: Int64) {
        let kind = question
        endQuestion()
        if kind == .attempt { finish(reason, now: now) }
    }

    private func answered(now: Int64, unixTime: Int64) {
        var found = ServerPlace()
        if let endpoint = settings.endpoint {
            found.host = placeName
            found.port = endpoint.port
            found.addresses = resolver.addresses
        } else if let record {
            found.host = record.host
            found.port = record.port
            found.addresses = resolver.addresses
        } else {
            guard let record = firstRecord() else {
                log.warning(.resolver, "no TXT record of \(queryName) names tcp_addr and tcp_port")
                return unresolved(.unresolved, now: now)
            }
            self.record = record
            guard let literal = literal(record) else {
                questionSince = now
                return resolver.askAddresses(record.host.bytes, port: record.port)
            }
            found.host = record.host
            found.port = record.port
            found.addresses.append(literal)
        }
        use(found, now: now, unixTime: unixTime)
    }

    private func firstRecord() -> ServiceRecord? {
        for index in 0..<resolver.textCount {
            if let record = ServiceRecord(resolver.text(index).bytes) { return record }
        }
        return nil
    }

    private func literal(_ record: ServiceRecord) -> SocketAddress? {
        // No literal is as long as this; a String of more than 15 bytes is allocated.
        guard record.host.count <= 45 else { return nil }
        return SocketAddress(literal: record.host.bytes, port: record.port)
    }

    private func use(_ found: ServerPlace, now: Int64, unixTime: Int64) {
        let kind = question
        question = .none
        var found = found
        found.isLoaded = true
        found.resolvedAt = now
        if found.isSame(as: place) {
            // Nothing is written; the order stays, for the first is the one that worked.
            place.resolvedAt = now
        } else {
            place = found
            firstTarget = 0
            keepPlace(unixTime: unixTime)
        }
        guard kind == .attempt else { return log.debug(.resolver, "\(settings.serverAddress): asked again") }
        beginDialling(isOpen: resolver.isBusy, now: now)
    }

    private func keepPlace(unixTime: Int64) {
        var addresses = InlineArray<136, UInt8>(repeating: 0)
        var count = 0
        for index in 0..<place.addresses.count {
            guard let bytes = place.addresses[index]?.bytes else { continue }
            addresses[count] = UInt8(bytes.count)
            for at in 0..<bytes.count { addresses[count + 1 + at] = bytes[at] }
            count += 1 + bytes.count
        }
        let name = placeName
        let kept = place
        do throws(StoreError) {
            try store.setNames(
                name.bytes, host: kept.host.bytes, port: kept.port,
                addresses: addresses.span.bytes.extracting(0..<count),
                pin: pin.bytes, at: unixTime)
        } catch { report(error) }
    }

    /// The other kind of addresses has come, or will not.
    private func addLateAddresses(unixTime: Int64) {
        let addresses = resolver.addresses
        for index in 0..<addresses.count {
            guard let address = addresses[index], !place.addresses.contains(address) else { continue }
            place.addresses.append(address)
            dialer.add(address)
            hasLateAddresses = true
        }
        guard !resolver.isBusy else { return }
        dialer.isOpen = false
        if hasLateAddresses { keepPlace(unixTime: unixTime) }
        hasLateAddresses = false
    }

    // MARK: Other name servers

    /// resolv.conf may be written long after the start: while a question of the attempt at hand is open, and after one
    /// that failed. Where it keeps changing, the attempt comes to its end all the same.
    func watchServers(now: Int64) {
        guard now >= watchDue else { return }
        watchDue = .max
        let isAsking = question == .attempt && now - attemptSince < 3 * Limits.connect
        guard isAsking || link.nextAttempt != nil else { return }
        watchDue = now + Limits.resolverWatch
        guard resolver.hasChangedServers else { return }
        log.notice(.resolver, "resolv.conf has changed")
        if isAsking { ask(.attempt, now: now) } else { exchange.link.networkChanged(now: now) }
    }
}

extension EndReason {
    /// The server's name led nowhere, for whatever reason: other name servers may know better.
    var isOfNames: Bool {
        switch self {
        case .unresolved, .resolverFailed: true
        default: false
        }
    }
}
