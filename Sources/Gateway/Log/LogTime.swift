import Bytes
import CBoard

/// The time of a line.
public struct LogTime: Equatable, Sendable {
    /// CLOCK_BOOTTIME in milliseconds, for the rate limit.
    public var boot: Int64
    /// Unix time in seconds, for people.
    public var wall: Int64

    public init(boot: Int64, wall: Int64) {
        self.boot = boot
        self.wall = wall
    }

    /// The clocks of the system.
    public static func system() -> LogTime {
        LogTime(boot: cb_boottime_ns() / 1_000_000, wall: cb_realtime_ns() / 1_000_000_000)
    }
}

extension ByteBuffer {
    /// Unix seconds as `2026-11-30T12:00:00Z` (RFC 3339). Times outside the years 0 to 9999 become the nearest.
    mutating func append(date seconds: Int64) {
        // From -62167219200, 0000-01-01, so that nothing below is negative.
        let since = min(max(seconds, -62_167_219_200), 253_402_300_799) + 62_167_219_200
        let (days, rest) = (since / 86_400, since % 86_400)
        // Counted from March, years end in the leap day. January and February of year 0 take 60 days; a cycle of 400
        // years more keeps them from being negative.
        let shifted = days - 60 + 146_097
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0) - 400
        append(year, digits: 4)
        append(UInt8(ascii: "-"))
        append(month < 10 ? month + 3 : month - 9, digits: 2)
        append(UInt8(ascii: "-"))
        append(day, digits: 2)
        append(UInt8(ascii: "T"))
        append(hours: rest / 3600, minutes: rest / 60 % 60, seconds: rest % 60)
        append(UInt8(ascii: "Z"))
    }

    /// `12:00:00` where the machine stands.
    mutating func append(localTime seconds: Int64) {
        var when = time_t(seconds)
        var local = tm()
        guard localtime_r(&when, &local) != nil else { return append(date: seconds) }
        append(hours: Int64(local.tm_hour), minutes: Int64(local.tm_min), seconds: Int64(local.tm_sec))
    }

    private mutating func append(hours: Int64, minutes: Int64, seconds: Int64) {
        append(hours, digits: 2)
        append(UInt8(ascii: ":"))
        append(minutes, digits: 2)
        append(UInt8(ascii: ":"))
        append(seconds, digits: 2)
    }

    private mutating func append(_ value: Int64, digits: Int) {
        var unit: Int64 = 1
        for _ in 1..<digits { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(value / unit % 10))
            unit /= 10
        }
    }
}
