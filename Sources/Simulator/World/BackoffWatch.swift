import SGP

/// When the board may try again, calculated apart from its own code (SGP v2 §9).
final class BackoffWatch {
    unowned(unsafe) let world: World
    /// Failures in a row.
    private var failures: Int64 = 0
    private var plannedEnds = 0
    private var nameFailures: Int64 = 0
    /// Connections in a row that ended because nothing could be written.
    private var storeFailures: Int64 = 0
    /// The earliest and the latest time of the next attempt; nil while one is under way, or where none will follow.
    private var window: ClosedRange<Int64>?
    private var recent: [Int64] = []
    /// Connections of the board that are open or being opened.
    private var open = 0

    init(world: World) { self.world = world }

    /// The loop may be this late.
    private static let slack: Int64 = 1_500

    /// The program starts, a person asks, or the network changes: at once is right, and failures are forgotten.
    func anew(mayKick: Bool = false) {
        failures = 0
        plannedEnds = 0
        nameFailures = 0
        if window != nil || mayKick { window = 0...world.now + Self.slack }
    }

    /// A person asks: a disk may have been cleared as well.
    func personHelps() { storeFailures = 0 }

    /// Something has become durable.
    func wrote() { storeFailures = 0 }

    func booted() {
        failures = 0
        plannedEnds = 0
        nameFailures = 0
        storeFailures = 0
        open = 0
        window = world.now...world.now + Self.slack
    }

    func gone() {
        open = 0
        window = nil
    }

    /// Nothing is done while the board sleeps.
    func slept(_ duration: Int64) {
        if let expected = window { window = expected.lowerBound...expected.upperBound + duration }
    }

    func attempts() {
        let now = world.now
        if let expected = window {
            if now < expected.lowerBound {
                let early = expected.lowerBound - now
                world.broken(.backoff, "an attempt \(early) ms before its time, \(count)")
            }
            if now > expected.upperBound {
                world.broken(.backoff, "an attempt \(now - expected.upperBound) ms after its time, \(count)")
            }
        } else {
            world.broken(.backoff, "an attempt that nothing calls for")
        }
        window = nil
        recent.append(now)
        recent.removeAll { $0 < now - 60_000 }
        if recent.count > 60 { world.broken(.noSpin, "\(recent.count) attempts within a minute") }
    }

    private var count: String { "failure \(failures), \(storeFailures) of the store" }

    func loggedIn() {
        failures = 0
        plannedEnds = 0
        nameFailures = 0
    }

    func ended(_ reason: EndReason, _ purpose: Purpose) {
        let now = world.now
        guard window == nil else { return }
        switch reason {
        case .registered, .registrationsChanged, .requested, .networkChanged, .clockSet:
            nameFailures = 0
            plannedEnds += 1
            // At once; a server that keeps causing them counts as one that fails.
            if plannedEnds > 3 { return failed(retryAfter: 0) }
            window = now...now + Self.slack
        case .stopped: window = nil
        // Names have a short delay of their own.
        case .resolverFailed:
            nameFailures += 1
            let delay: Int64 = nameFailures <= 5 ? 2_000 : min(2_000 << min(nameFailures - 5, 5), 60_000)
            window = now + delay...now + delay + 1_000 + Self.slack
        case .disconnected(let code, let retryAfter):
            if code == 5 || (code == 1 && purpose == .login) {
                failures += 1
                window = nil
            } else {
                failed(retryAfter: Int64(retryAfter))
            }
        // A login says nothing of the disk, so these are counted apart from all else.
        case .store(.burst, _), .store(.address, _):
            nameFailures = 0
            storeFailures += 1
            waits(after: storeFailures, retryAfter: 0)
        default: failed(retryAfter: 0)
        }
    }

    private func failed(retryAfter: Int64) {
        failures += 1
        nameFailures = 0
        waits(after: failures, retryAfter: retryAfter)
    }

    private func waits(after failures: Int64, retryAfter: Int64) {
        let doubled: Int64 = failures > 12 ? 600_000 : 1_000 << failures
        let least = max(min(doubled, 600_000), min(retryAfter * 1_000, 600_000))
        let most = max(min(doubled + 5_000, 600_000), min(retryAfter * 1_000, 600_000))
        window = world.now + least...world.now + most + Self.slack
    }

    /// At every step: an attempt that is overdue.
    func check() {
        guard let expected = window, world.now > expected.upperBound, world.machine.isRunning else { return }
        world.broken(.backoff, "no attempt \(world.now - expected.upperBound) ms after its time, \(count)")
        window = nil
    }

    func opens() {
        open += 1
        if open > 1 { world.broken(.oneConnection, "\(open) connections at once") }
    }

    func closes() { open = max(open - 1, 0) }
}
