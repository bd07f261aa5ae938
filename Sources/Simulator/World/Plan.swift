import SGP

/// What may go wrong in a simulated month.
public struct Faults: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Timeouts of the NAT that jitter and change.
    public static let nat = Faults(rawValue: 1 << 0)
    /// A server that is slow, silent, rude, restarts, and loses pongs.
    public static let server = Faults(rawValue: 1 << 1)
    public static let names = Faults(rawValue: 1 << 2)
    /// Outages, two networks swapping, captive portals.
    public static let network = Faults(rawValue: 1 << 3)
    public static let clock = Faults(rawValue: 1 << 4)
    public static let suspend = Faults(rawValue: 1 << 5)
    public static let disk = Faults(rawValue: 1 << 6)
    public static let power = Faults(rawValue: 1 << 7)
    /// The program is killed, restarted, told to reconnect.
    public static let process = Faults(rawValue: 1 << 8)

    public static let all = Faults(rawValue: 1 << 9 - 1)

    static let named: [(name: String, fault: Faults)] = [
        ("nat", .nat), ("server", .server), ("names", .names), ("network", .network), ("clock", .clock),
        ("suspend", .suspend), ("disk", .disk), ("power", .power), ("process", .process),
    ]
}

/// Everything that decides a simulation.
public struct Plan: Sendable {
    public var seed: UInt64
    public var months: Int64 = 1
    public var faults = Faults.all
    public var mutant: Mutant?
    public var isTraced = false
    /// The NAT's timeout on the first network, milliseconds; by the seed where nil.
    public var timeout: Int64?
    /// At this time, in milliseconds, the timeout becomes another.
    public var change: (time: Int64, timeout: Int64)?
    /// One pong in so many is lost; 0 for none.
    public var lostPongs: Int64 = 0
    /// No messages, so that silence is as long as the board lets it be.
    public var isSilent = false
    public var keepAlive = KeepAlive(minimum: 600_000, maximum: 3_300_000, pongTimeout: 15_000)

    public init(seed: UInt64) { self.seed = seed }

    public static let month: Int64 = 30 * 86_400_000
}

/// What became of a simulation.
public struct Outcome: Sendable {
    public var violation: Violation?
    public var hash: UInt64 = 0
    public var messages = 0
    public var shown = 0
    public var boots = 0
    /// Connections that logged in, and those that the NAT forgot.
    public var logins = 0
    public var forgotten = 0
    public var interval: Int64 = 0
    public var stage = KeepAlive.Stage.initialGrowth
    /// Connections that ended for want of a pong or by a reset upon a ping, since `Plan.change`.
    public var dead = 0
    public var writes = 0
    /// How often board and server were compared in a calm.
    public var comparisons = 0
}
