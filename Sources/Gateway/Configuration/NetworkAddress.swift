import Bytes
import CBoard
import Loop

/// An IPv4 or IPv6 address.
public struct IPAddress: Equatable, Sendable {
    /// 4 or 16 bytes in network order.
    public let bytes: Blob<16>

    public var isIPv6: Bool { bytes.count == 16 }

    /// The usual notation of either kind, without brackets or a zone.
    public init?(_ text: String) {
        var raw = InlineArray<16, UInt8>(repeating: 0)
        let length = text.withCString { text in
            withUnsafeMutableBytes(of: &raw) { raw in
                if inet_pton(AF_INET, text, raw.baseAddress) == 1 { return 4 }
                return inet_pton(AF_INET6, text, raw.baseAddress) == 1 ? 16 : 0
            }
        }
        guard length > 0, let bytes = Blob<16>(raw.span.bytes.extracting(0..<length)) else { return nil }
        self.bytes = bytes
    }

    /// An address as sockets give it, of 4 or 16 bytes. IPv4 inside IPv6 (`::ffff:a.b.c.d`) becomes IPv4.
    public init?(_ raw: RawSpan) {
        guard raw.byteCount == 4 || raw.byteCount == 16 else { return nil }
        var isMapped = raw.byteCount == 16
        if isMapped {
            for index in 0..<12 where raw[index] != (index < 10 ? 0 : 0xFF) { isMapped = false }
        }
        guard let bytes = Blob<16>(isMapped ? raw.extracting(12..<16) : raw) else { return nil }
        self.bytes = bytes
    }

    init(masking address: IPAddress, to prefix: Int) {
        var raw = InlineArray<16, UInt8>(repeating: 0)
        for index in 0..<address.bytes.count { raw[index] = address.bytes[index] & IPAddress.mask(index, prefix) }
        bytes = Blob<16>(raw.span.bytes.extracting(0..<address.bytes.count)) ?? address.bytes
    }

    /// The bits of byte `index` that belong to a prefix.
    private static func mask(_ index: Int, _ prefix: Int) -> UInt8 {
        let bits = min(max(prefix - 8 * index, 0), 8)
        return bits == 0 ? 0 : 0xFF << UInt8(8 - bits)
    }

    /// The usual notation. Allocates.
    public var text: String {
        var text = ByteBuffer(capacity: 46)
        if let address = SocketAddress(bytes: bytes.bytes, port: 0) { text.append(literal: address) }
        return String(decoding: text.pointer, as: UTF8.self)
    }
}

/// A host and a port.
public struct Endpoint: Equatable, Sendable {
    /// A name, or an address without brackets.
    public var host: String
    public var port: UInt16
    /// The address if the host is one.
    public var address: IPAddress?

    /// As in the configuration: IPv6 in brackets.
    public var text: String { address?.isIPv6 == true ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Addresses with a common prefix (CIDR, RFC 4632).
public struct AddressRange: Equatable, Sendable {
    public let address: IPAddress
    /// Bits, 0 to 32 or 128.
    public let prefix: Int

    /// The address with the bits after the prefix cleared.
    public init(_ address: IPAddress, prefix: Int) {
        self.address = IPAddress(masking: address, to: prefix)
        self.prefix = prefix
    }

    public func contains(_ other: IPAddress) -> Bool {
        other.isIPv6 == address.isIPv6 && IPAddress(masking: other, to: prefix) == address
    }

    public var text: String { "\(address.text)/\(prefix)" }
}
