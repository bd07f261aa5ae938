import Bytes
import Testing

@testable import Payload

@Suite struct PropertyListDateTests {
    private func written(_ seconds: Double) -> String? {
        guard let text = PropertyListDate.text(secondsSince2001: seconds) else { return nil }
        return String(decoding: (0..<20).map { text[$0] }, as: UTF8.self)
    }

    /// Expected: date(1) of GNU, `date -u -d @$((N + 978307200))`.
    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (59, "2001-01-01T00:00:59Z"), (86_399, "2001-01-01T23:59:59Z"),
            (86_400, "2001-01-02T00:00:00Z"), (0.999, "2001-01-01T00:00:00Z"), (-0.001, "2000-12-31T23:59:59Z"),
            (-1, "2000-12-31T23:59:59Z"), (-86_400, "2000-12-31T00:00:00Z"), (-86_401, "2000-12-30T23:59:59Z"),
            (-978_307_200, "1970-01-01T00:00:00Z"), (730_944_000, "2024-03-01T00:00:00Z"),
            (730_943_999, "2024-02-29T23:59:59Z"),
            (-26_438_401, "2000-02-29T23:59:59Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
            (-63_145_526_400, "0000-01-01T00:00:00Z"),
            (252_423_993_599, "9999-12-31T23:59:59Z"), (3_124_137_600, "2100-01-01T00:00:00Z"),
            (3_129_235_200, "2100-03-01T00:00:00Z"),
            (3_129_235_199, "2100-02-28T23:59:59Z"),
        ] as [(Double, String)]) func seconds(seconds: Double, expected: String)
    {
        #expect(written(seconds) == expected)
    }

    @Test func outsideFourDigits() {
        for seconds in [252_423_993_600, -63_145_526_400.001, -63_145_526_401, 1e300, -1e300, .infinity, .nan] {
            #expect(written(seconds) == nil)
        }
    }

    /// Every day of 800 years follows the one before, and is a date to the other function.
    @Test func everyDay() {
        var previous = ""
        for day in stride(from: -146_097, through: 146_097, by: 1) {
            guard let text = written(Double(day) * 86_400 + 43_200) else {
                Issue.record("\(day)")
                return
            }
            let isValid = PropertyListDate.isValid(array(text).span.bytes)
            #expect(isValid && text > previous && text.hasSuffix("T12:00:00Z"))
            previous = text
        }
        #expect(previous == "2401-01-01T12:00:00Z")
    }

    @Test(
        arguments: [
            ("2023-02-28T00:00:00Z", true), ("2023-02-29T00:00:00Z", false), ("2000-02-29T00:00:00Z", true),
            ("1900-02-29T00:00:00Z", false), ("2024-04-30T23:59:59Z", true), ("2024-04-31T00:00:00Z", false),
            ("2024-00-01T00:00:00Z", false), ("2024-13-01T00:00:00Z", false), ("2024-01-00T00:00:00Z", false),
            ("2024-01-32T00:00:00Z", false), ("2024-01-01T24:00:00Z", false), ("2024-01-01T00:60:00Z", false),
            ("2024-01-01T00:00:60Z", false), ("2024-01-01 00:00:00Z", false), ("2024-01-01T00:00:00z", false),
            ("2024-01-01T00:00:00", false), ("2024-01-01T00:00:00ZZ", false), ("-024-01-01T00:00:00Z", false),
            ("12024-01-01T00:00:0Z", false), ("0000-12-31T00:00:00Z", true), ("2024-1-001T00:00:00Z", false),
            ("", false),
        ]) func validity(text: String, expected: Bool)
    {
        let isValid = PropertyListDate.isValid(array(text).span.bytes)
        #expect(isValid == expected)
    }
}
