/// A document as tests write it down. Encodes itself as structured TLV.
indirect enum Model {
    case map([(String, Model)])
    case array([Model])
    case string(String)
    case int(Int64)
    case double(Double)
    case bool(Bool)
    case null
    case data([UInt8])

    var tlv: [UInt8] {
        switch self {
        case .map(let entries):
            let body = entries.flatMap { varint($0.utf8.count) + Array($0.utf8) + $1.tlv }
            return [1] + varint(body.count) + body
        case .array(let values):
            let body = values.flatMap(\.tlv)
            return [2] + varint(body.count) + body
        case .string(let text): return [3] + varint(text.utf8.count) + Array(text.utf8)
        case .int(let value): return [4] + varint(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .double(let value): return [5] + bigEndian(value.bitPattern)
        case .bool(let value): return [6, value ? 1 : 0]
        case .null: return [7]
        case .data(let bytes): return [8] + varint(bytes.count) + bytes
        }
    }

    /// The entries that count: the last of each key.
    static func last(_ entries: [(String, Model)]) -> [[UInt8]: Model] {
        // Swift compares Strings by canonical equivalence, which is not what keys are compared by.
        Dictionary(entries.map { (Array($0.utf8), $1) }, uniquingKeysWith: { $1 })
    }
}

func varint(_ value: Int) -> [UInt8] { varint(UInt64(value)) }

func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest >= 0x80 {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}

private func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
}

extension Model {
    /// Characters that are escaped, controls, and of every length in UTF-8.
    static let characters: [Unicode.Scalar] = [
        "a", "b", "\"", "\\", "/", "\u{0}", "\u{8}", "\n", "\u{1F}", "\u{7F}", "\u{E9}", "\u{2028}", "\u{FFFF}",
        "\u{1F514}", "\u{10FFFF}",
    ]

    /// A random map.
    static func random(
        depth: Int, of characters: [Unicode.Scalar] = characters, using generator: inout SeededGenerator
    ) -> Model {
        let count = Int.random(in: 1...6, using: &generator)
        return .map(
            (0..<count).map { _ in
                let key = randomText(maximum: 3, of: characters, using: &generator)
                return (key, randomValue(depth: depth, of: characters, using: &generator))
            })
    }

    private static func randomValue(
        depth: Int, of characters: [Unicode.Scalar], using generator: inout SeededGenerator
    ) -> Model {
        switch Int.random(in: depth > 0 ? 0...9 : 2...9, using: &generator) {
        case 0: return random(depth: depth - 1, of: characters, using: &generator)
        case 1:
            let count = Int.random(in: 0...5, using: &generator)
            return .array((0..<count).map { _ in randomValue(depth: depth - 1, of: characters, using: &generator) })
        case 2, 3: return .string(randomText(maximum: 12, of: characters, using: &generator))
        case 4: return .int(Int64(bitPattern: generator.next()))
        case 5: return .int(Int64.random(in: -100...100, using: &generator))
        case 6:
            let value = Double(bitPattern: generator.next())
            return .double(value.isFinite ? value : 0.5)
        case 7: return .bool(Bool.random(using: &generator))
        case 8: return .null
        default:
            let count = Int.random(in: 0...7, using: &generator)
            return .data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
    }

    private static func randomText(
        maximum: Int, of characters: [Unicode.Scalar], using generator: inout SeededGenerator
    ) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...maximum, using: &generator) {
            text.unicodeScalars.append(characters.randomElement(using: &generator)!)
        }
        return text
    }
}
