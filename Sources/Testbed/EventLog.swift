import Foundation

/// No event matched before the deadline. Says what was awaited and what came last.
public struct EventTimeout: Error, CustomStringConvertible {
    public let description: String
}

/// Every event since the server began, in order. Any thread may read it or wait on it.
public final class EventLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var events: [Event] = []
    private var observer: (@Sendable (Event) -> Void)?

    /// How many events there are. Take it before an action, and wait `after:` it for the consequences.
    public var mark: Int { condition.withLock { events.count } }

    public var all: [Event] { condition.withLock { events } }

    /// The events of a kind from a mark on.
    public func of(_ kind: Event.Kind, after mark: Int = 0) -> [Event] {
        condition.withLock { events[min(mark, events.count)...].filter { $0.kind == kind } }
    }

    /// The client's frames from a mark on, by name.
    public func frames(after mark: Int = 0) -> [String] { of(.frame, after: mark).compactMap(\.type) }

    /// Calls a closure with each event, on the thread where it happens.
    public func observe(_ closure: @escaping @Sendable (Event) -> Void) {
        condition.withLock { observer = closure }
    }

    /// Waits for the `count`th event of a kind that matches, and returns it.
    ///
    /// - Parameters:
    ///   - mark: events before this one do not count.
    ///   - seconds: the deadline.
    @discardableResult
    public func wait(
        for kind: Event.Kind, count: Int = 1, after mark: Int = 0, within seconds: Double = 10,
        where matches: (Event) -> Bool = { _ in true }
    ) throws(EventTimeout) -> Event {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        var next = mark
        var found = 0
        while true {
            while next < events.count {
                let event = events[next]
                next += 1
                guard event.kind == kind, matches(event) else { continue }
                found += 1
                if found == count { return event }
            }
            if !condition.wait(until: deadline), next >= events.count {
                throw timeout(kind, found, count, seconds)
            }
        }
    }

    /// Waits for a frame of a type from the client.
    @discardableResult
    public func waitForFrame(
        _ type: ClientType, count: Int = 1, after mark: Int = 0, within seconds: Double = 10
    ) throws(EventTimeout) -> Event {
        try wait(for: .frame, count: count, after: mark, within: seconds) { $0.type == type.name }
    }

    func append(_ kind: Event.Kind, connection: Int, fields: [(name: String, value: Event.Value)]) {
        condition.lock()
        let event = Event(
            number: events.count, time: Date().timeIntervalSince1970, connection: connection, kind: kind,
            fields: fields)
        events.append(event)
        let observer = observer
        condition.broadcast()
        condition.unlock()
        observer?(event)
    }

    private func timeout(_ kind: Event.Kind, _ found: Int, _ count: Int, _ seconds: Double) -> EventTimeout {
        let last = events.suffix(12).map { "\n  \($0)" }.joined()
        return EventTimeout(description: "\(found) of \(count) \(kind.rawValue) within \(seconds) s; last:\(last)")
    }
}
