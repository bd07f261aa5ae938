import CBoard

/// The command line of `skyglow-simulate`.
public enum SimulatorCommand {
    public static let usage = """
        usage: skyglow-simulate months N [--first-seed S] [--faults LIST] [--keep-going]
               skyglow-simulate run --seed S [--months N] [--faults LIST] [--trace]
               skyglow-simulate table

        months   simulates N months of a board, each by a seed of its own from S (1) on, and ends at the first
                 broken promise with the command that repeats it; --keep-going runs them all. Exit 1 if one broke.
        run      one simulation; --trace prints everything that happens, --mutant NAME makes the program or its
                 disk wrong in one way, to see that it is noticed
        table    keep-alive rules beside each other, 200 NAT timeouts, and ours on lines that are out for a moment.
                 Exit 1 if ours breaks a bound.

        The real session, keep-alive, backoff, registrations, delivery and store of the gateway run against a model
        of server, NAT, names, networks, clock, suspend, disk and power. One seed decides everything.

        --faults LIST  all (the default), none, or several with commas between:
                       \(Faults.named.map(\.name).joined(separator: ", "))
        --mutant NAME  \(Mutant.allCases.map(\.rawValue).joined(separator: ", "))

        """

    /// The exit status; nil for a mistake in the arguments.
    public static func run(_ arguments: [String]) -> Int32? {
        switch arguments.first {
        case "--help", "-h":
            print(usage, terminator: "")
            return 0
        case "table" where arguments.count == 1: return AcceptanceTable.printAll() ? 0 : 1
        case "run": return runOne(Array(arguments.dropFirst()))
        case "months": return runMonths(Array(arguments.dropFirst()))
        default: return nil
        }
    }

    private static func runOne(_ arguments: [String]) -> Int32? {
        var options = Options()
        guard options.read(arguments), options.count == nil, options.hasSeed else { return nil }
        let outcome = Simulation().run(options.plan)
        print(summary(outcome))
        guard let violation = outcome.violation else { return 0 }
        print(describe(violation, options.plan))
        return 1
    }

    private static func runMonths(_ arguments: [String]) -> Int32? {
        var options = Options()
        guard options.read(arguments), let count = options.count, !options.hasSeed, !options.plan.isTraced else {
            return nil
        }
        let simulation = Simulation()
        let begun = milliseconds(of: CLOCK_MONOTONIC)
        // Of the processor: what else the machine does must not count.
        var worked: Int64 = 0
        var totals = Outcome()
        var broken = 0
        var slowest: (time: Int64, seed: UInt64) = (0, 0)
        for index in 0..<count {
            var plan = options.plan
            plan.seed = options.firstSeed &+ UInt64(index)
            let start = milliseconds(of: CLOCK_PROCESS_CPUTIME_ID)
            let outcome = simulation.run(plan)
            let duration = milliseconds(of: CLOCK_PROCESS_CPUTIME_ID) - start
            worked += duration
            if duration > slowest.time { slowest = (duration, plan.seed) }
            totals.add(outcome)
            if let violation = outcome.violation {
                broken += 1
                clearLine()
                print(describe(violation, plan))
                guard options.keepsGoing else { return 1 }
            }
            if (index + 1) % 20 == 0 { progress(index + 1, count, milliseconds(of: CLOCK_MONOTONIC) - begun) }
        }
        clearLine()
        let elapsed = milliseconds(of: CLOCK_MONOTONIC) - begun
        print(
            """
            \(count) months from seed \(options.firstSeed), \(broken) with a broken promise; \
            \(tenths(elapsed, 1_000)) s; processor time \(tenths(worked, max(Int64(count), 1))) ms each, \
            slowest \(slowest.time) ms (seed \(slowest.seed))
            """)
        print(summary(totals))
        return broken == 0 ? 0 : 1
    }

    private static func describe(_ violation: Violation, _ plan: Plan) -> String {
        """
        seed \(plan.seed): BROKEN: \(violation.invariant.rawValue)
          \(Trace.clock(violation.time))  \(violation.text)
          again: skyglow-simulate run \(Options.text(plan)) --trace
        """
    }

    private static func summary(_ outcome: Outcome) -> String {
        """
        \(outcome.messages) messages, \(outcome.shown) shown; \(outcome.logins) logins, \
        \(outcome.forgotten) connections forgotten by a NAT; \(outcome.boots) starts, \(outcome.writes) disk operations, \
        \(outcome.comparisons) comparisons in a calm
        """
            + (outcome.hash == 0
                ? "" : "\ninterval \(outcome.interval / 1_000) s, \(outcome.stage.name); trace \(hex(outcome.hash))")
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: Progress

    private static func progress(_ done: Int, _ count: Int, _ elapsed: Int64) {
        guard isatty(2) == 1 else { return }
        show("\r\(done) of \(count) months, \(elapsed / 1_000) s ")
    }

    private static func clearLine() {
        if isatty(2) == 1 { show("\r\u{1B}[K") }
    }

    private static func show(_ text: String) {
        text.withCString { _ = write(2, $0, strlen($0)) }
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func tenths(_ value: Int64, _ unit: Int64) -> String {
        let tenths = value * 10 / unit
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// What the command line asks for.
struct Options {
    var plan = Plan(seed: 1)
    var count: Int?
    var hasSeed = false
    var firstSeed: UInt64 = 1
    var keepsGoing = false

    /// False for a mistake.
    mutating func read(_ arguments: [String]) -> Bool {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--trace": plan.isTraced = true
            case "--keep-going": keepsGoing = true
            case "--seed", "--first-seed", "--months", "--faults", "--mutant":
                guard let value = rest.popFirst(), set(argument, value) else { return false }
            default:
                guard count == nil, let number = Int(argument), number > 0 else { return false }
                count = number
            }
        }
        return true
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "--seed":
            guard let seed = UInt64(value) else { return false }
            plan.seed = seed
            hasSeed = true
        case "--first-seed":
            guard let seed = UInt64(value) else { return false }
            firstSeed = seed
        case "--months":
            guard let months = Int64(value), (1...1_200).contains(months) else { return false }
            plan.months = months
        case "--faults":
            guard let faults = Self.faults(value) else { return false }
            plan.faults = faults
        default:
            guard let mutant = Mutant(rawValue: value) else { return false }
            plan.mutant = mutant
        }
        return true
    }

    private static func faults(_ text: String) -> Faults? {
        if text == "all" { return .all }
        if text == "none" { return [] }
        var faults: Faults = []
        for name in text.split(separator: ",") {
            guard let known = Faults.named.first(where: { $0.name == name }) else { return nil }
            faults.insert(known.fault)
        }
        return faults
    }

    /// What repeats a simulation.
    static func text(_ plan: Plan) -> String {
        var text = "--seed \(plan.seed)"
        if plan.months != 1 { text += " --months \(plan.months)" }
        if plan.faults != .all {
            let names = Faults.named.filter { plan.faults.contains($0.fault) }.map(\.name)
            text += " --faults " + (names.isEmpty ? "none" : names.joined(separator: ","))
        }
        if let mutant = plan.mutant { text += " --mutant \(mutant.rawValue)" }
        return text
    }
}

extension Outcome {
    /// Several simulations together.
    mutating func add(_ other: Outcome) {
        messages += other.messages
        shown += other.shown
        boots += other.boots
        logins += other.logins
        forgotten += other.forgotten
        writes += other.writes
        comparisons += other.comparisons
    }
}
