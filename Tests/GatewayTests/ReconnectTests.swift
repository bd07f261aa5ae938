import Bytes
import CBoard
import Foundation
import Loop
import SGP
import Store
import Testing

@testable import Gateway
@testable import Testbed

/// A board reconnects for years. In a process of its own, with the server in another, so that nothing else is counted.
@Suite struct ReconnectTests {
    @Test func nothingPilesUp() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let lane = try Lane()
            lane.run(rounds: 60)
            let (memory, descriptors) = (lane.resident(), lane.descriptors())
            lane.run(rounds: 200)
            let (memoryAfter, descriptorsAfter) = (lane.resident(), lane.descriptors())
            lane.end()
            FileHandle.standardError.write(
                Data(
                    "resident \(memory) to \(memoryAfter) KiB, descriptors \(descriptors) to \(descriptorsAfter)\n".utf8
                ))
            // 4 KiB a connection would be 800.
            exit(descriptorsAfter == descriptors && memoryAfter - memory < 400 ? 0 : 1)
        }
        print(String(decoding: (result?.standardErrorContent ?? []).prefix(300), as: UTF8.self))
    }
}

/// An uplink and a server that breaks its connections at one step after the other.
private final class Lane {
    private let testbed = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    private let directory: StateDirectory
    private let store: Store
    private let uplink: Uplink
    private var set = PollSet(capacity: Limits.pollSlots)
    private var ahead: Int64 = 0
    private var round = 0

    /// A step that fails, as commands of the testbed before and after it.
    private static let steps: [(before: String, after: String)] = [
        ("at accept drop", ""), ("at tls drop", ""), ("at hello drop", ""), ("at login drop", ""),
        ("at challenge drop", ""),
        ("at response drop", ""), ("at authenticated drop", ""), ("at filter close", ""), ("at poll drop", ""),
        ("at poll-done close", ""), ("at login disconnect 3", ""), ("fault wrong-certificate", "fault none"),
        ("fault tls-max 1.1", "fault none"), ("fault no-tls", "fault none"), ("fault no-hello", "fault none"),
        ("fault no-challenge", "fault none"), ("fault opening 0a0b0c0d", "fault none"), ("listen off", "listen on"),
    ]

    init() throws {
        cb_ignore_sigpipe()
        directory = try StateDirectory()
        let tools = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        testbed.executableURL = tools.appendingPathComponent("skyglow-testbed")
        testbed.arguments = ["serve", "--dir", directory.path, "--events", directory.file("events")]
        testbed.standardInput = commands
        testbed.standardOutput = answers
        try testbed.run()
        var ready = ""
        while !ready.contains("\n") {
            ready += String(decoding: answers.fileHandleForReading.availableData, as: UTF8.self)
        }
        let fields = ready.split(whereSeparator: { $0 == " " || $0 == "\n" })
        let port = try #require(UInt16(fields.first { $0.hasPrefix("port=") }?.dropFirst(5) ?? ""))
        let pem = try Data(contentsOf: URL(fileURLWithPath: directory.file("server.pem")))
        let certificate = try #require(pem.withUnsafeBytes { Certificate.der(pem: $0) })
        store = try directory.open()
        try store.add(DeviceToken(serverAddress: "sgn.test"), bundle: "org.example.door")
        uplink = try Uplink(
            UplinkSettings(
                serverAddress: Blob("sgn.test") ?? Blob(), certificate: certificate,
                endpoint: Endpoint(host: "127.0.0.1", port: port), resolvers: "127.0.0.1:9",
                registrationCertificate: nil,
                keepAlive: KeepAlive(interval: 600_000, pongTimeout: 15_000)),
            routing: Routing([]), outlets: Outlets([], store: store, log: Log(stream: .none)), store: store,
            keyFile: KeyFile(directory: directory.path), log: Log(level: .error, stream: .none))
        uplink.start(now: now)
        turn { self.uplink.link.state == .connected && self.uplink.exchange.session.syncStep == .done }
    }

    private var now: Int64 { SystemClock().now + ahead }

    /// Turns the loop until a condition holds; what would be waited for is skipped.
    private func turn(until condition: () -> Bool) {
        let end = Date(timeIntervalSinceNow: 20)
        var quiet = 0
        while !condition() {
            guard Date() < end else { fatalError("stuck in \(uplink.link.state.name), round \(round)") }
            uplink.advance(now: now, unixTime: SystemClock().unixTime)
            set.removeAll()
            uplink.register(in: &set)
            let due = uplink.deadline(now: now)
            let begin = SystemClock().now
            try? set.wait(milliseconds: Int32(max(0, min(due - now, 20))))
            quiet = SystemClock().now - begin >= 20 ? quiet + 1 : 0
            // Nothing comes from the server any more: let the time pass.
            if quiet > 2 || uplink.link.nextAttempt != nil, due > now, due < now + 20_000 {
                ahead += due - now + 1
                quiet = 0
            }
        }
    }

    /// One command, and its answer.
    private func command(_ line: String) {
        guard !line.isEmpty else { return }
        commands.fileHandleForWriting.write(Data((line + "\n").utf8))
        var answer = ""
        while !answer.hasSuffix("\n") {
            answer += String(decoding: answers.fileHandleForReading.availableData, as: UTF8.self)
        }
        guard answer.hasPrefix("ok") else { fatalError("\(line): \(answer)") }
    }

    func run(rounds: Int) {
        for _ in 0..<rounds {
            let step = Self.steps[round % Self.steps.count]
            round += 1
            command(step.before)
            uplink.reconnect(now: now)
            turn { self.uplink.link.failures == 1 && self.uplink.stream.stage == .idle }
            command(step.after)
            turn { self.uplink.link.state == .connected && self.uplink.exchange.session.syncStep == .done }
        }
    }

    func resident() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first ?? "") ?? 0
    }

    func descriptors() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

    func end() {
        commands.fileHandleForWriting.closeFile()
        testbed.waitUntilExit()
    }
}
