import Bytes

/// How far the hook of a notification is. The raw value is stored; those below 2 are unfinished.
public enum HookState: Int64, Sendable {
    case waiting = 0
    /// Started, or its gateway died while it ran.
    case running = 1
    case done = 2
    /// Given up, for a reason.
    case dead = 3

    /// As in the JSON of `skyglowd inbox`, a literal.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .done: "done"
        case .dead: "dead"
        }
    }
}

/// The hook that is next in the order of its route.
public struct NextHook: Equatable, Sendable {
    /// The notification's number.
    public var id: Int64
    /// How often it has been started.
    public var tries: Int
}

/// The queue of hooks: one row for each notification whose route has one, made with it and leaving with it.
extension Store {
    /// Within the transaction that puts the notification into the inbox: its hook waits.
    public func insertHook(_ id: Int64, route: RawSpan) throws(StoreError) {
        try change { () throws(StoreError) in
            try statements.insertHook.bind(1, id)
            try statements.insertHook.bind(2, text: route)
            try statements.insertHook.run()
        }
    }

    /// The oldest unfinished hook of a route.
    public func nextHook(route: RawSpan) throws(StoreError) -> NextHook? {
        let statement = statements.nextHook
        defer { statement.reset() }
        try statement.bind(1, text: route)
        guard try statement.step() else { return nil }
        let row = Columns(statement)
        return NextHook(id: row.integer(0), tries: Int(row.integer(1)))
    }

    /// Unfinished hooks of all routes.
    public func openHookCount() throws(StoreError) -> Int { Int(try statements.openHookCount.integer() ?? 0) }

    /// About to be started: one try more. Durable when it returns, so that a hook that takes the board down with it is
    /// given up in the end.
    public func hookStarts(_ id: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.startHook.bind(1, id)
            try statements.startHook.run()
        }
    }

    /// It has ended, for good or to wait for another try. `reason` says why not well; nil keeps none.
    public func hookEnded(_ id: Int64, _ state: HookState, reason: RawSpan?) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.endHook.bind(1, id)
            try statements.endHook.bind(2, state.rawValue)
            try statements.endHook.bind(3, text: reason)
            try statements.endHook.run()
        }
    }

    /// It was stopped with its gateway, which counts as no try.
    public func hookStopped(_ id: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.stopHook.bind(1, id)
            try statements.stopHook.run()
        }
    }

    /// Lends the names of the routes that have unfinished hooks. The store must not be changed meanwhile.
    public func openHookRoutes(_ body: (RawSpan) -> Bool) throws(StoreError) {
        let statement = statements.openHookRoutes
        try statement.refuseReentry()
        defer { statement.reset() }
        while try statement.step() {
            let row = Columns(statement)
            guard body(row.bytes(0)) else { return }
        }
    }

    /// Gives all unfinished hooks of a route up. Says how many.
    public func buryHooks(route: RawSpan, reason: RawSpan) throws(StoreError) -> Int {
        var count = 0
        try transaction { () throws(StoreError) in
            try statements.buryHooks.bind(1, text: route)
            try statements.buryHooks.bind(2, text: reason)
            try statements.buryHooks.run()
            count = statements.buryHooks.changes
        }
        return count
    }
}
