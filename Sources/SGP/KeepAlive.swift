/// When to ask a silent connection whether it still lives (SGP v2 §8). The interval is fixed for now.
public struct KeepAlive: Sendable, Equatable {
    /// Milliseconds without a received frame after which C_PING goes out.
    public var interval: Int64
    /// Milliseconds within which S_PONG must follow.
    public var pongTimeout: Int64

    public init(interval: Int64, pongTimeout: Int64) {
        self.interval = interval
        self.pongTimeout = pongTimeout
    }
}
