import Bytes
import CBoard
import Synchronization

/// Why a log ring cannot be used.
public enum RingError: Error, Equatable, Sendable {
    /// A call of the system failed.
    case system(call: String, errno: Int32)
    /// Another process writes it.
    case busy
    /// The size is not between `Limits.logRingMinimum` and `Limits.logRingMaximum`.
    case size(Int)
    /// It is no ring, or a damaged one.
    case damaged(String)

    /// For people. Allocates.
    public var message: String {
        switch self {
        case .system(let call, let errno): "\(call): " + String(cString: strerror(errno))
        case .busy: "another process is writing it"
        case .size(let size): "\(size) is no size of a log ring"
        case .damaged(let what): "damaged: " + what
        }
    }
}

/// The layout of `log.ring`, in the byte order of the machine: a header of 64 bytes, then the ring. Positions count the
/// bytes ever written; a position modulo the capacity is its place in the ring.
///
///     0  magic "skylog1\n"      8  version, 4 bytes     12  header's size, 4 bytes   16  capacity, 8 bytes
///     24 reserved, 8 bytes     32  written, 8 bytes     40  zeros
///
/// The writer moves `reserved` before it touches the ring and `written` afterwards. Everything before
/// `reserved - capacity` may have been overwritten and everything from `written` on may be unfinished, so a reader that
/// looks at `written` before and at `reserved` after copying knows which bytes are good, also when the writer is killed
/// between any two instructions.
enum RingFile {
    static let header = 64
    static let version: UInt32 = 1
    static let magic: UInt64 = 0x0A31_676F_6C79_6B73
    static let capacityOffset = 16
    static let reservedOffset = 24
    static let writtenOffset = 32

    /// The numbers of a header that hold together.
    struct Header: Equatable {
        var capacity: UInt64
        var reserved: UInt64
        var written: UInt64

        init(capacity: UInt64, reserved: UInt64, written: UInt64) {
            self.capacity = capacity
            self.reserved = reserved
            self.written = written
        }

        /// Checks the header of a file of `size` bytes.
        init(_ bytes: UnsafeRawBufferPointer, size: Int) throws(RingError) {
            guard bytes.count >= RingFile.header, size >= RingFile.header else { throw .damaged("it is too short") }
            guard bytes.loadUnaligned(as: UInt64.self) == RingFile.magic else { throw .damaged("it is no log ring") }
            guard bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self) == RingFile.version,
                bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self) == UInt32(RingFile.header)
            else { throw .damaged("its version is unknown") }
            capacity = bytes.loadUnaligned(fromByteOffset: RingFile.capacityOffset, as: UInt64.self)
            reserved = bytes.loadUnaligned(fromByteOffset: RingFile.reservedOffset, as: UInt64.self)
            written = bytes.loadUnaligned(fromByteOffset: RingFile.writtenOffset, as: UInt64.self)
            guard capacity == UInt64(size - RingFile.header) else { throw .damaged("its size is not what it says") }
            guard size >= Limits.logRingMinimum, size <= Limits.logRingMaximum else { throw .size(size) }
            guard written <= reserved, reserved - written <= capacity, reserved < 1 << 62 else {
                throw .damaged("its positions contradict each other")
            }
        }

        /// The first position whose bytes cannot have been overwritten.
        var oldest: UInt64 { reserved > capacity ? reserved - capacity : 0 }
    }

    static func isRegular(_ status: stat) -> Bool { UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG) }

    static func check(size: Int) throws(RingError) {
        guard size >= Limits.logRingMinimum, size <= Limits.logRingMaximum else { throw .size(size) }
    }
}
