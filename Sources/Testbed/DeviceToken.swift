/// A device token taken apart as its sender does it, SGP v2 §7.
public struct DeviceToken: Sendable, Equatable {
    public let serverAddress: [UInt8]
    /// K, the random part.
    public let secret: [UInt8]

    /// Reads 64 hexadecimal digits.
    public init(_ text: String) throws(TestbedError) {
        guard let token = bytes(hex: text), token.count == 32 else { throw .malformedToken }
        let padded = token.prefix(16)
        serverAddress = Array(padded.prefix { $0 != 0 })
        guard !serverAddress.isEmpty, padded.dropFirst(serverAddress.count).allSatisfy({ $0 == 0 }) else {
            throw .malformedToken
        }
        secret = Array(token.suffix(16))
    }

    /// Makes a token, as a client would.
    public init(serverAddress: String, secret: [UInt8]? = nil) {
        self.serverAddress = Array(serverAddress.utf8.prefix(16))
        self.secret = secret ?? Cryptography.random(16)
    }

    public var text: String {
        hex(serverAddress + [UInt8](repeating: 0, count: 16 - serverAddress.count) + secret)
    }

    public var routingKey: [UInt8] { Cryptography.sha256(secret) }

    public var endToEndKey: [UInt8] {
        let salt = serverAddress + Array("Hello from the Skyglow Notifications developers!".utf8)
        return Cryptography.hkdf(key: secret, salt: salt, count: 32)
    }
}
