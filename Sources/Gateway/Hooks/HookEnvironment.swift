import Bytes
import CBoard

/// The environment of hooks: what the gateway was given, less what its service manager meant for it alone, and four
/// variables of the notification. Made at start; `set` allocates nothing.
struct HookEnvironment: ~Copyable {
    /// Pointers for execve(2), ended by null: first the four, then the inherited ones.
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let values: UnsafeMutablePointer<ByteBuffer>

    private static let names = ["SKYGLOW_BUNDLE=", "SKYGLOW_MSG_ID=", "SKYGLOW_TITLE=", "SKYGLOW_BODY="]
    private static let capacities = [Limits.bundle, 2 * Limits.messageID, Limits.hookText, Limits.hookText]
    private static let dropped = [
        "SKYGLOW_", "NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "JOURNAL_STREAM=", "INVOCATION_ID=", "SYSTEMD_EXEC_PID=",
        "CREDENTIALS_DIRECTORY=",
    ]

    /// Which of the variables.
    enum Variable: Int, CaseIterable { case bundle, messageID, title, body }

    init() {
        let count = Variable.allCases.count
        var inherited: [UnsafeMutablePointer<CChar>] = []
        var at = cb_environ()
        while let next = at, let text = next.pointee {
            if !Self.isDropped(text) { inherited.append(text) }
            at = next + 1
        }
        pointer = .allocate(capacity: count + inherited.count + 1)
        values = .allocate(capacity: count)
        for index in 0..<count {
            // Name, value and the zero byte that ends them.
            let size = Self.names[index].utf8.count + Self.capacities[index] + 1
            (values + index).initialize(to: ByteBuffer(capacity: size))
            let start = UnsafeMutableRawPointer(mutating: values[index].pointer.baseAddress)
            (pointer + index).initialize(to: start?.assumingMemoryBound(to: CChar.self))
        }
        for index in 0..<inherited.count { (pointer + count + index).initialize(to: inherited[index]) }
        (pointer + count + inherited.count).initialize(to: nil)
        for variable in Variable.allCases { set(variable, nil) }
    }

    deinit {
        values.deinitialize(count: Variable.allCases.count)
        values.deallocate()
        pointer.deallocate()
    }

    /// Sets a variable; nil makes it empty. A zero byte, which would end it, becomes U+FFFD, and what does not fit is cut
    /// between characters: the document on standard input has all of it.
    func set(_ variable: Variable, _ value: RawSpan?) {
        let index = variable.rawValue
        values[index].removeAll()
        values[index].append(Self.names[index])
        if let value {
            var start = 0
            var isWhole = true
            for end in 0..<value.byteCount where isWhole && value[end] == 0 {
                isWhole = append(value.extracting(start..<end), index)
                if isWhole { isWhole = append(Self.replacement.utf8Span.span.bytes, index) }
                start = end + 1
            }
            if isWhole { _ = append(value.extracting(start..<value.byteCount), index) }
        }
        values[index].append(0 as UInt8)
    }

    /// As `inbox --json` has it: 32 hex digits.
    func setMessageID(_ id: RawSpan) {
        let index = Variable.messageID.rawValue
        values[index].removeAll()
        values[index].append(Self.names[index])
        values[index].append(hex: id.extracting(0..<min(id.byteCount, Limits.messageID)))
        values[index].append(0 as UInt8)
    }

    private static let replacement = "\u{FFFD}"

    /// As many whole characters as leave room for the end. False if that is not all of them.
    private func append(_ text: RawSpan, _ index: Int) -> Bool {
        var end = min(text.byteCount, values[index].free - 1)
        if end < text.byteCount {
            while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        }
        values[index].append(text.extracting(0..<end))
        return end == text.byteCount
    }

    private static func isDropped(_ text: UnsafePointer<CChar>) -> Bool {
        for name in dropped where strncmp(text, name, name.utf8.count) == 0 { return true }
        return false
    }
}
