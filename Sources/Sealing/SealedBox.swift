import Bytes
import CBoard

/// libsodium's sealed box: a message to a public key of X25519 whose sender stays unknown.
public enum SealedBox {
    /// An ephemeral public key and the authenticator of the message.
    public static let overhead = 48

    /// Appends the message. After an error nothing has been appended.
    public static func open(
        _ sealed: RawSpan, publicKey: RawSpan, secretKey: SecretKey, into output: inout ByteBuffer
    ) throws(SealingError) {
        guard publicKey.byteCount == Limits.relayKey else { throw .length }
        let length = sealed.byteCount - overhead
        guard length >= 0 else { throw .authentication }
        guard length <= output.free else { throw .room }
        let target = output.tail.assumingMemoryBound(to: UInt8.self).baseAddress!
        let done = sealed.withUnsafeBytes { sealed in
            publicKey.withUnsafeBytes { publicKey in
                crypto_box_seal_open(
                    target, sealed.assumingMemoryBound(to: UInt8.self).baseAddress!, UInt64(sealed.count),
                    publicKey.assumingMemoryBound(to: UInt8.self).baseAddress!,
                    secretKey.pointer.assumingMemoryBound(to: UInt8.self).baseAddress!)
            }
        }
        guard done == 0 else { throw .authentication }
        output.commit(length)
    }

    /// Appends a message sealed to a public key: what a sender does. For tests.
    public static func seal(
        _ message: RawSpan, publicKey: RawSpan, into output: inout ByteBuffer
    ) throws(SealingError) {
        guard publicKey.byteCount == Limits.relayKey else { throw .length }
        guard message.byteCount + overhead <= output.free else { throw .room }
        guard sodium_init() >= 0 else { throw .library(call: "sodium_init") }
        let target = output.tail.assumingMemoryBound(to: UInt8.self).baseAddress!
        let done = message.withUnsafeBytes { message in
            publicKey.withUnsafeBytes { publicKey in
                // An empty message has no address, and none is read of it.
                crypto_box_seal(
                    target, message.assumingMemoryBound(to: UInt8.self).baseAddress ?? UnsafePointer(target),
                    UInt64(message.count), publicKey.assumingMemoryBound(to: UInt8.self).baseAddress!)
            }
        }
        guard done == 0 else { throw .weakKey }
        output.commit(message.byteCount + overhead)
    }
}
