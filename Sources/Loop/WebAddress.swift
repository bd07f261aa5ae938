/// A web address of the kinds that servers publish: `http://`, `https://` or none, a host, perhaps a port and a path.
public struct WebAddress: Equatable, Sendable {
    public var isSecure: Bool
    /// A name or an address literal, without brackets.
    public var host: String
    public var port: UInt16
    /// Begins with `/`; a query belongs to it.
    public var path: String

    /// Nil for what is not of this form.
    public init?(_ text: String) {
        // Other letters are written with `%` or as `xn--`.
        for byte in text.utf8 where byte <= 0x20 || byte >= 0x7F { return nil }
        var rest = Substring(text)
        isSecure = rest.prefix(8).lowercased() == "https://"
        if isSecure {
            rest = rest.dropFirst(8)
        } else if rest.prefix(7).lowercased() == "http://" {
            rest = rest.dropFirst(7)
        }
        rest = rest[..<Self.first(rest, "#")]
        let end = min(Self.first(rest, "/"), Self.first(rest, "?"))
        guard let parts = Self.split(rest[..<end]) else { return nil }
        host = parts.host
        port = parts.port ?? (isSecure ? 443 : 80)
        path = rest[end...].utf8.first == UInt8(ascii: "/") ? String(rest[end...]) : "/" + rest[end...]
    }

    /// The first place of a character, or the end.
    private static func first(_ text: Substring, _ character: Unicode.Scalar) -> Substring.Index {
        text.utf8.firstIndex(of: UInt8(ascii: character)) ?? text.endIndex
    }

    /// `host`, `host:port`, `[address]` or `[address]:port`.
    private static func split(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        if let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), !text.hasSuffix("]") {
            guard let number = decimal(text[text.utf8.index(after: colon)...]) else { return nil }
            port = number
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard SocketAddress(literal: String(host.dropFirst().dropLast()), port: 0)?.isIPv6 == true else {
                return nil
            }
            return (String(host.dropFirst().dropLast()), port)
        }
        // Outside brackets a colon would be an address that nobody can tell from a port, and `@` a password.
        for byte in host.utf8 {
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"): return nil
            default: break
            }
        }
        return host.isEmpty ? nil : (String(host), port)
    }

    /// 1 to 65535 in digits alone.
    private static func decimal(_ text: Substring) -> UInt16? {
        for byte in text.utf8 where byte < UInt8(ascii: "0") || byte > UInt8(ascii: "9") { return nil }
        guard let number = UInt16(text), number > 0 else { return nil }
        return number
    }
}
