import Bytes
import Payload
import Sealing

/// How urgent a sender calls what it sent.
public enum Urgency: Sendable, Equatable {
    case passive, active, timeSensitive

    /// As in `aps.interruption-level` and the inbox, a literal.
    public var name: String {
        switch self {
        case .passive: "passive"
        case .active: "active"
        case .timeSensitive: "time-sensitive"
        }
    }
}

/// What is known of something that was rendered.
public struct Rendered: BitwiseCopyable, Sendable {
    public var isStale: Bool
    /// When it was sent, Unix microseconds; nil where it does not say.
    public var time: Int64?
    /// What names the pane of a note.
    public var pane: Blob<32>
}

/// From the plaintext of an alert or note to a notification: all that it says at the top level, and the texts for people
/// in `aps`. Its memory is reserved once.
public struct AlertRenderer: ~Copyable {
    private var text = ByteBuffer(capacity: 2 * Limits.alertCiphertext)
    /// As long as any text of a plaintext, with room for words of ours.
    private var title = ByteBuffer(capacity: Limits.alertCiphertext + 64)
    private static let second: Int64 = 1_000_000

    public init() {}

    /// A cronstable alert. False for what is none. `now` is the corrected time in Unix seconds; nil where nobody knows
    /// it, and then nothing that bears a time is called outdated.
    public mutating func alert(
        _ plain: borrowing Document, urgency: Urgency, now: Int64?, into output: inout Document
    ) throws(PayloadError) -> Rendered? {
        guard let version = plain.lookup("v"), plain.int(version) == 1, let kind = plain.text("kind") else {
            return nil
        }
        title.removeAll()
        text.removeAll()
        let name = plain.text("name")
        if kind.equals("event") {
            if let subject = plain.text("subject") {
                title.append(subject)
            } else {
                title.append(kind)
                title.append(" ")
                if let event = plain.text("event") { title.append(event) }
            }
        } else if kind.equals("test") {
            title.append("Test alert")
        } else {
            if let name { title.append(name) } else { title.append("cronstable") }
            title.append(
                kind.equals("failure")
                    ? " failed" : kind.equals("success") ? " succeeded" : kind.equals("sla") ? ": SLA breach" : "")
        }
        line(plain.text("message"))
        line(plain.text("fail_reason"))
        number("exit code ", plain, "exit_code")
        line(plain.text("sla_check"))
        number("observed seconds: ", plain, "observed_seconds")
        number("allowed seconds: ", plain, "threshold_seconds")
        lines(plain)
        var time: Int64?
        if let stamp = plain.text("ts") { time = Timestamp.parse(stamp) }
        let isStale = Self.isStale(time, now: now)
        try output.load(RawSpan())
        try output.beginMap()
        try copyMembers(of: plain, to: &output)
        try appendAps(
            subtitle: plain.text("host"), urgency: isStale ? .passive : urgency,
            hasSound: !isStale && urgency != .passive, to: &output)
        try output.end()
        return Rendered(isStale: isStale, time: time, pane: Blob())
    }

    /// A note of an agent in a pane, by the daemon of a pairing. False for what is none.
    public mutating func note(
        _ plain: borrowing Document, daemon: Int64, now: Int64?, into output: inout Document
    ) throws(PayloadError) -> Rendered? {
        guard let version = plain.lookup("v"), plain.int(version) == 1, let host = plain.text("host"),
            let session = plain.text("session"), let workspace = plain.text("workspace"), let tab = plain.text("tab"),
            let pane = plain.text("pane"), let agent = plain.text("agent"), let state = plain.text("state"),
            let stamp = plain.text("time"), let time = Timestamp.parse(stamp)
        else { return nil }
        text.removeAll()
        text.append(bigEndian: daemon)
        for part in 0..<5 {
            let field = part == 0 ? host : part == 1 ? session : part == 2 ? workspace : part == 3 ? tab : pane
            text.append(bigEndian: UInt32(field.byteCount))
            text.append(field)
        }
        let digest: Blob<32>
        do throws(SealingError) { digest = try SHA256.digest(text.pointer.bytes) } catch { return nil }
        text.removeAll()
        title.removeAll()
        title.append(agent)
        title.append(": ")
        title.append(state)
        text.append(workspace)
        text.append(" / ")
        text.append(tab)
        text.append(" / ")
        text.append(pane)
        let isStale = Self.isStale(time, now: now)
        try output.load(RawSpan())
        try output.beginMap()
        try copyMembers(of: plain, to: &output)
        try output.key("collapse-id")
        let mark = output.textMark
        for index in 0..<16 {
            let digits: InlineArray<2, UInt8> = [Hex.digit(digest[index] >> 4), Hex.digit(digest[index] & 15)]
            try output.appendText(digits.span.bytes)
        }
        try output.string(output.text(since: mark))
        try appendAps(
            subtitle: host, urgency: isStale ? .passive : .active, hasSound: !isStale, to: &output)
        try output.end()
        return Rendered(isStale: isStale, time: time, pane: digest)
    }

    /// What stands for something that could not be opened.
    public mutating func placeholder(_ words: String, into output: inout Document) throws(PayloadError) {
        title.removeAll()
        text.removeAll()
        title.append(words)
        try output.load(RawSpan())
        try output.beginMap()
        try appendAps(subtitle: nil, urgency: .passive, hasSound: false, to: &output)
        try output.end()
    }

    private static func isStale(_ time: Int64?, now: Int64?) -> Bool {
        guard let time else { return true }
        guard let now else { return false }
        let age = now - time / second
        return age > Limits.fresh || age < -Limits.fresh
    }

    // MARK: Texts

    private mutating func line(_ words: RawSpan?) {
        guard let words, words.byteCount > 0 else { return }
        if !text.isEmpty { text.append("\n") }
        text.append(words)
    }

    private mutating func number(_ words: String, _ plain: borrowing Document, _ name: String) {
        guard let value = plain.lookup(name), let number = plain.integer(value) else { return }
        if !text.isEmpty { text.append("\n") }
        text.append(words)
        text.append(decimal: number)
    }

    /// The end of the log.
    private mutating func lines(_ plain: borrowing Document) {
        guard let tail = plain.lookup("log_tail"), plain.kind(tail) == .array else { return }
        var element = plain.firstChild(tail)
        while let value = element {
            line(plain.string(value))
            element = plain.next(value)
        }
    }

    // MARK: Documents

    private mutating func appendAps(
        subtitle: RawSpan?, urgency: Urgency, hasSound: Bool, to output: inout Document
    ) throws(PayloadError) {
        try output.key("aps")
        try output.beginMap()
        try output.key("alert")
        try output.beginMap()
        try output.key("title")
        try output.string(output.copyText(title.pointer.bytes))
        if let subtitle {
            try output.key("subtitle")
            try output.string(output.copyText(subtitle))
        }
        if !text.isEmpty {
            try output.key("body")
            try output.string(output.copyText(text.pointer.bytes))
        }
        try output.end()
        try output.key("interruption-level")
        try output.string(output.copyText(urgency.name))
        if hasSound {
            try output.key("sound")
            try output.string(output.copyText("default"))
        }
        try output.end()
    }

    /// All but what only we may say.
    private func copyMembers(of plain: borrowing Document, to output: inout Document) throws(PayloadError) {
        guard let root = plain.root else { return }
        var child = plain.firstChild(root)
        while let value = child {
            child = plain.next(value)
            guard let key = plain.key(value), !key.equals("aps"), !key.equals("collapse-id") else { continue }
            try output.key(output.copyText(key))
            try copy(value, of: plain, to: &output)
        }
    }

    /// As deep as documents are, 32 at most.
    private func copy(
        _ value: Document.Value, of plain: borrowing Document, to output: inout Document
    ) throws(PayloadError) {
        switch plain.kind(value) {
        case .map, .array:
            let isMap = plain.kind(value) == .map
            if isMap { try output.beginMap() } else { try output.beginArray() }
            var child = plain.firstChild(value)
            while let inner = child {
                if let key = plain.key(inner), isMap { try output.key(output.copyText(key)) }
                try copy(inner, of: plain, to: &output)
                child = plain.next(inner)
            }
            try output.end()
        case .string:
            if let text = plain.string(value) { try output.string(output.copyText(text)) }
        case .data:
            if let bytes = plain.data(value) { try output.data(output.copyText(bytes)) }
        case .int: try output.int(plain.int(value) ?? 0)
        case .double: try output.double(plain.double(value) ?? 0)
        case .bool: try output.bool(plain.bool(value) ?? false)
        case .null: try output.null()
        }
    }
}
