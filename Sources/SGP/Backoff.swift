import Bytes

/// The delay before the next attempt (SGP v2 §9).
public enum Backoff {
    /// The random part is 0 to this many milliseconds.
    public static let jitter: Int64 = 5_000

    /// Milliseconds to wait after the n-th failure in a row, n ≥ 1: min(2 × 2^(n−1) + random, 600) s, or the server's
    /// `retryAfter` (seconds) up to 600 s where that is longer.
    public static func delay(failures: Int, random: Int64, retryAfter: UInt32) -> Int64 {
        let doublings = min(max(failures, 1) - 1, 20)
        let own = min((2_000 << Int64(doublings)) + min(max(random, 0), jitter), Limits.backoff)
        return max(own, min(Int64(retryAfter) * 1_000, Limits.backoff))
    }

    /// Milliseconds to wait after name servers failed for the n-th time in a row, n ≥ 1: five times 2 s, so that a board
    /// that starts before its network is not late, then 4, 8 … 60 s; and up to 1 s more.
    public static func resolving(failures: Int, random: Int64) -> Int64 {
        let doublings = min(max(failures, 5) - 5, 5)
        return min(2_000 << Int64(doublings), Limits.resolverBackoff) + min(max(random, 0), jitter) / 5
    }
}
