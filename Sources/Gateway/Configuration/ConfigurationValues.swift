import Bytes
import Loop
import Panel
import Relay

/// Why a value is refused. The message completes "KEY: …".
struct ValueError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// The kinds of values of a configuration.
enum ConfigurationValues {
    static func number(_ text: String, _ range: ClosedRange<Int64>) throws(ValueError) -> Int64 {
        guard let value = decimal(text.utf8), value <= UInt64(range.upperBound), value >= UInt64(range.lowerBound)
        else {
            throw ValueError("expected a whole number from \(range.lowerBound) to \(range.upperBound), not `\(text)`")
        }
        return Int64(value)
    }

    /// A server address: it becomes a part of every device token and of a DNS query.
    static func serverAddress(_ text: String) throws(ValueError) -> String {
        guard text.utf8.count <= Limits.serverAddress else {
            throw ValueError("`\(text)` is longer than \(Limits.serverAddress) bytes")
        }
        guard text.utf8.allSatisfy(isHostCharacter) else {
            throw ValueError("`\(text)` holds other characters than letters, digits, `.` and `-`")
        }
        return text
    }

    /// `HOST:PORT`, `IPV4:PORT` or `[IPV6]:PORT`.
    static func endpoint(_ text: String) throws(ValueError) -> Endpoint {
        let bytes = Array(text.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else {
            throw ValueError("`\(text)` has no port: expected HOST:PORT")
        }
        let (host, isBracketed) = try host(bytes[..<colon], in: text)
        guard let port = decimal(bytes[(colon + 1)...]), port >= 1, port <= 65_535 else {
            throw ValueError("`\(text)` has no port from 1 to 65535 after its last colon")
        }
        let address = IPAddress(host)
        guard address?.isIPv6 ?? false == isBracketed else {
            throw ValueError(
                isBracketed ? "`[\(host)]` is no IPv6 address" : "an IPv6 address needs brackets: [\(host)]:\(port)")
        }
        guard address != nil || isHostName(host) else { throw ValueError("`\(host)` is no host name") }
        return Endpoint(host: host, port: UInt16(port), address: address)
    }

    /// An endpoint whose host is an address.
    static func addressEndpoint(_ text: String) throws(ValueError) -> Endpoint {
        let endpoint = try endpoint(text)
        guard endpoint.address != nil else { throw ValueError("`\(endpoint.host)` is no IP address") }
        return endpoint
    }

    /// The address of a DNS server, with port 53 unless it names another.
    static func resolver(_ text: String) throws(ValueError) -> Endpoint {
        let bytes = Array(text.utf8)
        let inner =
            bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
            ? bytes[1..<bytes.count - 1] : bytes[...]
        let bare = String(decoding: inner, as: UTF8.self)
        guard !inner.contains(UInt8(ascii: "%")) else {
            throw ValueError("`\(text)` is an address of one link: only /etc/resolv.conf may name such a server")
        }
        if let address = IPAddress(bare) { return Endpoint(host: bare, port: 53, address: address) }
        return try addressEndpoint(text)
    }

    /// `ADDRESS/PREFIX`, or one address.
    static func range(_ text: String) throws(ValueError) -> AddressRange {
        let bytes = Array(text.utf8)
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        guard let address = IPAddress(String(decoding: bytes[..<slash], as: UTF8.self)) else {
            throw ValueError("`\(text)` is no range of addresses: expected ADDRESS/PREFIX")
        }
        // A range inside ::ffff:0:0/96 would never match: who connects by IPv4 has an IPv4 address here.
        if address.isIPv6, let plain = IPAddress(address.bytes.bytes), !plain.isIPv6 {
            throw ValueError("`\(text)` is IPv4 inside IPv6: write it as IPv4, like \(plain.text)")
        }
        let most = address.isIPv6 ? 128 : 32
        guard slash < bytes.count else { return AddressRange(address, prefix: most) }
        guard let prefix = decimal(bytes[(slash + 1)...]), prefix <= UInt64(most) else {
            throw ValueError("`\(text)` has no prefix from 0 to \(most)")
        }
        let range = AddressRange(address, prefix: Int(prefix))
        guard range.address == address else {
            throw ValueError("`\(text)` has bits set after its prefix: did you mean \(range.text)?")
        }
        return range
    }

    /// A path as clients put it into a request (RFC 3986 §3.3 and §3.4), which is compared as it is.
    static func requestPath(_ text: String) throws(ValueError) -> String {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/") else { throw ValueError("`\(text)` does not begin with /") }
        guard bytes.count <= Limits.requestTarget else {
            throw ValueError("the path is longer than \(Limits.requestTarget) bytes")
        }
        for index in bytes.indices where !isPathCharacter(bytes, at: index) {
            throw ValueError("`\(text)` holds characters that clients send as % and two hexadecimal digits")
        }
        for segment in bytes.prefix(while: { $0 != UInt8(ascii: "?") }).split(separator: UInt8(ascii: "/"))
        where segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
            throw ValueError("`\(text)` has a segment of dots, which clients leave out")
        }
        guard text != PockettyWire.grantPath, text != PockettyWire.pushPath else {
            throw ValueError("`\(text)` is where pocketty daemons post to")
        }
        return text
    }

    private static func isPathCharacter(_ bytes: [UInt8], at index: Int) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "%"):
            index + 2 < bytes.count && Hex.value(bytes[index + 1]) != nil && Hex.value(bytes[index + 2]) != nil
        case let byte: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }

    /// Where daemons on other hosts find the relay: what the paths of its own are appended to.
    static func relayAddress(_ text: String) throws(ValueError) -> String {
        let scheme = text.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme == "https://" else {
            throw ValueError("`\(text)` begins neither with http:// nor with https://")
        }
        guard WebAddress(text) != nil else { throw ValueError("`\(text)` is no web address") }
        guard !text.utf8.contains(UInt8(ascii: "?")), !text.utf8.contains(UInt8(ascii: "#")) else {
            throw ValueError("`\(text)` has a `?` or a `#`, after which no path can follow")
        }
        guard text.utf8.count <= Limits.pairingPlace else {
            throw ValueError("the address is longer than \(Limits.pairingPlace) bytes")
        }
        var bytes = Array(text.utf8)
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `HH:MM-HH:MM`.
    static func quietHours(_ text: String) throws(ValueError) -> QuietHours {
        let bytes = Array(text.utf8)
        guard bytes.count == 11, bytes[5] == UInt8(ascii: "-"), let start = minute(bytes[0..<5]),
            let end = minute(bytes[6..<11])
        else { throw ValueError("`\(text)` is not HH:MM-HH:MM") }
        guard start != end else { throw ValueError("`\(text)` begins when it ends") }
        return QuietHours(start: start, end: end)
    }

    /// The words of a command. White space separates them; between single or double quotes it does not. There are no
    /// escapes, variables or patterns, because no shell runs.
    static func words(_ text: String) throws(ValueError) -> [String] {
        var words: [String] = []
        var word: [UInt8]?
        var quote: UInt8?
        for byte in text.utf8 {
            if let open = quote {
                if byte == open { quote = nil } else { word?.append(byte) }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
                word = word ?? []
            } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
                if let done = word { words.append(String(decoding: done, as: UTF8.self)) }
                word = nil
            } else {
                word = (word ?? []) + [byte]
            }
        }
        guard quote == nil else {
            throw ValueError("a quote is not closed (white space and `#` begin a comment even there)")
        }
        if let done = word { words.append(String(decoding: done, as: UTF8.self)) }
        guard words.count <= Limits.hookWords else { throw ValueError("more than \(Limits.hookWords) words") }
        guard words.first?.isEmpty == false else { throw ValueError("the program's name is empty") }
        return words
    }

    /// `fifo:PATH` or `socket:PATH`, several separated by commas.
    static func outlets(_ text: String) throws(ValueError) -> [OutletAddress] {
        var outlets: [OutletAddress] = []
        for part in try list(text, "an outlet", most: Limits.routeOutlets) {
            let outlet: OutletAddress
            if part.hasPrefix("fifo:") {
                outlet = OutletAddress(kind: .fifo, path: String(part.dropFirst(5)))
            } else if part.hasPrefix("socket:") {
                outlet = OutletAddress(kind: .socket, path: String(part.dropFirst(7)))
            } else {
                throw ValueError("`\(part)` is neither fifo:PATH nor socket:PATH")
            }
            guard !outlet.path.isEmpty else { throw ValueError("`\(part)` has no path") }
            guard !outlets.contains(outlet) else { throw ValueError("`\(part)` is named twice") }
            outlets.append(outlet)
        }
        return outlets
    }

    /// `yes` or `no`.
    static func flag(_ text: String) throws(ValueError) -> Bool {
        guard text == "yes" || text == "no" else { throw ValueError("`\(text)` is neither yes nor no") }
        return text == "yes"
    }

    /// What must hold for a route. `column` is where the value begins in its line.
    static func conditions(_ text: String, _ column: Int) throws(ValueError) -> [Condition] {
        let bytes = Array(text.utf8)
        do throws(ConditionError) { return try Condition.parse(bytes) } catch {
            throw ValueError("column \(column + INIFile.characters(bytes[..<error.offset])): \(error.message)")
        }
    }

    /// A bundle identifier, or its beginning and `*`.
    static func bundle(_ text: String) throws(ValueError) -> (Blob<64>, isPrefix: Bool) {
        var bytes = Array(text.utf8)
        let isPrefix = bytes.last == UInt8(ascii: "*")
        if isPrefix { bytes.removeLast() }
        for byte in bytes {
            guard byte != UInt8(ascii: "*") else { throw ValueError("`\(text)` has a `*` that is not at its end") }
            guard byte > 0x20 else { throw ValueError("`\(text)` holds white space") }
        }
        let blob = bytes.withUnsafeBytes { Blob<64>($0.bytes) }
        guard let blob else { throw ValueError("`\(text)` is longer than \(Limits.bundle) bytes") }
        return (blob, isPrefix)
    }

    static func outputs(_ text: String, for role: PanelRole) throws(ValueError) -> [PanelOutput] {
        var outputs: [PanelOutput] = []
        for part in try list(text, "an output", most: Limits.panelOutputs) {
            let output: PanelOutput
            do throws(PanelOutputError) { output = try PanelOutput(part, for: role) } catch {
                throw ValueError(error.message)
            }
            guard !outputs.contains(where: { $0 == output || $0.conflicts(with: output) }) else {
                throw ValueError("`\(part)` is named twice")
            }
            outputs.append(output)
        }
        return outputs
    }

    /// What a press of the button does.
    static func action(_ text: String) throws(ValueError) -> ButtonAction {
        var names: [String] = []
        for action in ButtonAction.allCases {
            if action.name == text { return action }
            names.append(action.name)
        }
        let nearest = KnownNames.nearest(text, among: names)
        throw ValueError("unknown action `\(text)`: the nearest known one is `\(nearest)`")
    }

    /// Which connection longer silences are tried on: whether it is a second one.
    static func probesApart(_ text: String) throws(ValueError) -> Bool {
        switch text {
        case "live-connection": return false
        case "second-connection": return true
        default: throw ValueError("expected `live-connection` or `second-connection`, not `\(text)`")
        }
    }

    /// What commas separate, without the white space around.
    static func list(_ text: String, _ what: String, most: Int) throws(ValueError) -> [String] {
        var parts: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let trimmed = INIFile.trimmed(Array(part)[...])
            guard !trimmed.isEmpty else { throw ValueError("\(what) is missing before or after a comma") }
            parts.append(String(decoding: trimmed, as: UTF8.self))
        }
        guard parts.count <= most else { throw ValueError("more than \(most) entries") }
        return parts
    }

    // MARK: Parts

    /// The host of an endpoint, and whether it was in brackets.
    private static func host(_ bytes: ArraySlice<UInt8>, in text: String) throws(ValueError) -> (String, Bool) {
        guard !bytes.isEmpty else { throw ValueError("`\(text)` has no host") }
        guard bytes.first == UInt8(ascii: "[") else { return (String(decoding: bytes, as: UTF8.self), false) }
        guard bytes.last == UInt8(ascii: "]") else { throw ValueError("`\(text)` is not [IPV6]:PORT") }
        return (String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self), true)
    }

    private static func minute(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        guard bytes[start + 2] == UInt8(ascii: ":"), let hour = decimal(bytes[start..<start + 2]),
            let minute = decimal(bytes[(start + 3)...]), hour < 24, minute < 60
        else { return nil }
        return Int(hour) * 60 + Int(minute)
    }

    private static func isHostName(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count <= 253 && bytes.allSatisfy(isHostCharacter)
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }
}
