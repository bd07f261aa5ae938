import Bytes

/// Why received bytes are not a frame that may stand here.
public enum FrameFault: Error, Equatable, Sendable {
    case magic(UInt8)
    case version(UInt8)
    case type(UInt8)
    case reserved(UInt8)
    /// A payload length outside the bounds of its type.
    case length(ServerMessage, UInt32)
    /// The first frame is neither SGP nor a legacy hello; the value is its length field.
    case legacyHello(UInt32)
}

/// Cuts the received bytes into frames without copying them (SGP v2 §2). Holds one fixed buffer; the payload of the
/// current frame is lent until the next call.
public struct FrameParser: ~Copyable {
    /// What the parser found.
    public enum Item: Equatable, Sendable {
        /// A whole frame of this type; `payload` is its payload.
        case message(ServerMessage)
        /// The one frame of the old protocol that may open a connection.
        case legacyHello
        /// An S_NOTIFY longer than a frame may be; `payload` is its fixed part, the rest is skipped (SGP v2 §10).
        case oversizeNotify
    }

    private var buffer = ByteBuffer(capacity: Limits.receiveBuffer)
    /// Offset of the first byte that no frame has taken.
    private var start = 0
    /// The current payload.
    private var current = 0..<0
    /// Bytes of an oversize frame still to be thrown away.
    private var toSkip = 0
    private var isFirstFrame = true

    public init() {}

    /// Room for received bytes. Empty while the buffer is full of frames not yet taken.
    public mutating func receiveTail() -> UnsafeMutableRawBufferPointer {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
            current = 0..<0
        }
        return buffer.tail
    }

    /// Counts bytes written into the tail.
    public mutating func received(_ count: Int) { buffer.commit(count) }

    /// The payload that the last item came with.
    public var payload: RawSpan {
        @_lifetime(borrow self)
        get { buffer.bytes.extracting(current) }
    }

    /// The same for an owner that is a class. Valid until the next call.
    public var payloadPointer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer.pointer[current]) }

    /// Some bytes of a frame are there and the rest is not.
    public var isInsideFrame: Bool { toSkip > 0 || buffer.count > start }

    /// Forgets everything, for a new connection.
    public mutating func reset() {
        buffer.removeAll()
        start = 0
        current = 0..<0
        toSkip = 0
        isFirstFrame = true
    }

    /// The next whole item, or nil until more bytes come.
    public mutating func next() throws(FrameFault) -> Item? {
        current = 0..<0
        skip()
        guard toSkip == 0 else { return nil }
        if isFirstFrame, buffer.count > start, buffer.bytes[start] != FrameHeader.magic { return try legacyHello() }
        guard let header = try FrameHeader(buffer.bytes.extracting(start..<buffer.count)) else { return nil }
        let begin = start + Limits.frameHeader
        if header.length > Limits.framePayload { return oversize(header, at: begin) }
        guard buffer.count - begin >= header.length else { return nil }
        take(begin..<begin + header.length)
        return .message(header.type)
    }

    private mutating func take(_ range: Range<Int>) {
        current = range
        start = range.upperBound
        isFirstFrame = false
    }

    private mutating func oversize(_ header: FrameHeader, at begin: Int) -> Item? {
        guard buffer.count - begin >= Limits.notifyHeader else { return nil }
        take(begin..<begin + Limits.notifyHeader)
        toSkip = header.length - Limits.notifyHeader
        return .oversizeNotify
    }

    private mutating func skip() {
        let dropped = min(toSkip, buffer.count - start)
        start += dropped
        toSkip -= dropped
    }

    /// A u32 length and a binary property list, known by its first eight bytes and not looked at further.
    private mutating func legacyHello() throws(FrameFault) -> Item? {
        let magic = "bplist00"
        var reader = ByteReader(buffer.bytes.extracting(start..<buffer.count))
        guard let length = try? reader.read(UInt32.self) else { return nil }
        guard length >= UInt32(Limits.legacyHelloMinimum), length <= UInt32(Limits.legacyHelloMaximum) else {
            throw .legacyHello(length)
        }
        let seen = min(reader.remaining, magic.utf8.count)
        if let head = try? reader.read(seen) {
            for (index, expected) in magic.utf8.prefix(seen).enumerated() where head[index] != expected {
                throw .legacyHello(length)
            }
        }
        let begin = start + 4
        guard buffer.count - begin >= Int(length) else { return nil }
        take(begin..<begin + Int(length))
        return .legacyHello
    }
}

/// The eight bytes before a payload (SGP v2 §2).
public struct FrameHeader: Sendable {
    public static let magic: UInt8 = 0x53
    public static let version: UInt8 = 0x02

    let type: ServerMessage
    let length: Int

    /// Nil until eight bytes are there; throws for a header that no server message may have.
    init?(_ bytes: RawSpan) throws(FrameFault) {
        guard bytes.byteCount >= Limits.frameHeader else { return nil }
        guard bytes[0] == Self.magic else { throw .magic(bytes[0]) }
        guard bytes[1] == Self.version else { throw .version(bytes[1]) }
        guard let type = ServerMessage(rawValue: bytes[2]) else { throw .type(bytes[2]) }
        guard bytes[3] == 0 else { throw .reserved(bytes[3]) }
        let length =
            UInt32(bytes[4]) << 24 | UInt32(bytes[5]) << 16 | UInt32(bytes[6]) << 8 | UInt32(bytes[7])
        let isOversizeNotify = type == .notify && length > UInt32(Limits.framePayload)
        let bounds = isOversizeNotify ? Limits.framePayload...Limits.oversizeNotify : type.bounds
        guard length >= UInt32(bounds.lowerBound), length <= UInt32(bounds.upperBound) else {
            throw .length(type, length)
        }
        self.type = type
        self.length = Int(length)
    }
}
