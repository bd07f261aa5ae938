import Bytes
import CBoard

/// Raw DEFLATE (RFC 1951, windowBits −15) of up to `Limits.inflated` bytes. Owns one zlib state for its whole life.
public struct Inflater: ~Copyable {
    // zlib keeps a pointer back to its stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Nil if zlib gets no memory.
    public init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, -15, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Appends what `compressed` inflates to. The stream must end exactly with the bytes, and inflate to no more than
    /// `Limits.inflated` bytes and the room in `output`. What is appended before an error is meaningless.
    public mutating func inflate(_ compressed: RawSpan, into output: inout ByteBuffer) throws(PayloadError) {
        guard inflateReset(stream) == Z_OK else { throw .streamMemory }
        let room = min(output.free, Limits.inflated)
        let result = run(compressed, output.tail, room: room)
        output.commit(result.written)
        switch result.status {
        case Z_STREAM_END:
            guard result.consumed == compressed.byteCount else { throw .trailingStream(offset: result.consumed) }
        case Z_OK, Z_BUF_ERROR:
            if result.hasMore { throw .inflatesTooFar }
            throw .truncatedStream(offset: result.consumed)
        case Z_MEM_ERROR:
            throw .streamMemory
        default:
            throw .corruptStream(offset: result.consumed)
        }
    }

    private struct Result {
        var status: Int32
        var consumed: Int
        var written: Int
        /// The output is full and the stream has more.
        var hasMore = false
    }

    private func run(_ input: RawSpan, _ output: UnsafeMutableRawBufferPointer, room: Int) -> Result {
        input.withUnsafeBytes { bytes in
            // zlib reads the input only, though its declaration does not say so.
            let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(room)
            var result = Result(status: CBoard.inflate(stream, Z_FINISH), consumed: 0, written: 0)
            result.written = room - Int(stream.pointee.avail_out)
            if result.status == Z_OK || result.status == Z_BUF_ERROR, stream.pointee.avail_out == 0 {
                result.hasMore = probe()
            }
            result.consumed = bytes.count - Int(stream.pointee.avail_in)
            return result
        }
    }

    /// Whether another byte of output would come: a full buffer alone does not tell a bomb from a truncated stream.
    private func probe() -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { extra in
            stream.pointee.next_out = extra.baseAddress
            stream.pointee.avail_out = 1
            _ = CBoard.inflate(stream, Z_FINISH)
            return stream.pointee.avail_out == 0
        }
    }
}
