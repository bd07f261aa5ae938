import Bytes
import CBoard

/// The one model of a notification's payload, whatever its format: a tree of values whose root is a map.
///
/// A document owns the bytes it was decoded from and an arena of values, both reserved at `init`; decoding into it and
/// reading it allocate nothing. Texts are ranges of the input or, where a format escapes or transcodes them, of the
/// bytes a decoder has copied behind it. The arena is laid out as the values arrive; brothers are linked, and those of
/// a map are in the bytewise order of their keys once the map has ended.
public struct Document: ~Copyable {
    /// The kind of a value.
    public enum Kind: UInt8, Sendable, BitwiseCopyable {
        case map, array, string, int, double, bool, null, data
    }

    /// The place of a value in its document. It is good until the document's next `removeAll`.
    public struct Value: Equatable, Sendable, BitwiseCopyable {
        let index: UInt32
    }

    /// A text within a document's bytes.
    public struct Text: Sendable, BitwiseCopyable {
        let offset: UInt32
        let length: UInt32
    }

    /// One value: 24 bytes.
    struct Node: BitwiseCopyable {
        /// The bits of a number or boolean; two halves for a text (offset, length) or a container (first child, count).
        var payload: UInt64
        var keyOffset: UInt32
        var keyLength: UInt32
        /// The next value of the same container; 0, the root, for none.
        var next: UInt32
        var kind: Kind

        var low: UInt32 { UInt32(truncatingIfNeeded: payload) }
        var high: UInt32 { UInt32(truncatingIfNeeded: payload >> 32) }
    }

    /// A container that a decoder has begun and not yet ended.
    struct Open: BitwiseCopyable {
        var index: UInt32 = 0
        var first: UInt32 = 0
        var last: UInt32 = 0
        var count: UInt32 = 0
        var isMap = false
    }

    /// `keyOffset` of a value without a key.
    static let noKey = UInt32.max

    let nodes: UnsafeMutablePointer<Node>
    var nodeCount = 0
    /// The input, and behind it what decoders have copied.
    var storage: ByteBuffer
    public internal(set) var inputCount = 0
    /// The containers now open, `depth` of them.
    let open: UnsafeMutablePointer<Open>
    var depth = 0
    var pendingKey: Text?
    /// The canonical JSON of what has been built takes at most this many bytes.
    var jsonBound = 0

    /// Reserves 1.5 MB for values and 192 KB for texts. Pages that no document reaches are never backed by memory.
    public init() {
        nodes = .allocate(capacity: Limits.documentValues)
        open = .allocate(capacity: Limits.nesting)
        storage = ByteBuffer(capacity: Limits.inflated + Limits.documentText)
    }

    deinit {
        nodes.deallocate()
        open.deallocate()
    }

    /// Forgets everything; the memory stays reserved.
    public mutating func removeAll() {
        removeValues()
        storage.removeAll()
        inputCount = 0
    }

    /// Forgets the values and copied texts, and keeps the input.
    mutating func removeValues() {
        nodeCount = 0
        depth = 0
        pendingKey = nil
        jsonBound = 0
        storage.truncate(to: inputCount)
    }
}

// MARK: - Input

extension Document {
    /// Empties the document and copies `bytes` into it as the input of a decoder. Throws `tooLong` above
    /// `Limits.inflated` bytes.
    public mutating func load(_ bytes: RawSpan) throws(PayloadError) {
        removeAll()
        guard bytes.byteCount <= Limits.inflated else { throw .tooLong(length: bytes.byteCount) }
        storage.append(bytes)
        inputCount = bytes.byteCount
    }

    /// Empties the document and inflates `compressed` into it as the input of a decoder.
    public mutating func load(inflating compressed: RawSpan, with inflater: inout Inflater) throws(PayloadError) {
        removeAll()
        try inflater.inflate(compressed, into: &storage)
        inputCount = storage.count
    }

    /// The input. A decoder reads it while it builds the document: the block never moves, and building only writes
    /// behind the input. Valid until the next `load` or `removeAll`.
    var input: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage.pointer.baseAddress, count: inputCount)
    }

    /// A part of the input as a text, which is not copied. The range must be within the input.
    public func inputText(_ range: Range<Int>) -> Text {
        precondition(range.lowerBound >= 0 && range.upperBound <= inputCount)
        return Text(offset: UInt32(range.lowerBound), length: UInt32(range.count))
    }
}

// MARK: - Copied texts

extension Document {
    /// Where the next copied byte will go: the start of a text that comes in pieces.
    public var textMark: Int { storage.count }

    /// Copies a piece of a text. Throws `capacity` when the copies pass `Limits.documentText`.
    public mutating func appendText(_ piece: RawSpan, at offset: Int = 0) throws(PayloadError) {
        guard piece.byteCount <= freeText else { throw .capacity(offset: offset) }
        storage.append(piece)
    }

    /// Copies a literal as a piece of a text.
    public mutating func appendText(_ literal: String, at offset: Int = 0) throws(PayloadError) {
        guard literal.utf8.count <= freeText else { throw .capacity(offset: offset) }
        storage.append(literal)
    }

    /// Forgets what was copied since `mark`, which no value may refer to.
    mutating func truncateText(to mark: Int) {
        precondition(mark >= inputCount)
        storage.truncate(to: mark)
    }

    /// The text that was copied since `mark`.
    public func text(since mark: Int) -> Text {
        precondition(mark >= inputCount && mark <= storage.count)
        return Text(offset: UInt32(mark), length: UInt32(storage.count - mark))
    }

    /// Copies a text in one piece.
    public mutating func copyText(_ bytes: RawSpan, at offset: Int = 0) throws(PayloadError) -> Text {
        let mark = textMark
        try appendText(bytes, at: offset)
        return text(since: mark)
    }

    /// Copies a literal.
    public mutating func copyText(_ literal: String, at offset: Int = 0) throws(PayloadError) -> Text {
        let mark = textMark
        try appendText(literal, at: offset)
        return text(since: mark)
    }

    private var freeText: Int { Limits.documentText - (storage.count - inputCount) }
}
