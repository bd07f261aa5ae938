import Bytes
import CBoard

/// The name servers of a resolv.conf (resolv.conf(5)), with those that c-ares leaves out: an address of one link
/// (`fe80::1%eth0`) says where it is only together with its interface (RFC 4007 §11).
struct NameServers: BitwiseCopyable {
    struct Entry: BitwiseCopyable {
        /// 4 or 16 bytes.
        var address = Blob<16>()
        /// The interface's number, 0 for none.
        var scope: UInt32 = 0
    }

    private var entries = InlineArray<16, Entry>(repeating: Entry())
    private(set) var count = 0
    /// One of them is an address of one link.
    private(set) var hasLinks = false
    /// Addresses of links that this board does not have now.
    private(set) var ignored = 0

    init() {}

    init(_ file: RawSpan) {
        var begin = 0
        while begin < file.byteCount {
            var end = begin
            while end < file.byteCount, file[end] != UInt8(ascii: "\n") { end += 1 }
            take(line: file.extracting(begin..<end))
            begin = end + 1
        }
    }

    subscript(index: Int) -> Entry { entries[index] }

    /// The interface of an address, 0 for none.
    func scope(of address: Blob<16>) -> UInt32 {
        for index in 0..<count where entries[index].address == address { return entries[index].scope }
        return 0
    }

    private mutating func take(line: RawSpan) {
        let keyword = "nameserver"
        var begin = keyword.utf8.count
        guard line.starts(with: keyword), begin < line.byteCount, Self.isBlank(line[begin]) else { return }
        while begin < line.byteCount, Self.isBlank(line[begin]) { begin += 1 }
        var end = begin
        while end < line.byteCount, !Self.isEnd(line[end]) { end += 1 }
        take(server: line.extracting(begin..<end))
    }

    private mutating func take(server: RawSpan) {
        var percent = 0
        while percent < server.byteCount, server[percent] != UInt8(ascii: "%") { percent += 1 }
        guard count < entries.count,
            let address = SocketAddress(literal: server.extracting(0..<percent), port: 0)
        else { return }
        var scope: UInt32 = 0
        if percent < server.byteCount {
            scope = Self.interface(server.extracting(percent + 1..<server.byteCount))
            guard scope != 0 else { return ignored += 1 }
            hasLinks = true
        }
        entries[count] = Entry(address: address.bytes, scope: scope)
        count += 1
    }

    /// The number of an interface by its name or in digits, 0 for none.
    private static func interface(_ text: RawSpan) -> UInt32 {
        var name = InlineArray<16, CChar>(repeating: 0)
        guard text.byteCount > 0, text.byteCount < 16 else { return 0 }
        var number: UInt32 = 0
        var isNumber = true
        for index in 0..<text.byteCount {
            name[index] = CChar(bitPattern: text[index])
            let digit = text[index] &- UInt8(ascii: "0")
            isNumber = isNumber && digit < 10 && index < 9
            if isNumber { number = number * 10 + UInt32(digit) }
        }
        if isNumber { return number }
        return withUnsafeBytes(of: &name) { if_nametoindex($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isEnd(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";")
    }
}
