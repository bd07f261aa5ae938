import Bytes

/// One moment by the corrected clock, and what may be decided by it.
///
/// A wrong clock must not cost a notification or its sound. Where the time is not trusted, nothing has expired and no
/// identifier is forgotten for its age; where it is known to be wrong, no hour is quiet and no alert outdated.
///
/// By a clock that nobody has confirmed yet, alerts are outdated: a board that is a relay and nothing else may never get
/// a confirmation, and what is old must not sound as if it were new. One whose clock stood still while it was off, and
/// that has neither heard from a server nor from a time service, calls live alerts outdated until then. They light, and
/// the log names the clock as the reason.
package struct CorrectedTime: BitwiseCopyable, Equatable {
    /// Corrected Unix seconds.
    var time: Int64
    /// Server or time service have confirmed it.
    var isTrusted = true
    /// It may be right: nobody has contradicted it, and it was set.
    var isPlausible = true

    package init(time: Int64, isTrusted: Bool = true, isPlausible: Bool = true) {
        self.time = time
        self.isTrusted = isTrusted
        self.isPlausible = isPlausible
    }

    /// Whether something that expires then has expired; 0 is never (SGP v2 §5, §10). To a clock that was never set
    /// nothing real looks expired, so that one may compare.
    func isAfter(expiry: Int64) -> Bool {
        expiry != 0 && expiry < time && (isTrusted || time < Limits.clockNeverSet)
    }

    /// The time from which identifiers are kept for some days; nil where that cannot be counted.
    var counted: Int64? { isTrusted ? time : nil }

    /// The time by which hours are quiet and alerts outdated; nil where nobody knows.
    var told: Int64? { isPlausible ? time : nil }

    /// Whether a time, in Unix microseconds, is further ahead than clocks differ.
    func isBeyond(_ microseconds: Int64) -> Bool {
        told.map { microseconds / 1_000_000 > $0 &+ Limits.fresh } ?? false
    }
}
