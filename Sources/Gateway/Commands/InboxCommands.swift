import Bytes
import CBoard
import Payload
import Store

/// `skyglowd inbox` and `skyglowd read`, whether or not the gateway runs.
extension CommandRunner {
    func inbox(unreadOnly: Bool, limit: Int?) throws(StartupError) -> ExitCode {
        let store = try openStore(configuration())
        var output = Output(descriptor: STDOUT_FILENO)
        var text = ByteBuffer(capacity: Limits.canonicalJSON + (1 << 20))
        var isFirst = true
        let unread = try Startup.stored { () throws(StoreError) in try store.unreadCount() }
        if json { output.write("{\"unread\":\(unread),\"notifications\":[") }
        try Startup.stored { () throws(StoreError) in
            try store.notifications(unreadOnly: unreadOnly, limit: limit ?? .max) { row in
                text.removeAll()
                if json {
                    if !isFirst { text.append(",") }
                    text.append(json: row)
                } else {
                    text.append(text: row)
                }
                isFirst = false
                output.write(text.pointer)
                return true
            }
        }
        if json { output.write("]}\n") } else if isFirst { Output.complain("nothing here") }
        return .ok
    }

    func read(_ ids: [Int64]) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let store = try openStore(configuration)
        var exit = ExitCode.ok
        try Startup.stored { () throws(StoreError) in
            for id in ids where try store.markRead(id) == .unknown {
                Output.complain("there is no notification \(id)")
                exit = .badData
            }
        }
        poke("inbox", configuration)
        return exit
    }

    func readAll() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let store = try openStore(configuration)
        _ = try Startup.stored { () throws(StoreError) in try store.markAllRead() }
        poke("inbox", configuration)
        return .ok
    }
}

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
        key("payload")
        append(row.payload)
        append("}")
    }

    /// One notification in two or three lines for a person.
    mutating func append(text row: borrowing NotificationRow) {
        append(row.isRead ? "  " : "* ")
        append(decimal: row.id)
        append("  ")
        append(date: row.received)
        append("  ")
        append(printable: row.bundle)
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
        append("\n")
    }
}
