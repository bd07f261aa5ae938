import CBoard

/// A self-signed certificate with its private key.
public final class ServerCertificate: @unchecked Sendable {
    public enum KeyKind: String, Sendable {
        case ellipticCurve = "ec"
        case rsa
    }

    let certificate: OpaquePointer
    let key: OpaquePointer

    /// Makes a key (P-256 or RSA-2048) and a certificate for a name.
    ///
    /// - Parameter expired: valid in 2001 only. A pinning client does not mind (SGP v2 §2).
    public init(name: String, kind: KeyKind = .ellipticCurve, expired: Bool = false) throws(TestbedError) {
        guard let key = ServerCertificate.makeKey(kind), let certificate = X509_new() else {
            throw .library(Cryptography.lastError())
        }
        self.key = key
        self.certificate = certificate
        X509_set_version(certificate, 2)
        let serial = Cryptography.random(8).reduce(0) { $0 << 8 | Int64($1) } & Int64.max
        ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), serial)
        ASN1_TIME_set_string(X509_getm_notBefore(certificate), expired ? "20010101000000Z" : "20200101000000Z")
        ASN1_TIME_set_string(X509_getm_notAfter(certificate), expired ? "20011231000000Z" : "20491231000000Z")
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_FLAG | 1, name, -1, -1, 0)
        X509_set_issuer_name(certificate, subject)
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw .library(Cryptography.lastError()) }
    }

    /// Reads what `pem` and `keyPEM` gave.
    public init(pem: String, keyPEM: String) throws(TestbedError) {
        let certificate = ServerCertificate.read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        let key = ServerCertificate.read(keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        guard let certificate, let key else {
            X509_free(certificate)
            EVP_PKEY_free(key)
            throw .library(Cryptography.lastError())
        }
        self.certificate = certificate
        self.key = key
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// The certificate for a client to pin.
    public var pem: String { ServerCertificate.write { PEM_write_bio_X509($0, certificate) } }
    public var keyPEM: String {
        ServerCertificate.write { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }
    public var der: [UInt8] { ServerCertificate.der(certificate) }
    /// SHA-256 of the DER in 64 hexadecimal digits.
    public var fingerprint: String { hex(Cryptography.sha256(der)) }

    static func der(_ certificate: OpaquePointer) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(certificate, &encoded)
        defer { CRYPTO_free(encoded, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: max(0, Int(length))))
    }

    private static func makeKey(_ kind: KeyKind) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_id(kind == .rsa ? EVP_PKEY_RSA : EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
        let prepared =
            kind == .rsa
            ? EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)
            : EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        var key: OpaquePointer?
        return prepared == 1 && EVP_PKEY_keygen(context, &key) == 1 ? key : nil
    }

    private static func read(_ text: String, _ parse: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
        Array(text.utf8).withUnsafeBytes { bytes in
            let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(input) }
            return parse(input)
        }
    }

    private static func write(_ print: (OpaquePointer?) -> Int32) -> String {
        let output = BIO_new(BIO_s_mem())
        defer { BIO_free(output) }
        guard print(output) == 1 else { return "" }
        var text = [UInt8](repeating: 0, count: 16_384)
        let length = BIO_read(output, &text, Int32(text.count))
        return String(decoding: text.prefix(max(0, Int(length))), as: UTF8.self)
    }
}
