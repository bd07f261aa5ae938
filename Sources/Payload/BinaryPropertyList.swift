import Bytes

/// A binary property list: `bplist0`, a version digit, objects, a table of their offsets, and a trailer that says where
/// the table is (CFBinaryPList.c of Apple's CF). Objects refer to each other by number.
///
/// Shared objects are written out wherever they are referred to. Every reference is a step, and a document has no more
/// steps than it may have values, so sharing cannot be used to make much of little. The decoder keeps the containers it
/// is in on a stack of fixed size instead of calling itself.
struct BinaryPropertyList: ~Copyable {
    private struct Container: BitwiseCopyable {
        /// The number of the object.
        var object = 0
        /// Where the references of the keys and of the values are.
        var keys = 0
        var values = 0
        var count = 0
        var index = 0
        var isMap = false
    }

    private let objects: BinaryObjects
    private var containers = InlineArray<32, Container>(repeating: Container())
    private var depth = 0
    private var steps = 0

    /// Decodes the input of the document.
    static func decode(into document: inout Document) throws(PayloadError) {
        document.removeValues()
        var decoder = BinaryPropertyList(objects: try BinaryObjects(document.input))
        try decoder.decode(into: &document)
    }

    private init(objects: BinaryObjects) { self.objects = objects }

    private mutating func decode(into document: inout Document) throws(PayloadError) {
        let top = try objects.object(objects.top, at: objects.trailer)
        guard top.type == .dict else { throw .notMap(offset: top.offset) }
        try add(top, to: &document)
        while depth > 0 {
            let container = containers[depth - 1]
            guard container.index < container.count else {
                depth -= 1
                try document.end(at: container.values)
                continue
            }
            containers[depth - 1].index += 1
            let value = try step(objects.reference(container.values, container.index))
            guard container.isMap else {
                // What a property list cannot hold is dropped (SGP v2 §6).
                if value.type != .null { try add(value, to: &document) }
                continue
            }
            let key = try step(objects.reference(container.keys, container.index))
            guard key.type == .ascii || key.type == .utf16 else { throw .keyNotString(offset: key.offset) }
            guard value.type != .null else { continue }
            try document.key(text(key, &document), at: key.offset)
            try add(value, to: &document)
        }
        try document.finish()
    }

    private mutating func step(_ reference: BinaryObjects.Reference) throws(PayloadError) -> BinaryObjects.Object {
        // Keys are steps of their own.
        guard steps < 2 * Limits.documentValues else { throw .capacity(offset: reference.offset) }
        steps += 1
        return try objects.object(reference.number, at: reference.offset)
    }

    private mutating func add(_ object: BinaryObjects.Object, to document: inout Document) throws(PayloadError) {
        let offset = object.offset
        switch object.type {
        case .dict:
            try begin(object, isMap: true)
            try document.beginMap(at: offset)
            depth += 1
        case .array:
            try begin(object, isMap: false)
            try document.beginArray(at: offset)
            depth += 1
        case .ascii, .utf16: try document.string(text(object, &document), at: offset)
        case .data: try document.data(document.inputText(object.contents), at: offset)
        case .int:
            let value = try objects.integer(object)
            try document.integer(magnitude: value.magnitude, isNegative: value.isNegative, at: offset)
        case .real: try document.double(objects.real(object), at: offset)
        case .date: try document.string(date(object, &document), at: offset)
        case .yes: try document.bool(true, at: offset)
        case .no: try document.bool(false, at: offset)
        case .null: break
        }
    }

    /// Prepares a container at `depth`; the document then sees whether it is too deep.
    private mutating func begin(_ object: BinaryObjects.Object, isMap: Bool) throws(PayloadError) {
        for level in 0..<depth where containers[level].object == object.number {
            throw .cycle(offset: object.offset)
        }
        guard depth < containers.count else { throw .nesting(offset: object.offset) }
        let start = object.contents.lowerBound
        containers[depth] = Container(
            object: object.number, keys: start, values: isMap ? start + object.count * objects.referenceSize : start,
            count: object.count, isMap: isMap)
    }

    // MARK: Texts

    private func text(
        _ object: BinaryObjects.Object, _ document: inout Document
    ) throws(PayloadError) -> Document.Text {
        guard object.type == .utf16 else {
            for index in object.contents where document.input[index] > 0x7F { throw .utf8(offset: index) }
            return document.inputText(object.contents)
        }
        let mark = document.textMark
        var index = object.contents.lowerBound
        while index < object.contents.upperBound {
            var scalar = UInt32(objects.number(index, size: 2))
            let start = index
            index += 2
            if scalar >> 10 == 0x36, index < object.contents.upperBound {
                let low = UInt32(objects.number(index, size: 2))
                if low >> 10 == 0x37 {
                    scalar = 0x1_0000 + (scalar & 0x3FF) << 10 + low & 0x3FF
                    index += 2
                }
            }
            // Half a pair is no character.
            guard scalar >> 11 != 0x1B else { throw .utf8(offset: start) }
            try document.appendText(scalar: scalar, at: start)
        }
        return document.text(since: mark)
    }

    private func date(
        _ object: BinaryObjects.Object, _ document: inout Document
    ) throws(PayloadError) -> Document.Text {
        let seconds = objects.real(object)
        guard seconds.isFinite else { throw .notFinite(offset: object.offset) }
        guard let text = PropertyListDate.text(secondsSince2001: seconds) else { throw .date(offset: object.offset) }
        return try document.copyText(text.span.bytes, at: object.offset)
    }
}

extension Document {
    /// Copies one character, which is no surrogate, as UTF-8.
    fileprivate mutating func appendText(scalar: UInt32, at offset: Int) throws(PayloadError) {
        var bytes = InlineArray<4, UInt8>(repeating: 0)
        let count: Int
        switch scalar {
        case 0..<0x80:
            bytes[0] = UInt8(scalar)
            count = 1
        case 0x80..<0x800:
            bytes[0] = 0xC0 | UInt8(scalar >> 6)
            count = 2
        case 0x800..<0x1_0000:
            bytes[0] = 0xE0 | UInt8(scalar >> 12)
            count = 3
        default:
            bytes[0] = 0xF0 | UInt8(scalar >> 18)
            count = 4
        }
        for index in 1..<max(count, 1) {
            bytes[index] = 0x80 | UInt8(scalar >> UInt32(6 * (count - 1 - index)) & 0x3F)
        }
        try appendText(bytes.span.bytes.extracting(0..<count), at: offset)
    }
}
