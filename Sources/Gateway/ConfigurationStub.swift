import Panel
import Bytes
public struct Configuration {
    public struct Server { var address = ""; var certificate = ""; var identity: String?; var endpoint: (host: String, port: UInt16)? }
    public struct KeepAliveSection { var minimum = 600; var maximum = 3300; var pongTimeout = 15 }
    var server: Server?
    var stateDirectory = ""
    var runtimeDirectory = ""
    var resolverList: String?
    var keepAlive = KeepAliveSection()
    var panel = PanelConfiguration()
    var logLevel = LogLevel.info
    var logSize = 65536
    enum Outcome { case success(Configuration), failure(Faults) }
    struct Faults { var lines: [String] = [] }
    static func load(path: String) -> Outcome { .failure(Faults()) }
}
