import Bytes

/// The log of one gateway: lines of `TIME level area: text` into a ring that outlives the process, and to standard error.
///
/// Nothing is allocated per line. A place in the program that logs too often is held back and its lines counted.
/// Secrets and payloads are never passed here.
public final class Log {
    /// Lines that matter less are dropped.
    public var level: LogLevel

    private let clock: () -> LogTime
    private let stream: LogStream
    private var ring: RingLog?
    private var rate = LogRate()
    private var line = ByteBuffer(capacity: Limits.logLine)

    /// A log without a ring still writes to `stream`.
    public init(
        level: LogLevel = .info, ring: consuming RingLog? = nil, stream: LogStream = .detect(),
        clock: @escaping () -> LogTime = LogTime.system
    ) {
        self.level = level
        self.ring = ring
        self.stream = stream
        self.clock = clock
    }

    /// Continues into another ring; nil stops writing to one.
    public func attach(_ ring: consuming RingLog?) { self.ring = ring }

    public func error(_ area: LogArea, _ text: LogText, file: String = #fileID, line: UInt32 = #line) {
        write(.error, area, text, file: file, line: line)
    }

    public func warning(_ area: LogArea, _ text: LogText, file: String = #fileID, line: UInt32 = #line) {
        write(.warning, area, text, file: file, line: line)
    }

    public func notice(_ area: LogArea, _ text: LogText, file: String = #fileID, line: UInt32 = #line) {
        write(.notice, area, text, file: file, line: line)
    }

    public func info(_ area: LogArea, _ text: LogText, file: String = #fileID, line: UInt32 = #line) {
        write(.info, area, text, file: file, line: line)
    }

    public func debug(_ area: LogArea, _ text: LogText, file: String = #fileID, line: UInt32 = #line) {
        write(.debug, area, text, file: file, line: line)
    }

    /// One line of a level that is only known at run time.
    public func write(
        _ level: LogLevel, _ area: LogArea, _ text: LogText, file: String = #fileID, line: UInt32 = #line
    ) {
        guard level.rawValue <= self.level.rawValue else { return }
        let time = clock()
        let key = LogRate.key(file, line, area)
        var evicted: LogRate.Site?
        let verdict = rate.admit(level, area, key: key, now: time.boot) { evicted = $0 }
        if let evicted { repeated(evicted.level, evicted.area, evicted.held, time) }
        guard case .write(let held) = verdict else { return }
        if held > 0 { repeated(level, area, held, time) }
        rate.flushSilent(now: time.boot) { repeated($0.level, $0.area, $0.held, time) }
        emit(level, area, text, time)
    }

    /// One line of several that a person has just asked for and needs all of. It is not counted and never held back.
    public func answer(_ level: LogLevel, _ area: LogArea, _ text: LogText) {
        guard level.rawValue <= self.level.rawValue else { return }
        emit(level, area, text, clock())
    }

    /// Tells the counts of lines held back now instead of with the next line of their place, or of another one once
    /// theirs has been silent for `Limits.logRefill`: before stopping.
    public func flush() {
        let time = clock()
        rate.flush { repeated($0.level, $0.area, $0.held, time) }
    }

    private func repeated(_ level: LogLevel, _ area: LogArea, _ count: UInt32, _ time: LogTime) {
        emit(level, area, "the message was repeated \(count) times", time)
    }

    private func emit(_ level: LogLevel, _ area: LogArea, _ text: LogText, _ time: LogTime) {
        compose(.plain, level, area, text, time)
        ring?.append(line.pointer)
        if stream.style != .plain { compose(stream.style, level, area, text, time) }
        stream.write(line.pointer)
    }

    private func compose(
        _ style: LogStream.Style, _ level: LogLevel, _ area: LogArea, _ text: LogText, _ time: LogTime
    ) {
        line.removeAll()
        switch style {
        case .plain:
            line.append(date: time.wall)
            line.append(UInt8(ascii: " "))
        case .terminal:
            line.append("\r\u{1B}[K")
            line.append(localTime: time.wall)
            line.append(UInt8(ascii: " "))
        case .journal:
            line.append(UInt8(ascii: "<"))
            line.append(decimal: level.rawValue)
            line.append(UInt8(ascii: ">"))
        }
        if style != .journal {
            line.append(level.name)
            line.append(UInt8(ascii: " "))
        }
        line.append(area.name)
        line.append(": ")
        line.append(text.bytes)
        line.append(UInt8(ascii: "\n"))
    }
}
