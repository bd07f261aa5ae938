import Bytes
import CBoard
import Gateway
import SGP
import Store

/// The board itself: power, disk and clocks, and the program while it runs.
final class Machine {
    unowned(unsafe) let world: World
    let power = Power()
    let disk: Disk
    private let vfs: DiskVFS
    private let directory: String
    private(set) var driver: Driver?
    private(set) var isAsleep = false
    private var asleepSince: Int64 = 0
    private var bootedAt: Int64 = 0
    /// Seconds by which the wall clock is ahead.
    var clockError: Int64 = 0 {
        didSet { wake() }
    }
    /// What the program has kept of the server's time, and of which boot.
    var keptClock: (saved: ServerClock.Saved, boot: Int64)?
    private var nextTurn = Int64.max
    private var sameTime: (time: Int64, count: Int) = (0, 0)
    private var lastHeard: Int64 = 0
    private(set) var lastConnected: Int64 = 0
    private(set) var boots = 0
    private var seeds: SeededRandom
    private var isTurning = false

    init(world: World, directory: String, seed: UInt64) {
        self.world = world
        self.directory = directory
        seeds = SeededRandom(seed: seed)
        disk = Disk(seed: seed, power: power)
        disk.liesAboutSync = world.plan.mutant == .disk
        disk.rots = world.plan.mutant == .rots
        vfs = DiskVFS(name: "simulated-\(directory)", disk: disk)
    }

    var isRunning: Bool { driver != nil && !isAsleep }
    var unixTime: Int64 { world.unixTime + clockError }
    /// The board can know what time it is: its clock is right, or the server has told it.
    var knowsTime: Bool { driver?.knowsTime == true || (clockError == 0 && driver?.clock.offset == 0) }

    /// The store goes before the disk.
    func close() { driver = nil }

    // MARK: On and off

    func boot() {
        guard driver == nil else { return }
        power.restore()
        boots += 1
        if bootedAt == 0 || boots == 1 { bootedAt = world.now - 10_000 }
        world.note("boot", Int64(boots))
        do throws(StoreError) {
            let store = try Store.open(directory: directory, vfs: vfs.name)
            let driver = try Driver(
                world: world, store: store, keepAlive: world.plan.keepAlive, bootedAt: bootedAt, seed: seeds.next())
            guard !power.isOff else { return fall() }
            world.ledger.reconcile(store)
            self.driver = driver
        } catch {
            world.note("store does not open", Int64(error.failure.code))
            world.trace.say(world.now, error.text)
            if power.isOff { return fall() }
            if disk.fault == .none { world.broken(.store, error.text) }
            return world.after(10_000) { [self] in boot() }
        }
        heard()
        world.watch.booted()
        act { $0.start() }
    }

    /// The power fails now.
    func cut() {
        guard !power.isOff else { return }
        power.cut()
        fall()
    }

    /// The power has failed.
    private func fall() {
        world.note("power fails")
        world.disturb(for: 600_000)
        driver?.line?.isOrphan = true
        driver = nil
        isAsleep = false
        bootedAt = 0
        world.watch.gone()
        disk.settle()
        world.after(world.random.integer(500...600_000)) { [self] in
            bootedAt = world.now - 10_000
            world.clockStarts()
            boot()
        }
    }

    /// The process is killed: what it has written is there, and its connections are closed.
    func kill() {
        guard isRunning else { return }
        world.note("killed")
        driver?.line?.close()
        driver = nil
        world.watch.gone()
        world.after(5_000) { [self] in boot() }
    }

    /// Stops and starts again.
    func restart() {
        guard isRunning else { return }
        world.note("restart")
        act { $0.stop() }
        world.after(2_000) { [self] in
            guard driver != nil else { return }
            driver = nil
            world.watch.gone()
            boot()
        }
    }

    func sleep() {
        guard driver != nil, !isAsleep else { return }
        world.note("sleeps")
        isAsleep = true
        asleepSince = world.now
    }

    func awake() {
        guard isAsleep else { return }
        world.note("wakes")
        isAsleep = false
        let duration = world.now - asleepSince
        lastHeard += duration
        lastConnected += duration
        world.watch.slept(duration)
        nextTurn = .max
        act { $0.woke() }
    }

    // MARK: Turns of the loop

    /// Something has happened that the program waits for.
    func wake() {
        guard isRunning, nextTurn > world.now else { return }
        schedule(world.now)
    }

    private func schedule(_ time: Int64) {
        guard time < nextTurn else { return }
        nextTurn = time
        world.at(time) { [self] in
            guard nextTurn == time else { return }
            nextTurn = .max
            act { $0.advance() }
        }
    }

    /// The program does something; then it waits.
    func act(_ body: (Driver) -> Void) {
        guard isRunning, let driver, !isTurning else { return }
        isTurning = true
        body(driver)
        isTurning = false
        guard !power.isOff else { return fall() }
        check(driver)
        let due = driver.deadline
        if due != .max { schedule(due + bootedAt) }
        if driver.line?.hasArrived == true, driver.link.state != .stopping { schedule(world.now) }
    }

    func heard() { lastHeard = world.now }

    /// A connection ends: until now there was one.
    func connectionEnds() { if driver?.link.state == .connected { lastConnected = world.now } }

    // MARK: What must hold

    private var isStopped: Bool {
        switch driver?.link.state {
        case .authRefused, .versionRefused, .stopping, nil: true
        default: false
        }
    }

    /// Only a person can help.
    var needsPerson: Bool { isStopped && isRunning && driver?.link.state != .stopping }

    func check() {
        guard isRunning, let driver else { return }
        check(driver)
    }

    private func check(_ driver: Driver) {
        let settings = world.plan.keepAlive
        if sameTime.time == world.now { sameTime.count += 1 } else { sameTime = (world.now, 0) }
        if sameTime.count > 2_000 { world.broken(.noSpin, "\(sameTime.count) turns within a millisecond") }
        world.watch.check()
        let isConnected = driver.link.state == .connected
        if isConnected { lastConnected = world.now }
        if !isStopped {
            let due = driver.deadline
            let longest = isConnected ? settings.maximum : Limits.backoff + 5_000
            if due == .max {
                world.broken(.deadline, "no deadline while \(driver.link.state.name)")
            } else if due - driver.now > longest {
                world.broken(.deadline, "a deadline in \(due - driver.now) ms while \(driver.link.state.name)")
            }
        }
        if isConnected, world.now - lastHeard > settings.maximum + settings.pongTimeout + 2_000 {
            world.broken(.notDeaf, "connected after \((world.now - lastHeard) / 1_000) s of silence")
        }
        let interval = driver.exchange.session.keepAlive.interval
        if interval < min(KeepAlive.floor, settings.minimum) || interval > settings.maximum {
            world.broken(.keepAlive, "an interval of \(interval) ms")
        }
    }
}
