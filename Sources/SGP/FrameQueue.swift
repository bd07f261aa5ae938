import Bytes

/// Frames built and not yet sent, in one fixed buffer. Each leaves whole, in one TLS record (SGP v2 §2).
public struct FrameQueue: ~Copyable {
    private var buffer = ByteBuffer(capacity: Limits.sendBuffer)
    /// Offset of the front frame.
    private var start = 0

    public init() {}

    public var isEmpty: Bool { start == buffer.count }
    /// Bytes of frames that can still be queued.
    public var free: Int { buffer.free + start }

    /// The oldest frame, header included; empty when there is none.
    public var front: RawSpan {
        @_lifetime(borrow self)
        get {
            let bytes = buffer.bytes
            guard !isEmpty else { return bytes.extracting(0..<0) }
            let length = Int(bytes[start + 6]) << 8 | Int(bytes[start + 7])
            return bytes.extracting(start..<start + Limits.frameHeader + length)
        }
    }

    /// The same for an owner that is a class. Valid until the queue changes.
    public var frontPointer: UnsafeRawBufferPointer {
        let length = front.byteCount
        return UnsafeRawBufferPointer(rebasing: buffer.pointer[start..<start + length])
    }

    /// Drops the oldest frame, which has been sent whole.
    public mutating func removeFront() {
        let length = front.byteCount
        start += length
        if isEmpty { removeAll() }
    }

    public mutating func removeAll() {
        buffer.removeAll()
        start = 0
    }

    /// Appends a frame whose payload `write` produces; false, and nothing appended, if it does not fit.
    @discardableResult
    mutating func append(_ type: ClientMessage, _ write: (inout ByteBuffer) -> Void = { _ in }) -> Bool {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        let begin = buffer.count
        buffer.append(FrameHeader.magic)
        buffer.append(FrameHeader.version)
        buffer.append(type.rawValue)
        buffer.append(0 as UInt8)
        buffer.append(bigEndian: 0 as UInt32)
        write(&buffer)
        let length = buffer.count - begin - Limits.frameHeader
        guard !buffer.overflowed, length >= 0, length <= Limits.framePayload else {
            buffer.truncate(to: begin)
            return false
        }
        let bytes = buffer.mutablePointer
        bytes[begin + 6] = UInt8(length >> 8)
        bytes[begin + 7] = UInt8(length & 0xFF)
        return true
    }
}
