import Bytes

/// What the TXT record at `_sgn.<server address>` says (SGP v2 §1).
public struct ServiceRecord: BitwiseCopyable, Sendable, Equatable {
    /// An IP literal by the specification; operators publish host names as well.
    public private(set) var host = Blob<253>()
    public private(set) var port: UInt16 = 0
    /// Base of the certificate's address; empty if the record has none.
    public private(set) var httpAddress = Blob<255>()

    /// Reads `key=value` pairs between spaces. Unknown keys are ignored; nil unless `tcp_addr` and a `tcp_port` of 1 to
    /// 65535 are there.
    public init?(_ text: RawSpan) {
        var begin = 0
        while begin < text.byteCount {
            var end = begin
            while end < text.byteCount, text[end] != UInt8(ascii: " ") { end += 1 }
            take(text.extracting(begin..<end))
            begin = end + 1
        }
        guard !host.isEmpty, port > 0 else { return nil }
    }

    private mutating func take(_ pair: RawSpan) {
        if let value = Self.value(of: pair, key: "tcp_addr=") { host = Blob<253>(Self.bare(value)) ?? Blob<253>() }
        if let value = Self.value(of: pair, key: "http_addr=") { httpAddress = Blob<255>(value) ?? Blob<255>() }
        if let value = Self.value(of: pair, key: "tcp_port=") { port = Self.decimal(value) }
    }

    @_lifetime(copy pair)
    private static func value(of pair: RawSpan, key: String) -> RawSpan? {
        guard pair.starts(with: key) else { return nil }
        return pair.extracting(key.utf8.count..<pair.byteCount)
    }

    /// An IPv6 literal without the brackets that it has in front of a port elsewhere.
    @_lifetime(copy value)
    private static func bare(_ value: RawSpan) -> RawSpan {
        let end = value.byteCount - 1
        guard end > 0, value[0] == UInt8(ascii: "["), value[end] == UInt8(ascii: "]") else { return value }
        return value.extracting(1..<end)
    }

    /// A port in decimal digits, 0 for anything else.
    private static func decimal(_ text: RawSpan) -> UInt16 {
        var value = 0
        guard text.byteCount > 0, text.byteCount <= 5 else { return 0 }
        for index in 0..<text.byteCount {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = text[index] else { return 0 }
            value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
        }
        return UInt16(exactly: value) ?? 0
    }
}
