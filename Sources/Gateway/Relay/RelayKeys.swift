import Bytes
import CBoard
import Sealing
import Store

/// The relay's two keys, each in a file of its own that only the owner may read. `pair` makes them, nothing else.
struct RelayKeys {
    /// The private key of X25519 that alerts and notes are sealed to.
    static let seal = "relay-seal.key"
    /// What signs grants. Another one revokes all of them.
    static let signing = "relay-signing.key"

    let directory: String

    func path(of name: String) -> String { directory + "/" + name }

    /// Nil where there is none. One that others could read or change is closed to them; `opened` is told the permissions
    /// that it had.
    func read(_ name: String, opened: (UInt32) -> Void = { _ in }) throws(StoreError) -> SecretKey? {
        var bytes = ByteBuffer(capacity: Limits.relayKey)
        defer { bytes.wipe() }
        let path = path(of: name)
        try close(path, opened)
        do throws(StoreError) { try AtomicFile.read(path, into: &bytes) } catch {
            if error.isMissing { return nil }
            throw error
        }
        do throws(SealingError) { return try SecretKey(bytes.bytes) } catch {
            throw .corrupt(.init(call: "key", path: path))
        }
    }

    /// The key, made if there is none, or in any case.
    func make(_ name: String, anew: Bool = false) throws(StoreError) -> SecretKey {
        if !anew, let key = try read(name) { return key }
        let path = path(of: name)
        let key: SecretKey
        do throws(SealingError) { key = try SecretKey() } catch { throw .memory(.init(call: "key", path: path)) }
        try AtomicFile.write(path, key.pointer.bytes)
        // A command of root's leaves it to the gateway's user, who owns the directory.
        var owner = stat()
        if geteuid() == 0, stat(directory, &owner) == 0, chown(path, owner.st_uid, owner.st_gid) != 0 {
            throw .permission(.init(call: "chown", path: path, errno: cb_errno()))
        }
        return key
    }

    private func close(_ path: String, _ opened: (UInt32) -> Void) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        guard chmod(path, 0o600) == 0 else {
            throw .permission(.init(call: "chmod", path: path, errno: cb_errno()))
        }
        opened(UInt32(status.st_mode & 0o777))
    }

    // MARK: What is lost with a key

    /// Before a pairing with `place` makes the key anew: tells a person which daemons know only the one that is gone.
    func warnOfLoss(of name: String, pairing place: String, _ store: Store) {
        guard access(path(of: name), F_OK) != 0, cb_errno() == ENOENT else { return }
        let place = Array(place.utf8)
        var names = ByteBuffer(capacity: Limits.pairings * (Limits.pairingName + 2))
        do throws(StoreError) {
            try store.pairings { row in
                guard name == Self.seal || row.source == .pocketty, !row.place.equals(place.span.bytes) else {
                    return true
                }
                if !names.isEmpty { names.append(", ") }
                names.append(printable: row.name)
                return true
            }
        } catch { return Output.complain(error.text) }
        guard !names.isEmpty else { return }
        let daemons = names.pointer.withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
        Output.complain("\(path(of: name)) is gone, another key takes its place: pair these daemons again: \(daemons)")
    }
}
