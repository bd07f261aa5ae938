import CBoard

/// A request to the web server, answered once.
final class WebClient {
    let fd: Int32
    var input: [UInt8] = []
    var output: [UInt8] = []
    var sent = 0
    var finished = false
    var ended = false

    init(_ fd: Int32) { self.fd = fd }
}

// `GET /snd/server_cert.pem`, SGP v2 §1.
extension Server {
    func advance(_ client: WebClient) {
        if client.output.isEmpty || client.finished { readRequest(client) }
        if !client.ended, client.sent < client.output.count { writeAnswer(client) }
    }

    private func readRequest(_ client: WebClient) {
        var scratch = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(client.fd, &scratch, scratch.count, 0)
            if count < 0, cb_errno() == EAGAIN { return }
            guard count > 0, client.input.count < 65_536 else { return end(client) }
            client.input += scratch.prefix(count)
            guard client.output.isEmpty, let end = client.input.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: client.input[..<end.lowerBound], as: UTF8.self)
            let request = String(head.prefix { $0 != "\r\n" })
            let (status, bytes) = answer(request)
            events.append(
                .http, connection: 0, fields: [("request", .text(request)), ("status", .integer(Int64(status)))])
            client.output = bytes
            return
        }
    }

    private func answer(_ request: String) -> (status: Int, bytes: [UInt8]) {
        let words = request.split(separator: " ")
        guard words.count == 3, words[0] == "GET", words[1] == "/snd/server_cert.pem" else {
            return (404, response(404, "no such page\n"))
        }
        let pem = certificate.pem
        switch state.web {
        case .ok: return (200, response(200, pem))
        case .wrong: return (200, response(200, (try? wrongCertificate.pem) ?? ""))
        case .garbage: return (200, response(200, "This is no certificate.\n"))
        case .notFound: return (404, response(404, "not found\n"))
        case .serverError: return (500, response(500, "out of order\n"))
        case .truncated: return (200, response(200, pem, length: pem.utf8.count + 100))
        case .huge: return (200, response(200, String(repeating: "x", count: 1 << 20)))
        case .silent: return (0, [])
        case .chunked:
            let half = pem.utf8.count / 2
            let parts = [pem.utf8.prefix(half), pem.utf8.dropFirst(half)]
            let body = parts.map { "\(hexadecimal($0.count))\r\n\(String(decoding: $0, as: UTF8.self))\r\n" }
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            return (200, Array((head + body.joined() + "0\r\n\r\n").utf8))
        }
    }

    private func response(_ status: Int, _ body: String, length: Int? = nil) -> [UInt8] {
        let head = """
            HTTP/1.1 \(status) \(status == 200 ? "OK" : "Error")\r
            Content-Type: application/x-pem-file\r
            Content-Length: \(length ?? body.utf8.count)\r
            Connection: close\r
            \r

            """
        return Array((head + body).utf8)
    }

    private func writeAnswer(_ client: WebClient) {
        while client.sent < client.output.count {
            let count = client.output[client.sent...].withUnsafeBytes { Listener.send(client.fd, $0) }
            if count < 0, cb_errno() == EAGAIN { return }
            guard count > 0 else { return end(client) }
            client.sent += count
        }
        // The client's own close ends it, so that nothing unread turns the FIN into a reset.
        client.finished = true
        shutdown(client.fd, Int32(SHUT_WR))
    }

    private func end(_ client: WebClient) {
        Listener.close(client.fd)
        client.ended = true
    }
}

private func hexadecimal(_ value: Int) -> String { String(value, radix: 16) }
