import Bytes
import CBoard

extension Panel {
    /// Puts out what a gateway that died has left on, without making anything ready for use; an LED is given back as it
    /// was found, where that is known, also one that is no longer configured. Calls `body` with each output that is still
    /// as it was and why, and its role unless it is not configured.
    ///
    /// An LED whose trigger is none of the gateway's own, or that is known to have been given back, is left alone.
    public static func putOut(
        _ configuration: PanelConfiguration, found: FoundLights, now: Int64, wall: Int64,
        _ body: (PanelRole?, String, RawSpan) -> Void
    ) {
        putOut(configuration, PanelSystem(), found: found, now: now, wall: wall, body)
    }

    static func putOut(
        _ configuration: PanelConfiguration, _ system: PanelSystem = PanelSystem(), found: FoundLights = FoundLights(),
        now: Int64, wall: Int64, _ body: (PanelRole?, String, RawSpan) -> Void
    ) {
        let terminal = TerminalLine(descriptor: -1)
        for role in PanelRole.allCases where role != .button {
            for output in configuration[role] {
                guard let device = system.prepareOff(output, role, terminal, found, now: now) else { continue }
                device.putOut(now: now, wall: wall)
                if !device.problem.isEmpty { body(role, device.label, device.problem.bytes) }
            }
        }
        system.giveBack(found, now: now) { body(nil, $0.label, $0.problem.bytes) }
    }
}

extension PanelSystem {
    /// Gives back the LEDs that no output has taken. Calls `body` with each that could not be, and stays known; one that
    /// is gone is forgotten.
    func giveBack(_ found: FoundLights, now: Int64, _ body: (Device) -> Void) {
        // From the end, because what is forgotten is replaced by the last.
        for index in (0..<found.count).reversed() where !found[index].isInUse {
            let name = found[index].name
            let label = PanelOutput.led([name.text]).label
            let device = LEDDevice(role: .message, label: label, offIn: leds, names: [name.text], found: found)
            device.putOut(now: now, wall: 0)
            if device.before.name.isEmpty {
                found.forget(name)
            } else if !device.problem.isEmpty {
                body(device)
            }
        }
    }

    /// Nil for what is never left on.
    fileprivate func prepareOff(
        _ output: PanelOutput, _ role: PanelRole, _ terminal: TerminalLine, _ found: FoundLights, now: Int64
    ) -> Device? {
        switch output {
        case .led(let names): LEDDevice(role: role, label: output.label, offIn: leds, names: names, found: found)
        case .pwm(let chip, let channel):
            PWMDevice(role: role, label: output.label, offIn: pwm, chip: chip, channel: channel)
        case .line, .offset: open(output, role, terminal, found, now: now)
        case .file: role == .buzzer ? nil : open(output, role, terminal, found, now: now)
        case .term, .none: nil
        }
    }
}
