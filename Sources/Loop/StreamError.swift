/// Why a stream ended.
public enum StreamError: Error, Equatable, Sendable {
    /// The network refused or broke the connection.
    case network(SystemError)
    /// TLS failed: OpenSSL's error code, for `tlsReason`.
    case tls(UInt)
    /// The server's certificate is not the pinned one.
    case pinMismatch
    /// The other side closed the connection with TLS's own goodbye, which nobody between can forge.
    case closed
    /// The connection ended without that goodbye.
    case truncated
}
