import Bytes

/// Where the panel finds its devices: the kernel's places, or others in tests.
struct PanelSystem {
    var leds = "/sys/class/leds"
    var pwm = "/sys/class/pwm"
    var gpio = GPIODriver()
    /// After how many milliseconds a press of the button is a long one.
    var hold = Limits.buttonLong

    /// Nil for `none`.
    func open(
        _ output: PanelOutput, _ role: PanelRole, _ terminal: TerminalLine, _ found: FoundLights, now: Int64
    ) -> Device? {
        switch output {
        case .led(let names):
            LEDDevice(role: role, label: output.label, root: leds, names: names, found: found, now: now)
        case .line(let name, let activeLow):
            line(output, role, GPIOLine(gpio, name: name, offset: nil, activeLow: activeLow), now: now)
        case .offset(let chip, let offset, let activeLow):
            line(output, role, GPIOLine(gpio, name: chip, offset: offset, activeLow: activeLow), now: now)
        case .pwm(let chip, let channel):
            PWMDevice(role: role, label: output.label, root: pwm, chip: chip, channel: channel, now: now)
        case .term: TerminalDevice(role: role, line: terminal)
        case .file(let path): FileDevice(role: role, label: output.label, path: path, now: now)
        case .none: nil
        }
    }

    private func line(_ output: PanelOutput, _ role: PanelRole, _ line: GPIOLine, now: Int64) -> Device {
        if role == .button { return ButtonDevice(label: output.label, line: line, hold: hold, now: now) }
        return GPIODevice(role: role, label: output.label, line: line, now: now)
    }
}
