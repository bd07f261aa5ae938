import CBoard
import Testing

@testable import Gateway

/// One after the other, since the zone is the process's.
@Suite(.serialized) struct QuietHoursTests {
    /// Calls a body with a zone, given as POSIX writes it, so that no zone files are needed.
    private func inZone<R>(_ zone: String, _ body: () throws -> R) rethrows -> R {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", zone, 1)
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        return try body()
    }

    static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    /// UTC on the left; Berlin is one hour ahead in winter and two in summer.
    @Test(
        arguments: [
            // 2026-01-15: 20:59, 21:00, 05:59 and 06:00 UTC.
            (1_768_510_799, false), (1_768_510_800, true), (1_768_543_199, true), (1_768_543_200, false),
            // 2026-07-15: 19:59, 20:00, 04:59 and 05:00 UTC.
            (1_784_145_599, false), (1_784_145_600, true), (1_784_177_999, true), (1_784_178_000, false),
            // 2026-03-28/29, into summer time at 01:00 UTC: 20:59 and 21:00 the day before; 04:59 and 05:00.
            (1_774_731_599, false), (1_774_731_600, true), (1_774_760_399, true), (1_774_760_400, false),
            // 2026-10-24/25, back at 01:00 UTC: 19:59 and 20:00 the day before; 05:59 and 06:00.
            (1_792_871_999, false), (1_792_872_000, true), (1_792_907_999, true), (1_792_908_000, false),
        ] as [(Int64, Bool)])
    func overMidnightAndSummerTime(time: Int64, isQuiet: Bool) {
        let hours = QuietHours(start: 22 * 60, end: 7 * 60)
        #expect(inZone(Self.berlin) { hours.contains(time: time) } == isQuiet)
    }

    /// 02:15 to 02:45 does not come on 2026-03-29 and comes twice on 2026-10-25.
    @Test func theHourThatIsSkippedAndTheHourThatComesTwice() {
        let hours = QuietHours(start: 2 * 60 + 15, end: 2 * 60 + 45)
        inZone(Self.berlin) {
            for minute in Int64(0)..<120 {
                // From 00:30 UTC, 01:30 in Berlin, to 02:30 UTC, 04:30.
                #expect(!hours.contains(time: 1_774_744_200 + 60 * minute))
            }
            var quiet = 0
            // From 00:00 UTC, 02:00 in Berlin, to 02:00 UTC, 03:00.
            for minute in Int64(0)..<120 where hours.contains(time: 1_792_886_400 + 60 * minute) { quiet += 1 }
            #expect(quiet == 60)
        }
    }

    @Test func theZoneMayChangeWhileRunning() {
        let hours = QuietHours(start: 12 * 60, end: 13 * 60)
        let noon: Int64 = 1_768_478_400
        #expect(inZone("UTC0") { hours.contains(time: noon) })
        #expect(!inZone("XXX-5:30") { hours.contains(time: noon) })
        #expect(inZone("XXX-5:30") { hours.contains(time: noon - 19_800) })
    }

    /// The whole day, so only the clock's word decides.
    @Test func aClockThatWasNeverSetKeepsNothingQuiet() {
        let always = QuietHours(start: 0, end: 24 * 60)
        #expect(!always.contains(time: 0))
        #expect(!always.contains(time: -1))
        #expect(!always.contains(time: .min))
        #expect(!always.contains(time: 1_704_067_199))
        #expect(always.contains(time: 1_704_067_200))
        #expect(!always.contains(time: .max))
    }
}
