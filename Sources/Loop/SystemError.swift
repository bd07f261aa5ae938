import Bytes
import CBoard

/// A system call that failed: its name and errno.
public struct SystemError: Error, Equatable, Sendable {
    public var call: String
    public var code: Int32

    public init(_ call: String, code: Int32 = cb_errno()) {
        self.call = call
        self.code = code
    }

    /// The system's words for the error. Allocates.
    public var message: String { String(cString: strerror(code)) }
    /// `connect: Connection refused`. Allocates.
    public var text: String { call + ": " + message }
}

extension ByteBuffer {
    /// `connect: Connection refused`, without allocating.
    public mutating func append(_ error: SystemError) {
        append(error.call)
        append(": ")
        append(errno: error.code)
    }

    /// The system's words for an errno, without allocating.
    public mutating func append(errno code: Int32) {
        append(cString: strerror(code))
    }
}
