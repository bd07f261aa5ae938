/// What a session tells its owner, one at a time. Bytes that belong to an event are lent by the session until the next
/// event, or room for received bytes, is asked for.
public enum SessionEvent: Equatable, Sendable {
    /// The server opened with a frame of the old protocol; it has been answered.
    case legacyHello
    case hello(version: UInt32)
    /// `signatureMaterial` is to be signed; `answerChallenge` then sends it.
    case challenge
    /// `assignedAddress` is to be committed. C_DISCONNECT is queued and `ended` follows.
    case registered(version: UInt32)
    /// The server refused to register us: `failureText` may hold its words. `ended` follows.
    case registerFailed(code: UInt8)
    case authenticated
    /// `payload` is an S_NOTIFY.
    case notify
    /// `payload` is the fixed part of an S_NOTIFY that is too long.
    case oversizeNotify
    case pollDone
    /// S_PING came and has been answered.
    case ping
    /// S_PONG came: the round trip in milliseconds, or nil where it matches no ping of ours.
    case pong(roundTrip: Int64?)
    /// The server's clock less ours, in seconds.
    case timeSync(offset: Int64)
    /// The connection is over: what is queued may still be sent, then it is closed. Nothing follows.
    case ended(EndReason)
}
