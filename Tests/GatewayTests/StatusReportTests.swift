import Bytes
import CBoard
import Foundation
import SGP
import Store
import Testing

@testable import Gateway

@Suite struct StatusReportTests {
    /// Everything as it is before the first connection.
    private func plain() -> StatusReport {
        StatusReport(
            state: .starting, server: Blob<16>("sgn.test") ?? Blob(), since: 1_700_000_000,
            keepAlive: KeepAlive(minimum: 600_000, maximum: 3_300_000, pongTimeout: 15_000),
            counters: Counters(),
            memory: Memory(), message: "off", link: "slow", buzzer: "none", panelProblems: 0)
    }

    private func json(_ report: StatusReport) throws -> [String: Any] {
        var out = ByteBuffer(capacity: Limits.controlAnswer)
        out.append("ok connected\n")
        let start = out.count
        out.append(json: report)
        let overflowed = out.overflowed
        #expect(!overflowed)
        let data = Data(out.pointer[start...])
        #expect(data.last == UInt8(ascii: "\n"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func text(_ report: StatusReport, now: Int64) -> String {
        var out = ByteBuffer(capacity: Limits.controlAnswer)
        out.append(text: report, now: now)
        return String(decoding: out.pointer, as: UTF8.self)
    }

    /// The names of the contract, and nothing of them missing.
    @Test func fields() throws {
        let object = try json(plain())
        let contract: Set = [
            "state", "server", "address", "endpoint", "tls", "since", "interface", "keepalive", "failures",
            "next_attempt",
            "clock_offset", "clock_trusted", "unread", "received", "duplicates", "expired", "rejected", "pending_acks",
            "last_seq",
            "registrations", "memory", "panel", "relay", "version",
        ]
        #expect(contract.subtracting(object.keys).isEmpty)
        func keys(_ name: String) -> Set<String> { Set((object[name] as? [String: Any])?.keys.map { $0 } ?? []) }
        #expect(keys("interface") == ["name", "kind"])
        #expect(keys("keepalive").isSuperset(of: ["stage", "interval", "proven", "minimum", "maximum"]))
        #expect(keys("memory").isSuperset(of: ["rss", "reserved", "allocations_since_ready"]))
        #expect(keys("panel").isSuperset(of: ["message", "link", "buzzer"]))
    }

    @Test func valuesBeforeTheFirstConnection() throws {
        let object = try json(plain())
        #expect(object["state"] as? String == "starting")
        #expect(object["server"] as? String == "sgn.test")
        for name in ["address", "endpoint", "tls", "next_attempt", "relay"] {
            #expect(object[name] is NSNull, "\(name)")
        }
        for name in ["failures", "unread", "received", "duplicates", "expired", "rejected", "pending_acks", "last_seq"]
        {
            #expect(object[name] as? Int == 0, "\(name)")
        }
        let keepAlive = try #require(object["keepalive"] as? [String: Any])
        #expect(keepAlive["interval"] as? Int == 120 && keepAlive["stage"] as? String == "initial")
        #expect(keepAlive["minimum"] as? Int == 600 && keepAlive["maximum"] as? Int == 3300)
        let memory = try #require(object["memory"] as? [String: Any])
        #expect(try #require(memory["rss"] as? Int) > 1 << 20)
        #expect(memory["allocations_since_ready"] is NSNull)
    }

    @Test func values() throws {
        var report = plain()
        report.state = .connected
        report.address = Blob("device@sgn.test") ?? Blob()
        report.endpoint = Blob("127.0.0.1:7373") ?? Blob()
        report.tls = Blob("TLSv1.3") ?? Blob()
        report.failures = 3
        report.nextAttempt = 1_700_000_060
        report.lastEnd = .closed
        report.clockOffset = -12
        report.clockTrust = .server
        report.unread = 4
        report.counters = Counters(received: 5, duplicates: 6, expired: 7, rejected: 8, droppedUnread: 9)
        report.pendingAcks = 10
        report.lastSeq = 11
        report.registrations = 12
        let object = try json(report)
        let integers = [
            "failures": 3, "next_attempt": 1_700_000_060, "clock_offset": -12, "unread": 4, "received": 5,
            "duplicates": 6,
            "expired": 7, "rejected": 8, "dropped_unread": 9, "pending_acks": 10, "last_seq": 11, "registrations": 12,
            "since": 1_700_000_000,
        ]
        for (name, value) in integers { #expect(object[name] as? Int == value, "\(name)") }
        let texts = [
            "state": "connected", "address": "device@sgn.test", "endpoint": "127.0.0.1:7373", "tls": "TLSv1.3",
        ]
        for (name, value) in texts { #expect(object[name] as? String == value, "\(name)") }
        #expect(object["clock_trusted"] as? Bool == true)
        #expect(object["last_end"] as? String == "the server closed the connection")
    }

    /// The greatest and the smallest of everything is JSON still, and fits the answer.
    @Test(arguments: [Int64.min, -1, Int64.max]) func extremes(value: Int64) throws {
        var report = plain()
        report.server = Blob(String(repeating: "\"", count: 16)) ?? Blob()
        report.address = Blob(String(repeating: "\u{1}", count: 255)) ?? Blob()
        report.endpoint = Blob(String(repeating: "\\", count: 64)) ?? Blob()
        report.since = value
        report.keepAlive = KeepAlive(interval: value, pongTimeout: value)
        report.failures = Int(value)
        report.nextAttempt = value
        report.clockOffset = value
        report.unread = Int(value)
        report.counters = Counters(
            received: value, duplicates: value, expired: value, rejected: value, droppedUnread: value,
            droppedAcknowledgements: value)
        report.pendingAcks = Int(value)
        report.lastSeq = value
        report.registrations = Int(value)
        report.lastEnd = .protocolFault(.clockOffset(value))
        report.message = "\"\\\u{7}\n"
        report.panelProblems = Int(value)
        let object = try json(report)
        #expect((object["last_seq"] as? NSNumber)?.int64Value == value)
        #expect((object["since"] as? NSNumber)?.int64Value == value)
        #expect((object["address"] as? String)?.unicodeScalars.count == 255)
        #expect((object["panel"] as? [String: Any])?["message"] as? String == "\"\\\u{7}\n")
    }

    /// Every error number and every word of OpenSSL's that `last_end` can hold.
    @Test func reasonsOfTheSystem() throws {
        var report = plain()
        for code in -2...140 as ClosedRange<Int32> {
            report.lastEnd = .network(code)
            let words = try json(report)["last_end"] as? String
            #expect(words == String(cString: strerror(code)))
        }
        for reason in 0..<500 as Range<UInt> {
            report.lastEnd = .tls(20 << 23 | reason)
            let words = try #require(try json(report)["last_end"] as? String)
            #expect(words.hasPrefix("TLS: "))
        }
    }

    @Test(arguments: [
        LinkState.starting, .unconfigured, .resolving, .connecting, .registering, .authenticating, .connected,
        .backingOff,
        .noNetwork, .authRefused, .versionRefused, .configurationFault, .stopping,
    ])
    func everyState(state: LinkState) throws {
        let contract = [
            "starting", "unconfigured", "resolving", "connecting", "registering", "authenticating", "connected",
            "backing-off", "no-network", "error-auth", "error-version", "error-config", "stopping",
        ]
        var report = plain()
        report.state = state
        let name = try #require(try json(report)["state"] as? String)
        #expect(contract.contains(name))
        #expect(text(report, now: 1_700_000_005).hasPrefix("state        \(name) for 5 s\n"))
    }

    // MARK: For a person

    @Test func oneScreen() {
        var report = plain()
        report.state = .backingOff
        report.address = Blob("device@sgn.test") ?? Blob()
        report.endpoint = Blob("127.0.0.1:7373") ?? Blob()
        report.failures = 3
        report.nextAttempt = 1_700_000_070
        report.lastEnd = .timeout(.pong)
        report.panelProblems = 2
        let lines = text(report, now: 1_700_000_065).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 24)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        let whole = lines.joined(separator: "\n")
        for part in [
            "backing-off for 1 min 5 s", "waited too long for S_PONG", "next attempt in 5 s", "3 failures in a row",
            "sgn.test at 127.0.0.1:7373", "device@sgn.test", "2 outputs with problems",
        ] {
            #expect(whole.contains(part), "\(part)")
        }
        #expect(lines.last == "")
    }

    @Test(
        arguments: [
            (.unconfirmed, false), (.neverSet, false), (.estimated, false), (.moved, false), (.contradicted, false),
            (.server, true), (.login, true), (.service, true),
        ] as [(ServerClock.Trust, Bool)])
    func clock(trust: ServerClock.Trust, isTrusted: Bool) throws {
        var report = plain()
        report.clockTrust = trust
        report.clockOffset = -1_796_025_482
        report.clockSince = 1_700_000_000
        #expect(try json(report)["clock_trusted"] as? Bool == isTrusted)
        let lines = text(report, now: 1_700_000_065).split(separator: "\n")
        for line in lines { #expect(line.count <= 80, "\(line)") }
        let whole = lines.joined(separator: "\n")
        #expect(whole.contains("clock not trusted for 1 min 5 s") == !isTrusted)
        #expect(whole.contains(trust.words) && whole.contains("corrected by -1796025482 s"))
    }

    /// While connected the last end does not matter any more.
    @Test func connected() {
        var report = plain()
        report.state = .connected
        report.tls = Blob("TLSv1.3") ?? Blob()
        report.lastEnd = .closed
        let whole = text(report, now: 1_700_000_000)
        #expect(whole.contains("TLSv1.3") && !whole.contains("closed"))
    }

    /// An address that somebody assigned cannot write to the terminal.
    @Test func controlCharacters() {
        var report = plain()
        report.address = Blob("\u{1B}[2Jx\u{7F}") ?? Blob()
        report.server = Blob("\u{1B}]0;x\u{7}") ?? Blob()
        let whole = text(report, now: 1_700_000_000)
        #expect(whole.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\n" })
    }

    @Test(
        arguments: [
            (Int64.min, "0 s"), (-1, "0 s"), (0, "0 s"), (1, "1 s"), (59, "59 s"), (60, "1 min 0 s"), (61, "1 min 1 s"),
            (3_599, "59 min 59 s"), (3_600, "1 h 0 min"), (3_661, "1 h 1 min"), (86_399, "23 h 59 min"),
            (86_400, "1 d 0 h"),
            (90_000, "1 d 1 h"), (31_536_000, "365 d 0 h"), (Int64.max, "106751991167300 d 15 h"),
        ] as [(Int64, String)])
    func durations(seconds: Int64, expected: String) {
        var out = ByteBuffer(capacity: 64)
        out.append(duration: seconds)
        #expect(String(decoding: out.pointer, as: UTF8.self) == expected)
    }
}
