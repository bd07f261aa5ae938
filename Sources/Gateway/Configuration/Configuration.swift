import Panel
import Relay

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
        /// Longer silences are tried on a second connection.
        public var probesApart = false

        public init() {}
    }

    /// The `[relay]` section.
    public struct Relay: Equatable, Sendable {
        public var listen: Endpoint
        /// Who may connect. Without the key: this machine alone.
        public var allow: [AddressRange]
        /// Where cronstable daemons post to: the path of their `push.relay.url`.
        public var path = "/v1/notify"
        /// How daemons on other hosts reach it; without the key by the address it listens on.
        public var address: String?
        /// What asks a pocketty daemon for its key; `{}` stands for user and host.
        public var command = ["ssh", "{}", "pocketty", "pair"]
        public var numbers = AdmissionPolicy.Numbers()
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
    /// The texts of localised notifications.
    public var strings: String?
    public var relay: Relay?
    public var log = LogSettings()

    /// The configuration of an empty file.
    public init() {}

    public static let defaultPath = "/etc/skyglow/skyglowd.conf"
    static let defaultDirectory = "/var/lib/skyglow"
}
