import Bytes
import CBoard

/// Where lines go besides the ring: standard error, in the form that suits its reader.
public struct LogStream: Sendable {
    /// How a line looks.
    public enum Style: Sendable {
        /// `2026-11-30T12:00:00Z level area: text`
        case plain
        /// `12:00:00 level area: text`, at the beginning of the line that the panel may have drawn on.
        case terminal
        /// `<n>area: text`; the journal adds the time and takes the priority.
        case journal
    }

    public let descriptor: Int32
    public let style: Style

    public init(descriptor: Int32, style: Style) {
        self.descriptor = descriptor
        self.style = style
    }

    /// Nothing is written.
    public static var none: LogStream { LogStream(descriptor: -1, style: .plain) }

    /// Finds out who reads a descriptor. Call it once, at start.
    public static func detect(_ descriptor: Int32 = 2) -> LogStream {
        if isJournal(descriptor) { return LogStream(descriptor: descriptor, style: .journal) }
        return LogStream(descriptor: descriptor, style: isatty(descriptor) == 1 ? .terminal : .plain)
    }

    /// JOURNAL_STREAM names the journal's pipe as `DEVICE:INODE` (systemd.exec(5)); a redirected stream is another one.
    private static func isJournal(_ descriptor: Int32) -> Bool {
        guard let value = getenv("JOURNAL_STREAM") else { return false }
        let text = UnsafeRawBufferPointer(start: value, count: strlen(value))
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return decimal(text[..<colon]) == UInt64(status.st_dev)
            && decimal(text[(colon + 1)...]) == UInt64(status.st_ino)
    }

    /// Writes what the reader takes at once: one that stopped must not stop the gateway. The ring has the line anyway.
    func write(_ line: UnsafeRawBufferPointer) {
        guard descriptor >= 0 else { return }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return }
        _ = CBoard.write(descriptor, line.baseAddress, line.count)
    }
}
