import Bytes
import CBoard
import Loop
import Store

/// Runs the hooks of routes: one after the other for each route in the order of the notifications, at most
/// `Limits.hooks` at once. The queue is in the store, so nothing is lost with the process; a hook that was running when
/// its gateway died runs again.
final class Hooks {
    /// A route that has a hook.
    struct Lane {
        let name: [UInt8]
        let text: String
        let program: String
        let command: CommandWords
        /// Seconds before the second try; each later one waits twice as long.
        let retry: Int64
        /// The hook to run next, as far as is known.
        var next: Known = .unknown
        /// When the next may be tried again.
        var notBefore = Int64.min
        var isRunning = false

        enum Known: Equatable {
            case unknown, none
            case hook(NextHook)
        }
    }

    private let store: Store
    private let log: Log
    private let environment = HookEnvironment()
    private var lanes: [Lane] = []
    private let runs: UnsafeMutablePointer<HookRun>
    private let scratch = ByteBuffer(capacity: Limits.path)
    private var reason = ByteBuffer(capacity: Limits.hookReason)
    /// After an error of the store, when it is asked again.
    private var storeRetry = Int64.min
    private var wantsTurn = false

    init(_ routes: [Route], store: Store, log: Log) {
        self.store = store
        self.log = log
        runs = .allocate(capacity: Limits.hooks)
        for index in 0..<Limits.hooks { (runs + index).initialize(to: HookRun()) }
        replaceLanes(routes)
    }

    deinit {
        runs.deinitialize(count: Limits.hooks)
        runs.deallocate()
    }

    // MARK: What the gateway asks for

    /// Takes the routes of another configuration. What runs goes on; what waits for a second try is tried at once.
    func replace(_ routes: [Route]) { replaceLanes(routes) }

    /// Notifications with hooks may have come.
    func wake() {
        for index in lanes.indices where lanes[index].next == .none { lanes[index].next = .unknown }
    }

    /// Asks the hooks that run to end, waits a second for them and kills what is left. They run again with the next
    /// gateway, unless they ended well.
    func stop() {
        for index in 0..<Limits.hooks where !runs[index].isFree { runs[index].process.signal(SIGTERM) }
        for _ in 0..<100 where hasLiving {
            usleep(10_000)
            for index in 0..<Limits.hooks where runs[index].end == nil { runs[index].end = runs[index].process.end() }
        }
        for index in 0..<Limits.hooks where !runs[index].isFree {
            do throws(StoreError) {
                if runs[index].end == .exited(0) {
                    try store.hookEnded(runs[index].id, .done, reason: nil)
                } else {
                    try store.hookStopped(runs[index].id)
                }
            } catch { report(error) }
            runs[index].free()
        }
    }

    private var hasLiving: Bool {
        for index in 0..<Limits.hooks where !runs[index].isFree && runs[index].end == nil { return true }
        return false
    }

    // MARK: In the loop

    /// When `advance` must be called even if no descriptor is ready.
    func deadline(now: Int64) -> Int64 {
        if wantsTurn { return now }
        var earliest = Int64.max
        for index in 0..<Limits.hooks { earliest = min(earliest, runs[index].due(now: now)) }
        if storeRetry > now { earliest = min(earliest, storeRetry) }
        guard freeRun != nil else { return earliest }
        for lane in lanes where !lane.isRunning && lane.next != .none {
            earliest = min(earliest, max(lane.notBefore, storeRetry))
        }
        return earliest
    }

    func register(in set: inout PollSet, now: Int64) {
        for index in 0..<Limits.hooks { runs[index].register(in: &set, now: now) }
    }

    /// Goes on with whatever can go on. Not within a transaction.
    func advance(now: Int64) {
        wantsTurn = false
        for index in 0..<Limits.hooks where !runs[index].isFree {
            if runs[index].end == nil { tend(index, now: now) }
            if runs[index].end != nil, now >= storeRetry { record(index, now: now) }
        }
        while now >= storeRetry, let run = freeRun, let lane = nextLane(now: now) { start(lane, run, now: now) }
    }

    private func tend(_ index: Int, now: Int64) {
        runs[index].feed()
        let route = runs[index].route
        runs[index].drain(into: scratch, now: now) { logOutput($0, route) }
        if let end = runs[index].process.end() {
            runs[index].finishOutput(into: scratch) { logOutput($0, route) }
            runs[index].end = end
        } else if now >= runs[index].deadline {
            runs[index].process.signal(runs[index].timedOut ? SIGKILL : SIGTERM)
            runs[index].timedOut = true
            runs[index].deadline = now + Limits.hookGrace
        }
    }

    // MARK: Starting

    private var freeRun: Int? {
        for index in 0..<Limits.hooks where runs[index].isFree { return index }
        return nil
    }

    /// The route whose turn it is: the one with the oldest notification.
    private func nextLane(now: Int64) -> Int? {
        var best: Int?
        var oldest = Int64.max
        for index in lanes.indices where !lanes[index].isRunning && now >= lanes[index].notBefore {
            guard let hook = known(index, now: now), hook.id < oldest else { continue }
            oldest = hook.id
            best = index
        }
        return best
    }

    private func known(_ index: Int, now: Int64) -> NextHook? {
        if case .hook(let hook) = lanes[index].next { return hook }
        guard lanes[index].next == .unknown, now >= storeRetry else { return nil }
        do throws(StoreError) {
            let name = lanes[index].name
            let hook = try store.nextHook(route: name.span.bytes)
            lanes[index].next = hook.map { .hook($0) } ?? .none
            return hook
        } catch {
            postpone(error, now: now)
            return nil
        }
    }

    private func start(_ index: Int, _ run: Int, now: Int64) {
        guard case .hook(let hook) = lanes[index].next else { return }
        lanes[index].next = .unknown
        do throws(StoreError) {
            guard hook.tries < Limits.hookTries else { return try giveUp(hook, index) }
            // It went with its notification. Where a damaged store still has it, asking again would never end.
            guard try load(hook.id, run) else {
                return try store.hookEnded(hook.id, .dead, reason: "its notification is gone".utf8Span.span.bytes)
            }
            try store.hookStarts(hook.id)
        } catch { return postpone(error, now: now) }
        runs[run].route = index
        runs[run].id = hook.id
        runs[run].tries = hook.tries + 1
        lanes[index].isRunning = true
        log.debug(.hook, "\(lanes[index].text): started for \(hook.id), try \(hook.tries + 1)")
        do throws(SystemError) {
            let process = try ChildProcess(lanes[index].command, environment: UnsafePointer(environment.pointer))
            runs[run].begin(process, now: now)
            runs[run].feed()
        } catch {
            log.warning(.hook, "\(lanes[index].text): \(error.call) failed")
            runs[run].fail(.notStarted(error.code))
            wantsTurn = true
        }
    }

    /// The notification into the run's input and the environment. False where it has left the inbox.
    private func load(_ id: Int64, _ run: Int) throws(StoreError) -> Bool {
        runs[run].input.removeAll()
        return try store.notification(id) { row in
            environment.set(.bundle, row.bundle)
            environment.set(.title, row.title)
            environment.set(.body, row.body)
            environment.setMessageID(row.messageID)
            runs[run].input.append(json: row)
            runs[run].input.append("\n")
        }
    }

    /// Started as often as may be and never seen to end: each time its gateway died first.
    private func giveUp(_ hook: NextHook, _ index: Int) throws(StoreError) {
        reason.removeAll()
        reason.append("the gateway ended ")
        reason.append(decimal: hook.tries)
        reason.append(" times while it ran")
        try store.hookEnded(hook.id, .dead, reason: reason.pointer.bytes)
        log.warning(.hook, "\(lanes[index].text): given up for \(hook.id): \(printable: reason.pointer)")
    }

    // MARK: Ends

    /// Makes the end of a run durable and frees it.
    private func record(_ index: Int, now: Int64) {
        guard let end = runs[index].end else { return }
        let (id, tries, lane) = (runs[index].id, runs[index].tries, runs[index].route)
        let program = lane >= 0 ? lanes[lane].program : ""
        var outcome = HookOutcome(
            end, timedOut: runs[index].timedOut, program: program, tries: tries, reason: &reason)
        if outcome == .retry, lane < 0 {
            reason.append(", and its route has no hook any more")
            outcome = .dead
        }
        let state: HookState = outcome == .done ? .done : outcome == .retry ? .waiting : .dead
        do throws(StoreError) {
            try store.hookEnded(id, state, reason: outcome == .done ? nil : reason.pointer.bytes)
        } catch { return postpone(error, now: now) }
        runs[index].free()
        guard lane >= 0 else { return wake() }
        lanes[lane].isRunning = false
        lanes[lane].next = .unknown
        let name = lanes[lane].text
        switch outcome {
        case .done: log.info(.hook, "\(name): done for \(id)")
        case .dead: log.warning(.hook, "\(name): given up for \(id): \(printable: reason.pointer)")
        case .retry:
            let delay = lanes[lane].retry << Int64(tries - 1)
            lanes[lane].notBefore = now + delay * 1_000
            log.notice(.hook, "\(name): again for \(id) in \(delay) s: \(printable: reason.pointer)")
        }
    }

    private func postpone(_ error: StoreError, now: Int64) {
        storeRetry = now + 1_000
        report(error)
    }

    private func report(_ error: StoreError) {
        var text = ByteBuffer(capacity: Limits.logLine)
        error.describe(into: &text)
        log.error(.store, "\(printable: text.pointer)")
    }

    /// Each route has a rate of its own: the line of the program that the log counts by is the route's.
    private func logOutput(_ output: HookOutput, _ lane: Int) {
        let name = lane >= 0 ? lanes[lane].text : "(gone)"
        let place = UInt32(10_000 + max(lane, 0))
        switch output {
        case .line(let line): log.info(.hook, "\(name): \(printable: line)", line: place)
        case .tooMuch:
            log.warning(.hook, "\(name): more than \(Limits.hookOutput) bytes of output: the rest is dropped")
        }
    }

    // MARK: Routes

    private func replaceLanes(_ routes: [Route]) {
        var next: [Lane] = []
        for route in routes where !route.hook.isEmpty {
            next.append(
                Lane(
                    name: Array(route.name.utf8), text: route.name, program: route.hook[0],
                    command: CommandWords(route.hook), retry: Int64(route.retry)))
        }
        for index in 0..<Limits.hooks where !runs[index].isFree && runs[index].route >= 0 {
            let name = lanes[runs[index].route].name
            runs[index].route = next.firstIndex { $0.name == name } ?? -1
            if runs[index].route >= 0 { next[runs[index].route].isRunning = true }
        }
        lanes = next
        buryOrphans()
    }

    /// Hooks of routes that are gone, or have no hook any more, are given up.
    private func buryOrphans() {
        var gone: [[UInt8]] = []
        do throws(StoreError) {
            try store.openHookRoutes { name in
                for lane in lanes {
                    let known = lane.name
                    if known.span.bytes.equals(name) { return true }
                }
                gone.append(name.withUnsafeBytes { Array($0) })
                return true
            }
            for name in gone {
                reason.removeAll()
                reason.append("its route has no hook any more")
                let count = try store.buryHooks(route: name.span.bytes, reason: reason.pointer.bytes)
                log.warning(.hook, "\(printable: name.span.bytes): \(count) given up: \(printable: reason.pointer)")
            }
        } catch { report(error) }
    }
}
