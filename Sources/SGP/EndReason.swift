import Bytes

/// The reasons that S_DISCONNECT gives (SGP v2 §9). Unknown codes are soft.
public enum DisconnectReason: UInt8, Sendable {
    case normal = 0x00
    case authFail = 0x01
    case protocolError = 0x02
    case serverError = 0x03
    case replaced = 0x04
    case versionMismatch = 0x05
}

/// A fault of the server against the protocol, each a reason for the log.
public enum ProtocolFault: Equatable, Sendable {
    case frame(FrameFault)
    /// A frame that its phase does not allow.
    case phase(ServerMessage, Phase)
    /// A second legacy hello, or one after the first frame.
    case legacyHello
    /// The lengths inside the payload do not frame it.
    case payload(ServerMessage)
    /// The assigned address holds this byte, outside `[A-Za-z0-9._@-]`.
    case addressByte(UInt8)
    /// The server's clock is this many seconds from ours, beyond ±172,800.
    case clockOffset(Int64)
}

/// A wait that came to its end without an answer.
public enum Wait: UInt8, Sendable, Equatable {
    case connect, tlsHandshake, hello, challenge, authentication, pong, receive, send

    /// What was awaited, for the log.
    public var name: String {
        switch self {
        case .connect: "the TCP connection"
        case .tlsHandshake: "the TLS handshake"
        case .hello: "S_HELLO"
        case .challenge: "S_CHALLENGE"
        case .authentication: "S_AUTH_OK or S_REGISTER_OK"
        case .pong: "S_PONG"
        case .receive: "the rest of a frame"
        case .send: "a frame to be taken"
        }
    }
}

/// What the owner's store failed at.
public enum StoreTask: UInt8, Sendable, Equatable {
    /// To make durable what was received.
    case burst
    /// To keep the address that the server assigned.
    case address
    /// To read the registration set.
    case registrations
}

/// Why a connection, or the attempt at one, ended.
public enum EndReason: Equatable, Sendable {
    case protocolFault(ProtocolFault)
    /// S_DISCONNECT: the code as sent, and the seconds to stay away (0: none given).
    case disconnected(code: UInt8, retryAfter: UInt32)
    case registerFailed(code: UInt8)
    case timeout(Wait)
    /// The server closed the connection.
    case closed
    /// The network refused or broke the connection: an errno.
    case network(Int32)
    /// There is no network to reach the server by: an errno.
    case noNetwork(Int32)
    /// TLS failed: the library's error code.
    case tls(UInt)
    /// The server showed another certificate than the pinned one.
    case pinMismatch
    /// There is no such name, or nothing useful under it.
    case unresolved
    /// The name servers failed or did not answer: their status. May pass in a moment.
    case resolverFailed(Int32)
    /// The connection belongs to a network that is no longer there.
    case networkChanged
    /// The store failed; `isFull` where there is no space left.
    case store(StoreTask, isFull: Bool)
    /// There is no key of our own that can be used, or what it made does not fit a frame.
    case identity
    /// The certificate to register with could not be used.
    case clientCertificate
    /// The identity is committed; the login follows on a new connection.
    case registered
    /// The registration set changed and goes out on a new connection.
    case registrationsChanged
    /// The clock was set, and only a login tells whether the server agrees.
    case clockSet
    /// Somebody asked for another connection.
    case requested
    /// The gateway stops, or leaves this server.
    case stopped
}

/// How the next attempt follows from an end.
public enum EndClass: Equatable, Sendable {
    /// At once, and not a failure.
    case planned
    /// After the delay of §9.
    case soft(retryAfter: UInt32)
    /// Never by itself: refused authentication.
    case authRefused
    /// Never by itself: another protocol version.
    case versionRefused
}

extension EndReason {
    /// What a connection that a NAT has forgotten ends by: no answer, or a reset upon what was sent.
    var isSilence: Bool {
        switch self {
        case .timeout(.pong): true
        // EPIPE, ECONNRESET and ETIMEDOUT, the same on every board.
        case .network(let code): code == 32 || code == 104 || code == 110
        default: false
        }
    }

    /// The store could not write. What it cannot read keeps us from logging in, and then the count of all other failures
    /// is enough.
    var isFailedWrite: Bool {
        switch self {
        case .store(.burst, _), .store(.address, _): true
        default: false
        }
    }

    /// AUTH_FAIL is final except while registering (SGP v2 §9, §10).
    public func classified(during purpose: Purpose) -> EndClass {
        switch self {
        case .registered, .registrationsChanged, .clockSet, .requested, .stopped, .networkChanged: return .planned
        case .disconnected(let code, let retryAfter):
            switch DisconnectReason(rawValue: code) {
            case .authFail where purpose == .login: return .authRefused
            case .versionMismatch: return .versionRefused
            default: return .soft(retryAfter: retryAfter)
            }
        default: return .soft(retryAfter: 0)
        }
    }
}
