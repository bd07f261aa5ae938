import Bytes
import CBoard

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: BitwiseCopyable, Sendable {
    private var storage: sockaddr_storage
    public let length: UInt32

    /// An address from its literal, or nil if the text is none. Brackets around IPv6 are not part of it.
    public init?(literal: String, port: UInt16) {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        var storage = sockaddr_storage()
        if inet_pton(AF_INET, literal, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { to in withUnsafeBytes(of: &v4) { to.copyMemory(from: $0) } }
            length = UInt32(MemoryLayout<sockaddr_in>.size)
        } else if inet_pton(AF_INET6, literal, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { to in withUnsafeBytes(of: &v6) { to.copyMemory(from: $0) } }
            length = UInt32(MemoryLayout<sockaddr_in6>.size)
        } else {
            return nil
        }
        self.storage = storage
    }

    public var family: Int32 { Int32(storage.ss_family) }

    /// Calls a C function that takes a `sockaddr`.
    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, UInt32) -> R) -> R {
        withUnsafeBytes(of: storage) { raw in
            body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), length)
        }
    }
}
