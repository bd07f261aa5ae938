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

    /// Nil where there is none.
    func read(_ name: String) throws(StoreError) -> SecretKey? {
        var bytes = ByteBuffer(capacity: Limits.relayKey)
        defer { bytes.wipe() }
        let path = directory + "/" + name
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
        let path = directory + "/" + name
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
}
