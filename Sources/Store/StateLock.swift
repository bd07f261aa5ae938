import Bytes
import CBoard

/// Held while a gateway runs on a state directory, so that there is one. The kernel releases it when the process ends,
/// however it ends.
public struct StateLock: ~Copyable {
    private let file: Descriptor

    /// - Throws: `locked` with the process number of the holder; what keeps the file `lock` from being made.
    public init(directory: String) throws(StoreError) {
        file = try Self.acquire(Store.path(of: "lock", in: directory))
        // For the message to others only: a full disk does not keep the lock from working.
        var text = ByteBuffer(capacity: 16)
        text.append(decimal: getpid())
        text.append(UInt8(ascii: "\n"))
        try? file.write(text.bytes)
    }

    private static func acquire(_ path: String) throws(StoreError) -> Descriptor {
        let file = try Descriptor(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            let failure = StoreError.Failure(call: "flock", path: path, errno: cb_errno())
            if failure.errno == EWOULDBLOCK { throw StoreError.locked(failure, holder: holder(in: file)) }
            throw StoreError.io(failure)
        }
        guard ftruncate(file.number, 0) == 0 else {
            throw StoreError(call: "ftruncate", path: path, errno: cb_errno())
        }
        return file
    }

    deinit { _ = ftruncate(file.number, 0) }

    private static func holder(in file: borrowing Descriptor) -> Int32 {
        var text = ByteBuffer(capacity: 16)
        guard let count = try? file.read(text.tail) else { return 0 }
        text.commit(count)
        var holder: Int32 = 0
        for index in 0..<text.count {
            guard let digit = Hex.value(text.bytes[index]), digit < 10 else { break }
            holder = holder &* 10 &+ Int32(digit)
        }
        return max(holder, 0)
    }
}
