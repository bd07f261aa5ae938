import Bytes
import Foundation
import Testing

@testable import Gateway

@Suite struct ConfigurationFaultTests {
    @Test(
        arguments: [
            // Lines.
            ("x", ["f:1: expected KEY = VALUE or [SECTION]"]),
            ("[log]\n= 3", ["f:2: expected KEY = VALUE or [SECTION]"]),
            ("[log]\nlevel: info", ["f:2: expected KEY = VALUE or [SECTION]"]),
            ("[log]\nlevel: = info", ["f:2: expected KEY = VALUE or [SECTION]"]),
            ("[log]\nlevel", ["f:2: expected KEY = VALUE or [SECTION]"]),
            (
                "[log]\nlevel =\n\tinfo",
                [
                    "f:2: `level` has no value", "f:3: a value cannot continue on the next line: expected KEY = VALUE",
                ]
            ),
            ("[log]\nlevel = # info", ["f:2: `level` has no value"]),
            ("[log]\nlevel = info\u{0}", ["f:2: the line holds a NUL byte"]),
            ("[log]\nlevel = in\u{1}fo", ["f:2: the line holds a control character"]),
            ("[log]\nlevel = info\u{7F}", ["f:2: the line holds a control character"]),
            ("[log]\rlevel = info", ["f:1: the line holds a control character"]),
            // Sections.
            ("[log", ["f:1: the section's name does not end in `]`"]),
            ("[log # x\nlevel=x", ["f:1: the section's name does not end in `]`"]),
            ("[log] x", ["f:1: only a comment may follow a section's name"]),
            ("[]", ["f:1: the section has no name"]), ("[ \t]", ["f:1: the section has no name"]),
            ("[servers]\nadress = x", ["f:1: unknown section [servers]: the nearest known one is [server]"]),
            ("\n\n[Log]", ["f:3: unknown section [Log]: the nearest known one is [log]"]),
            ("[rout door]", ["f:1: unknown section [rout door]: the nearest known one is [route]"]),
            ("[log x]", ["f:1: unknown section [log x]: [log] takes no name"]),
            ("[log]\n[state]\n[log]\nlevel = x", ["f:3: [log] was begun in line 1 already"]),
            ("[route a]\nbundle=a\n[route a]\nbundle=b", ["f:3: [route a] was begun in line 1 already"]),
            ("[route]", ["f:1: the route has no name: expected [route NAME]"]),
            ("[route a]", ["f:1: [route a] needs `bundle`"]),
            ("[route a]\nlight = fast", ["f:1: [route a] needs `bundle`"]),
            // Keys.
            ("level = info", ["f:1: `level` comes before any section"]),
            ("[log]\nlevle = info", ["f:2: unknown key `levle` in [log]: the nearest known one is `level`"]),
            (
                "[keepalive]\npong_timeout = 1",
                [
                    "f:2: unknown key `pong_timeout` in [keepalive]: the nearest known one is `pong-timeout`"
                ]
            ),
            (
                "[server]\naddress = a\nADDRESS = b",
                [
                    "f:3: unknown key `ADDRESS` in [server]: the nearest known one is `address`"
                ]
            ),
            (
                "[server]\naddress = a\nminimum = 5",
                ["f:3: unknown key `minimum` in [server]: it belongs to [keepalive]"]
            ),
            ("[log]\nsize = 65536\n# x\nsize = 65536", ["f:4: `size` was set in line 2 already"]),
            (
                "[log]\nsize = 1\nsize = 65536",
                [
                    "f:2: `size`: expected a whole number from 4096 to 16777216, not `1`",
                    "f:3: `size` was set in line 2 already",
                ]
            ),
        ] as [(String, [String])])
    func structure(text: String, expected: [String]) {
        #expect(faults(text) == expected)
    }

    @Test(
        arguments: [
            ("[server]\ncertificate = x", ["f:1: [server] needs `address`"]),
            ("[server]", ["f:1: [server] needs `address`"]),
            ("[server]\naddress =", ["f:2: `address` has no value"]),
            ("[server]\naddress = 12345678901234567", ["f:2: `address`: `12345678901234567` is longer than 16 bytes"]),
            (
                "[server]\naddress = a_b",
                [
                    "f:2: `address`: `a_b` holds other characters than letters, digits, `.` and `-`"
                ]
            ),
            (
                "[server]\naddress = é",
                [
                    "f:2: `address`: `é` holds other characters than letters, digits, `.` and `-`"
                ]
            ),
            ("[state]\ndirectory = var", ["f:2: `directory`: `var` is no absolute path"]),
            (
                "[keepalive]\nminimum = 0",
                [
                    "f:2: `minimum`: expected a whole number from 1 to 86400, not `0`"
                ]
            ),
            (
                "[keepalive]\nminimum = 86401",
                [
                    "f:2: `minimum`: expected a whole number from 1 to 86400, not `86401`"
                ]
            ),
            ("[keepalive]\nmaximum = 1h", ["f:2: `maximum`: expected a whole number from 1 to 86400, not `1h`"]),
            ("[keepalive]\nmaximum = +700", ["f:2: `maximum`: expected a whole number from 1 to 86400, not `+700`"]),
            ("[keepalive]\nmaximum = -1", ["f:2: `maximum`: expected a whole number from 1 to 86400, not `-1`"]),
            (
                "[keepalive]\nmaximum = 18446744073709551616",
                [
                    "f:2: `maximum`: expected a whole number from 1 to 86400, not `18446744073709551616`"
                ]
            ),
            (
                "[keepalive]\nprobe = second",
                [
                    "f:2: `probe`: expected `live-connection` or `second-connection`, not `second`"
                ]
            ),
            (
                "[keepalive]\npong-timeout = 0",
                [
                    "f:2: `pong-timeout`: expected a whole number from 1 to 600, not `0`"
                ]
            ),
            (
                "[keepalive]\nminimum = 600\nmaximum = 599",
                [
                    "f:3: `maximum`, 599, is below `minimum`, 600, of [keepalive]"
                ]
            ),
            ("[keepalive]\n\nminimum = 3301", ["f:3: `maximum`, 3300, is below `minimum`, 3301, of [keepalive]"]),
            ("[log]\nlevel = warn", ["f:2: `level`: `warn` is none of error, warning, notice, info and debug"]),
            ("[log]\nsize = 4095", ["f:2: `size`: expected a whole number from 4096 to 16777216, not `4095`"]),
            ("[relay]\nallow = ::1", ["f:1: [relay] needs `listen`"]),
            ("[relay]\nlisten = localhost:80", ["f:2: `listen`: `localhost` is no IP address"]),
            (
                "[relay]\nlisten = 127.0.0.1:1\nallow = 10.0.0.1/8",
                [
                    "f:3: `allow`: `10.0.0.1/8` has bits set after its prefix: did you mean 10.0.0.0/8?"
                ]
            ),
            (
                "[relay]\nlisten = 127.0.0.1:1\nallow = 10.0.0.0/33",
                [
                    "f:3: `allow`: `10.0.0.0/33` has no prefix from 0 to 32"
                ]
            ),
            (
                "[relay]\nlisten = 127.0.0.1:1\nallow = ::ffff:10.0.0.0/104",
                ["f:3: `allow`: `::ffff:10.0.0.0/104` is IPv4 inside IPv6: write it as IPv4, like 10.0.0.0"]
            ),
            ("[relay]\nlisten = 127.0.0.1:1\nallow = ::/129", ["f:3: `allow`: `::/129` has no prefix from 0 to 128"]),
            ("[relay]\nlisten = 127.0.0.1:1\nallow = ::/", ["f:3: `allow`: `::/` has no prefix from 0 to 128"]),
            (
                "[relay]\nlisten = 127.0.0.1:1\nallow = lan",
                [
                    "f:3: `allow`: `lan` is no range of addresses: expected ADDRESS/PREFIX"
                ]
            ),
            (
                "[relay]\nlisten = 127.0.0.1:1\nallow = ::1,",
                [
                    "f:3: `allow`: a range is missing before or after a comma"
                ]
            ),
            (
                "[relay]\nlisten = 127.0.0.1:1\npath = /pocketty/v1/push\naddress = board:80",
                [
                    "f:3: `path`: `/pocketty/v1/push` is where pocketty daemons post to",
                    "f:4: `address`: `board:80` begins neither with http:// nor with https://",
                ]
            ),
            ("[resolver]\nservers = dns.test", ["f:2: `servers`: `dns.test` has no port: expected HOST:PORT"]),
            ("[resolver]\nservers = dns.test:53", ["f:2: `servers`: `dns.test` is no IP address"]),
            (
                "[resolver]\nservers = 1.1.1.1,,2.2.2.2",
                ["f:2: `servers`: an address is missing before or after a comma"]
            ),
        ] as [(String, [String])])
    func values(text: String, expected: [String]) {
        #expect(faults(text) == expected)
    }

    @Test(
        arguments: [
            ("host", "`host` has no port: expected HOST:PORT"), (":1", "`:1` has no host"),
            ("host:", "`host:` has no port from 1 to 65535 after its last colon"),
            ("host:0", "`host:0` has no port from 1 to 65535 after its last colon"),
            ("host:65536", "`host:65536` has no port from 1 to 65535 after its last colon"),
            ("host:http", "`host:http` has no port from 1 to 65535 after its last colon"),
            ("::1:80", "an IPv6 address needs brackets: [::1]:80"), ("[::1:80", "`[::1:80` is not [IPV6]:PORT"),
            ("[]:80", "`[]` is no IPv6 address"), ("[host]:80", "`[host]` is no IPv6 address"),
            ("[1.2.3.4]:80", "`[1.2.3.4]` is no IPv6 address"), ("a b:80", "`a b` is no host name"),
            ("[::1]", "`[::1]` is not [IPV6]:PORT"),
        ])
    func endpoints(text: String, expected: String) {
        #expect(faults("[server]\naddress=a\nendpoint = \(text)") == ["f:3: `endpoint`: \(expected)"])
    }

    static let operators = "one of == != < <= > >= contains exists absent"

    @Test(
        arguments: [
            ("light = blink", "`light`: `blink` is none of off, solid, slow, fast, double and pulse"),
            ("beep = 21", "`beep`: expected a whole number from 0 to 20, not `21`"),
            ("beep = two", "`beep`: expected a whole number from 0 to 20, not `two`"),
            ("quiet = 22-7", "`quiet`: `22-7` is not HH:MM-HH:MM"),
            ("quiet = 24:00-07:00", "`quiet`: `24:00-07:00` is not HH:MM-HH:MM"),
            ("quiet = 22:60-07:00", "`quiet`: `22:60-07:00` is not HH:MM-HH:MM"),
            ("quiet = 22:00 07:00", "`quiet`: `22:00 07:00` is not HH:MM-HH:MM"),
            ("quiet = +2:00-07:00", "`quiet`: `+2:00-07:00` is not HH:MM-HH:MM"),
            ("quiet = 07:00-07:00", "`quiet`: `07:00-07:00` begins when it ends"),
            ("hook = '/bin/x", "`hook`: a quote is not closed (white space and `#` begin a comment even there)"),
            (
                "hook = /bin/x \"a # b\"",
                "`hook`: a quote is not closed (white space and `#` begin a comment even there)"
            ),
            ("mute = maybe", "`mute`: `maybe` is neither yes nor no"),
            ("collapse = YES", "`collapse`: `YES` is neither yes nor no"),
            ("when = a = 1", "`when`: column 10: expected \(operators), not `=`"),
            ("  when\t=  ä == 'x' or b exists", "`when`: column 20: expected `and` or the end, not `or`"),
            ("retry = 0", "`retry`: expected a whole number from 1 to 3600, not `0`"),
            ("outlet = /x", "`outlet`: `/x` is neither fifo:PATH nor socket:PATH"),
            ("hook = '' x", "`hook`: the program's name is empty"),
            ("hook = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "`hook`: more than 16 words"),
        ])
    func routes(line: String, expected: String) {
        #expect(faults("[route r]\nbundle=a\n\(line)") == ["f:3: \(expected)"])
    }

    @Test(
        arguments: [
            ("a*b", "`bundle`: `a*b` has a `*` that is not at its end"),
            ("**", "`bundle`: `**` has a `*` that is not at its end"), ("a b", "`bundle`: `a b` holds white space"),
        ])
    func bundles(text: String, expected: String) {
        #expect(faults("[route r]\nbundle = \(text)") == ["f:2: \(expected)"])
    }

    @Test(arguments: [63, 64, 65]) func lengthOfBundles(length: Int) {
        for suffix in ["", "*"] {
            let text = String(repeating: "a", count: length) + suffix
            let expected = length > 64 ? ["f:2: `bundle`: `\(text)` is longer than 64 bytes"] : []
            #expect(faults("[route r]\nbundle = \(text)") == expected)
        }
    }

    @Test(
        arguments: [
            (
                "message = lamp",
                ["f:2: `message`: `lamp` is no output: expected led:, gpio:, pwm:, file:, term or none"]
            ),
            ("message = led:a,", ["f:2: `message`: an output is missing before or after a comma"]),
            ("message = term, term", ["f:2: `message`: `term` is named twice"]),
            ("message = led:a,led:b,led:c,led:d,led:e", ["f:2: `message`: more than 4 entries"]),
            ("link = pwm:0:0", ["f:2: `link`: `pwm:0:0` is for the buzzer only"]),
            ("button = term", ["f:2: `button`: `term` cannot be a button: expected gpio: or none"]),
            ("link = led:b|a\nmessage = led:a", ["f:3: `led:b|a` of `link` is used by `message` already"]),
            ("link = gpio:A, gpio:!A", ["f:2: `link`: `gpio:!A` is named twice"]),
            ("buzzer = gpio:A\nbutton = gpio:!A", ["f:3: `gpio:!A` of `button` is used by `buzzer` already"]),
            (
                "message = gpio:c:1\nlink = gpio:c:2\nbuzzer = gpio:!c:1",
                ["f:4: `gpio:!c:1` of `buzzer` is used by `message` already"]
            ),
            ("press = red-all", ["f:2: `press`: unknown action `red-all`: the nearest known one is `read-all`"]),
            ("hold = paneltest", ["f:2: `hold`: unknown action `paneltest`: the nearest known one is `panel-test`"]),
            ("hold-time = 0", ["f:2: `hold-time`: expected a whole number from 1 to 60, not `0`"]),
            ("hold-time = 61", ["f:2: `hold-time`: expected a whole number from 1 to 60, not `61`"]),
            ("holdtime = 2", ["f:2: unknown key `holdtime` in [panel]: the nearest known one is `hold-time`"]),
            ("link = gpio:A\nbuzzer = gpio:!A", ["f:3: `gpio:!A` of `buzzer` is used by `link` already"]),
        ] as [(String, [String])])
    func panel(lines: String, expected: [String]) {
        #expect(faults("[panel]\n\(lines)") == expected)
    }

    @Test(arguments: [198, 199, 200, 300]) func lengthOfLines(length: Int) {
        let line = "directory = /" + String(repeating: "d", count: length - 13)
        var expected: [String] = []
        if length > 199 { expected = ["f:2: the line is longer than 199 bytes"] }
        let directory = length > 199 ? "" : "\nruntime = /run"
        #expect(faults("[state]\n\(line)\(directory)") == expected)
        #expect(faults("[state]\r\n\(line)\(directory)\r\n") == expected)
    }

    @Test(arguments: [91, 92]) func lengthOfTheRuntimeDirectory(length: Int) {
        let path = "/" + String(repeating: "r", count: length - 1)
        let expected = length > 91 ? ["f:2: `runtime`: \(path) is longer than 91 bytes"] : []
        #expect(faults("[state]\nruntime = \(path)") == expected)
    }

    @Test(arguments: [31, 32, 33]) func numberOfRoutes(count: Int) {
        let text = (0..<count).map { "[route \($0)]\nbundle = *\n" }.joined()
        #expect(faults(text) == (count > 32 ? ["f:65: more than 32 routes"] : []))
    }

    @Test(arguments: [32, 33]) func lengthOfARoutesName(length: Int) {
        let text = "[route \(String(repeating: "n", count: length))]\nbundle = *"
        #expect(faults(text) == (length > 32 ? ["f:1: the route's name is longer than 32 bytes"] : []))
    }

    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]]) func invalidUTF8(bytes: [UInt8]) {
        #expect(faults(Array("# ".utf8) + bytes + Array("\n".utf8)) == ["f:1: the line is not UTF-8"])
    }

    @Test func everyFaultIsToldInTheOrderOfTheLines() {
        let text = """
            level = info
            [server]
            certificate = x
            [panel]
            link = lamp
            [keepalive]
            minimum = 9999
            [lgo]
            x = y
            [route r]
            beep = 99
            """
        #expect(
            faults(text) == [
                "f:1: `level` comes before any section", "f:2: [server] needs `address`",
                "f:5: `link`: `lamp` is no output: expected led:, gpio:, pwm:, file:, term or none",
                "f:7: `maximum`, 3300, is below `minimum`, 9999, of [keepalive]",
                "f:8: unknown section [lgo]: the nearest known one is [log]",
                "f:10: [route r] needs `bundle`",
                "f:11: `beep`: expected a whole number from 0 to 20, not `99`",
            ])
    }

    @Test(arguments: [63, 64, 65, 1000]) func manyFaults(count: Int) {
        let messages = faults(String(repeating: "x\n", count: count))
        #expect(messages.count == min(count, 64) + (count > 64 ? 1 : 0))
        if count > 64 { #expect(messages.last == "f: \(count - 64) more faults are not shown") }
    }

    @Test(
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("adress", "address", 1),
            ("levle", "level", 1), ("log", "log", 0), ("ca", "abc", 3),
        ])
    func distances(left: String, right: String, expected: Int) {
        #expect(KnownNames.distance(Array(left.utf8), Array(right.utf8)) == expected)
        #expect(KnownNames.distance(Array(right.utf8), Array(left.utf8)) == expected)
    }
}

@Suite struct ConfigurationFileTests {
    let folder = Folder()

    func messages(_ path: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration.load(path: path)
            return []
        } catch {
            return error.messages("f")
        }
    }

    @Test func aFileIsRead() throws {
        let path = folder.write("c", Array(ConfigurationTests.example.utf8))
        let configuration = try Configuration.load(path: path)
        #expect(configuration == (try parsed(ConfigurationTests.example)))
    }

    @Test func whatCannotBeRead() {
        #expect(messages(folder.path + "/none") == ["f: cannot be read: No such file or directory"])
        #expect(messages(folder.path) == ["f: cannot be read: Is a directory"])
        #expect(messages("") == ["f: cannot be read: No such file or directory"])
        #expect(messages("/dev/zero") == ["f: is longer than 65536 bytes"])
        #expect(messages("/dev/null") == [])
    }

    @Test(.disabled(if: geteuid() == 0, "root may read everything")) func permission() {
        let path = folder.write("c", [])
        chmod(path, 0)
        #expect(messages(path) == ["f: cannot be read: Permission denied"])
    }

    @Test(arguments: [65_535, 65_536, 65_537]) func sizes(size: Int) {
        let line = [UInt8](repeating: UInt8(ascii: "#"), count: 99) + [UInt8(ascii: "\n")]
        var bytes: [UInt8] = []
        while bytes.count < size { bytes += line }
        bytes.removeLast(bytes.count - size)
        let path = folder.write("c", bytes)
        #expect(messages(path) == (size > 65_536 ? ["f: is longer than 65536 bytes"] : []))
    }
}
