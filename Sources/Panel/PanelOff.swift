import Bytes
import CBoard

extension Panel {
    /// Puts out what a gateway that died has left on, without making anything ready for use. Calls `body` with each
    /// output that could not be put out and why.
    ///
    /// An LED whose trigger is none of the gateway's own is left alone: a gateway that stopped in order gave it back.
    public static func putOut(
        _ configuration: PanelConfiguration, now: Int64, wall: Int64, _ body: (PanelRole, String, RawSpan) -> Void
    ) {
        putOut(configuration, PanelSystem(), now: now, wall: wall, body)
    }

    static func putOut(
        _ configuration: PanelConfiguration, _ system: PanelSystem, now: Int64, wall: Int64,
        _ body: (PanelRole, String, RawSpan) -> Void
    ) {
        let terminal = TerminalLine(descriptor: -1)
        for role in PanelRole.allCases where role != .button {
            for output in configuration[role] {
                guard let device = system.prepareOff(output, role, terminal, now: now) else { continue }
                device.putOut(now: now, wall: wall)
                if !device.problem.isEmpty { body(role, device.label, device.problem.bytes) }
            }
        }
    }
}

extension PanelSystem {
    /// Nil for what is never left on.
    fileprivate func prepareOff(
        _ output: PanelOutput, _ role: PanelRole, _ terminal: TerminalLine, now: Int64
    ) -> Device? {
        switch output {
        case .led(let names): LEDDevice(role: role, label: output.label, offIn: leds, names: names)
        case .pwm(let chip, let channel):
            PWMDevice(role: role, label: output.label, offIn: pwm, chip: chip, channel: channel)
        case .line, .offset: open(output, role, terminal, now: now)
        case .file: role == .buzzer ? nil : open(output, role, terminal, now: now)
        case .term, .none: nil
        }
    }
}
