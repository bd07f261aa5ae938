/// How the server misbehaves. The defaults keep every promise of SGP v2.
public struct Faults: Sendable {
    public enum LegacyHello: String, Sendable, CaseIterable {
        case off, on
        /// Length and body in a TLS record each, as the reference server does.
        case two
    }

    public enum TLSVersion: String, Sendable, CaseIterable {
        case tls10 = "1.0"
        case tls11 = "1.1"
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    public enum ClientCertificate: String, Sendable, CaseIterable {
        case ignore, request, require
    }

    /// Something that the server leaves out without a word.
    public enum Silence: String, Sendable, CaseIterable {
        /// TCP is accepted, but no TLS handshake is made.
        case tls
        case hello, challenge
        /// Neither S_AUTH_OK nor S_REGISTER_OK.
        case answer
        case pong
        case pollDone = "poll-done"
        /// Nothing is pushed, and C_POLL brings nothing.
        case notify
        /// Nothing at all is sent after TLS.
        case everything
    }

    public struct Split: Sendable, Equatable {
        /// Bytes of one write, which is one TLS record.
        public var size: Int
        /// Milliseconds between two writes.
        public var delay: Int64

        public init(size: Int, delay: Int64 = 0) {
            self.size = size
            self.delay = delay
        }
    }

    public struct RegisterFailure: Sendable, Equatable {
        public var code: UInt8
        /// Nil sends the code alone.
        public var reason: [UInt8]?
        /// At C_REGISTER already, instead of S_CHALLENGE.
        public var early: Bool

        public init(code: UInt8, reason: String? = nil, early: Bool = false) {
            self.code = code
            self.reason = reason.map { Array($0.utf8) }
            self.early = early
        }
    }

    /// What the web server answers.
    public enum Web: String, Sendable, CaseIterable {
        case ok
        case chunked
        /// The wrong certificate.
        case wrong
        /// 200 with a text that is no certificate.
        case garbage
        case notFound = "404"
        case serverError = "500"
        /// Less than Content-Length says.
        case truncated
        /// A body of one megabyte.
        case huge
        case silent
    }

    // MARK: Transport

    public var tlsMinimum = TLSVersion.tls12
    public var tlsMaximum = TLSVersion.tls13
    public var wrongCertificate = false
    public var clientCertificate = ClientCertificate.ignore
    public var split: Split?
    /// Milliseconds by which everything that is sent comes later.
    public var delay: Int64 = 0

    // MARK: Protocol

    public var legacyHello = LegacyHello.off
    /// Sent after TLS instead of any hello.
    public var opening: [UInt8]?
    public var helloVersion: UInt32 = 2
    public var silence: Set<Silence> = []
    /// Replaces header fields of the next frame, then is nil again.
    public var header: HeaderFault?
    public var registerFailure: RegisterFailure?
    /// The address that S_REGISTER_OK gives, whatever its bytes.
    public var address: [UInt8]?
    /// S_DISCONNECT 0x02 for C_LOGIN on a connection that registered.
    public var refuseLoginAfterRegistration = false
    /// S_DISCONNECT with this reason instead of S_CHALLENGE for C_LOGIN.
    public var refuseLogin: UInt8?
    /// Seconds by which the server's clock is ahead.
    public var clockOffset: Int64 = 0
    /// S_TIME_SYNC after each S_AUTH_OK, this many seconds ahead of the server's clock.
    public var timeSync: Int64?
    /// S_NOTIFY.seq is the time in seconds.
    public var sequenceIsTime = false
    /// Each S_NOTIFY is sent this many times more.
    public var duplicates = 0
    /// The reference server's own ways, SGP v2 §10. Set by `reference`.
    public internal(set) var referenceWays = false

    // MARK: Web server

    public var web = Web.ok

    public init() {}

    /// The quirks of the reference server together, SGP v2 §10.
    public static var reference: Faults {
        var faults = Faults()
        faults.referenceWays = true
        faults.legacyHello = .two
        faults.tlsMinimum = .tls13
        faults.silence = [.pollDone]
        faults.sequenceIsTime = true
        faults.refuseLoginAfterRegistration = true
        return faults
    }
}
