import Bytes
import CBoard

/// `button = gpio:…`: an input whose presses the gateway asks for.
final class ButtonDevice: Device {
    private let line: GPIOLine
    private let hold: Int64
    private var button: Button
    private var retryAt: Int64?

    /// `hold` is after how many milliseconds a press is a long one.
    init(label: String, line: GPIOLine, hold: Int64, now: Int64) {
        self.line = line
        self.hold = hold
        button = Button(isPressed: false, hold: hold, now: 0)
        super.init(role: .button, label: label)
        open(now: now)
    }

    override var deadline: Int64? {
        guard let retryAt else { return button.deadline }
        return retryAt
    }

    override var eventDescriptor: Int32 { line.descriptor }

    override func tick(now: Int64, wall: Int64) {
        if let retryAt, retryAt <= now { open(now: now) }
    }

    override func stop(wall: Int64) {
        line.close()
        button = Button(isPressed: false, hold: hold, now: 0)
        retryAt = nil
    }

    override func nextPress(now: Int64) -> ButtonPress? {
        guard line.isOpen else { return nil }
        var edges = 0
        while edges < Limits.buttonEdges {
            var age: Int64 = 0
            let edge = line.nextEdge(age: &age)
            if edge < 0 {
                let errno = cb_errno()
                guard errno == EAGAIN || errno == EINTR else { return fail(errno, now: now) }
                break
            }
            edges += 1
            // Kernels before 5.7 stamp with the wall clock, from which no age can be told.
            let time = age >= 0 && age < Limits.buttonEdgeAge ? now - age : now
            if let press = button.edge(isActive: edge == 1, at: time) { return press }
        }
        // The kernel drops edges that nobody fetched in time; the level is what counts.
        if edges > 0, edges < Limits.buttonEdges {
            let value = line.value
            if value >= 0, !button.agrees(isActive: value == 1) {
                if let press = button.edge(isActive: value == 1, at: now) { return press }
            }
        }
        return button.advance(to: now)
    }

    private func open(now: Int64) {
        guard line.open(.edges, for: self) else {
            retryAt = now + Limits.panelRetry
            return
        }
        retryAt = nil
        button = Button(isPressed: line.value == 1, hold: hold, now: now)
    }

    private func fail(_ errno: Int32, now: Int64) -> ButtonPress? {
        line.report("cannot read the line on ", errno, self)
        line.close()
        retryAt = now + Limits.panelRetry
        return nil
    }
}
