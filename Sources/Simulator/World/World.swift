import Bytes
import CBoard
import SGP

/// One simulated board, its networks and its server, in a time of its own. Everything follows from the seed.
final class World {
    let plan: Plan
    let trace: Trace
    private let agenda = Agenda()
    var random: SeededRandom
    private(set) var networks: [Network] = []
    /// The network that the board is in.
    var active: Network?
    private(set) var server: Server!
    private(set) var ledger: Ledger!
    private(set) var watch: BackoffWatch!
    private(set) var machine: Machine!
    private(set) var violation: Violation?
    private var lines = 0
    /// When the last disturbance is over.
    private(set) var calmFrom: Int64 = 0
    private(set) var outcome = Outcome()
    /// Unix seconds at the beginning: 2026.
    private static let epoch: Int64 = 1_767_225_600

    init(_ plan: Plan, directory: String) {
        self.plan = plan
        trace = Trace(isPrinted: plan.isTraced)
        var seeds = SeededRandom(seed: plan.seed)
        random = SeededRandom(seed: seeds.next())
        server = Server(world: self, seed: seeds.next())
        ledger = Ledger(world: self, salt: seeds.next())
        watch = BackoffWatch(world: self)
        machine = Machine(world: self, directory: directory, seed: seeds.next())
        makeNetworks()
        server.habits.lostPongs = plan.lostPongs
    }

    private func makeNetworks() {
        let hasNAT = plan.faults.contains(.nat)
        for index in 0..<2 {
            let kinds: [InterfaceKind] = [.ethernet, .wifi, .wwan]
            // A few minutes as often as hours.
            var timeout: Int64 = 65_000 * (1 << random.integer(0...6))
            timeout += random.integer(0...timeout)
            if index == 0, let given = plan.timeout { timeout = given }
            networks.append(
                Network(
                    index: index, kind: plan.timeout != nil ? .wifi : kinds[Int(random.integer(0...2))],
                    timeout: timeout, jitter: hasNAT ? random.integer(0...2) * 10 : 0, resets: random.one(in: 3),
                    latency: random.integer(5...150)))
        }
        active = networks[0]
    }

    // MARK: Time

    var now: Int64 { agenda.now }
    var unixTime: Int64 { Self.epoch + now / 1_000 }

    func at(_ time: Int64, _ action: @escaping () -> Void) { agenda.at(time, action) }
    func after(_ delay: Int64, _ action: @escaping () -> Void) { agenda.after(delay, action) }

    /// Runs until the end or the first broken invariant.
    func run() -> Outcome {
        let scenario = Scenario(world: self)
        machine.boot()
        scenario.begin()
        let end = plan.months * Plan.month
        while violation == nil, agenda.step(until: end) {}
        if violation == nil {
            scenario.end()
            while violation == nil, agenda.step(until: end + Scenario.settling) {}
            if violation == nil { scenario.checkCalm(isLast: true) }
        }
        agenda.removeAll()
        defer { close() }
        outcome.violation = violation
        outcome.hash = trace.hash
        outcome.messages = ledger.messages.count
        outcome.shown = ledger.shown
        outcome.boots = machine.boots
        outcome.writes = machine.disk.writes
        if let learner = machine.driver?.exchange.session.keepAlive {
            outcome.interval = learner.interval
            outcome.stage = learner.stage
        }
        return outcome
    }

    /// Lets go of what holds each other.
    private func close() {
        server.close()
        machine.close()
    }

    // MARK: What happens

    func note(_ what: StaticString, _ first: Int64 = 0, _ second: Int64 = 0) { trace.note(now, what, first, second) }

    func broken(_ invariant: Invariant, _ text: String) {
        guard violation == nil else { return }
        note("BROKEN")
        trace.say(now, "\(invariant.rawValue): \(text)")
        violation = Violation(invariant: invariant, time: now, text: text)
    }

    /// Nothing can be expected for so long.
    func disturb(for duration: Int64) { calmFrom = max(calmFrom, now + duration) }

    func heardBoard() { machine.heard() }

    func countForgotten() { outcome.forgotten += 1 }

    func ended(_ reason: EndReason, _ purpose: Purpose) {
        machine.connectionEnds()
        note("ended", purpose == .login ? 1 : 0)
        trace.say(now, "\(reason)")
        let isSilence =
            switch reason {
            case .timeout(.pong), .network(104): true
            default: false
            }
        if isSilence, now >= plan.change?.time ?? 0 { outcome.dead += 1 }
    }

    func countComparison() { outcome.comparisons += 1 }

    func loggedIn() { outcome.logins += 1 }

    /// The board has no battery for its clock: after a power cut it begins where it was left, until somebody tells it.
    func clockStarts() {
        guard plan.faults.contains(.clock) else { return }
        machine.clockError = -random.integer(0...100_000)
        after(random.integer(1_000...300_000)) { [self] in machine.clockError = 0 }
    }

    // MARK: The network

    /// The board asks for the server's address.
    func ask() {
        guard let network = active, !network.isDown else {
            return after(1) { [self] in answer(.failure) }
        }
        guard !network.isDark else { return }
        switch network.names {
        case .answer: after(2 * network.latency + 10) { [self] in answer(.address) }
        case .fail: after(2 * network.latency) { [self] in answer(.failure) }
        case .silent: break
        case .slow: after(random.integer(1_000...14_000)) { [self] in answer(.address) }
        }
    }

    private func answer(_ answer: Driver.Answer) {
        machine.driver?.answered(answer)
        machine.wake()
    }

    func connect() -> Line {
        watch.opens()
        lines += 1
        let network = active ?? networks[0]
        let line = Line(number: lines, network: network, world: self)
        if active == nil || network.isDown {
            after(1) { line.fail(.noNetwork(101)) }
        } else {
            after(2 * network.latency) { [self] in reach(line, pause: 1_000) }
        }
        return line
    }

    private func passes(_ line: Line) -> Bool {
        line.network.passes && active === line.network && !machine.isAsleep && !line.isOrphan
            && (!server.isUnreachable || line.network.isCaptive)
    }

    /// SYN and its answer.
    private func reach(_ line: Line, pause: Int64) {
        guard line.stage == .connecting, line.failure == nil else { return }
        guard passes(line) else { return after(pause) { [self] in reach(line, pause: 2 * pause) } }
        if server.isDown, !line.network.isCaptive { return line.fail(.network(111)) }
        line.stage = .handshaking
        machine.driver?.reached(.handshaking, line)
        machine.wake()
        after(4 * line.network.latency + 20) { [self] in secure(line) }
    }

    private func secure(_ line: Line) {
        guard line.stage == .handshaking, line.failure == nil else { return }
        guard passes(line) else { return after(1_000) { [self] in secure(line) } }
        if line.network.isCaptive { return line.fail(.pinMismatch) }
        if server.isDown { return line.fail(.network(104)) }
        if server.faults.drops > 0, random.one(in: 20) { return line.fail(.tls(1)) }
        line.stage = .open
        machine.driver?.reached(.open, line)
        server.accept(line)
        machine.wake()
    }
}
