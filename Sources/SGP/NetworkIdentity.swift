import Bytes

/// What carries a connection, as far as it matters for how long silence may last.
public enum InterfaceKind: UInt8, BitwiseCopyable, Sendable, Equatable {
    case other = 0
    case ethernet = 1
    case wifi = 2
    /// Mobile data: a modem, or PPP.
    case wwan = 3
    case loopback = 4

    /// The name that `status` uses.
    public var name: String {
        switch self {
        case .other: "other"
        case .ethernet: "ethernet"
        case .wifi: "wifi"
        case .wwan: "wwan"
        case .loopback: "loopback"
        }
    }
}

/// One network as this board meets it again: the interface, and who the way out leads by. What is learned of a network
/// is kept under this.
public struct NetworkIdentity: BitwiseCopyable, Sendable, Equatable {
    /// The interface's name, at most 15 bytes.
    public var name: Blob<16>
    public var kind: InterfaceKind
    /// The gateway's hardware address (6 bytes on Ethernet and Wi-Fi), else its IP address (4 or 16 bytes), else empty:
    /// a line from point to point, or a server on the same link.
    public var key: Blob<20>

    public init(name: Blob<16>, kind: InterfaceKind, key: Blob<20>) {
        self.name = name
        self.kind = kind
        self.key = key
    }
}

extension NetworkIdentity {
    /// Nothing is known of what carries the connection.
    public static var unknown: NetworkIdentity {
        NetworkIdentity(name: Blob<16>(), kind: .other, key: Blob<20>())
    }

    /// The longest interval on this kind of network, in milliseconds (SGP v2 §8).
    public var longestInterval: Int64 { kind == .wwan ? 1_680_000 : .max }
}
