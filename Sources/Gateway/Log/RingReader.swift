import Bytes
import CBoard
import Synchronization

/// Whole lines out of a ring.
public struct RingPart: Equatable, Sendable {
    /// The lines with their newlines; control characters of a damaged ring are replaced by `?`.
    public var bytes: [UInt8]
    /// Where the next part begins.
    public var next: UInt64
    /// Lines before these were overwritten before they could be read.
    public var lost: Bool
}

/// Reads `log.ring` while it is written, or after its writer died. For the command line: it allocates.
public struct RingReader: ~Copyable {
    private let descriptor: Int32
    private let size: Int

    /// Opens a ring; a file that is none is an error.
    public init(path: String) throws(RingError) {
        let descriptor = path.withCString { cb_open($0, O_RDONLY | O_NONBLOCK, 0) }
        guard descriptor >= 0 else { throw .system(call: "open", errno: cb_errno()) }
        let size: Int
        do throws(RingError) {
            size = try RingReader.size(descriptor)
            _ = try RingReader.header(descriptor, size: size)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.size = size
    }

    deinit { close(descriptor) }

    /// The last `count` lines.
    public func last(_ count: Int) throws(RingError) -> RingPart {
        var part = try read(from: 0)
        part.lost = false
        var lines = 0
        var start = part.bytes.count
        while start > 0 {
            if part.bytes[start - 1] == UInt8(ascii: "\n") {
                if lines >= count { break }
                lines += 1
            }
            start -= 1
        }
        part.bytes.removeFirst(start)
        return part
    }

    /// What was written since a position, which is 0 or the `next` of an earlier part; nothing new gives no bytes.
    public func read(from position: UInt64) throws(RingError) -> RingPart {
        guard try RingReader.size(descriptor) == size else { throw .damaged("its size has changed") }
        // A writer that laps the reader five times running leaves it with nothing but the news that lines were lost.
        var next = position
        for _ in 0..<5 {
            let before = try RingReader.header(descriptor, size: size)
            // The ring was made anew: start again.
            let wanted = position > before.written ? 0 : position
            let start = max(wanted, min(before.oldest, before.written))
            var bytes = try copy(start..<before.written, capacity: before.capacity)
            atomicMemoryFence(ordering: .acquiring)
            let after = try RingReader.header(descriptor, size: size)
            next = before.written
            guard after.oldest <= before.written || start == before.written else { continue }
            let good = max(start, min(after.oldest, before.written))
            bytes.removeFirst(Int(good - start))
            let isCut = good > wanted
            if isCut { RingReader.dropPartialLine(&bytes) }
            RingReader.makePrintable(&bytes)
            return RingPart(bytes: bytes, next: next, lost: isCut || position > before.written)
        }
        return RingPart(bytes: [], next: next, lost: true)
    }

    private func copy(_ range: Range<UInt64>, capacity: UInt64) throws(RingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        let start = Int(range.lowerBound % capacity)
        let first = min(range.count, Int(capacity) - start)
        let copied = bytes.withUnsafeMutableBytes { target -> Bool in
            guard let base = target.baseAddress, first > 0 else { return true }
            let rest = target.count - first
            return pread(descriptor, base, first, off_t(RingFile.header + start)) == first
                && (rest == 0 || pread(descriptor, base + first, rest, off_t(RingFile.header)) == rest)
        }
        guard copied else { throw .damaged("it became shorter") }
        return bytes
    }

    private static func size(_ descriptor: Int32) throws(RingError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(call: "fstat", errno: cb_errno()) }
        guard RingFile.isRegular(status) else { throw .damaged("it is no regular file") }
        return Int(clamping: status.st_size)
    }

    /// The header, read until it is twice the same: its numbers may be halfway through a change.
    private static func header(_ descriptor: Int32, size: Int) throws(RingError) -> RingFile.Header {
        var previous: RingFile.Header?
        for _ in 0..<100 {
            var bytes = InlineArray<64, UInt8>(repeating: 0)
            let length = withUnsafeMutableBytes(of: &bytes) { pread(descriptor, $0.baseAddress, $0.count, 0) }
            guard length >= 0 else { throw .system(call: "pread", errno: cb_errno()) }
            let result = withUnsafeBytes(of: &bytes) { raw -> Result<RingFile.Header, RingError> in
                let read = UnsafeRawBufferPointer(rebasing: raw[..<min(length, raw.count)])
                do throws(RingError) { return .success(try RingFile.Header(read, size: size)) } catch {
                    return .failure(error)
                }
            }
            atomicMemoryFence(ordering: .acquiring)
            switch result {
            case .success(let header):
                if header == previous { return header }
                previous = header
            case .failure(let error):
                throw error
            }
        }
        guard let previous else { throw .damaged("it is no log ring") }
        return previous
    }

    private static func dropPartialLine(_ bytes: inout [UInt8]) {
        guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return bytes.removeAll() }
        bytes.removeFirst(newline + 1)
    }

    private static func makePrintable(_ bytes: inout [UInt8]) {
        for index in bytes.indices where bytes[index] != UInt8(ascii: "\n") {
            if bytes[index] < 0x20 || bytes[index] == 0x7F { bytes[index] = UInt8(ascii: "?") }
        }
    }
}
