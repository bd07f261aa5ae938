/// Why the payload of a notification could not be understood. Offsets are in bytes from the start of what was decoded:
/// the S_NOTIFY payload for the frame's own faults, the data after decryption and inflating for the others.
public enum PayloadError: Error, Equatable, Sendable {
    // MARK: The frame (SGP v2 §5)

    /// The payload is shorter than its fixed part; the value is its length.
    case shortFrame(length: Int)
    /// The lengths do not frame the payload exactly: it should have `expected` bytes.
    case frameLength(expected: Int)
    /// A reserved bit of the flags is set.
    case reservedFlags(UInt8)

    // MARK: Compression (§5)

    /// Not a raw DEFLATE stream, from this offset of the compressed data on.
    case corruptStream(offset: Int)
    /// The compressed data ends before its stream does.
    case truncatedStream(offset: Int)
    /// Bytes follow the end of the compressed stream.
    case trailingStream(offset: Int)
    /// The stream inflates to more than `Limits.inflated` bytes.
    case inflatesTooFar
    /// zlib could not get memory.
    case streamMemory

    // MARK: Documents (§6)

    /// The data, or the map that is the document, is empty.
    case empty
    /// The data is longer than `Limits.inflated`.
    case tooLong(length: Int)
    /// No such content type.
    case unknownContentType(UInt8)
    /// The first bytes cannot be those of this content type.
    case contradictsContentType(UInt8)
    /// A value, key or length runs past the end of what contains it.
    case truncated(offset: Int)
    /// Bytes follow the document.
    case trailing(offset: Int)
    /// A varint of more than ten bytes or 64 bits.
    case varint(offset: Int)
    /// A record or value of a type that does not exist.
    case unknownType(UInt8, offset: Int)
    /// The document is not a map.
    case notMap(offset: Int)
    /// A string or key that is not UTF-8.
    case utf8(offset: Int)
    /// A number that is infinite or not a number.
    case notFinite(offset: Int)
    /// A boolean that is neither 0 nor 1.
    case boolean(offset: Int)
    /// Containers are nested deeper than `Limits.nesting`.
    case nesting(offset: Int)
    /// More values, text or JSON than a document may have.
    case capacity(offset: Int)
    /// The calls of a decoder do not make a document: a value without a key, an end without a beginning.
    case structure(offset: Int)

    // MARK: JSON and property lists

    /// Not well-formed as JSON, XML or the text of an element.
    case syntax(offset: Int)
    /// U+0000 in the key of a JSON object.
    case nulInKey(offset: Int)
    /// An integer or real that is not written as one, or an integer that property lists do not hold.
    case number(offset: Int)
    /// A date that is not in the calendar or not in the years 0000 to 9999.
    case date(offset: Int)
    /// Data that is not base64.
    case base64(offset: Int)
    /// XML in another encoding than UTF-8.
    case encoding(offset: Int)
    /// XML that declares or uses entities of its own.
    case entity(offset: Int)
    /// An XML element that property lists do not have.
    case unknownElement(offset: Int)
    /// The trailer of a binary property list does not fit the data.
    case trailer(offset: Int)
    /// A reference to an object that is not there, or an object that is not where the objects are.
    case reference(offset: Int)
    /// A container that contains itself.
    case cycle(offset: Int)
    /// A value of a type that binary property lists have and notifications do not: a unique identifier, a set, a URL.
    case foreignType(UInt8, offset: Int)
    /// A key that is not a string.
    case keyNotString(offset: Int)
}

extension PayloadError {
    /// Where the fault is, if it is at one place.
    public var offset: Int? {
        switch self {
        case .corruptStream(let offset), .truncatedStream(let offset), .trailingStream(let offset),
            .truncated(let offset), .trailing(let offset), .varint(let offset), .unknownType(_, let offset),
            .notMap(let offset), .utf8(let offset), .notFinite(let offset), .boolean(let offset),
            .nesting(let offset), .capacity(let offset), .structure(let offset), .syntax(let offset),
            .nulInKey(let offset), .number(let offset), .date(let offset), .base64(let offset),
            .encoding(let offset), .entity(let offset), .unknownElement(let offset), .trailer(let offset),
            .reference(let offset), .cycle(let offset), .foreignType(_, let offset), .keyNotString(let offset):
            offset
        case .shortFrame, .frameLength, .reservedFlags, .inflatesTooFar, .streamMemory, .empty, .tooLong,
            .unknownContentType, .contradictsContentType:
            nil
        }
    }

    /// What is wrong, for the log: a literal, so that naming it costs no memory and carries none of the payload.
    public var reason: String {
        switch self {
        case .shortFrame: "frame shorter than its fixed part"
        case .frameLength: "lengths do not frame the payload"
        case .reservedFlags: "reserved flags set"
        case .corruptStream: "compressed data is corrupt"
        case .truncatedStream: "compressed data is truncated"
        case .trailingStream: "bytes after the compressed data"
        case .inflatesTooFar: "inflates to more than 65536 bytes"
        case .streamMemory: "no memory to inflate"
        case .empty: "empty document"
        case .tooLong: "more than 65536 bytes of data"
        case .unknownContentType: "unknown content type"
        case .contradictsContentType: "data contradicts its content type"
        case .truncated: "value runs past its container"
        case .trailing: "bytes after the document"
        case .varint: "varint too long"
        case .unknownType: "unknown value type"
        case .notMap: "document is not a map"
        case .utf8: "text is not UTF-8"
        case .notFinite: "number is not finite"
        case .boolean: "boolean neither 0 nor 1"
        case .nesting: "nested deeper than 32"
        case .capacity: "document too large"
        case .structure: "values out of place"
        case .syntax: "not well-formed"
        case .nulInKey: "U+0000 in a key"
        case .number: "not a number of this format"
        case .date: "not a date"
        case .base64: "data is not base64"
        case .encoding: "XML is not in UTF-8"
        case .entity: "XML with entities of its own"
        case .unknownElement: "unknown XML element"
        case .trailer: "trailer does not fit the data"
        case .reference: "reference to no object"
        case .cycle: "container contains itself"
        case .foreignType: "value type not allowed in a notification"
        case .keyNotString: "key is not a string"
        }
    }
}
