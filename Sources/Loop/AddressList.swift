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
        guard count < 8 else { return }
        addresses[count] = address
        count += 1
    }
}
