import Bytes
import Testing

@testable import Loop

/// Messages of rtnetlink, made from linux/netlink.h and linux/rtnetlink.h.
enum Wire {
    static func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }

    /// `length` is what the header claims, if not the truth.
    static func message(_ type: UInt16, _ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
        number(length ?? UInt32(16 + body.count)) + number(type) + number(UInt16(0)) + number(UInt32(7))
            + number(UInt32(0)) + body
    }

    static func attribute(_ type: UInt16, _ value: [UInt8], length: UInt16? = nil) -> [UInt8] {
        padded(number(length ?? UInt16(4 + value.count)) + number(type) + value)
    }

    /// struct ifinfomsg: family, padding, type, index, flags, change.
    static func link(_ index: Int32, flags: UInt32, _ attributes: [UInt8] = []) -> [UInt8] {
        [0, 0] + number(UInt16(1)) + number(index) + number(flags) + number(UInt32(0)) + attributes
    }

    /// struct ifaddrmsg: family, prefix, flags, scope, index.
    static func address(_ index: Int32, family: UInt8 = 2, flags: UInt8 = 0, scope: UInt8 = 0, _ attributes: [UInt8])
        -> [UInt8]
    {
        [family, 24, flags, scope] + number(index) + attributes
    }

    /// struct rtmsg: family, destination and source length, TOS, table, protocol, scope, type, flags.
    static func route(prefix: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, _ attributes: [UInt8]) -> [UInt8] {
        [2, prefix, 0, 0, table, 3, 0, type] + number(UInt32(0)) + attributes
    }

    /// struct ndmsg: family, padding, index, state, flags, type.
    static func neighbour(_ index: Int32, _ attributes: [UInt8]) -> [UInt8] {
        [2, 0, 0, 0] + number(index) + number(UInt16(2)) + [0, 1] + attributes
    }
}

@Suite struct NetlinkTests {
    private func read(_ bytes: [UInt8]) -> (messages: [NetlinkMessage], isBroken: Bool) {
        var messages: [NetlinkMessage] = []
        var reader = NetlinkReader(bytes.span.bytes)
        while let message = reader.next() { messages.append(message) }
        return (messages, reader.isBroken)
    }

    private func one(_ bytes: [UInt8]) throws -> NetlinkMessage {
        let (messages, isBroken) = read(bytes)
        try #require(messages.count == 1 && !isBroken)
        return messages[0]
    }

    private func array<let size: Int>(_ blob: Blob<size>) -> [UInt8] { (0..<blob.count).map { blob[$0] } }

    // MARK: What is in a message

    @Test func link() throws {
        let name = Wire.attribute(3, Array("eth0".utf8) + [0])
        let mac = Wire.attribute(1, [2, 0, 0, 0, 0, 1])
        let link = try one(Wire.message(16, Wire.link(3, flags: 0x1_1043, mac + name)))
        #expect(link.kind == .link && link.index == 3 && link.flags == 0x1_1043)
        #expect(array(link.name) == Array("eth0".utf8))
        #expect(try one(Wire.message(17, Wire.link(3, flags: 0))).kind == .linkGone)
    }

    /// The longest name has 15 bytes and its terminator; what is longer is none, one without a terminator is.
    @Test(arguments: [0, 1, 15, 16, 17, 200]) func names(length: Int) throws {
        let name = [UInt8](repeating: 0x78, count: length)
        let link = try one(Wire.message(16, Wire.link(3, flags: 1, Wire.attribute(3, name))))
        #expect(array(link.name) == (length <= 16 ? name : []))
    }

    /// On a line from point to point the local address is the second one, in whatever order they come.
    @Test func addresses() throws {
        let local = Wire.attribute(2, [192, 0, 2, 7])
        let peer = Wire.attribute(1, [192, 0, 2, 1])
        for attributes in [local + peer, peer + local] {
            let address = try one(Wire.message(20, Wire.address(2, flags: 0x80, attributes)))
            #expect(address.kind == .address && address.index == 2 && address.prefix == 24 && address.family == 2)
            #expect(array(address.address) == [192, 0, 2, 7] && address.flags == 0x80)
        }
        let alone = try one(Wire.message(21, Wire.address(2, scope: 253, peer)))
        #expect(alone.kind == .addressGone && array(alone.address) == [192, 0, 2, 1] && alone.scope == 253)
        // IFA_FLAGS has room for what the byte has not.
        let flags = Wire.attribute(8, Wire.number(UInt32(0x340)))
        #expect(try one(Wire.message(20, Wire.address(2, flags: 0x40, peer + flags))).flags == 0x340)
    }

    @Test func routes() throws {
        let attributes =
            Wire.attribute(15, Wire.number(UInt32(1000))) + Wire.attribute(5, [192, 0, 2, 1])
            + Wire.attribute(4, Wire.number(Int32(2))) + Wire.attribute(6, Wire.number(UInt32(600)))
            + Wire.attribute(1, [198, 51, 100, 0])
        let route = try one(Wire.message(24, Wire.route(prefix: 24, table: 252, attributes)))
        #expect(route.kind == .route && route.table == 1000 && route.index == 2 && route.priority == 600)
        #expect(array(route.gateway) == [192, 0, 2, 1] && array(route.address) == [198, 51, 100, 0])
        #expect(route.prefix == 24 && route.type == 1)
        #expect(try one(Wire.message(25, Wire.route([]))).kind == .routeGone)
        // RTA_VIA: an IPv6 gateway of an IPv4 route.
        let gateway: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let via = Wire.attribute(18, Wire.number(UInt16(10)) + gateway)
        #expect(array(try one(Wire.message(24, Wire.route(via))).gateway) == gateway)
    }

    @Test func neighbours() throws {
        let attributes = Wire.attribute(1, [192, 0, 2, 1]) + Wire.attribute(2, [2, 0, 0, 0, 0, 9])
        let neighbour = try one(Wire.message(28, Wire.neighbour(2, attributes)))
        #expect(neighbour.kind == .neighbour && array(neighbour.hardware) == [2, 0, 0, 0, 0, 9])
        #expect(array(neighbour.address) == [192, 0, 2, 1] && neighbour.index == 2)
        #expect(try one(Wire.message(29, Wire.neighbour(2, attributes))).kind == .neighbourGone)
    }

    @Test func endsAndErrors() throws {
        #expect(try one(Wire.message(3, [0, 0, 0, 0])).kind == .done)
        #expect(try one(Wire.message(4, [])).kind == .overrun)
        let error = try one(Wire.message(2, Wire.number(Int32(-19)) + [UInt8](repeating: 0, count: 16)))
        #expect(error.kind == .error && error.code == 19)
        #expect(try one(Wire.message(2, Wire.number(Int32.min))).code == .min)
        #expect(try one(Wire.message(2, [1])).code == 0)
    }

    /// Types and attributes that nobody here knows are passed over.
    @Test(arguments: [0, 1, 5, 15, 18, 19, 22, 26, 30, 32, 80, 0xFFFF] as [UInt16]) func unknownTypes(type: UInt16)
        throws
    {
        let link = Wire.message(16, Wire.link(3, flags: 1))
        let (messages, isBroken) = read(Wire.message(type, [UInt8](repeating: 0xFF, count: 33)) + [0, 0, 0] + link)
        #expect(messages.map(\.kind) == [.other, .link] && !isBroken)
        let attributes = Wire.attribute(type | 0x8000, [1, 2, 3]) + Wire.attribute(3, [0x61, 0])
        let named = try one(Wire.message(16, Wire.link(3, flags: 1, attributes)))
        #expect(array(named.name) == [0x61] || type & 0x3FFF == 3)
    }

    // MARK: Lengths

    /// Wherever the bytes end, nothing is read beyond them, and what was whole before counts.
    @Test func cutAnywhere() {
        let name = Wire.attribute(3, Array("wlan0".utf8) + [0])
        let first = Wire.padded(Wire.message(16, Wire.link(3, flags: 1, name)))
        let bytes = first + Wire.message(24, Wire.route(Wire.attribute(5, [192, 0, 2, 1])))
        var wrong: [Int] = []
        for length in 0..<bytes.count {
            let (messages, isBroken) = read(Array(bytes.prefix(length)))
            let whole = length >= first.count ? 1 : 0
            let isEnd = length == 0 || length == first.count
            if messages.count != whole || isBroken == isEnd { wrong.append(length) }
        }
        #expect(wrong == [])
        #expect(read(bytes).messages.count == 2)
    }

    @Test(arguments: [0, 1, 15, 17, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF0, 0xFFFF_FFFF] as [UInt32])
    func lengthsThatAreNone(length: UInt32) {
        let (messages, isBroken) = read(Wire.message(16, [], length: length))
        #expect(messages.isEmpty && isBroken)
    }

    /// A fixed part that is not whole makes a message of no kind.
    @Test func shortBodies() throws {
        for (type, size) in [(16, 16), (17, 16), (20, 8), (21, 8), (24, 12), (25, 12), (28, 12), (29, 12)]
            as [(UInt16, Int)]
        {
            for count in 0...size {
                let message = try one(Wire.message(type, [UInt8](repeating: 0, count: count)))
                #expect((message.kind == .other) == (count < size), "type \(type), \(count) bytes")
            }
        }
    }

    /// An attribute that runs past its message ends the attributes; what came before counts.
    @Test(arguments: [0, 1, 3, 9, 0x7FFF, 0xFFFF] as [UInt16]) func attributesThatAreNone(length: UInt16) throws {
        let good = Wire.attribute(3, Array("eth0".utf8) + [0])
        let bad = Wire.attribute(3, [0x78, 0x79], length: length)
        let link = try one(Wire.message(16, Wire.link(3, flags: 1, good + bad)))
        #expect(array(link.name) == Array("eth0".utf8))
    }

    /// Values of a length that their type does not have are as good as none, and nothing beside them is read.
    @Test func valuesOfAnyLength() throws {
        for count in 0...64 {
            let value = [UInt8](repeating: 0xEE, count: count)
            for type in [1, 2, 4, 5, 6, 8, 15, 18] as [UInt16] {
                let attribute = Wire.attribute(type, value)
                let route = try one(Wire.message(24, Wire.route(attribute)))
                let address = try one(Wire.message(20, Wire.address(2, attribute)))
                let neighbour = try one(Wire.message(28, Wire.neighbour(2, attribute)))
                #expect(route.gateway.count <= 16 && address.address.count <= 16 && neighbour.hardware.count <= 20)
                if type == 4, count < 4 { #expect(route.index == 0) }
                if type == 8, count != 4 { #expect(address.flags == 0) }
            }
        }
    }

    /// Any bytes: it comes to an end.
    @Test func noise() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...200, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // A header that fits, or nothing would ever be looked into.
            if count >= 16 {
                bytes.replaceSubrange(0..<6, with: Wire.number(UInt32(count)) + Wire.number(UInt16.random(in: 0...32)))
            }
            #expect(read(bytes).messages.count <= count / 16)
        }
    }
}
