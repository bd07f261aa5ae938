import Bytes
import CBoard

/// `led:NAME`: a light of the kernel's LED class. Blinks of one length are left to the kernel's `timer` trigger where it
/// has one; everything else is switched by deadline.
final class LEDDevice: Device {
    private let root: String
    private let names: [String]
    /// The directory, then whatever file of it was named last, then NUL.
    private var path = ByteBuffer(capacity: Limits.path)
    private var directory = 0
    private var list = ByteBuffer(capacity: Limits.triggerList)

    private var brightness: Int32 = -1
    private var trigger: Int32 = -1
    private var full = Blob<16>()
    private var hasTimer = false
    private var savedBrightness = Blob<16>()
    private var savedTrigger = Blob<64>()

    private var pattern = LightPattern.off
    private var flashes: Flashes?
    private var since: Int64 = 0
    private var change: Int64?
    private var retryAt: Int64?
    /// What was last written; nil before the first time and after the kernel has blinked.
    private var isOn: Bool?
    private var kernelBlinks = false

    /// `root` is /sys/class/leds, or a copy of it in tests.
    init(role: PanelRole, label: String, root: String, names: [String], now: Int64) {
        self.root = root
        self.names = names
        super.init(role: role, label: label)
        open(now: now)
    }

    deinit { closeAll() }

    override var deadline: Int64? {
        guard let retryAt else { return change }
        return retryAt
    }

    override func show(_ pattern: LightPattern, since: Int64, now: Int64, wall: Int64) {
        self.pattern = pattern
        self.since = since
        flashes = pattern.flashes
        apply(now: now)
    }

    override func beep(_ count: Int, now: Int64, wall: Int64) {
        since = now
        flashes = .beeps(count)
        pattern = .off
        update(now: now)
    }

    override func tick(now: Int64, wall: Int64) {
        if let retryAt {
            guard retryAt <= now else { return }
            open(now: now)
            return apply(now: now)
        }
        if let change, change <= now { update(now: now) }
    }

    override func stop(wall: Int64) {
        guard brightness >= 0 else { return }
        // Brightness 0 may end a trigger, so it is written only where there is none to give back.
        if savedTrigger.isEmpty || savedTrigger.bytes.equals("none") {
            if trigger >= 0 { _ = put("none", to: trigger) }
            _ = put(savedBrightness, to: brightness)
        } else {
            if !savedBrightness.bytes.equals("0") { _ = put(savedBrightness, to: brightness) }
            _ = put(savedTrigger, to: trigger)
        }
        closeAll()
        change = nil
        retryAt = nil
    }

    // MARK: Showing

    /// Hands the pattern to the kernel, or begins to switch it.
    private func apply(now: Int64) {
        guard brightness >= 0 else { return }
        if hasTimer, let flashes, flashes.count == 1, pattern == .slow || pattern == .fast {
            if startTimer(on: flashes.length, off: flashes.gap) {
                change = nil
                return
            }
            hasTimer = false
        }
        if kernelBlinks {
            kernelBlinks = false
            isOn = nil
            guard put("none", to: trigger) else { return fail("cannot write ", "trigger", cb_errno(), now: now) }
        }
        update(now: now)
    }

    /// Writes the state of this moment if it differs, and says when to come again.
    private func update(now: Int64) {
        guard brightness >= 0 else { return }
        let moment = flashes?.moment(at: now - since) ?? LightMoment(isOn: pattern == .solid, change: nil)
        change = moment.change.map { since + $0 }
        guard moment.isOn != isOn else { return }
        guard moment.isOn ? put(full, to: brightness) : put("0", to: brightness) else {
            return fail("cannot write ", "brightness", cb_errno(), now: now)
        }
        isOn = moment.isOn
    }

    /// The files of the delays exist only while the trigger is set, so they cannot be opened at start.
    private func startTimer(on: Int64, off: Int64) -> Bool {
        kernelBlinks = true
        isOn = nil
        guard put("timer", to: trigger), delay("delay_on", on), delay("delay_off", off) else { return false }
        return true
    }

    private func delay(_ name: String, _ milliseconds: Int64) -> Bool {
        let descriptor = openFile(name, O_WRONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        list.removeAll()
        list.append(decimal: milliseconds)
        return put(list.pointer, to: descriptor)
    }

    // MARK: Opening

    private func open(now: Int64) {
        closeAll()
        retryAt = now + Limits.panelRetry
        for index in names.indices {
            path.removeAll()
            path.append(root)
            path.append(UInt8(ascii: "/"))
            path.append(names[index])
            directory = path.count
            brightness = openFile("brightness", O_RDWR)
            if brightness >= 0 { break }
            let errno = cb_errno()
            guard errno == ENOENT else { return report("cannot open ", path: path.pointer, errno) }
        }
        guard brightness >= 0 else { return reportMissing() }
        guard get(brightness, &savedBrightness) else { return fail("cannot read ", "brightness", cb_errno(), now: now) }
        readMaximum()
        clearProblem()
        retryAt = nil
        isOn = nil
        openTrigger(now: now)
    }

    /// Remembers the trigger in force and ends it. An LED without triggers is driven all the same.
    private func openTrigger(now: Int64) {
        trigger = openFile("trigger", O_RDWR)
        if trigger < 0 {
            let errno = cb_errno()
            if errno != ENOENT { report("cannot open ", path: path.pointer, errno) }
            return
        }
        list.removeAll()
        let length = pread(trigger, list.tail.baseAddress, list.free, 0)
        if length > 0 { list.commit(length) }
        readTriggers()
        if !put("none", to: trigger) { fail("cannot write ", "trigger", cb_errno(), now: now) }
    }

    /// The list is `none [mmc0] timer`: the one in force is in brackets.
    private func readTriggers() {
        hasTimer = false
        savedTrigger = Blob()
        let pointer = list.pointer
        let bytes = pointer.bytes
        var start = 0
        for index in 0...bytes.byteCount {
            guard index == bytes.byteCount || bytes[index] <= 0x20 else { continue }
            var word = bytes.extracting(start..<index)
            start = index + 1
            if word.byteCount > 2, word[0] == UInt8(ascii: "["), word[word.byteCount - 1] == UInt8(ascii: "]") {
                word = word.extracting(1..<word.byteCount - 1)
                savedTrigger = Blob(word) ?? Blob()
            }
            if word.equals("timer") { hasTimer = true }
        }
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
        change = nil
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

/// Replaces the contents of an attribute. A plain file in a test keeps nothing of what was longer before.
private func put(_ value: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    _ = ftruncate(descriptor, 0)
    return pwrite(descriptor, value.baseAddress, value.count, 0) == value.count
}

private func put<let size: Int>(_ value: Blob<size>, to descriptor: Int32) -> Bool {
    value.bytes.withUnsafeBytes { put($0, to: descriptor) }
}

private func put(_ word: String, to descriptor: Int32) -> Bool {
    var word = word
    return word.withUTF8 { put(UnsafeRawBufferPointer($0), to: descriptor) }
}

/// The number an attribute holds, without its newline; false if there is none.
private func get<let size: Int>(_ descriptor: Int32, _ value: inout Blob<size>) -> Bool {
    var text = InlineArray<size, UInt8>(repeating: 0)
    let length = withUnsafeMutableBytes(of: &text) { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard length >= 0 else { return false }
    var digits = 0
    while digits < length, text[digits] >= UInt8(ascii: "0"), text[digits] <= UInt8(ascii: "9") { digits += 1 }
    guard digits > 0, let number = Blob<size>(text.span.bytes.extracting(0..<digits)) else {
        cb_set_errno(EINVAL)
        return false
    }
    value = number
    return true
}
