/// Reads a command line. Options may stand before or after the words of the command; `--` ends them.
public struct Arguments {
    private var words: [String] = []
    private var options: [(name: String, value: String?)] = []

    /// The options that take a value.
    private static let valued = ["-c", "-n", "--from", "--fingerprint", "--svg", "--network"]
    private static let flags = ["--json", "--yes", "--unread", "-f", "-h", "--help", "--version"]

    /// What the arguments ask for. `arguments` is without the program's own name.
    public static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        var parser = Arguments()
        try parser.split(arguments)
        var invocation = Invocation(command: .help)
        invocation.configuration = parser.take("-c")
        invocation.json = parser.has("--json")
        if parser.has("--help") || parser.has("-h") { return invocation }
        invocation.command = parser.has("--version") ? .version : try parser.command()
        if let left = parser.options.first { throw UsageError(text: "option \(left.name) does not belong here") }
        return invocation
    }

    private mutating func split(_ arguments: [String]) throws(UsageError) {
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            if argument == "--" {
                words += arguments[index...]
                return
            }
            guard argument.utf8.first == UInt8(ascii: "-"), argument != "-" else {
                words.append(argument)
                continue
            }
            if Self.flags.contains(argument) {
                options.append((argument, nil))
            } else if Self.valued.contains(argument) {
                guard index < arguments.count else { throw UsageError(text: "option \(argument) needs a value") }
                options.append((argument, arguments[index]))
                index += 1
            } else {
                throw UsageError(text: "unknown option \(argument)")
            }
        }
    }

    /// Takes an option that has a value; the last one counts.
    private mutating func take(_ name: String) -> String? {
        let value = options.last(where: { $0.name == name })?.value
        options.removeAll(where: { $0.name == name })
        return value
    }

    private mutating func has(_ name: String) -> Bool {
        let found = options.contains(where: { $0.name == name })
        options.removeAll(where: { $0.name == name })
        return found
    }

    private mutating func command() throws(UsageError) -> Command {
        guard !words.isEmpty else { throw UsageError(text: "no command given") }
        let verb = words.removeFirst()
        switch verb {
        case "run": return try alone(.run)
        case "check": return try alone(.check)
        case "status": return try alone(.status)
        case "reconnect": return try alone(.reconnect)
        case "reload": return try alone(.reload)
        case "stop": return try alone(.stop)
        case "help": return .help
        case "certificate": return try certificate()
        case "token": return try token()
        case "panel":
            return try panel()
        case "inbox":
            let unread = has("--unread")
            return try alone(.inbox(unreadOnly: unread, limit: try number("-n")))
        case "log":
            let follow = has("-f")
            return try alone(.log(follow: follow, lines: try number("-n")))
        case "read": return try read()
        case "pair": return try pair()
        case "pairings": return try alone(.pairings)
        case "unpair":
            guard words.count == 1, let id = Int64(words[0]), id > 0 else { throw UsageError(text: "use: unpair ID") }
            return .unpair(id: id)
        case "note": return try note()
        case "keepalive": return try keepAlive()
        default: throw UsageError(text: "unknown command \(verb)")
        }
    }

    private func alone(_ command: Command) throws(UsageError) -> Command {
        guard let extra = words.first else { return command }
        throw UsageError(text: "unexpected argument \(extra)")
    }

    private mutating func panel() throws(UsageError) -> Command {
        let verb = words.first
        guard verb == "test" || verb == "off" else { throw UsageError(text: "use: panel test or panel off") }
        words.removeFirst()
        return try alone(verb == "test" ? .panelTest : .panelOff)
    }

    private mutating func number(_ option: String) throws(UsageError) -> Int? {
        guard let text = take(option) else { return nil }
        guard let value = Int(text), value >= 0 else {
            throw UsageError(text: "option \(option) needs a number, not \(text)")
        }
        return value
    }

    private mutating func certificate() throws(UsageError) -> Command {
        guard let verb = words.first else { throw UsageError(text: "use: certificate fetch, import FILE or show") }
        words.removeFirst()
        switch verb {
        case "fetch":
            let command = Command.certificateFetch(
                from: take("--from"), fingerprint: take("--fingerprint"), yes: has("--yes"))
            return try alone(command)
        case "import":
            guard words.count == 1 else { throw UsageError(text: "use: certificate import FILE") }
            return .certificateImport(path: words[0])
        case "show": return try alone(.certificateShow)
        default: throw UsageError(text: "unknown command certificate \(verb)")
        }
    }

    private mutating func token() throws(UsageError) -> Command {
        guard let verb = words.first else {
            throw UsageError(text: "use: token add, mute, unmute or delete BUNDLE, or token list")
        }
        words.removeFirst()
        if verb == "list" { return try alone(.tokenList) }
        guard ["add", "mute", "unmute", "delete"].contains(verb) else {
            throw UsageError(text: "unknown command token \(verb)")
        }
        guard words.count == 1 else { throw UsageError(text: "use: token \(verb) BUNDLE") }
        switch verb {
        case "add": return .tokenAdd(bundle: words[0])
        case "mute": return .tokenMute(bundle: words[0])
        case "unmute": return .tokenUnmute(bundle: words[0])
        default: return .tokenDelete(bundle: words[0])
        }
    }

    private mutating func pair() throws(UsageError) -> Command {
        let usage = "use: pair cronstable LINK, pair pocketty USER@HOST or pair rotate"
        guard let verb = words.first else { throw UsageError(text: usage) }
        words.removeFirst()
        if verb == "rotate" { return try alone(.pairRotate) }
        guard verb == "cronstable" || verb == "pocketty", words.count == 1, !words[0].isEmpty else {
            throw UsageError(text: usage)
        }
        return verb == "cronstable" ? .pairCronstable(link: words[0]) : .pairPocketty(host: words[0])
    }

    private mutating func keepAlive() throws(UsageError) -> Command {
        guard let verb = words.first else { throw UsageError(text: "use: keepalive show, plot or forget") }
        words.removeFirst()
        switch verb {
        case "show", "forget":
            guard words.count <= 1 else { throw UsageError(text: "unexpected argument \(words[1])") }
            return verb == "show" ? .keepAliveShow(network: words.first) : .keepAliveForget(network: words.first)
        case "plot":
            let svg = take("--svg")
            guard svg != "" else { throw UsageError(text: "option --svg needs the name of a file, or -") }
            return try alone(.keepAlivePlot(svg: svg, network: take("--network")))
        default: throw UsageError(text: "unknown command keepalive \(verb)")
        }
    }

    private func note() throws(UsageError) -> Command {
        if words.count == 2, words[0] == "pair" { return .notePair(file: words[1]) }
        guard words.first == "send", words.count == 4 || words.count == 5 else {
            throw UsageError(text: "use: note pair FILE, or note send FILE AGENT STATE [PANE]")
        }
        return .noteSend(
            file: words[1], agent: words[2], state: words[3], pane: words.count == 5 ? words[4] : "1")
    }

    private func read() throws(UsageError) -> Command {
        guard !words.isEmpty else { throw UsageError(text: "use: read ID… or read all") }
        if words == ["all"] { return .readAll }
        var ids: [Int64] = []
        for word in words {
            guard let id = Int64(word), id > 0 else { throw UsageError(text: "\(word) is no identifier of the inbox") }
            ids.append(id)
        }
        return .read(ids: ids)
    }
}
