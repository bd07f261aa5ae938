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

    /// A copy of an address that C gave, or nil if it is neither IPv4 nor IPv6.
    init?(_ address: UnsafePointer<sockaddr>?, length: UInt32) {
        guard let address, length >= UInt32(MemoryLayout<sockaddr_in>.size),
            length <= UInt32(MemoryLayout<sockaddr_storage>.size),
            address.pointee.sa_family == AF_INET || address.pointee.sa_family == AF_INET6
        else { return nil }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
        self.storage = storage
        self.length = length
    }

    /// The literal and the port, as `192.0.2.1:7373` or `[2001:db8::1]:7373`. Allocates.
    public var text: String {
        var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        // The port follows the family in both kinds; the address follows after 4 bytes in IPv4 and 8 in IPv6.
        return withUnsafeBytes(of: storage) { raw in
            let isV6 = family == AF_INET6
            inet_ntop(family, raw.baseAddress! + (isV6 ? 8 : 4), &name, socklen_t(name.count))
            let port = UInt16(raw[2]) << 8 | UInt16(raw[3])
            let literal = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            return (isV6 ? "[" + literal + "]" : literal) + ":\(port)"
        }
    }

    public var family: Int32 { Int32(storage.ss_family) }

    /// Calls a C function that takes a `sockaddr`.
    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, UInt32) -> R) -> R {
        withUnsafeBytes(of: storage) { raw in
            body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), length)
        }
    }
}
