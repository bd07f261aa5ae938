import Bytes
import CBoard
import Loop
import Relay
import Sealing
import Store

/// `skyglowd note …`: the daemon's side of pocketty, small, for trying it out and for tests.
extension CommandRunner {
    /// Reads what `pair pocketty` writes, keeps it with a key of its own in a file, and answers with the public key.
    func notePair(_ file: String) throws(StartupError) -> ExitCode {
        cb_hide_memory()
        guard let json = JSONText(try StandardInput.text(limit: Limits.pairingLink)) else {
            throw StartupError("expected {\"v\":1,\"grant\",\"sealKey\",\"relay\"} on standard input", .badData)
        }
        let what = "what the board gives"
        try json.requireVersion(of: what)
        guard let grant = json.text("grant"), let relay = json.text("relay") else {
            throw StartupError("\(what) has no grant or no relay", .badData)
        }
        let sealKey = try json.publicKey("sealKey", of: what)
        let key: SecretKey
        let publicKey: Blob<32>
        do throws(SealingError) {
            key = try SecretKey()
            publicKey = try key.publicKey()
        } catch { throw StartupError("no key could be made", .inputOutput) }
        var kept = ByteBuffer(capacity: 4096)
        defer { kept.wipe() }
        kept.append("{")
        kept.member("grant", grant)
        kept.member("relay", relay)
        kept.member("sealKey", String(base64: sealKey.bytes))
        kept.key("privateKey")
        kept.append("\"")
        kept.append(base64: key.pointer.bytes)
        kept.append("\"}\n")
        do throws(StoreError) { try AtomicFile.write(file, kept.bytes) } catch { throw StartupError(error) }
        printText("{\"v\":1,\"daemonKey\":\"\(String(base64: publicKey.bytes))\"}\n")
        return .ok
    }

    func noteSend(_ file: String, agent: String, state: String, pane: String) throws(StartupError) -> ExitCode {
        cb_hide_memory()
        var kept = ByteBuffer(capacity: 4096)
        defer { kept.wipe() }
        do throws(StoreError) { try AtomicFile.read(file, into: &kept) } catch { throw StartupError(reading: error) }
        guard let json = JSONText(Array(kept.pointer)), let grant = json.text("grant"),
            let relay = json.text("relay"), let address = Self.pushAddress(relay),
            let sealKey = json.key("sealKey"), var secret = json.key("privateKey")
        else { throw StartupError("\(file) was not made by `note pair`", .badData) }
        defer { secret.wipe() }
        let note = self.note(agent: agent, state: state, pane: pane)
        var sealed = ByteBuffer(capacity: Limits.sealedNote)
        guard note.count <= Limits.note, Self.seal(note, secret, sealKey, into: &sealed) else {
            throw StartupError("the note could not be sealed", .badData)
        }
        var body = ByteBuffer(capacity: Limits.requestBody)
        body.append("{")
        body.member("v", 1)
        body.member("grant", grant)
        body.member("sealed", String(base64: sealed.pointer.bytes))
        body.append("}")
        let answer = try post(address, Array(body.pointer), nil, (try? configuration()) ?? Configuration())
        switch answer.status {
        case 202: return .ok
        case 410:
            unlink(file)
            throw StartupError("the board does not know us any more: pairing deleted", .unavailable)
        default: throw StartupError("the board answered \(answer.status)", .unavailable)
        }
    }

    private static func pushAddress(_ relay: String) -> WebAddress? {
        var relay = relay
        while relay.utf8.last == UInt8(ascii: "/") { relay.removeLast() }
        return WebAddress(relay + PockettyWire.pushPath)
    }

    private static func seal(
        _ note: [UInt8], _ secret: Blob<32>, _ receiver: Blob<32>, into sealed: inout ByteBuffer
    ) -> Bool {
        let information = Array(PockettyWire.information.utf8)
        do throws(SealingError) {
            let sender = try SecretKey(secret.bytes)
            let own = try sender.publicKey()
            try HPKE.seal(
                note.span.bytes, sender: sender, senderPublic: own.bytes, receiver: receiver.bytes,
                info: information.span.bytes, ephemeral: try SecretKey(), into: &sealed)
            return true
        } catch { return false }
    }

    private func note(agent: String, state: String, pane: String) -> [UInt8] {
        var text = ByteBuffer(capacity: 2 * Limits.note)
        text.append("{")
        text.member("v", 1)
        text.member("host", hostName)
        text.member("session", "main")
        text.member("workspace", "skyglowd")
        text.member("tab", "note")
        text.member("pane", pane)
        text.member("agent", agent)
        text.member("state", state)
        text.key("time")
        let milliseconds = SystemClock().unixMilliseconds
        text.append("\"")
        // `2026-11-30T00:44:00Z` with the milliseconds before the Z: notes follow each other closely.
        text.append(date: milliseconds / 1_000)
        text.truncate(to: text.count - 1)
        text.append(".")
        for divisor: Int64 in [100, 10, 1] { text.append(decimal: milliseconds / divisor % 10) }
        text.append("Z\"}")
        return Array(text.pointer)
    }
}
