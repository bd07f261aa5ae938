import Bytes
import CBoard

/// What a sender needs to reach one registration of this device: the server's address and a secret K, from which the
/// server's routing key and the end-to-end key follow (SGP v2 §7). It goes to the sender and nowhere else.
public struct DeviceToken: Equatable, Sendable, BitwiseCopyable {
    /// Without its padding.
    public let serverAddress: Blob<16>
    /// K
    public private(set) var secret: Blob<16>

    /// Makes a new token with 16 random bytes from OpenSSL.
    public init(serverAddress: RawSpan) throws(SealingError) {
        var random = InlineArray<16, UInt8>(repeating: 0)
        var span = random.mutableSpan
        let done = span.withUnsafeMutableBufferPointer { RAND_bytes($0.baseAddress, Int32($0.count)) }
        guard done == 1 else {
            ERR_clear_error()
            throw .library(call: "RAND_bytes")
        }
        try self.init(serverAddress: serverAddress, secret: random.span.bytes)
        withUnsafeMutableBytes(of: &random) { Bytes.wipe($0) }
    }

    /// A token of a known secret of 16 bytes.
    public init(serverAddress: RawSpan, secret: RawSpan) throws(SealingError) {
        guard let address = Blob<16>(serverAddress), Self.isAddress(serverAddress) else { throw .serverAddress }
        guard secret.byteCount == Limits.tokenSecret, let secret = Blob<16>(secret) else { throw .length }
        self.serverAddress = address
        self.secret = secret
    }

    /// Reads 64 hex digits of either case.
    public init(hex text: RawSpan) throws(SealingError) {
        guard text.byteCount == 2 * Limits.deviceToken, var token = Blob<32>(hex: text) else { throw .malformedToken }
        defer { token.wipe() }
        var length = Limits.serverAddress
        while length > 0, token[length - 1] == 0 { length -= 1 }
        do throws(SealingError) {
            try self.init(
                serverAddress: token.bytes.extracting(0..<length),
                secret: token.bytes.extracting(Limits.serverAddress..<Limits.deviceToken))
        } catch {
            throw .malformedToken
        }
    }

    /// Overwrites the secret.
    public mutating func wipe() { secret.wipe() }

    /// Printable ASCII; in particular without the zero bytes that pad it.
    private static func isAddress(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 0 else { return false }
        for index in 0..<bytes.byteCount where !(0x21...0x7E).contains(bytes[index]) { return false }
        return true
    }
}

extension ByteBuffer {
    /// The 32 bytes of a token: the address padded with zero bytes to 16, and K.
    public mutating func append(_ token: DeviceToken) {
        append(token.serverAddress.bytes)
        for _ in token.serverAddress.count..<Limits.serverAddress { append(0) }
        append(token.secret.bytes)
    }

    /// The 64 lower-case digits of a token.
    public mutating func append(hex token: DeviceToken) {
        append(hex: token.serverAddress.bytes)
        for _ in token.serverAddress.count..<Limits.serverAddress { append("00") }
        append(hex: token.secret.bytes)
    }
}

extension DeviceToken {
    private static let saltSuffix = "Hello from the Skyglow Notifications developers!"

    /// SHA-256(K): what the server knows a registration by.
    public func routingKey() throws(SealingError) -> Blob<32> {
        try SHA256.digest(secret.bytes)
    }

    /// HKDF-SHA256 (RFC 5869) of K, with the unpadded address and a fixed text as salt, and no info. Wipe it after use.
    public func endToEndKey() throws(SealingError) -> Blob<32> {
        var salt = ByteBuffer(capacity: 64)
        salt.append(serverAddress.bytes)
        salt.append(Self.saltSuffix)
        guard !salt.overflowed else { throw .room }
        return try HKDF.derive(secret: secret.bytes, salt: salt.bytes)
    }
}
