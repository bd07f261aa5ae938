import Bytes
import CBoard

/// Small files that are replaced whole: after a crash there is the old one or the new one, never half of either.
public enum AtomicFile {
    /// Added to the name of a file while the new one is written.
    static let temporarySuffix = ".new"

    /// Appends the file to `buffer`, up to its free space.
    /// - Throws: `missing`, `tooMuch` where it does not fit, `permission`, `io`. The buffer is then as it was, though
    ///   its unused part may hold what was read.
    public static func read(_ path: String, into buffer: inout ByteBuffer) throws(StoreError) {
        let start = buffer.count
        let file = try Descriptor(path, O_RDONLY | O_NOCTTY)
        do throws(StoreError) {
            while true {
                if buffer.free == 0 {
                    if try file.isAtEnd() { return }
                    throw StoreError.tooMuch(.init(call: "read", path: path, errno: EFBIG))
                }
                let count = try file.read(buffer.tail)
                if count == 0 { return }
                buffer.commit(count)
            }
        } catch {
            buffer.truncate(to: start)
            throw error
        }
    }

    /// Replaces the file: a new one beside it is written and synced, renamed over it, and the directory synced.
    /// - Parameter mode: of the new file, whatever the umask; the default is for secrets.
    public static func write(_ path: String, _ bytes: RawSpan, mode: UInt32 = 0o600) throws(StoreError) {
        let temporary = path + temporarySuffix
        // A leftover of a crash, or a link that somebody laid: never written through.
        if unlink(temporary) != 0, cb_errno() != ENOENT {
            throw StoreError(call: "unlink", path: temporary, errno: cb_errno())
        }
        do throws(StoreError) {
            try fill(temporary, bytes, mode)
            guard rename(temporary, path) == 0 else {
                throw StoreError(call: "rename", path: path, errno: cb_errno())
            }
        } catch {
            unlink(temporary)
            throw error
        }
        try syncDirectory(of: path)
    }

    /// Takes from all but the owner what access they have to a secret. The permissions that the file had; nil where there
    /// was nothing to take, or no file.
    @discardableResult
    public static func closeToOthers(_ path: String) throws(StoreError) -> UInt32? {
        var status = stat()
        // A String that is passed as it is would be copied, and the private key is read for each login.
        guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & 0o077 != 0 else { return nil }
        guard path.withCString({ chmod($0, 0o600) }) == 0 else {
            throw StoreError(call: "chmod", path: path, errno: cb_errno())
        }
        return UInt32(status.st_mode & 0o777)
    }

    /// Deletes the file and the leftover of an interrupted `write`, and syncs the directory, so that it does not come
    /// back after a power cut. False where there was none.
    @discardableResult
    public static func delete(_ path: String) throws(StoreError) -> Bool {
        var existed = false
        for name in [path + temporarySuffix, path] {
            if unlink(name) == 0 {
                existed = existed || name == path
            } else if cb_errno() != ENOENT {
                throw StoreError(call: "unlink", path: name, errno: cb_errno())
            }
        }
        try syncDirectory(of: path)
        return existed
    }

    /// Makes names in the directory of a file durable.
    static func syncDirectory(of path: String) throws(StoreError) {
        let directory = try Descriptor(parent(of: path), O_RDONLY | O_DIRECTORY)
        try directory.sync()
    }

    /// The directory part of a path.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    private static func fill(_ path: String, _ bytes: RawSpan, _ mode: UInt32) throws(StoreError) {
        let file = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode)
        guard fchmod(file.number, mode_t(mode)) == 0 else {
            throw StoreError(call: "chmod", path: path, errno: cb_errno())
        }
        try file.write(bytes)
        try file.sync()
    }
}
