import Bytes
import CBoard
import Loop

/// One running hook: its process, what is still to be written to it, and the line of its output at hand.
struct HookRun: ~Copyable {
    var process = ChildProcess()
    /// The index of its route; −1 once a reload has taken the route away.
    var route = -1
    var id: Int64 = 0
    var tries = 0
    /// The notification as JSON, of which `written` bytes have been taken.
    var input = ByteBuffer(capacity: Limits.notificationJSON)
    /// When it is asked to end, and when it is killed.
    var deadline = Int64.max
    var timedOut = false
    /// How it ended, until that is recorded.
    var end: ChildEnd?
    private var written = 0
    private var line = ByteBuffer(capacity: Limits.hookLine)
    /// The line is longer than fits: its rest is skipped.
    private var isSkipping = false
    private var outputCount = 0
    /// When the output of a hook that floods is read again.
    private var nextRead = Int64.min

    private var isTaken = false

    var isFree: Bool { !isTaken }

    /// Takes a process that has just been started.
    mutating func begin(_ process: consuming ChildProcess, now: Int64) {
        self.process = process
        isTaken = true
        deadline = now + Limits.hookTime
        timedOut = false
        end = nil
        written = 0
        line.removeAll()
        isSkipping = false
        outputCount = 0
        nextRead = .min
    }

    /// Takes the failure to start one.
    mutating func fail(_ end: ChildEnd) {
        isTaken = true
        timedOut = false
        self.end = end
    }

    mutating func free() {
        process = ChildProcess()
        isTaken = false
        end = nil
        deadline = .max
    }

    /// When something is due though no descriptor says so.
    func due(now: Int64) -> Int64 {
        guard isTaken, end == nil else { return .max }
        return nextRead > now ? min(deadline, nextRead) : deadline
    }

    func register(in set: inout PollSet, now: Int64) {
        guard isTaken, end == nil else { return }
        set.add(process.input.raw, events: POLLOUT)
        if now >= nextRead { set.add(process.output.raw, events: POLLIN) }
    }

    // MARK: Standard input

    /// Writes what the pipe takes. A hook that does not read its input is none the worse for it.
    mutating func feed() {
        let raw = process.input.raw
        guard raw >= 0 else { return }
        while written < input.count {
            let rest = UnsafeRawBufferPointer(rebasing: input.pointer[written...])
            let count = write(raw, rest.baseAddress, rest.count)
            if count < 0, cb_errno() == EAGAIN { return }
            if count < 0, cb_errno() == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        process.closeInput()
    }

    // MARK: Output

    /// Reads what there is, up to a bound, and hands over the lines. A hook that floods is read slowly, so that it
    /// waits and not the gateway.
    mutating func drain(into scratch: borrowing ByteBuffer, now: Int64, _ log: (HookOutput) -> Void) {
        let raw = process.output.raw
        guard raw >= 0, now >= nextRead else { return }
        var taken = 0
        while taken < Limits.hookOutput {
            let count = read(raw, scratch.tail.baseAddress, scratch.tail.count)
            if count < 0, cb_errno() == EINTR { continue }
            if count < 0, cb_errno() == EAGAIN { return }
            guard count > 0 else {
                endLine(log)
                process.closeOutput()
                return
            }
            take(UnsafeRawBufferPointer(rebasing: scratch.tail[0..<count]), log)
            taken += count
        }
        if outputCount >= Limits.hookOutput { nextRead = now + Limits.hookFlood }
    }

    /// Its last words, when it has ended.
    mutating func finishOutput(into scratch: borrowing ByteBuffer, _ log: (HookOutput) -> Void) {
        nextRead = .min
        drain(into: scratch, now: 0, log)
        endLine(log)
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ log: (HookOutput) -> Void) {
        for byte in bytes {
            guard outputCount < Limits.hookOutput else { break }
            outputCount += 1
            if byte == UInt8(ascii: "\n") {
                endLine(log)
            } else if line.free > 0 {
                line.append(byte)
            } else if !isSkipping {
                isSkipping = true
                log(.line(line.pointer))
            }
        }
        if outputCount == Limits.hookOutput {
            outputCount += 1
            endLine(log)
            log(.tooMuch)
        }
    }

    private mutating func endLine(_ log: (HookOutput) -> Void) {
        if !isSkipping, !line.isEmpty { log(.line(line.pointer)) }
        line.removeAll()
        isSkipping = false
    }
}

/// What a hook's output comes to.
enum HookOutput {
    /// One line, or the beginning of a long one.
    case line(UnsafeRawBufferPointer)
    /// No more of it is logged.
    case tooMuch
}
