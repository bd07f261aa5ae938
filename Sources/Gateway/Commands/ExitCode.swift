/// The exit codes of every command, from sysexits.h.
public enum ExitCode: Int32, Sendable {
    case ok = 0
    /// `status`: not connected.
    case notConnected = 1
    /// `status`: not running.
    case notRunning = 3
    case usage = 64
    case badData = 65
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case permission = 77
    case configuration = 78
}
