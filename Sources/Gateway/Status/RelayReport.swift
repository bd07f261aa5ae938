import Bytes
import Loop

/// How the relay stands.
struct RelayReport {
    var address: SocketAddress
    var isListening: Bool
    var connections: Int
    var pairings: Int
    var counters: RelayCounters
}

extension ByteBuffer {
    /// `relay` of the status. `listening` is the address, or null while it cannot be bound.
    mutating func append(json relay: RelayReport) {
        append("{")
        key("listening")
        if relay.isListening {
            append("\"")
            append(relay.address)
            append("\"")
        } else {
            append("null")
        }
        member("connections", relay.connections)
        member("pairings", relay.pairings)
        member("requests", relay.counters.requests)
        member("forwarded", relay.counters.forwarded)
        member("coalesced", relay.counters.coalesced)
        member("suppressed", relay.counters.suppressed)
        member("limited", relay.counters.limited)
        member("refused", relay.counters.refused)
        member("notes", relay.counters.notes)
        member("replayed", relay.counters.replayed)
        member("unopened", relay.counters.unopened)
        member("stale", relay.counters.stale)
        member("failed", relay.counters.failed)
        member("strangers", relay.counters.strangers)
        append("}")
    }

    mutating func append(text relay: RelayReport) {
        row("relay", relay.isListening ? "" : "cannot listen yet on ")
        append(relay.address)
        append(", ")
        append(decimal: relay.pairings)
        append(" daemons paired, ")
        append(decimal: relay.counters.forwarded + relay.counters.notes)
        append(" messages taken, ")
        append(decimal: relay.counters.coalesced + relay.counters.suppressed)
        append(" held back")
    }
}
