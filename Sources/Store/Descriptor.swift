import Bytes
import CBoard

/// An open file, closed when its owner goes away.
struct Descriptor: ~Copyable {
    let number: Int32
    private let path: String

    init(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) throws(StoreError) {
        number = path.withCString { cb_open($0, flags, mode) }
        self.path = path
        guard number < 0 else { return }
        let errno = cb_errno()
        if flags & O_CREAT != 0, errno == ENOENT {
            throw StoreError.cannotCreate(.init(call: "create", path: path, errno: errno))
        }
        throw StoreError(call: "open", path: path, errno: errno)
    }

    deinit { if number >= 0 { _ = close(number) } }

    /// Bytes read, 0 at the end.
    func read(_ buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        while true {
            let count = CBoard.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard cb_errno() == EINTR else { throw StoreError(call: "read", path: path, errno: cb_errno()) }
        }
    }

    /// Reads one more byte to see whether there is one.
    func isAtEnd() throws(StoreError) -> Bool {
        let byte = ByteBuffer(capacity: 1)
        return try read(byte.tail) == 0
    }

    func write(_ bytes: RawSpan) throws(StoreError) {
        var offset = 0
        while offset < bytes.byteCount {
            let rest = bytes.extracting(offset..<bytes.byteCount)
            let count = rest.withUnsafeBytes { CBoard.write(number, $0.baseAddress, $0.count) }
            if count > 0 {
                offset += count
            } else if count == 0 || cb_errno() != EINTR {
                throw StoreError(call: "write", path: path, errno: count == 0 ? ENOSPC : cb_errno())
            }
        }
    }

    func sync() throws(StoreError) {
        guard fsync(number) == 0 else { throw StoreError(call: "fsync", path: path, errno: cb_errno()) }
    }
}
