import Bytes
import CBoard

/// `gpio:…`: a light or a buzzer on a GPIO line, switched by deadline.
final class GPIODevice: Device {
    private let line: GPIOLine
    private var switching = Switching()
    private var retryAt: Int64?
    /// What the line has.
    private var isOn = false

    init(role: PanelRole, label: String, line: GPIOLine, now: Int64) {
        self.line = line
        super.init(role: role, label: label)
        open(now: now)
    }

    override var deadline: Int64? {
        guard let retryAt else { return switching.change }
        return retryAt
    }

    override func show(_ pattern: LightPattern, since: Int64, now: Int64, wall: Int64) {
        switching.show(pattern, since: since)
        update(now: now)
    }

    override func beep(_ count: Int, now: Int64, wall: Int64) {
        switching.beep(count, now: now)
        update(now: now)
    }

    override func tick(now: Int64, wall: Int64) {
        if let retryAt {
            guard retryAt <= now else { return }
            return open(now: now)
        }
        if let change = switching.change, change <= now { update(now: now) }
    }

    /// The line is put out first: when it is given back, most chips keep its level.
    override func stop(wall: Int64) {
        if line.isOpen { _ = line.set(isActive: false) }
        line.close()
        switching = Switching()
        retryAt = nil
    }

    /// Requests the line in the state of this moment, so that it never flickers.
    private func open(now: Int64) {
        isOn = switching.isOn(at: now)
        retryAt = line.open(.output(isActive: isOn), for: self) ? nil : now + Limits.panelRetry
    }

    private func update(now: Int64) {
        guard retryAt == nil else { return }
        let wanted = switching.isOn(at: now)
        guard wanted != isOn else { return }
        guard line.set(isActive: wanted) else {
            line.report("cannot set the line on ", cb_errno(), self)
            line.close()
            retryAt = now + Limits.panelRetry
            return
        }
        isOn = wanted
    }
}
