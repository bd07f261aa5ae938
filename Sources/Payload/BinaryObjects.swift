/// The objects of a binary property list by their numbers. Every offset and length is checked before it is used; what an
/// `Object` says lies within the objects.
struct BinaryObjects {
    enum Kind {
        case null, no, yes, int, real, date, data, ascii, utf16, array, dict
    }

    struct Object {
        var number: Int
        /// Where it begins.
        var offset: Int
        var type: Kind
        /// Entries of a container.
        var count = 0
        var contents: Range<Int>
    }

    struct Reference {
        var number: Int
        /// Where the reference is.
        var offset: Int
    }

    struct Integer {
        var magnitude: UInt64
        var isNegative = false
    }

    private let input: UnsafeRawBufferPointer
    /// Bytes of an entry of the table, and of a reference.
    private let offsetSize: Int
    let referenceSize: Int
    /// How many objects there are, and which is the document.
    private let count: Int
    let top: Int
    /// Where the objects, the table and the trailer begin.
    private static let start = 8
    private let table: Int
    let trailer: Int

    private static let trailerSize = 32

    /// Reads the trailer. The table must lie exactly between the objects and the trailer, as in CF.
    init(_ input: UnsafeRawBufferPointer) throws(PayloadError) {
        guard input.count > Self.start + Self.trailerSize else { throw .truncated(offset: input.count) }
        self.input = input
        trailer = input.count - Self.trailerSize
        // Five bytes unused and one for a version of sorting, then these.
        offsetSize = Int(input[trailer + 6])
        referenceSize = Int(input[trailer + 7])
        let count = Self.number(input, trailer + 8, size: 8)
        let top = Self.number(input, trailer + 16, size: 8)
        let table = Self.number(input, trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw .trailer(offset: trailer) }
        // Every object and every entry takes a byte, so this also makes room for the multiplication.
        guard table > UInt64(Self.start), table < UInt64(trailer), count > 0, count < UInt64(trailer), top < count
        else { throw .trailer(offset: trailer) }
        self.count = Int(count)
        self.top = Int(top)
        self.table = Int(table)
        guard self.table + self.count * offsetSize == trailer else { throw .trailer(offset: trailer) }
    }

    /// The reference at an index of a list of references.
    func reference(_ list: Int, _ index: Int) -> Reference {
        let offset = list + index * referenceSize
        // No number of an object is as large as Int.max.
        return Reference(number: Int(clamping: number(offset, size: referenceSize)), offset: offset)
    }

    /// The object of a number that is named at an offset.
    func object(_ number: Int, at offset: Int) throws(PayloadError) -> Object {
        guard number < count else { throw .reference(offset: offset) }
        let entry = table + number * offsetSize
        let start = self.number(entry, size: offsetSize)
        guard start >= UInt64(Self.start), start < UInt64(table) else { throw .reference(offset: entry) }
        return try object(number, startingAt: Int(start))
    }

    private func object(_ number: Int, startingAt start: Int) throws(PayloadError) -> Object {
        let marker = input[start]
        let low = Int(marker & 0x0F)
        func fixed(_ type: Kind, size: Int) throws(PayloadError) -> Object {
            guard size <= table - start - 1 else { throw .truncated(offset: start) }
            return Object(number: number, offset: start, type: type, contents: start + 1..<start + 1 + size)
        }
        func counted(_ type: Kind, unit: Int) throws(PayloadError) -> Object {
            let (count, contents) = try length(low, of: start)
            guard count <= UInt64((table - contents) / unit) else { throw .truncated(offset: start) }
            let size = Int(count) * unit
            return Object(
                number: number, offset: start, type: type, count: Int(count), contents: contents..<contents + size)
        }
        switch marker {
        case 0x00: return try fixed(.null, size: 0)
        case 0x08: return try fixed(.no, size: 0)
        case 0x09: return try fixed(.yes, size: 0)
        case 0x10...0x14: return try fixed(.int, size: 1 << low)
        case 0x22, 0x23: return try fixed(.real, size: 1 << low)
        case 0x33: return try fixed(.date, size: 8)
        case 0x40...0x4F: return try counted(.data, unit: 1)
        case 0x50...0x5F: return try counted(.ascii, unit: 1)
        case 0x60...0x6F: return try counted(.utf16, unit: 2)
        case 0xA0...0xAF: return try counted(.array, unit: referenceSize)
        case 0xD0...0xDF: return try counted(.dict, unit: 2 * referenceSize)
        // URLs and UUIDs, UTF-8 of a later version, unique identifiers, ordered and other sets.
        case 0x0C...0x0E, 0x70...0x8F, 0xB0...0xCF: throw .foreignType(marker, offset: start)
        default: throw .unknownType(marker, offset: start)
        }
    }

    /// The count of an object, from the low bits of its marker or the integer behind it, and where its contents begin.
    private func length(_ low: Int, of start: Int) throws(PayloadError) -> (count: UInt64, contents: Int) {
        guard low == 0x0F else { return (UInt64(low), start + 1) }
        guard start + 1 < table else { throw .truncated(offset: start) }
        let marker = input[start + 1]
        guard (0x10...0x13).contains(marker) else { throw .unknownType(marker, offset: start + 1) }
        let size = 1 << Int(marker & 0x0F)
        guard size <= table - start - 2 else { throw .truncated(offset: start) }
        return (number(start + 2, size: size), start + 2 + size)
    }

    // MARK: Numbers

    /// An unsigned number of 1 to 8 bytes, big-endian. The bytes must be in the input.
    func number(_ offset: Int, size: Int) -> UInt64 { Self.number(input, offset, size: size) }

    private static func number(_ input: UnsafeRawBufferPointer, _ offset: Int, size: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<offset + size { value = value << 8 | UInt64(input[index]) }
        return value
    }

    /// 1, 2 and 4 bytes are unsigned, 8 and 16 signed. Of the latter, 65 bits must do.
    func integer(_ object: Object) throws(PayloadError) -> Integer {
        let start = object.contents.lowerBound
        let size = object.contents.count
        guard size >= 8 else { return Integer(magnitude: number(start, size: size)) }
        let low = number(start + size - 8, size: 8)
        let high = size == 16 ? number(start, size: 8) : low >> 63 == 0 ? 0 : UInt64.max
        switch high {
        case 0: return Integer(magnitude: low)
        case UInt64.max where low >> 63 == 1: return Integer(magnitude: 0 &- low, isNegative: true)
        default: throw .number(offset: object.offset)
        }
    }

    /// Of a real or a date.
    func real(_ object: Object) -> Double {
        let bits = number(object.contents.lowerBound, size: object.contents.count)
        return object.contents.count == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }
}
