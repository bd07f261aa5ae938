import Bytes
import CBoard

/// `file:PATH`: appends `<unix-ms> light ROLE PATTERN` and `<unix-ms> beep N`.
final class FileDevice: Device {
    private var path = ByteBuffer(capacity: Limits.path)
    private var line = ByteBuffer(capacity: 96)
    private var descriptor: Int32 = -1
    private var retryAt: Int64?
    /// What the role shows, and what the file says it shows.
    private var pattern: LightPattern?
    private var recorded: LightPattern?

    init(role: PanelRole, label: String, path: String, now: Int64) {
        super.init(role: role, label: label)
        self.path.append(path)
        self.path.append(UInt8(0))
        open(now: now)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    override var deadline: Int64? { retryAt }

    override func show(_ pattern: LightPattern, since: Int64, now: Int64, wall: Int64) {
        self.pattern = pattern
        record(now: now, wall: wall)
    }

    override func beep(_ count: Int, now: Int64, wall: Int64) {
        begin(wall)
        line.append("beep ")
        line.append(decimal: count)
        _ = finish(now: now)
    }

    override func tick(now: Int64, wall: Int64) {
        guard let retryAt, retryAt <= now else { return }
        open(now: now)
        // A pattern still to be recorded shows whether writing works again; without one, opening has to do.
        if descriptor >= 0, pattern == recorded { clearProblem() }
        record(now: now, wall: wall)
    }

    override func stop(wall: Int64) {
        guard let pattern, pattern != .off else { return }
        self.pattern = .off
        record(now: 0, wall: wall)
    }

    override func putOut(now: Int64, wall: Int64) { show(.off, since: now, now: now, wall: wall) }

    /// Appends the pattern unless the file has it already.
    private func record(now: Int64, wall: Int64) {
        guard let pattern, pattern != recorded else { return }
        begin(wall)
        line.append("light ")
        line.append(role.name)
        line.append(UInt8(ascii: " "))
        line.append(pattern.name)
        if finish(now: now) { recorded = pattern }
    }

    private func begin(_ wall: Int64) {
        line.removeAll()
        line.append(decimal: wall)
        line.append(UInt8(ascii: " "))
    }

    private func finish(now: Int64) -> Bool {
        line.append(UInt8(ascii: "\n"))
        guard descriptor >= 0 else { return false }
        let written = write(descriptor, line.pointer.baseAddress, line.count)
        if written == line.count {
            clearProblem()
            return true
        }
        fail("cannot write ", written < 0 ? cb_errno() : ENOSPC, now: now)
        return false
    }

    private func open(now: Int64) {
        guard !path.overflowed, let name = path.pointer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        // Without O_NONBLOCK a FIFO that nobody reads would stop the whole gateway here.
        descriptor = cb_open(name, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o640)
        guard descriptor >= 0 else { return fail("cannot open ", cb_errno(), now: now) }
        retryAt = nil
    }

    private func fail(_ what: String, _ errno: Int32, now: Int64) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        retryAt = now + Limits.panelRetry
        report(what, path: path.pointer, errno)
    }
}
