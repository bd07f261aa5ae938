import Bytes
import CBoard

extension Configuration {
    /// Reads and parses a file. With `directories`, those of this configuration are kept, and relative paths begin there.
    public static func load(path: String, in directories: Configuration? = nil) throws(ConfigurationError)
        -> Configuration
    {
        try parse(read(path), in: directories)
    }

    private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        let descriptor = path.withCString { cb_open($0, O_RDONLY, 0) }
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Limits.configurationFile + 1)
        var count = 0
        while count < bytes.count {
            let length = bytes.withUnsafeMutableBytes { buffer in
                CBoard.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if length < 0, cb_errno() == EINTR { continue }
            guard length >= 0 else { throw unreadable() }
            if length == 0 { break }
            count += length
        }
        guard count < bytes.count else { throw .tooLarge }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    private static func unreadable() -> ConfigurationError {
        let errno = cb_errno()
        return .unreadable(errno: errno, String(cString: strerror(errno)))
    }
}
