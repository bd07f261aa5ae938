import Bytes
import Loop
import SGP
import Store

/// What `skyglowd keepalive` asks the running gateway.
extension Gateway {
    /// `keepalive`: the network in use, as name, kind and key, and what the learner holds of it. `keepalive forget ID`
    /// or `all`: `ok` and how many rows there were.
    func answerKeepAlive(_ request: RawSpan, into answer: inout ByteBuffer, now: Int64) {
        if request.equals("keepalive") {
            answer.append("ok\n")
            guard let uplink else { return }
            answer.append("-")
            answer.append(hex: uplink.network.name.bytes)
            answer.append(" ")
            answer.append(decimal: uplink.network.kind.rawValue)
            answer.append(" -")
            answer.append(hex: uplink.network.key.bytes)
            answer.append(" ")
            var state = IntervalState(uplink.exchange.session.keepAlive, now: now, unixTime: clock.unixTime)
            if uplink.isProbeRefused { state.place = .refused }
            state.append(to: &answer)
            answer.append("\n")
        } else if request.equals("keepalive forget all") {
            forgetNetwork(nil, into: &answer, now: now)
        } else if request.starts(with: Self.forget),
            let id = Self.row(request.extracting(Self.forget.utf8.count..<request.byteCount))
        {
            forgetNetwork(id, into: &answer, now: now)
        } else {
            answer.append("error unknown request\n")
        }
    }

    private static let forget = "keepalive forget "

    private static func row(_ digits: RawSpan) -> Int64? {
        digits.withUnsafeBytes { decimal($0) }.flatMap { Int64(exactly: $0) }
    }

    private func forgetNetwork(_ id: Int64?, into answer: inout ByteBuffer, now: Int64) {
        do throws(StoreError) {
            let existed: Bool
            if let uplink {
                existed = try uplink.forgetNetwork(id, now: now, unixTime: clock.unixTime)
            } else if let id {
                existed = try store.forgetNetwork(id)
            } else {
                existed = try store.forgetNetworks(name: nil) > 0
            }
            log.notice(.keepalive, "what was learned of \(id == nil ? "all networks" : "a network") is forgotten")
            answer.append(existed ? "ok 1\n" : "ok 0\n")
        } catch {
            report(error)
            answer.append("error the store could not be written\n")
        }
    }

    /// What the history says of the interval in use.
    func explainInterval(in report: inout StatusReport, now: Int64) throws(StoreError) {
        report.probe = IntervalState(report.keepAlive, now: now, unixTime: clock.unixTime).probe
        guard let network = uplink?.network,
            let id = try store.networkID(
                name: network.name.bytes, kind: Int64(network.kind.rawValue), key: network.key.bytes)
        else { return }
        report.evidence = try IntervalEvidence.read(
            store, network: id, proven: report.keepAlive.proven / 1_000,
            refuted: report.keepAlive.refuted.map { $0 / 1_000 })
    }
}

extension ByteBuffer {
    /// The member `next_probe`: `{"interval","at","connection"}`, where `at` is null while it is being tried, or null.
    mutating func member(_ probe: IntervalState.Probe?, on place: IntervalState.Place) {
        key("next_probe")
        guard let probe else { return append("null") }
        append("{")
        member("interval", probe.interval)
        member("at", probe.due)
        member("connection", place == .second ? "second" : "live")
        append("}")
    }
}
