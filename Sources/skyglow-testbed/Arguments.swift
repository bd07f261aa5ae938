import Testbed

/// The command line.
struct Arguments {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var options = Server.Options()
    var json = false
    var reference = false
    var events: String?

    /// Nil if help or version was printed.
    init?(_ arguments: [String]) throws {
        var rest = arguments[...]
        guard let command = rest.popFirst() else { throw Failure(description: "serve is missing; see --help") }
        if command == "--help" || rest.contains("--help") {
            print(Console.help, terminator: "")
            return nil
        }
        if command == "--version" {
            print("skyglow-testbed, SGP v2")
            return nil
        }
        guard command == "serve" else { throw Failure(description: "no such command: \(command)") }
        while let option = rest.popFirst() { try take(option, &rest) }
    }

    private mutating func take(_ option: String, _ rest: inout ArraySlice<String>) throws {
        switch option {
        case "--json": json = true
        case "--reference": reference = true
        case "--expired": options.expiredCertificate = true
        case "--dir": options.directory = try Arguments.value(option, &rest)
        case "--events": events = try Arguments.value(option, &rest)
        case "--port": options.port = try Arguments.port(option, &rest)
        case "--http-port": options.webPort = try Arguments.port(option, &rest)
        case "--address":
            options.address = try Arguments.value(option, &rest)
            guard (1...16).contains(options.address.utf8.count) else {
                throw Failure(description: "--address: 1 to 16 bytes")
            }
        case "--key":
            guard let kind = ServerCertificate.KeyKind(rawValue: try Arguments.value(option, &rest)) else {
                throw Failure(description: "--key: ec or rsa")
            }
            options.keyKind = kind
        default: throw Failure(description: "no such option: \(option)")
        }
    }

    private static func value(_ option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw Failure(description: "\(option) needs a value") }
        return value
    }

    private static func port(_ option: String, _ rest: inout ArraySlice<String>) throws -> UInt16 {
        guard let port = UInt16(try value(option, &rest)) else { throw Failure(description: "\(option): a port") }
        return port
    }
}
