import Foundation

/// The server driven by lines of text: one command a line, one reply each.
///
/// `ok COMMAND key=value …` or `error COMMAND reason`. `Console.help` describes every command, fault and moment.
public final class Console {
    public struct Reply: Sendable {
        public var succeeded: Bool
        public var command: String
        public var fields: [(name: String, value: Event.Value)] = []
        /// Lines for people, printed before the reply.
        public var lines: [String] = []

        /// `ok notify msg_id=…`
        public var words: String {
            (succeeded ? "ok " : "error ") + command + fields.map { " \($0.name)=\($0.value.word)" }.joined()
        }

        public var json: String {
            let outcome = "{\"reply\":\"\(succeeded ? "ok" : "error")\",\"command\":\(jsonText(command))"
            return outcome + fields.map { ",\(jsonText($0.name)):\($0.value.json)" }.joined() + "}"
        }
    }

    typealias Fields = [(name: String, value: Event.Value)]

    struct Command: Sendable {
        let name: String
        let usage: String
        let help: String
        let run: @Sendable (Console, inout Words) throws -> Fields
    }

    let server: Server
    var expectations: [Expectation] = []
    var lines: [String] = []
    /// Where `wait` begins to count.
    private var mark = 0
    /// `quit` was said.
    public private(set) var isOver = false

    public init(_ server: Server) { self.server = server }

    /// Carries out one line; nil for an empty line or a `#` comment.
    public func run(_ line: String) -> Reply? {
        var name = line.split(separator: " ").first.map(String.init) ?? ""
        guard !name.isEmpty, !name.hasPrefix("#") else { return nil }
        lines = []
        do {
            var words = try Words(line)
            name = words.next() ?? ""
            guard let command = Console.commands.first(where: { $0.name == name }) else {
                throw TestbedError.usage("no such command; see --help")
            }
            let fields = try command.run(self, &words)
            try words.finish()
            return Reply(succeeded: true, command: name, fields: fields, lines: lines)
        } catch {
            let why = "\(error)"
            return Reply(succeeded: false, command: name, fields: [("reason", .text(why))], lines: lines)
        }
    }

    static let commands: [Command] = [
        Command(name: "notify", usage: "TOKEN [KEY=VALUE…] [WORD…]", help: "sends a notification; see below") {
            try $0.notify(&$1)
        },
        Command(name: "again", usage: "MSG-ID", help: "sends the same S_NOTIFY once more") { console, words in
            guard let identifier = bytes(hex: try words.next("MSG-ID")) else { throw TestbedError.unknownMessage }
            try console.server.resend(identifier)
            return []
        },
        Command(
            name: "frame", usage: "TYPE [HEX] [magic=N] [version=N] [reserved=N] [length=N]",
            help: "sends one frame at once, in whatever phase"
        ) { try $0.frame(&$1) },
        Command(name: "raw", usage: "HEX", help: "sends bytes as they are") { console, words in
            guard let raw = bytes(hex: try words.next("HEX")) else { throw TestbedError.usage("not hexadecimal") }
            try console.server.send(raw: raw)
            return []
        },
        Command(name: "fault", usage: "NAME [VALUE…] | NAME off | none", help: "begins or ends a fault; see below") {
            try $0.fault(&$1)
        },
        Command(
            name: "at", usage: "MOMENT ACTION… [times=N|ever] [skip=N] | none",
            help: "plans actions for a moment; see below"
        ) { try $0.plan(&$1) },
        Command(name: "disconnect", usage: "REASON [RETRY]", help: "S_DISCONNECT and the end of the connection") {
            console, words in
            let reason: UInt8 = try words.integer("REASON")
            let retry: UInt32? = words.words.isEmpty ? nil : try words.integer("RETRY")
            try console.server.disconnect(reason, retryAfter: retry)
            return []
        },
        Command(name: "close", usage: "", help: "ends the connection without S_DISCONNECT") { console, _ in
            try console.server.close()
            return []
        },
        Command(name: "drop", usage: "", help: "resets the connection (RST)") { console, _ in
            try console.server.drop()
            return []
        },
        Command(name: "ping", usage: "[SEQ]", help: "S_PING") { console, words in
            try console.server.ping(words.words.isEmpty ? 1 : try words.integer("SEQ"))
            return []
        },
        Command(name: "time-sync", usage: "SECONDS", help: "S_TIME_SYNC, this far ahead of the true time") {
            console, words in
            try console.server.timeSync(ahead: try words.integer("SECONDS"))
            return []
        },
        Command(name: "stall", usage: "on|off", help: "stops or resumes reading") { console, words in
            console.server.stall(try Console.on(&words))
            return []
        },
        Command(name: "listen", usage: "on|off", help: "opens or closes the port; off also resets connections") {
            console, words in
            if try Console.on(&words) { try console.server.listen() } else { console.server.unlisten() }
            return []
        },
        Command(name: "mark", usage: "", help: "wait counts events from here on") { console, _ in
            console.mark = console.server.events.mark
            return []
        },
        Command(
            name: "wait", usage: "KIND [N] [within=SECONDS] [FIELD=VALUE…]",
            help: "waits until N events of a kind are there, by default 1 within 10 s"
        ) { try $0.wait(&$1) },
        Command(name: "status", usage: "", help: "connections, devices, registrations, unacknowledged") { console, _ in
            console.status()
        },
        Command(
            name: "report", usage: "INBOX.json [unread=N]",
            help: "compares what labelled notifications should do with what they did"
        ) { try $0.report(&$1) },
        Command(name: "quit", usage: "", help: "ends the server") { console, _ in
            console.isOver = true
            return []
        },
    ]

    static func on(_ words: inout Words) throws(TestbedError) -> Bool {
        switch try words.next("on or off") {
        case "on": true
        case "off": false
        case let word: throw .usage("\(word): on or off")
        }
    }

    private func frame(_ words: inout Words) throws(TestbedError) -> Fields {
        let name = try words.next("TYPE")
        let known = ServerType.allCases.first { $0.name == name }?.rawValue
        let number = name.hasPrefix("0x") ? UInt8(name.dropFirst(2), radix: 16) : UInt8(name)
        guard let type = known ?? number else { throw .usage("TYPE: a number or a name such as S_PING") }
        guard let payload = bytes(hex: words.next() ?? "") else { throw .usage("not hexadecimal") }
        let header = HeaderFault(
            magic: try words.integer(key: "magic"), version: try words.integer(key: "version"),
            reserved: try words.integer(key: "reserved"), length: try words.integer(key: "length"))
        try server.send(type: type, payload: payload, header: header)
        return []
    }

    private func fault(_ words: inout Words) throws(TestbedError) -> Fields {
        let name = try words.next("NAME")
        if name == "none" {
            server.faults = Faults()
            return []
        }
        guard let fault = FaultCommand.all.first(where: { $0.name == name }) else {
            throw .usage("no such fault: \(name)")
        }
        if words.takes("off") {
            fault.clear(&server.faults)
        } else {
            var faults = server.faults
            if fault.values.isEmpty { _ = words.takes("on") }
            try fault.set(&faults, &words)
            server.faults = faults
        }
        return []
    }

    private func plan(_ words: inout Words) throws(TestbedError) -> Fields {
        let name = try words.next("MOMENT")
        if name == "none" {
            server.clearPlans()
            return []
        }
        guard let moment = Moment(rawValue: name) else { throw .usage("no such moment: \(name)") }
        var times: Int? = 1
        if words.value("times") == "ever" { times = nil } else { times = try words.integer(key: "times") ?? 1 }
        let skip: Int = try words.integer(key: "skip") ?? 0
        var actions: [Action] = []
        while let word = words.next() { actions.append(try action(word, &words)) }
        guard !actions.isEmpty else { throw .usage("missing ACTION") }
        server.plan(moment, actions, times: times, skipping: skip)
        return []
    }

    private func action(_ word: String, _ words: inout Words) throws(TestbedError) -> Action {
        switch word {
        case "drop": return .drop
        case "close": return .close
        case "skip": return .skip
        case "stall": return .stall
        case "silence": return .silence
        case "disconnect":
            let reason: UInt8 = try words.integer("REASON")
            return .disconnect(reason, retryAfter: try words.integer(key: "retry"))
        case "send":
            guard let raw = bytes(hex: try words.next("HEX")) else { throw .usage("not hexadecimal") }
            return .send(raw)
        default: throw .usage("no such action: \(word)")
        }
    }

    private func wait(_ words: inout Words) throws -> Fields {
        let name = try words.next("KIND")
        guard let kind = Event.Kind(rawValue: name) else { throw TestbedError.usage("no such kind: \(name)") }
        let count: Int = words.words.isEmpty ? 1 : try words.integer("N")
        let seconds: Int = try words.integer(key: "within") ?? 10
        let conditions = words.pairs.filter { $0.key != "within" }
        for pair in conditions { _ = words.value(pair.key) }
        let event = try server.events.wait(for: kind, count: count, after: mark, within: Double(seconds)) { event in
            conditions.allSatisfy { event[$0.key]?.word == quoted($0.value) }
        }
        return event.fields
    }

    private func status() -> Fields {
        let devices = server.status
        return [
            ("connections", .integer(Int64(server.openConnections))), ("devices", .integer(Int64(devices.count))),
            ("connected", .integer(Int64(devices.count { $0.connected }))),
            ("registrations", .integer(Int64(devices.reduce(0) { $0 + $1.registrations.count }))),
            ("unacknowledged", .integer(Int64(devices.reduce(0) { $0 + $1.unacknowledged }))),
            ("acked", .integer(Int64(server.events.of(.acked).count))),
            ("violations", .integer(Int64(server.events.of(.violation).count))),
        ]
    }
}
