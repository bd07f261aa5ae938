import Bytes
import SGP
import Store

/// What `skyglowd status` shows, gathered at one moment.
struct StatusReport {
    var state: LinkState
    var server: Blob<16>
    var address = Blob<255>()
    var endpoint = Blob<64>()
    var tls = Blob<16>()
    /// Unix seconds.
    var since: Int64
    var keepAlive: KeepAlive
    var network = NetworkIdentity.unknown
    /// SHA-256 of the certificate that was shown in the place of the pinned one.
    var seenFingerprint = Blob<32>()
    /// What `keepAlive` came from, and what it means to do.
    var evidence = IntervalEvidence()
    var probe: IntervalState.Probe?
    var failures = 0
    /// Unix seconds.
    var nextAttempt: Int64?
    var lastEnd: EndReason?
    var clockOffset: Int64 = 0
    var clockTrust = ServerClock.Trust.unconfirmed
    /// Since when it is trusted, or not; Unix seconds.
    var clockSince: Int64 = 0
    var unread = 0
    var counters: Counters
    var pendingAcks = 0
    var lastSeq: Int64 = 0
    var registrations = 0
    var memory: Memory
    var message: String
    var link: String
    var buzzer: String
    var panelProblems: Int
    /// Nil where none is configured.
    var relay: RelayReport?
}

extension ByteBuffer {
    /// The JSON of the contract.
    mutating func append(json report: StatusReport) {
        append("{")
        member("state", report.state.name)
        member("server", report.server)
        member("address", report.address)
        member("endpoint", report.endpoint)
        member("tls", report.tls)
        member("since", report.since)
        key("interface")
        append("{")
        member("name", report.network.name)
        key("kind")
        if report.network.name.isEmpty {
            append("null")
        } else {
            append("\"")
            append(report.network.kind.name)
            append("\"")
        }
        append("}")
        appendKeepAlive(report)
        member("failures", report.failures)
        member("next_attempt", report.nextAttempt)
        appendLastEnd(report)
        appendSeenCertificate(report)
        member("clock_offset", report.clockOffset)
        member("clock_trusted", report.clockTrust.isTrusted)
        member("clock_reason", report.clockTrust.words)
        member("unread", report.unread)
        member("received", report.counters.received)
        member("duplicates", report.counters.duplicates)
        member("expired", report.counters.expired)
        member("rejected", report.counters.rejected)
        member("dropped_unread", report.counters.droppedUnread)
        member("pending_acks", report.pendingAcks)
        member("last_seq", report.lastSeq)
        member("registrations", report.registrations)
        appendMemory(report.memory)
        key("panel")
        append("{")
        member("message", report.message)
        member("link", report.link)
        member("buzzer", report.buzzer)
        member("problems", report.panelProblems)
        append("}")
        key("relay")
        if let relay = report.relay { append(json: relay) } else { append("null") }
        member("version", Version.number)
        append("}\n")
    }

    private mutating func appendKeepAlive(_ report: StatusReport) {
        key("keepalive")
        append("{")
        member("stage", report.keepAlive.stage.name)
        member("interval", report.keepAlive.interval / 1_000)
        member("proven", report.keepAlive.proven > 0 ? report.keepAlive.proven / 1_000 : nil as Int64?)
        member("minimum", report.keepAlive.minimum / 1_000)
        member("maximum", report.keepAlive.maximum / 1_000)
        member("proven_at", report.evidence.provenAt)
        member("refuted", report.keepAlive.refuted.map { $0 / 1_000 })
        member("refuted_at", report.evidence.refutedAt)
        member(report.probe, on: IntervalState(report.keepAlive, now: 0, unixTime: 0).place)
        append("}")
    }

    private mutating func appendLastEnd(_ report: StatusReport) {
        key("last_end")
        guard let reason = report.lastEnd else { return append("null") }
        append("\"")
        // The words are our own and need no escapes.
        append(reason)
        append("\"")
    }

    /// SHA-256 in hexadecimal digits, or null.
    private mutating func appendSeenCertificate(_ report: StatusReport) {
        key("seen_certificate")
        guard !report.seenFingerprint.isEmpty else { return append("null") }
        append("\"")
        append(hex: report.seenFingerprint.bytes)
        append("\"")
    }

    private mutating func appendMemory(_ memory: Memory) {
        key("memory")
        append("{")
        member("rss", memory.resident)
        member("reserved", Memory.reserved)
        member("allocations_since_ready", memory.swiftSinceReady)
        member("library_allocations_since_ready", memory.librariesSinceReady)
        member("live_blocks", memory.live)
        append("}")
    }

    /// One screen for a person. `now` is Unix seconds.
    mutating func append(text report: StatusReport, now: Int64) {
        row("state", report.state.name)
        append(" for ")
        append(duration: now - report.since)
        if let reason = report.lastEnd, report.state != .connected {
            append("\n             ")
            append(reason)
        }
        if !report.seenFingerprint.isEmpty {
            append("\n             it showed one with SHA-256 ")
            append(hex: report.seenFingerprint.bytes)
        }
        if let next = report.nextAttempt {
            append("\n             next attempt in ")
            append(duration: max(next - now, 0))
            append(", ")
            append(decimal: report.failures)
            append(" failures in a row")
        }
        row("server", "")
        append(printable: report.server.bytes)
        if !report.endpoint.isEmpty {
            append(" at ")
            append(report.endpoint.bytes)
        }
        if !report.tls.isEmpty, report.state == .connected {
            append(", ")
            append(report.tls.bytes)
        }
        if !report.network.name.isEmpty {
            row("network", "")
            append(printable: report.network.name.bytes)
            append(", ")
            append(report.network.kind.name)
        }
        row("device", report.address.isEmpty ? "not registered" : "")
        append(printable: report.address.bytes)
        row("keep-alive", "")
        var state = IntervalState(report.keepAlive, now: 0, unixTime: now)
        state.probe = report.probe
        append(brief: state, report.evidence, now: now)
        appendClock(report, now: now)
        appendCounts(report)
        if let relay = report.relay { append(text: relay) }
        row("light", report.message)
        append(", link ")
        append(report.link)
        if report.panelProblems > 0 {
            append(", ")
            append(decimal: report.panelProblems)
            append(" outputs with problems: see the log")
        }
        row("memory", "")
        append(decimal: (report.memory.resident ?? 0) / 1024)
        append(" KiB resident\n")
    }

    private mutating func appendClock(_ report: StatusReport, now: Int64) {
        row("clock", "")
        if !report.clockTrust.isTrusted {
            append("clock not trusted for ")
            append(duration: now &- report.clockSince)
            append("\n             ")
        }
        append(report.clockTrust.words)
        guard report.clockOffset != 0 else { return }
        append("\n             corrected by ")
        append(decimal: report.clockOffset)
        append(" s")
    }

    private mutating func appendCounts(_ report: StatusReport) {
        row("inbox", "")
        append(decimal: report.unread)
        append(" unread")
        row("received", "")
        append(decimal: report.counters.received)
        append(" shown, ")
        append(decimal: report.counters.duplicates)
        append(" duplicates, ")
        append(decimal: report.counters.expired)
        append(" expired, ")
        append(decimal: report.counters.rejected)
        append(" rejected")
        row("to send", "")
        append(decimal: report.pendingAcks)
        append(" acknowledgements")
        row("tokens", "")
        append(decimal: report.registrations)
        append(" applications registered")
    }

    /// Begins a row: its name in a column of its own.
    mutating func row(_ name: String, _ value: String) {
        if count > 0, pointer[count - 1] != UInt8(ascii: "\n") { append("\n") }
        append(name)
        for _ in name.utf8.count..<13 { append(UInt8(ascii: " ")) }
        append(value)
    }

    /// Seconds as `3 d 4 h`, `5 h 6 min`, `7 min 8 s` or `9 s`.
    mutating func append(duration seconds: Int64) {
        let seconds = max(seconds, 0)
        switch seconds {
        case 86_400...: append(seconds / 86_400, " d ", seconds % 86_400 / 3_600, " h")
        case 3_600...: append(seconds / 3_600, " h ", seconds % 3_600 / 60, " min")
        case 60...: append(seconds / 60, " min ", seconds % 60, " s")
        default:
            append(decimal: seconds)
            append(" s")
        }
    }

    private mutating func append(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) {
        append(decimal: large)
        append(largeUnit)
        append(decimal: small)
        append(smallUnit)
    }
}
