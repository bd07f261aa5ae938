import Bytes

/// Dates of property lists. The model has none, so they become strings: `2001-01-01T00:00:00Z`, as XML has them. Years
/// are 0000 to 9999, of the Gregorian calendar throughout.
enum PropertyListDate {
    /// Bytes of the text.
    static let length = 20

    /// Whether a text is such a date and one of the calendar.
    static func isValid(_ text: RawSpan) -> Bool {
        guard text.byteCount == length else { return false }
        for (index, expected) in "0000-00-00T00:00:00Z".utf8.enumerated() {
            let byte = text[index]
            guard expected == UInt8(ascii: "0") ? isDigit(byte) : byte == expected else { return false }
        }
        let year = number(text, 0, 4)
        let month = number(text, 5, 2)
        let day = number(text, 8, 2)
        guard (1...12).contains(month), day >= 1, day <= days(inMonth: month, of: year) else { return false }
        return number(text, 11, 2) < 24 && number(text, 14, 2) < 60 && number(text, 17, 2) < 60
    }

    /// The date that is some seconds after the beginning of 2001, or nil where its year has more than four digits.
    static func text(secondsSince2001: Double) -> InlineArray<20, UInt8>? {
        // 0000-01-01 and 10000-01-01, in seconds from 2001-01-01.
        guard secondsSince2001 >= -63_145_526_400, secondsSince2001 < 252_423_993_600 else { return nil }
        let seconds = Int64(secondsSince2001.rounded(.down))
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let time = Int(seconds - day * 86_400)
        let date = Date(daysSince2001: Int(day))
        var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "-"))
        write(date.year, 4, at: 0, in: &text)
        write(date.month, 2, at: 5, in: &text)
        write(date.day, 2, at: 8, in: &text)
        text[10] = UInt8(ascii: "T")
        write(time / 3600, 2, at: 11, in: &text)
        text[13] = UInt8(ascii: ":")
        write(time / 60 % 60, 2, at: 14, in: &text)
        text[16] = UInt8(ascii: ":")
        write(time % 60, 2, at: 17, in: &text)
        text[19] = UInt8(ascii: "Z")
        return text
    }

    private struct Date {
        var year: Int
        var month = 1
        var day: Int

        init(daysSince2001: Int) {
            // 400 years have 146,097 days. Counted from 0000-01-01, no day is negative.
            let days = daysSince2001 + 730_851
            year = days / 146_097 * 400
            day = days % 146_097
            while day >= PropertyListDate.days(inYear: year) {
                day -= PropertyListDate.days(inYear: year)
                year += 1
            }
            while day >= PropertyListDate.days(inMonth: month, of: year) {
                day -= PropertyListDate.days(inMonth: month, of: year)
                month += 1
            }
            day += 1
        }
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(inYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func number(_ text: RawSpan, _ start: Int, _ count: Int) -> Int {
        var value = 0
        for index in start..<start + count { value = value * 10 + Int(text[index] - UInt8(ascii: "0")) }
        return value
    }

    private static func write(_ value: Int, _ count: Int, at start: Int, in text: inout InlineArray<20, UInt8>) {
        var rest = value
        for index in (start..<start + count).reversed() {
            text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }
}
