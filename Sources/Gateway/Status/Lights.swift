import Panel
import SGP

/// What the lights say. Both are functions of what is durable or current, so a power cut loses neither.
enum Lights {
    /// The message light, from the patterns of the unread notifications: the most urgent one of them.
    static func message(unread: LightSet) -> LightPattern {
        for pattern in urgency where unread.contains(pattern) { return pattern }
        return .off
    }

    /// The most urgent first: what blinks is seen before what does not, and a pulse every few seconds is the least that
    /// still shows.
    static let urgency: [LightPattern] = [.fast, .double, .slow, .solid, .pulse, .off]

    /// The link light, from the state of the connection.
    static func link(_ state: LinkState) -> LightPattern {
        switch state {
        case .connected: .solid
        case .starting, .resolving, .connecting, .registering, .authenticating: .slow
        case .backingOff: .double
        case .noNetwork, .unconfigured: .pulse
        case .authRefused, .versionRefused, .configurationFault: .fast
        case .stopping: .off
        }
    }
}
