import Bytes

/// ISO 8601 as daemons write it: `2026-11-30T00:44:00+00:00`, with fractions of a second or without, `Z` or an offset.
public enum Timestamp {
    /// Unix microseconds, or nil for anything else.
    public static func parse(_ text: RawSpan) -> Int64? {
        guard text.byteCount >= 20, text.byteCount <= 40, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54,
            text[13] == 0x3A, text[16] == 0x3A, let year = number(text, 0, 4), let month = number(text, 5, 2),
            let day = number(text, 8, 2), let hour = number(text, 11, 2), let minute = number(text, 14, 2),
            let second = number(text, 17, 2), year >= 1970, (1...12).contains(month), day >= 1,
            day <= days(month, year), hour < 24, minute < 60, second < 61
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if text[index] == UInt8(ascii: ".") {
            index += 1
            var weight: Int64 = 100_000
            let start = index
            while index < text.byteCount, let digit = number(text, index, 1) {
                fraction += digit * weight
                weight /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        guard let offset = offset(text, index) else { return nil }
        let time = dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return time * 1_000_000 + fraction
    }

    /// Seconds east of Greenwich.
    private static func offset(_ text: RawSpan, _ index: Int) -> Int64? {
        let left = text.byteCount - index
        if left == 1, text[index] == UInt8(ascii: "Z") { return 0 }
        guard left == 6, text[index] == 0x2B || text[index] == 0x2D, text[index + 3] == 0x3A,
            let hours = number(text, index + 1, 2), let minutes = number(text, index + 4, 2), hours < 24, minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        return text[index] == 0x2D ? -offset : offset
    }

    private static func number(_ text: RawSpan, _ start: Int, _ count: Int) -> Int64? {
        guard start + count <= text.byteCount else { return nil }
        var value: Int64 = 0
        for index in start..<start + count {
            guard let digit = Hex.value(text[index]), digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01: years begin in March here, so that the leap day comes last.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        return years * 365 + years / 4 - years / 100 + years / 400 + (months * 306 + 5) / 10 + day - 1 - 719_468
    }
}
