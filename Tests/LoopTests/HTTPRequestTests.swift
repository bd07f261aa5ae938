import Bytes
import Testing

@testable import Loop

@Suite struct HTTPRequestTests {
    private func parse(_ text: String, full: Bool = false) -> HTTPParse {
        let bytes = Array(text.utf8)
        var parser = HTTPRequestParser()
        return parser.parse(bytes.span.bytes, full: full)
    }

    private func complete(_ text: String) -> HTTPRequest? {
        if case .complete(let request) = parse(text) { request } else { nil }
    }

    @Test func aRequest() {
        let head = "POST /v1/notify HTTP/1.1\r\nHOST: x\r\ncontent-length:\t12 \r\nAccept: */*\r\n\r\n"
        let request = complete(head + "123456789012")
        #expect(request?.method == .post && request?.target == 5..<15)
        #expect(request?.bodyStart == head.utf8.count && request?.bodyLength == 12)
        #expect(request?.keepsAlive == true && request?.expectsContinue == false)
        // Byte by byte it comes to the same.
        var parser = HTTPRequestParser()
        let bytes = Array(head.utf8)
        for length in 0..<bytes.count {
            let outcome = parser.parse(bytes.span.bytes.extracting(0..<length), full: false)
            #expect(outcome == .incomplete)
        }
        let outcome = parser.parse(bytes.span.bytes, full: false)
        #expect(outcome == request.map { .complete($0) })
    }

    @Test func connections() {
        func keeps(_ version: String, _ field: String) -> Bool? {
            complete("GET / HTTP/\(version)\r\nHost: x\r\n\(field)\r\n\r\n")?.keepsAlive
        }
        #expect(keeps("1.1", "A: b") == true && keeps("1.0", "A: b") == false)
        #expect(keeps("1.1", "Connection: CLOSE") == false && keeps("1.1", "Connection: te ,\tclose ") == false)
        #expect(keeps("1.1", "Connection: closed") == true && keeps("1.0", "Connection: keep-alive") == false)
        let body = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-CONTINUE\r\nContent-Length: "
        #expect(complete(body + "1\r\n\r\n")?.expectsContinue == true)
        #expect(complete(body + "0\r\n\r\n")?.expectsContinue == false)
    }

    @Test(arguments: [(0, 200), (1, 200), (8191, 200), (8192, 200), (8193, 413), (999_999_999_999_999_999, 413)])
    func lengths(length: Int, status: Int) {
        let outcome = parse("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n")
        if status == 413 { #expect(outcome == .fault(413)) } else { #expect(outcome != .fault(413)) }
    }

    @Test(arguments: [(1023, 0), (1024, 0), (1025, 414)]) func targets(length: Int, status: Int) {
        let target = "/" + String(repeating: "a", count: length - 1)
        let outcome = parse("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        if status == 0 { #expect(outcome != .fault(414)) } else { #expect(outcome == .fault(414)) }
    }

    @Test func heads() {
        let start = "GET / HTTP/1.1\r\nHost: x\r\n"
        func filled(_ length: Int) -> String {
            start + "A: " + String(repeating: "b", count: length - start.utf8.count - 7) + "\r\n\r\n"
        }
        #expect(filled(4096).utf8.count == 4096 && complete(filled(4096)) != nil)
        #expect(complete(filled(4095)) != nil)
        #expect(parse(filled(4097)) == .fault(431))
        #expect(parse(start, full: true) == .fault(431) && parse("GET /", full: true) == .fault(414))
        #expect(complete(start + String(repeating: "A: b\r\n", count: 62) + "\r\n") != nil)
        let fields = String(repeating: "A: b\r\n", count: 63)
        #expect(complete(start + fields + "\r\n") != nil)
        #expect(parse(start + fields + "A: b\r\n\r\n") == .fault(431))
    }

    @Test(
        arguments: [
            "G ET / HTTP/1.1\r\n", " GET / HTTP/1.1\r\n", "GET / HTTP/1.1 \r\n", "GET / http/1.1\r\n",
            "GET * HTTP/1.1\r\n",
            "GET /\u{7F} HTTP/1.1\r\n", "GET /é HTTP/1.1\r\n", "GET / HTTP/11\r\n", "GET  HTTP/1.1\r\n", "\r\n", "\n",
            "GET / HTTP/1.1\r\rHost: x\r\n", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
            "POST / HTTP/1.1\r\nContent-Length: \r\n", "POST / HTTP/1.1\r\nContent-Length: 0x2\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1234567890123456789\r\n", "GET / HTTP/1.1\r\nA\u{1}: b\r\n",
            "GET / HTTP/1.1\r\nA: \u{7F}\r\n", "GET / HTTP/1.1\r\n\tHost: x\r\n",
        ]) func refused(text: String)
    { #expect(parse(text) == .fault(400)) }
}
