import Bytes
import Payload
import Store

extension ByteBuffer {
    /// One notification as the contract has it. Absent values are null.
    mutating func append(json row: borrowing NotificationRow) {
        append("{")
        member("id", row.id)
        key("msg_id")
        append("\"")
        append(hex: row.messageID)
        append("\"")
        member("bundle", text: row.bundle)
        member("source", row.source.name)
        member("received", row.received)
        member("expires", row.expires)
        member("title", text: row.title)
        member("subtitle", text: row.subtitle)
        member("body", text: row.body)
        member("sound", text: row.sound)
        member("badge", row.badge)
        member("category", text: row.category)
        member("thread", text: row.thread)
        member("priority", text: row.priority)
        member("read", row.isRead)
        member("stale", row.isStale)
        member("placeholder", row.isPlaceholder)
        appendRoute(row)
        key("payload")
        append(row.payload)
        append("}")
    }

    /// The route that decided and how far its hook is; nothing where there is none.
    private mutating func appendRoute(_ row: borrowing NotificationRow) {
        guard let route = row.route else { return }
        member("route", text: route)
        guard let hook = row.hook else { return }
        key("hook")
        append("{")
        member("state", hook.name)
        member("tries", row.hookTries)
        member("reason", text: row.hookReason)
        append("}")
    }

    /// One notification in a few lines for a person; the kind of alert where it is one.
    mutating func append(text row: borrowing NotificationRow, kind: String?) {
        append(row.isRead ? "  " : "* ")
        append(decimal: row.id)
        append("  ")
        append(date: row.received)
        append("  ")
        append(printable: row.bundle)
        // What the server brought may have come from such a daemon.
        if row.source != .sgp, !row.bundle.equals(row.source.name) {
            append("  ")
            append(row.source.name)
        }
        if let kind {
            append("  ")
            append(visible: Array(kind.utf8).span.bytes, limit: 32)
        }
        if row.isStale { append("  outdated") }
        if let title = row.title {
            append("\n     ")
            append(visible: title, limit: 200)
        }
        if let subtitle = row.subtitle {
            append("\n     ")
            append(visible: subtitle, limit: 200)
        }
        if let body = row.body {
            append("\n     ")
            append(visible: body, limit: 1000)
        }
        appendHook(row)
        append("\n")
    }

    /// A hook that has not ended well.
    private mutating func appendHook(_ row: borrowing NotificationRow) {
        guard let hook = row.hook, let reason = row.hookReason else { return }
        append(hook == .dead ? "\n     hook failed: " : "\n     hook waits: ")
        append(visible: reason, limit: Limits.hookReason)
    }
}
