import Bytes
import CBoard
import Loop

/// What a person or a program says to a command on standard input.
enum StandardInput {
    /// The first line that is not blank, without white space around it; of a JSON object as many lines as it takes.
    ///
    /// It may come in any number of pieces: a pipe gives what its writer has written so far.
    static func text(limit: Int) throws(StartupError) -> [UInt8] {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        while true {
            let count = CBoard.read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0 {
                if cb_errno() == EINTR { continue }
                throw StartupError(SystemError("standard input").text, .inputOutput)
            }
            if count == 0 { return trimmed(text) }
            for byte in chunk[..<count] {
                if byte == UInt8(ascii: "\n"), isComplete(text) { return trimmed(text) }
                if text.isEmpty, isSpace(byte) { continue }
                text.append(byte)
                guard text.count <= limit else {
                    throw StartupError("standard input: longer than \(limit) bytes", .badData)
                }
            }
        }
    }

    /// At the end of a line.
    private static func isComplete(_ text: [UInt8]) -> Bool {
        guard let first = text.first else { return false }
        return first != UInt8(ascii: "{") || JSONText(text) != nil
    }

    /// Without white space at both ends.
    static func trimmed(_ text: [UInt8]) -> [UInt8] {
        var text = text[...]
        while let first = text.first, isSpace(first) { text.removeFirst() }
        while let last = text.last, isSpace(last) { text.removeLast() }
        return Array(text)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
}
