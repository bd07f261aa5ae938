import CBoard

/// The words of a command as C has them, made at start.
public final class CommandWords {
    private let words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    public let count: Int

    /// Allocates. The first word is the program.
    public init(_ texts: [String]) {
        count = texts.count
        words = .allocate(capacity: texts.count + 1)
        for index in 0..<count { (words + index).initialize(to: strdup(texts[index])) }
        (words + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(words[index]) }
        words.deallocate()
    }

    var pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { words }
}

/// How a child process ended.
public enum ChildEnd: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// The program could not be started, for this errno.
    case notStarted(Int32)
}

/// A program that runs beside the gateway, in a process group of its own, and the pipes to it. What is left of the group
/// is killed with its owner.
public struct ChildProcess: ~Copyable {
    private var pid: pid_t
    /// Its standard input; writing does not block.
    public private(set) var input: FileDescriptor
    /// Its standard output and error; reading does not block.
    public private(set) var output: FileDescriptor
    private let status: FileDescriptor

    /// No process.
    public init() {
        pid = -1
        input = FileDescriptor()
        output = FileDescriptor()
        status = FileDescriptor()
    }

    /// Starts the program. Returns before the program runs: whether it could be started is told by `end`.
    /// - Parameter environment: `NAME=value` for C, ended by a null pointer.
    public init(
        _ command: CommandWords, environment: UnsafePointer<UnsafeMutablePointer<CChar>?>
    ) throws(SystemError) {
        let input = try Pipe(ours: 1)
        let output = try Pipe(ours: 0)
        let status = try Pipe(ours: 0)
        var ends = (input.child.raw, output.child.raw, status.child.raw)
        let pid = withUnsafeBytes(of: &ends) { ends in
            cb_spawn(
                command.pointer[0], command.pointer, environment, ends.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        guard pid > 0 else { throw SystemError("fork") }
        self.pid = pid
        self.input = input.ours
        self.output = output.ours
        self.status = status.ours
    }

    deinit {
        guard pid > 0 else { return }
        kill(-pid, SIGKILL)
        var code: Int32 = 0
        _ = cb_reap(pid, &code)
    }

    public mutating func closeInput() { input.close() }
    public mutating func closeOutput() { output.close() }

    /// How it ended, once; nil while it runs. What is left of its group is killed then.
    public mutating func end() -> ChildEnd? {
        guard pid > 0 else { return nil }
        var code: Int32 = 0
        guard cb_reap(pid, &code) == 1 else { return nil }
        pid = -1
        var errno: Int32 = 0
        let size = MemoryLayout<Int32>.size
        if read(status.raw, &errno, size) == size { return .notStarted(errno) }
        let signal = cb_exit_signal(code)
        return signal > 0 ? .signalled(signal) : .exited(cb_exit_code(code))
    }

    /// Sends a signal to the whole group.
    public func signal(_ number: Int32) {
        if pid > 0 { kill(-pid, number) }
    }
}

/// A pipe to a child: its end and ours, which does not block.
private struct Pipe: ~Copyable {
    let child: FileDescriptor
    let ours: FileDescriptor

    /// `ours` is 0 to read, 1 to write.
    init(ours side: Int32) throws(SystemError) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { ends in
            cb_pipe(ends.baseAddress?.assumingMemoryBound(to: Int32.self), side)
        }
        guard result == 0 else { throw SystemError("pipe") }
        child = FileDescriptor(raw: side == 0 ? ends.1 : ends.0)
        ours = FileDescriptor(raw: side == 0 ? ends.0 : ends.1)
    }
}
