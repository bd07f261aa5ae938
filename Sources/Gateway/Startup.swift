import Bytes
import CBoard
import Loop
import SGP
import Store

/// Why the gateway or a command cannot begin: lines for people, and the exit code.
public struct StartupError: Error, Equatable, Sendable {
    public var lines: [String]
    public var exit: ExitCode

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
        var store: Store
        var log: Log
        var control: ControlSocket
        var signals: Signals
        var uplink: Uplink?
    }

    /// The configuration of this file, or all its faults.
    static func load(_ path: String) throws(StartupError) -> Configuration {
        switch Configuration.load(path: path) {
        case .success(let configuration): return configuration
        case .failure(let faults): throw StartupError(lines: faults.lines, .configuration)
        }
    }

    /// Opens everything, in an order in which nothing is touched that another gateway may be using.
    static func open(configurationPath path: String) throws(StartupError) -> (Gateway, StateLock) {
        let configuration = try load(path)
        let settings = try uplinkSettings(configuration)
        try makeDirectory(configuration.stateDirectory, mode: 0o700)
        try makeDirectory(configuration.runtimeDirectory, mode: 0o755)
        do throws(StoreError) {
            let lock = try StateLock(directory: configuration.stateDirectory)
            let store = try Store.open(directory: configuration.stateDirectory)
            let log = try openLog(configuration)
            let keyFile = KeyFile(directory: configuration.stateDirectory)
            let uplink = try settings.map { settings throws(StoreError) in
                try Uplink(settings, store: store, keyFile: keyFile, log: log)
            }
            try uplink?.deleteClientCertificate()
            let parts = try Parts(
                configuration: configuration, configurationPath: path, store: store, log: log,
                control: control(configuration), signals: signals(), uplink: uplink)
            return (Gateway(parts), lock)
        } catch { throw StartupError(error) }
    }
}
