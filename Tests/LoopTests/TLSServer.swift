import CBoard
import Testbed
import Testing

/// A TLS server on blocking sockets, for one thread a connection.
final class TLSServer: @unchecked Sendable {
    private let context: OpaquePointer

    init(certificate: ServerCertificate, maximum: Int32 = TLS1_3_VERSION) throws {
        cb_ignore_sigpipe()
        context = try #require(SSL_CTX_new(TLS_server_method()))
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximum), nil)
        if maximum < TLS1_2_VERSION {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_VERSION), nil)
            SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        }
        let leaf = Self.read(certificate.pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        let key = Self.read(certificate.keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        try #require(SSL_CTX_use_certificate(context, leaf) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1)
        X509_free(leaf)
        EVP_PKEY_free(key)
    }

    deinit { SSL_CTX_free(context) }

    /// Asks the client for a certificate and takes any.
    func requestCertificate() { SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { _, _ in 1 } }

    /// Makes a handshake and calls `body` if it succeeds; true then.
    @discardableResult
    func accept(_ fd: Int32, _ body: (OpaquePointer) -> Void) -> Bool {
        guard let ssl = SSL_new(context) else { return false }
        defer { SSL_free(ssl) }
        SSL_set_fd(ssl, fd)
        guard SSL_accept(ssl) == 1 else { return false }
        body(ssl)
        SSL_shutdown(ssl)
        return true
    }

    @discardableResult
    func read(_ ssl: OpaquePointer, until end: String) -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while text.firstRange(of: Array(end.utf8)) == nil {
            let count = SSL_read(ssl, &chunk, Int32(chunk.count))
            guard count > 0 else { break }
            text += chunk.prefix(Int(count))
        }
        return String(decoding: text, as: UTF8.self)
    }

    func write(_ ssl: OpaquePointer, _ bytes: [UInt8]) {
        _ = SSL_write(ssl, bytes, Int32(bytes.count))
    }

    private static func read(_ text: String, _ parse: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
        Array(text.utf8).withUnsafeBytes { bytes in
            let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(input) }
            return parse(input)
        }
    }
}
