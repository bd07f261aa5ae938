/// A rule's life behind a NAT that forgets a silent connection after a time, with no other traffic.
public struct Life: Sendable {
    /// Connections that died of silence.
    public private(set) var dead = 0
    /// Of these, later than a week after the interval changed last.
    public private(set) var deadWhenSettled = 0
    /// Milliseconds in which a push would have waited.
    public private(set) var blind: Int64 = 0
    /// When the interval or what is tried beyond it changed last, and the interval from then on.
    public private(set) var settled: Int64 = 0
    public private(set) var interval: Int64 = 0
    /// Second connections that a longer silence was tried on, and how many of them died of it.
    public private(set) var probes = 0
    public private(set) var deadProbes = 0
    /// Times the board had to do something for the sake of a connection in the first day: ask, open another.
    public private(set) var wakes = 0
    private var now: Int64 = 0
    /// When the live connection was last heard.
    private var quietSince: Int64 = 0
    private var candidate: Int64?
    private var probe: Probe?

    /// A second connection, with a mapping of its own in the same NAT.
    private struct Probe {
        let since: Int64
        let silence: Int64
        /// It was asked and does not answer: given up then.
        var isDead = false

        var due: Int64 { since + silence + (isDead ? pongTimeout : 0) }
    }

    public static let week: Int64 = 7 * day
    private static let day: Int64 = 86_400_000
    private static let pongTimeout: Int64 = 15_000
    /// Until a dead connection is replaced: the delay before the first attempt.
    private static let comeBack: Int64 = 4_000

    public init() {}

    /// Goes on until `until`. `timeout` is the NAT's at a time; `lost` tells whether a pong is lost.
    public mutating func run<Rule: KeepAliveRule>(
        _ rule: inout Rule, until: Int64, timeout: (Int64) -> Int64, lost: () -> Bool = { false }
    ) {
        while now < until {
            if rule.interval != interval || rule.candidate != candidate {
                interval = rule.interval
                candidate = rule.candidate
                settled = now
            }
            openProbe()
            if let probe, probe.due <= quietSince + interval {
                now = max(now, probe.due)
                advance(probe, &rule, timeout: timeout, lost: lost)
            } else {
                now = max(now, quietSince + interval)
                ask(&rule, timeout: timeout, lost: lost)
            }
        }
    }

    private mutating func ask<Rule: KeepAliveRule>(
        _ rule: inout Rule, timeout: (Int64) -> Int64, lost: () -> Bool
    ) {
        wake()
        let limit = timeout(now)
        let idle = now - quietSince
        quietSince = now
        guard idle > limit || lost() else { return rule.survived(now: now) }
        dead += 1
        if now - settled > Self.week { deadWhenSettled += 1 }
        blind += max(idle - limit, 0) + Self.pongTimeout
        now += Self.pongTimeout + Self.comeBack
        wake()
        quietSince = now
        rule.died(now: now)
    }

    // MARK: The second connection

    private mutating func openProbe() {
        if let probe, probe.silence != candidate { self.probe = nil }
        guard probe == nil, let candidate else { return }
        wake()
        probes += 1
        probe = Probe(since: now, silence: candidate)
    }

    /// It is asked, or has not answered: then the live connection is asked whether the network is there.
    private mutating func advance<Rule: KeepAliveRule>(
        _ probe: Probe, _ rule: inout Rule, timeout: (Int64) -> Int64, lost: () -> Bool
    ) {
        wake()
        if probe.isDead {
            deadProbes += 1
            self.probe = nil
            let before = dead
            ask(&rule, timeout: timeout, lost: lost)
            if dead == before { rule.probed(probe.silence, isAlive: false, now: now) }
        } else if probe.silence <= timeout(now), !lost() {
            self.probe = nil
            rule.probed(probe.silence, isAlive: true, now: now)
        } else {
            self.probe?.isDead = true
        }
    }

    private mutating func wake() { if now < Self.day { wakes += 1 } }
}
