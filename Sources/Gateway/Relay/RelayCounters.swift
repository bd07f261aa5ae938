/// What the relay has done since the gateway began; another configuration changes nothing of it.
struct RelayCounters: Equatable {
    var requests: Int64 = 0
    var forwarded: Int64 = 0
    var coalesced: Int64 = 0
    var suppressed: Int64 = 0
    var limited: Int64 = 0
    /// Requests that were answered 4xx for another reason, and what was no request.
    var refused: Int64 = 0
    var notes: Int64 = 0
    var replayed: Int64 = 0
    /// Alerts and notes that could not be opened.
    var unopened: Int64 = 0
    var stale: Int64 = 0
    /// Answers 503: the store could not take it.
    var failed: Int64 = 0
    /// Connections from addresses that are not allowed.
    var strangers: Int64 = 0
}
