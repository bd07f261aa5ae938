import Bytes
import CBoard

/// `pwm:CHIP:CHANNEL`: a passive buzzer on a channel of the kernel's PWM class. CHIP is the name of the chip's device,
/// which stays the same from boot to boot, or `pwmchipN`.
///
/// A channel's files appear when it is exported, and udev may need a while to make them writable: until
/// `Limits.pwmPatience` has passed that is no problem.
final class PWMDevice: Device {
    private let root: String
    private let chip: String
    private let channel: UInt32
    /// The directory of the chip, then of the channel, then whatever file was named last, then NUL.
    private var path = ByteBuffer(capacity: Limits.path)
    private var chipEnd = 0
    private var text = ByteBuffer(capacity: Limits.path)

    private var enable: Int32 = -1
    private var isExported = false
    private var patience: Int64?
    private var retryAt: Int64?
    private var switching = Switching()
    private var isOn = false

    /// `root` is /sys/class/pwm, or a copy of it in tests.
    init(role: PanelRole, label: String, root: String, chip: String, channel: UInt32, now: Int64) {
        self.root = root
        self.chip = chip
        self.channel = channel
        super.init(role: role, label: label)
        open(now: now)
    }

    /// For `putOut` only: nothing is exported or set.
    init(role: PanelRole, label: String, offIn root: String, chip: String, channel: UInt32) {
        self.root = root
        self.chip = chip
        self.channel = channel
        super.init(role: role, label: label)
    }

    deinit { if enable >= 0 { close(enable) } }

    override var deadline: Int64? {
        guard let retryAt else { return switching.change }
        return retryAt
    }

    override func beep(_ count: Int, now: Int64, wall: Int64) {
        switching.beep(count, now: now)
        update(now: now)
    }

    override func tick(now: Int64, wall: Int64) {
        if let retryAt {
            guard retryAt <= now else { return }
            open(now: now)
        }
        update(now: now)
    }

    override func stop(wall: Int64) {
        if enable >= 0 {
            _ = put("0", to: enable)
            close(enable)
            enable = -1
        }
        if isExported { _ = write(channelNumber: "unexport") }
        isExported = false
        switching = Switching()
        retryAt = nil
    }

    /// A channel that is not exported makes no sound.
    override func putOut(now: Int64, wall: Int64) {
        guard findChip() else { return reportMissing() }
        setFile("")
        guard access(cPath, F_OK) == 0 else { return }
        setFile("enable")
        enable = cb_open(cPath, O_WRONLY, 0)
        guard enable >= 0, put("0", to: enable) else { return report("cannot write ", path: path.pointer, cb_errno()) }
        stop(wall: wall)
    }

    private func update(now: Int64) {
        guard enable >= 0 else { return switching.rest() }
        let wanted = switching.isOn(at: now)
        guard wanted != isOn else { return }
        guard put(wanted ? "1" : "0", to: enable) else {
            let errno = cb_errno()
            close(enable)
            enable = -1
            setFile("enable")
            report("cannot write ", path: path.pointer, errno)
            retryAt = now + Limits.panelRetry
            return
        }
        isOn = wanted
    }

    // MARK: Opening

    private func open(now: Int64) {
        retryAt = nil
        guard findChip() else {
            retryAt = now + Limits.panelRetry
            patience = nil
            return reportMissing()
        }
        setFile("")
        if access(cPath, F_OK) != 0, !isExported || now >= patience ?? now {
            guard write(channelNumber: "export") else { return fail(cb_errno(), now: now) }
            isExported = true
        }
        guard prepare() else { return fail(cb_errno(), now: now) }
        patience = nil
        isOn = false
        clearProblem()
    }

    /// The tone, half of it as the duty, and silence. A period below the duty of before would be refused, and without a
    /// period so is everything else.
    private func prepare() -> Bool {
        _ = write(0, to: "duty_cycle")
        guard write(Limits.tonePeriod, to: "period"), write(Limits.tonePeriod / 2, to: "duty_cycle") else {
            return false
        }
        setFile("enable")
        enable = cb_open(cPath, O_WRONLY, 0)
        return enable >= 0 && put("0", to: enable)
    }

    /// `path` names the file that could not be used.
    private func fail(_ errno: Int32, now: Int64) {
        if enable >= 0 { close(enable) }
        enable = -1
        let end = patience ?? now + Limits.pwmPatience
        patience = end
        if now < end, errno == EACCES || errno == EPERM || errno == ENOENT {
            retryAt = min(now + Limits.pwmRetry, end)
            return
        }
        report(errno == EBUSY ? "in use by somebody else: " : "cannot write ", path: path.pointer, errno)
        retryAt = now + Limits.panelRetry
    }

    private func write(_ value: Int64, to file: String) -> Bool {
        text.removeAll()
        text.append(decimal: value)
        setFile(file)
        return writeText()
    }

    private func write(channelNumber file: String) -> Bool {
        text.removeAll()
        text.append(decimal: channel)
        path.truncate(to: chipEnd)
        path.append(file)
        path.append(UInt8(0))
        return writeText()
    }

    private func writeText() -> Bool {
        let descriptor = cb_open(cPath, O_WRONLY, 0)
        guard descriptor >= 0 else { return false }
        let written = put(text.pointer, to: descriptor)
        let errno = cb_errno()
        close(descriptor)
        cb_set_errno(errno)
        return written
    }

    private func reportMissing() {
        setProblem {
            $0.append("no PWM chip ")
            $0.append(chip)
            $0.append(" in ")
            $0.append(root)
        }
    }

    // MARK: Paths

    /// Whether the chip is there, under its own name or as the device of one.
    private func findChip() -> Bool {
        if setChip({ $0.append(chip) }) { return true }
        for index in 0..<Limits.chips {
            let exists = setChip {
                $0.append("pwmchip")
                $0.append(decimal: index)
            }
            if exists, isDevice() { return true }
        }
        return false
    }

    private func setChip(_ name: (inout ByteBuffer) -> Void) -> Bool {
        path.removeAll()
        path.append(root)
        path.append(UInt8(ascii: "/"))
        name(&path)
        path.append(UInt8(ascii: "/"))
        chipEnd = path.count
        path.append(UInt8(0))
        return !path.overflowed && access(cPath, F_OK) == 0
    }

    /// Whether the link `device` of the chip ends in the wanted name.
    private func isDevice() -> Bool {
        path.truncate(to: chipEnd)
        path.append("device")
        path.append(UInt8(0))
        text.removeAll()
        let tail = text.tail
        guard let start = tail.baseAddress else { return false }
        let length = readlink(cPath, start.assumingMemoryBound(to: CChar.self), tail.count)
        guard length > 0 else { return false }
        text.commit(length)
        var name = text.count
        while name > 0, text.bytes[name - 1] != UInt8(ascii: "/") { name -= 1 }
        let end = UnsafeRawBufferPointer(rebasing: text.pointer[name...])
        return end.bytes.equals(chip)
    }

    private func setFile(_ name: String) {
        path.truncate(to: chipEnd)
        path.append("pwm")
        path.append(decimal: channel)
        path.append(UInt8(ascii: "/"))
        path.append(name)
        path.append(UInt8(0))
    }

    private var cPath: UnsafePointer<CChar> {
        UnsafeRawPointer(path.pointer.baseAddress!).assumingMemoryBound(to: CChar.self)
    }
}
