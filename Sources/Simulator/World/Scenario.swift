import Bytes
import SGP
import Store

/// What people, senders, networks and misfortune do to the board in a month.
final class Scenario {
    private unowned(unsafe) let world: World
    private var random: SeededRandom
    private var keys: [(key: [UInt8], bundle: String)] = []
    private var bundles = 0
    private var isOver = false
    private var lastChange: Int64 = 0

    /// After the month, without faults, everything comes to rest within this time.
    static let settling: Int64 = 3 * 3_600_000
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000

    init(world: World) {
        self.world = world
        random = SeededRandom(seed: world.random.next())
    }

    private var faults: Faults { world.plan.faults }
    private var machine: Machine { world.machine }

    /// Something happens again and again, once in `mean` milliseconds.
    private func often(_ mean: Int64, _ action: @escaping () -> Void) {
        world.after(random.integer(1...2 * mean)) { [self] in
            guard !isOver else { return }
            action()
            often(mean, action)
        }
    }

    /// A state that lasts for a time.
    private func lasting(_ range: ClosedRange<Int64>, begin: () -> Void, end: @escaping () -> Void) {
        let duration = random.integer(range)
        world.disturb(for: duration)
        begin()
        world.after(duration, end)
    }

    func begin() {
        chooseHabits()
        for _ in 0..<random.integer(1...6) { addRegistration() }
        people()
        if faults.contains(.server) { serverFaults() }
        if faults.contains(.names) { nameFaults() }
        if faults.contains(.network) { networkFaults() }
        if faults.contains(.nat) { natFaults() }
        if faults.contains(.clock) { clockFaults() }
        if faults.contains(.suspend), random.one(in: 2) { suspends() }
        if faults.contains(.disk) { diskFaults() }
        if faults.contains(.power) { powerCuts() }
        if faults.contains(.process) { processFaults() }
        hourly()
        if let change = world.plan.change {
            world.at(change.time) { [self] in world.networks[0].timeout = change.timeout }
        }
    }

    private func chooseHabits() {
        guard faults.contains(.server) else { return }
        var habits = ServerHabits()
        habits.isReference = random.one(in: 3)
        habits.syncsTime = !habits.isReference && !random.one(in: 4)
        habits.checksTime = habits.isReference || random.one(in: 2)
        habits.pingEvery = !habits.isReference && random.one(in: 5) ? random.integer(300...5_000) * 1_000 : 0
        habits.idleLimit = random.one(in: 2) ? 3_600_000 : 4 * Self.day
        habits.forgetsSets = random.one(in: 3)
        habits.lostPongs = random.one(in: 2) ? 20 : 0
        world.server.habits = habits
    }

    // MARK: People and senders

    private func people() {
        if !world.plan.isSilent {
            often(3 * Self.hour) { [self] in send() }
            often(7 * Self.day) { [self] in for _ in 0..<random.integer(10...90) { send() } }
            often(2 * Self.day) { [self] in changeRegistration() }
            // More than one transaction covers, and more than fits into the buffers.
            if random.one(in: 5) { often(25 * Self.day) { [self] in for _ in 0..<400 { send() } } }
        }
        often(Self.day) { [self] in
            machine.act { driver in
                do throws(StoreError) { _ = try driver.store.markAllRead() } catch { world.note("not marked read") }
            }
        }
    }

    private func send() {
        guard world.ledger.messages.count < 1_000, let key = keys.randomElement(using: &random) else { return }
        let kinds: [Message.Kind] = [.wrongKey, .unparsable, .oversize]
        var message = Message(kind: random.one(in: 20) ? kinds[Int(random.integer(0...2))] : .plain, key: key.key)
        if random.one(in: 6) { message.expires = world.unixTime + random.integer(10...20_000) }
        let number = world.ledger.add(message)
        world.ledger.messages[number].accepted = world.now
        let isAccepted = world.server.submit(number)
        if !isAccepted { world.ledger.messages[number].accepted = 0 }
        world.note("sent", Int64(number), isAccepted ? 1 : 0)
    }

    private func changeRegistration() {
        switch random.integer(0...3) {
        case 0, 1: addRegistration()
        case 2:
            change { store, bundle throws(StoreError) in
                _ = try store.setMuted(
                    self.random.one(in: 2), server: Driver.server.bytes, bundle: Array(bundle.utf8).span.bytes)
            }
        default:
            change { store, bundle throws(StoreError) in
                _ = try store.deleteRegistration(server: Driver.server.bytes, bundle: Array(bundle.utf8).span.bytes)
            }
        }
    }

    private func change(_ body: (Store, String) throws(StoreError) -> Void) {
        guard let key = keys.randomElement(using: &random) else { return }
        lastChange = world.now
        machine.act { driver in
            do throws(StoreError) {
                try body(driver.store, key.bundle)
                driver.registrationsChanged()
            } catch { world.note("registration not changed") }
        }
    }

    private func addRegistration() {
        bundles += 1
        lastChange = world.now
        let bundle = "org.example.\(bundles)"
        var key = [UInt8](repeating: UInt8(truncatingIfNeeded: bundles), count: 32)
        key[0] = UInt8(truncatingIfNeeded: random.next())
        machine.act { driver in
            do throws(StoreError) {
                let added = try driver.store.addRegistration(
                    server: Driver.server.bytes, bundle: Array(bundle.utf8).span.bytes, token: key.span.bytes,
                    routingKey: key.span.bytes, endToEndKey: key.span.bytes, at: world.unixTime)
                if added == .changed {
                    keys.append((key, bundle))
                    driver.registrationsChanged()
                }
            } catch { world.note("registration not added") }
        }
    }

    // MARK: Misfortune

    private func serverFaults() {
        let server = world.server!
        often(4 * Self.day) { [self] in
            let pause = random.integer(200...900_000)
            world.disturb(for: pause)
            server.restart(downFor: pause, politely: random.one(in: 2))
        }
        often(3 * Self.day) { [self] in
            lasting(10_000...7_200_000, begin: { server.isUnreachable = true }, end: { server.isUnreachable = false })
        }
        often(3 * Self.day) { [self] in
            lasting(
                60_000...7_200_000,
                begin: {
                    server.faults = ServerFaults(
                        slow: random.integer(0...5), silent: random.one(in: 2) ? random.integer(4...20) : 0,
                        drops: random.one(in: 2) ? random.integer(3...20) : 0,
                        nonsense: random.one(in: 3) ? 3 : 0)
                },
                end: { server.faults = ServerFaults() })
        }
        often(2 * Self.day) { [self] in
            server.faults.repeats = 2
            world.after(random.integer(0...Self.hour)) { server.faults.repeats = 0 }
        }
        often(3 * Self.day) { [self] in
            world.disturb(for: 1_000)
            for conversation in server.current {
                conversation.say(reason: .serverError, retryAfter: UInt32(random.integer(0...2_000)))
                conversation.end(reset: random.one(in: 2))
            }
        }
    }

    private func nameFaults() {
        let names: [Network.Names] = [.fail, .silent, .slow]
        often(2 * Self.day) { [self] in
            let network = world.networks[Int(random.integer(0...1))]
            lasting(
                10_000...7_200_000, begin: { network.names = names[Int(random.integer(0...2))] },
                end: { network.names = .answer })
        }
    }

    private func networkFaults() {
        often(Self.day) { [self] in
            let network = world.networks[Int(random.integer(0...1))]
            lasting(1_000...10_800_000, begin: { network.isDark = true }, end: { network.isDark = false })
        }
        often(2 * Self.day) { [self] in
            let network = world.networks[Int(random.integer(0...1))]
            lasting(
                1_000...10_800_000,
                begin: {
                    network.isDown = true
                    machine.act { $0.networkChanged() }
                },
                end: { [self] in
                    network.isDown = false
                    machine.act { $0.networkChanged() }
                })
        }
        often(3 * Self.day) { [self] in
            world.disturb(for: 1_000)
            world.active = world.active === world.networks[0] ? world.networks[1] : world.networks[0]
            world.note("swap", Int64(world.active?.index ?? -1))
            // The board is told, but for once in a while.
            if !random.one(in: 5) { machine.act { $0.networkChanged() } }
        }
        often(10 * Self.day) { [self] in
            let network = world.networks[Int(random.integer(0...1))]
            lasting(60_000...7_200_000, begin: { network.isCaptive = true }, end: { network.isCaptive = false })
        }
    }

    private func natFaults() {
        guard world.plan.change == nil else { return }
        often(12 * Self.day) { [self] in
            let network = world.networks[Int(random.integer(0...1))]
            world.disturb(for: 6 * Self.hour)
            network.timeout = random.integer(65...7_440) * 1_000
            world.note("timeout", network.timeout / 1_000)
        }
    }

    private func clockFaults() {
        often(5 * Self.day) { [self] in
            let error = random.one(in: 4) ? -world.unixTime : random.integer(-100_000...100_000)
            lasting(
                1_000...21_600_000, begin: { machine.clockError = error }, end: { [self] in machine.clockError = 0 })
            world.note("clock", error)
        }
    }

    private func suspends() {
        often(Self.day) { [self] in
            lasting(1_000...36_000_000, begin: { machine.sleep() }, end: { [self] in machine.awake() })
        }
    }

    private func diskFaults() {
        let disk = machine.disk
        often(4 * Self.day) { [self] in
            lasting(
                1_000...7_200_000,
                begin: {
                    disk.fault = DiskFault.allCases[Int(random.integer(1...4))]
                    disk.faultRate = random.integer(1...20)
                    world.note("disk", Int64(disk.fault.rawValue))
                }, end: { disk.fault = .none })
            if random.one(in: 2) { for _ in 0..<10 { send() } }
        }
    }

    private func powerCuts() {
        often(3 * Self.day) { [self] in
            if random.one(in: 4) { return machine.cut() }
            // At the n-th write or frame from now on; there will be some.
            machine.power.countdown = Int(random.integer(0...60))
            for _ in 0..<random.integer(0...8) { send() }
            if random.one(in: 4) { changeRegistration() }
        }
    }

    private func processFaults() {
        often(8 * Self.day) { [self] in
            world.disturb(for: 30_000)
            machine.kill()
        }
        often(8 * Self.day) { [self] in
            world.disturb(for: 30_000)
            machine.restart()
        }
        often(8 * Self.day) { [self] in machine.act { $0.reconnect() } }
    }

    // MARK: Calm

    private func hourly() {
        world.after(Self.hour) { [self] in
            machine.check()
            if machine.needsPerson {
                world.note("a person helps")
                world.disturb(for: 1_000)
                machine.act { $0.reconnect() }
            }
            checkCalm(isLast: false)
            hourly()
        }
    }

    /// Everything that is wrong ends.
    func end() {
        isOver = true
        world.note("calm")
        machine.power.countdown = nil
        machine.disk.fault = .none
        machine.clockError = 0
        machine.awake()
        world.server.faults = ServerFaults()
        world.server.isUnreachable = false
        for network in world.networks {
            network.isDark = false
            network.isDown = false
            network.isCaptive = false
            network.names = .answer
        }
        world.disturb(for: 0)
        machine.act { $0.networkChanged() }
    }

    /// Longer than any silence, delay and second try.
    private static let patience: Int64 = 80 * 60_000

    /// Nothing has been wrong for a while: board and server agree.
    func checkCalm(isLast: Bool) {
        guard isLast || world.now - world.calmFrom > Self.patience, machine.isRunning, let driver = machine.driver
        else {
            if isLast { world.broken(.delivered, "the board does not run in the end") }
            return
        }
        guard !machine.needsPerson else { return }
        world.countComparison()
        if world.now - machine.lastConnected > 660_000 {
            world.broken(.delivered, "not connected in a calm, \(driver.link.state.name)")
        }
        world.ledger.settle(before: world.now - Self.patience)
        if driver.link.state == .connected, world.now - lastChange > Self.patience { compareSets(driver) }
    }

    private func compareSets(_ driver: Driver) {
        guard let device = world.server.device else {
            return world.broken(.oneSet, "the server has no device")
        }
        var count = 0
        var isSame = true
        do throws(StoreError) {
            try driver.store.registrations(server: Driver.server.bytes) { row in
                count += 1
                guard let key = Blob<32>(row.routingKey) else { return true }
                var bytes: [UInt8] = []
                for index in 0..<32 { bytes.append(key[index]) }
                if device.set[bytes] != (row.isMuted ? 2 : 1) { isSame = false }
                return true
            }
        } catch { return }
        if !isSame || count != device.set.count {
            world.broken(.oneSet, "\(count) registrations on the board, \(device.set.count) on the server")
        }
    }
}
