import Bytes

/// The types of frames that a server sends (SGP v2 §3).
public enum ServerMessage: UInt8, Sendable, CaseIterable {
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

    /// The payload sizes that are in order, in bytes.
    public var bounds: ClosedRange<Int> {
        switch self {
        case .hello: 4...4
        case .challenge: 32...32
        case .authOK, .pollDone: 0...0
        case .notify: Limits.notifyHeader...Limits.framePayload
        case .disconnect: 1...5
        case .pong, .ping, .timeSync: 8...8
        case .registerOK: 7...261
        case .registerFail: 1...258
        }
    }

    /// The name that the specification gives it.
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

/// The types of frames that a client sends (SGP v2 §3).
public enum ClientMessage: UInt8, Sendable {
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
}

/// What C_ACK says became of a notification (SGP v2 §5).
public enum AckStatus: UInt8, Sendable, BitwiseCopyable {
    case delivered = 0
    case decryptionFailed = 1
    case unreadable = 2
    case expired = 3
}
