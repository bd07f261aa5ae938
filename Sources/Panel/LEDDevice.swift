import Bytes
import CBoard

/// `led:NAME`: a light of the kernel's LED class. Blinks of one length are left to the kernel's `timer` trigger and other
/// patterns to its `pattern` trigger, where it has them, so that blinking wakes nobody; the rest is switched by deadline.
///
/// A trigger makes files of its own, and udev may need a moment to make them writable: until `Limits.ledPatience` has
/// passed, the trigger blinks as it does by itself.
final class LEDDevice: Device {
    private let root: String
    private let names: [String]
    /// The directory, then whatever file of it was named last, then NUL.
    private var path = ByteBuffer(capacity: Limits.path)
    private var directory = 0
    private var triggers = TriggerList()
    private var times = ByteBuffer(capacity: Limits.ledPattern)

    private var brightness: Int32 = -1
    private var trigger: Int32 = -1
    private var full = Blob<16>()
    private var hasTriggers = false
    private var hasTimer = false
    private var hasPattern = false
    private let found: FoundLights
    /// What the LED is given back as. The name is empty where there is no such LED.
    private(set) var before = FoundLight()

    private var pattern = LightPattern.off
    private var switching = Switching()
    private var retryAt: Int64?
    /// The LED is driven, but its trigger could not be opened, and goes on in between: when that is tried again.
    private var triggerRetryAt: Int64?
    /// What was last written; nil before the first time and after the kernel has blinked.
    private var isOn: Bool?
    private var kernelBlinks = false
    private var late: Late?

    /// A trigger that is set, but whose files were not writable yet.
    private struct Late {
        var isTimer: Bool
        var at: Int64
        var until: Int64
    }

    /// `root` is /sys/class/leds, or a copy of it in tests.
    init(role: PanelRole, label: String, root: String, names: [String], found: FoundLights, now: Int64) {
        self.root = root
        self.names = names
        self.found = found
        super.init(role: role, label: label)
        open(now: now)
    }

    /// For `putOut` only: nothing is changed yet.
    init(role: PanelRole, label: String, offIn root: String, names: [String], found: FoundLights) {
        self.root = root
        self.names = names
        self.found = found
        super.init(role: role, label: label)
    }

    deinit { closeAll() }

    override var deadline: Int64? {
        if let retryAt { return retryAt }
        guard let change = late?.at ?? switching.change else { return triggerRetryAt }
        return min(change, triggerRetryAt ?? change)
    }

    override func show(_ pattern: LightPattern, since: Int64, now: Int64, wall: Int64) {
        self.pattern = pattern
        switching.show(pattern, since: since)
        apply(now: now)
    }

    override func beep(_ count: Int, now: Int64, wall: Int64) {
        switching.beep(count, now: now)
        late = nil
        pattern = .off
        update(now: now)
    }

    override func tick(now: Int64, wall: Int64) {
        if let retryAt {
            guard retryAt <= now else { return }
            open(now: now)
            return apply(now: now)
        }
        if let due = triggerRetryAt, due <= now {
            triggerRetryAt = nil
            openTrigger(now: now)
            if trigger >= 0 { clearProblem() }
            // What is on the light is the trigger's until now.
            isOn = nil
            return apply(now: now)
        }
        if let late, late.at <= now { return finishLate(isTimer: late.isTimer, now: now) }
        if let change = switching.change, change <= now { update(now: now) }
    }

    override func stop(wall: Int64) {
        guard brightness >= 0 else { return }
        if giveBack() == nil { found.forget(before.name) }
        closeAll()
        retryAt = nil
        triggerRetryAt = nil
    }

    override func putOut(now: Int64, wall: Int64) {
        let isOpen = openBrightness()
        found.claim(before.name)
        guard isOpen else { return }
        let errno = openTriggers()
        let index = found.index(of: before.name)
        guard mayBeOurs, index != nil || !found.isComplete else {
            found.forget(before.name)
            return closeAll()
        }
        readMaximum()
        before.brightness = Blob("0") ?? Blob()
        if let index { take(found[index]) }
        if trigger < 0, !before.trigger.isEmpty {
            // Out, at least; the rest is still to be done.
            _ = put("0", to: brightness)
            return fail("cannot open ", "trigger", errno, now: now)
        }
        if let failure = giveBack() { return fail("cannot write ", failure.file, failure.errno, now: now) }
        found.forget(before.name)
        closeAll()
    }

    // MARK: Showing

    /// Hands the pattern to the kernel, or begins to switch it.
    private func apply(now: Int64) {
        guard brightness >= 0 else { return }
        late = nil
        if let flashes = pattern.flashes, isLeftToKernel(flashes, now: now) { return switching.rest() }
        if kernelBlinks {
            kernelBlinks = false
            isOn = nil
            guard put("none", to: trigger) else { return fail("cannot write ", "trigger", cb_errno(), now: now) }
        }
        update(now: now)
    }

    /// A trigger that does not take the pattern is not tried again.
    private func isLeftToKernel(_ flashes: Flashes, now: Int64) -> Bool {
        if hasTimer, pattern == .slow || pattern == .fast {
            if start(isTimer: true), finish(flashes, isTimer: true, now: now) { return true }
            hasTimer = false
        }
        if hasPattern, flashes.period != nil {
            if start(isTimer: false), finish(flashes, isTimer: false, now: now) { return true }
            hasPattern = false
        }
        return false
    }

    /// Setting a trigger that is set already would make its files anew.
    private func start(isTimer: Bool) -> Bool {
        kernelBlinks = true
        isOn = nil
        return put(isTimer ? "timer" : "pattern", to: trigger)
    }

    /// The times of the trigger just set. The files exist only while it is, so they cannot be opened at start. True as
    /// well if they are only not writable yet.
    private func finish(_ flashes: Flashes, isTimer: Bool, now: Int64) -> Bool {
        let until = late?.until ?? now + Limits.ledPatience
        late = nil
        let isDone =
            isTimer
            ? delay("delay_on", flashes.length) && delay("delay_off", flashes.gap) : writePattern(flashes)
        if isDone { return true }
        let errno = cb_errno()
        guard errno == EACCES || errno == EPERM, now < until else { return false }
        late = Late(isTimer: isTimer, at: min(now + Limits.ledRetry, until), until: until)
        return true
    }

    private func finishLate(isTimer: Bool, now: Int64) {
        guard let flashes = pattern.flashes else { return apply(now: now) }
        if finish(flashes, isTimer: isTimer, now: now) { return }
        if isTimer { hasTimer = false } else { hasPattern = false }
        apply(now: now)
    }

    /// Writes the state of this moment if it differs, and says when to come again.
    private func update(now: Int64) {
        guard brightness >= 0 else { return switching.rest() }
        let wanted = switching.isOn(at: now)
        guard wanted != isOn else { return }
        guard wanted ? put(full, to: brightness) : put("0", to: brightness) else {
            return fail("cannot write ", "brightness", cb_errno(), now: now)
        }
        isOn = wanted
    }

    /// A pattern is pairs of a brightness and a time. The kernel fades from each to the next, so each state is followed by
    /// itself for no time: then the next comes at once.
    private func writePattern(_ flashes: Flashes) -> Bool {
        guard let period = flashes.period else { return false }
        let descriptor = openFile("pattern", O_WRONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        times.removeAll()
        let zero = Blob<16>("0") ?? Blob()
        var rest = period
        for index in 0..<flashes.count {
            rest -= flashes.length
            let gap = index + 1 < flashes.count ? flashes.gap : rest
            appendStep(full, flashes.length)
            appendStep(zero, gap)
            rest -= gap
        }
        return put(times.pointer, to: descriptor)
    }

    private func appendStep(_ brightness: Blob<16>, _ milliseconds: Int64) {
        for time in 0..<2 {
            if !times.isEmpty { times.append(UInt8(ascii: " ")) }
            times.append(brightness.bytes)
            times.append(UInt8(ascii: " "))
            times.append(decimal: time == 0 ? milliseconds : 0)
        }
    }

    private func delay(_ name: String, _ milliseconds: Int64) -> Bool {
        let descriptor = openFile(name, O_WRONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        times.removeAll()
        times.append(decimal: milliseconds)
        return put(times.pointer, to: descriptor)
    }

    // MARK: Opening

    private func open(now: Int64) {
        closeAll()
        retryAt = now + Limits.panelRetry
        guard openBrightness() else { return }
        guard get(brightness, &before.brightness) else {
            return fail("cannot read ", "brightness", cb_errno(), now: now)
        }
        readMaximum()
        clearProblem()
        retryAt = nil
        isOn = nil
        openTrigger(now: now)
    }

    /// Opens the first of the names that exists, or says what is wrong.
    private func openBrightness() -> Bool {
        before = FoundLight()
        for index in names.indices {
            path.removeAll()
            path.append(root)
            path.append(UInt8(ascii: "/"))
            path.append(names[index])
            directory = path.count
            brightness = openFile("brightness", O_RDWR)
            let errno = cb_errno()
            guard brightness < 0, errno == ENOENT else {
                before.name = Blob(names[index]) ?? Blob()
                if brightness < 0 { report("cannot open ", path: path.pointer, errno) }
                return brightness >= 0
            }
        }
        reportMissing()
        return false
    }

    /// Remembers the trigger in force and ends it. An LED without triggers is driven all the same.
    private func openTrigger(now: Int64) {
        let errno = openTriggers()
        hasTimer = trigger >= 0 && triggers.contains("timer")
        hasPattern = trigger >= 0 && triggers.contains("pattern")
        if trigger < 0, hasTriggers {
            report("cannot open ", path: path.pointer, errno)
            // udev may not have come to it yet: at boot, an LED's files are made accessible one after the other.
            if errno == EACCES || errno == EPERM { triggerRetryAt = now + Limits.panelRetry }
        }
        remember()
        if trigger >= 0, !put("none", to: trigger) { fail("cannot write ", "trigger", cb_errno(), now: now) }
    }

    /// Opens the list of triggers and reads it, which everybody may, mostly; why it is not open for writing.
    private func openTriggers() -> Int32 {
        triggers.removeAll()
        trigger = openFile("trigger", O_RDWR)
        let errno = cb_errno()
        hasTriggers = trigger >= 0 || errno != ENOENT
        let descriptor = trigger >= 0 ? trigger : openFile("trigger", O_RDONLY)
        guard descriptor >= 0 else { return errno }
        triggers.read(descriptor)
        if trigger < 0 { close(descriptor) }
        return errno
    }

    private func readMaximum() {
        full = Blob("255") ?? Blob()
        let descriptor = openFile("max_brightness", O_RDONLY)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = get(descriptor, &full)
    }

    private func openFile(_ name: String, _ flags: Int32) -> Int32 {
        path.truncate(to: directory)
        path.append(UInt8(ascii: "/"))
        path.append(name)
        path.append(UInt8(0))
        guard !path.overflowed, let start = path.pointer.baseAddress else {
            cb_set_errno(ENAMETOOLONG)
            return -1
        }
        return cb_open(start.assumingMemoryBound(to: CChar.self), flags, 0)
    }

    private func closeAll() {
        if brightness >= 0 { close(brightness) }
        if trigger >= 0 { close(trigger) }
        brightness = -1
        trigger = -1
        kernelBlinks = false
        late = nil
        triggerRetryAt = nil
        switching.rest()
    }

    // MARK: What was there before

    /// Whether what is on the LED may be what a gateway has put there. Any other trigger is somebody else's wish.
    private var mayBeOurs: Bool {
        let trigger = triggers.inForce.bytes
        return trigger.isEmpty || trigger.equals("none") || trigger.equals("timer") || trigger.equals("pattern")
    }

    /// What the LED is given back as: what was found before a gateway first took it, else what is there now. It is
    /// written down before anything changes.
    private func remember() {
        before.trigger = triggers.inForce
        before.isInUse = true
        guard let index = found.index(of: before.name), mayBeOurs else { return found.keep(before) }
        var known = found[index]
        // Its trigger has never been touched.
        if known.trigger.isEmpty { known.trigger = triggers.inForce }
        known.isInUse = true
        found.keep(known)
        take(known)
    }

    /// Of what was written down only what this LED can have; the rest becomes dark.
    private func take(_ known: FoundLight) {
        before = known
        if !hasTriggers {
            before.trigger = Blob()
        } else if trigger >= 0, !known.trigger.isEmpty, !triggers.contains(known.trigger) {
            before.trigger = Blob("none") ?? Blob()
        }
        if !isWithin(known.brightness, full) { before.brightness = Blob("0") ?? Blob() }
    }

    private func isWithin(_ value: Blob<16>, _ maximum: Blob<16>) -> Bool {
        value.count != maximum.count ? value.count < maximum.count : !maximum.bytes.precedes(value.bytes)
    }

    /// The file that could not be written, and why.
    private func giveBack() -> (file: String, errno: Int32)? {
        // Brightness 0 may end a trigger, so it is written only where there is none to give back.
        if before.trigger.isEmpty || before.trigger.bytes.equals("none") {
            let hasEnded = trigger < 0 || put("none", to: trigger)
            let errno = cb_errno()
            if !put(before.brightness, to: brightness) { return ("brightness", cb_errno()) }
            return hasEnded ? nil : ("trigger", errno)
        }
        let isLit = before.brightness.bytes.equals("0") || put(before.brightness, to: brightness)
        let errno = cb_errno()
        if !put(before.trigger, to: trigger) { return ("trigger", cb_errno()) }
        return isLit ? nil : ("brightness", errno)
    }

    // MARK: Problems

    private func reportMissing() {
        setProblem {
            $0.append("no LED ")
            for index in names.indices {
                if index > 0 { $0.append(" or ") }
                $0.append(names[index])
            }
            $0.append(" in ")
            $0.append(root)
        }
    }

    private func fail(_ what: String, _ file: String, _ errno: Int32, now: Int64) {
        path.truncate(to: directory)
        path.append(UInt8(ascii: "/"))
        path.append(file)
        path.append(UInt8(0))
        report(what, path: path.pointer, errno)
        closeAll()
        retryAt = now + Limits.panelRetry
    }
}
