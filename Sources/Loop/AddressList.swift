import Bytes

/// A few addresses of one host, in the order to try them, held in place.
public struct AddressList: BitwiseCopyable, Sendable {
    private var addresses = InlineArray<8, SocketAddress?>(repeating: nil)
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }
    public var first: SocketAddress? { addresses[0] }

    /// The address at a place, nil where there is none.
    public subscript(index: Int) -> SocketAddress? { index >= 0 && index < count ? addresses[index] : nil }

    /// Appends an address; more than eight are left out.
    public mutating func append(_ address: SocketAddress) {
        guard count < Limits.addresses else { return }
        addresses[count] = address
        count += 1
    }

    public func contains(_ address: SocketAddress) -> Bool {
        for index in 0..<count where addresses[index] == address { return true }
        return false
    }

    /// The same addresses in whatever order: a server's DNS may turn them round at every answer.
    public func isSame(as other: AddressList) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count { if let address = addresses[index], !other.contains(address) { return false } }
        return true
    }
}
