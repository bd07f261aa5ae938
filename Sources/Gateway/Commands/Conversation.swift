import Bytes
import CBoard
import Loop

/// One question and its answer, to a command that a person has configured and on whose terminal it may ask for a password.
extension CommandRunner {
    /// Milliseconds for the answer, in which a person may have to type; as long as sshd waits for a login.
    private static let answerPatience: Int64 = 120_000
    /// Milliseconds that the command has to end after its answer.
    private static let endPatience: Int64 = 3_000

    /// Runs the command, `{}` of which stands for the host, writes to it and reads its answer: the first line that begins
    /// with `{`. What a shell says before that at login is passed over.
    ///
    /// The answer is complete with its line: what the command has started may keep its output open for ever.
    func converse(_ words: [String], _ host: String, _ input: [UInt8]) throws(StartupError) -> [UInt8] {
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0 == "{}" ? host : $0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        cb_default_sigchld()
        var ends = [Int32](repeating: -1, count: 2)
        let child = cb_run(&pointers, &ends)
        guard child > 0 else { throw StartupError(SystemError("fork").text, .unavailable) }
        defer { close(ends[1]) }
        // A pipe takes it whole.
        let isWritten = write(ends[0], input, input.count) == input.count
        close(ends[0])
        let clock = SystemClock()
        var reader = AnswerReader(descriptor: ends[1])
        reader.read(until: clock.now + Self.answerPatience) { $0.answer != nil }
        let isLate = reader.answer == nil && !reader.isAtEnd
        if reader.answer != nil { reader.read(until: clock.now + Self.endPatience) { _ in false } }
        let code = Self.end(child, by: isLate ? 0 : clock.now + Self.endPatience)
        let shown = String(visible: host)
        if isLate { throw StartupError("\(shown): no answer within \(Self.answerPatience / 1_000) s", .unavailable) }
        if let code, code != 0 {
            throw StartupError("\(String(visible: words.first ?? "")): exit code \(code)", .unavailable)
        }
        guard isWritten, let answer = reader.answer else { throw StartupError("\(shown): no answer", .badData) }
        return answer
    }

    /// Waits for a child; ends it if it takes longer, and then gives nil. 255 for one that a signal ended.
    private static func end(_ child: pid_t, by deadline: Int64) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child { return cb_exit_code(status) < 0 ? 255 : cb_exit_code(status) }
            if ended < 0, cb_errno() != EINTR { return 255 }
            guard SystemClock().now < deadline else { break }
            usleep(10_000)
        }
        kill(child, SIGTERM)
        for _ in 0..<100 {
            if waitpid(child, &status, WNOHANG) != 0 { return nil }
            usleep(10_000)
        }
        kill(child, SIGKILL)
        _ = cb_wait(child)
        return nil
    }
}

/// Looks for the answer in what a command prints.
private struct AnswerReader {
    let descriptor: Int32
    private(set) var answer: [UInt8]?
    /// Nothing more comes, or more than an answer may take.
    private(set) var isAtEnd = false
    private var line: [UInt8] = []
    private var count = 0

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads until `isDone`, the end, or the deadline of the clock.
    mutating func read(until deadline: Int64, _ isDone: (AnswerReader) -> Bool) {
        while !isAtEnd, !isDone(self) {
            let left = deadline - SystemClock().now
            guard left > 0 else { return }
            var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&one, 1, Int32(clamping: left)) > 0 { readOnce() }
        }
    }

    private mutating func readOnce() {
        var chunk = [UInt8](repeating: 0, count: 1024)
        let length = CBoard.read(descriptor, &chunk, chunk.count)
        if length < 0, cb_errno() == EINTR { return }
        for byte in chunk[..<max(length, 0)] where answer == nil { take(byte) }
        count += max(length, 0)
        isAtEnd = length <= 0 || count > 16 * Limits.pairingLink
        // The last line may lack its end.
        if length == 0, answer == nil { take(UInt8(ascii: "\n")) }
    }

    private mutating func take(_ byte: UInt8) {
        guard byte == UInt8(ascii: "\n") else {
            if line.count <= Limits.pairingLink { line.append(byte) }
            return
        }
        let text = StandardInput.trimmed(line)
        line.removeAll()
        if text.first == UInt8(ascii: "{"), text.count <= Limits.pairingLink { answer = text }
    }
}
