import Bytes
import CBoard

/// The private key of the identity as PEM, in a file of its own that only the owner may read.
public struct KeyFile: Sendable {
    public let path: String

    public init(directory: String) { path = Store.path(of: "identity.pem", in: directory) }

    /// Replaces the key. Durable when it returns. From root's hand it belongs to the owner of the directory, who runs the
    /// gateway otherwise.
    public func write(_ pem: RawSpan) throws(StoreError) {
        try AtomicFile.write(path, pem)
        var owner = stat()
        let directory = AtomicFile.parent(of: path)
        if geteuid() == 0, stat(directory, &owner) == 0, chown(path, owner.st_uid, owner.st_gid) != 0 {
            throw StoreError(call: "chown", path: path, errno: cb_errno())
        }
    }

    /// Appends the key to a buffer, which the caller wipes after use. False where there is none.
    public func read(into buffer: inout ByteBuffer) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try AtomicFile.read(path, into: &buffer)
            return true
        } catch {
            if error.isMissing { return false }
            throw error
        }
    }

    /// Deletes the key durably. False where there was none.
    @discardableResult
    public func delete() throws(StoreError) -> Bool { try AtomicFile.delete(path) }
}
