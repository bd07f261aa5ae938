import Bytes

/// An answer to a request: a status and a short JSON body. Reserved once for each connection.
public struct HTTPAnswer: ~Copyable {
    public var status = 500
    /// Seconds, for 429 and 503.
    public var retryAfter: Int64?
    public var body = ByteBuffer(capacity: Limits.answerBody)
    /// It holds only once what it promises is durable.
    public var isHeld = false

    mutating func reset() {
        status = 500
        retryAfter = nil
        isHeld = false
        body.removeAll()
    }

    /// Nothing but an error in the words of the relay: a literal, without quotation marks.
    public mutating func fail(_ status: Int, _ words: String) {
        reset()
        self.status = status
        body.append("{\"v\":1,\"error\":\"")
        body.append(words)
        body.append("\"}")
    }
}

enum HTTPStatus {
    /// A literal.
    static func words(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 202: "Accepted"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Error"
        }
    }
}

extension ByteBuffer {
    mutating func append(_ answer: borrowing HTTPAnswer, closing: Bool, withBody: Bool = true) {
        append("HTTP/1.1 ")
        append(decimal: answer.status)
        append(" ")
        append(HTTPStatus.words(answer.status))
        append("\r\nContent-Type: application/json\r\nContent-Length: ")
        append(decimal: answer.body.count)
        if answer.status == 405 { append("\r\nAllow: POST") }
        if let seconds = answer.retryAfter {
            append("\r\nRetry-After: ")
            append(decimal: max(seconds, 1))
        }
        append(closing ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n")
        if withBody { append(answer.body.pointer) }
    }
}
