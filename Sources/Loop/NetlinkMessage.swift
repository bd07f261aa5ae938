import Bytes

/// One message of rtnetlink(7), as far as a gateway needs it. What is not in the message is 0 or empty.
public struct NetlinkMessage: BitwiseCopyable, Sendable {
    public enum Kind: BitwiseCopyable, Sendable, Equatable {
        case link, linkGone, address, addressGone, route, routeGone, neighbour, neighbourGone
        /// The end of a list.
        case done
        /// An answer that is an error, or 0 for success; `code` is the errno.
        case error
        /// The kernel could not keep up.
        case overrun
        case other
    }

    public internal(set) var kind = Kind.other
    /// The interface's number.
    public internal(set) var index: Int32 = 0
    /// Of a link: IFF_UP and so on. Of an address: IFA_F_TENTATIVE and so on. Of a route: RTM_F_CLONED and so on.
    public internal(set) var flags: UInt32 = 0
    public internal(set) var family: UInt8 = 0
    /// Of an address or a destination.
    public internal(set) var prefix: UInt8 = 0
    public internal(set) var scope: UInt8 = 0
    /// Of a route: 1 is unicast.
    public internal(set) var type: UInt8 = 0
    public internal(set) var table: UInt32 = 0
    public internal(set) var priority: UInt32 = 0
    public internal(set) var code: Int32 = 0
    /// Of a link, without its terminator.
    public internal(set) var name = Blob<16>()
    /// Of an interface, a route's destination, or a neighbour.
    public internal(set) var address = Blob<16>()
    public internal(set) var gateway = Blob<16>()
    /// Of a neighbour.
    public internal(set) var hardware = Blob<20>()
}

/// Reads what one receive from rtnetlink gave. Whatever the bytes are, it reads none beyond them and comes to an end: a
/// length that does not fit ends the reading. Numbers are in the byte order of the machine.
public struct NetlinkReader: ~Copyable, ~Escapable {
    private let bytes: RawSpan
    private var position = 0
    /// The bytes ended in the middle of a message, or a message claimed what it is not.
    public private(set) var isBroken = false

    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Length, type, flags, number and sender.
    private static let header = 16

    /// The next message, or nil at the end.
    @_lifetime(self: copy self)
    public mutating func next() -> NetlinkMessage? {
        let left = bytes.byteCount - position
        guard left > 0 else { return nil }
        guard left >= Self.header, let length = Int(exactly: number(position, UInt32.self)), length >= Self.header,
            length <= left
        else {
            isBroken = true
            position = bytes.byteCount
            return nil
        }
        let message = bytes.extracting(position..<position + length)
        position = min(position + (length + 3) & ~3, bytes.byteCount)
        return Self.parse(message)
    }

    private func number<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: T.Type) -> T {
        bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: T.self)
    }

    private static func number<T: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: RawSpan, _ offset: Int, _: T.Type = T.self
    ) -> T {
        guard offset + MemoryLayout<T>.size <= bytes.byteCount else { return 0 }
        return bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: T.self)
    }

    private static func parse(_ message: RawSpan) -> NetlinkMessage {
        var parsed = NetlinkMessage()
        let body = message.extracting(header..<message.byteCount)
        // linux/netlink.h and linux/rtnetlink.h.
        switch number(message, 4, UInt16.self) {
        case 2:
            parsed.kind = .error
            parsed.code = body.byteCount >= 4 ? 0 &- number(body, 0, Int32.self) : 0
        case 3: parsed.kind = .done
        case 4: parsed.kind = .overrun
        case 16, 17: takeLink(body, isGone: number(message, 4, UInt16.self) == 17, &parsed)
        case 20, 21: takeAddress(body, isGone: number(message, 4, UInt16.self) == 21, &parsed)
        case 24, 25: takeRoute(body, isGone: number(message, 4, UInt16.self) == 25, &parsed)
        case 28, 29: takeNeighbour(body, isGone: number(message, 4, UInt16.self) == 29, &parsed)
        default: break
        }
        return parsed
    }

    /// struct ifinfomsg.
    private static func takeLink(_ body: RawSpan, isGone: Bool, _ parsed: inout NetlinkMessage) {
        guard body.byteCount >= 16 else { return }
        parsed.kind = isGone ? .linkGone : .link
        parsed.family = body[0]
        parsed.index = number(body, 4)
        parsed.flags = number(body, 8)
        var attributes = Attributes(body, at: 16)
        while let attribute = attributes.next() {
            guard attribute.type == 3 else { continue }
            var length = 0
            while length < attribute.count, body[attribute.at + length] != 0 { length += 1 }
            parsed.name = Blob(body.extracting(attribute.at..<attribute.at + length)) ?? parsed.name
        }
    }

    /// struct ifaddrmsg.
    private static func takeAddress(_ body: RawSpan, isGone: Bool, _ parsed: inout NetlinkMessage) {
        guard body.byteCount >= 8 else { return }
        parsed.kind = isGone ? .addressGone : .address
        parsed.family = body[0]
        parsed.prefix = body[1]
        parsed.flags = UInt32(body[2])
        parsed.scope = body[3]
        parsed.index = number(body, 4)
        var hasLocal = false
        var attributes = Attributes(body, at: 8)
        while let attribute = attributes.next() {
            let value = body.extracting(attribute.at..<attribute.at + attribute.count)
            switch attribute.type {
            // On a line from point to point the first is the other end.
            case 1: if !hasLocal { parsed.address = Blob(value) ?? parsed.address }
            case 2:
                parsed.address = Blob(value) ?? parsed.address
                hasLocal = true
            case 8: if value.byteCount == 4 { parsed.flags = number(value, 0) }
            default: break
            }
        }
    }

    /// struct rtmsg.
    private static func takeRoute(_ body: RawSpan, isGone: Bool, _ parsed: inout NetlinkMessage) {
        guard body.byteCount >= 12 else { return }
        parsed.kind = isGone ? .routeGone : .route
        parsed.family = body[0]
        parsed.prefix = body[1]
        parsed.table = UInt32(body[4])
        parsed.scope = body[6]
        parsed.type = body[7]
        parsed.flags = number(body, 8)
        var attributes = Attributes(body, at: 12)
        while let attribute = attributes.next() {
            let value = body.extracting(attribute.at..<attribute.at + attribute.count)
            switch attribute.type {
            case 1: parsed.address = Blob(value) ?? parsed.address
            case 4: parsed.index = number(value, 0)
            case 5: parsed.gateway = Blob(value) ?? parsed.gateway
            case 6: parsed.priority = number(value, 0)
            case 15: parsed.table = number(value, 0)
            // A gateway of another family: u16 family, address.
            case 18 where value.byteCount > 2:
                parsed.gateway = Blob(value.extracting(2..<value.byteCount)) ?? parsed.gateway
            default: break
            }
        }
    }

    /// struct ndmsg.
    private static func takeNeighbour(_ body: RawSpan, isGone: Bool, _ parsed: inout NetlinkMessage) {
        guard body.byteCount >= 12 else { return }
        parsed.kind = isGone ? .neighbourGone : .neighbour
        parsed.family = body[0]
        parsed.index = number(body, 4)
        var attributes = Attributes(body, at: 12)
        while let attribute = attributes.next() {
            let value = body.extracting(attribute.at..<attribute.at + attribute.count)
            switch attribute.type {
            case 1: parsed.address = Blob(value) ?? parsed.address
            case 2: parsed.hardware = Blob(value) ?? parsed.hardware
            default: break
            }
        }
    }

    /// The attributes behind the fixed part: u16 length, u16 type, value, padding to four bytes.
    private struct Attributes: ~Escapable {
        private let bytes: RawSpan
        private var position: Int

        @_lifetime(copy bytes)
        init(_ bytes: RawSpan, at position: Int) {
            self.bytes = bytes
            self.position = position
        }

        /// Where the next value begins and how long it is.
        @_lifetime(self: copy self)
        mutating func next() -> (type: UInt16, at: Int, count: Int)? {
            guard bytes.byteCount - position >= 4 else { return nil }
            let length = Int(bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt16.self))
            guard length >= 4, length <= bytes.byteCount - position else { return nil }
            // The two upper bits say how the value is made.
            let type = bytes.unsafeLoadUnaligned(fromByteOffset: position + 2, as: UInt16.self) & 0x3FFF
            let at = position + 4
            position += (length + 3) & ~3
            if position > bytes.byteCount { position = bytes.byteCount }
            return (type, at, length - 4)
        }
    }
}
