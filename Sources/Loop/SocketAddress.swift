import Bytes
import CBoard

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: BitwiseCopyable, Sendable {
    private var storage: sockaddr_storage
    public let length: UInt32

    /// An address from its literal, or nil if the text is none. Brackets around IPv6 are not part of it.
    public init?(literal: String, port: UInt16) {
        var literal = literal
        guard let address = literal.withUTF8({ SocketAddress(literal: UnsafeRawBufferPointer($0).bytes, port: port) })
        else { return nil }
        self = address
    }

    /// The same without a String.
    public init?(literal: RawSpan, port: UInt16) {
        // The longest literal has 45 bytes; behind it stays C's terminator, which must not be inside it.
        var text = InlineArray<64, CChar>(repeating: 0)
        guard literal.byteCount < 64 else { return nil }
        for index in 0..<literal.byteCount {
            guard literal[index] != 0 else { return nil }
            text[index] = CChar(bitPattern: literal[index])
        }
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        var storage = sockaddr_storage()
        func parse(_ family: Int32, _ out: UnsafeMutableRawPointer) -> Int32 {
            withUnsafeBytes(of: &text) { inet_pton(family, $0.baseAddress?.assumingMemoryBound(to: CChar.self), out) }
        }
        if parse(AF_INET, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { to in withUnsafeBytes(of: &v4) { to.copyMemory(from: $0) } }
            length = UInt32(MemoryLayout<sockaddr_in>.size)
        } else if parse(AF_INET6, &v6.sin6_addr) == 1 {
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

    /// The same address on the link of an interface, by its number; 0 for any. IPv4 knows no such thing.
    func with(scope: UInt32) -> SocketAddress {
        guard isIPv6, scope != 0 else { return self }
        var copy = self
        // Behind family, port, flow and address (RFC 3493 §3.3).
        withUnsafeMutableBytes(of: &copy.storage) { $0.storeBytes(of: scope, toByteOffset: 24, as: UInt32.self) }
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

    /// The address alone, 4 or 16 bytes; an IPv4 address in IPv6 form (RFC 4291 §2.5.5.2) as its 4.
    public var bytes: Blob<16> {
        withBytes { raw in
            guard isIPv6 else { return Blob(UnsafeRawBufferPointer(rebasing: raw[4..<8])) ?? Blob() }
            var isMapped = raw[18] == 0xFF && raw[19] == 0xFF
            for index in 8..<18 where raw[index] != 0 { isMapped = false }
            return Blob(UnsafeRawBufferPointer(rebasing: raw[(isMapped ? 20 : 8)..<24])) ?? Blob()
        }
    }

    public var port: UInt16 { withBytes { UInt16($0[2]) << 8 | UInt16($0[3]) } }

    /// Of this board alone.
    public var isLoopback: Bool {
        let bytes = bytes
        if bytes.count == 4 { return bytes[0] == 127 }
        for index in 0..<15 where bytes[index] != 0 { return false }
        return bytes[15] == 1
    }

    /// An address from its 4 or 16 bytes, nil for any other number of them.
    public init?(bytes: RawSpan, port: UInt16) {
        guard bytes.byteCount == 4 || bytes.byteCount == 16 else { return nil }
        let isV6 = bytes.byteCount == 16
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(isV6 ? AF_INET6 : AF_INET)
        withUnsafeMutableBytes(of: &storage) { to in
            // The port follows the family in both kinds.
            to.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            for index in 0..<bytes.byteCount { to[(isV6 ? 8 : 4) + index] = bytes[index] }
        }
        self.storage = storage
        length = UInt32(isV6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    }

    /// Whether this board has a way there; nothing is sent to find out.
    var hasRoute: Bool {
        let probe = FileDescriptor(raw: CBoard.socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        return !probe.isOpen || withPointer { CBoard.connect(probe.raw, $0, $1) } == 0
    }

    /// The own end of a socket.
    public init?(ownEndOf socket: Int32) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = withUnsafeMutableBytes(of: &storage) { raw -> SocketAddress? in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getsockname(socket, base, &size) == 0
            else { return nil }
            return SocketAddress(base, length: size)
        }
        guard let found else { return nil }
        self = found
    }

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

extension SocketAddress: Equatable {
    /// The same address and port.
    public static func == (left: SocketAddress, right: SocketAddress) -> Bool {
        left.port == right.port && left.bytes == right.bytes
    }
}

extension ByteBuffer {
    /// The literal of an address of 4 or 16 bytes, as sockets give it; an IPv4 address in IPv6 form is written as IPv4.
    public mutating func append(address bytes: RawSpan) {
        guard bytes.byteCount == 4 || bytes.byteCount == 16 else { return }
        var isMapped = bytes.byteCount == 16
        if isMapped {
            for index in 0..<12 where bytes[index] != (index < 10 ? 0 : 0xFF) { isMapped = false }
        }
        let isV6 = bytes.byteCount == 16 && !isMapped
        var name = InlineArray<46, UInt8>(repeating: 0)
        bytes.withUnsafeBytes { raw in
            withUnsafeMutableBytes(of: &name) { name in
                let out = name.baseAddress?.assumingMemoryBound(to: CChar.self)
                inet_ntop(isV6 ? AF_INET6 : AF_INET, raw.baseAddress! + (isMapped ? 12 : 0), out, socklen_t(name.count))
            }
        }
        for index in 0..<name.count where name[index] != 0 { append(name[index]) }
    }

    /// The literal and the port, as `192.0.2.1:7373` or `[2001:db8::1]:7373`.
    public mutating func append(_ address: SocketAddress) {
        if address.isIPv6 { append(UInt8(ascii: "[")) }
        append(literal: address)
        append(address.isIPv6 ? "]:" : ":")
        append(decimal: address.port)
    }

    /// The literal alone, without brackets.
    public mutating func append(literal address: SocketAddress) {
        var name = InlineArray<46, UInt8>(repeating: 0)
        address.withBytes { raw in
            // It begins after 4 bytes in IPv4 and 8 in IPv6.
            withUnsafeMutableBytes(of: &name) { name in
                let out = name.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = inet_ntop(address.family, raw.baseAddress! + (address.isIPv6 ? 8 : 4), out, socklen_t(name.count))
            }
        }
        for index in 0..<name.count where name[index] != 0 { append(name[index]) }
    }
}
