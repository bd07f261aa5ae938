import Bytes
import CBoard
import Foundation
import Testbed
import Testing

@testable import Loop

/// Texts in and around PEM, from which a certificate is read or none.
private let one = try! ServerCertificate(name: "sgn.test")
private let other = try! ServerCertificate(name: "other.test", kind: .rsa)

private func broken(_ pem: String, at line: Int) -> String {
    var lines = pem.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines[line] = "!" + lines[line].dropFirst()
    return lines.joined(separator: "\n")
}

private let noCertificates: [String] = [
    "", "\n", "no certificate", "-----BEGIN CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\nAAAAAAAA\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\n\u{0}\n-----END CERTIFICATE-----\n", one.keyPEM, broken(one.pem, at: 1),
    broken(one.pem, at: 3),
    String(one.pem.dropLast(30)), String(one.pem.prefix(200)) + "\n-----END CERTIFICATE-----\n",
    one.pem.replacingOccurrences(of: "CERTIFICATE", with: "PUBLIC KEY"),
    // Encrypted: must fail and not ask for the passphrase.
    one.pem.replacingOccurrences(
        of: "-----BEGIN CERTIFICATE-----\n",
        with: "-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\n"
            + "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n"),
]

@Suite struct CertificateTests {
    private func der(_ text: String) -> [UInt8]? { withBytes(Array(text.utf8)) { Certificate.der(pem: $0) } }

    private func describe(_ text: String) -> Certificate.Description? {
        withBytes(Array(text.utf8)) { Certificate.describe(pem: $0) }
    }

    @Test func theFirstOfAText() throws {
        #expect(der(one.pem) == one.der)
        #expect(der(one.pem + other.pem) == one.der)
        #expect(der("before\n" + one.keyPEM + one.pem + "after") == one.der)
        #expect(der(one.pem.replacingOccurrences(of: "\n", with: "\r\n")) == one.der)
        #expect(der(one.pem + broken(other.pem, at: 2)) == one.der)
    }

    @Test(arguments: noCertificates.indices) func none(index: Int) {
        #expect(der(noCertificates[index]) == nil)
        #expect(describe(noCertificates[index]) == nil)
    }

    @Test func derIsNoText() {
        #expect(withBytes(one.der) { Certificate.der(pem: $0) } == nil)
        let random = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 197 ^ $0 >> 3) }
        #expect(withBytes(random) { Certificate.der(pem: $0) } == nil)
    }

    @Test func alone() throws {
        let text = "before\n" + one.keyPEM + one.pem + other.pem + "after"
        let kept = try #require(withBytes(Array(text.utf8)) { Certificate.alone(pem: $0) })
        #expect(String(decoding: kept, as: UTF8.self) == one.pem)
        #expect(withBytes([]) { Certificate.alone(pem: $0) } == nil)
    }

    @Test func description() throws {
        let found = try #require(describe(one.pem))
        #expect(found.subject == "CN = sgn.test" && found.issuer == "CN = sgn.test")
        #expect(found.fingerprint == one.fingerprint)
        #expect(found.notBefore == "Jan  1 00:00:00 2020 GMT" && found.notAfter == "Dec 31 00:00:00 2049 GMT")
    }

    /// A name cannot write to the terminal of whoever reads it.
    @Test func namesWithControlCharacters() throws {
        let evil = try ServerCertificate(name: "x\u{1B}[2J\n  SHA-256  00\u{7F}")
        let found = try #require(describe(evil.pem))
        #expect(found.subject.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        #expect(found.subject.contains("SHA-256"))
    }

    @Test func namesInOtherLetters() throws {
        let made = try #require(certificate(units: ["Müller 🔔"]))
        defer { X509_free(made) }
        #expect(describe(pem(made))?.subject == "OU = Müller 🔔")
    }

    /// One that is too long to be pinned is none, so that no command stores what the gateway then refuses.
    @Test(arguments: [16_000, 17_000]) func greatLength(size: Int) throws {
        let unit = String(repeating: "x", count: 50)
        let large = try #require(certificate(units: Array(repeating: unit, count: size / 64)))
        defer { X509_free(large) }
        let length = Int(i2d_X509(large, nil))
        let text = Array(pem(large).utf8)
        let fits = length <= Limits.certificate
        #expect(withBytes(text) { Certificate.der(pem: $0) }?.count == (fits ? length : nil))
        #expect((withBytes(text) { Certificate.describe(pem: $0) } != nil) == fits)
        #expect(withBytes(text) { Certificate.alone(pem: $0) } == (fits ? text : nil))
        #expect(fits == (size == 16_000))
    }

    private func pem(_ certificate: OpaquePointer) -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        PEM_write_bio_X509(bio, certificate)
        var text = [UInt8](repeating: 0, count: 100_000)
        let count = BIO_read(bio, &text, Int32(text.count))
        return String(decoding: text.prefix(Int(max(count, 0))), as: UTF8.self)
    }

    /// A certificate whose subject has these organisational units.
    private func certificate(units: [String]) -> OpaquePointer? {
        let made = X509_new()
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        var key: OpaquePointer?
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        EVP_PKEY_keygen(context, &key)
        EVP_PKEY_CTX_free(context)
        X509_set_version(made, 2)
        X509_set_pubkey(made, key)
        ASN1_TIME_set_string(X509_getm_notBefore(made), "20200101000000Z")
        ASN1_TIME_set_string(X509_getm_notAfter(made), "20491231000000Z")
        for unit in units {
            X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "OU", MBSTRING_FLAG, unit, -1, -1, 0)
        }
        X509_sign(made, key, EVP_sha256())
        EVP_PKEY_free(key)
        return made
    }
}

@Suite struct ClientCertificateTests {
    private func read(_ text: String) -> ClientCertificate? {
        withBytes(Array(text.utf8)) { ClientCertificate(pem: $0) }
    }

    @Test func bundles() {
        #expect(read(one.pem + one.keyPEM) != nil)
        #expect(read(one.keyPEM + one.pem) != nil)
        #expect(read(other.pem + other.keyPEM) != nil)
        #expect(read(one.pem + other.pem + one.keyPEM) != nil, "an intermediate")
        #expect(read("a comment\n" + one.pem + "\n\n" + one.keyPEM + "\n") != nil)
    }

    @Test func noBundles() {
        #expect(read("") == nil)
        #expect(read(one.pem) == nil, "no key")
        #expect(read(one.keyPEM) == nil, "no certificate")
        #expect(read(one.pem + other.keyPEM) == nil, "the key of another")
        #expect(read(other.pem + one.pem + one.keyPEM) == nil, "the first certificate is not the key's")
        #expect(read(one.pem + broken(one.keyPEM, at: 1)) == nil)
        #expect(read(one.pem + String(one.keyPEM.dropLast(40))) == nil)
        #expect(read(String(repeating: "x", count: Limits.clientCertificate)) == nil)
    }

    /// An encrypted key is refused without asking for its passphrase.
    @Test func encryptedKeys() throws {
        for pkcs8 in [true, false] {
            let encrypted = try #require(encrypt(one.keyPEM, pkcs8: pkcs8))
            #expect(encrypted.contains("ENCRYPTED"))
            #expect(read(one.pem + encrypted) == nil)
        }
        #expect(read(noCertificates[noCertificates.count - 1] + one.keyPEM) == nil)
        #expect(read(one.pem + one.keyPEM + noCertificates[noCertificates.count - 1]) != nil, "the chain ends there")
    }

    private func encrypt(_ pem: String, pkcs8: Bool) -> String? {
        return Array(pem.utf8).withUnsafeBytes { bytes -> String? in
            let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            let output = BIO_new(BIO_s_mem())
            defer {
                BIO_free(input)
                BIO_free(output)
            }
            let key = PEM_read_bio_PrivateKey(input, nil, nil, nil)
            defer { EVP_PKEY_free(key) }
            var word = Array("secret".utf8)
            let done =
                pkcs8
                ? PEM_write_bio_PrivateKey(output, key, EVP_aes_256_cbc(), &word, 6, nil, nil)
                : PEM_write_bio_PrivateKey_traditional(output, key, EVP_aes_256_cbc(), &word, 6, nil, nil)
            guard done == 1 else { return nil }
            var text = [UInt8](repeating: 0, count: 16_384)
            let count = BIO_read(output, &text, Int32(text.count))
            return String(decoding: text.prefix(Int(max(count, 0))), as: UTF8.self)
        }
    }

    /// What is made and thrown away again and again leaves nothing behind: the memory sanitizer sees to that.
    @Test func madeAndFreed() {
        for _ in 0..<50 { #expect(read(one.pem + other.pem + one.keyPEM) != nil) }
    }
}
