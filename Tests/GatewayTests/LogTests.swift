import Bytes
import CBoard
import Foundation
import Testing

@testable import Gateway

/// A clock that stands where the test puts it.
final class TestClock {
    var time = LogTime(boot: 1_000_000, wall: 1_796_040_000)
}

@Suite struct LogTests {
    let folder = Folder()
    let clock = TestClock()
    var path: String { folder.path + "/log.ring" }

    func makeLog(_ level: LogLevel = .info, stream: LogStream = .none) throws -> Log {
        let ring = try RingLog(path: path, size: 65_536)
        let clock = clock
        return Log(level: level, ring: ring, stream: stream) { clock.time }
    }

    func lines() throws -> [String] {
        let part = try RingReader(path: path).read(from: 0)
        return part.text.split(separator: "\n").map(String.init)
    }

    @Test func lineOfEveryLevel() throws {
        let log = try makeLog(.debug)
        log.error(.gateway, "a")
        log.warning(.link, "b \(1)")
        log.notice(.session, "c")
        log.info(.panel, "d")
        log.debug(.notification, "e")
        let lines = try lines()
        #expect(
            lines == [
                "2026-11-30T12:00:00Z error gateway: a", "2026-11-30T12:00:00Z warning link: b 1",
                "2026-11-30T12:00:00Z notice session: c", "2026-11-30T12:00:00Z info panel: d",
                "2026-11-30T12:00:00Z debug notification: e",
            ])
    }

    @Test(arguments: [(LogLevel.error, 1), (.warning, 2), (.notice, 3), (.info, 4), (.debug, 5)])
    func levels(level: LogLevel, count: Int) throws {
        let log = try makeLog(level)
        for level in LogLevel.allCases { log.write(level, .gateway, "x", file: level.name, line: 1) }
        let lines = try lines()
        #expect(lines.count == count)
    }

    @Test func namesOfLevels() {
        for level in LogLevel.allCases { #expect(LogLevel(name: level.name) == level) }
        #expect(LogLevel(name: "warn") == nil)
        #expect(LogLevel(name: "Info") == nil)
        #expect(LogLevel.allCases.map(\.rawValue) == [3, 4, 5, 6, 7])
    }

    @Test(arguments: [9, 10, 11, 30]) func aBurst(count: Int) throws {
        let log = try makeLog()
        for index in 0..<count { log.info(.link, "n \(index)") }
        let lines = try lines()
        #expect(lines.count == min(count, 10))
        #expect(lines.last == "2026-11-30T12:00:00Z info link: n \(min(count, 10) - 1)")
    }

    @Test func whatWasHeldBackIsCounted() throws {
        let log = try makeLog()
        func site(_ number: Int) { log.info(.link, "n \(number)") }
        for index in 0..<25 { site(index) }
        clock.time.boot += 9_999
        site(25)
        var lines = try lines()
        #expect(lines.count == 10)
        clock.time.boot += 1
        site(26)
        site(27)
        lines = try self.lines()
        #expect(
            lines.suffix(3) == [
                "2026-11-30T12:00:00Z info link: n 9",
                "2026-11-30T12:00:00Z info link: the message was repeated 16 times",
                "2026-11-30T12:00:00Z info link: n 26",
            ])
        log.flush()
        log.flush()
        lines = try self.lines()
        #expect(lines.last == "2026-11-30T12:00:00Z info link: the message was repeated 1 times")
        #expect(lines.count == 13)
    }

    /// A place that has fallen silent would never tell: another one's line does, once it is silent for long enough.
    @Test(arguments: [(9_999, false), (10_000, true)] as [(Int64, Bool)])
    func whatASilentPlaceHeldBackIsTold(later: Int64, told: Bool) throws {
        let log = try makeLog()
        for _ in 0..<25 { log.warning(.link, "often") }
        clock.time.boot += later
        for _ in 0..<2 { log.info(.store, "once") }
        let lines = try lines()
        let count = "2026-11-30T12:00:00Z warning link: the message was repeated 15 times"
        let once = "2026-11-30T12:00:00Z info store: once"
        #expect(Array(lines.dropFirst(10)) == (told ? [count, once, once] : [once, once]))
    }

    @Test func aFullBucketHoldsNoMoreThanABurst() throws {
        let log = try makeLog()
        func site() { log.info(.link, "x") }
        for _ in 0..<11 { site() }
        clock.time.boot += 1_000_000_000
        for _ in 0..<11 { site() }
        let lines = try lines()
        #expect(lines.count == 10 + 1 + 10)
    }

    @Test func aClockThatWentBackDoesNotTrap() throws {
        let log = try makeLog()
        func site() { log.info(.link, "x") }
        site()
        clock.time = LogTime(boot: -5, wall: .min)
        for _ in 0..<20 { site() }
        clock.time = LogTime(boot: .max, wall: .max)
        site()
        let lines = try lines()
        #expect(lines.count == 12)
    }

    @Test func placesDoNotShareABucket() throws {
        let log = try makeLog()
        for _ in 0..<11 {
            log.info(.link, "one")
            log.info(.link, "two")
            log.write(.info, .link, "three", file: "a", line: 1)
            log.write(.info, .store, "four", file: "a", line: 1)
        }
        let lines = try lines()
        #expect(lines.count == 40)
    }

    /// With more places than entries, the one that was longest unused goes, and its count is told first.
    @Test(arguments: [63, 64]) func moreplacesThanEntries(others: Int) throws {
        let log = try makeLog()
        for _ in 0..<12 { log.write(.warning, .store, "x", file: "first", line: 0) }
        clock.time.boot += 1
        for index in 0..<others { log.write(.info, .link, "y", file: "other", line: UInt32(index)) }
        let lines = try lines()
        let told = lines.contains("2026-11-30T12:00:00Z warning store: the message was repeated 2 times")
        #expect(told == (others >= Limits.logSites))
        #expect(lines.count == 10 + others + (told ? 1 : 0))
    }

    @Test(
        arguments: [
            (LogStream.Style.plain, "2026-11-30T12:00:00Z warning link: text\n"), (.journal, "<4>link: text\n"),
        ] as [(LogStream.Style, String)])
    func streams(style: LogStream.Style, expected: String) throws {
        let file = folder.write("stream", [])
        let descriptor = open(file, O_WRONLY)
        defer { close(descriptor) }
        let log = try makeLog(stream: LogStream(descriptor: descriptor, style: style))
        log.warning(.link, "text")
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written == expected)
        let lines = try lines()
        #expect(lines == ["2026-11-30T12:00:00Z warning link: text"])
    }

    @Test func aTerminalShowsLocalTime() throws {
        let file = folder.write("stream", [])
        let descriptor = open(file, O_WRONLY)
        defer { close(descriptor) }
        let log = Log(stream: LogStream(descriptor: descriptor, style: .terminal)) { LogTime(boot: 0, wall: 0) }
        log.notice(.clock, "text")
        var when = time_t(0)
        var local = tm()
        localtime_r(&when, &local)
        let time = String(format: "%02d:%02d:%02d", local.tm_hour, local.tm_min, local.tm_sec)
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written == "\r\u{1B}[K\(time) notice clock: text\n")
    }

    @Test(.timeLimit(.minutes(1))) func aStandardErrorThatNobodyReadsDoesNotBlock() throws {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        defer { ends.forEach { close($0) } }
        let log = try makeLog(stream: LogStream(descriptor: ends[1], style: .plain))
        for index in 0..<5_000 { log.write(.info, .link, "line \(index)", file: "f", line: UInt32(index)) }
        let lines = try lines()
        #expect(lines.last == "2026-11-30T12:00:00Z info link: line 4999")
    }

    @Test func theJournalIsKnownByItsStream() {
        let file = folder.write("stream", [])
        let descriptor = open(file, O_WRONLY)
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        let device = UInt64(status.st_dev)
        setenv("JOURNAL_STREAM", "\(device):\(status.st_ino)", 1)
        #expect(LogStream.detect(descriptor).style == .journal)
        for value in ["\(device):\(status.st_ino + 1)", "", ":", "\(device)", "x:y", "\(device):", "1:2:3"] {
            setenv("JOURNAL_STREAM", value, 1)
            #expect(LogStream.detect(descriptor).style == .plain)
        }
        unsetenv("JOURNAL_STREAM")
        #expect(LogStream.detect(descriptor).style == .plain)
        #expect(LogStream.detect(-1).style == .plain)
    }

    @Test func theLongestLineFits() throws {
        let log = try makeLog(.debug)
        log.warning(.configuration, "\(String(repeating: "x", count: 1000))")
        let lines = try lines()
        let text = String(repeating: "x", count: 445) + "…"
        #expect(lines.first == "2026-11-30T12:00:00Z warning configuration: " + text)
    }

    @Test func withoutARing() throws {
        let log = Log(stream: .none) { LogTime(boot: 0, wall: 0) }
        log.info(.link, "lost")
        let ring = try RingLog(path: path, size: 4096)
        log.attach(ring)
        log.info(.link, "kept")
        let kept = try lines()
        #expect(kept == ["1970-01-01T00:00:00Z info link: kept"])
        log.attach(nil)
        log.info(.link, "lost")
        let same = try lines()
        #expect(same == kept)
    }
}
