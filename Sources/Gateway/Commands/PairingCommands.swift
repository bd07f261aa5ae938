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
        _ source: Source, name: String, place: String, token: Blob<256>, key: Blob<32>, given: Blob<32>,
        _ store: Store, _ configuration: Configuration
    ) throws(StartupError) -> Int64 {
        let (name, place) = (Array(name.utf8.prefix(Limits.pairingName)), Array(place.utf8))
        guard place.count <= Limits.pairingPlace else { throw StartupError("the address is too long", .badData) }
        let id = try Startup.stored { () throws(StoreError) in
            try store.setPairing(
                source: source, name: name.span.bytes, place: place.span.bytes, token: token.bytes, key: key.bytes,
                given: given.bytes, at: SystemClock().unixTime)
        }
        poke("pairings", configuration)
        return id
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
        let store = try openStore(configuration)
        RelayKeys(directory: configuration.directory).warnOfLoss(of: RelayKeys.seal, pairing: link.url, store)
        let publicKey = try sealKey(configuration)
        guard let address = WebAddress(link.url + "/push/devices") else {
            throw StartupError("\(link.url) is no web address", .badData)
        }
        let before = try known(.cronstable, link.url, store)
        let token = before?.token ?? newToken()
        // Before the daemon knows it, so that nothing it sends is refused.
        let id = try keep(
            .cronstable, name: link.name, place: link.url, token: token, key: Blob(), given: Blob(), store,
            configuration)
        do throws(StartupError) {
            let theirs = try register(address, link, publicKey, token, configuration)
            let ours = fingerprint(publicKey)
            printText("paired with \(link.name) as \(id)\nfingerprint  \(ours)\ntheir answer \(theirs)\n")
            guard ours == theirs else {
                throw StartupError("THE FINGERPRINTS DIFFER: the daemon has another key. Not paired.", .badData)
            }
            return .ok
        } catch {
            // What was paired before and could not be reached stays so.
            if before == nil || error.exit == .badData { try forget(id, store, configuration) }
            throw error
        }
    }

    private func readLink(_ argument: String) throws(StartupError) -> (name: String, url: String, token: String) {
        var text = argument
        if argument == "-" {
            var bytes = [UInt8](repeating: 0, count: Limits.pairingLink)
            let count = bytes.withUnsafeMutableBytes { CBoard.read(STDIN_FILENO, $0.baseAddress, $0.count) }
            text = String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
        }
        var bytes = Array(text.utf8)
        while let last = bytes.last, last <= 0x20 || last == UInt8(ascii: "=") { bytes.removeLast() }
        if bytes.first != UInt8(ascii: "{") {
            let start = bytes.firstIndex(of: UInt8(ascii: "#")).map { $0 + 1 } ?? bytes.count
            var json = ByteBuffer(capacity: Limits.pairingLink)
            guard json.append(decoding: bytes.span.bytes.extracting(start..<bytes.count), .url) else {
                throw StartupError("the pairing link is no base64 after its #", .badData)
            }
            bytes = Array(json.pointer)
        }
        guard let json = JSONText(bytes), var url = json.text("url"), let token = json.text("token") else {
            throw StartupError("this is no pairing link, …/pair#…, nor its JSON", .badData)
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
            throw StartupError("the daemon answered \(answer.status) \(reason)", .unavailable)
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
        let store = try openStore(configuration)
        let keys = RelayKeys(directory: configuration.directory)
        for name in [RelayKeys.seal, RelayKeys.signing] { keys.warnOfLoss(of: name, pairing: host, store) }
        let publicKey = try sealKey(configuration)
        let signing = try Startup.stored { () throws(StoreError) in
            try RelayKeys(directory: configuration.directory).make(RelayKeys.signing)
        }
        let before = try known(.pocketty, host, store)
        let token = before?.token ?? newToken()
        var grant = ByteBuffer(capacity: Limits.grant)
        Grant.append(token.bytes, key: signing, to: &grant)
        var given = ByteBuffer(capacity: 4096)
        given.append("{")
        given.member("v", 1)
        given.member("grant", String(decoding: grant.pointer, as: UTF8.self))
        given.member("sealKey", String(base64: publicKey.bytes))
        given.member("relay", relayAddress(relay))
        given.append("}\n")
        guard let digest = try? SHA256.digest(given.pointer.bytes) else {
            throw StartupError("no memory", .inputOutput)
        }
        if let before, before.given == digest {
            printText("paired with \(host) as \(before.id) already: nothing has changed\n")
            return .ok
        }
        let answer = try converse(relay.command, host, Array(given.pointer))
        guard let json = JSONText(answer), let key = json.key("daemonKey") else {
            throw StartupError("\(host): the answer has no daemonKey of 32 bytes", .badData)
        }
        let id = try keep(
            .pocketty, name: host, place: host, token: token, key: key, given: digest, store, configuration)
        printText("paired with \(host) as \(id)\n")
        return .ok
    }

    private func relayAddress(_ relay: Configuration.Relay) -> String {
        if let address = relay.address { return address }
        let isAny = relay.listen.host == "0.0.0.0" || relay.listen.host == "::"
        return "http://" + (isAny ? "\(hostName):\(relay.listen.port)" : relay.listen.text)
    }

    /// Runs the command, writes to it and reads its answer.
    private func converse(_ words: [String], _ host: String, _ input: [UInt8]) throws(StartupError) -> [UInt8] {
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0 == "{}" ? host : $0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        cb_ignore_sigpipe()
        var ends = [Int32](repeating: -1, count: 2)
        let child = cb_run(&pointers, &ends)
        guard child > 0 else { throw StartupError(SystemError("fork").text, .unavailable) }
        let written = write(ends[0], input, input.count)
        close(ends[0])
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        while answer.count <= Limits.pairingLink {
            let count = CBoard.read(ends[1], &chunk, chunk.count)
            if count < 0, cb_errno() == EINTR { continue }
            guard count > 0 else { break }
            answer.append(contentsOf: chunk[..<count])
        }
        close(ends[1])
        let code = cb_wait(child)
        guard code == 0, written == input.count else {
            throw StartupError("\(words.first ?? ""): exit code \(code)", .unavailable)
        }
        return answer
    }

    func pairRotate() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        _ = try openStore(configuration)
        cb_hide_memory()
        _ = try Startup.stored { () throws(StoreError) in
            try RelayKeys(directory: configuration.directory).make(RelayKeys.signing, anew: true)
        }
        poke("pairings", configuration)
        printText("another signing key: pair each pocketty daemon again\n")
        return .ok
    }

    // MARK: Both

    private func forget(_ id: Int64, _ store: Store, _ configuration: Configuration) throws(StartupError) {
        _ = try Startup.stored { () throws(StoreError) in try store.deletePairing(id) }
        poke("pairings", configuration)
    }

    func unpair(_ id: Int64) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let store = try openStore(configuration)
        guard try Startup.stored({ () throws(StoreError) in try store.deletePairing(id) }) else {
            throw StartupError("there is no pairing \(id): see `skyglowd pairings`", .badData)
        }
        poke("pairings", configuration)
        return .ok
    }

    func listPairings() throws(StartupError) -> ExitCode {
        let store = try openStore(configuration())
        var output = Output(descriptor: STDOUT_FILENO)
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
