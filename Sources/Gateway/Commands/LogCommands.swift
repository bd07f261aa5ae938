import Bytes
import CBoard
import Relay

/// `skyglowd log`: the ring, also that of a gateway that died.
extension CommandRunner {
    func showLog(follow: Bool, lines: Int?) throws(StartupError) -> ExitCode {
        let path = Startup.logPath(try configuration())
        do throws(RingError) {
            let reader = try RingReader(path: path)
            var part = try reader.last(lines ?? (follow ? 10 : .max))
            show(part)
            while follow, failure.errno == 0 {
                usleep(200_000)
                part = try reader.read(from: part.next)
                if part.lost { Output.complain("some lines were overwritten before they could be shown") }
                show(part)
            }
            return .ok
        } catch .system(_, ENOENT) {
            throw StartupError(
                "\(path): there is no log: no gateway has run yet, or the board was started since", .inputOutput)
        } catch .system(let call, let errno) where errno == EACCES || errno == EPERM {
            throw StartupError("\(path): \(RingError.system(call: call, errno: errno).message)", .permission)
        } catch { throw StartupError("\(path): \(error.message)", .inputOutput) }
    }

    /// As it is, or as one JSON object a line.
    private func show(_ part: RingPart) {
        guard json else { return printText(String(decoding: part.bytes, as: UTF8.self)) }
        var output = standardOutput()
        for line in part.bytes.split(separator: UInt8(ascii: "\n")) {
            let line = Array(line)
            // Quotation marks and backslashes take two bytes.
            var text = ByteBuffer(capacity: 2 * line.count + 128)
            text.append(jsonOfLogLine: line.span.bytes)
            text.append("\n")
            output.write(text.pointer)
        }
    }
}

extension ByteBuffer {
    /// A line of the log, `TIME level area: text`, as `{"time","level","site","text"}`; the time in Unix seconds. What is not
    /// of that form, as a line of a damaged ring, is all text.
    mutating func append(jsonOfLogLine line: RawSpan) {
        let parts = LogLineParts(line)
        append("{")
        member("time", parts?.time)
        for (name, range) in [("level", parts?.level), ("site", parts?.area)] {
            if let range { member(name, text: line.extracting(range)) } else { member(name, text: nil) }
        }
        // The ring's own characters need not be whole.
        var text = ByteBuffer(capacity: line.byteCount)
        text.append(printable: line.extracting((parts?.text ?? 0)..<line.byteCount))
        member("text", text: text.bytes)
        append("}")
    }
}

/// Where the parts of a line of the log are.
private struct LogLineParts {
    /// Unix seconds.
    var time: Int64
    var level: Range<Int>
    var area: Range<Int>
    /// Where the text begins.
    var text: Int

    init?(_ line: RawSpan) {
        var end = 0
        while end < line.byteCount, line[end] != UInt8(ascii: " ") { end += 1 }
        guard let microseconds = Timestamp.parse(line.extracting(0..<end)) else { return nil }
        time = microseconds / 1_000_000
        level = Self.word(line, from: end + 1)
        area = Self.word(line, from: level.upperBound + 1)
        text = area.upperBound + 2
        guard !level.isEmpty, !area.isEmpty, text <= line.byteCount, line[level.upperBound] == UInt8(ascii: " "),
            line[area.upperBound] == UInt8(ascii: ":"), line[area.upperBound + 1] == UInt8(ascii: " ")
        else { return nil }
    }

    /// Letters.
    private static func word(_ line: RawSpan, from start: Int) -> Range<Int> {
        var end = start
        while end < line.byteCount, line[end] >= UInt8(ascii: "a"), line[end] <= UInt8(ascii: "z") { end += 1 }
        return start..<end
    }
}
