import Bytes

/// The lights and the buzzer of one gateway. What a pattern means is the gateway's business.
///
/// `now` is CLOCK_BOOTTIME in milliseconds, `wall` Unix time in milliseconds; the latter only goes into files. After
/// `init` nothing here allocates.
public struct Panel: ~Copyable {
    private let devices: [Device]
    private var lights = InlineArray<2, Light>(repeating: Light())

    private struct Light {
        var pattern: LightPattern?
        var since: Int64 = 0
    }

    /// Opens every output and button. One that cannot be opened becomes a problem and is tried again; the rest works.
    /// `terminal` is where `term` draws.
    ///
    /// What is in `found` of an LED that is no longer configured is given back.
    public init(_ configuration: PanelConfiguration, found: FoundLights, now: Int64, terminal: Int32 = 1) {
        self.init(configuration, PanelSystem(), found: found, now: now, terminal: terminal)
    }

    init(
        _ configuration: PanelConfiguration, _ system: PanelSystem = PanelSystem(), found: FoundLights = FoundLights(),
        now: Int64, terminal: Int32 = 1
    ) {
        found.begin()
        let line = TerminalLine(descriptor: terminal)
        var system = system
        system.hold = configuration.holdTime
        var devices: [Device] = []
        for role in PanelRole.allCases {
            for output in configuration[role] {
                if let device = system.open(output, role, line, found, now: now) { devices.append(device) }
            }
        }
        self.devices = devices
        system.giveBack(found, now: now) { _ in }
    }

    /// Shows a pattern on a light. The same pattern again changes nothing. Roles without a light are ignored.
    public mutating func setLight(_ role: PanelRole, _ pattern: LightPattern, now: Int64, wall: Int64) {
        guard let index = Panel.index(role), lights[index].pattern != pattern else { return }
        lights[index] = Light(pattern: pattern, since: now)
        for device in devices where device.role == role { device.show(pattern, since: now, now: now, wall: wall) }
    }

    /// What a light shows; off before the first `setLight`.
    public func light(_ role: PanelRole) -> LightPattern {
        guard let index = Panel.index(role) else { return .off }
        return lights[index].pattern ?? .off
    }

    /// Beeps so many times, at most `Limits.beeps`; a sequence that still sounds is replaced.
    public mutating func beep(_ count: Int, now: Int64, wall: Int64) {
        guard count > 0 else { return }
        for device in devices where device.role == .buzzer {
            device.beep(min(count, Limits.beeps), now: now, wall: wall)
        }
    }

    /// When `tick` is due, or nil if nothing changes by itself.
    public var deadline: Int64? {
        var earliest: Int64?
        for device in devices {
            guard let deadline = device.deadline else { continue }
            earliest = min(earliest ?? deadline, deadline)
        }
        return earliest
    }

    /// Switches what is due and tries again what could not be opened.
    public mutating func tick(now: Int64, wall: Int64) {
        for device in devices { device.tick(now: now, wall: wall) }
    }

    /// Gives every device back as it was found. Nothing may be shown afterwards.
    public mutating func shutdown(wall: Int64) {
        for device in devices { device.stop(wall: wall) }
    }

    // MARK: Buttons

    /// Calls `body` with every descriptor that is readable when a button may have been pressed.
    public func forEachDescriptor(_ body: (Int32) -> Void) {
        for device in devices where device.eventDescriptor >= 0 { body(device.eventDescriptor) }
    }

    /// The next press that has not been told yet. To be asked until nil whenever a descriptor is readable or `deadline`
    /// has passed.
    public mutating func nextPress(now: Int64) -> ButtonPress? {
        for device in devices {
            if let press = device.nextPress(now: now) { return press }
        }
        return nil
    }

    private static func index(_ role: PanelRole) -> Int? {
        switch role {
        case .message: 0
        case .link: 1
        case .buzzer, .button: nil
        }
    }
}

// MARK: Problems

extension Panel {
    /// Changes whenever a problem appears, changes or goes: then it is worth logging them.
    public var problemChanges: UInt32 {
        var sum: UInt32 = 0
        for device in devices { sum &+= device.problemChanges }
        return sum
    }

    public var problemCount: Int {
        var count = 0
        for device in devices where !device.problem.isEmpty { count += 1 }
        return count
    }

    public func hasProblem(_ role: PanelRole) -> Bool {
        for device in devices where device.role == role && !device.problem.isEmpty { return true }
        return false
    }

    /// Calls `body` with the role, the output as configured and what is wrong with it, for each output with a problem.
    public func forEachProblem(_ body: (PanelRole, String, RawSpan) -> Void) {
        for device in devices where !device.problem.isEmpty { body(device.role, device.label, device.problem.bytes) }
    }
}

// MARK: panel test

/// One step of `panel test`.
public struct PanelTestStep: Equatable, Sendable {
    public let role: PanelRole
    /// The output as configured.
    public let label: String
    /// How long it takes, in milliseconds.
    public let duration: Int64
}

extension Panel {
    /// Puts out the output of the step before and begins step `index`, counted from 0: its output alone blinks fast, or
    /// beeps twice. Nil when all have had their turn. Between steps the caller ticks as usual.
    public mutating func beginTest(_ index: Int, now: Int64, wall: Int64) -> PanelTestStep? {
        if index > 0, index <= devices.count, devices[index - 1].role != .buzzer {
            devices[index - 1].show(.off, since: now, now: now, wall: wall)
        }
        // Buttons come last and have nothing to show.
        guard index >= 0, index < devices.count, devices[index].role != .button else { return nil }
        let device = devices[index]
        guard device.role != .buzzer else {
            device.beep(2, now: now, wall: wall)
            return PanelTestStep(role: device.role, label: device.label, duration: 1000)
        }
        device.show(.fast, since: now, now: now, wall: wall)
        return PanelTestStep(role: device.role, label: device.label, duration: 2000)
    }

    /// Shows again what the lights stood for before the test.
    public mutating func endTest(now: Int64, wall: Int64) {
        for device in devices {
            guard let index = Panel.index(device.role) else { continue }
            let light = lights[index]
            device.show(light.pattern ?? .off, since: light.since, now: now, wall: wall)
        }
    }
}
