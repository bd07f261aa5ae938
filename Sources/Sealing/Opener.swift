import Bytes
import CBoard

/// AES-256-GCM with empty associated data, a 12-byte nonce and a 16-byte tag behind the ciphertext (SGP v2 §5). Owns
/// one cipher context for its whole life, so that opening allocates nothing.
public struct Opener: ~Copyable {
    // An EVP_CIPHER_CTX, which C keeps opaque.
    private let context: OpaquePointer
    private let cipher: OpaquePointer

    public init() throws(SealingError) {
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else { throw .library(call: "EVP_CIPHER_fetch") }
        let context = EVP_CIPHER_CTX_new()
        guard let context, EVP_DecryptInit_ex2(context, cipher, nil, nil, nil) == 1 else {
            EVP_CIPHER_CTX_free(context)
            EVP_CIPHER_free(cipher)
            throw .library(call: "EVP_DecryptInit_ex2")
        }
        self.cipher = cipher
        self.context = context
    }

    deinit {
        // Clears the key as well.
        EVP_CIPHER_CTX_free(context)
        EVP_CIPHER_free(cipher)
    }

    /// Appends the plaintext of `sealed`, which is ciphertext and tag. After an error nothing has been appended and
    /// no unauthenticated plaintext is left in the buffer's memory.
    public mutating func open(
        _ sealed: RawSpan, key: RawSpan, iv: RawSpan, into output: inout ByteBuffer
    ) throws(SealingError) {
        guard key.byteCount == Limits.endToEndKey, iv.byteCount == Limits.gcmNonce else { throw .length }
        let length = sealed.byteCount - Limits.gcmTag
        guard length >= 0 else { throw .authentication }
        guard length <= output.free else { throw .room }
        guard start(key: key, iv: iv) else {
            ERR_clear_error()
            throw .library(call: "EVP_DecryptInit_ex2")
        }
        let tail = UnsafeMutableRawBufferPointer(rebasing: output.tail[0..<length])
        guard decrypt(sealed, length: length, into: tail) else {
            wipe(tail)
            ERR_clear_error()
            throw .authentication
        }
        output.commit(length)
    }

    /// The cipher stays set; a new key and nonce reuse its state.
    private func start(key: RawSpan, iv: RawSpan) -> Bool {
        key.withUnsafeBytes { key in
            iv.withUnsafeBytes { iv in
                EVP_DecryptInit_ex2(
                    context, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress,
                    iv.assumingMemoryBound(to: UInt8.self).baseAddress, nil) == 1
            }
        }
    }

    private func decrypt(_ sealed: RawSpan, length: Int, into output: UnsafeMutableRawBufferPointer) -> Bool {
        sealed.withUnsafeBytes { sealed in
            let input = sealed.assumingMemoryBound(to: UInt8.self).baseAddress!
            let plain = output.assumingMemoryBound(to: UInt8.self).baseAddress
            var written: Int32 = 0
            // A zero-length update would be taken for the end.
            if length > 0 {
                guard EVP_DecryptUpdate(context, plain, &written, input, Int32(length)) == 1,
                    Int(written) == length
                else { return false }
            }
            // OpenSSL reads the tag only, though its declaration does not say so.
            let tag = UnsafeMutableRawPointer(mutating: input + length)
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Limits.gcmTag), tag) == 1 else {
                return false
            }
            var rest: Int32 = 0
            // Writes nothing in this mode, but wants somewhere to write.
            var scratch = InlineArray<16, UInt8>(repeating: 0)
            var span = scratch.mutableSpan
            let done = span.withUnsafeMutableBufferPointer { EVP_DecryptFinal_ex(context, $0.baseAddress, &rest) }
            return done == 1 && rest == 0
        }
    }
}

extension Opener {
    /// Appends ciphertext and tag of `plain`: what a sender does. For tests and the loopback server.
    public static func seal(
        _ plain: RawSpan, key: RawSpan, iv: RawSpan, into output: inout ByteBuffer
    ) throws(SealingError) {
        guard key.byteCount == Limits.endToEndKey, iv.byteCount == Limits.gcmNonce else { throw .length }
        let length = plain.byteCount
        guard length + Limits.gcmTag <= output.free else { throw .room }
        guard let context = EVP_CIPHER_CTX_new() else { throw .library(call: "EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        let tail = output.tail.assumingMemoryBound(to: UInt8.self).baseAddress!
        let done = plain.withUnsafeBytes { plain in
            key.withUnsafeBytes { key in
                iv.withUnsafeBytes { iv in
                    let key = key.assumingMemoryBound(to: UInt8.self).baseAddress
                    let iv = iv.assumingMemoryBound(to: UInt8.self).baseAddress
                    let input = plain.assumingMemoryBound(to: UInt8.self).baseAddress
                    var written: Int32 = 0
                    guard EVP_EncryptInit_ex2(context, EVP_aes_256_gcm(), key, iv, nil) == 1 else { return false }
                    if length > 0 {
                        guard EVP_EncryptUpdate(context, tail, &written, input, Int32(length)) == 1 else {
                            return false
                        }
                    }
                    return EVP_EncryptFinal_ex(context, tail + length, &written) == 1
                        && EVP_CIPHER_CTX_ctrl(
                            context, EVP_CTRL_AEAD_GET_TAG, Int32(Limits.gcmTag), tail + length) == 1
                }
            }
        }
        guard done else {
            ERR_clear_error()
            throw .library(call: "EVP_EncryptFinal_ex")
        }
        output.commit(length + Limits.gcmTag)
    }
}
