import Bytes
import CBoard
import Foundation
import Testing

@testable import Gateway

/// A folder that goes with the test.
final class Folder {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "gateway-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ bytes: [UInt8]) -> String {
        _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(bytes))
        return path + "/" + name
    }
}

extension RingLog {
    mutating func append(_ text: String) {
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { append($0) }
    }
}

extension RingPart {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

@Suite struct LogRingTests {
    let folder = Folder()
    var path: String { folder.path + "/log.ring" }
    let capacity = 4096 - 64

    func line(_ length: Int, _ letter: Character = "x") -> String {
        String(repeating: letter, count: length - 1) + "\n"
    }

    @Test func anEmptyRing() throws {
        let ring = try RingLog(path: path, size: 4096)
        let reader = try RingReader(path: path)
        let all = try reader.read(from: 0)
        #expect(all == RingPart(bytes: [], next: 0, lost: false))
        let last = try reader.last(10)
        #expect(last.text == "")
        var status = stat()
        stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(status.st_size == 4096)
        _ = ring
    }

    @Test func linesComeBackAndCanBeFollowed() throws {
        var ring = try RingLog(path: path, size: 4096)
        let reader = try RingReader(path: path)
        ring.append("one\n")
        ring.append("two\n")
        let first = try reader.read(from: 0)
        #expect(first == RingPart(bytes: Array("one\ntwo\n".utf8), next: 8, lost: false))
        let nothing = try reader.read(from: first.next)
        #expect(nothing == RingPart(bytes: [], next: 8, lost: false))
        ring.append("three\n")
        let second = try reader.read(from: first.next)
        #expect(second.text == "three\n")
        for (count, expected) in [(0, ""), (1, "three\n"), (2, "two\nthree\n"), (3, "one\ntwo\nthree\n")] {
            let last = try reader.last(count)
            #expect(last.text == expected)
        }
        let more = try reader.last(.max)
        #expect(more.text == "one\ntwo\nthree\n")
    }

    @Test func linesOutliveTheWriter() throws {
        do {
            var ring = try RingLog(path: path, size: 4096)
            ring.append("before\n")
        }
        var ring = try RingLog(path: path, size: 4096)
        ring.append("after\n")
        let last = try RingReader(path: path).last(2)
        #expect(last.text == "before\nafter\n")
    }

    /// The last line ends one byte before the end of the ring, at it, and one byte after.
    @Test(arguments: [-1, 0, 1]) func aroundTheEnd(offset: Int) throws {
        var ring = try RingLog(path: path, size: 4096)
        ring.append("first\n")
        var filled = 6
        while capacity - filled > 200 {
            ring.append(line(100))
            filled += 100
        }
        let rest = capacity + offset - filled
        ring.append(line(rest, "y"))
        let part = try RingReader(path: path).read(from: 0)
        #expect(part.next == UInt64(capacity + offset))
        #expect(part.lost == (offset > 0))
        #expect(part.text.hasPrefix("first\n") == (offset <= 0))
        #expect(part.text.hasSuffix(line(rest, "y")))
        #expect(part.bytes.count == (offset > 0 ? capacity + offset - 6 : capacity + offset))
    }

    /// The second time round, each line broken at another place.
    @Test(arguments: 1...40) func everyBreakOfALine(length: Int) throws {
        var ring = try RingLog(path: path, size: 4096)
        var expected: [String] = []
        for index in 0..<(2 * capacity / length + 3) {
            let text = line(length, Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(index % 26))))
            ring.append(text)
            expected.append(text)
        }
        let kept = (capacity - 1) / length
        let part = try RingReader(path: path).read(from: 0)
        #expect(part.lost)
        let lines = part.bytes.count / length
        #expect(lines >= kept - 1 && lines <= capacity / length)
        #expect(part.text == expected.suffix(lines).joined())
    }

    @Test(arguments: [4031, 4032, 4033]) func aLineAsLongAsTheRing(length: Int) throws {
        var ring = try RingLog(path: path, size: 4096)
        ring.append("short\n")
        ring.append(line(length))
        let part = try RingReader(path: path).read(from: 6)
        #expect(part.text == (length <= capacity ? line(length) : ""))
    }

    @Test func aReaderThatWasOvertakenIsTold() throws {
        var ring = try RingLog(path: path, size: 4096)
        ring.append("one\n")
        let reader = try RingReader(path: path)
        let first = try reader.read(from: 0)
        for index in 0..<100 { ring.append(line(100, index == 99 ? "z" : "x")) }
        let second = try reader.read(from: first.next)
        #expect(second.lost)
        #expect(second.bytes.count % 100 == 0)
        #expect(second.text.hasSuffix(line(100, "z")))
        let last = try reader.last(1)
        #expect(last.text == line(100, "z"))
    }

    @Test(arguments: [0, 4095, 16_777_217, -1]) func sizesThatAreNone(size: Int) {
        #expect(throws: RingError.size(size)) { _ = try RingLog(path: path, size: size) }
    }

    @Test func aSecondWriterIsRefused() throws {
        let ring = try RingLog(path: path, size: 4096)
        #expect(throws: RingError.busy) { _ = try RingLog(path: path, size: 4096) }
        _ = ring
    }

    @Test func errorsOfTheSystem() {
        #expect(throws: RingError.system(call: "open", errno: ENOENT)) { _ = try RingReader(path: path) }
        #expect(throws: RingError.system(call: "open", errno: ENOENT)) {
            _ = try RingLog(path: path + "/x", size: 4096)
        }
        #expect(throws: RingError.system(call: "open", errno: EISDIR)) {
            _ = try RingLog(path: folder.path, size: 4096)
        }
        #expect(throws: RingError.damaged("it is no regular file")) { _ = try RingReader(path: folder.path) }
        symlink("/dev/null", path)
        #expect(throws: RingError.system(call: "open", errno: ELOOP)) { _ = try RingLog(path: path, size: 4096) }
        #expect(throws: RingError.damaged("it is no regular file")) { _ = try RingReader(path: "/dev/null") }
        #expect(RingError.system(call: "open", errno: ENOENT).message == "open: No such file or directory")
    }

    /// The reader refuses each, and the writer makes a new ring of each.
    @Test(
        arguments: [
            (0, []), (1, [0]), (63, [UInt8](repeating: 0, count: 63)), (4096, [UInt8](repeating: 0, count: 4096)),
            (4096, [UInt8](repeating: 0xFF, count: 4096)), (4096, [UInt8](repeating: 0x0A, count: 4096)),
            (5000, [UInt8](repeating: 0x41, count: 5000)),
        ] as [(Int, [UInt8])])
    func garbage(size: Int, bytes: [UInt8]) throws {
        let path = folder.write("log.ring", bytes)
        #expect(throws: RingError.self) { _ = try RingReader(path: path) }
        var ring = try RingLog(path: path, size: 4096)
        ring.append("fresh\n")
        let part = try RingReader(path: path).read(from: 0)
        #expect(part.text == "fresh\n")
    }

    /// A good ring with one number of its header changed.
    @Test(
        arguments: [
            (0, 0, "it is no log ring"), (8, 2, "its version is unknown"), (12, 65, "its version is unknown"),
            (16, 4031, "its size is not what it says"), (24, 3, "its positions contradict each other"),
            (24, 4 + 4033, "its positions contradict each other"), (32, 5, "its positions contradict each other"),
            (32, UInt64.max, "its positions contradict each other"),
        ] as [(Int, UInt64, String)])
    func damagedHeaders(offset: Int, value: UInt64, expected: String) throws {
        do {
            var ring = try RingLog(path: path, size: 4096)
            ring.append("one\n")
        }
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let width = offset == 8 || offset == 12 ? 4 : 8
        for index in 0..<width { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
        _ = folder.write("log.ring", bytes)
        #expect(throws: RingError.damaged(expected)) { _ = try RingReader(path: path) }
        let ring = try RingLog(path: path, size: 4096)
        let part = try RingReader(path: path).read(from: 0)
        #expect(part.text == "")
        _ = ring
    }

    @Test(arguments: [0, 1, 64, 4095]) func aFileThatBecameShorter(length: Int) throws {
        do {
            var ring = try RingLog(path: path, size: 4096)
            for _ in 0..<50 { ring.append(line(80)) }
        }
        let reader = try RingReader(path: path)
        truncate(path, off_t(length))
        #expect(throws: RingError.self) { _ = try reader.read(from: 0) }
        #expect(throws: RingError.self) { _ = try RingReader(path: path) }
        #expect(throws: Never.self) { _ = try RingLog(path: path, size: 4096) }
    }

    @Test func anotherSizeMakesANewRing() throws {
        do {
            var ring = try RingLog(path: path, size: 4096)
            ring.append("old\n")
        }
        #expect(throws: Never.self) { _ = try RingLog(path: path, size: 8192) }
        let part = try RingReader(path: path).read(from: 0)
        #expect(part.text == "")
    }

    /// What a writer leaves that was killed between moving `reserved` and moving `written`.
    @Test func aLineHalfWritten() throws {
        do {
            var ring = try RingLog(path: path, size: 4096)
            for index in 0..<41 { ring.append(line(98, index == 0 ? "a" : "x")) }
        }
        // 4018 bytes are written; 30 more, reserved, reach 16 bytes into the first line.
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let reserved = UInt64(4018 + 30)
        for index in 0..<8 { bytes[24 + index] = UInt8(truncatingIfNeeded: reserved >> UInt64(8 * index)) }
        for index in 4018..<4048 { bytes[64 + index % capacity] = UInt8(ascii: "!") }
        _ = folder.write("log.ring", bytes)
        let torn = try RingReader(path: path).read(from: 0)
        #expect(torn.lost)
        #expect(torn.text == String(repeating: line(98), count: 40))
        var ring = try RingLog(path: path, size: 4096)
        ring.append("b\n")
        let part = try RingReader(path: path).read(from: 0)
        #expect(part.text == String(repeating: line(98), count: 40) + "b\n")
    }

    @Test func controlCharactersOfADamagedRingDoNotReachTheTerminal() throws {
        var ring = try RingLog(path: path, size: 4096)
        ring.append("a\u{1B}[2J\u{0}\u{7F}\n")
        let part = try RingReader(path: path).read(from: 0)
        #expect(part.text == "a?[2J??\n")
    }

    /// Lines that carry their number and a check: whatever a reader gets while they are written is whole and in order.
    @Test(.timeLimit(.minutes(1))) func readingDuringWrites() throws {
        let path = path
        var ring = try RingLog(path: path, size: 4096)
        let finished = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var faults: [String] = []
        nonisolated(unsafe) var count = 0
        Thread.detachNewThread {
            defer { finished.signal() }
            guard let reader = try? RingReader(path: path) else { return }
            var position: UInt64 = 0
            var previous = -1
            while previous < 199_999, faults.isEmpty {
                guard let part = try? reader.read(from: position) else {
                    faults.append("unreadable")
                    return
                }
                for text in part.text.split(separator: "\n") {
                    let words = text.split(separator: " ")
                    let number = Int(words.first ?? "") ?? -1
                    let isWhole = words.count == 2 && words[1].count == number % 50 + 1 && number > previous
                    let isNext = part.lost || previous < 0 || number == previous + 1
                    if !isWhole || !isNext { faults.append(String(text)) }
                    previous = number
                    count += 1
                    // Only the first line of a part may follow a gap.
                    if part.lost { break }
                }
                if part.lost, let last = part.text.split(separator: "\n").last?.split(separator: " ").first {
                    previous = Int(last) ?? previous
                }
                position = part.next
            }
        }
        for number in 0..<200_000 { ring.append("\(number) " + String(repeating: "x", count: number % 50 + 1) + "\n") }
        finished.wait()
        #expect(faults == [])
        #expect(count > 0)
    }
}

@Suite struct LogLineTests {
    private func json(_ line: [UInt8]) -> String {
        var text = ByteBuffer(capacity: 1000)
        text.append(jsonOfLogLine: line.span.bytes)
        return String(decoding: Array(text.pointer), as: UTF8.self)
    }

    @Test(
        arguments: [
            (
                "2026-11-30T12:00:00Z notice relay: listening on 127.0.0.1:80",
                #"{"time":1796040000,"level":"notice","site":"relay","text":"listening on 127.0.0.1:80"}"#
            ),
            (
                "1970-01-01T00:00:01Z error store: a \"b\" \\ é: c",
                #"{"time":1,"level":"error","site":"store","text":"a \"b\" \\ é: c"}"#
            ),
            ("1970-01-01T00:00:00Z info link: ", #"{"time":0,"level":"info","site":"link","text":""}"#),
            (
                "1970-01-01T00:00:00Z info link:",
                #"{"time":null,"level":null,"site":null,"text":"1970-01-01T00:00:00Z info link:"}"#
            ),
            ("", #"{"time":null,"level":null,"site":null,"text":""}"#),
            ("1970-01-01T00:00:00Z", #"{"time":null,"level":null,"site":null,"text":"1970-01-01T00:00:00Z"}"#),
            (
                "1970-01-01T00:00:00Z info",
                #"{"time":null,"level":null,"site":null,"text":"1970-01-01T00:00:00Z info"}"#
            ),
            ("now info link: x", #"{"time":null,"level":null,"site":null,"text":"now info link: x"}"#),
        ])
    func lines(line: String, expected: String) {
        #expect(json(Array(line.utf8)) == expected)
    }

    /// Every prefix of a line is JSON, whatever is cut.
    @Test func damaged() throws {
        let line = Array("1970-01-01T00:00:00Z info link: é\u{1B}\"".utf8)
        for length in 0...line.count {
            let text = json(Array(line[..<length]))
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
        }
    }
}
