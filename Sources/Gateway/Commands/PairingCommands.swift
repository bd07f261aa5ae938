import Bytes
import CBoard
import Loop
import Relay
import Sealing
import Store

/// `skyglowd pair …`, `pairings` and `unpair`: daemons that send to this board directly, whether or not the gateway runs.
extension CommandRunner {
    private static let patience: Int64 = 15_000

    /// What is known of a daemon before it is paired again.
    private struct Known {
        var id: Int64
        var token: Blob<256>
        var given: Blob<32>
    }

    /// A daemon that is about to be told of this board.
    private struct Begun {
        var id: Int64
        var token: Blob<256>
        /// It was not paired before.
        var isNew: Bool
    }

    private func known(_ source: Source, _ place: String, _ store: Store) throws(StartupError) -> Known? {
        let place = Array(place.utf8)
        var known: Known?
        try Startup.stored { () throws(StoreError) in
            try store.pairings { row in
                guard row.source == source, row.place.equals(place.span.bytes) else { return true }
                known = Known(
                    id: row.id, token: Blob<256>(row.token) ?? Blob(), given: Blob<32>(row.given) ?? Blob())
                return false
            }
        }
        return known
    }

    private func keep(
        _ source: Source, name: String, place: String, token: Blob<256>, key: Blob<32>, given: Blob<32>, _ store: Store
    ) throws(StartupError) -> Int64 {
        let (name, place) = (Array(name.utf8), Array(place.utf8))
        guard place.count <= Limits.pairingPlace else {
            throw StartupError("the address is longer than \(Limits.pairingPlace) bytes", .badData)
        }
        let length = UTF8Text.prefix(of: name.span.bytes, limit: Limits.pairingName)
        do throws(StoreError) {
            return try store.setPairing(
                source: source, name: name.span.bytes.extracting(0..<length), place: place.span.bytes,
                token: token.bytes, key: key.bytes, given: given.bytes, at: SystemClock().unixTime)
        } catch {
            guard case .tooMuch = error else { throw StartupError(error) }
            throw StartupError(
                "\(Limits.pairings) daemons are paired, which is the most: `skyglowd unpair` one of `skyglowd pairings`",
                .unavailable)
        }
    }

    private func relay(of configuration: Configuration) throws(StartupError) -> Configuration.Relay {
        guard let relay = configuration.relay else {
            throw StartupError("\(configurationPath): no [relay] is configured", .configuration)
        }
        return relay
    }

    /// The public key that daemons seal to; made with the first pairing.
    private func sealKey(_ configuration: Configuration) throws(StartupError) -> Blob<32> {
        cb_hide_memory()
        let key = try Startup.stored { () throws(StoreError) in
            try RelayKeys(directory: configuration.directory).make(RelayKeys.seal)
        }
        do throws(SealingError) { return try key.publicKey() } catch {
            throw StartupError("no key could be made", .inputOutput)
        }
    }

    private func newToken() -> Blob<256> { Blob<256>(RandomBytes.token().bytes) ?? Blob() }

    var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, 255) == 0 else { return "skyglow" }
        let text = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        return text.isEmpty ? "skyglow" : text
    }

    // MARK: cronstable

    func pairCronstable(_ argument: String) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        _ = try relay(of: configuration)
        let link = try readLink(argument)
        guard let address = WebAddress(link.url + "/push/devices") else {
            throw StartupError("\(String(visible: link.url)) is no web address", .badData)
        }
        var publicKey = Blob<32>()
        // Before the daemon knows it, so that nothing it sends is refused.
        let begun = try StateOwner.of(configuration.directory) { () throws(StartupError) in
            let store = try openStore(configuration)
            RelayKeys(directory: configuration.directory).warnOfLoss(of: RelayKeys.seal, pairing: link.url, store)
            publicKey = try sealKey(configuration)
            let before = try known(.cronstable, link.url, store)
            let token = before?.token ?? newToken()
            let id = try keep(
                .cronstable, name: link.name, place: link.url, token: token, key: Blob(), given: Blob(), store)
            return Begun(id: id, token: token, isNew: before == nil)
        }
        do throws(StartupError) {
            try poke("pairings", configuration)
            let theirs = try register(address, link, publicKey, begun.token, configuration)
            let ours = fingerprint(publicKey)
            printText(
                "paired with \(String(visible: link.name, limit: Limits.pairingName)) as \(begun.id)\n"
                    + "fingerprint  \(ours)\ntheir answer \(String(visible: theirs, limit: 64))\n")
            guard ours == theirs else {
                throw StartupError("THE FINGERPRINTS DIFFER: the daemon has another key. Not paired.", .badData)
            }
            return .ok
        } catch {
            // What was paired before and could not be reached stays so.
            if begun.isNew || error.exit == .badData { forget(begun.id, configuration) }
            throw error
        }
    }

    private func readLink(_ argument: String) throws(StartupError) -> (name: String, url: String, token: String) {
        var bytes: [UInt8]
        if argument == "-" {
            bytes = try StandardInput.text(limit: Limits.pairingLink)
        } else {
            bytes = StandardInput.trimmed(Array(argument.utf8))
        }
        if bytes.first != UInt8(ascii: "{") {
            while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
            let start = bytes.firstIndex(of: UInt8(ascii: "#")).map { $0 + 1 } ?? bytes.count
            var json = ByteBuffer(capacity: Limits.pairingLink)
            guard json.append(decoding: bytes.span.bytes.extracting(start..<bytes.count), .url) else {
                throw StartupError("the pairing link is no base64 after its #", .badData)
            }
            bytes = Array(json.pointer)
        }
        guard let json = JSONText(bytes) else {
            throw StartupError("this is no pairing link, …/pair#…, nor its JSON", .badData)
        }
        try json.requireVersion(of: "the pairing link")
        guard var url = json.text("url"), let token = json.text("token") else {
            throw StartupError("the pairing link has no `url` or no `token`", .badData)
        }
        while url.utf8.last == UInt8(ascii: "/") { url.removeLast() }
        for byte in token.utf8 where byte <= 0x20 || byte >= 0x7F {
            throw StartupError("the token of the pairing link is not printable", .badData)
        }
        return (json.text("name") ?? url, url, token)
    }

    /// Tells the daemon of this board. The fingerprint of its answer.
    private func register(
        _ address: WebAddress, _ link: (name: String, url: String, token: String), _ publicKey: Blob<32>,
        _ token: Blob<256>, _ configuration: Configuration
    ) throws(StartupError) -> String {
        var body = ByteBuffer(capacity: 2048)
        body.append("{")
        body.member("name", hostName)
        body.member("platform", "linux")
        body.member("publicKey", String(base64: publicKey.bytes))
        body.key("pushToken")
        body.append("\"")
        body.append(hex: token.bytes)
        body.append("\"}")
        let authorization = link.token.isEmpty ? nil : "Bearer " + link.token
        let answer = try post(address, Array(body.pointer), authorization, configuration)
        guard answer.status == 200 || answer.status == 201 else {
            let reason = JSONText(answer.body)?.text("error") ?? ""
            throw StartupError("the daemon answered \(answer.status) \(String(visible: reason))", .unavailable)
        }
        return JSONText(answer.body)?.text("device", "fingerprint") ?? "none"
    }

    func post(
        _ address: WebAddress, _ body: [UInt8], _ authorization: String?, _ configuration: Configuration
    ) throws(StartupError) -> (status: Int, body: [UInt8]) {
        guard let resolver = Resolver(servers: Startup.resolverList(configuration)) else {
            throw StartupError("the resolver could not be started", .unavailable)
        }
        let targets = try resolve(address, resolver)
        var failure = "no address"
        for index in 0..<targets.count {
            guard let target = targets[index] else { break }
            do throws(HTTPError) {
                return try HTTPFetch.post(
                    address, at: target, body: body, authorization: authorization, limit: Limits.smallFile,
                    milliseconds: Self.patience)
            } catch { failure = error.text }
        }
        throw StartupError("\(address.host): \(failure)", .unavailable)
    }

    /// The first twelve hex digits of the key's SHA-256, in groups of four.
    private func fingerprint(_ key: Blob<32>) -> String {
        guard let digest = try? SHA256.digest(key.bytes) else { return "" }
        var text = ByteBuffer(capacity: 64)
        text.append(hex: digest.bytes)
        let digits = Array(text.pointer.prefix(12))
        func group(_ start: Int) -> String { String(decoding: digits[start..<start + 4], as: UTF8.self) }
        return "\(group(0))-\(group(4))-\(group(8))"
    }

    // MARK: pocketty

    func pairPocketty(_ host: String) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let relay = try relay(of: configuration)
        guard host.utf8.first != UInt8(ascii: "-") else { throw StartupError("\(host) is no USER@HOST", .usage) }
        let shown = String(visible: host)
        var given = ByteBuffer(capacity: Limits.pairingLink)
        var digest = Blob<32>()
        // Before the daemon knows it, so that nothing it sends is refused. Its key comes with its answer: what it has sealed
        // until then cannot be opened.
        let begun = try StateOwner.of(configuration.directory) { () throws(StartupError) -> Begun? in
            let store = try openStore(configuration)
            let keys = RelayKeys(directory: configuration.directory)
            for name in [RelayKeys.seal, RelayKeys.signing] { keys.warnOfLoss(of: name, pairing: host, store) }
            let before = try known(.pocketty, host, store)
            let token = before?.token ?? newToken()
            try offer(token, relay, configuration, into: &given)
            digest = try self.digest(given.pointer.bytes)
            if let before {
                if before.given != digest { return Begun(id: before.id, token: token, isNew: false) }
                printText(
                    "paired with \(shown) as \(before.id) already, and nothing has changed; if it has lost its side: "
                        + "skyglowd unpair \(before.id), then pair it again\n")
                return nil
            }
            let id = try keep(.pocketty, name: host, place: host, token: token, key: Blob(), given: Blob(), store)
            return Begun(id: id, token: token, isNew: true)
        }
        guard let begun else { return .ok }
        do throws(StartupError) {
            try poke("pairings", configuration)
            let answer = try converse(relay.command, host, Array(given.pointer))
            guard let json = JSONText(answer) else { throw StartupError("\(shown): no answer", .badData) }
            try json.requireVersion(of: "the answer of \(shown)")
            let key = try json.publicKey("daemonKey", of: "the answer of \(shown)")
            let id = try StateOwner.of(configuration.directory) { () throws(StartupError) in
                try keep(
                    .pocketty, name: host, place: host, token: begun.token, key: key, given: digest,
                    openStore(configuration))
            }
            try poke("pairings", configuration)
            printText("paired with \(shown) as \(id)\n")
            return .ok
        } catch {
            // What was paired before stays so.
            if begun.isNew { forget(begun.id, configuration) }
            throw error
        }
    }

    /// What a pocketty daemon is given, as JSON on a line.
    private func offer(
        _ token: Blob<256>, _ relay: Configuration.Relay, _ configuration: Configuration, into given: inout ByteBuffer
    ) throws(StartupError) {
        let publicKey = try sealKey(configuration)
        let signing = try Startup.stored { () throws(StoreError) in
            try RelayKeys(directory: configuration.directory).make(RelayKeys.signing)
        }
        var grant = ByteBuffer(capacity: Limits.grant)
        Grant.append(token.bytes, key: signing, to: &grant)
        given.append("{")
        given.member("v", 1)
        given.member("grant", String(decoding: grant.pointer, as: UTF8.self))
        given.member("sealKey", String(base64: publicKey.bytes))
        given.member("relay", relayAddress(relay))
        given.append("}\n")
    }

    private func digest(_ bytes: RawSpan) throws(StartupError) -> Blob<32> {
        do throws(SealingError) { return try SHA256.digest(bytes) } catch {
            throw StartupError("no memory", .inputOutput)
        }
    }

    private func relayAddress(_ relay: Configuration.Relay) -> String {
        if let address = relay.address { return address }
        let isAny = relay.listen.host == "0.0.0.0" || relay.listen.host == "::"
        return "http://" + (isAny ? "\(hostName):\(relay.listen.port)" : relay.listen.text)
    }

    func pairRotate() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        _ = try openStore(configuration)
        cb_hide_memory()
        _ = try Startup.stored { () throws(StoreError) in
            try RelayKeys(directory: configuration.directory).make(RelayKeys.signing, anew: true)
        }
        printText("another signing key: pair each pocketty daemon again\n")
        try poke("pairings", configuration)
        return .ok
    }

    // MARK: Both

    /// Takes a pairing back that came to nothing, whose own error is told.
    private func forget(_ id: Int64, _ configuration: Configuration) {
        do throws(StartupError) {
            try StateOwner.of(configuration.directory) { () throws(StartupError) in
                let store = try openStore(configuration)
                _ = try Startup.stored { () throws(StoreError) in try store.deletePairing(id) }
            }
            try poke("pairings", configuration)
        } catch {
            for line in error.lines { Output.complain(line) }
        }
    }

    func unpair(_ id: Int64) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let store = try openStore(configuration)
        guard try Startup.stored({ () throws(StoreError) in try store.deletePairing(id) }) else {
            throw StartupError("there is no pairing \(id): see `skyglowd pairings`", .badData)
        }
        try poke("pairings", configuration)
        return .ok
    }

    func listPairings() throws(StartupError) -> ExitCode {
        let store = try openStore(configuration())
        var output = standardOutput()
        var line = ByteBuffer(capacity: 4096)
        var isFirst = true
        if json { output.write("[") }
        try Startup.stored { () throws(StoreError) in
            try store.pairings { row in
                line.removeAll()
                if json {
                    if !isFirst { line.append(",") }
                    line.append("{")
                    line.member("id", row.id)
                    line.member("kind", row.source.name)
                    line.member("name", text: row.name)
                    line.member("place", text: row.place)
                    line.key("token")
                    line.append("\"")
                    line.append(hex: row.token)
                    line.append("\"")
                    line.member("created", row.created)
                    line.append("}")
                } else {
                    line.append(decimal: row.id)
                    line.append("  ")
                    line.append(row.source.name)
                    line.append("  ")
                    line.append(printable: row.name)
                    line.append("  ")
                    line.append(printable: row.place)
                    line.append("\n")
                }
                isFirst = false
                output.write(line.pointer)
                return true
            }
        }
        if json { output.write("]\n") } else if isFirst { Output.complain("no daemon is paired") }
        return .ok
    }
}
