import Bytes

/// The fixed part of S_NOTIFY (SGP v2 §5), which can be read even if what follows is wrong: the message is then
/// acknowledged by its identifier.
public struct NotifyHeader: BitwiseCopyable, Sendable {
    public let routingKey: Blob<32>
    /// UUID bytes.
    public let messageID: Blob<16>
    public let sequence: Int64
    /// Unix seconds; 0 = never.
    public let expiresAt: Int64
    public let flags: UInt8
    public let contentType: UInt8
    /// As the frame claims.
    public let dataLength: UInt32

    public var isEncrypted: Bool { flags & 0x01 != 0 }
    public var isCompressed: Bool { flags & 0x02 != 0 }
    /// The bits that must be 0.
    public var reservedFlags: UInt8 { flags & ~0x03 }

    /// Reads the first `Limits.notifyHeader` bytes of a payload; nil if it has fewer.
    public init?(_ payload: RawSpan) {
        var reader = ByteReader(payload)
        do throws(ByteError) {
            guard let routingKey = Blob<32>(try reader.read(32)), let messageID = Blob<16>(try reader.read(16)) else {
                return nil
            }
            self.routingKey = routingKey
            self.messageID = messageID
            sequence = try reader.read()
            expiresAt = try reader.read()
            flags = try reader.read()
            contentType = try reader.read()
            dataLength = try reader.read()
        } catch {
            return nil
        }
    }
}

/// The payload of S_NOTIFY in its parts, which share the lifetime of the payload.
public struct NotifyFrame: ~Escapable {
    public let header: NotifyHeader
    /// If encrypted: ciphertext and the 16-byte tag.
    public let data: RawSpan
    /// 12 bytes if encrypted, else empty.
    public let iv: RawSpan

    /// Throws `shortFrame`, `frameLength` or `reservedFlags`.
    @_lifetime(copy payload)
    public init(_ payload: RawSpan) throws(PayloadError) {
        guard let header = NotifyHeader(payload) else { throw .shortFrame(length: payload.byteCount) }
        guard header.reservedFlags == 0 else { throw .reservedFlags(header.flags) }
        let available = payload.byteCount - Limits.notifyHeader
        let ivLength = header.isEncrypted ? Limits.gcmNonce : 0
        // 32 bits may not fit Int on a small board.
        guard UInt64(header.dataLength) + UInt64(ivLength) == UInt64(available) else {
            let expected = UInt64(Limits.notifyHeader) + UInt64(header.dataLength) + UInt64(ivLength)
            throw .frameLength(expected: Int(clamping: expected))
        }
        self.header = header
        let end = payload.byteCount - ivLength
        data = payload.extracting(Limits.notifyHeader..<end)
        iv = payload.extracting(end..<payload.byteCount)
    }
}
