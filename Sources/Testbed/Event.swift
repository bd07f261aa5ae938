/// Something that happened on the server, with its decoded fields.
public struct Event: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// A port was opened: `port`, and `http` if it is the web server's.
        case listening
        /// A TCP connection was accepted.
        case connected
        /// TLS is done: `tls`, `client_certificate` (SHA-256 or empty), `client_subject`.
        case secured
        /// TLS failed: `error`.
        case refused
        /// A frame from the client: `type`, `size` and its fields.
        case frame
        /// A frame went out whole: `type`, `size`, for S_NOTIFY also `msg_id` and `seq`.
        case sent
        /// S_REGISTER_OK was granted: `address`.
        case registered
        /// S_AUTH_OK was granted: `address`.
        case authenticated
        /// A registration set is complete: `count`, how many of them are `ignored` (muted), `chunks`.
        case filter
        /// `last_seq`, `redelivered`.
        case polled
        /// `msg_id`, `status`, `known` (false if no such row waits, as for a duplicate).
        case acked
        /// The client broke a rule of the protocol: `what`.
        case violation
        /// A fault or a planned action took place: `what`.
        case fault
        /// The connection ended: `by` (client or server), `how` (close, reset, eof, error).
        case closed
        /// The reference server would have ended here: `what`.
        case crashed
        /// A request to the web server: `request`, `status`.
        case http
        /// Anything else: `what`.
        case note
    }

    public enum Value: Sendable, Equatable {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
        case flag(Bool)
    }

    /// Position in the log, from 0.
    public let number: Int
    /// Unix time in seconds.
    public let time: Double
    /// The connection, from 1; 0 for none.
    public let connection: Int
    public let kind: Kind
    public let fields: [(name: String, value: Value)]

    public subscript(name: String) -> Value? { fields.first { $0.name == name }?.value }

    /// An integer field.
    public func integer(_ name: String) -> Int64? {
        if case .integer(let value)? = self[name] { value } else { nil }
    }

    /// A text field.
    public func text(_ name: String) -> String? {
        if case .text(let value)? = self[name] { value } else { nil }
    }

    /// A field of bytes.
    public func bytes(_ name: String) -> [UInt8]? {
        if case .bytes(let value)? = self[name] { value } else { nil }
    }

    /// A truth value; false where the field is absent.
    public func flag(_ name: String) -> Bool {
        self[name] == .flag(true)
    }

    /// The type of a `frame` or `sent` event, e.g. `C_ACK`.
    public var type: String? { text("type") }
}

extension Event: CustomStringConvertible {
    /// `kind connection=1 name=value …`; a text with spaces is quoted.
    public var description: String {
        var line = kind.rawValue
        if connection > 0 { line += " connection=\(connection)" }
        for (name, value) in fields { line += " \(name)=\(value.word)" }
        return line
    }

    /// The event as one JSON object.
    public var json: String {
        var line = "{\"event\":\"\(kind.rawValue)\",\"t\":\(Double(Int64(time * 1000)) / 1000)"
        if connection > 0 { line += ",\"connection\":\(connection)" }
        for (name, value) in fields { line += ",\(jsonText(name)):\(value.json)" }
        return line + "}"
    }
}

extension Event.Value {
    var word: String {
        switch self {
        case .integer(let value): "\(value)"
        case .text(let value): quoted(value)
        case .bytes(let value): hex(value)
        case .flag(let value): value ? "yes" : "no"
        }
    }

    var json: String {
        switch self {
        case .integer(let value): "\(value)"
        case .text(let value): jsonText(value)
        case .bytes(let value): "\"\(hex(value))\""
        case .flag(let value): value ? "true" : "false"
        }
    }
}

/// A word of a command or an event line: in double quotes if it would not stand alone.
func quoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x27 && $0 != 0x5C && $0 != 0x7F }
    return plain && !text.isEmpty ? text : jsonText(text)
}

/// A JSON string literal.
func jsonText(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": out += "\\\""
        case "\\": out += "\\\\"
        case "\n": out += "\\n"
        case "\r": out += "\\r"
        case "\t": out += "\\t"
        default:
            if scalar.value < 0x20 {
                out += "\\u00" + hex([UInt8(scalar.value)])
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
    }
    return out + "\""
}
