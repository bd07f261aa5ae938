import Bytes
import CBoard
import Loop
import SGP
import Store

/// `skyglowd certificate …`: provisioning the certificate that the connection is pinned to (SGP v2 §1).
extension CommandRunner {
    private static let maximum = 65_536
    /// Milliseconds for each name, and then for all addresses together.
    private static let patience: Int64 = 20_000
    /// Where a server shows its certificate, under its `http_addr` (SGP v2 §1).
    private static let place = "/snd/server_cert.pem"

    func certificate(_ command: Command) throws(StartupError) -> ExitCode {
        var wanted: String?
        if case .certificateFetch(_, let fingerprint, let yes) = command {
            guard !yes || fingerprint != nil else {
                throw StartupError("--yes needs --fingerprint, or anybody's certificate would do", .usage)
            }
            wanted = try fingerprint.map { text throws(StartupError) in try digits(ofFingerprint: text) }
        }
        let configuration = try configuration()
        let server = try server(of: configuration)
        switch command {
        case .certificateFetch(let from, _, let yes):
            let pem = try fetch(from: from, server, configuration)
            let description = try describe(pem, of: from ?? server.address)
            Output.complain(text(description))
            try confirm(description, wanted: wanted, yes: yes)
            return try keep(pem, server, configuration)
        case .certificateImport(let path):
            let pem = try readFile(path)
            let description = try describe(pem, of: path)
            Output.complain(text(description))
            return try keep(pem, server, configuration)
        default:
            let pem = try readFile(server.certificate)
            let description = try describe(pem, of: server.certificate)
            printText(json ? jsonText(description) : text(description) + "\n")
            return .ok
        }
    }

    private func readFile(_ path: String) throws(StartupError) -> [UInt8] {
        var buffer = ByteBuffer(capacity: Self.maximum)
        do throws(StoreError) { try AtomicFile.read(path, into: &buffer) } catch {
            throw StartupError(reading: error)
        }
        return Array(buffer.pointer)
    }

    private func describe(_ pem: [UInt8], of name: String) throws(StartupError) -> Certificate.Description {
        guard let description = pem.withUnsafeBytes({ Certificate.describe(pem: $0) }) else {
            throw StartupError("\(name): no certificate in PEM form", .badData)
        }
        return description
    }

    /// For people: a name may hold whatever its issuer wanted.
    private func text(_ description: Certificate.Description) -> String {
        "certificate\n  subject  \(String(visible: description.subject, limit: 1024))\n"
            + "  issuer   \(String(visible: description.issuer, limit: 1024))\n"
            + "  valid    \(description.notBefore) to \(description.notAfter) (does not matter: it is pinned)\n"
            + "  SHA-256  \(description.fingerprint)"
    }

    private func jsonText(_ description: Certificate.Description) -> String {
        var out = ByteBuffer(capacity: 16_384)
        out.append("{")
        out.member("subject", description.subject)
        out.member("issuer", description.issuer)
        out.member("fingerprint", description.fingerprint)
        out.member("not_before", description.notBefore)
        out.member("not_after", description.notAfter)
        out.append("}\n")
        return String(decoding: out.pointer, as: UTF8.self)
    }

    /// The 64 hex digits of a SHA-256, which programs show in capitals and with colons or spaces between them too.
    private func digits(ofFingerprint text: String) throws(StartupError) -> String {
        let digits = text.lowercased().filter { $0 != ":" && $0 != " " }
        guard digits.utf8.count == 64, digits.utf8.allSatisfy({ Hex.value($0) != nil }) else {
            throw StartupError("\(text) is no SHA-256: it has 64 hexadecimal digits", .usage)
        }
        return String(digits)
    }

    /// A person compares, or the fingerprint that a script was given decides.
    private func confirm(
        _ description: Certificate.Description, wanted: String?, yes: Bool
    ) throws(StartupError) {
        if let wanted {
            guard wanted == description.fingerprint else {
                throw StartupError("the fingerprint is not \(wanted): nothing stored", .badData)
            }
            if yes { return }
        }
        let answer = Output.ask("Is this the server's certificate? [y/N] ")
        guard answer == UInt8(ascii: "y") || answer == UInt8(ascii: "Y") else {
            throw StartupError("not confirmed: nothing stored", .unavailable)
        }
    }

    private func keep(
        _ pem: [UInt8], _ server: Configuration.Server, _ configuration: Configuration
    ) throws(StartupError) -> ExitCode {
        // Only what was shown and confirmed: the text may hold other certificates, or a private key by mistake.
        guard let alone = pem.withUnsafeBytes({ Certificate.alone(pem: $0) }) else {
            throw StartupError("\(server.certificate): no certificate to store", .badData)
        }
        try Startup.makeDirectory(configuration.directory, mode: 0o700)
        do throws(StoreError) {
            if server.certificate.hasPrefix(configuration.directory + "/") {
                let owner = StateOwner(of: configuration.directory)
                try AtomicFile.write(server.certificate, alone.span.bytes, mode: 0o644)
                withExtendedLifetime(owner) {}
            } else {
                try AtomicFile.write(server.certificate, alone.span.bytes, mode: 0o644)
            }
        } catch { throw StartupError(error) }
        Output.complain("stored in \(server.certificate)")
        try poke("reload", configuration)
        return .ok
    }

    // MARK: Fetching

    private func fetch(
        from: String?, _ server: Configuration.Server, _ configuration: Configuration
    ) throws(StartupError) -> [UInt8] {
        guard let resolver = Resolver(servers: Startup.resolverList(configuration)) else {
            throw StartupError("the resolver could not be started", .unavailable)
        }
        let address: WebAddress
        if let from { address = try webAddress(from) } else { address = try published(by: server.address, resolver) }
        let targets = try resolve(address, resolver)
        var failure = ""
        let patience = Self.patience / Int64(max(targets.count, 1))
        for index in 0..<targets.count {
            guard let target = targets[index] else { break }
            Output.complain("fetching \(address.path) from \(target.text)")
            do throws(HTTPError) {
                return try HTTPFetch.get(address, at: target, limit: Self.maximum, milliseconds: patience)
            } catch { failure = error.text }
        }
        throw StartupError("\(address.host): \(failure)", .unavailable)
    }

    /// What an operator gave: the certificate itself, or the server that shows it in the usual place.
    private func webAddress(_ text: String) throws(StartupError) -> WebAddress {
        guard var address = WebAddress(text) else { throw StartupError("\(text) is no web address", .usage) }
        if address.path == "/" { address.path = Self.place }
        return address
    }

    private func published(by server: String, _ resolver: Resolver) throws(StartupError) -> WebAddress {
        guard var address = WebAddress(try httpAddress(of: server, resolver)) else {
            throw StartupError("the http_addr of _sgn.\(server) is no web address", .unavailable)
        }
        while address.path.utf8.last == UInt8(ascii: "/") { address.path.removeLast() }
        address.path += Self.place
        return address
    }

    /// `http_addr` of the server's TXT record.
    private func httpAddress(of server: String, _ resolver: Resolver) throws(StartupError) -> String {
        resolver.askText("_sgn." + server)
        try wait(resolver, for: "_sgn." + server)
        for index in 0..<resolver.textCount {
            guard let record = ServiceRecord(resolver.text(index).bytes), !record.httpAddress.isEmpty else { continue }
            return record.httpAddress.text
        }
        throw StartupError("the TXT record of _sgn.\(server) has no http_addr: give --from URL", .unavailable)
    }

    func resolve(_ address: WebAddress, _ resolver: Resolver) throws(StartupError) -> AddressList {
        if let literal = SocketAddress(literal: address.host, port: address.port) {
            var list = AddressList()
            list.append(literal)
            return list
        }
        resolver.askAddresses(address.host, port: address.port)
        try wait(resolver, for: address.host)
        return resolver.addresses
    }

    private func wait(_ resolver: Resolver, for name: String) throws(StartupError) {
        var poll = PollSet(capacity: 16)
        let deadline = SystemClock().now + Self.patience
        // Both kinds of addresses: those that came first may lead nowhere.
        while resolver.isBusy, SystemClock().now < deadline {
            poll.removeAll()
            resolver.register(in: &poll)
            do throws(SystemError) { try poll.wait(milliseconds: resolver.timeout(limit: 1_000)) } catch {
                throw StartupError(error.text, .unavailable)
            }
            resolver.process()
        }
        guard resolver.outcome != .answered else { return }
        var reason = ByteBuffer(capacity: 128)
        if case .failed(let status) = resolver.outcome { reason.append(resolverStatus: status) }
        let words = reason.isEmpty ? "no answer" : String(decoding: reason.pointer, as: UTF8.self)
        throw StartupError("\(name): \(words)", .unavailable)
    }
}
