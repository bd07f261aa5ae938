import Bytes
import CBoard
import Loop
import Store

/// Runs one command to its exit code.
public struct CommandRunner {
    let json: Bool
    let configurationPath: String
    /// Of what is printed.
    let failure = OutputFailure()

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
        Self.occupyStandardDescriptors()
        // A reader that has gone away ends what is printed and not what is done.
        cb_ignore_sigpipe()
        var exit: ExitCode
        var isDone = true
        do throws(StartupError) { exit = try dispatch(command) } catch {
            for line in error.lines { Output.complain(line, bare: error.exit == .configuration && command == .check) }
            exit = error.exit
            isDone = false
        }
        guard failure.errno != 0 else { return exit }
        // Whoever reads no further knows it.
        if failure.errno != EPIPE { Output.complain(SystemError("standard output", code: failure.errno).text) }
        return isDone ? .inputOutput : exit
    }

    /// A file that is opened while one of the three is closed would get its number, and what is printed with it. Using
    /// what is put there fails.
    private static func occupyStandardDescriptors() {
        var status = stat()
        for descriptor in STDIN_FILENO...STDERR_FILENO where fstat(descriptor, &status) != 0 {
            _ = cb_open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY, 0)
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
        case .log(let follow, let lines): return try showLog(follow: follow, lines: lines)
        case .status: return try status()
        // Both become the owner themselves: the daemon is asked as the caller.
        case .pairCronstable(let link): return try pairCronstable(link)
        case .pairPocketty(let host): return try pairPocketty(host)
        case .pairRotate: return try asOwner { () throws(StartupError) in try pairRotate() }
        case .pairings: return try asOwner { () throws(StartupError) in try listPairings() }
        case .unpair(let id): return try asOwner { () throws(StartupError) in try unpair(id) }
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

    func standardOutput() -> Output { Output(descriptor: STDOUT_FILENO, failure: failure) }

    func printText(_ text: String) {
        var output = standardOutput()
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
        try StateOwner.of(configuration().directory, body)
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

    /// Tells the running gateway, if there is one, that something changed in the store. What it does not take notice of
    /// is an error: it goes on as before.
    func poke(_ request: String, _ configuration: Configuration) throws(StartupError) {
        var failure: StartupError
        do throws(StartupError) {
            guard let answer = try ask(request, configuration), let reason = Self.refusal(answer) else { return }
            failure = StartupError(reason, .unavailable)
        } catch { failure = error }
        for index in failure.lines.indices {
            failure.lines[index] = "done, but the running gateway takes no notice: " + failure.lines[index]
        }
        throw failure
    }

    /// A request whose answer is `ok` or the reason why not.
    private func tell(_ request: String) throws(StartupError) -> ExitCode {
        guard let answer = try ask(request, configuration()) else {
            throw StartupError("no gateway is running", .unavailable)
        }
        guard let reason = Self.refusal(answer) else { return .ok }
        throw StartupError(reason, request == "reload" ? .configuration : .unavailable)
    }

    /// Nil for `ok`, with or without a word.
    private static func refusal(_ answer: [UInt8]) -> String? {
        let text = String(decoding: answer.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        if text == "ok" || text.hasPrefix("ok ") { return nil }
        return text.hasPrefix("error ") ? String(text.dropFirst(6)) : "no answer"
    }

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
                let owner = StateOwner(of: configuration.directory)
                let lock = try StateLock(directory: configuration.directory)
                withExtendedLifetime(lock) {}
                withExtendedLifetime(owner) {}
                return .ok
            } catch { usleep(100_000) }
        }
        throw StartupError("the gateway has not stopped within 10 s", .unavailable)
    }
}
