import Bytes
import CBoard

/// A PEM bundle (certificate, intermediates, private key) that is shown to a server once, while registering
/// (SGP v2 §4). What it holds is freed, and the key cleared, with its owner.
public final class ClientCertificate {
    private let certificate: OpaquePointer
    private let key: OpaquePointer
    private let chain: OpaquePointer?

    /// Reads the bundle, or nil where a certificate or an unencrypted private key is missing or they do not belong
    /// together. The caller wipes its bytes.
    public init?(pem: UnsafeRawBufferPointer) {
        guard let certificate = Self.read(pem, PEM_read_bio_X509) else { return nil }
        guard let key = Self.read(pem, PEM_read_bio_PrivateKey), X509_check_private_key(certificate, key) == 1 else {
            X509_free(certificate)
            return nil
        }
        self.certificate = certificate
        self.key = key
        chain = cb_read_chain(pem.baseAddress, Int32(clamping: pem.count))
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
        cb_free_chain(chain)
    }

    func use(on ssl: OpaquePointer) -> Bool {
        SSL_use_cert_and_key(ssl, certificate, key, chain, 1) == 1
    }

    private typealias Reader = (
        OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?,
        (
            @convention(c) (
                UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
            ) -> Int32
        )?, UnsafeMutableRawPointer?
    ) -> OpaquePointer?

    private static func read(_ pem: UnsafeRawBufferPointer, _ reader: Reader) -> OpaquePointer? {
        guard let bio = BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else { return nil }
        defer { BIO_free(bio) }
        ERR_clear_error()
        // Without a callback OpenSSL would ask for a passphrase on the terminal.
        return reader(bio, nil, { _, _, _, _ in -1 }, nil)
    }
}
