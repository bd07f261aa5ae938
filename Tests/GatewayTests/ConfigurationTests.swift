import Bytes
import Foundation
import Panel
import Testing

@testable import Gateway

/// The messages of the faults of a text in a file `f`, or none.
func faults(_ text: String) -> [String] { faults(Array(text.utf8)) }

func faults(_ bytes: [UInt8]) -> [String] {
    do throws(ConfigurationError) {
        _ = try Configuration.parse(bytes)
        return []
    } catch {
        return error.messages("f")
    }
}

func parsed(_ text: String) throws -> Configuration {
    do throws(ConfigurationError) {
        return try Configuration.parse(Array(text.utf8))
    } catch {
        Issue.record("\(error.messages("f"))")
        throw error
    }
}

@Suite struct ConfigurationTests {
    /// The example of the contract, comments and all.
    static let example = """
        [server]
        address = sgn.test              # at most 16 bytes
        certificate = server.pem        # relative to the state directory, like every path here
        endpoint = 127.0.0.1:7373       # optional: no DNS
        identity = registration.pem     # optional: client certificate for the registration
        [state]
        directory = /var/lib/skyglow
        runtime = /run/skyglow          # control socket and log ring
        [resolver]
        servers = 127.0.0.1:5353        # optional: instead of resolv.conf
        [keepalive]
        minimum = 600
        maximum = 3300                  # WWAN 1680
        pong-timeout = 15
        [panel]
        message = led:ACT, gpio:GPIO17  # several outputs may share a role
        link = gpio:pinctrl-bcm2835:27
        buzzer = gpio:GPIO22
        button = gpio:GPIO23            # press: all read
        [route door]                    # first match wins; without a match: the defaults
        bundle = org.example.door*
        light = fast                    # off, solid, slow, fast, double, pulse
        beep = 2
        hook = /usr/local/bin/door --ring
        quiet = 22:00-07:00             # no sound; time-sensitive passes
        [relay]
        listen = 127.0.0.1:8787
        allow = 127.0.0.0/8, 192.168.1.0/24
        [log]
        level = info
        size = 65536
        """

    @Test(
        arguments: [
            ("read-all", .readAll), ("panel-test", .panelTest), ("reconnect", .reconnect), ("none", .none),
        ] as [(String, ButtonAction)])
    func actionsOfTheButton(name: String, action: ButtonAction) throws {
        let panel = try parsed("[panel]\npress = \(name)\nhold = \(name)\nhold-time = 5").panel
        #expect(panel.press == action)
        #expect(panel.hold == action)
        #expect(panel.holdTime == 5000)
        let plain = try parsed("").panel
        #expect(plain.press == .readAll)
        #expect(plain.hold == .panelTest)
        #expect(plain.holdTime == 2000)
    }

    @Test func theExampleOfTheContract() throws {
        let configuration = try parsed(Self.example)
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(
            configuration.server
                == Configuration.Server(
                    address: "sgn.test", certificate: "/var/lib/skyglow/server.pem",
                    endpoint: Endpoint(host: "127.0.0.1", port: 7373, address: loopback),
                    identity: "/var/lib/skyglow/registration.pem"))
        #expect(configuration.directory == "/var/lib/skyglow")
        #expect(configuration.runtime == "/run/skyglow")
        #expect(configuration.resolvers == [Endpoint(host: "127.0.0.1", port: 5353, address: loopback)])
        #expect(configuration.keepalive.minimum == 600)
        #expect(configuration.keepalive.maximum == 3300)
        #expect(configuration.keepalive.pongTimeout == 15)
        #expect(configuration.panel.message == [.led(["ACT"]), .line(name: "GPIO17", activeLow: false)])
        #expect(configuration.panel.link == [.offset(chip: "pinctrl-bcm2835", offset: 27, activeLow: false)])
        #expect(configuration.panel.buzzer == [.line(name: "GPIO22", activeLow: false)])
        #expect(configuration.panel.button == [.line(name: "GPIO23", activeLow: false)])
        let route = try #require(configuration.routes.first)
        #expect(configuration.routes.count == 1)
        #expect(route.name == "door")
        #expect(route.bundle.text == "org.example.door")
        #expect(route.isPrefix)
        #expect(route.light == .fast)
        #expect(route.beep == 2)
        #expect(route.hook == ["/usr/local/bin/door", "--ring"])
        #expect(route.quiet == QuietHours(start: 22 * 60, end: 7 * 60))
        let relay = try #require(configuration.relay)
        #expect(relay.listen == Endpoint(host: "127.0.0.1", port: 8787, address: loopback))
        #expect(relay.allow.map(\.text) == ["127.0.0.0/8", "192.168.1.0/24"])
        #expect(configuration.log.level == .info)
        #expect(configuration.log.size == 65_536)
    }

    @Test(arguments: ["", "\n", "# nothing\n", "; nothing", "\u{FEFF}", "\u{FEFF}# x\r\n\r\n", "  \t \n"])
    func nothingMeansTheDefaults(text: String) throws {
        let configuration = try parsed(text)
        #expect(configuration == Configuration())
        #expect(configuration.server == nil)
        #expect(configuration.directory == "/var/lib/skyglow")
        #expect(configuration.runtime == "/run/skyglow")
        #expect(configuration.keepalive.minimum == 600)
        #expect(configuration.keepalive.maximum == 3300)
        #expect(configuration.keepalive.pongTimeout == 15)
        #expect(configuration.log.level == .info)
        #expect(configuration.log.size == 65_536)
        #expect(configuration.panel == PanelConfiguration())
        #expect(configuration.relay == nil)
    }

    @Test(arguments: ["[keepalive]\n[server]\naddress=a", "\u{FEFF}[server]\r\n\taddress =\ta \r\n"])
    func theShortestServer(text: String) throws {
        let configuration = try parsed(text)
        #expect(configuration.server?.address == "a")
        #expect(configuration.server?.certificate == "/var/lib/skyglow/server.pem")
        #expect(configuration.server?.endpoint == nil)
        #expect(configuration.server?.identity == nil)
    }

    @Test func pathsAreRelativeToTheStateDirectory() throws {
        let configuration = try parsed(
            """
            [route r]
            bundle = a
            hook = bin/door 'bin/door'
            [panel]
            message = file:lights, file:/tmp/lights, term
            [server]
            address = a
            identity = keys/me.pem
            certificate = /etc/pin.pem
            [state]
            directory = /srv/sky//
            runtime = run/
            """)
        #expect(configuration.directory == "/srv/sky")
        #expect(configuration.runtime == "/srv/sky/run")
        #expect(configuration.server?.identity == "/srv/sky/keys/me.pem")
        #expect(configuration.server?.certificate == "/etc/pin.pem")
        #expect(configuration.panel.message == [.file("/srv/sky/lights"), .file("/tmp/lights"), .term])
        #expect(configuration.routes.first?.hook == ["/srv/sky/bin/door", "bin/door"])
        let root = try parsed("[state]\ndirectory = /\n[panel]\nlink = file:x")
        #expect(root.panel.link == [.file("/x")])
        #expect(root.directory == "/")
    }

    /// inih on its own cuts at the first of these semicolons.
    @Test func semicolonsStay() throws {
        let configuration = try parsed("[route r]\nbundle = a\nhook = /bin/sh -c 'a ;b; c' ; d;\n")
        #expect(configuration.routes.first?.hook == ["/bin/sh", "-c", "a ;b; c", ";", "d;"])
    }

    @Test func numberSignsAreCommentsAfterWhiteSpaceOnly() throws {
        let configuration = try parsed(
            "[route r]#x]\n".replacingOccurrences(of: "#x]", with: "\t# x]") + "bundle = a#b #c")
        #expect(configuration.routes.first?.bundle.text == "a#b")
    }

    @Test func quotesInHooks() throws {
        let configuration = try parsed(
            "[route r]\nbundle=*\nhook = /bin/x  \"two words\" 'it\"s' a\"b\"'c' \"\" end\n")
        #expect(configuration.routes.first?.hook == ["/bin/x", "two words", "it\"s", "abc", "", "end"])
    }

    @Test func lastLineWithoutANewline() throws {
        let configuration = try parsed("[log]\nlevel = debug")
        #expect(configuration.log.level == .debug)
    }

    @Test func probesGoWhereTheyAreSentTo() throws {
        #expect(try !parsed("").keepalive.probesApart)
        #expect(try !parsed("[keepalive]\nprobe = live-connection").keepalive.probesApart)
        let apart = try parsed("[keepalive]\nprobe = second-connection")
        #expect(apart.keepalive.probesApart)
        let learner = Startup.keepAlive(apart)
        #expect(learner.probesApart && learner.candidate == 120_000)
        #expect(Startup.keepAlive(try parsed("")) != learner, "a reload sees the difference")
    }

    @Test func shortKeepalivesAreForTests() throws {
        let configuration = try parsed("[keepalive]\nminimum=1\nmaximum=1\npong-timeout=1")
        #expect(configuration.keepalive.minimum == 1)
        #expect(configuration.keepalive.maximum == 1)
        #expect(configuration.keepalive.pongTimeout == 1)
    }

    @Test(
        arguments: [
            ("sgn.test:7373", "sgn.test", 7373, false), ("1.2.3.4:1", "1.2.3.4", 1, true),
            ("[::1]:65535", "::1", 65_535, true), ("[fe80::1]:007", "fe80::1", 7, true),
        ] as [(String, String, UInt16, Bool)])
    func endpoints(text: String, host: String, port: UInt16, isAddress: Bool) throws {
        let configuration = try parsed("[server]\naddress=a\nendpoint=\(text)")
        let endpoint = try #require(configuration.server?.endpoint)
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect((endpoint.address != nil) == isAddress)
        #expect(endpoint.text == text.replacingOccurrences(of: "007", with: "7"))
    }

    @Test func resolvers() throws {
        let configuration = try parsed("[resolver]\nservers = 1.1.1.1, [::1]:5353 ,::2,[::3], 9.9.9.9:54")
        #expect(
            configuration.resolvers.map(\.text) == ["1.1.1.1:53", "[::1]:5353", "[::2]:53", "[::3]:53", "9.9.9.9:54"])
    }

    @Test func theRelayIsLocalUnlessItIsOpened() throws {
        let configuration = try parsed("[relay]\nlisten = [::]:80")
        #expect(configuration.relay?.allow.map(\.text) == ["127.0.0.0/8", "::1/128"])
    }

    @Test(
        arguments: [
            ("0.0.0.0/0", "8.8.8.8", true), ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("192.168.1.128/25", "192.168.1.127", false), ("192.168.1.128/25", "192.168.1.128", true),
            ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4/32", "1.2.3.5", false), ("::/0", "1.2.3.4", false),
            ("10.0.0.2/31", "10.0.0.1", false), ("10.0.0.2/31", "10.0.0.2", true), ("10.0.0.2/31", "10.0.0.3", true),
            ("10.0.0.2/31", "10.0.0.4", false), ("0.0.0.0/0", "::", false), ("0.0.0.0/1", "127.255.255.255", true),
            ("0.0.0.0/1", "128.0.0.0", false), ("::/0", "fe80::1", true), ("fd00::2/127", "fd00::3", true),
            ("fd00::2/127", "fd00::4", false), ("::1/128", "::1", true),
            ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false), ("::1", "::1", true), ("::1", "::2", false),
        ])
    func ranges(range: String, address: String, isIn: Bool) throws {
        let configuration = try parsed("[relay]\nlisten=127.0.0.1:1\nallow = \(range)")
        let allowed = try #require(configuration.relay?.allow.first)
        let other = try #require(IPAddress(address))
        #expect(allowed.contains(other) == isIn)
    }

    @Test func anIPv4AddressInsideIPv6IsIPv4() throws {
        let bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3, 4]
        let address = IPAddress(bytes.span.bytes)
        #expect(address?.text == "1.2.3.4")
        let short = IPAddress(bytes.span.bytes.extracting(0..<15))
        #expect(short == nil)
    }

    @Test(
        arguments: [
            ("a.b", "a.b", true), ("a.b", "a.bc", false), ("a.b", "a", false), ("a.b*", "a.b", true),
            ("a.b*", "a.bc", true), ("a.b*", "a.", false), ("*", "", true), ("*", "x", true),
        ])
    func routesMatch(pattern: String, bundle: String, isMatch: Bool) throws {
        let configuration = try parsed("[route r]\nbundle = \(pattern)")
        let route = try #require(configuration.routes.first)
        let bytes = Array(bundle.utf8)
        let matches = route.matches(bytes.span.bytes)
        #expect(matches == isMatch)
    }

    @Test(
        arguments: [
            ("22:00-07:00", 1319, false), ("22:00-07:00", 1320, true), ("22:00-07:00", 0, true),
            ("22:00-07:00", 419, true), ("22:00-07:00", 420, false), ("00:00-23:59", 1438, true),
            ("00:00-23:59", 1439, false), ("12:30-13:00", 749, false), ("12:30-13:00", 750, true),
        ])
    func quietHours(text: String, minute: Int, isQuiet: Bool) throws {
        let configuration = try parsed("[route r]\nbundle = *\nquiet = \(text)")
        #expect(configuration.routes.first?.quiet?.contains(minute: minute) == isQuiet)
    }

    @Test func routesKeepTheirOrder() throws {
        let configuration = try parsed("[route b]\nbundle=1\n[log]\n[route a]\nbundle=2\n[route  c  d ]\nbundle=3\n")
        #expect(configuration.routes.map(\.name) == ["b", "a", "c  d"])
        #expect(configuration.routes.map { $0.bundle.text } == ["1", "2", "3"])
    }

    @Test func theLimitsOfRoutesAreThoseOfBundles() {
        #expect(MemoryLayout<Blob<64>>.size == MemoryLayout.size(ofValue: Route(name: "").bundle))
        #expect(Limits.bundle == 64)
    }

    @Test func noPrefixOfTheExampleTraps() {
        let bytes = Array(Self.example.utf8)
        for length in 0...bytes.count { _ = faults(Array(bytes.prefix(length))) }
    }

    @Test func noByteOfTheExampleTraps() {
        var bytes = Array(Self.example.utf8)
        for index in bytes.indices {
            let byte = bytes[index]
            for other in [0x0A, 0x20, 0x3D, 0xFF] as [UInt8] {
                bytes[index] = other
                _ = faults(bytes)
            }
            bytes[index] = byte
        }
    }
}

/// The relay's own numbers.
@Suite struct RelayConfigurationTests {
    private func parse(_ lines: String) throws -> Configuration.Relay? {
        try Configuration.parse(Array("[relay]\nlisten = 127.0.0.1:1\n\(lines)".utf8)).relay
    }

    @Test(
        arguments: [
            ("http://board.lan:8787/", "http://board.lan:8787"), ("HTTP://board", "HTTP://board"),
            ("https://proxy.lan/board//", "https://proxy.lan/board"), ("http://[fd00::1]:80", "http://[fd00::1]:80"),
        ])
    func addresses(text: String, expected: String) throws {
        #expect(try parse("address = \(text)")?.address == expected)
    }

    @Test(arguments: [
        "board.lan:8787", "//board", "ftp://board", "http:/board", "http://", "http://board/?a", "http://board#a",
        "http://a b", "http://me@board", "http://b\u{E9}", "http://board:0",
    ])
    func addressesThatCannotWork(text: String) {
        #expect(throws: ConfigurationError.self) { try parse("address = \(text)") }
    }

    @Test(arguments: ["/", "/a", "/a/b-._~!$&'()*+,;=:@", "/a?x=1", "/%6eotify", "/...", "/pocketty/v1/push2"])
    func paths(text: String) throws {
        #expect(try parse("path = \(text)")?.path == text)
    }

    @Test(arguments: [
        "a", "http://board/a", "/a b", "/a\u{A0}b", "/\u{200B}", "/\u{E9}", "/a#b", "/a|b", "/\"a\"", "/a\\b", "/%",
        "/%6",
        "/%6x", "/./a", "/a/..", "/pocketty/v1/push", "/pocketty/v1/grant",
    ])
    func pathsThatCannotWork(text: String) {
        #expect(throws: ConfigurationError.self) { try parse("path = \(text)") }
    }

    /// A reload keeps the directories: relative paths too begin where they did.
    @Test func keptDirectories() throws {
        let old = try Configuration.parse(Array("[state]\ndirectory = /old\nruntime = /run/old".utf8))
        let text = """
            [server]
            address = sgn.test
            [state]
            directory = /new
            runtime = run
            [log]
            level = debug
            """
        let moved = try Configuration.parse(Array(text.utf8))
        #expect(
            moved.directory == "/new" && moved.runtime == "/new/run" && moved.server?.certificate == "/new/server.pem")
        let kept = try Configuration.parse(Array(text.utf8), in: old)
        #expect(kept.directory == "/old" && kept.runtime == "/run/old")
        #expect(kept.server?.certificate == "/old/server.pem")
        #expect(kept.log.level == .debug)
    }

    @Test func defaultsAndNumbers() throws {
        let usual = try #require(try parse(""))
        #expect(usual.path == "/v1/notify" && usual.address == nil && usual.command.first == "ssh")
        #expect(usual.numbers.coalesce == 75_000 && usual.numbers.flapCount == 6 && usual.numbers.burst == 60)
        #expect(usual.numbers.flapWindow == 1_800_000 && usual.numbers.silence == 7_200_000)
        let relay = try #require(
            try parse(
                """
                path = /push
                address = http://board:8787
                command = run {} 'a b'
                coalesce = 0
                flap = 16
                flap-window = 1
                reminder = 86400
                silence = 5
                burst = 100000
                refill = 3600
                """))
        #expect(relay.path == "/push" && relay.command == ["run", "{}", "a b"])
        #expect(relay.numbers.coalesce == 0 && relay.numbers.flapCount == 16 && relay.numbers.flapWindow == 1_000)
        #expect(relay.numbers.reminder == 86_400_000 && relay.numbers.silence == 5_000)
        #expect(relay.numbers.burst == 100_000 && relay.numbers.refill == 3_600_000)
    }

    @Test(
        arguments: [
            "path = push", "address = http://", "coalesce = -1", "coalesce = 86401", "flap = 0", "flap = 17",
            "flap-window = 0", "burst = 0", "burst = 100001", "refill = 0", "refill = 3601", "flaps = 1",
        ]) func refused(line: String)
    {
        #expect(throws: ConfigurationError.self) { try parse(line) }
    }
}
