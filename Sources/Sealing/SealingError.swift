/// What can go wrong with keys and sealed data. Nothing secret is ever part of an error.
public enum SealingError: Error, Equatable, Sendable {
    /// OpenSSL refused a call that has no reason to fail: no memory, or no random numbers. The name is the call's.
    case library(call: String)
    /// A key or nonce has the wrong length.
    case length
    /// Sealed data is shorter than its tag, was changed, or was sealed with another key.
    case authentication
    /// The caller's buffer has no room for the result.
    case room
    /// Not the PEM or DER of a key, or encrypted.
    case malformedKey
    /// A key that is not RSA with 2048 bits.
    case keyKind
    /// A server address that is empty, longer than 16 bytes or not printable ASCII.
    case serverAddress
    /// A point of X25519 that no honest sender has: the shared secret would be zero (RFC 7748 §6.1).
    case weakKey
    /// Not 64 hex digits of a server address, padding and a secret.
    case malformedToken
}
