import Foundation

/// What a labelled notification should do.
struct Expectation {
    var label: String
    var identifiers: [[UInt8]]
    var title: String?
    var body: String?
    var shown: Bool
    /// Nil for no acknowledgement at all.
    var status: UInt8?
    /// How often each is sent at once; every copy wants its acknowledgement.
    var copies: Int
}

// The command `notify`.
extension Console {
    func notify(_ words: inout Words) throws -> Fields {
        let token = try words.next("TOKEN")
        let count: Int = try words.integer(key: "count") ?? 1
        let oneWrite = words.takes("one-write")
        let label = words.value("label")
        let wishes = (shown: words.value("expect"), status: words.value("ack"))
        let garbage = words.takes("garbage")
        let (message, title, body) = try message(&words, garbage: garbage)
        try words.finish()
        var sent: [Server.Sent] = []
        let server = server
        let deliver = {
            for number in 1...max(1, count) {
                // Each of many has its own number in the title, so that they can be told apart.
                let one = count > 1 ? try self.numbered(message, number) : message
                sent.append(try server.notify(one, token: token))
            }
        }
        if oneWrite { try server.inOneWrite(deliver) } else { try deliver() }
        if let label {
            expectations.append(
                Expectation(
                    label: label, identifiers: sent.map(\.identifier), title: count > 1 ? nil : title,
                    body: count > 1 ? nil : body, shown: try shown(wishes.shown, message, garbage),
                    status: try status(wishes.status, message, garbage), copies: max(1, message.copies)))
        }
        guard let last = sent.last else { return [] }
        return [
            ("msg_id", .bytes(last.identifier)), ("seq", .integer(last.sequence)), ("size", .integer(Int64(last.size))),
            ("pushed", .flag(last.pushed)),
        ]
    }

    /// The message that the words describe, and what a reader should see of it.
    private func message(_ words: inout Words, garbage: Bool) throws -> (Message, title: String?, body: String?) {
        let title = words.value("title") ?? "Testbed"
        let body = words.value("body")
        var message = Message(try content(&words, title, body))
        if garbage { message.content = .raw([0xFF, 0x00, 0xFE, 0x01, 0xFD], type: 0x03) }
        if let text = words.value("raw") {
            guard let raw = bytes(hex: text) else { throw TestbedError.usage("raw: not hexadecimal") }
            message.content = .raw(raw, type: 0x03)
        }
        if let size: Int = try words.integer(key: "size") { message.content = Message.ofPayloadSize(size).content }
        if words.takes("oversize") { message.content = Message.ofPayloadSize(5000).content }
        message.encrypted = words.takes("encrypt")
        message.compressed = words.takes("compress")
        message.wrongKey = words.takes("wrong-key")
        message.unknownKey = words.takes("unknown-key")
        if words.takes("held") { message.delivery = .held }
        if words.takes("unqueued") { message.delivery = .unqueued }
        if let seconds: Int64 = try words.integer(key: "expires") {
            message.expiresAt = Int64(Date().timeIntervalSince1970) + seconds
        }
        if words.takes("expired") { message.expiresAt = 1 }
        message.sequence = try words.integer(key: "seq")
        message.copies = try words.integer(key: "copies") ?? 1
        message.flags = try words.integer(key: "flags")
        message.contentType = try words.integer(key: "content-type")
        message.dataLength = try words.integer(key: "data-length")
        if let text = words.value("msg-id") {
            guard let identifier = bytes(hex: text), identifier.count == 16 else {
                throw TestbedError.usage("msg-id: 32 hexadecimal digits")
            }
            message.identifier = identifier
        }
        return (message, title, body)
    }

    private func content(_ words: inout Words, _ title: String, _ body: String?) throws -> Message.Content {
        let sound = words.value("sound")
        let type = words.value("type") ?? "structured"
        if type == "flat" {
            var records = [Message.FlatRecord.title(title)]
            if let body { records.append(.body(body)) }
            if let sound { records.append(.sound(sound)) }
            if let custom = words.value("custom") { records.append(.custom(Array(custom.utf8))) }
            return .flat(records)
        }
        let custom = words.value("custom").map { [Value.Entry("custom", .string($0))] } ?? []
        let document = Value.notification(
            title: title, body: body, subtitle: words.value("subtitle"), sound: sound,
            badge: try words.integer(key: "badge"), category: words.value("category"), thread: words.value("thread"),
            level: words.value("level"), custom: custom)
        switch type {
        case "structured": return .structured(document)
        case "json": return .json(document)
        default: throw TestbedError.usage("type: flat, structured or json")
        }
    }

    private func numbered(_ message: Message, _ number: Int) throws -> Message {
        var one = message
        switch message.content {
        case .structured(.map(let entries)):
            one.content = .structured(.map(entries + [Value.Entry("number", .integer(Int64(number)))]))
        case .json(.map(let entries)):
            one.content = .json(.map(entries + [Value.Entry("number", .integer(Int64(number)))]))
        default: break
        }
        return one
    }

    private func shown(_ wish: String?, _ message: Message, _ garbage: Bool) throws -> Bool {
        switch wish {
        case "shown": true
        case "hidden": false
        case nil: !(garbage || message.wrongKey || message.unknownKey || message.expiresAt == 1)
        default: throw TestbedError.usage("expect: shown or hidden")
        }
    }

    private func status(_ wish: String?, _ message: Message, _ garbage: Bool) throws -> UInt8? {
        if let wish {
            if wish == "none" { return nil }
            guard let status = UInt8(wish), status <= 3 else { throw TestbedError.usage("ack: 0 to 3, or none") }
            return status
        }
        if message.expiresAt == 1 { return 3 }
        if message.unknownKey { return nil }
        if message.wrongKey { return 1 }
        return garbage ? 2 : 0
    }
}
