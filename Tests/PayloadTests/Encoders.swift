/// The encoders of the property tests, written from RFC 8259, Apple's plist.dtd and the description of the binary form;
/// nothing of the decoders is used. Wherever a format leaves a choice, chance makes it.
struct Encoder {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(state: seed) }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 1...one, using: &generator) == 1 }
}

extension Model {
    /// What a property list can hold of it.
    var withoutNull: Model {
        switch self {
        case .map(let entries):
            .map(entries.filter { !$1.isNull }.map { ($0, $1.withoutNull) })
        case .array(let values): .array(values.filter { !$0.isNull }.map(\.withoutNull))
        default: self
        }
    }

    var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}

// MARK: - JSON

extension Encoder {
    mutating func json(_ model: Model) -> [UInt8] { array(space() + value(model) + space()) }

    private mutating func value(_ model: Model) -> String {
        switch model {
        case .map(let entries):
            var parts: [String] = []
            for (key, value) in entries {
                parts.append(space() + quoted(key) + space() + ":" + space() + self.value(value) + space())
            }
            return "{" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "}"
        case .array(let values):
            var parts: [String] = []
            for value in values { parts.append(space() + self.value(value) + space()) }
            return "[" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "]"
        case .string(let text): return quoted(text)
        case .int(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .bool(let value): return "\(value)"
        case .null: return "null"
        case .data(let bytes): return "{\"$data\":\"\(base64(bytes))\"}"
        }
    }

    private mutating func space() -> String {
        chance(4) ? [" ", "\n", "\t", "\r\n ", "  "].randomElement(using: &generator)! : ""
    }

    private mutating func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "/" where chance(2): result += "\\/"
            case "\n" where chance(2): result += "\\n"
            case "\u{8}" where chance(2): result += "\\b"
            case _ where scalar.value < 0x20 || chance(8):
                for unit in String(scalar).utf16 { result += "\\u" + hex4(unit) }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private mutating func hex4(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: chance(2))
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = Array(bytes[start..<min(start + 3, bytes.count)])
        let bits = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
        for digit in 0..<4 {
            text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : "=")
        }
    }
    return text
}

// MARK: - XML property lists

extension Encoder {
    /// The model must have no null and only characters of XML.
    mutating func xml(_ model: Model) -> [UInt8] {
        var text = chance(4) ? "\u{FEFF}" : ""
        if chance(2) { text += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" }
        if chance(2) {
            text += "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
            text += "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
        }
        text += chance(2) ? "<plist>" : "<plist version=\"1.0\">"
        text += element(model) + lineBreak() + "</plist>" + lineBreak()
        return array(text)
    }

    private mutating func element(_ model: Model) -> String {
        let start = lineBreak()
        switch model {
        case .map(let entries):
            if entries.isEmpty, chance(2) { return start + "<dict/>" }
            var text = start + "<dict>"
            for (key, value) in entries { text += lineBreak() + tagged("key", key) + element(value) }
            return text + lineBreak() + "</dict>"
        case .array(let values):
            if values.isEmpty, chance(2) { return start + "<array/>" }
            var text = start + "<array>"
            for value in values { text += element(value) }
            return text + lineBreak() + "</array>"
        case .string(let text): return start + tagged("string", text)
        case .int(let value): return start + "<integer>" + integer(value) + "</integer>"
        case .double(let value): return start + "<real>\(value)</real>"
        case .bool(let value): return start + (value ? "<true/>" : chance(2) ? "<false></false>" : "<false/>")
        case .data(let bytes):
            let digits = base64(bytes)
            let cut = digits.index(digits.startIndex, offsetBy: Int.random(in: 0...digits.count, using: &generator))
            return start + "<data>" + lineBreak() + digits[..<cut] + lineBreak() + digits[cut...] + "</data>"
        case .null: fatalError("a property list has no null")
        }
    }

    private mutating func lineBreak() -> String {
        chance(3) ? ["\n", "\n\t", " ", "\r\n", "<!-- & -->", "<?x y?>"].randomElement(using: &generator)! : ""
    }

    private mutating func integer(_ value: Int64) -> String {
        guard chance(2) else { return value < 0 || chance(2) ? "\(value)" : "+\(value)" }
        let digits = String(value.magnitude, radix: 16, uppercase: chance(2))
        return (value < 0 ? "-" : "") + (chance(2) ? "0x" : "0X") + digits
    }

    private mutating func tagged(_ tag: String, _ text: String) -> String {
        if text.isEmpty, chance(2) { return "<\(tag)/>" }
        return "<\(tag)>" + escaped(text) + "</\(tag)>"
    }

    private mutating func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&" where chance(2): result += "&amp;"
            case "<" where chance(2): result += "<![CDATA[<]]>"
            case "<" where chance(2): result += "&lt;"
            case ">" where chance(2): result += "&gt;"
            case "\"" where chance(2): result += "&quot;"
            case "'" where chance(2): result += "&apos;"
            case "&", "<", ">", "\r": result += "&#\(scalar.value);"
            case _ where chance(8): result += "&#x\(String(scalar.value, radix: 16));"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

// MARK: - Binary property lists

extension Encoder {
    mutating func binary(_ model: Model) -> [UInt8] {
        var writer = BinaryWriter()
        writer.referenceSize = [1, 2, 2, 3, 4, 8].randomElement(using: &generator)!
        let top = write(model, to: &writer)
        if writer.objects.count > 255, writer.referenceSize == 1 { return binary(model) }
        var order = Array(writer.objects.indices)
        order.shuffle(using: &generator)
        let filler = chance(3) ? [0x0F] as [UInt8] : []
        return writer.bytes(top: top, order: order, filler: filler, offsetSize: chance(2) ? 0 : 8)
    }

    /// Writes the objects of a model, and returns the number of the outermost.
    private mutating func write(_ model: Model, to writer: inout BinaryWriter) -> Int {
        switch model {
        case .map(let entries):
            var keys: [Int] = []
            var values: [Int] = []
            for (key, value) in entries {
                keys.append(write(.string(key), to: &writer))
                values.append(write(value, to: &writer))
            }
            return writer.add(.container(0xD0, keys + values, count: entries.count), unique: false)
        case .array(let values):
            var numbers: [Int] = []
            for value in values { numbers.append(write(value, to: &writer)) }
            return writer.add(.container(0xA0, numbers, count: values.count), unique: false)
        default: return writer.add(.leaf(leaf(model)), unique: !chance(4))
        }
    }

    private mutating func leaf(_ model: Model) -> [UInt8] {
        switch model {
        case .string(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }), !chance(4) {
                return BinaryWriter.marker(0x50, text.utf8.count) + Array(text.utf8)
            }
            return BinaryWriter.marker(0x60, text.utf16.count)
                + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        case .int(let value): return integer(value)
        case .double(let value):
            let single = Float(value)
            if Double(single).bitPattern == value.bitPattern, chance(2) {
                return [0x22] + bigEndian(UInt64(single.bitPattern), 4)
            }
            return [0x23] + bigEndian(value.bitPattern, 8)
        case .bool(let value): return [value ? 0x09 : 0x08]
        case .data(let bytes): return BinaryWriter.marker(0x40, bytes.count) + bytes
        case .null: return [0x00]
        case .map, .array: fatalError("no leaf")
        }
    }

    /// In 1, 2 and 4 bytes unsigned; 8 and 16 bytes are signed.
    private mutating func integer(_ value: Int64) -> [UInt8] {
        let smallest = value < 0 ? 3 : value < 1 << 8 ? 0 : value < 1 << 16 ? 1 : value < 1 << 32 ? 2 : 3
        let power = chance(3) ? Int.random(in: smallest...4, using: &generator) : smallest
        let bits = UInt64(bitPattern: value)
        if power == 4 { return [0x14] + bigEndian(value < 0 ? .max : 0, 8) + bigEndian(bits, 8) }
        return [0x10 | UInt8(power)] + bigEndian(bits, 1 << power)
    }
}

/// The low bytes of a number.
func bigEndian(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 < size - 8 ? 0 : value >> UInt64(8 * (size - 1 - $0))) }
}

/// The objects of a binary property list and what is around them. Tests also build wrong ones with it.
struct BinaryWriter {
    enum Object: Equatable {
        case leaf([UInt8])
        /// Numbers of objects, for a map those of the keys first.
        case container(UInt8, [Int], count: Int)
    }

    var objects: [Object] = []
    var referenceSize = 1

    mutating func add(_ object: Object, unique: Bool = true) -> Int {
        if unique, let number = objects.firstIndex(of: object) { return number }
        objects.append(object)
        return objects.count - 1
    }

    static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        if count < 15 { return [kind | UInt8(count)] }
        if count < 256 { return [kind | 15, 0x10, UInt8(count)] }
        return [kind | 15]
            + (count < 65_536 ? [0x11] + bigEndian(UInt64(count), 2) : [0x12] + bigEndian(UInt64(count), 4))
    }

    /// - Parameters:
    ///   - order: in which the objects are written; their numbers stay.
    ///   - filler: after each.
    ///   - offsetSize: of an entry of the table; 0 for the smallest.
    func bytes(top: Int, order: [Int]? = nil, filler: [UInt8] = [], offsetSize: Int = 0) -> [UInt8] {
        var bytes = array("bplist00")
        var offsets = [Int](repeating: 0, count: objects.count)
        for number in order ?? Array(objects.indices) {
            offsets[number] = bytes.count
            switch objects[number] {
            case .leaf(let leaf): bytes += leaf
            case .container(let kind, let numbers, let count):
                bytes += Self.marker(kind, count)
                bytes += numbers.flatMap { bigEndian(UInt64($0), referenceSize) }
            }
            bytes += filler
        }
        let table = bytes.count
        let size = offsetSize > 0 ? offsetSize : table < 256 ? 1 : table < 65_536 ? 2 : 4
        bytes += offsets.flatMap { bigEndian(UInt64($0), size) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(size), UInt8(referenceSize)]
        bytes += bigEndian(UInt64(objects.count), 8) + bigEndian(UInt64(top), 8) + bigEndian(UInt64(table), 8)
        return bytes
    }
}
