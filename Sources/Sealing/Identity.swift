import Bytes
import CBoard

/// The device's RSA-2048 key pair (SGP v2 §4). It frees the key, which OpenSSL clears, when it goes.
///
/// It never touches a file: the owner keeps the PEM where only it can read, and wipes the buffer.
public struct Identity: ~Copyable {
    /// An EVP_PKEY.
    private let key: OpaquePointer

    private init(owning key: OpaquePointer) { self.key = key }

    deinit { EVP_PKEY_free(key) }

    /// Makes a new key. Takes from a tenth of a second to many seconds on a small board.
    public static func generate() throws(SealingError) -> Identity {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else {
            throw .library(call: "EVP_PKEY_CTX_new_id")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) > 0, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) > 0,
            EVP_PKEY_generate(context, &key) > 0, let key
        else {
            ERR_clear_error()
            throw .library(call: "EVP_PKEY_generate")
        }
        return Identity(owning: key)
    }

    /// Reads a private key from PEM that is not encrypted; PKCS#8 is what `appendPEM` writes. Throws `malformedKey`,
    /// or `keyKind` for anything but RSA-2048.
    public init(pem: RawSpan) throws(SealingError) {
        let read = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(bio) }
            // Without a callback OpenSSL would ask the terminal for a password.
            return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = read else {
            ERR_clear_error()
            throw .malformedKey
        }
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, EVP_PKEY_get_bits(key) == 2048 else {
            EVP_PKEY_free(key)
            throw .keyKind
        }
        self.init(owning: key)
    }

    /// Appends the private key as PKCS#8 PEM. The caller wipes the buffer after use.
    public func appendPEM(to output: inout ByteBuffer) throws(SealingError) {
        // The memory of this BIO is cleared when it grows and when it is freed.
        guard let bio = BIO_new(BIO_s_mem()) else { throw .library(call: "BIO_new") }
        defer { BIO_free(bio) }
        guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 else {
            ERR_clear_error()
            throw .library(call: "PEM_write_bio_PKCS8PrivateKey")
        }
        let length = Int(BIO_ctrl_pending(bio))
        guard length <= output.free else { throw .room }
        guard Int(BIO_read(bio, output.tail.baseAddress, Int32(length))) == length else {
            throw .library(call: "BIO_read")
        }
        output.commit(length)
    }

    /// Appends the public key as DER SubjectPublicKeyInfo, at most `Limits.publicKey` bytes.
    public func appendPublicKey(to output: inout ByteBuffer) throws(SealingError) {
        let length = Int(i2d_PUBKEY(key, nil))
        guard length > 0 else {
            ERR_clear_error()
            throw .library(call: "i2d_PUBKEY")
        }
        guard length <= output.free else { throw .room }
        var place = output.tail.assumingMemoryBound(to: UInt8.self).baseAddress
        guard Int(i2d_PUBKEY(key, &place)) == length else { throw .library(call: "i2d_PUBKEY") }
        output.commit(length)
    }

    /// Appends the RSASSA-PSS signature of a message, `Limits.signature` bytes: SHA-256, MGF1 with SHA-256, a salt of 32.
    public func sign(_ message: RawSpan, into output: inout ByteBuffer) throws(SealingError) {
        guard output.free >= Limits.signature else { throw .room }
        guard let context = EVP_MD_CTX_new() else { throw .library(call: "EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        var length = output.free
        let place = output.tail.assumingMemoryBound(to: UInt8.self).baseAddress
        guard EVP_DigestSignInit(context, &parameters, EVP_sha256(), nil, key) == 1,
            setPSS(parameters),
            message.withUnsafeBytes({
                EVP_DigestSign(context, place, &length, $0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count)
            }) == 1
        else {
            ERR_clear_error()
            throw .library(call: "EVP_DigestSign")
        }
        output.commit(length)
    }

    /// Whether a signature is that of a message by the private key that belongs to a public key in DER
    /// SubjectPublicKeyInfo. For tests and the loopback server.
    public static func verify(
        _ signature: RawSpan, of message: RawSpan, publicKey: RawSpan
    ) throws(SealingError) -> Bool {
        let read = publicKey.withUnsafeBytes { bytes -> OpaquePointer? in
            var place = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            return d2i_PUBKEY(nil, &place, bytes.count)
        }
        defer { ERR_clear_error() }
        guard let key = read else { throw .malformedKey }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { throw .library(call: "EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        guard EVP_DigestVerifyInit(context, &parameters, EVP_sha256(), nil, key) == 1, setPSS(parameters) else {
            throw .keyKind
        }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.assumingMemoryBound(to: UInt8.self).baseAddress, signature.count,
                    message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count) == 1
            }
        }
    }
}

private func setPSS(_ parameters: OpaquePointer?) -> Bool {
    EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) > 0
        && EVP_PKEY_CTX_set_rsa_mgf1_md(parameters, EVP_sha256()) > 0
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, 32) > 0
}
