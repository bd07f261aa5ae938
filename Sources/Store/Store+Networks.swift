import Bytes

/// How long one network holds a silent connection, as far as it is known (SGP v2 §8).
public struct LearnedInterval: Equatable, Sendable {
    /// Seconds of silence that were survived; 0 for none.
    public var proven: Int64
    /// Seconds that were not.
    public var refuted: Int64?
    /// Unix seconds.
    public var changed: Int64
    /// Connections that died in finding `refuted`; 0 where nobody counted.
    public var failures: Int64
    /// Seconds for which `refuted` is left alone; 0 for the learner's own time.
    public var patience: Int64

    public init(proven: Int64, refuted: Int64?, changed: Int64, failures: Int64 = 0, patience: Int64 = 0) {
        self.proven = proven
        self.refuted = refuted
        self.changed = changed
        self.failures = failures
        self.patience = patience
    }
}

/// One thing that was learned. The numbers of outcome and stage are the learner's.
public struct IntervalEvent: Equatable, Sendable {
    /// Unix seconds.
    public var time: Int64
    /// Seconds of silence.
    public var idle: Int64
    public var outcome: Int64
    public var stage: Int64
    /// Seconds: what was decided upon it.
    public var interval: Int64

    public init(time: Int64, idle: Int64, outcome: Int64, stage: Int64, interval: Int64) {
        self.time = time
        self.idle = idle
        self.outcome = outcome
        self.stage = stage
        self.interval = interval
    }
}

/// A network that something was learned of, lent.
public struct NetworkRow: ~Escapable {
    private let columns: Columns

    @_lifetime(copy columns)
    init(_ columns: Columns) { self.columns = columns }

    public var id: Int64 { columns.integer(0) }
    public var name: RawSpan {
        @_lifetime(copy self)
        get { columns.bytes(1) }
    }
    public var kind: Int64 { columns.integer(2) }
    public var key: RawSpan {
        @_lifetime(copy self)
        get { columns.bytes(3) }
    }
    /// Within sane bounds, whatever somebody wrote there.
    public var learned: LearnedInterval {
        LearnedInterval(
            proven: silence(columns.integer(4)), refuted: columns.optionalInteger(5).map(silence),
            changed: date(columns.integer(6)), failures: min(max(columns.integer(7), 0), 1_000),
            patience: date(columns.integer(8)))
    }
}

private func silence(_ seconds: Int64) -> Int64 { min(max(seconds, 0), Limits.intervalSeconds) }

/// From 1970 to the year 9999.
private func date(_ seconds: Int64) -> Int64 { min(max(seconds, 0), 253_402_300_799) }

extension Store {
    /// The row of a network, or nil.
    public func networkID(name: RawSpan, kind: Int64, key: RawSpan) throws(StoreError) -> Int64? {
        let statement = statements.network
        try statement.bind(1, text: name)
        try statement.bind(2, kind)
        try statement.bind(3, blob: key)
        return try statement.integer()
    }

    /// What is known of a network, or nil.
    public func learnedInterval(name: RawSpan, kind: Int64, key: RawSpan) throws(StoreError) -> LearnedInterval? {
        let statement = statements.network
        defer { statement.reset() }
        try statement.bind(1, text: name)
        try statement.bind(2, kind)
        try statement.bind(3, blob: key)
        guard try statement.step() else { return nil }
        return NetworkRow(Columns(statement)).learned
    }

    /// Keeps what was learned, with how it came about. Of many networks those go first that were not in use
    /// longest; the history of each is as long as `Limits.intervalEvents`.
    /// - Throws: `misuse` for a name over 16 or a key over 64 bytes.
    public func keepInterval(
        name: RawSpan, kind: Int64, key: RawSpan, _ learned: LearnedInterval, _ event: IntervalEvent
    ) throws(StoreError) {
        try require(name, 0...16, "network name")
        try require(key, 0...Limits.networkKey, "network key")
        try transaction { () throws(StoreError) in
            let set = statements.setNetwork
            try set.bind(1, text: name)
            try set.bind(2, kind)
            try set.bind(3, blob: key)
            try set.bind(4, learned.proven)
            try set.bind(5, learned.refuted)
            try set.bind(6, learned.changed)
            try set.bind(7, learned.failures)
            try set.bind(8, learned.patience)
            try set.run()
            let add = statements.addIntervalEvent
            try add.bind(1, text: name)
            try add.bind(2, kind)
            try add.bind(3, blob: key)
            try add.bind(4, event.time)
            try add.bind(5, event.idle)
            try add.bind(6, event.outcome)
            try add.bind(7, event.stage)
            try add.bind(8, event.interval)
            try add.run()
            try statements.boundNetworks.bind(1, Int64(Limits.networks))
            try statements.boundNetworks.run()
            guard let id = try networkID(name: name, kind: kind, key: key) else { return }
            try statements.boundIntervalEvents.bind(1, id)
            try statements.boundIntervalEvents.bind(2, Int64(Limits.intervalEvents))
            try statements.boundIntervalEvents.run()
        }
    }

    /// A network of which something was learned is in use at this time, Unix seconds. Written once a day at most, in a
    /// transaction of its own: it only decides which of many networks are forgotten.
    public func noteUse(name: RawSpan, kind: Int64, key: RawSpan, at time: Int64) throws(StoreError) {
        let known = statements.networkUse
        try known.bind(1, text: name)
        try known.bind(2, kind)
        try known.bind(3, blob: key)
        // A time that lies far ahead was a clock's that was wrong.
        guard let used = try known.integer(), used <= time &- 86_400 || used > time &+ 86_400 else { return }
        try transaction { () throws(StoreError) in
            let set = statements.setNetworkUse
            try set.bind(1, text: name)
            try set.bind(2, kind)
            try set.bind(3, blob: key)
            try set.bind(4, time)
            try set.run()
        }
    }

    /// Lends every network, the latest first.
    public func networks(_ body: (borrowing NetworkRow) -> Bool) throws(StoreError) {
        let statement = statements.networks
        try statement.refuseReentry()
        defer { statement.reset() }
        while try statement.step() {
            guard body(NetworkRow(Columns(statement))) else { return }
        }
    }

    /// What was learned of one network, oldest first; the latest `Limits.intervalEvents`. Numbers are within sane bounds.
    public func intervalEvents(network: Int64, _ body: (IntervalEvent) -> Bool) throws(StoreError) {
        let statement = statements.intervalEvents
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, network)
        try statement.bind(2, Int64(Limits.intervalEvents))
        while try statement.step() {
            let row = Columns(statement)
            let event = IntervalEvent(
                time: date(row.integer(0)), idle: silence(row.integer(1)), outcome: row.integer(2),
                stage: row.integer(3), interval: silence(row.integer(4)))
            guard body(event) else { return }
        }
    }

    /// Forgets the networks of an interface, or all. Says how many there were.
    public func forgetNetworks(name: RawSpan?) throws(StoreError) -> Int {
        var count = 0
        try transaction { () throws(StoreError) in
            try statements.forgetNetworks.bind(1, text: name)
            try statements.forgetNetworks.run()
            count = statements.forgetNetworks.changes
        }
        return count
    }

    /// Forgets one network by its row. False if there is none.
    public func forgetNetwork(_ id: Int64) throws(StoreError) -> Bool {
        var existed = false
        try transaction { () throws(StoreError) in
            try statements.forgetNetwork.bind(1, id)
            try statements.forgetNetwork.run()
            existed = statements.forgetNetwork.changes > 0
        }
        return existed
    }
}
