import Bytes
import CBoard
import Payload
import Store

/// `skyglowd inbox` and `skyglowd read`, whether or not the gateway runs.
extension CommandRunner {
    func inbox(unreadOnly: Bool, limit: Int?) throws(StartupError) -> ExitCode {
        let store = try openStore(configuration())
        var output = standardOutput()
        var text = ByteBuffer(capacity: Limits.notificationJSON)
        var kinds = KindReader()
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
                    text.append(text: row, kind: row.source == .cronstable ? kinds?.kind(of: row.payload) : nil)
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
        try poke("inbox", configuration)
        return exit
    }

    func readAll() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let store = try openStore(configuration)
        _ = try Startup.stored { () throws(StoreError) in try store.markAllRead() }
        try poke("inbox", configuration)
        return .ok
    }
}

/// Reads of what kind an alert is: what its sender said. For lists that are for people.
private struct KindReader: ~Copyable {
    private var decoder: DocumentDecoder
    private var document = Document()

    /// Nil if a library has no memory.
    init?() {
        guard let decoder = DocumentDecoder() else { return nil }
        self.decoder = decoder
    }

    mutating func kind(of payload: RawSpan) -> String? {
        do throws(PayloadError) {
            try decoder.decode(contentType: ContentType.json, data: payload, into: &document)
        } catch { return nil }
        guard let kind = document.lookup("kind"), let text = document.string(kind) else { return nil }
        return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
