import Panel
import SGP

/// What the lights say. Both are functions of what is durable or current, so a power cut loses neither.
enum Lights {
    /// The message light, from the number of unread notifications.
    static func message(unread: Int64) -> LightPattern { unread > 0 ? .solid : .off }

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
