import Bytes
import CBoard
import Loop
import Panel
import SGP
import Store

/// Why the gateway or a command cannot begin: lines for people, and the exit code.
public struct StartupError: Error, Equatable, Sendable {
    public var lines: [String]
    public var exit: ExitCode
    /// The certificate to pin is not there.
    var isCertificateMissing = false

    init(_ line: String, _ exit: ExitCode) {
        lines = [line]
        self.exit = exit
    }

    init(lines: [String], _ exit: ExitCode) {
        self.lines = lines
        self.exit = exit
    }

    init(_ error: StoreError) {
        let exit: ExitCode =
            switch error {
            case .locked, .busy: .unavailable
            case .permission: .permission
            case .missing, .cannotCreate: .cannotCreate
            case .corrupt, .newer: .badData
            case .full, .io, .memory, .tooMuch, .misuse: .inputOutput
            }
        self.init(error.text, exit)
    }

    /// From reading a file that a command was given: exit 73 is for files that cannot be made.
    init(reading error: StoreError) {
        self.init(error)
        if exit == .cannotCreate { exit = .inputOutput }
    }

    /// From a system call on a path.
    init(_ error: SystemError, path: String) {
        let exit: ExitCode =
            switch error.code {
            case EACCES, EPERM: .permission
            case ENOSPC, EDQUOT, EIO: .inputOutput
            default: .cannotCreate
            }
        self.init("\(path): \(error.text)", exit)
    }
}

/// From a configuration file to everything that a gateway runs with. Every failure is told before anything has begun.
public enum Startup {
    /// What a gateway is made of.
    struct Parts: ~Copyable {
        var configuration: Configuration
        var configurationPath: String
        var lock: StateLock
        var store: Store
        var log: Log
        var control: ControlSocket
        var signals: Signals
        var uplink: Uplink?
        var outlets: Outlets
        var opener: SealedOpener
        var relay: RelayService?
        var timekeeper: Timekeeper
    }

    /// The configuration of this file, or all its faults.
    /// - Parameter directories: whose directories are kept, whatever the file says.
    static func load(_ path: String, in directories: Configuration? = nil) throws(StartupError) -> Configuration {
        do throws(ConfigurationError) { return try Configuration.load(path: path, in: directories) } catch {
            throw StartupError(lines: error.messages(path), .configuration)
        }
    }

    /// What notifications are routed by: the configuration's routes and the texts of its strings file.
    static func routing(_ configuration: Configuration) throws(StartupError) -> Routing {
        guard let path = configuration.strings else { return Routing(configuration.routes, StringsTable()) }
        var text = ByteBuffer(capacity: Limits.stringsFile)
        do throws(StoreError) { try AtomicFile.read(path, into: &text) } catch {
            throw StartupError(error.text, .configuration)
        }
        do throws(StringsError) {
            return Routing(configuration.routes, try StringsTable.parse(Array(text.pointer)))
        } catch {
            throw StartupError("\(path):\(error.line): \(error.message)", .configuration)
        }
    }

    /// Opens everything, in an order in which nothing is touched that another gateway may be using.
    static func open(configurationPath path: String) throws(StartupError) -> Gateway {
        let configuration = try load(path)
        let settings: UplinkSettings?
        do throws(StartupError) { settings = try uplinkSettings(configuration) } catch {
            if error.isCertificateMissing { forgetNames(configuration) }
            throw error
        }
        let routing = try routing(configuration)
        try makeDirectory(configuration.directory, mode: 0o700)
        try makeDirectory(configuration.runtime, mode: 0o755)
        let lock = try asOwner(of: configuration.directory) { () throws(StartupError) in
            try stored { () throws(StoreError) in try StateLock(directory: configuration.directory) }
        }
        let store = try asOwner(of: configuration.directory) { () throws(StartupError) in
            try stored { () throws(StoreError) in try Store.open(directory: configuration.directory) }
        }
        let log = try asOwner(of: configuration.runtime) { () throws(StartupError) in try openLog(configuration) }
        makePanelFiles(configuration)
        let outlets = Outlets(configuration.routes, store: store, log: log)
        // Neither core dumps nor other processes of the same user get at the keys.
        cb_hide_memory()
        guard let opener = SealedOpener() else { throw StartupError("no memory for the relay", .inputOutput) }
        try stored { () throws(StoreError) in try opener.load(store, directory: configuration.directory) }
        opener.reportKeys(to: log)
        let timekeeper = Timekeeper(store: store, log: log, server: settings?.serverAddress ?? Blob())
        let uplink = try settings.map { settings throws(StartupError) in
            let uplink = try makeUplink(settings, routing, outlets, configuration, store, log, timekeeper)
            uplink.delivery.sealedOpener = opener
            return uplink
        }
        let relay = try configuration.relay.map { relay throws(StartupError) in
            try stored { () throws(StoreError) in
                try RelayService(relay, routing: routing, opener: opener, outlets: outlets, store: store, log: log)
            }
        }
        return Gateway(
            Parts(
                configuration: configuration, configurationPath: path, lock: lock, store: store, log: log,
                control: try asOwner(of: configuration.runtime) { () throws(StartupError) in
                    try control(configuration)
                }, signals: try signals(), uplink: uplink,
                outlets: outlets, opener: opener, relay: relay, timekeeper: timekeeper))
    }

    /// Without a certificate, where a server was found says nothing of where it will be (SGP v2 §1). What does not
    /// succeed is no reason to keep silent about the certificate.
    private static func forgetNames(_ configuration: Configuration) {
        do throws(StoreError) {
            let owner = StateOwner(of: configuration.directory)
            defer { withExtendedLifetime(owner) {} }
            // Only what is there: nothing is made.
            let lock = try StateLock(directory: configuration.directory)
            guard access(configuration.directory + "/skyglow.db", F_OK) == 0 else { return }
            try Store.open(directory: configuration.directory).removeNames(nil)
            withExtendedLifetime(lock) {}
        } catch { return }
    }

    /// A gateway that root starts by hand leaves nothing behind that the usual one, of the directory's owner, could not
    /// open. Where root's files are there already, it goes on as root.
    private static func asOwner<R: ~Copyable>(
        of directory: String, _ body: () throws(StartupError) -> R
    ) throws(StartupError) -> R {
        do throws(StartupError) { return try StateOwner.of(directory, body) } catch {
            guard geteuid() == 0, error.exit == .permission else { throw error }
            return try body()
        }
    }

    /// The same for the files of the panel, which are opened by root itself beside devices that only root may use.
    static func makePanelFiles(_ configuration: Configuration) {
        guard geteuid() == 0 else { return }
        for role in PanelRole.allCases {
            for case .file(let path) in configuration.panel[role] {
                let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
                let owner = StateOwner(of: slash == path.startIndex ? "/" : String(path[..<slash]))
                let descriptor = path.withCString { cb_open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o640) }
                if descriptor >= 0 { close(descriptor) }
                withExtendedLifetime(owner) {}
            }
        }
    }

    /// A call of the store, whose errors become those of a start.
    static func stored<R: ~Copyable>(_ body: () throws(StoreError) -> R) throws(StartupError) -> R {
        do throws(StoreError) { return try body() } catch { throw StartupError(error) }
    }

    private static func makeUplink(
        _ settings: UplinkSettings, _ routing: Routing, _ outlets: Outlets, _ configuration: Configuration,
        _ store: Store, _ log: Log, _ timekeeper: Timekeeper
    ) throws(StartupError) -> Uplink {
        try stored { () throws(StoreError) in
            let keyFile = KeyFile(directory: configuration.directory)
            return try Uplink(
                settings, routing: routing, outlets: outlets, store: store, keyFile: keyFile, log: log,
                timekeeper: timekeeper)
        }
    }
}

// MARK: Parts

extension Startup {
    /// Nil where no server is configured.
    static func uplinkSettings(_ configuration: Configuration) throws(StartupError) -> UplinkSettings? {
        guard let server = configuration.server else { return nil }
        guard let address = Blob<16>(server.address) else {
            throw StartupError("the server address is longer than \(Limits.serverAddress) bytes", .configuration)
        }
        return UplinkSettings(
            serverAddress: address, certificate: try certificate(server.certificate),
            endpoint: server.endpoint,
            resolvers: resolverList(configuration), registrationCertificate: server.identity,
            keepAlive: keepAlive(configuration))
    }

    /// A learner with the configured bounds that knows nothing yet.
    static func keepAlive(_ configuration: Configuration) -> KeepAlive {
        let milliseconds = Int64(1_000)
        return KeepAlive(
            minimum: configuration.keepalive.minimum * milliseconds,
            maximum: configuration.keepalive.maximum * milliseconds,
            pongTimeout: configuration.keepalive.pongTimeout * milliseconds)
    }

    /// The pinned certificate as DER.
    private static func certificate(_ path: String) throws(StartupError) -> [UInt8] {
        var pem = ByteBuffer(capacity: 4 * Limits.certificate)
        do throws(StoreError) { try AtomicFile.read(path, into: &pem) } catch {
            guard error.isMissing else { throw StartupError(reading: error) }
            var missing = StartupError(
                "\(path): there is no pinned certificate: see `skyglowd certificate fetch`", .configuration)
            missing.isCertificateMissing = true
            throw missing
        }
        guard let der = Certificate.der(pem: pem.pointer) else {
            throw StartupError("\(path): no certificate in PEM form", .badData)
        }
        return der
    }

    /// The configured DNS servers as c-ares takes them, or nil for the system's.
    static func resolverList(_ configuration: Configuration) -> String? {
        guard !configuration.resolvers.isEmpty else { return nil }
        var list = ""
        for server in configuration.resolvers { list += (list.isEmpty ? "" : ",") + server.text }
        return list
    }

    /// Makes a directory unless it is there. Its parent must be.
    static func makeDirectory(_ path: String, mode: UInt32) throws(StartupError) {
        if mkdir(path, mode_t(mode)) == 0 || cb_errno() == EEXIST { return }
        throw StartupError(SystemError("mkdir"), path: path)
    }

    static func controlPath(_ configuration: Configuration) -> String { configuration.runtime + "/control.sock" }

    static func logPath(_ configuration: Configuration) -> String { configuration.runtime + "/log.ring" }

    private static func openLog(_ configuration: Configuration) throws(StartupError) -> Log {
        let path = logPath(configuration)
        do throws(RingError) {
            let ring = try RingLog(path: path, size: configuration.log.size)
            return Log(level: configuration.log.level, ring: ring)
        } catch { throw StartupError("\(path): \(error.message)", .cannotCreate) }
    }

    private static func control(_ configuration: Configuration) throws(StartupError) -> ControlSocket {
        let path = controlPath(configuration)
        do throws(SystemError) { return try ControlSocket(path: path) } catch { throw StartupError(error, path: path) }
    }

    private static func signals() throws(StartupError) -> Signals {
        do throws(SystemError) { return try Signals([SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD]) } catch {
            throw StartupError(error.text, .inputOutput)
        }
    }
}
