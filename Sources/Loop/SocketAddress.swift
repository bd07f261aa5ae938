import Bytes
import CBoard

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: BitwiseCopyable, Sendable {
    private var storage: sockaddr_storage
    public let length: UInt32

    /// An address from its literal, or nil if the text is none. Brackets around IPv6 are not part of it.
    public init?(literal: String, port: UInt16) {
        // C would see the text end at a zero byte.
        for byte in literal.utf8 where byte == 0 { return nil }
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        var storage = sockaddr_storage()
        if literal.withCString({ inet_pton(AF_INET, $0, &v4.sin_addr) }) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { to in withUnsafeBytes(of: &v4) { to.copyMemory(from: $0) } }
            length = UInt32(MemoryLayout<sockaddr_in>.size)
        } else if literal.withCString({ inet_pton(AF_INET6, $0, &v6.sin6_addr) }) == 1 {
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

    /// The same address with another port.
    func with(port: UInt16) -> SocketAddress {
        var copy = self
        // The port follows the family in both kinds.
        withUnsafeMutableBytes(of: &copy.storage) {
            $0.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
        return copy
    }

    /// The literal and the port, as `192.0.2.1:7373` or `[2001:db8::1]:7373`. Allocates.
    public var text: String {
        var text = ByteBuffer(capacity: 64)
        text.append(self)
        return String(decoding: text.pointer, as: UTF8.self)
    }

    public var family: Int32 { Int32(storage.ss_family) }
    var isIPv6: Bool { family == AF_INET6 }

    fileprivate func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: storage) { body($0) }
    }

    /// Calls a C function that takes a `sockaddr`.
    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, UInt32) -> R) -> R {
        withUnsafeBytes(of: storage) { raw in
            body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), length)
        }
    }
}

extension ByteBuffer {
    /// The literal and the port, as `192.0.2.1:7373` or `[2001:db8::1]:7373`.
    public mutating func append(_ address: SocketAddress) {
        var name = InlineArray<46, UInt8>(repeating: 0)
        let isV6 = address.family == AF_INET6
        if isV6 { append(UInt8(ascii: "[")) }
        let port = address.withBytes { raw in
            // The port follows the family in both kinds; the address itself after 4 bytes in IPv4 and 8 in IPv6.
            withUnsafeMutableBytes(of: &name) { name in
                let out = name.baseAddress?.assumingMemoryBound(to: CChar.self)
                inet_ntop(address.family, raw.baseAddress! + (isV6 ? 8 : 4), out, socklen_t(name.count))
            }
            return UInt16(raw[2]) << 8 | UInt16(raw[3])
        }
        for index in 0..<name.count where name[index] != 0 { append(name[index]) }
        append(isV6 ? "]:" : ":")
        append(decimal: port)
    }
}
