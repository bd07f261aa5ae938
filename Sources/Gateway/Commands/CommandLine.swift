import Bytes
import CBoard
import Loop
import Store

/// Runs one command to its exit code.
public struct CommandRunner {
    let json: Bool
    let configurationPath: String

    public init(_ invocation: Invocation) {
        json = invocation.json
        configurationPath = invocation.configuration ?? Self.environment("SKYGLOWD_CONFIG") ?? Self.defaultPath
    }

    private static let defaultPath = "/etc/skyglow/skyglowd.conf"

    static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Does what was asked. Messages for people go to standard error.
    public func run(_ command: Command) -> ExitCode {
        do throws(StartupError) { return try dispatch(command) } catch {
            for line in error.lines { Output.complain(line, bare: error.exit == .configuration && command == .check) }
            return error.exit
        }
    }

    private func dispatch(_ command: Command) throws(StartupError) -> ExitCode {
        switch command {
        case .help:
            printText(Help.text)
            return .ok
        case .version:
            printText(Version.text)
            return .ok
        case .run:
            return try Startup.open(configurationPath: configurationPath).run()
        case .check: return try check()
        case .certificateFetch, .certificateImport, .certificateShow: return try certificate(command)
        case .tokenAdd, .tokenList, .tokenMute, .tokenUnmute, .tokenDelete:
            return try asOwner { () throws(StartupError) in try token(command) }
        case .inbox(let unreadOnly, let limit):
            return try asOwner { () throws(StartupError) in try inbox(unreadOnly: unreadOnly, limit: limit) }
        case .read(let ids): return try asOwner { () throws(StartupError) in try read(ids) }
        case .readAll: return try asOwner { () throws(StartupError) in try readAll() }
        case .log(let follow, let lines): return try log(follow: follow, lines: lines)
        case .status: return try status()
        case .pairCronstable(let link): return try pairCronstable(link)
        case .pairPocketty(let host): return try pairPocketty(host)
        case .pairRotate: return try pairRotate()
        case .pairings: return try listPairings()
        case .unpair(let id): return try unpair(id)
        case .notePair(let file): return try notePair(file)
        case .noteSend(let file, let agent, let state, let pane):
            return try noteSend(file, agent: agent, state: state, pane: pane)
        case .keepAliveShow(let network):
            return try asOwner { () throws(StartupError) in try showIntervals(network) }
        case .keepAlivePlot(let svg, let network): return try plotIntervals(svg: svg, network)
        case .keepAliveForget(let network):
            return try asOwner { () throws(StartupError) in try forgetIntervals(network) }
        case .panelTest: return try tell("panel test")
        case .panelOff: return try panelOff()
        case .reconnect: return try tell("reconnect")
        case .reload: return try tell("reload")
        case .stop: return try stop()
        }
    }

    func printText(_ text: String) {
        var output = Output(descriptor: STDOUT_FILENO)
        output.write(text)
        output.flush()
    }

    // MARK: What commands share

    func configuration() throws(StartupError) -> Configuration { try Startup.load(configurationPath) }

    func server(of configuration: Configuration) throws(StartupError) -> Configuration.Server {
        guard let server = configuration.server else {
            throw StartupError("\(configurationPath): no [server] is configured", .configuration)
        }
        return server
    }

    /// Does what touches the state directory.
    func asOwner(_ body: () throws(StartupError) -> ExitCode) throws(StartupError) -> ExitCode {
        let owner = StateOwner(of: try configuration().directory)
        let exit = try body()
        withExtendedLifetime(owner) {}
        return exit
    }

    func openStore(_ configuration: Configuration) throws(StartupError) -> Store {
        try Startup.makeDirectory(configuration.directory, mode: 0o700)
        return try Startup.stored { () throws(StoreError) in try Store.open(directory: configuration.directory) }
    }

    /// Asks the running gateway. Nil if none runs.
    func ask(_ request: String, _ configuration: Configuration) throws(StartupError) -> [UInt8]? {
        let path = Startup.controlPath(configuration)
        do throws(SystemError) {
            return try UnixSocket.ask(path: path, request: request, milliseconds: 30_000)
        } catch {
            if error.code == ENOENT || error.code == ECONNREFUSED { return nil }
            throw StartupError("\(path): \(error.text)", error.code == EACCES ? .permission : .unavailable)
        }
    }

    /// Tells the running gateway, if there is one, that something changed in the store.
    func poke(_ request: String, _ configuration: Configuration) {
        do throws(StartupError) { _ = try ask(request, configuration) } catch {
            for line in error.lines { Output.complain(line) }
        }
    }

    /// A request whose answer is `ok` or the reason why not.
    private func tell(_ request: String) throws(StartupError) -> ExitCode {
        guard let answer = try ask(request, configuration()) else {
            throw StartupError("no gateway is running", .unavailable)
        }
        let text = String(decoding: answer, as: UTF8.self)
        if text.hasPrefix("ok") { return .ok }
        let reason = text.hasPrefix("error ") ? String(text.dropFirst(6)) : "no answer"
        throw StartupError(trimmed(reason), request == "reload" ? .configuration : .unavailable)
    }

    private func trimmed(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }

    private func check() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        _ = try Startup.routing(configuration)
        printText("configuration OK\n")
        if let server = configuration.server, access(server.certificate, R_OK) != 0 {
            Output.complain("note: \(server.certificate) cannot be read yet: see `skyglowd certificate fetch`")
        }
        return .ok
    }

    /// The first line of the answer is `ok STATE`.
    private func status() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        guard let answer = try ask(json ? "status json" : "status", configuration) else {
            if json { printText("{\"state\":null}\n") }
            Output.complain("not running")
            return .notRunning
        }
        guard let end = answer.firstIndex(of: UInt8(ascii: "\n")) else {
            throw StartupError("the gateway gave no answer", .unavailable)
        }
        printText(String(decoding: answer[(end + 1)...], as: UTF8.self))
        return answer[..<end].elementsEqual("ok connected".utf8) ? .ok : .notConnected
    }

    /// Waits until the gateway is gone, so that a script may start another.
    private func stop() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        guard try ask("stop", configuration) != nil else {
            throw StartupError("no gateway is running", .unavailable)
        }
        for _ in 0..<100 {
            do throws(StoreError) {
                let lock = try StateLock(directory: configuration.directory)
                withExtendedLifetime(lock) {}
                return .ok
            } catch { usleep(100_000) }
        }
        throw StartupError("the gateway has not stopped within 10 s", .unavailable)
    }

    private func log(follow: Bool, lines: Int?) throws(StartupError) -> ExitCode {
        let path = Startup.logPath(try configuration())
        do throws(RingError) {
            let reader = try RingReader(path: path)
            var part = try reader.last(lines ?? (follow ? 10 : .max))
            printText(String(decoding: part.bytes, as: UTF8.self))
            while follow {
                usleep(200_000)
                part = try reader.read(from: part.next)
                if part.lost { Output.complain("some lines were overwritten before they could be shown") }
                printText(String(decoding: part.bytes, as: UTF8.self))
            }
            return .ok
        } catch .system(_, ENOENT) {
            throw StartupError(
                "\(path): there is no log: no gateway has run yet, or the board was started since", .inputOutput)
        } catch { throw StartupError("\(path): \(error.message)", .inputOutput) }
    }
}
