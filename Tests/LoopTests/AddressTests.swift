import Bytes
import CBoard
import Testing

@testable import Loop

@Suite struct SocketAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", 7373, "127.0.0.1:7373"), ("0.0.0.0", 0, "0.0.0.0:0"),
            ("255.255.255.255", 65_535, "255.255.255.255:65535"),
            ("::1", 443, "[::1]:443"), ("::", 1, "[::]:1"), ("2001:DB8:0:0:0:0:0:1", 80, "[2001:db8::1]:80"),
            ("::ffff:192.0.2.1", 5, "[::ffff:192.0.2.1]:5"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65_535, "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"),
        ] as [(String, UInt16, String)])
    func literals(literal: String, port: UInt16, expected: String) throws {
        let address = try #require(SocketAddress(literal: literal, port: port))
        #expect(address.text == expected)
        #expect(text { $0.append(address) } == expected)
        #expect(address.family == (literal.contains(":") ? AF_INET6 : AF_INET))
    }

    @Test(arguments: [
        "", " ", "localhost", "127.0.0", "127.0.0.1.", "127.0.0.256", "127.0.0.01", "0x7f.0.0.1", "2130706433",
        "127.0.0.1:80", "127.0.0.1 ", " 127.0.0.1", "[::1]", "::1%lo", "1::2::3", ":::", "12345::", "::1/128",
        "127.0.0.1\0", "::1\0.example.org", "１２７.0.0.1",
    ])
    func noLiterals(text: String) {
        #expect(SocketAddress(literal: text, port: 1) == nil)
    }

    /// An address takes at most 47 bytes: nothing may be left of a longer one in a short buffer but nothing at all.
    @Test func aBufferThatIsTooShort() throws {
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: 7373))
        var buffer = ByteBuffer(capacity: 13)
        buffer.append(address)
        let overflowed = buffer.overflowed
        #expect(overflowed)
    }

    @Test func anotherPort() throws {
        for literal in ["192.0.2.7", "2001:db8::7"] {
            let address = try #require(SocketAddress(literal: literal, port: 1))
            #expect(
                address.with(port: 0x1234).text == (literal.contains(":") ? "[\(literal)]:4660" : "\(literal):4660"))
        }
    }

    @Test func whatCGives() throws {
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = UInt16(7373).bigEndian
        v4.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        let made = withUnsafePointer(to: &v4) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                (
                    SocketAddress(pointer, length: 16), SocketAddress(pointer, length: 15),
                    SocketAddress(pointer, length: 129)
                )
            }
        }
        #expect(try #require(made.0).text == "192.0.2.1:7373")
        #expect(made.1 == nil && made.2 == nil)
        #expect(SocketAddress(nil, length: 16) == nil)
        v4.sin_family = sa_family_t(AF_UNIX)
        let unix = withUnsafePointer(to: &v4) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0, length: 16) }
        }
        #expect(unix == nil)
    }
}

@Suite struct AddressListTests {
    @Test(arguments: [0, 1, 7, 8, 9, 100]) func ladder(count: Int) throws {
        var list = AddressList()
        for index in 0..<count {
            list.append(try #require(SocketAddress(literal: "192.0.2.\(index + 1)", port: UInt16(index + 1))))
        }
        let kept = min(count, 8)
        #expect(list.count == kept)
        #expect(list.isEmpty == (count == 0))
        #expect(list.first?.text == (count > 0 ? "192.0.2.1:1" : nil))
        for index in 0..<kept { #expect(list[index]?.text == "192.0.2.\(index + 1):\(index + 1)") }
        for index in kept..<kept + 20 { #expect(list[index] == nil) }
        #expect(list[-1] == nil)
        #expect(list[Int.max] == nil)
    }
}

@Suite struct WebAddressTests {
    @Test(
        arguments: [
            ("http://sgn.test", false, "sgn.test", 80, "/"),
            ("https://sgn.test", true, "sgn.test", 443, "/"),
            ("sgn.test", false, "sgn.test", 80, "/"),
            ("sgn.test:8080", false, "sgn.test", 8080, "/"),
            ("HTTPS://SGN.test/", true, "SGN.test", 443, "/"),
            ("http://127.0.0.1:8080/snd/server_cert.pem", false, "127.0.0.1", 8080, "/snd/server_cert.pem"),
            ("https://[2001:db8::1]:8443/a", true, "2001:db8::1", 8443, "/a"),
            ("http://[::1]", false, "::1", 80, "/"),
            ("[::1]/x", false, "::1", 80, "/x"),
            ("http://h:65535", false, "h", 65_535, "/"), ("http://h:1", false, "h", 1, "/"),
            ("http://h?a=b", false, "h", 80, "/?a=b"), ("http://h/p?q:r@s#t", false, "h", 80, "/p?q:r@s"),
            ("http://h#t", false, "h", 80, "/"),
            ("http://h/a:b@c", false, "h", 80, "/a:b@c"),
            ("h/http://other", false, "h", 80, "/http://other"),
        ] as [(String, Bool, String, UInt16, String)])
    func good(text: String, secure: Bool, host: String, port: UInt16, path: String) throws {
        let address = try #require(WebAddress(text))
        #expect(address.isSecure == secure)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == path)
    }

    @Test(arguments: [
        "", "http://", "https://", "http:///x", "http://:80", "http://h:", "http://h:0", "http://h:65536",
        "http://h:-1",
        "http://h:+80", "http://h:8 0", "http://h:80x", "http://h:９", "ftp://h", "http://h\r\nX: y",
        "http://h/\r\nX: y",
        "http://h\0", "h\t", "http://user:word@h", "http://user@h", "::1", "2001:db8::1", "http://::1:80",
        "http://[::1",
        "http://::1]", "http://[]", "http://[]:80", "http://[h]:80", "http://[127.0.0.1]", "http://[::1]x:80", "[::1]:",
        "http://[[::1]]", "\u{7F}", "http://müller.example", "http://h/\u{9B}2J",
    ])
    func bad(text: String) {
        #expect(WebAddress(text) == nil)
    }
}
