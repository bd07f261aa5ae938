import Bytes
import CBoard

/// Hours without sound, in minutes since local midnight. They may span it.
public struct QuietHours: Equatable, Sendable {
    public let start: Int
    /// The first minute after them.
    public let end: Int

    public init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    public func contains(minute: Int) -> Bool {
        start < end ? minute >= start && minute < end : minute >= start || minute < end
    }

    /// Whether it is quiet at this time, in corrected Unix seconds.
    ///
    /// The clock on the wall decides, so an hour that summer time skips is never quiet and one that comes twice is quiet
    /// twice. Without a clock that can be trusted nobody knows when night is: then nothing is quiet, because an alarm
    /// that is not heard costs more than one at night.
    public func contains(time: Int64) -> Bool {
        guard time >= Limits.clockNeverSet, let minute = WallClock.minute(of: time) else { return false }
        return contains(minute: minute)
    }
}

/// The clock on the wall where the board stands, by TZ or /etc/localtime; UTC where neither is known.
enum WallClock {
    /// Minutes since local midnight, 0 to 1439.
    static func minute(of time: Int64) -> Int? {
        // A zone that was changed meanwhile is read again; otherwise this costs one stat(2).
        tzset()
        var when = time_t(clamping: time)
        var local = tm()
        guard localtime_r(&when, &local) != nil else { return nil }
        return Int(local.tm_hour) * 60 + Int(local.tm_min)
    }
}
