import Foundation
import Testbed
import Testing

/// The commands of `skyglow-testbed`.
@Suite struct ConsoleTests {
    private func run(_ console: Console, _ line: String) -> String { console.run(line)?.words ?? "" }

    private func field(_ reply: String, _ name: String) -> String? {
        reply.split(separator: " ").first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test func everyFaultCanBeginAndEnd() throws {
        let rig = try Rig()
        let console = Console(rig.server)
        let values = [
            "tls-max": "1.2", "client-certificate": "require", "split": "1 5", "delay": "3", "legacy-hello": "two",
            "opening": "00ff", "hello-version": "9", "duplicates": "2", "register-fail": "4 full early",
            "address": "hex=0020", "refuse-login": "5", "clock": "-400", "time-sync": "7", "web": "404",
        ]
        let names = Console.help.components(separatedBy: "Faults (")[1].components(separatedBy: "Moments of")[0]
            .split(separator: "\n").dropFirst().filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .map { $0.split(separator: " ")[0] }
        #expect(names.count == 31)
        let normal = "\(rig.server.faults)"
        for name in names {
            let begun = run(console, "fault \(name) \(values[String(name)] ?? "")")
            #expect(begun == "ok fault")
            #expect("\(rig.server.faults)" != normal, "fault \(name) changes nothing")
            #expect(run(console, "fault \(name) off") == "ok fault")
            #expect("\(rig.server.faults)" == normal, "fault \(name) stays")
        }
        _ = console.run("fault split 3")
        #expect(run(console, "fault none") == "ok fault")
        #expect("\(rig.server.faults)" == normal)
    }

    @Test(
        arguments: [
            "fly", "fault", "fault fly", "fault split", "fault split x", "fault no-pong 3", "notify", "notify 12",
            "notify 12 colour=red", "at", "at dawn drop", "at ack", "at ack fly", "disconnect", "disconnect 256",
            "ping", "drop", "close", "wait", "wait dawn", "again 00", "frame S_FLY", "raw 0", "stall", "listen maybe",
            "report /nonexistent", "status more", "notify \"open", "time-sync soon",
        ])
    func mistakesAreErrorsWithAReason(line: String) throws {
        let rig = try Rig()
        let reply = try #require(Console(rig.server).run(line))
        #expect(!reply.succeeded)
        #expect(reply.words.hasPrefix("error \(line.split(separator: " ")[0]) reason="))
    }

    @Test func emptyLinesAndCommentsSayNothing() throws {
        let rig = try Rig()
        let console = Console(rig.server)
        for line in ["", "   ", "# fault none"] { #expect(console.run(line) == nil) }
    }

    @Test func helpFitsEightyColumns() {
        for line in Console.help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func commandsReachTheClient() throws {
        let rig = try Rig()
        let console = Console(rig.server)
        let client = try rig.login()
        #expect(run(console, "ping 5") == "ok ping")
        #expect(try client.expect(0x1A) == be(Int64(5)))
        #expect(run(console, "frame 0x99 0102 reserved=7") == "ok frame")
        #expect(try client.read(10) == [0x53, 2, 0x99, 7, 0, 0, 0, 2, 1, 2])
        #expect(run(console, "frame S_POLL_DONE") == "ok frame")
        try client.expect(0x17)
        #expect(run(console, "raw 0a0b") == "ok raw")
        #expect(try client.read(2) == [10, 11])
        #expect(run(console, "at ping skip send 5302170000000000") == "ok at")
        try client.send(0x27, be(Int64(1)))
        try client.expect(0x17)
        #expect(run(console, "wait frame 1 type=C_PING") == "ok wait type=C_PING size=8 seq=1")
        #expect(run(console, "mark") == "ok mark")
        #expect(run(console, "disconnect 3 60") == "ok disconnect")
        #expect(try client.expect(0x14) == [3, 0, 0, 0, 60])
        #expect(run(console, "wait closed within=2").hasPrefix("ok wait by=server how=close"))
        #expect(run(console, "quit") == "ok quit")
        #expect(console.isOver)
    }

    @Test func notifyBuildsWhatItSays() throws {
        let rig = try Rig()
        let console = Console(rig.server)
        let client = try rig.login()
        _ = console.run("notify \(rig.token.text) type=flat title=\"A \\\"b\\\"\" body='c d'")
        let flat = try client.expect(0x13)
        #expect(Array(flat[70...]) == [1, 0, 5] + Array("A \"b\"".utf8) + [2, 0, 3] + Array("c d".utf8))
        _ = console.run("notify \(rig.token.text) type=json title=x badge=2 level=time-sensitive custom=y")
        let json = String(decoding: try client.expect(0x13)[70...], as: UTF8.self)
        #expect(
            json == #"{"aps":{"alert":{"title":"x"},"interruption-level":"time-sensitive","badge":2},"custom":"y"}"#)
        let reply = run(console, "notify \(rig.token.text) expired encrypt compress copies=2 seq=9")
        let first = try client.expect(0x13)
        #expect(try client.expect(0x13) == first)
        #expect(hex(first[32..<48]) == field(reply, "msg_id"))
        #expect(Array(first[48..<65]) == be(Int64(9)) + be(Int64(1)) + [3])
        #expect(field(run(console, "notify \(rig.token.text) size=500"), "size") == "500")
        #expect(try client.expect(0x13).count == 500)
        #expect(field(run(console, "notify \(rig.token.text) oversize"), "size") == "5000")
        #expect(try client.expect(0x13).count == 5000)
        #expect(field(run(console, "notify \(rig.token.text) count=3 one-write"), "pushed") == "yes")
        for _ in 1...3 { try client.expect(0x13) }
    }

    @Test func reportComparesInboxAndAcknowledgements() throws {
        let path = NSTemporaryDirectory() + "inbox-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let rig = try Rig()
        let console = Console(rig.server)
        let client = try rig.login()
        let token = rig.token.text
        let plain = try #require(field(run(console, "notify \(token) title=Plain body=Text label=plain"), "msg_id"))
        let wrong = try #require(field(run(console, "notify \(token) wrong-key label=wrong"), "msg_id"))
        _ = console.run("notify \(token) unknown-key label=unknown")
        let mute = try #require(
            field(run(console, "notify \(token) label=muted expect=hidden ack=0 copies=2"), "msg_id"))
        func acknowledge(_ identifier: String, _ status: UInt8) throws {
            let mark = rig.server.events.mark
            try client.ack(try #require(bytes(hex: identifier)), status)
            try rig.server.events.wait(for: .acked, after: mark)
        }
        func report(_ entries: String, unread: Int = 1) throws -> Console.Reply {
            try Data("{\"unread\":1,\"notifications\":[\(entries)]}".utf8).write(to: URL(fileURLWithPath: path))
            return try #require(console.run("report \(path) unread=\(unread)"))
        }
        let good = "{\"msg_id\":\"\(plain)\",\"title\":\"Plain\",\"body\":\"Text\",\"placeholder\":false}"
        try acknowledge(plain, 0)
        try acknowledge(mute, 0)
        try acknowledge(wrong, 1)
        #expect(try !report(good).succeeded)  // The second copy of the muted one is not acknowledged.
        try acknowledge(mute, 0)
        let done = try report(good)
        #expect(done.succeeded)
        #expect(done.words == "ok report checked=4")
        #expect(done.lines.count == 5)
        #expect(try !report(good, unread: 0).succeeded)
        #expect(try !report("").succeeded)
        #expect(try !report("\(good),\(good)").succeeded)
        #expect(try !report(good.replacingOccurrences(of: "Text", with: "Test")).succeeded)
        #expect(try !report("\(good),{\"msg_id\":\"\(wrong)\"}").succeeded)
        #expect(try report("\(good),{\"msg_id\":\"\(wrong)\",\"placeholder\":true}").succeeded)
        try acknowledge(plain, 2)
        #expect(try !report(good).succeeded)
    }

    @Test func eventsAsWordsAndJSON() throws {
        let rig = try Rig(options: Server.Options())
        rig.server.faults.web = .garbage
        let client = try rig.login()
        try client.ack([UInt8](repeating: 0xAB, count: 16), 3)
        let event = try rig.server.events.wait(for: .acked)
        let identifier = String(repeating: "ab", count: 16)
        #expect(event.description == "acked connection=2 msg_id=\(identifier) status=3 known=no")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(event.json.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "acked")
        #expect(object["msg_id"] as? String == identifier)
        #expect(object["status"] as? Int == 3)
        #expect(object["known"] as? Bool == false)
    }
}
