/// A value of a notification's document, SGP v2 §6.
public indirect enum Value: Sendable, Equatable {
    case map([Entry])
    case array([Value])
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case null
    case data([UInt8])

    public struct Entry: Sendable, Equatable {
        public var key: String
        public var value: Value

        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .map(elements.map { Entry($0, $1) })
    }
}

extension Value {
    /// Structured TLV, content type 0x03.
    public var structured: [UInt8] {
        switch self {
        case .map(let entries): framed(0x01, entries.flatMap { counted(Array($0.key.utf8)) + $0.value.structured })
        case .array(let values): framed(0x02, values.flatMap(\.structured))
        case .string(let text): framed(0x03, Array(text.utf8))
        case .integer(let value): [0x04] + varint(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .double(let value): [0x05] + Wire.bigEndian(value.bitPattern)
        case .bool(let value): [0x06, value ? 1 : 0]
        case .null: [0x07]
        case .data(let bytes): framed(0x08, bytes)
        }
    }

    /// JSON text; data becomes a string of hexadecimal digits, for JSON has no bytes.
    public var json: String {
        switch self {
        case .map(let entries):
            "{" + entries.map { "\(jsonText($0.key)):\($0.value.json)" }.joined(separator: ",") + "}"
        case .array(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .string(let text): jsonText(text)
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        case .data(let bytes): jsonText(hex(bytes))
        }
    }

    /// What the reference server makes of a document (SGP v2 §10): numbers are doubles, the order of a map is random.
    public var asReferenceServer: Value {
        switch self {
        case .map(let entries): .map(entries.map { Entry($0.key, $0.value.asReferenceServer) }.shuffled())
        case .array(let values): .array(values.map(\.asReferenceServer))
        case .integer(let value): .double(Double(value))
        default: self
        }
    }

    private func framed(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] { [type] + counted(payload) }
    private func counted(_ payload: [UInt8]) -> [UInt8] { varint(UInt64(payload.count)) + payload }
}

/// Unsigned LEB128.
public func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest > 0x7F {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}
