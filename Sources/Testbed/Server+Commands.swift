// What a test or the console tells the server to do.
extension Server {
    /// A notification that has been accepted for delivery.
    public struct Sent: Sendable {
        public let identifier: [UInt8]
        public let sequence: Int64
        /// Bytes of the S_NOTIFY payload.
        public let size: Int
        /// Whether it was pushed to a live connection; otherwise it waits for C_POLL.
        public let pushed: Bool
    }

    /// One device in `status`.
    public struct DeviceStatus: Sendable {
        public let address: String
        public let connected: Bool
        public let unacknowledged: Int
        public let registrations: [Registration]
    }

    /// Plans actions for a moment of any connection, `times` times (nil: for ever), after `skipping` occurrences.
    public func at(_ moment: Moment, _ actions: Action..., times: Int? = 1, skipping: Int = 0) {
        plan(moment, actions, times: times, skipping: skipping)
    }

    /// The same for an array.
    public func plan(_ moment: Moment, _ actions: [Action], times: Int? = 1, skipping: Int = 0) {
        locked { plans.append(Plan(moment: moment, actions: actions, times: times, skipping: skipping)) }
    }

    /// Forgets what is planned.
    public func clearPlans() {
        locked { plans = [] }
    }

    /// Builds a notification for the device that registered a token, and delivers it as the message says.
    @discardableResult
    public func notify(_ message: Message, token text: String) throws(TestbedError) -> Sent {
        let token = try DeviceToken(text)
        lock.lock()
        defer {
            lock.unlock()
            wakeUp()
        }
        guard let device = device(for: token.routingKey) else { throw .unknownToken }
        device.sequence += 1
        let row = makeRow(message, token, device)
        if message.delivery != .unqueued { keep(row, device) }
        remember(row)
        let connection = live[device.address].flatMap { $0.isUsable ? $0 : nil }
        let pushes = message.delivery != .held && !state.silence.contains(.notify)
        if pushes, let connection {
            for _ in 0..<max(1, message.copies) { push(row, connection) }
        }
        return Sent(
            identifier: row.identifier, sequence: row.sequence, size: row.payload.count,
            pushed: pushes && connection != nil)
    }

    /// Sends a message of the last 16,384 again, byte for byte, whether or not it was acknowledged.
    public func resend(_ identifier: [UInt8]) throws(TestbedError) {
        lock.lock()
        defer {
            lock.unlock()
            wakeUp()
        }
        guard let row = history[identifier] else { throw .unknownMessage }
        push(row, try usable(nil))
    }

    private func makeRow(_ message: Message, _ token: DeviceToken, _ device: Device) -> Row {
        let identifier = message.identifier ?? Cryptography.random(16)
        let sequence = message.sequence ?? (state.sequenceIsTime ? now() : device.sequence)
        rowsMade += 1
        let payload = message.payload(
            token: token, identifier: identifier, sequence: sequence, reference: state.referenceWays)
        return Row(identifier: identifier, sequence: sequence, payload: payload, order: rowsMade)
    }

    private func keep(_ row: Row, _ device: Device) {
        if state.referenceWays {
            // One message a routing key: the newer replaces the older (SGP v2 §10).
            let key = row.payload.prefix(32)
            device.unacknowledged = device.unacknowledged.filter { $0.value.payload.prefix(32) != key }
        }
        device.unacknowledged[row.identifier] = row
    }

    private func remember(_ row: Row) {
        if history.updateValue(row, forKey: row.identifier) == nil { historyOrder.append(row.identifier) }
        guard historyOrder.count > 20_000 else { return }
        for identifier in historyOrder.prefix(3616) { history[identifier] = nil }
        historyOrder.removeFirst(3616)
    }

    private func device(for routingKey: [UInt8]) -> Device? {
        devices.values.first { device in device.registrations.contains { $0.routingKey == routingKey } }
    }

    /// The connection of a number, or the newest one that is open.
    private func usable(_ number: Int?) throws(TestbedError) -> Connection {
        let found =
            number == nil
            ? connections.last { $0.isUsable } : connections.first { $0.number == number && $0.isUsable }
        guard let found else { throw .notConnected }
        return found
    }

    private func with(_ number: Int?, _ body: (Connection) -> Void) throws(TestbedError) {
        lock.lock()
        defer {
            lock.unlock()
            wakeUp()
        }
        body(try usable(number))
    }

    /// Sends one frame at once, in whatever phase, with any header.
    public func send(
        type: UInt8, payload: [UInt8] = [], header: HeaderFault = HeaderFault(), connection: Int? = nil
    ) throws(TestbedError) {
        try send(raw: Wire.frame(type, payload, header: header), connection: connection)
    }

    /// Sends bytes as they are, in one write.
    public func send(raw bytes: [UInt8], connection: Int? = nil) throws(TestbedError) {
        try with(connection) { enqueue($0, bytes) }
    }

    /// Everything that `body` sends goes out in one write a connection.
    public func inOneWrite(_ body: () throws -> Void) rethrows {
        lock.lock()
        defer {
            lock.unlock()
            wakeUp()
        }
        try gather(body)
    }

    /// S_PING.
    public func ping(_ sequence: Int64, connection: Int? = nil) throws(TestbedError) {
        try with(connection) { send($0, .ping, Wire.bigEndian(sequence), [("seq", .integer(sequence))]) }
    }

    /// S_TIME_SYNC, seconds ahead of the true time.
    public func timeSync(ahead seconds: Int64, connection: Int? = nil) throws(TestbedError) {
        try with(connection) { send($0, .timeSync, Wire.bigEndian(now() - state.clockOffset &+ seconds)) }
    }

    /// S_DISCONNECT, then the end of the connection.
    public func disconnect(_ reason: UInt8, retryAfter: UInt32? = nil, connection: Int? = nil) throws(TestbedError) {
        try with(connection) { bye($0, reason, retryAfter: retryAfter) }
    }

    /// close_notify and FIN without S_DISCONNECT.
    public func close(connection: Int? = nil) throws(TestbedError) {
        try with(connection) { end($0, .close) }
    }

    /// RST at once: what was not written is lost.
    public func drop(connection: Int? = nil) throws(TestbedError) {
        try with(connection) { reset($0, why: "drop") }
    }

    /// Stops or resumes reading from every open connection.
    public func stall(_ on: Bool) {
        locked {
            for connection in connections {
                connection.stalled = on
                connection.readAgain = !on
            }
        }
        wakeUp()
    }

    /// Every device that has registered.
    public var status: [DeviceStatus] {
        locked {
            devices.values.map { device in
                DeviceStatus(
                    address: String(decoding: device.address, as: UTF8.self),
                    connected: live[device.address]?.isUsable ?? false,
                    unacknowledged: device.unacknowledged.count, registrations: device.registrations)
            }.sorted { $0.address < $1.address }
        }
    }

    /// Connections that are open now.
    public var openConnections: Int { locked { connections.count { $0.isUsable } } }
}
