import Testing

@testable import Gateway

@Suite struct ArgumentsTests {
    private func parse(_ line: String) -> Result<Invocation, UsageError> {
        parse(line.split(separator: " ").map(String.init))
    }

    private func parse(_ words: [String]) -> Result<Invocation, UsageError> {
        do throws(UsageError) { return .success(try Arguments.parse(words)) } catch { return .failure(error) }
    }

    @Test(
        arguments: [
            ("run", .run), ("check", .check), ("status", .status), ("reload", .reload), ("reconnect", .reconnect),
            ("stop", .stop), ("panel test", .panelTest), ("panel off", .panelOff), ("help", .help), ("--help", .help),
            ("-h", .help), ("run --help", .help), ("nonsense --help", .help), ("--version", .version),
            ("certificate fetch", .certificateFetch(from: nil, fingerprint: nil, yes: false)),
            (
                "certificate fetch --from http://h --fingerprint 0a --yes",
                .certificateFetch(from: "http://h", fingerprint: "0a", yes: true)
            ),
            ("--yes certificate fetch", .certificateFetch(from: nil, fingerprint: nil, yes: true)),
            ("certificate import server.pem", .certificateImport(path: "server.pem")),
            ("certificate import -", .certificateImport(path: "-")),
            ("certificate show", .certificateShow),
            ("token add org.example.door", .tokenAdd(bundle: "org.example.door")), ("token list", .tokenList),
            ("token mute a", .tokenMute(bundle: "a")), ("token unmute a", .tokenUnmute(bundle: "a")),
            ("token delete a", .tokenDelete(bundle: "a")),
            ("inbox", .inbox(unreadOnly: false, limit: nil)), ("inbox --unread", .inbox(unreadOnly: true, limit: nil)),
            ("inbox -n 0", .inbox(unreadOnly: false, limit: 0)),
            ("-n 5 inbox --unread", .inbox(unreadOnly: true, limit: 5)),
            ("inbox -n 1 -n 2", .inbox(unreadOnly: false, limit: 2)),
            ("log", .log(follow: false, lines: nil)), ("log -f -n 20", .log(follow: true, lines: 20)),
            ("read 1", .read(ids: [1])), ("read 3 1 9223372036854775807", .read(ids: [3, 1, .max])),
            ("read all", .readAll),
            ("keepalive show", .keepAliveShow(network: nil)), ("keepalive show 3", .keepAliveShow(network: "3")),
            ("keepalive plot", .keepAlivePlot(svg: nil, network: nil)),
            ("keepalive plot --svg - --network wlan0", .keepAlivePlot(svg: "-", network: "wlan0")),
            ("keepalive forget", .keepAliveForget(network: nil)),
            ("keepalive forget all", .keepAliveForget(network: "all")),
        ] as [(String, Command)])
    func commands(line: String, command: Command) {
        #expect(parse(line) == .success(Invocation(command: command)))
    }

    @Test(arguments: [
        "", "nonsense", "RUN", "run now", "check x", "status x", "stop stop", "panel", "panel on", "panel test x",
        "certificate",
        "certificate x", "certificate fetch x", "certificate import", "certificate import a b", "certificate show x",
        "token", "token x a", "token add", "token add a b", "token list a", "token mute", "token delete",
        "inbox x", "inbox -n", "inbox -n x", "inbox -n -1", "inbox -n 1.5", "inbox -n 99999999999999999999", "inbox -f",
        "log x", "log --unread", "log -n -5", "read", "read 0", "read -1", "read x", "read 1 x", "read all 1",
        "read 9223372036854775808", "run -n 5", "run --yes", "status -f", "token add a --from http://h",
        "--nonsense", "-x run", "run --json=yes", "-c", "run -c", "inbox --unread=1", "--from http://h run", "-",
        "-- --help", "keepalive", "keepalive x", "keepalive show a b", "keepalive forget a b", "keepalive plot x",
        "keepalive plot --svg", "keepalive show --svg x", "keepalive forget --network x",
    ])
    func faults(line: String) {
        guard case .failure(let error) = parse(line) else { return #expect(Bool(false), "\(line)") }
        #expect(!error.text.isEmpty)
    }

    /// What is wrong is named.
    @Test(arguments: [
        ("nonsense", "nonsense"), ("--nonsense", "--nonsense"), ("inbox -n x", "x"), ("inbox -n", "-n"),
        ("run now", "now"),
        ("run --yes", "--yes"), ("read seven", "seven"), ("token x", "x"), ("certificate x", "x"),
    ])
    func faultsAreNamed(line: String, word: String) {
        guard case .failure(let error) = parse(line) else { return #expect(Bool(false)) }
        #expect(error.text.contains(word))
    }

    @Test func optionsThatEveryCommandTakes() throws {
        #expect(
            parse("-c a.conf --json token list")
                == .success(Invocation(command: .tokenList, configuration: "a.conf", json: true)))
        #expect(
            parse("token list --json -c a.conf -c b.conf")
                == .success(Invocation(command: .tokenList, configuration: "b.conf", json: true)))
        #expect(parse("-c --json run") == .success(Invocation(command: .run, configuration: "--json")))
    }

    /// `--` ends the options, for names that begin with a dash.
    @Test func theEndOfOptions() {
        #expect(parse("token add -- -dash") == .success(Invocation(command: .tokenAdd(bundle: "-dash"))))
        #expect(parse("-- run") == .success(Invocation(command: .run)))
        #expect(parse(["token", "add", ""]) == .success(Invocation(command: .tokenAdd(bundle: ""))))
        #expect(parse(["token", "add", "a b"]) == .success(Invocation(command: .tokenAdd(bundle: "a b"))))
    }
}

@Suite struct HelpTests {
    private let lines = Help.text.split(separator: "\n", omittingEmptySubsequences: false)

    @Test func eightyColumns() {
        for line in lines {
            #expect(line.count <= 80, "\(line)")
            #expect(line.utf8.count == line.count && !line.contains("\t") && line.last != " ", "\(line)")
        }
        #expect(Help.text.hasSuffix("\n") && !Help.text.hasSuffix("\n\n"))
    }

    /// Every command and option of the contract.
    @Test(arguments: [
        "run", "check", "certificate fetch", "certificate import FILE", "certificate show", "token add BUNDLE",
        "token list",
        "token mute BUNDLE", "token unmute BUNDLE", "token delete BUNDLE", "status", "inbox [--unread] [-n N]",
        "read ID",
        "read all", "log [-f] [-n N]", "panel test", "panel off", "reconnect", "reload", "stop", "--version", "--help",
        "-c FILE",
        "keepalive show [NETWORK]", "keepalive plot", "keepalive forget [NETWORK]", "--svg FILE",
        "--network NETWORK",
        "--json", "--from URL", "--fingerprint HEX", "--yes", "$SKYGLOWD_CONFIG", "/etc/skyglow/skyglowd.conf",
    ])
    func named(command: String) {
        #expect(Help.text.contains(command))
    }

    @Test func version() {
        let lines = Version.text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("skyglowd \(Version.number) ") == true)
        for library in ["OpenSSL", "SQLite", "zlib", "c-ares", "libsodium", "libgpiod", "expat", "jansson"] {
            #expect(lines.contains { $0.hasPrefix(library + " ") && $0.last?.isNumber == true }, "\(library)")
        }
    }
}
