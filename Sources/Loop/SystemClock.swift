import CBoard

/// The board's clocks. Intervals are measured on one that counts suspend and never jumps.
public struct SystemClock: Sendable {
    public init() {}

    /// Milliseconds of CLOCK_BOOTTIME.
    public var now: Int64 { cb_boottime_ns() / 1_000_000 }
    /// Both clocks at one moment, to compare them: read anew where this process did not run between the two.
    public var both: (now: Int64, unixMilliseconds: Int64) {
        var boot = now
        var wall = unixMilliseconds
        for _ in 0..<8 where now - boot >= 100 {
            boot = now
            wall = unixMilliseconds
        }
        return (boot, wall)
    }
    /// Milliseconds of the wall clock since 1970, as the board believes.
    public var unixMilliseconds: Int64 { cb_realtime_ns() / 1_000_000 }
    /// Seconds of the wall clock since 1970, as the board believes.
    public var unixTime: Int64 { cb_realtime_ns() / 1_000_000_000 }
}
