import Bytes
import CBoard
import Loop
import Testing

@testable import Gateway

extension HookEnvironment {
    /// Entry of the environment, or nil at its end. A method, so that the memory lives until it has been read.
    func text(_ index: Int) -> String? { pointer[index].map { String(cString: $0) } }
}

@Suite struct HookTests {
    private func outcome(_ end: ChildEnd, timedOut: Bool = false, tries: Int = 1) -> (HookOutcome, String) {
        var reason = ByteBuffer(capacity: Limits.hookReason)
        let outcome = HookOutcome(end, timedOut: timedOut, program: "/bin/x", tries: tries, reason: &reason)
        return (outcome, String(decoding: Array(reason.pointer), as: UTF8.self))
    }

    @Test func ends() {
        #expect(outcome(.exited(0)) == (.done, ""))
        #expect(outcome(.exited(1)) == (.dead, "exit 1"))
        #expect(outcome(.exited(74)) == (.dead, "exit 74"))
        #expect(outcome(.exited(76)) == (.dead, "exit 76"))
        #expect(outcome(.exited(75), tries: 1) == (.retry, "exit 75"))
        #expect(outcome(.exited(75), tries: 4) == (.retry, "exit 75"))
        #expect(outcome(.exited(75), tries: 5) == (.dead, "exit 75, 5 times"))
        #expect(outcome(.signalled(9)) == (.dead, "killed by signal 9"))
        #expect(outcome(.exited(0), timedOut: true) == (.dead, "no end within 30 s: killed"))
        #expect(outcome(.exited(75), timedOut: true) == (.dead, "no end within 30 s: killed"))
        #expect(outcome(.notStarted(ENOENT)) == (.dead, "/bin/x: No such file or directory"))
        #expect(outcome(.notStarted(EACCES)) == (.dead, "/bin/x: Permission denied"))
        #expect(outcome(.notStarted(ETXTBSY)) == (.retry, "/bin/x: Text file busy"))
        #expect(outcome(.notStarted(EAGAIN), tries: 5).0 == .dead)
    }

    @Test(arguments: [1, 158, 159, 160, 161, 254, 255, 256, 257, 4_095]) func longProgram(length: Int) {
        var reason = ByteBuffer(capacity: Limits.hookReason)
        let program = "/" + String(repeating: "x", count: length - 1)
        for (code, words) in [(ENOENT, "No such file or directory"), (ETXTBSY, "Text file busy, 5 times")] {
            let outcome = HookOutcome(.notStarted(code), timedOut: false, program: program, tries: 5, reason: &reason)
            let text = String(decoding: Array(reason.pointer), as: UTF8.self)
            #expect(outcome == .dead)
            #expect(text == "\(program.prefix(160)): \(words)")
        }
    }

    private func value(_ variable: HookEnvironment.Variable, _ text: [UInt8]?) -> String {
        let environment = HookEnvironment()
        environment.set(variable, text?.span.bytes)
        return environment.text(variable.rawValue) ?? ""
    }

    @Test func variables() {
        #expect(value(.title, nil) == "SKYGLOW_TITLE=")
        #expect(value(.body, Array("a=b\nä".utf8)) == "SKYGLOW_BODY=a=b\nä")
        #expect(value(.bundle, Array("org.example".utf8)) == "SKYGLOW_BUNDLE=org.example")
        #expect(value(.title, Array("\0a\0\0b\0".utf8)) == "SKYGLOW_TITLE=\u{FFFD}a\u{FFFD}\u{FFFD}b\u{FFFD}")
        let id = [UInt8](0..<16)
        let environment = HookEnvironment()
        environment.setMessageID(id.span.bytes)
        #expect(
            environment.text(HookEnvironment.Variable.messageID.rawValue)
                == "SKYGLOW_MSG_ID=000102030405060708090a0b0c0d0e0f")
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072]) func longVariables(length: Int) {
        #expect(value(.body, [UInt8](repeating: 0x61, count: length)).utf8.count == 13 + min(length, 65_536))
        let wide = String(repeating: "a", count: 1) + String(repeating: "ä", count: length / 2)
        let shown = value(.body, Array(wide.utf8)).dropFirst(13)
        #expect(wide.hasPrefix(shown) && shown.utf8.count >= min(wide.utf8.count, 65_535))
    }

    /// What was cut stays cut: nothing that would fit is taken from behind the cut.
    @Test(arguments: [65_533, 65_534, 65_535, 65_536]) func nothingAfterACut(length: Int) {
        let start = [UInt8](repeating: 0x61, count: length)
        let shown = value(.title, start + [0, 0x62])
        let room = 65_536 - length
        let rest = room < 3 ? "" : "\u{FFFD}"
        #expect(shown == "SKYGLOW_TITLE=" + String(repeating: "a", count: length) + rest)
    }

    @Test func theRestIsInherited() {
        setenv("SKYGLOW_TITLE", "of somebody else", 1)
        setenv("NOTIFY_SOCKET", "/x", 1)
        setenv("SKYGLOWD_CONFIG", "/etc/x", 1)
        defer { for name in ["SKYGLOW_TITLE", "NOTIFY_SOCKET", "SKYGLOWD_CONFIG"] { unsetenv(name) } }
        let environment = HookEnvironment()
        var texts: [String] = []
        var index = 0
        while let text = environment.text(index) {
            texts.append(text)
            index += 1
        }
        #expect(texts.filter { $0.hasPrefix("SKYGLOW_TITLE=") } == ["SKYGLOW_TITLE="])
        #expect(!texts.contains { $0.hasPrefix("NOTIFY_SOCKET") })
        #expect(texts.contains("SKYGLOWD_CONFIG=/etc/x"))
        #expect(texts.contains { $0.hasPrefix("PATH=") })
    }

    @Test(
        arguments: [
            ("fifo:/x", [OutletAddress(kind: .fifo, path: "/x")]),
            (
                "socket:run/s , fifo:a b",
                [
                    OutletAddress(kind: .socket, path: "/var/lib/skyglow/run/s"),
                    OutletAddress(kind: .fifo, path: "/var/lib/skyglow/a b"),
                ]
            ),
        ])
    func outlets(text: String, expected: [OutletAddress]) throws {
        let configuration = try parsed("[route r]\nbundle = *\noutlet = \(text)")
        #expect(configuration.routes.first?.outlets == expected)
    }

    @Test(arguments: [16, 17]) func outletsOfAllRoutes(count: Int) {
        var text = "[route shared]\nbundle = a\noutlet = fifo:/0\n"
        for number in 0..<count { text += "[route \(number)]\nbundle = a\noutlet = fifo:/\(number)\n" }
        #expect(faults(text) == (count > 16 ? ["f:3: the outlets of all routes are more than 16"] : []))
    }

    @Test(arguments: [("1", 1), ("3600", 3600)]) func retries(text: String, seconds: Int) throws {
        #expect(try parsed("[route r]\nbundle = *\nretry = \(text)").routes.first?.retry == seconds)
        #expect(try parsed("[route r]\nbundle = *").routes.first?.retry == 2)
    }
}
