import Bytes
import CBoard
import Loop

/// A file that a person named for the output of a command. What it is stays what it is: a link is followed, and a pipe, a
/// device or a terminal is written to; a file of bytes is replaced in one step and keeps its owner and rights.
enum UserFile {
    /// - Throws: the call that failed. A file that is replaced is then as it was.
    static func write(_ path: String, _ bytes: RawSpan) throws(SystemError) {
        guard let target = try replaceable(path) else { return try overwrite(path, bytes) }
        do throws(SystemError) { try replace(target, bytes) } catch {
            // The file is open to the caller, its directory is not.
            guard error.call == "create", error.code == EACCES || error.code == EPERM || error.code == EROFS,
                isThere(target)
            else { throw error }
            try overwrite(path, bytes)
        }
    }

    /// The path behind all links where it leads to a file of bytes or to none; nil for what must be written to as it is.
    private static func replaceable(_ path: String) throws(SystemError) -> String? {
        // What these show belongs to others: even a file of bytes there is somebody's open one.
        guard !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/") else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard cb_errno() == ENOENT else { throw SystemError("open") }
            // A link to nowhere is followed as well.
            return lstat(path, &status) == 0 ? nil : path
        }
        guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG) else { return nil }
        guard let resolved = realpath(path, nil) else { throw SystemError("realpath") }
        defer { free(resolved) }
        let target = String(cString: resolved)
        return target.hasPrefix("/proc/") || target.hasPrefix("/dev/") ? nil : target
    }

    private static func isThere(_ path: String) -> Bool { path.withCString { access($0, F_OK) } == 0 }

    private static func overwrite(_ path: String, _ bytes: RawSpan) throws(SystemError) {
        let file = FileDescriptor(raw: path.withCString { cb_open($0, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0o666) })
        guard file.isOpen else { throw SystemError("open") }
        try fill(file.raw, bytes)
    }

    private static func replace(_ target: String, _ bytes: RawSpan) throws(SystemError) {
        var old = stat()
        let exists = stat(target, &old) == 0
        var temporary = ""
        let file = try create(beside: target, &temporary)
        do throws(SystemError) {
            if exists {
                // As root the file stays its owner's; another user's own files are theirs anyway.
                _ = fchown(file.raw, old.st_uid, old.st_gid)
                guard fchmod(file.raw, mode_t(UInt32(old.st_mode) & 0o777)) == 0 else { throw SystemError("chmod") }
            }
            try fill(file.raw, bytes)
            guard fsync(file.raw) == 0 else { throw SystemError("fsync") }
            guard rename(temporary, target) == 0 else { throw SystemError("rename") }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// A new file in the same directory, under a name that nobody has.
    private static func create(beside target: String, _ name: inout String) throws(SystemError) -> FileDescriptor {
        for _ in 0..<16 {
            name = "\(target).\(UInt32.random(in: .min ... .max))"
            let file = FileDescriptor(raw: name.withCString { cb_open($0, O_WRONLY | O_CREAT | O_EXCL, 0o666) })
            if file.isOpen { return file }
            guard cb_errno() == EEXIST else { throw SystemError("create") }
        }
        throw SystemError("create", code: EEXIST)
    }

    private static func fill(_ descriptor: Int32, _ bytes: RawSpan) throws(SystemError) {
        if let code = bytes.withUnsafeBytes({ FileDescriptor.writeAll($0, to: descriptor) }) {
            throw SystemError("write", code: code)
        }
    }
}
