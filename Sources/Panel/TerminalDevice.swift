import Bytes
import CBoard

/// The lights of all `term` outputs on one line of a terminal, or one plain line per change where the output is none.
final class TerminalLine {
    private let descriptor: Int32
    private let isTerminal: Bool
    private var text = ByteBuffer(capacity: 512)
    private var lights = InlineArray<2, Light>(repeating: Light())
    private var beeps = 0
    private var beepsEnd: Int64 = 0
    private(set) var deadline: Int64?

    private struct Light {
        var pattern: LightPattern?
        var since: Int64 = 0
    }

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    func show(_ role: PanelRole, _ pattern: LightPattern, since: Int64, now: Int64) {
        guard role == .message || role == .link else { return }
        let index = role == .message ? 0 : 1
        let isNew = lights[index].pattern != pattern
        lights[index] = Light(pattern: pattern, since: since)
        if isTerminal { return draw(now: now) }
        guard isNew else { return }
        text.removeAll()
        text.append("light ")
        text.append(role.name)
        text.append(UInt8(ascii: " "))
        text.append(pattern.name)
        text.append(UInt8(ascii: "\n"))
        flush()
    }

    func beep(_ count: Int, now: Int64) {
        if isTerminal {
            beeps = count
            beepsEnd = now + 2000
            return draw(now: now)
        }
        text.removeAll()
        text.append("beep ")
        text.append(decimal: count)
        text.append(UInt8(ascii: "\n"))
        flush()
    }

    func tick(now: Int64) {
        if let deadline, deadline <= now { draw(now: now) }
    }

    /// Leaves the terminal on a line of its own.
    func stop() {
        guard isTerminal, deadline != nil else { return }
        deadline = nil
        text.removeAll()
        text.append("\r\u{1B}[K")
        flush()
    }

    /// At least once a second, because lines of the log go over it.
    private func draw(now: Int64) {
        var next = now + 1000
        text.removeAll()
        text.append("\r\u{1B}[K")
        for index in 0..<2 {
            let light = lights[index]
            guard let pattern = light.pattern else { continue }
            let moment = pattern.moment(at: now - light.since)
            if let change = moment.change { next = min(next, light.since + change) }
            let name = index == 0 ? PanelRole.message.name : PanelRole.link.name
            append(name, pattern, isOn: moment.isOn, colour: index == 0 ? "\u{1B}[33m" : "\u{1B}[32m")
        }
        if now < beepsEnd {
            text.append("\u{1B}[1m♪ beep ")
            text.append(decimal: beeps)
            text.append("\u{1B}[0m")
        }
        deadline = next
        flush()
    }

    private func append(_ name: String, _ pattern: LightPattern, isOn: Bool, colour: String) {
        text.append(isOn ? colour : "\u{1B}[2m")
        text.append(isOn ? "● " : "○ ")
        text.append("\u{1B}[0m")
        text.append(name)
        text.append(UInt8(ascii: " "))
        text.append(pattern.name)
        text.append("   ")
    }

    /// Writes only what the other side takes at once: a stopped terminal must not stop the gateway.
    private func flush() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return }
        _ = write(descriptor, text.pointer.baseAddress, text.count)
    }
}

/// `term`: one role's share of the line.
final class TerminalDevice: Device {
    private let line: TerminalLine

    init(role: PanelRole, line: TerminalLine) {
        self.line = line
        super.init(role: role, label: "term")
    }

    override var deadline: Int64? { line.deadline }

    override func show(_ pattern: LightPattern, since: Int64, now: Int64, wall: Int64) {
        line.show(role, pattern, since: since, now: now)
    }

    override func beep(_ count: Int, now: Int64, wall: Int64) { line.beep(count, now: now) }
    override func tick(now: Int64, wall: Int64) { line.tick(now: now) }
    override func stop(wall: Int64) { line.stop() }
}
