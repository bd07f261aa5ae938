import Bytes

/// A daemon that may send to this board directly, lent to a callback.
public struct PairingRow: ~Escapable {
    private let columns: Columns

    @_lifetime(borrow statement)
    init(_ statement: borrowing Statement) { columns = Columns(statement) }

    public var id: Int64 { columns.integer(0) }
    public var source: Source { Source(rawValue: columns.integer(1)) ?? .cronstable }
    public var name: RawSpan { @_lifetime(copy self) get { columns.bytes(2) } }
    /// Where it is: its address, or user and host.
    public var place: RawSpan { @_lifetime(copy self) get { columns.bytes(3) } }
    /// What it names this board by.
    public var token: RawSpan { @_lifetime(copy self) get { columns.bytes(4) } }
    /// Its public key; empty where it has none.
    public var key: RawSpan { @_lifetime(copy self) get { columns.bytes(5) } }
    /// A digest of what it was last given; empty where nothing was.
    public var given: RawSpan { @_lifetime(copy self) get { columns.bytes(6) } }
    /// Unix seconds.
    public var created: Int64 { columns.integer(7) }
}

/// What the admission policy remembers of one kind of alert, lent to a callback.
public struct AdmissionRow: ~Escapable {
    private let columns: Columns

    @_lifetime(borrow statement)
    init(_ statement: borrowing Statement) { columns = Columns(statement) }

    /// The pairing.
    public var device: Int64 { columns.integer(0) }
    public var key: RawSpan { @_lifetime(copy self) get { columns.bytes(1) } }
    /// As the policy writes it.
    public var state: RawSpan { @_lifetime(copy self) get { columns.bytes(2) } }
}

/// By which clock the stored times of the policy are to be read.
public struct RelayClock: BitwiseCopyable, Sendable, Equatable {
    /// The kernel's identifier of the boot.
    public var boot: Blob<36>
    /// Milliseconds of CLOCK_BOOTTIME, and Unix milliseconds at the same moment.
    public var booted: Int64
    public var wall: Int64

    public init(boot: Blob<36>, booted: Int64, wall: Int64) {
        self.boot = boot
        self.booted = booted
        self.wall = wall
    }
}

extension Store {
    /// Adds a pairing, or replaces what is known of the same source at the same place; its token stays. Gives its number.
    /// - Throws: `tooMuch` where there are `Limits.pairings`.
    public func setPairing(
        source: Source, name: RawSpan, place: RawSpan, token: RawSpan, key: RawSpan, given: RawSpan, at time: Int64
    ) throws(StoreError) -> Int64 {
        try require(name, 0...Limits.pairingName, "pairing name")
        try require(place, 1...Limits.pairingPlace, "pairing place")
        try require(token, 1...Limits.relayToken, "pairing token")
        var id: Int64 = 0
        try transaction { () throws(StoreError) in
            let statement = statements.setPairing
            try statement.bind(1, source.rawValue)
            try statement.bind(2, text: name)
            try statement.bind(3, text: place)
            try statement.bind(4, blob: token)
            try statement.bind(5, blob: key)
            try statement.bind(6, blob: given)
            try statement.bind(7, time)
            id = try statement.integer() ?? 0
            guard Int(try statements.pairingCount.integer() ?? 0) <= Limits.pairings else {
                throw StoreError.tooMuch(.init(call: "pairings", path: path))
            }
        }
        return id
    }

    /// Lends all pairings in the order in which they were made.
    public func pairings(_ body: (PairingRow) -> Bool) throws(StoreError) {
        let statement = statements.pairings
        try statement.refuseReentry()
        defer { statement.reset() }
        while try statement.step() { guard body(PairingRow(statement)) else { return } }
    }

    /// Forgets a pairing and what the policy knew of it. False where there was none.
    public func deletePairing(_ id: Int64) throws(StoreError) -> Bool {
        var found = false
        try transaction { () throws(StoreError) in
            try statements.deletePairing.bind(1, id)
            try statements.deletePairing.run()
            found = statements.deletePairing.changes > 0
        }
        return found
    }

    /// Lends what the policy remembers, what was seen last first.
    public func admissions(_ body: (AdmissionRow) -> Bool) throws(StoreError) {
        let statement = statements.admissions
        try statement.refuseReentry()
        defer { statement.reset() }
        while try statement.step() { guard body(AdmissionRow(statement)) else { return } }
    }

    /// Within a transaction: keeps what the policy remembers of one kind of alert. `seen` orders them.
    public func setAdmission(device: Int64, key: RawSpan, state: RawSpan, seen: Int64) throws(StoreError) {
        try change { () throws(StoreError) in
            let statement = statements.setAdmission
            try statement.bind(1, device)
            try statement.bind(2, blob: key)
            try statement.bind(3, blob: state)
            try statement.bind(4, seen)
            try statement.run()
            try statements.dropAdmissions.bind(1, Int64(Limits.admissions))
            try statements.dropAdmissions.run()
        }
    }

    /// Within a transaction: forgets what the policy remembered of one kind of alert.
    public func deleteAdmission(device: Int64, key: RawSpan) throws(StoreError) {
        try change { () throws(StoreError) in
            try statements.deleteAdmission.bind(1, device)
            try statements.deleteAdmission.bind(2, blob: key)
            try statements.deleteAdmission.run()
        }
    }

    public func relayClock() throws(StoreError) -> RelayClock? {
        let statement = statements.relayClock
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let row = Columns(statement)
        return RelayClock(boot: Blob(row.bytes(0)) ?? Blob(), booted: row.integer(1), wall: row.integer(2))
    }

    /// Within a transaction.
    public func setRelayClock(_ clock: RelayClock) throws(StoreError) {
        try change { () throws(StoreError) in
            let statement = statements.setRelayClock
            try statement.bind(1, text: clock.boot.bytes)
            try statement.bind(2, clock.booted)
            try statement.bind(3, clock.wall)
            try statement.run()
        }
    }

    /// The time of the last note of a pane, in Unix microseconds, and whether this very note was among those of that time;
    /// nil before the first. More than `Limits.paneNotes` of one time cannot be told from what was shown.
    public func lastNote(pane: RawSpan, digest: RawSpan) throws(StoreError) -> (time: Int64, isKnown: Bool)? {
        let statement = statements.pane
        defer { statement.reset() }
        try statement.bind(1, blob: pane)
        guard try statement.step() else { return nil }
        let row = Columns(statement)
        let known = row.bytes(1)
        let size = max(digest.byteCount, 1)
        var isKnown = known.byteCount >= Limits.paneNotes * size
        for index in 0..<known.byteCount / size
        where known.extracting(index * size..<(index + 1) * size).equals(digest) { isKnown = true }
        return (row.integer(0), isKnown)
    }

    /// Within a transaction: the last note of a pane, with a digest of 32 bytes; those of the same time stay known. The panes that were quiet longest are forgotten.
    public func setLastNote(pane: RawSpan, time: Int64, digest: RawSpan) throws(StoreError) {
        try change { () throws(StoreError) in
            try statements.setPane.bind(1, blob: pane)
            try statements.setPane.bind(2, time)
            try statements.setPane.bind(3, blob: digest)
            try statements.setPane.run()
            try statements.dropPanes.bind(1, Int64(Limits.panes))
            try statements.dropPanes.run()
        }
    }
}
