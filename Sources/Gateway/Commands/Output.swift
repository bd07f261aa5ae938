import Bytes
import CBoard

/// Text for a person or a script on a descriptor, written in large pieces.
public struct Output: ~Copyable {
    private var buffer = ByteBuffer(capacity: 1 << 16)
    private let descriptor: Int32

    public init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { send() }

    public mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    public mutating func line(_ text: String = "") {
        write(text)
        write("\n")
    }

    public mutating func write(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count > buffer.free { flush() }
        if bytes.count > buffer.free { return Self.writeAll(bytes, to: descriptor) }
        buffer.append(bytes)
    }

    public mutating func flush() {
        send()
        buffer.removeAll()
    }

    private func send() { Self.writeAll(buffer.pointer, to: descriptor) }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var sent = 0
        while sent < bytes.count, let base = bytes.baseAddress {
            let count = CBoard.write(descriptor, base + sent, bytes.count - sent)
            if count < 0, cb_errno() == EINTR { continue }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// A question on standard error, and the first byte of the answer on standard input; nil at its end.
    public static func ask(_ question: String) -> UInt8? {
        var question = question
        question.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }

    /// One line on standard error, where messages for people go; `bare` without the name of the program, as editors
    /// want the faults of a file.
    public static func complain(_ text: String, bare: Bool = false) {
        var text = (bare ? "" : "skyglowd: ") + text + "\n"
        text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }
}
