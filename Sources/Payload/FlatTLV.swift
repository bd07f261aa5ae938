import Bytes

/// Content type 0x00: records of u8 type, u16 length and value, until the end (SGP v2 §6).
///
/// Of several records of one type the last one counts, as in a map. A type that the specification does not name is an
/// error.
enum FlatTLV {
    private static let title = 1
    private static let body = 2
    private static let sound = 3
    private static let customData = 4

    /// Decodes the input of the document.
    static func decode(into document: inout Document) throws(PayloadError) {
        let records = try scan(document.input.bytes)
        document.removeValues()
        try document.beginMap()
        try buildAPS(records, into: &document)
        if let value = records[customData] {
            try document.key("custom_data", at: value.lowerBound)
            try document.data(document.inputText(value), at: value.lowerBound)
        }
        try document.end()
        try document.finish()
    }

    /// Where the value of each type of record is.
    private static func scan(_ bytes: RawSpan) throws(PayloadError) -> InlineArray<5, Range<Int>?> {
        var records = InlineArray<5, Range<Int>?>(repeating: nil)
        guard bytes.byteCount > 0 else { throw .empty }
        guard (1...4).contains(bytes[0]) else { throw .contradictsContentType(ContentType.flatTLV) }
        var position = 0
        while position < bytes.byteCount {
            let type = bytes[position]
            guard (1...4).contains(type) else { throw .unknownType(type, offset: position) }
            guard position + 3 <= bytes.byteCount else { throw .truncated(offset: position) }
            let length = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
            let start = position + 3
            guard length <= bytes.byteCount - start else { throw .truncated(offset: position) }
            let value = start..<start + length
            if Int(type) != customData, !UTF8Text.isValid(bytes.extracting(value)) { throw .utf8(offset: start) }
            records[Int(type)] = value
            position = start + length
        }
        return records
    }

    /// aps.alert.title, aps.alert.body and aps.sound, with only the maps that something is in.
    private static func buildAPS(
        _ records: InlineArray<5, Range<Int>?>, into document: inout Document
    ) throws(PayloadError) {
        let hasAlert = records[title] != nil || records[body] != nil
        guard hasAlert || records[sound] != nil else { return }
        try document.key("aps")
        try document.beginMap()
        if hasAlert {
            try document.key("alert")
            try document.beginMap()
            try build("title", records[title], into: &document)
            try build("body", records[body], into: &document)
            try document.end()
        }
        try build("sound", records[sound], into: &document)
        try document.end()
    }

    private static func build(
        _ key: String, _ value: Range<Int>?, into document: inout Document
    ) throws(PayloadError) {
        guard let value else { return }
        try document.key(key, at: value.lowerBound)
        try document.string(document.inputText(value), at: value.lowerBound)
    }
}
