import Bytes
import CBoard

/// HKDF with SHA-256 (RFC 5869).
enum HKDF {
    /// Extract and expand in one: 32 bytes for a secret and a salt, with empty info. OpenSSL wipes its copies.
    static func derive(secret: RawSpan, salt: RawSpan) throws(SealingError) -> Blob<32> {
        try run(EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, secret: secret, salt: salt, info: RawSpan(), length: 32)
    }

    /// One of OpenSSL's modes; `length` is at most 32, and 32 when extracting.
    static func run(
        _ mode: Int32, secret: RawSpan, salt: RawSpan, info: RawSpan, length wanted: Int
    ) throws(SealingError) -> Blob<32> {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else {
            throw .library(call: "EVP_PKEY_CTX_new_id")
        }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_PKEY_derive_init(context) > 0,
            EVP_PKEY_CTX_set_hkdf_mode(context, mode) > 0,
            EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) > 0,
            // OpenSSL takes an empty salt for a fault; none is the same to HKDF.
            salt.byteCount == 0 || set(salt, { EVP_PKEY_CTX_set1_hkdf_salt(context, $0, $1) }),
            info.byteCount == 0 || set(info, { EVP_PKEY_CTX_add1_hkdf_info(context, $0, $1) }),
            set(secret, { EVP_PKEY_CTX_set1_hkdf_key(context, $0, $1) })
        else { throw .library(call: "EVP_PKEY_derive_init") }
        var key = InlineArray<32, UInt8>(repeating: 0)
        defer { withUnsafeMutableBytes(of: &key) { wipe($0) } }
        var length = wanted
        var span = key.mutableSpan
        let done = span.withUnsafeMutableBufferPointer { EVP_PKEY_derive(context, $0.baseAddress, &length) }
        guard done > 0, length == wanted, wanted <= 32, let result = Blob<32>(key.span.bytes.extracting(0..<wanted))
        else { throw .library(call: "EVP_PKEY_derive") }
        return result
    }

    private static func set(_ bytes: RawSpan, _ call: (UnsafePointer<UInt8>?, Int32) -> Int32) -> Bool {
        bytes.withUnsafeBytes { call($0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32($0.count)) > 0 }
    }
}
