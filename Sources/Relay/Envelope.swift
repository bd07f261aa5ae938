import Bytes
import Payload

/// What is wrong with the body of a request. The text names the member.
public struct EnvelopeError: Error, Equatable, Sendable {
    /// A literal.
    public let text: String

    init(_ text: String) { self.text = text }
}

/// The envelope of a cronstable daemon, whose texts are the document's own.
public struct CronstableEnvelope: ~Escapable {
    /// The device token, decoded.
    public let device: Blob<256>
    /// Base64.
    public let ciphertext: RawSpan
    public let collapse: Blob<16>
    /// What names the source of the alert across runs; daemons since 1.2.7x say so.
    public let flap: Blob<16>?
    public let isTimeSensitive: Bool
    public let isEvent: Bool

    @_lifetime(borrow document)
    public init(_ document: borrowing Document) throws(EnvelopeError) {
        try document.requireVersion()
        guard let token = document.text("device"), let device = Blob<256>(hex: token),
            device.count >= Limits.relayTokenMinimum
        else { throw EnvelopeError("device: must be 16 to 512 hex digits") }
        if let suite = document.lookup("suite") {
            guard let name = document.string(suite), name.equals("x25519") else {
                throw EnvelopeError("suite: only x25519 can be opened here")
            }
        }
        guard let ciphertext = document.text("ciphertext") else {
            throw EnvelopeError("ciphertext: must be base64")
        }
        guard ciphertext.byteCount <= Limits.alertCiphertext else {
            throw EnvelopeError("ciphertext: longer than 3800 characters")
        }
        guard let collapse = document.identifier("collapseId") else {
            throw EnvelopeError("collapseId: must be 32 lowercase hex digits")
        }
        let priority = document.text("priority")
        guard let priority, priority.equals("time-sensitive") || priority.equals("passive") else {
            throw EnvelopeError("priority: must be time-sensitive or passive")
        }
        guard let event = document.lookup("event"), let isEvent = document.bool(event) else {
            throw EnvelopeError("event: must be true or false")
        }
        self.device = device
        self.ciphertext = ciphertext
        self.collapse = collapse
        flap = document.identifier("flapId")
        isTimeSensitive = priority.equals("time-sensitive")
        self.isEvent = isEvent
    }
}

/// A pushed note: the grant and what was sealed, both in base64.
public struct NoteEnvelope: ~Escapable {
    public let grant: RawSpan
    public let sealed: RawSpan

    @_lifetime(borrow document)
    public init(_ document: borrowing Document) throws(EnvelopeError) {
        try document.requireVersion()
        guard let grant = document.text("grant"), grant.byteCount > 0, grant.byteCount <= Limits.grant else {
            throw EnvelopeError("grant: must be a grant")
        }
        guard let sealed = document.text("sealed"), sealed.byteCount > 0 else {
            throw EnvelopeError("sealed: must be base64")
        }
        self.grant = grant
        self.sealed = sealed
    }
}

/// A request for a grant: the push token, decoded.
public struct GrantEnvelope {
    public let token: Blob<256>

    public init(_ document: borrowing Document) throws(EnvelopeError) {
        try document.requireVersion()
        guard let text = document.text("token"), let token = Blob<256>(hex: text),
            token.count >= Limits.relayTokenMinimum
        else { throw EnvelopeError("token: must be 16 to 512 hex digits") }
        self.token = token
    }
}

/// What is sealed inside a notification of a Skyglow server.
public enum SealedMember: Equatable, Sendable {
    case alert, note

    /// `ciphertext` beside `v`, or `sealed`, at the top level; nil for an ordinary notification.
    public init?(_ document: borrowing Document) {
        if document.text("ciphertext") != nil, let version = document.lookup("v"), document.integer(version) == 1 {
            self = .alert
        } else if document.text("sealed") != nil {
            self = .note
        } else {
            return nil
        }
    }
}

extension Document {
    /// Every envelope is of version 1.
    func requireVersion() throws(EnvelopeError) {
        guard let version = lookup("v"), int(version) == 1 else { throw EnvelopeError("v: must be 1") }
    }

    /// The text of a member of the root; nil for none or another kind.
    @_lifetime(borrow self)
    func text(_ name: String) -> RawSpan? {
        guard let value = lookup(name) else { return nil }
        return string(value)
    }

    /// 32 lowercase hex digits.
    func identifier(_ name: String) -> Blob<16>? {
        guard let text = text(name), text.byteCount == 32, let value = Blob<16>(hex: text) else { return nil }
        for index in 0..<32 where text[index] >= UInt8(ascii: "A") && text[index] <= UInt8(ascii: "F") { return nil }
        return value
    }
}
