/// A frame from the client, decoded by SGP v2 §4, §5, §7, §8 and §9. Its lengths must frame the payload exactly.
enum ClientFrame {
    case upgrade
    case login(address: [UInt8], timestamp: Int64, version: UInt32)
    case loginResponse(timestamp: Int64, signature: [UInt8])
    case register(publicKey: [UInt8], timestamp: Int64, version: UInt32)
    case registerResponse(timestamp: Int64, signature: [UInt8])
    case poll(Int64)
    case ack(identifier: [UInt8], status: UInt8)
    case disconnect(UInt8)
    case ping(Int64)
    case pong(Int64)
    case filter(more: Bool, entries: [Registration])

    /// Why a payload is not one.
    enum Fault: Error {
        case short, trailing, text, flags
    }

    init(_ type: ClientType, _ payload: [UInt8]) throws(Fault) {
        var cursor = Cursor(bytes: payload)
        switch type {
        case .upgrade: self = .upgrade
        case .login:
            self = .login(address: try cursor.counted(), timestamp: try cursor.integer(), version: try cursor.integer())
        case .loginResponse: self = .loginResponse(timestamp: try cursor.integer(), signature: try cursor.counted())
        case .register:
            self = .register(
                publicKey: try cursor.counted(), timestamp: try cursor.integer(), version: try cursor.integer())
        case .registerResponse:
            self = .registerResponse(timestamp: try cursor.integer(), signature: try cursor.counted())
        case .poll: self = .poll(try cursor.integer())
        case .ack: self = .ack(identifier: try cursor.take(16), status: try cursor.integer())
        case .disconnect: self = .disconnect(try cursor.integer())
        case .ping: self = .ping(try cursor.integer())
        case .pong: self = .pong(try cursor.integer())
        case .filter: self = try ClientFrame.filter(&cursor)
        }
        guard cursor.isAtEnd else { throw .trailing }
    }

    private static func filter(_ cursor: inout Cursor) throws(Fault) -> ClientFrame {
        let flags: UInt8 = try cursor.integer()
        guard flags & 0xFE == 0 else { throw .flags }
        let count: UInt16 = try cursor.integer()
        var entries: [Registration] = []
        for _ in 0..<count {
            let tag: UInt8 = try cursor.integer()
            let key = try cursor.take(32)
            guard let bundle = String(validating: try cursor.counted(), as: UTF8.self) else { throw .text }
            entries.append(Registration(tag: tag, routingKey: key, bundle: bundle))
        }
        return .filter(more: flags & 1 == 1, entries: entries)
    }

    /// What the event of this frame shows.
    var fields: [(name: String, value: Event.Value)] {
        switch self {
        case .upgrade: []
        case .login(let address, let timestamp, let version):
            [
                ("address", .text(String(decoding: address, as: UTF8.self))), ("timestamp", .integer(timestamp)),
                ("version", .integer(Int64(version))),
            ]
        case .register(let key, let timestamp, let version):
            [
                ("public_key", .bytes(key)), ("timestamp", .integer(timestamp)), ("version", .integer(Int64(version))),
            ]
        case .loginResponse(let timestamp, let signature), .registerResponse(let timestamp, let signature):
            [("timestamp", .integer(timestamp)), ("signature_size", .integer(Int64(signature.count)))]
        case .poll(let sequence): [("last_seq", .integer(sequence))]
        case .ack(let identifier, let status): [("msg_id", .bytes(identifier)), ("status", .integer(Int64(status)))]
        case .disconnect(let reason): [("reason", .integer(Int64(reason)))]
        case .ping(let sequence), .pong(let sequence): [("seq", .integer(sequence))]
        case .filter(let more, let entries): [("has_more", .flag(more)), ("count", .integer(Int64(entries.count)))]
        }
    }
}

/// Reads big-endian fields from the front of a payload.
private struct Cursor {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ count: Int) throws(ClientFrame.Fault) -> [UInt8] {
        guard bytes.count - position >= count else { throw .short }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func integer<T: FixedWidthInteger>() throws(ClientFrame.Fault) -> T {
        try take(T.bitWidth / 8).reduce(0) { $0 << 8 | T(truncatingIfNeeded: $1) }
    }

    /// u16 length and as many bytes.
    mutating func counted() throws(ClientFrame.Fault) -> [UInt8] {
        let count: UInt16 = try integer()
        return try take(Int(count))
    }
}
