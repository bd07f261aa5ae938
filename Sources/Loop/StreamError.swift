/// Why a stream ended.
public enum StreamError: Error, Equatable, Sendable {
    /// The network refused or broke the connection.
    case network(SystemError)
    /// TLS failed: OpenSSL's error code, for `tlsReason`.
    case tls(UInt)
    /// The server's certificate is not the pinned one.
    case pinMismatch
    /// The other side closed the connection.
    case closed
}
