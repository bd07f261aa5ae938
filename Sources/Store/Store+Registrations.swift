import Bytes

/// A registration, lent to a callback (SGP v2 §7).
public struct RegistrationRow: ~Escapable {
    private let columns: Columns

    @_lifetime(borrow statement)
    init(_ statement: borrowing Statement) { columns = Columns(statement) }

    public var server: RawSpan { @_lifetime(copy self) get { columns.bytes(0) } }
    public var bundle: RawSpan { @_lifetime(copy self) get { columns.bytes(1) } }
    /// The device token, 32 bytes: the padded server address and the secret K.
    public var token: RawSpan { @_lifetime(copy self) get { columns.bytes(2) } }
    public var routingKey: RawSpan { @_lifetime(copy self) get { columns.bytes(3) } }
    public var endToEndKey: RawSpan { @_lifetime(copy self) get { columns.bytes(4) } }
    public var isMuted: Bool { columns.integer(5) != 0 }
    /// Unix seconds.
    public var created: Int64 { columns.integer(6) }
}

/// What became of a change to a registration.
public enum RegistrationChange: Equatable, Sendable {
    /// There is none of this bundle.
    case unknown
    /// It was so already.
    case unchanged
    case changed
}

extension Store {
    /// Adds a registration, one for each bundle and server. `unchanged` where there is one: the old token stays.
    /// - Throws: `tooMuch` where there are `Limits.registrations`.
    public func addRegistration(
        server: RawSpan, bundle: RawSpan, token: RawSpan, routingKey: RawSpan, endToEndKey: RawSpan, at time: Int64
    ) throws(StoreError) -> RegistrationChange {
        try require(server, 1...Limits.serverAddress, "server address")
        try require(bundle, 1...Limits.bundle, "bundle")
        try require(token, Limits.deviceToken...Limits.deviceToken, "device token")
        try require(routingKey, Limits.routingKey...Limits.routingKey, "routing key")
        try require(endToEndKey, Limits.endToEndKey...Limits.endToEndKey, "end-to-end key")
        var result = RegistrationChange.unchanged
        try transaction { () throws(StoreError) in
            guard try !isRegistered(server, bundle) else { return }
            guard try registrationCount() < bounds.registrations else {
                throw StoreError.tooMuch(.init(call: "registrations", path: path))
            }
            let statement = statements.addRegistration
            try statement.bind(1, text: server)
            try statement.bind(2, text: bundle)
            try statement.bind(3, blob: token)
            try statement.bind(4, blob: routingKey)
            try statement.bind(5, blob: endToEndKey)
            try statement.bind(6, time)
            try statement.run()
            try statements.changeRegistrations.run()
            result = .changed
        }
        return result
    }

    /// Mutes or unmutes: a muted registration is sent as *ignored* (SGP v2 §7).
    public func setMuted(_ muted: Bool, server: RawSpan, bundle: RawSpan) throws(StoreError) -> RegistrationChange {
        var result = RegistrationChange.unknown
        try transaction { () throws(StoreError) in
            guard try isRegistered(server, bundle) else { return }
            let statement = statements.muteRegistration
            try statement.bind(1, text: server)
            try statement.bind(2, text: bundle)
            try statement.bind(3, muted)
            try statement.run()
            result = statement.changes > 0 ? .changed : .unchanged
            if result == .changed { try statements.changeRegistrations.run() }
        }
        return result
    }

    /// Deletes a registration and overwrites its keys in the database and its log.
    public func deleteRegistration(server: RawSpan, bundle: RawSpan) throws(StoreError) -> RegistrationChange {
        var result = RegistrationChange.unknown
        try transaction { () throws(StoreError) in
            guard try isRegistered(server, bundle) else { return }
            let statement = statements.deleteRegistration
            try statement.bind(1, text: server)
            try statement.bind(2, text: bundle)
            try statement.run()
            try statements.changeRegistrations.run()
            result = .changed
        }
        // The log still holds the page as it was. A reader in another process may be in the way; then a later
        // checkpoint does it.
        if result == .changed, !isInTransaction { connection.checkpoint(emptying: true) }
        return result
    }

    /// Lends the registration of a bundle. False where there is none.
    public func registration(
        server: RawSpan, bundle: RawSpan, _ body: (RegistrationRow) -> Void
    ) throws(StoreError) -> Bool {
        let statement = statements.registration
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, text: server)
        try statement.bind(2, text: bundle)
        guard try statement.step() else { return false }
        body(RegistrationRow(statement))
        return true
    }

    /// Lends the registrations of a server, or of all, in the order in which they were added.
    public func registrations(
        server: RawSpan?, _ body: (RegistrationRow) -> Bool
    ) throws(StoreError) {
        let statement = statements.registrations
        try statement.refuseReentry()
        defer { statement.reset() }
        try statement.bind(1, text: server)
        while try statement.step() {
            guard body(RegistrationRow(statement)) else { return }
        }
    }

    /// Registrations of a server, or of all.
    public func registrationCount(server: RawSpan? = nil) throws(StoreError) -> Int {
        try statements.registrationCount.bind(1, text: server)
        return Int(try statements.registrationCount.integer() ?? 0)
    }

    /// Grows with every change of the set, whichever process makes it.
    public func registrationsGeneration() throws(StoreError) -> Int64 {
        try statements.registrationsGeneration.integer() ?? 0
    }

    private func isRegistered(_ server: RawSpan, _ bundle: RawSpan) throws(StoreError) -> Bool {
        let statement = statements.registrationKnown
        try statement.bind(1, text: server)
        try statement.bind(2, text: bundle)
        return try statement.integer() != nil
    }
}
