/// How much a line matters. The raw value is the priority of syslog (RFC 5424 §6.2.1).
public enum LogLevel: UInt8, CaseIterable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    public var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// The level of that name, or nil.
    public init?(name: String) {
        for level in Self.allCases where level.name == name {
            self = level
            return
        }
        return nil
    }
}

/// The part of the gateway that a line is about.
public enum LogArea: UInt8, CaseIterable, Sendable {
    case gateway, link, session, notification, payload, store, panel, control, configuration, route, hook, relay
    case keepalive, resolver, clock

    public var name: String {
        switch self {
        case .gateway: "gateway"
        case .link: "link"
        case .session: "session"
        case .notification: "notification"
        case .payload: "payload"
        case .store: "store"
        case .panel: "panel"
        case .control: "control"
        case .configuration: "configuration"
        case .route: "route"
        case .hook: "hook"
        case .relay: "relay"
        case .keepalive: "keepalive"
        case .resolver: "resolver"
        case .clock: "clock"
        }
    }
}
