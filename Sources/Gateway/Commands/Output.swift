import Bytes
import CBoard
import Loop

/// What became of the text that a command printed. One for each command, which is not done if its text went nowhere.
public final class OutputFailure {
    /// The error number of the first write that failed; 0 while none has.
    public private(set) var errno: Int32 = 0

    public init() {}

    fileprivate func remember(_ errno: Int32) { if self.errno == 0 { self.errno = errno } }
}

/// Text for a person or a script on a descriptor, written in large pieces.
public struct Output: ~Copyable {
    private var buffer = ByteBuffer(capacity: 1 << 16)
    private let descriptor: Int32
    private let failure: OutputFailure

    public init(descriptor: Int32, failure: OutputFailure) {
        self.descriptor = descriptor
        self.failure = failure
    }

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
        if bytes.count > buffer.free { return send(bytes) }
        buffer.append(bytes)
    }

    public mutating func flush() {
        send()
        buffer.removeAll()
    }

    private func send() { send(buffer.pointer) }

    /// After a failure nothing more is tried: what comes later would stand without what came before.
    private func send(_ bytes: UnsafeRawBufferPointer) {
        guard failure.errno == 0 else { return }
        if let errno = FileDescriptor.writeAll(bytes, to: descriptor) { failure.remember(errno) }
    }

    /// A question on standard error, and the first byte of the answer on standard input; nil at its end.
    public static func ask(_ question: String) -> UInt8? {
        var question = question
        question.withUTF8 { _ = FileDescriptor.writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }

    /// Lines on standard error, where messages for people go; `bare` without the name of the program, as editors want the
    /// faults of a file. A message may hold what others say: what would control the terminal is replaced.
    public static func complain(_ text: String, bare: Bool = false) {
        let bytes = Array(text.utf8)
        var line = ByteBuffer(capacity: bytes.count + 16)
        if !bare { line.append("skyglowd: ") }
        var start = 0
        for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "\n") {
            line.append(printable: bytes.span.bytes.extracting(start..<end))
            line.append("\n")
            start = end + 1
        }
        _ = FileDescriptor.writeAll(line.pointer, to: STDERR_FILENO)
    }
}

extension String {
    /// Text of somebody else as it may be shown on a terminal, on one line and within `limit` bytes.
    init(visible text: String, limit: Int = 200) {
        let bytes = Array(text.utf8)
        var shown = ByteBuffer(capacity: limit)
        shown.append(visible: bytes.span.bytes, limit: limit)
        self = String(decoding: shown.pointer, as: UTF8.self)
    }
}
