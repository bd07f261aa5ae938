import Bytes

/// Message identifiers that have been handled, so that a notification sent again is not shown again (SGP v2 §11).
///
/// An identifier is kept for at least 7 days after it came and until its notification expires, whichever is later, and
/// in any case while it is among the newest 4,096. The bound: after 262,144 later arrivals it is forgotten whatever its
/// expiry, the oldest first, so a sender of far expiries cannot fill the disk. That is a notification every 2.3 seconds
/// for a week.
extension Store {
    /// The identifier has been handled.
    public func isSeen(_ messageID: RawSpan) throws(StoreError) -> Bool {
        try statements.isSeen.bind(1, blob: messageID)
        return try statements.isSeen.integer() != nil
    }

    /// Within a transaction: remembers an identifier. False where it was remembered already.
    /// - Parameters:
    ///   - time: when it came, Unix seconds; nil where the clock is not trusted. It is then kept until later arrivals
    ///     push it out.
    ///   - expires: when its notification expires, Unix seconds; 0 for never, which is kept as long as the 7 days.
    @discardableResult
    public func markSeen(_ messageID: RawSpan, at time: Int64?, expires: Int64) throws(StoreError) -> Bool {
        try change { () throws(StoreError) in
            try require(messageID, Limits.messageID...Limits.messageID, "message identifier")
            let (week, overflow) = (time ?? .max).addingReportingOverflow(Limits.seenSeconds)
            let statement = statements.markSeen
            try statement.bind(1, blob: messageID)
            try statement.bind(2, max(overflow ? Int64.max : week, expires))
            try statement.run()
            // By a clock that is not trusted none is too old.
            pending.seenAt = time ?? .min
            guard statement.changes > 0 else { return false }
            seenSincePruning += 1
            return true
        }
    }

    /// Forgets at most twice as many identifiers as have come since the last time, by way of two indexes.
    func forget(now: Int64) throws(StoreError) {
        try change { () throws(StoreError) in
            let newest = try statements.lastSeen.integer() ?? 0
            let most = Int64(2 * bounds.pruning)
            try statements.forgetSeen.bind(1, now)
            try statements.forgetSeen.bind(2, newest - Int64(bounds.seenRows))
            try statements.forgetSeen.bind(3, most)
            try statements.forgetSeen.run()
            // Row numbers are arrivals: the newest is never deleted, so the next is one more.
            try statements.forgetOldest.bind(1, newest - Int64(bounds.seenArrivals))
            try statements.forgetOldest.bind(2, most)
            try statements.forgetOldest.run()
            seenSincePruning = 0
        }
    }
}
