import Bytes
import CBoard

/// HPKE in auth mode (RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and ChaCha20-Poly1305, one message for each
/// encapsulation, made of the pieces that OpenSSL 3.0 has.
public enum HPKE {
    /// The encapsulated key and the tag.
    public static let overhead = 48
    /// Mode `mode_auth`: the receiver knows who sealed (§5).
    static let mode: UInt8 = 2

    /// Appends the plaintext of `enc ‖ ct`. `authentication` where the sender is another, the message was changed or it
    /// was sealed in another mode. After an error nothing has been appended.
    public static func open(
        _ sealed: RawSpan, receiver: SecretKey, receiverPublic: RawSpan, sender: RawSpan, info: RawSpan,
        additional: RawSpan = RawSpan(), into output: inout ByteBuffer
    ) throws(SealingError) {
        guard receiverPublic.byteCount == 32, sender.byteCount == 32 else { throw .length }
        guard sealed.byteCount >= overhead else { throw .authentication }
        guard sealed.byteCount - overhead <= output.free else { throw .room }
        let encapsulated = sealed.extracting(0..<32)
        var keys: HPKEKeys
        do throws(SealingError) {
            var secret = try SharedSecret(
                private1: receiver.pointer, public1: encapsulated, private2: receiver.pointer, public2: sender)
            defer { secret.wipe() }
            keys = try schedule(
                secret: secret, encapsulated: encapsulated, receiver: receiverPublic, sender: sender, info: info)
        } catch {
            throw error == .weakKey ? .authentication : error
        }
        defer { keys.wipe() }
        try AEAD.open(
            sealed.extracting(32..<sealed.byteCount), key: keys.key.bytes, nonce: keys.nonce.bytes,
            additional: additional, into: &output)
    }

    /// Appends `enc ‖ ct`: what a daemon does. The ephemeral key is made here unless a test gives one.
    public static func seal(
        _ plain: RawSpan, sender: SecretKey, senderPublic: RawSpan, receiver: RawSpan, info: RawSpan,
        additional: RawSpan = RawSpan(), ephemeral: SecretKey, into output: inout ByteBuffer
    ) throws(SealingError) {
        guard plain.byteCount + overhead <= output.free else { throw .room }
        let encapsulated = try ephemeral.publicKey()
        var secret = try SharedSecret(
            private1: ephemeral.pointer, public1: receiver, private2: sender.pointer, public2: receiver)
        defer { secret.wipe() }
        var keys = try schedule(
            secret: secret, encapsulated: encapsulated.bytes, receiver: receiver, sender: senderPublic, info: info)
        defer { keys.wipe() }
        output.append(encapsulated.bytes)
        try AEAD.seal(
            plain, key: keys.key.bytes, nonce: keys.nonce.bytes, additional: additional, into: &output)
    }

    /// ExtractAndExpand of the key encapsulation (§4.1), then KeySchedule (§5.1). Sequence number 0, so that the nonce is
    /// the base nonce.
    static func schedule(
        secret: borrowing SharedSecret, encapsulated: RawSpan, receiver: RawSpan, sender: RawSpan, info: RawSpan,
        mode: UInt8 = HPKE.mode
    ) throws(SealingError) -> HPKEKeys {
        var labelled = LabelledHKDF(suite: .kem)
        defer { labelled.wipe() }
        try labelled.extract(salt: RawSpan(), label: "eae_prk", secret.bytes)
        var context = InlineArray<96, UInt8>(repeating: 0)
        for index in 0..<32 {
            context[index] = encapsulated[index]
            context[32 + index] = receiver[index]
            context[64 + index] = sender[index]
        }
        var shared = try labelled.expand(label: "shared_secret", context.span.bytes, length: 32)
        defer { shared.wipe() }
        var schedule = LabelledHKDF(suite: .hpke)
        defer { schedule.wipe() }
        var scheduleContext = InlineArray<65, UInt8>(repeating: mode)
        try schedule.extract(salt: RawSpan(), label: "psk_id_hash", RawSpan())
        for index in 0..<32 { scheduleContext[1 + index] = schedule.key[index] }
        try schedule.extract(salt: RawSpan(), label: "info_hash", info)
        for index in 0..<32 { scheduleContext[33 + index] = schedule.key[index] }
        try schedule.extract(salt: shared.bytes, label: "secret", RawSpan())
        var key = try schedule.expand(label: "key", scheduleContext.span.bytes, length: 32)
        defer { key.wipe() }
        var nonce = try schedule.expand(label: "base_nonce", scheduleContext.span.bytes, length: 12)
        defer { nonce.wipe() }
        return HPKEKeys(shared: shared, key: key, nonce: nonce)
    }
}

/// What an encapsulation gives: the shared secret, and key and nonce of its one message.
struct HPKEKeys {
    var shared: Blob<32>
    var key: Blob<32>
    var nonce: Blob<32>

    mutating func wipe() {
        shared.wipe()
        key.wipe()
        nonce.wipe()
    }
}
