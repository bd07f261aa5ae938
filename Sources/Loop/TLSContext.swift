import Bytes
import CBoard

/// How the gateway speaks TLS: 1.2 or newer, no system CAs, no resumption, and the leaf certificate pinned byte for byte
/// (SGP v2 §2). The pin is checked inside the handshake, before our own certificate or any frame is sent.
public final class TLSContext {
    let context: OpaquePointer
    private var pinned = ByteBuffer(capacity: Limits.certificate)
    private var shown = ByteBuffer(capacity: Limits.certificate)
    /// The last handshake met another certificate than the pinned one.
    public private(set) var mismatch = false
    /// The last handshake met the pinned certificate.
    private(set) var matched = false
    /// SHA-256 of the certificate that the last handshake showed.
    public private(set) var shownFingerprint = Blob<32>()

    /// Nil if OpenSSL has no memory for a context.
    public init?() {
        // The system's openssl.cnf is for other programs: it could forbid or allow what the specification does not.
        OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
        guard let made = SSL_CTX_new(TLS_client_method()) else { return nil }
        context = made
        cb_ssl_ctx_configure(context)
        let me = Unmanaged.passUnretained(self).toOpaque()
        SSL_CTX_set_cert_verify_callback(
            context,
            { store, context in
                guard let store, let context else { return 0 }
                return Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().isPinned(store) ? 1 : 0
            }, me)
    }

    deinit { SSL_CTX_free(context) }

    /// Pins a certificate given as DER. False if it is longer than a certificate may be.
    public func pin(_ der: RawSpan) -> Bool {
        pinned.removeAll()
        pinned.append(der)
        return !pinned.overflowed && !pinned.isEmpty
    }

    func beginHandshake() {
        mismatch = false
        matched = false
    }

    private func isPinned(_ store: OpaquePointer) -> Bool {
        shown.removeAll()
        guard let leaf = X509_STORE_CTX_get0_cert(store) else {
            mismatch = true
            return false
        }
        let length = Int(i2d_X509(leaf, nil))
        if length > 0, length <= shown.capacity {
            var at: UnsafeMutablePointer<UInt8>? = shown.tail.baseAddress?.assumingMemoryBound(to: UInt8.self)
            shown.commit(Int(i2d_X509(leaf, &at)))
        }
        var digest = InlineArray<32, UInt8>(repeating: 0)
        shownFingerprint = withUnsafeMutableBytes(of: &digest) { out in
            X509_digest(leaf, EVP_sha256(), out.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
            return Blob<32>(UnsafeRawBufferPointer(out)) ?? Blob<32>()
        }
        mismatch = shown.isEmpty || !shown.pointer.bytes.equals(pinned.pointer.bytes)
        matched = !mismatch
        return matched
    }
}

extension ByteBuffer {
    /// OpenSSL's words for an error code, without allocating.
    public mutating func append(tlsReason code: UInt) {
        guard let words = ERR_reason_error_string(code) else {
            append("TLS error ")
            append(decimal: code)
            return
        }
        append(cString: words)
    }
}
