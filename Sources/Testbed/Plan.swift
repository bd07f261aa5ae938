/// A point in the life of a connection at which something can be planned.
public enum Moment: String, Sendable, CaseIterable {
    /// TCP is accepted, TLS has not begun.
    case accept
    /// TLS is done, nothing has been sent.
    case tls
    /// S_HELLO has been sent.
    case hello
    /// C_UPGRADE was received, S_HELLO not yet sent.
    case upgrade
    /// C_LOGIN was received.
    case login
    /// C_REGISTER was received.
    case register
    /// S_CHALLENGE has been sent.
    case challenge
    /// C_LOGIN_RESP or C_REGISTER_RESP was received and not yet verified.
    case response
    /// S_REGISTER_OK has been sent.
    case registered
    /// S_AUTH_OK has been sent.
    case authenticated
    /// A whole registration set was received.
    case filter
    /// C_POLL was received, nothing re-delivered.
    case poll
    /// S_POLL_DONE has been sent, or would have been.
    case pollDone = "poll-done"
    /// An S_NOTIFY has been sent.
    case notify
    /// C_ACK was received and not yet counted.
    case ack
    /// C_PING was received.
    case ping
    /// C_PONG was received.
    case pong
}

/// What is done at a moment.
public enum Action: Sendable, Equatable {
    /// Resets the connection once everything before has been written.
    case drop
    /// Ends the connection with close_notify and FIN.
    case close
    /// S_DISCONNECT with a reason, a retry_after if there is one, and the end of the connection.
    case disconnect(UInt8, retryAfter: UInt32? = nil)
    /// Sends bytes, usually from `Wire.frame`.
    case send([UInt8])
    /// Leaves out what the server would do at this moment.
    case skip
    /// Stops reading from this connection.
    case stall
    /// Sends nothing more on this connection.
    case silence
}

/// Actions waiting for their moment.
struct Plan {
    var moment: Moment
    var actions: [Action]
    /// How many more times; nil for ever.
    var times: Int?
    /// Occurrences to let pass first.
    var skipping: Int
}
