import Bytes
import Loop
import Store

/// The outlets of all routes. Routes that name the same place share one.
final class Outlets {
    private let store: Store
    private let log: Log
    private var places: [Outlet] = []
    /// For each route, its places.
    private var routes: [[Outlet]] = []
    private var line = ByteBuffer(capacity: Limits.notificationJSON)

    init(_ routes: [Route], store: Store, log: Log) {
        self.store = store
        self.log = log
        replace(routes)
    }

    /// Takes the routes of another configuration; places that stay keep what waits in them.
    func replace(_ next: [Route]) {
        var kept: [Outlet] = []
        routes = next.map { route in
            route.outlets.map { address in
                let found = (kept + places).first { $0.address == address } ?? Outlet(address, log: log)
                if !kept.contains(where: { $0 === found }) { kept.append(found) }
                return found
            }
        }
        places = kept
    }

    /// Tells them of a notification, which must be durable.
    func append(_ id: Int64, route: Int, now: Int64) throws(StoreError) {
        line.removeAll()
        let isKnown = try store.notification(id) { row in
            line.append(json: row)
            line.append("\n")
        }
        guard isKnown else { return }
        for place in routes[route] { place.append(line.pointer, now: now) }
    }

    // MARK: In the loop

    func advance(now: Int64) {
        for place in places { place.advance(now: now) }
    }

    var deadline: Int64 {
        var earliest = Int64.max
        for place in places { earliest = min(earliest, place.deadline) }
        return earliest
    }

    func register(in set: inout PollSet) {
        for place in places { place.register(in: &set) }
    }
}
