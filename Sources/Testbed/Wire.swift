import Bytes

/// The frame layout of SGP v2 §2 and the message types of §3, as the server speaks them.
public enum Wire {
    public static let magic: UInt8 = 0x53
    public static let version: UInt8 = 0x02
    public static let headerSize = 8
    public static let payloadMaximum = 4096

    /// One frame: header and payload, with any header field replaced.
    public static func frame(_ type: UInt8, _ payload: [UInt8] = [], header: HeaderFault = HeaderFault()) -> [UInt8] {
        var bytes: [UInt8] = [
            header.magic ?? magic, header.version ?? version, header.type ?? type, header.reserved ?? 0,
        ]
        bytes += bigEndian(header.length ?? UInt32(payload.count))
        return bytes + payload
    }

    /// One frame with a correct header.
    public static func frame(_ type: ServerType, _ payload: [UInt8] = []) -> [UInt8] { frame(type.rawValue, payload) }

    /// The bytes of an integer, most significant first.
    public static func bigEndian<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        (0..<T.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// Header fields that replace the correct ones; nil leaves a field as it is.
public struct HeaderFault: Sendable, Equatable {
    public var magic: UInt8?
    public var version: UInt8?
    public var type: UInt8?
    public var reserved: UInt8?
    public var length: UInt32?

    public init(
        magic: UInt8? = nil, version: UInt8? = nil, type: UInt8? = nil, reserved: UInt8? = nil, length: UInt32? = nil
    ) {
        self.magic = magic
        self.version = version
        self.type = type
        self.reserved = reserved
        self.length = length
    }
}

/// Messages from the server, SGP v2 §3.
public enum ServerType: UInt8, Sendable, CaseIterable {
    case hello = 0x10
    case challenge = 0x11
    case authOK = 0x12
    case notify = 0x13
    case disconnect = 0x14
    case pong = 0x16
    case pollDone = 0x17
    case registerOK = 0x18
    case registerFail = 0x19
    case ping = 0x1A
    case timeSync = 0x1B

    /// The name in the specification, e.g. `S_HELLO`.
    public var name: String {
        switch self {
        case .hello: "S_HELLO"
        case .challenge: "S_CHALLENGE"
        case .authOK: "S_AUTH_OK"
        case .notify: "S_NOTIFY"
        case .disconnect: "S_DISCONNECT"
        case .pong: "S_PONG"
        case .pollDone: "S_POLL_DONE"
        case .registerOK: "S_REGISTER_OK"
        case .registerFail: "S_REGISTER_FAIL"
        case .ping: "S_PING"
        case .timeSync: "S_TIME_SYNC"
        }
    }
}

/// Messages from the client, SGP v2 §3.
public enum ClientType: UInt8, Sendable, CaseIterable {
    case upgrade = 0x00
    case login = 0x20
    case loginResponse = 0x21
    case poll = 0x22
    case ack = 0x23
    case disconnect = 0x24
    case ping = 0x27
    case register = 0x28
    case registerResponse = 0x29
    case pong = 0x2A
    case filter = 0x2B

    /// The name in the specification, e.g. `C_LOGIN`.
    public var name: String {
        switch self {
        case .upgrade: "C_UPGRADE"
        case .login: "C_LOGIN"
        case .loginResponse: "C_LOGIN_RESP"
        case .poll: "C_POLL"
        case .ack: "C_ACK"
        case .disconnect: "C_DISCONNECT"
        case .ping: "C_PING"
        case .register: "C_REGISTER"
        case .registerResponse: "C_REGISTER_RESP"
        case .pong: "C_PONG"
        case .filter: "C_FILTER"
        }
    }
}

/// Reasons of S_DISCONNECT, SGP v2 §9.
public enum DisconnectReason {
    public static let normal: UInt8 = 0
    public static let authFail: UInt8 = 1
    public static let protocolError: UInt8 = 2
    public static let serverError: UInt8 = 3
    public static let replaced: UInt8 = 4
    public static let versionMismatch: UInt8 = 5
}

/// Hexadecimal text of bytes, lower case.
public func hex(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        text.unicodeScalars.append(Unicode.Scalar(Hex.digit(byte >> 4)))
        text.unicodeScalars.append(Unicode.Scalar(Hex.digit(byte & 15)))
    }
    return text
}

/// Bytes of hexadecimal text of either case, or nil.
public func bytes(hex text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var result: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = Hex.value(digits[index]), let low = Hex.value(digits[index + 1]) else { return nil }
        result.append(high << 4 | low)
    }
    return result
}
