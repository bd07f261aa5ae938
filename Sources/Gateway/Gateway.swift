import Bytes
import CBoard
import Loop
import Panel
import SGP
import Store

/// Everything of one running gateway, and its loop: one thread, one `poll`, nothing that waits on the network.
final class Gateway {
    var configuration: Configuration
    let configurationPath: String
    let store: Store
    let log: Log
    let control: ControlSocket
    let clock = SystemClock()
    /// What of the time the server has said; another server begins anew.
    var timekeeper: Timekeeper
    var uplink: Uplink?
    let opener: SealedOpener
    var relay: RelayService?
    /// Of relays that a reload has replaced.
    var relayCounters = RelayCounters()
    var panel: Panel
    let found: FoundLights
    let hooks: Hooks
    let outlets: Outlets
    var memory = Memory()
    let monitor = NetworkMonitor()
    var isStopping = false
    /// An uplink that could not be made upon a reload, and when that is tried again.
    var postponed: (settings: UplinkSettings, routing: Routing, due: Int64)?
    /// The step of `panel test` at hand, and when the next one begins.
    var testStep: (index: Int, until: Int64)?
    private let lock: StateLock
    private let signals: Signals
    private var manager: ServiceManager
    private var poll = PollSet(capacity: Limits.pollSlots)
    var shownLink: LinkState?
    private var reportedProblems: UInt32 = 0
    private var reportedFailure: Int32 = 0

    /// Opens nothing but takes what `Startup` has opened.
    init(_ parts: consuming Startup.Parts) {
        configuration = parts.configuration
        configurationPath = parts.configurationPath
        lock = parts.lock
        store = parts.store
        log = parts.log
        control = parts.control
        signals = parts.signals
        uplink = parts.uplink
        opener = parts.opener
        relay = parts.relay
        timekeeper = parts.timekeeper
        outlets = parts.outlets
        manager = ServiceManager(now: SystemClock().now)
        found = FoundLights(directory: parts.configuration.runtime, boot: BootIdentifier.current)
        panel = Panel(parts.configuration.panel, found: found, now: SystemClock().now)
        hooks = Hooks(parts.configuration.routes, store: parts.store, log: parts.log)
    }

    /// Runs until a signal or `skyglowd stop`.
    func run() -> ExitCode {
        let begin = clock.now
        uplink?.monitor = monitor
        uplink?.start(now: begin)
        refreshMessageLight(now: begin)
        log.notice(.gateway, "skyglowd \(Version.number) \(Version.target) is ready")
        manager.ready()
        memory.markReady()
        while !isStopping {
            advance()
            guard !isStopping else { break }
            do throws(SystemError) { try wait(now: clock.now) } catch {
                log.error(.gateway, "\(error.text)")
                return .inputOutput
            }
        }
        shutDown()
        return .ok
    }

    private func advance() {
        takeSignals(now: clock.now)
        takeNetworkChanges(now: clock.now)
        // After what may have taken long, and both at once: what passes between the two looks like a clock that was set.
        let (now, wall) = clock.both
        if timekeeper.observe(now: now, wall: wall) { uplink?.clockWasSet(now: now) }
        retryUplink(now: now)
        uplink?.advance(now: now, unixTime: wall / 1_000)
        relay?.advance(now: now, moment: timekeeper.moment(now: now), wall: wall)
        takeNews(now: now)
        hooks.advance(now: now)
        outlets.advance(now: now)
        let control = control
        control.advance(now: now) { request, answer in
            self.answer(request, into: &answer, now: now)
        }
        showLink(now: now)
        takePresses(now: now)
        advanceTest(now: now)
        if let deadline = panel.deadline, now >= deadline { panel.tick(now: now, wall: clock.unixMilliseconds) }
        logPanelProblems()
        manager.sign(now: now)
    }

    /// Sleeps until something happens or is due.
    private func wait(now: Int64) throws(SystemError) {
        poll.removeAll()
        poll.add(signals.raw, events: POLLIN)
        control.register(in: &poll)
        uplink?.register(in: &poll)
        monitor.register(in: &poll)
        panel.forEachDescriptor { poll.add($0, events: POLLIN) }
        relay?.register(in: &poll)
        hooks.register(in: &poll, now: now)
        outlets.register(in: &poll)
        let due = min(
            uplink?.deadline(now: now) ?? .max, panel.deadline ?? .max, control.deadline, testStep?.until ?? .max,
            manager.deadline, postponed?.due ?? .max, hooks.deadline(now: now), outlets.deadline, monitor.deadline,
            relay?.deadline(now: now) ?? .max)
        // The clock may stand between two milliseconds: one more, so that the deadline has passed when poll returns.
        let milliseconds = due == .max ? -1 : due <= now ? 0 : Int32(clamping: due - now + 1)
        try poll.wait(milliseconds: milliseconds)
        relay?.collect(poll)
    }

    private func shutDown() {
        let now = clock.now
        manager.stopping()
        stopUplink(now: now)
        relay?.save()
        hooks.stop()
        outlets.advance(now: now)
        panel.shutdown(wall: clock.unixMilliseconds)
        log.notice(.gateway, "stopped")
        log.flush()
        control.remove()
    }

    /// Waits until the server has taken notice, a second at most.
    private func stopUplink(now: Int64) {
        guard let uplink else { return }
        uplink.stop(now: now)
        while uplink.isClosing {
            poll.removeAll()
            uplink.register(in: &poll)
            let left = uplink.deadline(now: clock.now) - clock.now
            do throws(SystemError) { try poll.wait(milliseconds: Int32(clamping: max(left + 1, 0))) } catch { return }
            uplink.advance(now: clock.now, unixTime: clock.unixTime)
        }
    }

    // MARK: Networks

    private func takeNetworkChanges(now: Int64) {
        while let change = monitor.next(now: now) {
            switch change {
            case .network:
                log.info(.link, "the network changed")
                uplink?.networkChanged(now: now)
            case .wake(let milliseconds):
                log.notice(.clock, "awake after \(milliseconds / 1_000) s of suspend")
                uplink?.woke(now: now)
            // Every turn compares the clocks: this one only had to begin.
            case .clock: break
            }
        }
    }

    // MARK: Signals

    private func takeSignals(now: Int64) {
        while let signal = signals.next() {
            switch signal {
            case SIGTERM, SIGINT:
                log.notice(.gateway, "asked to stop by signal \(signal)")
                isStopping = true
            case SIGHUP: reload(now: now)
            case SIGUSR1: dump(now: now)
            case SIGUSR2: reconnect(now: now)
            default: break
            }
        }
    }

    func reconnect(now: Int64) {
        log.notice(.gateway, "asked to reconnect")
        uplink?.reconnect(now: now)
    }

    /// How things stand, into the log.
    private func dump(now: Int64) {
        var text = ByteBuffer(capacity: Limits.controlAnswer)
        text.append(text: report(now: now), now: clock.unixTime)
        var begin = 0
        for index in 0..<text.count where text.pointer[index] == UInt8(ascii: "\n") {
            let line = UnsafeRawBufferPointer(rebasing: text.pointer[begin..<index])
            log.answer(.notice, .gateway, "\(printable: line)")
            begin = index + 1
        }
    }

    // MARK: Lights

    private func takeNews(now: Int64) {
        var news = uplink?.news ?? Uplink.News()
        if let more = relay?.news {
            news.inboxChanged = news.inboxChanged || more.inboxChanged
            news.beeps = max(news.beeps, more.beeps)
        }
        guard news.inboxChanged else { return }
        uplink?.news = Uplink.News()
        relay?.news = Uplink.News()
        hooks.wake()
        refreshMessageLight(now: now)
        panel.beep(news.beeps, now: now, wall: clock.unixMilliseconds)
    }

    /// The light is a function of the unread rows.
    func refreshMessageLight(now: Int64) {
        do throws(StoreError) {
            let unread = LightSet(try store.unreadLights())
            guard testStep == nil else { return }
            panel.setLight(.message, Lights.message(unread: unread), now: now, wall: clock.unixMilliseconds)
        } catch { report(error) }
    }

    private func showLink(now: Int64) {
        let state = uplink?.link.state ?? .unconfigured
        guard state != shownLink, testStep == nil else { return }
        shownLink = state
        manager.status(state.name)
        panel.setLight(.link, Lights.link(state), now: now, wall: clock.unixMilliseconds)
    }

    private func takePresses(now: Int64) {
        while let press = panel.nextPress(now: now) {
            act(press == .short ? configuration.panel.press : configuration.panel.hold, now: now)
        }
    }

    private func act(_ action: ButtonAction, now: Int64) {
        switch action {
        case .readAll:
            log.notice(.panel, "button: everything counts as read")
            do throws(StoreError) { _ = try store.markAllRead() } catch { report(error) }
            refreshMessageLight(now: now)
        case .panelTest:
            log.notice(.panel, "button: panel test")
            if testStep == nil { beginTestStep(0, now: now) }
        case .reconnect:
            log.notice(.panel, "button: reconnect")
            reconnect(now: now)
        case .none: break
        }
    }

    private func logPanelProblems() {
        if found.failure != reportedFailure {
            reportedFailure = found.failure
            if found.failure != 0 {
                log.warning(.panel, "what the LEDs showed before cannot be written down: \(errno: found.failure)")
            }
        }
        guard panel.problemChanges != reportedProblems else { return }
        reportedProblems = panel.problemChanges
        panel.forEachProblem { role, output, problem in
            log.warning(.panel, "\(role.name) \(output): \(printable: problem)")
        }
    }

    private func advanceTest(now: Int64) {
        guard let step = testStep, now >= step.until else { return }
        beginTestStep(step.index + 1, now: now)
    }

    /// One output after the other; then the lights show again what is.
    func beginTestStep(_ index: Int, now: Int64) {
        if let step = panel.beginTest(index, now: now, wall: clock.unixMilliseconds) {
            log.info(.panel, "test: \(step.role.name) \(step.label)")
            testStep = (index, now + step.duration)
            return
        }
        testStep = nil
        shownLink = nil
        panel.endTest(now: now, wall: clock.unixMilliseconds)
        refreshMessageLight(now: now)
    }

    func report(_ error: StoreError) {
        var text = ByteBuffer(capacity: Limits.logLine)
        error.describe(into: &text)
        log.error(.store, "\(printable: text.pointer)")
    }
}
