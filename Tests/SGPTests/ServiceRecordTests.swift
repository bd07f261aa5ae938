import Bytes
import SGP
import Testing

/// The TXT record that names a server (SGP v2 §1).
@Suite struct ServiceRecordTests {
    static func record(_ text: String) -> ServiceRecord? {
        let bytes = Array(text.utf8)
        return ServiceRecord(bytes.span.bytes)
    }

    @Test(
        arguments: [
            "tcp_addr=192.0.2.7 tcp_port=7373 http_addr=http://192.0.2.7:7878",
            "http_addr=http://192.0.2.7:7878 tcp_port=7373 tcp_addr=192.0.2.7",
            "v=1 tcp_addr=192.0.2.7 later tcp_port=7373 = x= http_addr=http://192.0.2.7:7878",
            "  tcp_addr=192.0.2.7   tcp_port=7373  http_addr=http://192.0.2.7:7878 ",
        ])
    func parsed(text: String) {
        let record = Self.record(text)
        #expect(record?.host.text == "192.0.2.7")
        #expect(record?.port == 7373)
        #expect(record?.httpAddress.text == "http://192.0.2.7:7878")
    }

    /// Some write an IPv6 literal as in front of a port.
    @Test(
        arguments: [
            ("[2001:db8::7]", "2001:db8::7"), ("[::1]", "::1"), ("2001:db8::7", "2001:db8::7"), ("[::1", "[::1"),
            ("::1]", "::1]"), ("[", "["),
        ])
    func brackets(text: String, host: String) {
        #expect(Self.record("tcp_addr=\(text) tcp_port=7373")?.host.text == host)
    }

    @Test func emptyBrackets() { #expect(Self.record("tcp_addr=[] tcp_port=7373") == nil) }

    @Test(arguments: [("1", 1), ("80", 80), ("65535", 65535)]) func ports(text: String, port: UInt16) {
        #expect(Self.record("tcp_addr=a.example tcp_port=\(text)")?.port == port)
    }

    @Test(arguments: ["", "0", "-1", "+1", "65536", "99999", "100000", "7373x", "x", "0x10", " 80"])
    func wrongPorts(text: String) {
        #expect(Self.record("tcp_addr=a.example tcp_port=\(text)") == nil)
    }

    @Test(arguments: [
        "", " ", "tcp_addr=a", "tcp_port=80", "tcp_addr= tcp_port=80", "TCP_ADDR=a TCP_PORT=80", "tcp_addr",
    ])
    func incomplete(text: String) {
        #expect(Self.record(text) == nil)
    }

    /// A host name has at most 253 bytes.
    @Test(arguments: [(1, true), (252, true), (253, true), (254, false), (4096, false)])
    func hostLength(length: Int, isTaken: Bool) {
        let host = String(repeating: "a", count: length)
        let record = Self.record("tcp_addr=\(host) tcp_port=80")
        #expect((record != nil) == isTaken)
        if isTaken { #expect(record?.host.text == host) }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func anyBytes(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<200 {
            var bytes = random.bytes(random.below(300))
            if random.below(2) == 0 { bytes += Array(" tcp_addr=".utf8) + random.bytes(3) + Array(" tcp_port=9".utf8) }
            if let record = ServiceRecord(bytes.span.bytes) { #expect(record.port > 0 && !record.host.isEmpty) }
        }
    }
}
