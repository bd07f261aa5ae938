import Bytes
import Panel

/// What the configuration file says, with the defaults of what it does not say. All paths are absolute.
public struct Configuration: Equatable, Sendable {
    /// The `[server]` section; without one the gateway runs, `unconfigured`.
    public struct Server: Equatable, Sendable {
        /// At most `Limits.serverAddress` of the characters A–Z a–z 0–9 `.` `-`.
        public var address: String
        /// The pinned certificate.
        public var certificate: String
        /// Where to connect, instead of asking DNS.
        public var endpoint: Endpoint?
        /// The client certificate of the registration.
        public var identity: String?
    }

    /// The `[keepalive]` section, in seconds.
    public struct Keepalive: Equatable, Sendable {
        public var minimum: Int64 = 600
        public var maximum: Int64 = 3300
        public var pongTimeout: Int64 = 15

        public init() {}
    }

    /// The `[relay]` section.
    public struct Relay: Equatable, Sendable {
        public var listen: Endpoint
        /// Who may connect. Without the key: this machine alone.
        public var allow: [AddressRange]
    }

    /// The `[log]` section.
    public struct LogSettings: Equatable, Sendable {
        public var level = LogLevel.info
        /// The size of the ring's file.
        public var size = 65_536

        public init() {}
    }

    public var server: Server?
    /// The state directory.
    public var directory = Configuration.defaultDirectory
    /// For the control socket and the log ring.
    public var runtime = "/run/skyglow"
    /// DNS servers, instead of those of resolv.conf. Every one has an address.
    public var resolvers: [Endpoint] = []
    public var keepalive = Keepalive()
    public var panel = PanelConfiguration()
    /// In the order of the file: the first that matches wins.
    public var routes: [Route] = []
    public var relay: Relay?
    public var log = LogSettings()

    /// The configuration of an empty file.
    public init() {}

    public static let defaultPath = "/etc/skyglow/skyglowd.conf"
    static let defaultDirectory = "/var/lib/skyglow"
}

/// A `[route NAME]` section: what a notification of some bundle does. What is nil is left to the defaults.
public struct Route: Equatable, Sendable {
    public var name: String
    /// The whole identifier, or its beginning if `isPrefix`.
    public var bundle = Blob<64>()
    public var isPrefix = false
    public var light: LightPattern?
    public var beep: Int?
    /// The words of the command, the program's absolute path first; empty for none.
    public var hook: [String] = []
    public var quiet: QuietHours?

    /// Whether the route is for this bundle identifier.
    public func matches(_ identifier: RawSpan) -> Bool {
        guard isPrefix else { return identifier.equals(bundle.bytes) }
        guard identifier.byteCount >= bundle.count else { return false }
        return identifier.extracting(0..<bundle.count).equals(bundle.bytes)
    }
}

/// Hours without sound, in minutes since local midnight. They may span it.
public struct QuietHours: Equatable, Sendable {
    public let start: Int
    /// The first minute after them.
    public let end: Int

    public init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    public func contains(minute: Int) -> Bool {
        start < end ? minute >= start && minute < end : minute >= start || minute < end
    }
}
