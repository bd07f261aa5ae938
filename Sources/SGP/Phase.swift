/// How far a connection has come (SGP v2 §3).
public enum Phase: UInt8, Sendable, Equatable {
    /// No connection, or one that has ended.
    case closed
    /// TLS is up and the pin matched; S_HELLO is awaited.
    case preHello
    /// S_HELLO has come; C_LOGIN or C_REGISTER goes out before anything else is read.
    case helloReceived
    /// C_LOGIN or C_REGISTER is sent.
    case challengeWait
    /// The challenge is answered.
    case authWait
    case authenticated

    public var name: String {
        switch self {
        case .closed: "Closed"
        case .preHello: "PreHello"
        case .helloReceived: "HelloReceived"
        case .challengeWait: "ChallengeWait"
        case .authWait: "AuthWait"
        case .authenticated: "Authenticated"
        }
    }
}

/// What a connection is for. A registering one never logs in (SGP v2 §10).
public enum Purpose: UInt8, Sendable, Equatable {
    case register
    case login
}

extension ServerMessage {
    /// Whether the table of phases (SGP v2 §3) lets this frame through.
    func isAllowed(in phase: Phase, purpose: Purpose) -> Bool {
        switch (self, phase) {
        case (.disconnect, _): true
        case (.hello, .preHello): true
        case (.challenge, .challengeWait): true
        case (.registerFail, .challengeWait), (.registerFail, .authWait), (.registerOK, .authWait): purpose == .register
        case (.authOK, .authWait): purpose == .login
        case (.notify, .authenticated), (.ping, .authenticated), (.pong, .authenticated), (.pollDone, .authenticated),
            (.timeSync, .authenticated):
            true
        default: false
        }
    }
}
