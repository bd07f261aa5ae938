import Bytes
import CBoard

/// Why something durable could not be read or written.
public enum StoreError: Error, Equatable, Sendable {
    /// The file or directory is not there.
    case missing(Failure)
    /// The file cannot be made here: no such directory, a read-only file system, something else of that name.
    case cannotCreate(Failure)
    /// Not allowed to read or write it.
    case permission(Failure)
    /// No space left on the device, or a quota or file size limit is reached. What was being written is undone.
    case full(Failure)
    /// The device failed.
    case io(Failure)
    /// Damaged, or not one of our databases. Left as it is.
    case corrupt(Failure)
    /// Written by a newer version of this program, with this schema. Left as it is.
    case newer(Failure, schema: Int32)
    /// Another process held the database for longer than `Limits.storeBusy`.
    case busy(Failure)
    /// Another process runs on this state directory; 0 where its process number is unknown.
    case locked(Failure, holder: Int32)
    /// SQLite's memory, `Limits.storeMemory`, is used up.
    case memory(Failure)
    /// The file is larger than the buffer for it, or the table has its greatest number of rows.
    case tooMuch(Failure)
    /// The call was wrong: a field of the wrong length, a write without a transaction.
    case misuse(Failure)

    /// What failed, and where.
    public struct Failure: Equatable, Sendable {
        /// The system call or the step, a literal.
        public var call: String
        /// The file.
        public var path: String
        /// SQLite's extended result code, or 0.
        public var code: Int32
        /// The system's error number, or 0.
        public var errno: Int32

        public init(call: String, path: String, code: Int32 = 0, errno: Int32 = 0) {
            self.call = call
            self.path = path
            self.code = code
            self.errno = errno
        }
    }

    public var failure: Failure {
        switch self {
        case .missing(let failure), .cannotCreate(let failure), .permission(let failure), .full(let failure),
            .io(let failure), .corrupt(let failure), .newer(let failure, _), .busy(let failure),
            .locked(let failure, _), .memory(let failure), .tooMuch(let failure), .misuse(let failure):
            failure
        }
    }

    /// No space left: trying again later may help.
    public var isFull: Bool { if case .full = self { true } else { false } }
    /// Another process was writing: trying again may help.
    public var isBusy: Bool { if case .busy = self { true } else { false } }
    public var isMissing: Bool { if case .missing = self { true } else { false } }
}

extension StoreError {
    /// From the `errno` of a system call.
    init(call: String, path: String, errno: Int32) {
        let failure = Failure(call: call, path: path, errno: errno)
        switch errno {
        case ENOENT: self = .missing(failure)
        case ENOTDIR, EROFS, EISDIR, ENAMETOOLONG, ELOOP, EEXIST: self = .cannotCreate(failure)
        case EACCES, EPERM: self = .permission(failure)
        case ENOSPC, EDQUOT, EFBIG: self = .full(failure)
        default: self = .io(failure)
        }
    }

    /// From the result code of a call to SQLite. `errno` is what the system said, where it is known.
    init(call: String, path: String, code: Int32, errno: Int32) {
        let failure = Failure(call: call, path: path, code: code, errno: errno)
        switch code & 0xFF {
        case SQLITE_FULL: self = .full(failure)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .busy(failure)
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: self = .corrupt(failure)
        case SQLITE_NOMEM: self = .memory(failure)
        case SQLITE_PERM, SQLITE_AUTH: self = .permission(failure)
        case SQLITE_IOERR where code == SQLITE_IOERR | 12 << 8: self = .memory(failure)
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY:
            switch StoreError(call: call, path: path, errno: errno) {
            case .missing, .cannotCreate: self = .cannotCreate(failure)
            case .permission: self = .permission(failure)
            case .full: self = .full(failure)
            default: self = code & 0xFF == SQLITE_READONLY ? .permission(failure) : .io(failure)
            }
        default: self = .misuse(failure)
        }
    }
}

extension StoreError {
    /// One line for people: the file, what was done, what went wrong.
    public func describe(into out: inout ByteBuffer) {
        let failure = failure
        out.append(printable: failure.path.utf8Span.span.bytes)
        out.append(": ")
        switch self {
        case .locked(_, let holder):
            out.append("another skyglowd runs on this state directory")
            if holder > 0 {
                out.append(", process ")
                out.append(decimal: holder)
            }
            return
        case .newer(_, let schema):
            out.append("written by a newer skyglowd (schema ")
            out.append(decimal: schema)
            out.append("), not touched")
            return
        case .corrupt: out.append("damaged or not a database of skyglowd, not touched: ")
        case .memory: out.append("the memory reserved for SQLite is used up: ")
        case .tooMuch: out.append("too large: ")
        default: break
        }
        out.append(failure.call)
        if failure.code != 0 {
            out.append(": ")
            out.append(cString: sqlite3_errstr(failure.code))
            out.append(" (SQLite ")
            out.append(decimal: failure.code)
            out.append(")")
        }
        if failure.errno != 0 {
            out.append(": ")
            out.append(cString: strerror(failure.errno))
        }
    }

    /// The same as a text. Allocates.
    public var text: String {
        var out = ByteBuffer(capacity: Limits.path + 512)
        describe(into: &out)
        return out.pointer.withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    }
}
