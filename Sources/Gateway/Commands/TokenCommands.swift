import Bytes
import CBoard
import Loop
import Payload
import Sealing
import Store

/// `skyglowd token …`: the registration set, whether or not the gateway runs.
extension CommandRunner {
    func token(_ command: Command) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let address = try serverAddress(configuration)
        let store = try openStore(configuration)
        switch command {
        case .tokenAdd(let bundle):
            let changed = try add(bundle, to: store, server: address)
            let exit = try show(bundle, in: store, server: address)
            if changed { try poke("registrations", configuration) }
            return exit
        case .tokenMute(let bundle): return try setMuted(true, bundle, store, address, configuration)
        case .tokenUnmute(let bundle): return try setMuted(false, bundle, store, address, configuration)
        case .tokenDelete(let bundle):
            let change = try Startup.stored { () throws(StoreError) in
                try store.deleteRegistration(server: address.bytes, bundle: self.bytes(of: bundle).bytes)
            }
            return try finish(change, bundle, configuration)
        default: return try list(store, server: address)
        }
    }

    private func serverAddress(_ configuration: Configuration) throws(StartupError) -> Blob<16> {
        guard let address = Blob<16>(try server(of: configuration).address) else {
            throw StartupError("the server address is longer than 16 bytes", .configuration)
        }
        return address
    }

    private func bytes(of bundle: String) -> Blob<64> { Blob<64>(bundle) ?? Blob<64>() }

    /// Bundle identifiers are short and printable: the reference server ends on longer ones (SGP v2 §10).
    private func validate(_ bundle: String) throws(StartupError) {
        guard !bundle.isEmpty, bundle.utf8.count <= Limits.bundle else {
            throw StartupError("a bundle identifier has 1 to \(Limits.bundle) bytes", .usage)
        }
        for byte in bundle.utf8 where byte <= 0x20 || byte == 0x7F {
            throw StartupError("a bundle identifier has no spaces and no control characters", .usage)
        }
    }

    /// False if it was there already.
    private func add(_ bundle: String, to store: Store, server: Blob<16>) throws(StartupError) -> Bool {
        try validate(bundle)
        let token: DeviceToken
        let routingKey: Blob<32>
        var endToEndKey: Blob<32>
        do throws(SealingError) {
            token = try DeviceToken(serverAddress: server.bytes)
            routingKey = try token.routingKey()
            endToEndKey = try token.endToEndKey()
        } catch { throw StartupError("no device token could be made", .inputOutput) }
        defer { endToEndKey.wipe() }
        var bytes = ByteBuffer(capacity: Limits.deviceToken)
        defer { bytes.wipe() }
        bytes.append(token)
        do throws(StoreError) {
            let change = try store.addRegistration(
                server: server.bytes, bundle: self.bytes(of: bundle).bytes, token: bytes.bytes,
                routingKey: routingKey.bytes, endToEndKey: endToEndKey.bytes, at: SystemClock().unixTime)
            return change == .changed
        } catch {
            guard case .tooMuch = error else { throw StartupError(error) }
            throw StartupError(
                "\(Limits.registrations) applications have a token, which is the most: `skyglowd token delete` one of "
                    + "`skyglowd token list`", .unavailable)
        }
    }

    private func show(_ bundle: String, in store: Store, server: Blob<16>) throws(StartupError) -> ExitCode {
        var text = ByteBuffer(capacity: 1024)
        let found = try Startup.stored { () throws(StoreError) in
            try store.registration(server: server.bytes, bundle: self.bytes(of: bundle).bytes) { row in
                if json { Self.append(row, to: &text) } else { text.append(hex: row.token) }
            }
        }
        guard found else { throw StartupError("\(bundle) has just been deleted", .unavailable) }
        text.append("\n")
        printText(String(decoding: text.pointer, as: UTF8.self))
        return .ok
    }

    private func setMuted(
        _ muted: Bool, _ bundle: String, _ store: Store, _ server: Blob<16>, _ configuration: Configuration
    ) throws(StartupError) -> ExitCode {
        let change = try Startup.stored { () throws(StoreError) in
            try store.setMuted(muted, server: server.bytes, bundle: self.bytes(of: bundle).bytes)
        }
        return try finish(change, bundle, configuration)
    }

    private func finish(
        _ change: RegistrationChange, _ bundle: String, _ configuration: Configuration
    ) throws(StartupError) -> ExitCode {
        switch change {
        case .unknown: throw StartupError("there is no token of \(bundle): see `skyglowd token list`", .badData)
        case .unchanged: break
        case .changed: try poke("registrations", configuration)
        }
        return .ok
    }

    private func list(_ store: Store, server: Blob<16>) throws(StartupError) -> ExitCode {
        var output = standardOutput()
        var line = ByteBuffer(capacity: 1024)
        var isFirst = true
        if json { output.write("[") }
        try Startup.stored { () throws(StoreError) in
            try store.registrations(server: server.bytes) { row in
                line.removeAll()
                if json {
                    if !isFirst { line.append(",") }
                    Self.append(row, to: &line)
                } else {
                    line.append(hex: row.token)
                    line.append(row.isMuted ? "  muted  " : "         ")
                    line.append(printable: row.bundle)
                    line.append("\n")
                }
                isFirst = false
                output.write(line.pointer)
                return true
            }
        }
        if json { output.write("]\n") }
        return .ok
    }

    private static func append(_ row: borrowing RegistrationRow, to text: inout ByteBuffer) {
        text.append("{\"bundle\":")
        text.append(jsonString: row.bundle)
        text.append(",\"token\":\"")
        text.append(hex: row.token)
        text.append("\",\"routing_key\":\"")
        text.append(hex: row.routingKey)
        text.append("\",\"muted\":")
        text.append(row.isMuted ? "true}" : "false}")
    }
}
