import Bytes
import CBoard
import Synchronization

/// The writer of `log.ring`: a file of fixed size, mapped, which keeps the newest lines through `kill -9`. One process
/// writes it; any number read it with `RingReader`.
public struct RingLog: ~Copyable {
    private let descriptor: Int32
    private let base: UnsafeMutableRawPointer
    private let size: Int
    private let capacity: UInt64
    private var reserved: UInt64
    private var written: UInt64

    /// Opens or makes the file of `size` bytes, mode 0640, and continues after the last line in it. A file of another
    /// size or with a damaged header is made anew.
    public init(path: String, size: Int) throws(RingError) {
        try RingFile.check(size: size)
        let descriptor = path.withCString { cb_open($0, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o640) }
        guard descriptor >= 0 else { throw .system(call: "open", errno: cb_errno()) }
        let base: UnsafeMutableRawPointer
        do throws(RingError) {
            base = try RingLog.map(descriptor, size: size)
        } catch {
            close(descriptor)
            throw error
        }
        let capacity = UInt64(size - RingFile.header)
        var header = RingFile.Header(capacity: capacity, reserved: 0, written: 0)
        do throws(RingError) {
            header = try RingFile.Header(UnsafeRawBufferPointer(start: base, count: size), size: size)
        } catch {
            RingLog.format(base, size: size)
        }
        self.descriptor = descriptor
        self.base = base
        self.size = size
        self.capacity = capacity
        reserved = header.reserved
        written = header.written
    }

    deinit {
        munmap(base, size)
        close(descriptor)
    }

    /// Appends one line, its newline included. What is longer than the ring is dropped.
    public mutating func append(_ line: UnsafeRawBufferPointer) {
        let length = UInt64(line.count)
        guard length > 0, length <= capacity, let source = line.baseAddress else { return }
        reserved = max(reserved, written + length)
        position(RingFile.reservedOffset).pointee.store(reserved, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        let ring = base + RingFile.header
        let start = Int(written % capacity)
        let first = min(line.count, Int(capacity) - start)
        (ring + start).copyMemory(from: source, byteCount: first)
        if first < line.count { ring.copyMemory(from: source + first, byteCount: line.count - first) }
        written += length
        position(RingFile.writtenOffset).pointee.store(written, ordering: .releasing)
    }

    /// A position in the header, which other processes read.
    private func position(_ offset: Int) -> UnsafePointer<Atomic<UInt64>> {
        UnsafePointer((base + offset).assumingMemoryBound(to: Atomic<UInt64>.self))
    }

    private static func map(_ descriptor: Int32, size: Int) throws(RingError) -> UnsafeMutableRawPointer {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if cb_errno() == EWOULDBLOCK { throw .busy }
            throw .system(call: "flock", errno: cb_errno())
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(call: "fstat", errno: cb_errno()) }
        guard RingFile.isRegular(status) else { throw .damaged("it is no regular file") }
        // The umask may have taken the group's right to read.
        _ = fchmod(descriptor, 0o640)
        if Int64(status.st_size) != Int64(size) {
            guard ftruncate(descriptor, 0) == 0 else { throw .system(call: "ftruncate", errno: cb_errno()) }
        }
        // Without its blocks, a write into the mapping would end the process on a full disk.
        let failed = posix_fallocate(descriptor, 0, off_t(size))
        guard failed == 0 else { throw .system(call: "posix_fallocate", errno: failed) }
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != UnsafeMutableRawPointer(bitPattern: -1) else {
            throw .system(call: "mmap", errno: cb_errno())
        }
        return mapped
    }

    /// Writes an empty header; the magic comes last, so that no reader takes a half-written one.
    private static func format(_ base: UnsafeMutableRawPointer, size: Int) {
        memset(base, 0, RingFile.header)
        base.storeBytes(of: RingFile.version, toByteOffset: 8, as: UInt32.self)
        base.storeBytes(of: UInt32(RingFile.header), toByteOffset: 12, as: UInt32.self)
        base.storeBytes(of: UInt64(size - RingFile.header), toByteOffset: RingFile.capacityOffset, as: UInt64.self)
        atomicMemoryFence(ordering: .releasing)
        base.storeBytes(of: RingFile.magic, as: UInt64.self)
    }
}
