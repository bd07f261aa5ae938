/// What a session saw that the learner turned into a change, for the history (SGP v2 §8).
public struct KeepAliveEvidence: Sendable, Equatable {
    public var change: KeepAlive.Change
    /// The silence, in milliseconds.
    public var idle: Int64
    /// What the learner decided upon it.
    public var stage: KeepAlive.Stage
    /// Milliseconds.
    public var interval: Int64

    public init(change: KeepAlive.Change, idle: Int64, stage: KeepAlive.Stage, interval: Int64) {
        self.change = change
        self.idle = idle
        self.stage = stage
        self.interval = interval
    }
}
