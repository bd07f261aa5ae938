import Bytes

/// What a group of outputs is for.
public enum PanelRole: UInt8, CaseIterable, Sendable {
    /// The light of unread notifications.
    case message
    /// The light of the connection's state.
    case link
    /// The sound of a notification.
    case buzzer
    /// An input; what a press does is the configuration's business.
    case button

    /// The key of the configuration.
    public var name: String {
        switch self {
        case .message: "message"
        case .link: "link"
        case .buzzer: "buzzer"
        case .button: "button"
        }
    }
}

/// One output as the configuration names it.
public enum PanelOutput: Equatable, Sendable {
    /// The first of these names that exists under /sys/class/leds.
    case led([String])
    /// A GPIO line found by its name.
    case line(name: String, activeLow: Bool)
    /// A GPIO line found by its chip's label and its offset.
    case offset(chip: String, offset: UInt32, activeLow: Bool)
    /// A PWM channel, for the buzzer. `chip` is the name of the chip's device, or `pwmchipN`.
    case pwm(chip: String, channel: UInt32)
    /// The terminal of the process.
    case term
    /// A file that gets a line per change.
    case file(String)
    case none

    /// As in the configuration.
    public var label: String {
        switch self {
        case .led(let names): "led:" + names.joined(separator: "|")
        case .line(let name, let activeLow): "gpio:" + (activeLow ? "!" : "") + name
        case .offset(let chip, let offset, let activeLow): "gpio:" + (activeLow ? "!" : "") + chip + ":\(offset)"
        case .pwm(let chip, let channel): "pwm:" + chip + ":\(channel)"
        case .term: "term"
        case .file(let path): "file:" + path
        case .none: "none"
        }
    }

    /// Whether both would drive the same device.
    public func conflicts(with other: PanelOutput) -> Bool {
        switch (self, other) {
        case (.led(let names), .led(let others)):
            for name in names where others.contains(name) { return true }
            return false
        case (.line(let name, _), .line(let other, _)): return name == other
        case (.offset(let chip, let offset, _), .offset(let otherChip, let otherOffset, _)):
            return chip == otherChip && offset == otherOffset
        case (.pwm, .pwm): return self == other
        default: return false
        }
    }
}

/// Why an output's text is refused. The message completes "KEY: …".
public struct PanelOutputError: Error, Equatable, Sendable {
    public let message: String
}

extension PanelOutput {
    /// Reads one output of a role: `led:NAME[|NAME…]`, `gpio:…`, `pwm:CHIP:CHANNEL`, `term`, `file:PATH`, `none`.
    public init(_ text: String, for role: PanelRole) throws(PanelOutputError) {
        let (kind, rest) = PanelOutput.split(text)
        switch (kind, rest) {
        case ("term", nil): self = .term
        case ("none", nil): self = .none
        case ("term", .some), ("none", .some):
            throw PanelOutputError(message: "`\(kind)` takes nothing after it")
        case ("led", let rest?): self = try PanelOutput.led(parsing: rest)
        case ("gpio", let rest?): self = try PanelOutput.gpio(parsing: rest)
        case ("pwm", let rest?): self = try PanelOutput.pwm(parsing: rest)
        case ("file", let rest?):
            guard !rest.isEmpty else { throw PanelOutputError(message: "`file:` needs a path") }
            self = .file(rest)
        case ("led", nil), ("gpio", nil), ("pwm", nil), ("file", nil):
            throw PanelOutputError(message: "`\(kind)` needs a colon and a name")
        default:
            throw PanelOutputError(
                message: "`\(text)` is no output: expected led:, gpio:, pwm:, file:, term or none")
        }
        try check(role)
    }

    private func check(_ role: PanelRole) throws(PanelOutputError) {
        switch (self, role) {
        case (.pwm, .message), (.pwm, .link), (.pwm, .button):
            throw PanelOutputError(message: "`\(label)` is for the buzzer only")
        case (.led, .button), (.term, .button), (.file, .button):
            throw PanelOutputError(message: "`\(label)` cannot be a button: expected gpio: or none")
        default: break
        }
    }

    /// What is before and after the first colon.
    private static func split(_ text: String) -> (String, String?) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return (text, nil) }
        let kind = String(decoding: bytes[..<colon], as: UTF8.self)
        return (kind, String(decoding: bytes[(colon + 1)...], as: UTF8.self))
    }

    private static func led(parsing text: String) throws(PanelOutputError) -> PanelOutput {
        var names: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false) {
            names.append(try name(trimmed(Array(part)), of: "an LED"))
        }
        guard names.count <= Limits.ledNames else {
            throw PanelOutputError(message: "more than \(Limits.ledNames) LED names")
        }
        return .led(names)
    }

    private static func gpio(parsing text: String) throws(PanelOutputError) -> PanelOutput {
        var bytes = Array(text.utf8)
        let activeLow = bytes.first == UInt8(ascii: "!")
        if activeLow { bytes.removeFirst() }
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else {
            return .line(name: try name(bytes, of: "a GPIO line"), activeLow: activeLow)
        }
        let chip = try name(Array(bytes[..<colon]), of: "a GPIO chip")
        guard let offset = number(bytes[(colon + 1)...]) else {
            throw PanelOutputError(message: "`gpio:\(text)` needs a number after the chip's label")
        }
        return .offset(chip: chip, offset: offset, activeLow: activeLow)
    }

    private static func pwm(parsing text: String) throws(PanelOutputError) -> PanelOutput {
        let bytes = Array(text.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            let channel = number(bytes[(colon + 1)...])
        else { throw PanelOutputError(message: "`pwm:\(text)` is not pwm:CHIP:CHANNEL") }
        return .pwm(chip: try name(Array(bytes[..<colon]), of: "a PWM chip"), channel: channel)
    }

    /// The name of a device, which becomes a part of a path or is compared with what the kernel says.
    private static func name(_ bytes: [UInt8], of kind: String) throws(PanelOutputError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !bytes.isEmpty else { throw PanelOutputError(message: "the name of \(kind) is missing") }
        guard bytes.count <= Limits.deviceName else {
            throw PanelOutputError(message: "the name of \(kind) is longer than \(Limits.deviceName) bytes")
        }
        for byte in bytes where byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") {
            throw PanelOutputError(message: "`\(text)` is no name of \(kind)")
        }
        guard text != ".", text != ".." else { throw PanelOutputError(message: "`\(text)` is no name of \(kind)") }
        return text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard let value = decimal(digits) else { return nil }
        return UInt32(exactly: value)
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var slice = bytes[...]
        while slice.first == UInt8(ascii: " ") || slice.first == UInt8(ascii: "\t") { slice.removeFirst() }
        while slice.last == UInt8(ascii: " ") || slice.last == UInt8(ascii: "\t") { slice.removeLast() }
        return Array(slice)
    }
}

/// The `[panel]` section: the outputs of each role, at most `Limits.panelOutputs` of each. Paths are absolute.
public struct PanelConfiguration: Equatable, Sendable {
    public var message: [PanelOutput] = []
    public var link: [PanelOutput] = []
    public var buzzer: [PanelOutput] = []
    public var button: [PanelOutput] = []
    /// What a short press of a button does.
    public var press = ButtonAction.readAll
    /// What a long one does.
    public var hold = ButtonAction.panelTest
    /// After how many milliseconds a press is a long one.
    public var holdTime = Limits.buttonLong

    public init() {}

    public subscript(role: PanelRole) -> [PanelOutput] {
        get {
            switch role {
            case .message: message
            case .link: link
            case .buzzer: buzzer
            case .button: button
            }
        }
        set {
            switch role {
            case .message: message = newValue
            case .link: link = newValue
            case .buzzer: buzzer = newValue
            case .button: button = newValue
            }
        }
    }
}
