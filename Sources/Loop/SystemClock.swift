import CBoard

/// The board's clocks. Intervals are measured on one that counts suspend and never jumps.
public struct SystemClock: Sendable {
    public init() {}

    /// Milliseconds of CLOCK_BOOTTIME.
    public var now: Int64 { cb_boottime_ns() / 1_000_000 }
    /// Milliseconds of the wall clock since 1970, as the board believes.
    public var unixMilliseconds: Int64 { cb_realtime_ns() / 1_000_000 }
    /// Seconds of the wall clock since 1970, as the board believes.
    public var unixTime: Int64 { cb_realtime_ns() / 1_000_000_000 }
}
