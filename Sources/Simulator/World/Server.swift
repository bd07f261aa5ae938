import SGP

/// How a server behaves all the time.
struct ServerHabits {
    /// As the reference server does: a legacy hello, no S_POLL_DONE, no S_PING, creation times for sequence numbers, one
    /// message waiting for each key, and nothing live to a connection whose predecessor closed late (SGP v2 §10).
    var isReference = false
    /// S_TIME_SYNC after each login, and every so many milliseconds.
    var syncsTime = true
    /// Refuses logins whose time is more than 300 s off.
    var checksTime = false
    /// Pings its clients so often; 0 for never.
    var pingEvery: Int64 = 0
    /// Drops clients that are silent for so long.
    var idleLimit: Int64 = 3_600_000
    /// Expects a new registration set after it was restarted.
    var forgetsSets = false
    /// One pong in so many is never sent; 0 for none.
    var lostPongs: Int64 = 0
}

/// What a server does wrong for a time; each is one chance in so many, 0 for none.
struct ServerFaults {
    var slow: Int64 = 0
    var silent: Int64 = 0
    var drops: Int64 = 0
    var repeats: Int64 = 0
    var nonsense: Int64 = 0
}

/// A server of SGP v2 with its devices, keys and messages that wait. What it has accepted survives its restarts.
final class Server {
    unowned(unsafe) let world: World
    var habits = ServerHabits()
    var faults = ServerFaults()
    /// No process listens: connections are refused.
    var isDown = false
    /// The machine or its network is gone: nothing comes back at all.
    var isUnreachable = false
    private var devices: [String: Device] = [:]
    private(set) var current: [Conversation] = []
    private var deviceCount = 0
    var random: SeededRandom

    /// One registered device.
    final class Device {
        let address: String
        /// Routing key to tag, as the last complete C_FILTER said.
        var set: [[UInt8]: UInt8] = [:]
        /// Messages that have not been acknowledged, the oldest first.
        var waiting: [Int] = []
        var lastSequence: Int64 = 0
        /// Whom live messages go to.
        var live: Conversation?
        init(address: String) { self.address = address }
    }

    init(world: World, seed: UInt64) {
        self.world = world
        random = SeededRandom(seed: seed)
    }

    /// The last device that registered: the board, as the server knows it.
    var device: Device? { devices["device-\(deviceCount)"] }

    func device(at address: String) -> Device? { devices[address] }

    func register() -> Device {
        deviceCount += 1
        let device = Device(address: "device-\(deviceCount)")
        devices[device.address] = device
        return device
    }

    var time: Int64 { world.unixTime }

    /// A TLS connection has come up.
    func accept(_ line: Line) {
        let conversation = Conversation(server: self, line: line)
        line.conversation = conversation
        current.append(conversation)
        conversation.begin()
    }

    func close() {
        for conversation in current { conversation.lost() }
    }

    func forget(_ conversation: Conversation) {
        conversation.line.conversation = nil
        current.removeAll { $0 === conversation }
        for device in [conversation.device, self.device] where device?.live === conversation { device?.live = nil }
    }

    /// All connections end; nothing else is lost but, with some, the registration sets.
    func restart(downFor pause: Int64, politely: Bool) {
        world.note("server restarts", pause / 1_000, politely ? 1 : 0)
        isDown = true
        for conversation in current {
            if politely { conversation.say(reason: .serverError, retryAfter: UInt32(random.integer(0...90))) }
            conversation.end(reset: !politely)
        }
        current.removeAll()
        for device in devices.values {
            device.live = nil
            if habits.forgetsSets { device.set.removeAll() }
        }
        world.after(pause) { [self] in isDown = false }
    }

    // MARK: Messages

    /// A sender's request. False where the server does not know the key.
    func submit(_ number: Int) -> Bool {
        let message = world.ledger.messages[number]
        guard let device, let tag = device.set[message.key], tag == 1 || habits.isReference else { return false }
        device.lastSequence += 1
        // Creation times are neither dense nor unique.
        world.ledger.messages[number].sequence = habits.isReference ? time : device.lastSequence
        if habits.isReference {
            for other in device.waiting where world.ledger.messages[other].key == message.key {
                world.ledger.messages[other].isReplaced = true
            }
            device.waiting.removeAll { world.ledger.messages[$0].key == message.key }
        }
        device.waiting.append(number)
        device.live?.push(number)
        return true
    }

    func acknowledged(_ number: Int, _ device: Device) { device.waiting.removeAll { $0 == number } }

    func setChanged(_ device: Device) {
        // A key that is left out is invalid at once.
        for number in device.waiting where device.set[world.ledger.messages[number].key] == nil {
            world.ledger.messages[number].isReplaced = true
        }
        device.waiting.removeAll { world.ledger.messages[$0].isReplaced }
    }
}
