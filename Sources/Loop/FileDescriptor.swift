import CBoard

/// An open descriptor, closed with its owner.
public struct FileDescriptor: ~Copyable {
    /// The number, or −1 for none.
    public private(set) var raw: Int32

    public init(raw: Int32 = -1) { self.raw = raw }

    deinit { if raw >= 0 { _ = CBoard.close(raw) } }

    public var isOpen: Bool { raw >= 0 }

    public mutating func close() {
        if raw >= 0 { _ = CBoard.close(raw) }
        raw = -1
    }
}
