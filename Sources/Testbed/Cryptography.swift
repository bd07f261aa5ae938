import CBoard

/// The few primitives that the server needs, over OpenSSL.
enum Cryptography {
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    static func sha256(_ data: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = EVP_Digest(data, data.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }

    /// HKDF-SHA256 with empty info (RFC 5869).
    static func hkdf(key: [UInt8], salt: [UInt8], count: Int) -> [UInt8] {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: count)
        var length = count
        let ok =
            EVP_PKEY_derive_init(context) == 1
            && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
            && EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1
            && EVP_PKEY_CTX_set1_hkdf_key(context, key, Int32(key.count)) == 1
            && EVP_PKEY_derive(context, &output, &length) == 1
        precondition(ok, "HKDF failed")
        return output
    }

    /// AES-256-GCM with empty AAD: ciphertext followed by the 16-byte tag.
    static func seal(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: plain.count + 16)
        var tag = [UInt8](repeating: 0, count: 16)
        var length: Int32 = 0
        var ok = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
        ok = ok && EVP_EncryptUpdate(context, &output, &length, plain, Int32(plain.count)) == 1
        ok = ok && EVP_EncryptFinal_ex(context, &tag, &length) == 1
        ok = ok && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
        precondition(ok, "AES-GCM failed")
        output.replaceSubrange(plain.count..., with: tag)
        return output
    }

    /// Whether DER is the SubjectPublicKeyInfo of an RSA key of 2048 bits, without trailing bytes.
    static func isRSA2048(_ der: [UInt8]) -> Bool {
        guard let key = publicKey(der) else { return false }
        defer { EVP_PKEY_free(key) }
        return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) == 2048
    }

    /// RSASSA-PSS with SHA-256 for hash and MGF1 and a salt of 32 bytes (SGP v2 §4).
    static func verify(_ signature: [UInt8], over message: [UInt8], publicKey der: [UInt8]) -> Bool {
        guard let key = publicKey(der) else { return false }
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        return EVP_DigestVerifyInit(context, &parameters, EVP_sha256(), nil, key) == 1
            && EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, 32) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md(parameters, EVP_sha256()) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    private static func publicKey(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            guard let key = d2i_PUBKEY(nil, &cursor, buffer.count) else { return nil }
            if cursor == buffer.baseAddress.map({ $0 + buffer.count }) { return key }
            EVP_PKEY_free(key)
            return nil
        }
    }

    /// The oldest OpenSSL error of this thread as text; clears the rest.
    static func lastError() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return "unknown error" }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Raw DEFLATE (windowBits −15) of bytes.
func deflate(_ plain: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let started = deflateInit2_(
        &stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(started == Z_OK, "zlib failed")
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(plain.count))))
    var input = plain
    let written = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target -> Int in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = UInt32(target.count)
            let finished = deflate(&stream, Z_FINISH)
            precondition(finished == Z_STREAM_END, "zlib failed")
            return target.count - Int(stream.avail_out)
        }
    }
    return Array(output.prefix(written))
}
