import Bytes
import CBoard

/// A server's certificate as a file holds it.
public enum Certificate {
    /// What an operator compares before trusting a certificate.
    public struct Description: Sendable {
        public var subject: String
        public var issuer: String
        /// SHA-256 of the DER form, lower-case hex.
        public var fingerprint: String
        public var notBefore: String
        public var notAfter: String
    }

    /// The DER form of the first certificate in a PEM text, or nil if there is none or it is longer than one that can be
    /// pinned. Allocates.
    public static func der(pem: UnsafeRawBufferPointer) -> [UInt8]? {
        withCertificate(pem) { certificate in
            let length = Int(i2d_X509(certificate, nil))
            var der = [UInt8](repeating: 0, count: length)
            return der.withUnsafeMutableBufferPointer { buffer -> Bool in
                var at = buffer.baseAddress
                return i2d_X509(certificate, &at) == Int32(length)
            } ? der : nil
        }
    }

    /// The first certificate alone, without whatever else the text holds, or nil as `der`. Allocates.
    public static func alone(pem: UnsafeRawBufferPointer) -> [UInt8]? {
        withCertificate(pem) { certificate in
            guard let bio = BIO_new(BIO_s_mem()) else { return nil }
            defer { BIO_free(bio) }
            guard PEM_write_bio_X509(bio, certificate) == 1 else { return nil }
            // Base64 and line ends take less than a half more.
            var text = [UInt8](repeating: 0, count: 2 * Limits.certificate)
            let count = BIO_read(bio, &text, Int32(text.count))
            return count > 0 ? Array(text[0..<Int(count)]) : nil
        }
    }

    /// Subject, issuer and fingerprint of the first certificate in a PEM text, or nil as `der`. Allocates.
    public static func describe(pem: UnsafeRawBufferPointer) -> Description? {
        withCertificate(pem) { certificate in
            var digest = [UInt8](repeating: 0, count: 32)
            X509_digest(certificate, EVP_sha256(), &digest, nil)
            var hex = ByteBuffer(capacity: 64)
            hex.append(hex: digest.span.bytes)
            return Description(
                subject: print { cb_print_name($0, X509_get_subject_name(certificate)) },
                issuer: print { cb_print_name($0, X509_get_issuer_name(certificate)) },
                fingerprint: String(decoding: hex.pointer, as: UTF8.self),
                notBefore: print { ASN1_TIME_print($0, X509_get0_notBefore(certificate)) },
                notAfter: print { ASN1_TIME_print($0, X509_get0_notAfter(certificate)) })
        }
    }

    private static func withCertificate<R>(_ pem: UnsafeRawBufferPointer, _ body: (OpaquePointer) -> R?) -> R? {
        guard let bio = BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else { return nil }
        defer { BIO_free(bio) }
        guard let certificate = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) else {
            ERR_clear_error()
            return nil
        }
        defer { X509_free(certificate) }
        let length = Int(i2d_X509(certificate, nil))
        guard length > 0, length <= Limits.certificate else { return nil }
        return body(certificate)
    }

    /// What a function of OpenSSL prints.
    private static func print(_ body: (OpaquePointer) -> Int32) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        _ = body(bio)
        var text = [UInt8](repeating: 0, count: 1024)
        let count = BIO_read(bio, &text, Int32(text.count))
        return String(decoding: text.prefix(Int(max(count, 0))), as: UTF8.self)
    }
}
