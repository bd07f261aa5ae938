/// A rule's life behind a NAT that forgets a silent connection after a time, with no other traffic.
public struct Life: Sendable {
    /// Connections that died of silence.
    public private(set) var dead = 0
    /// Of these, later than a week after the interval changed last.
    public private(set) var deadWhenSettled = 0
    /// Milliseconds in which a push would have waited.
    public private(set) var blind: Int64 = 0
    /// When the interval changed last, and to what.
    public private(set) var settled: Int64 = 0
    public private(set) var interval: Int64 = 0
    private var now: Int64 = 0

    public static let week: Int64 = 7 * 86_400_000
    private static let pongTimeout: Int64 = 15_000
    /// Until a dead connection is replaced: the delay before the first attempt.
    private static let comeBack: Int64 = 4_000

    public init() {}

    /// Goes on until `until`. `timeout` is the NAT's at a time; `lost` tells whether a pong is lost.
    public mutating func run<Rule: KeepAliveRule>(
        _ rule: inout Rule, until: Int64, timeout: (Int64) -> Int64, lost: () -> Bool = { false }
    ) {
        while now < until {
            if rule.interval != interval {
                interval = rule.interval
                settled = now
            }
            now += interval
            let limit = timeout(now)
            if interval <= limit, !lost() {
                rule.survived(now: now)
                continue
            }
            dead += 1
            if now - settled > Self.week { deadWhenSettled += 1 }
            blind += max(interval - limit, 0) + Self.pongTimeout
            now += Self.pongTimeout + Self.comeBack
            rule.died(now: now)
        }
    }
}
