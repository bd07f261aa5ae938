import CBoard

/// An open descriptor, closed with its owner.
public struct FileDescriptor: ~Copyable {
    /// The number, or −1 for none.
    public private(set) var raw: Int32

    public init(raw: Int32 = -1) { self.raw = raw }

    deinit { if raw >= 0 { _ = CBoard.close(raw) } }

    public var isOpen: Bool { raw >= 0 }

    /// Writes all of it, however many calls that takes: the error number of what could not be written, or nil.
    public static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var sent = 0
        while sent < bytes.count, let base = bytes.baseAddress {
            let count = CBoard.write(descriptor, base + sent, bytes.count - sent)
            if count < 0, cb_errno() == EINTR { continue }
            guard count > 0 else { return count < 0 ? cb_errno() : ENOSPC }
            sent += count
        }
        return nil
    }

    public mutating func close() {
        if raw >= 0 { _ = CBoard.close(raw) }
        raw = -1
    }
}
