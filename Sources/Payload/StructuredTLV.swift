import Bytes

/// Content type 0x03: VALUE = u8 type, a varint length for MAP, ARRAY, STRING and DATA, payload (SGP v2 §6).
///
/// The decoder keeps the ends of the containers it is in on a stack of fixed size instead of calling itself.
struct StructuredTLV: ~Copyable {
    private enum Tag {
        static let map: UInt8 = 1
        static let array: UInt8 = 2
        static let string: UInt8 = 3
        static let int: UInt8 = 4
        static let double: UInt8 = 5
        static let bool: UInt8 = 6
        static let null: UInt8 = 7
        static let data: UInt8 = 8
        static let all = map...data
    }

    private struct Container: BitwiseCopyable {
        var end = 0
        var isMap = false
    }

    private let input: UnsafeRawBufferPointer
    private var position = 0
    private var containers = InlineArray<32, Container>(repeating: Container())
    private var depth = 0

    /// Decodes the input of the document.
    static func decode(into document: inout Document) throws(PayloadError) {
        var decoder = StructuredTLV(input: document.input)
        document.removeValues()
        try decoder.decode(into: &document)
    }

    private init(input: UnsafeRawBufferPointer) { self.input = input }

    /// Where the innermost container ends.
    private var end: Int { depth > 0 ? containers[depth - 1].end : input.count }

    private mutating func decode(into document: inout Document) throws(PayloadError) {
        guard let first = input.first else { throw .empty }
        guard Tag.all.contains(first) else { throw .contradictsContentType(ContentType.structuredTLV) }
        guard first == Tag.map else { throw .notMap(offset: 0) }
        repeat {
            if depth > 0, containers[depth - 1].isMap { try decodeKey(into: &document) }
            try decodeValue(into: &document)
            // A value may be the last one of several containers.
            while depth > 0, position == end {
                depth -= 1
                try document.end(at: position)
            }
        } while depth > 0
        guard position == input.count else { throw .trailing(offset: position) }
        try document.finish()
    }

    private mutating func decodeKey(into document: inout Document) throws(PayloadError) {
        let start = position
        let text = try takeCounted()
        try document.key(document.inputText(text), at: start)
    }

    private mutating func decodeValue(into document: inout Document) throws(PayloadError) {
        let start = position
        let type = input[try take(1).lowerBound]
        switch type {
        case Tag.map:
            try document.beginMap(at: start)
            try enter(isMap: true)
        case Tag.array:
            try document.beginArray(at: start)
            try enter(isMap: false)
        case Tag.string:
            let text = try takeCounted()
            try document.string(document.inputText(text), at: start)
        case Tag.data:
            let bytes = try takeCounted()
            try document.data(document.inputText(bytes), at: start)
        case Tag.int:
            let zigzag = try takeVarint()
            try document.int(Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1), at: start)
        case Tag.double:
            let bytes = try take(8)
            let bits = input.loadUnaligned(fromByteOffset: bytes.lowerBound, as: UInt64.self)
            try document.double(Double(bitPattern: UInt64(bigEndian: bits)), at: start)
        case Tag.bool:
            let byte = input[try take(1).lowerBound]
            guard byte <= 1 else { throw .boolean(offset: start) }
            try document.bool(byte == 1, at: start)
        case Tag.null:
            try document.null(at: start)
        default:
            throw .unknownType(type, offset: start)
        }
    }

    /// Reads the length of a container that the document has already begun, which also bounds `depth`.
    private mutating func enter(isMap: Bool) throws(PayloadError) {
        let contents = try takeLength()
        containers[depth] = Container(end: contents, isMap: isMap)
        depth += 1
    }

    // MARK: Taking bytes, never past the innermost container

    private mutating func take(_ count: Int) throws(PayloadError) -> Range<Int> {
        guard count <= end - position else { throw .truncated(offset: position) }
        let start = position
        position += count
        return start..<position
    }

    /// A varint length and as many bytes.
    private mutating func takeCounted() throws(PayloadError) -> Range<Int> {
        let contents = try takeLength()
        let start = position
        position = contents
        return start..<contents
    }

    /// A varint length; the result is where its bytes end.
    private mutating func takeLength() throws(PayloadError) -> Int {
        let start = position
        let length = try takeVarint()
        guard length <= UInt64(end - position) else { throw .truncated(offset: start) }
        return position + Int(length)
    }

    private mutating func takeVarint() throws(PayloadError) -> UInt64 {
        var reader = ByteReader(input.bytes.extracting(position..<end))
        do throws(ByteError) {
            let value = try reader.readVarint()
            position += reader.position
            return value
        } catch {
            switch error {
            case .short: throw .truncated(offset: position)
            case .varint: throw .varint(offset: position)
            }
        }
    }
}
