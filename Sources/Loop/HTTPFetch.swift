import Bytes
import CBoard

/// Why a document could not be fetched. The texts are for people.
public enum HTTPError: Error, Equatable, Sendable {
    case network(String)
    case status(Int)
    case malformed
    /// The connection ended before the document did.
    case truncated
    case tooLong
    case timeout

    /// What went wrong, for people.
    public var text: String {
        switch self {
        case .network(let text): text
        case .status(let code): "the server answered with status \(code)"
        case .malformed: "the answer is no HTTP"
        case .truncated: "the answer ended too early"
        case .tooLong: "the answer is too long"
        case .timeout: "no answer in time"
        }
    }
}

/// Fetches one small document, for the commands: waits, but never longer than a given time. The chain of an HTTPS
/// server is not verified: what is fetched is shown to a person first (SGP v2 §1).
public enum HTTPFetch {
    /// Bytes that the status line and the header fields may take.
    private static let head = 16_384

    /// GETs the document and returns its body of at most `limit` bytes, all within `milliseconds`.
    public static func get(
        _ address: WebAddress, at target: SocketAddress, limit: Int, milliseconds: Int64
    ) throws(HTTPError) -> [UInt8] {
        let exchange = HTTPExchange(deadline: SystemClock().now + milliseconds)
        try exchange.connect(to: target)
        if address.isSecure { try exchange.handshake(host: address.host) }
        try exchange.send(Array(request(address).utf8))
        return try body(of: exchange.receive(limit: limit + head), limit: limit)
    }

    /// POSTs JSON and returns the status and the body of the answer. The chain of an HTTPS server is verified: the request
    /// carries secrets.
    public static func post(
        _ address: WebAddress, at target: SocketAddress, body: [UInt8], authorization: String?, limit: Int,
        milliseconds: Int64
    ) throws(HTTPError) -> (status: Int, body: [UInt8]) {
        let exchange = HTTPExchange(deadline: SystemClock().now + milliseconds)
        try exchange.connect(to: target)
        if address.isSecure { try exchange.handshake(host: address.host, verifies: true) }
        let get = request(address)
        var head = "POST" + get.dropFirst(3).dropLast(2)
        head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        if let authorization { head += "Authorization: \(authorization)\r\n" }
        try exchange.send(Array(head.utf8) + [13, 10] + body)
        let answer = try exchange.receive(limit: limit + Self.head)
        // An alert of TLS (RFC 8446 §5.1).
        if !address.isSecure, answer.starts(with: [0x15, 0x03]) {
            throw .network("the server speaks TLS on this port, not plain HTTP")
        }
        // The status is in the same place in every version.
        guard answer.count > 12, answer[0..<7].elementsEqual("HTTP/1.".utf8),
            let status = Int(String(decoding: answer[9..<12], as: UTF8.self))
        else { throw answer.isEmpty ? .truncated : .malformed }
        var plain = answer
        plain.replaceSubrange(9..<12, with: "200".utf8)
        return (status, try Self.body(of: plain, limit: limit))
    }

    /// Of version 1.0, whose answer ends with the connection.
    static func request(_ address: WebAddress) -> String {
        let name = address.host.utf8.contains(UInt8(ascii: ":")) ? "[" + address.host + "]" : address.host
        let isUsual = address.port == (address.isSecure ? 443 : 80)
        let host = isUsual ? name : "\(name):\(address.port)"
        return "GET \(address.path) HTTP/1.0\r\nHost: \(host)\r\nUser-Agent: skyglowd\r\n\r\n"
    }

    /// Checks the status line and the length, and cuts the head off.
    static func body(of answer: [UInt8], limit: Int) throws(HTTPError) -> [UInt8] {
        guard let end = endOfHead(answer) else { throw answer.isEmpty ? .truncated : .malformed }
        let lines = String(decoding: answer[0..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.") else { throw .malformed }
        let words = first.split(separator: " ")
        guard words.count >= 2, words[1].utf8.count == 3, let status = Int(words[1]), status >= 100 else {
            throw .malformed
        }
        guard status == 200 else { throw .status(status) }
        let fields = lines.dropFirst()
        let rest = answer[(end + 4)...]
        let body = isChunked(fields) ? try unchunk(rest) : try cut(rest, to: length(fields))
        guard body.count <= limit else { throw .tooLong }
        return body
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...bytes.count - 4
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
            return index
        }
        return nil
    }

    /// The values of a header field, without the blanks around them.
    private static func values(_ name: String, _ fields: ArraySlice<Substring>) -> [Substring] {
        var values: [Substring] = []
        for field in fields where field.prefix(name.utf8.count + 1).lowercased() == name + ":" {
            var value = field.dropFirst(name.utf8.count + 1)
            while value.utf8.first == 0x20 || value.utf8.first == 0x09 { value = value.dropFirst() }
            while value.utf8.last == 0x20 || value.utf8.last == 0x09 { value = value.dropLast() }
            values.append(value)
        }
        return values
    }

    /// What Content-Length says, nil without one. Several must agree (RFC 9112 §6.3).
    private static func length(_ fields: ArraySlice<Substring>) throws(HTTPError) -> Int? {
        var length: Int?
        for value in values("content-length", fields) {
            for byte in value.utf8 where byte < UInt8(ascii: "0") || byte > UInt8(ascii: "9") { throw .malformed }
            guard let number = Int(value), length == nil || length == number else { throw .malformed }
            length = number
        }
        return length
    }

    private static func cut(_ bytes: ArraySlice<UInt8>, to length: Int?) throws(HTTPError) -> [UInt8] {
        guard let length else { return Array(bytes) }
        guard length <= bytes.count else { throw .truncated }
        return Array(bytes.prefix(length))
    }

    private static func isChunked(_ fields: ArraySlice<Substring>) -> Bool {
        values("transfer-encoding", fields).contains { $0.lowercased() == "chunked" }
    }

    /// Joins the chunks of a body that an HTTP/1.1 server sent although version 1.0 was asked for (RFC 9112 §7.1).
    private static func unchunk(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> [UInt8] {
        var rest = bytes
        var body: [UInt8] = []
        while true {
            guard let end = rest.firstIndex(of: 13), end + 1 < rest.endIndex else { throw .truncated }
            guard rest[end + 1] == 10, let size = chunkSize(rest[..<end]) else { throw .malformed }
            rest = rest[(end + 2)...]
            if size == 0 { return body }
            guard rest.count >= size + 2 else { throw .truncated }
            body += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard rest.first == 13, rest.dropFirst().first == 10 else { throw .malformed }
            rest = rest.dropFirst(2)
        }
    }

    /// Hexadecimal digits, perhaps with an extension behind them.
    private static func chunkSize(_ line: ArraySlice<UInt8>) -> Int? {
        var size = 0
        var digits = 0
        for byte in line {
            if byte == UInt8(ascii: ";") || byte == 0x20 || byte == 0x09 { break }
            guard let digit = Hex.value(byte), digits < 7 else { return nil }
            size = size << 4 | Int(digit)
            digits += 1
        }
        return digits > 0 ? size : nil
    }
}
