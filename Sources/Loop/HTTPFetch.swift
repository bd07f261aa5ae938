import Bytes
import CBoard

/// Why a document could not be fetched. The texts are for people.
public enum HTTPError: Error, Equatable, Sendable {
    case network(String)
    case status(Int)
    case malformed
    case tooLong
    case timeout

    /// What went wrong, for people.
    public var text: String {
        switch self {
        case .network(let text): text
        case .status(let code): "the server answered with status \(code)"
        case .malformed: "the answer is no HTTP"
        case .tooLong: "the answer is too long"
        case .timeout: "no answer in time"
        }
    }
}

/// A web address of the kinds that servers publish: `http://`, `https://` or none, a host, perhaps a port and a path.
public struct WebAddress: Equatable, Sendable {
    public var isSecure: Bool
    public var host: String
    public var port: UInt16
    /// Begins with `/`.
    public var path: String

    /// Nil for what is not of this form.
    public init?(_ text: String) {
        var rest = Substring(text)
        isSecure = rest.hasPrefix("https://")
        if isSecure { rest = rest.dropFirst(8) } else if rest.hasPrefix("http://") { rest = rest.dropFirst(7) }
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
        guard let parts = WebAddress.split(rest[..<slash]) else { return nil }
        host = parts.host
        port = parts.port ?? (isSecure ? 443 : 80)
        for byte in text.utf8 where byte <= 0x20 || byte == 0x7F { return nil }
    }

    /// `host`, `host:port` or `[address]:port`.
    private static func split(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        if let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), !text.hasSuffix("]") {
            guard let number = UInt16(text[text.utf8.index(after: colon)...]), number > 0 else { return nil }
            port = number
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : (String(host), port)
    }
}

/// Fetches one small document, for the commands: waits, but never longer than a given time. The chain of an HTTPS
/// server is not verified: what is fetched is shown to a person first (SGP v2 §1).
public enum HTTPFetch {
    /// GETs the document and returns its body of at most `limit` bytes.
    public static func get(
        _ address: WebAddress, at target: SocketAddress, limit: Int, milliseconds: Int64
    ) throws(HTTPError) -> [UInt8] {
        let deadline = SystemClock().now + milliseconds
        let socket = try connect(target, deadline: deadline)
        let ssl = address.isSecure ? try handshake(socket.raw) : nil
        defer {
            if let ssl {
                SSL_CTX_free(SSL_get_SSL_CTX(ssl))
                SSL_free(ssl)
            }
        }
        let name = address.host.utf8.contains(UInt8(ascii: ":")) ? "[" + address.host + "]" : address.host
        let request = Array(
            "GET \(address.path) HTTP/1.0\r\nHost: \(name):\(address.port)\r\nUser-Agent: skyglowd\r\n\r\n".utf8)
        guard write(request, socket.raw, ssl) else { throw .network("the request could not be sent") }
        return try body(of: receive(socket.raw, ssl, limit: limit + 16_384, deadline: deadline), limit: limit)
    }

    private static func connect(_ target: SocketAddress, deadline: Int64) throws(HTTPError) -> FileDescriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = FileDescriptor(raw: CBoard.socket(target.family, type, 0))
        guard socket.isOpen else { throw .network(SystemError("socket").text) }
        let left = max(deadline - SystemClock().now, 1)
        cb_set_socket_timeout(socket.raw, Int32(clamping: left))
        guard target.withPointer({ CBoard.connect(socket.raw, $0, $1) }) == 0 else {
            if cb_errno() == EINPROGRESS || cb_errno() == EAGAIN { throw .timeout }
            throw .network(SystemError("connect to " + target.text).text)
        }
        return socket
    }

    private static func handshake(_ socket: Int32) throws(HTTPError) -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
            throw .network("no memory for TLS")
        }
        SSL_set_verify(ssl, SSL_VERIFY_NONE, nil)
        guard SSL_set_fd(ssl, socket) == 1, SSL_connect(ssl) == 1 else {
            SSL_free(ssl)
            SSL_CTX_free(context)
            throw .network("the TLS handshake failed")
        }
        return ssl
    }

    private static func write(_ bytes: [UInt8], _ socket: Int32, _ ssl: OpaquePointer?) -> Bool {
        if let ssl { return SSL_write(ssl, bytes, Int32(bytes.count)) == Int32(bytes.count) }
        return send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Everything up to the end of the connection.
    private static func receive(
        _ socket: Int32, _ ssl: OpaquePointer?, limit: Int, deadline: Int64
    ) throws(HTTPError) -> [UInt8] {
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while answer.count <= limit {
            guard SystemClock().now < deadline else { throw .timeout }
            let count =
                ssl.map { Int(SSL_read($0, &chunk, Int32(chunk.count))) } ?? recv(socket, &chunk, chunk.count, 0)
            if count <= 0 {
                if count < 0, ssl == nil { throw cb_errno() == EAGAIN ? .timeout : .network(SystemError("recv").text) }
                return answer
            }
            answer.append(contentsOf: chunk[0..<count])
        }
        throw .tooLong
    }

    /// Checks the status line and the length, and cuts the head off.
    static func body(of answer: [UInt8], limit: Int) throws(HTTPError) -> [UInt8] {
        guard let end = endOfHead(answer) else { throw .malformed }
        let head = String(decoding: answer[0..<end], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.") else { throw .malformed }
        let words = first.split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { throw .malformed }
        guard status == 200 else { throw .status(status) }
        var body = Array(answer[(end + 4)...])
        for line in lines.dropFirst() where line.lowercased().hasPrefix("content-length:") {
            let value = line.dropFirst("content-length:".count).drop(while: { $0 == " " })
            guard let length = Int(value), length >= 0, length <= body.count else { throw .malformed }
            body = Array(body[0..<length])
        }
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
}
