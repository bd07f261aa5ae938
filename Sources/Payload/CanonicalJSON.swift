import Bytes

/// Canonical JSON: keys in bytewise order, no white space, the fewest escapes, doubles as the shortest digits that read
/// back the same, DATA as `{"$data":"<base64>"}`.
extension ByteBuffer {
    /// The whole document, or nothing if it has no root. A buffer of `Limits.canonicalJSON` bytes always has room;
    /// in a smaller one `overflowed` may be set.
    public mutating func append(canonicalJSON document: borrowing Document) {
        guard let root = document.root else { return }
        append(canonicalJSON: document, root)
    }

    /// One value of a document and all that is in it.
    public mutating func append(canonicalJSON document: borrowing Document, _ value: Document.Value) {
        // The containers around the current value. A document is never deeper (SGP v2 §6).
        var parents = InlineArray<32, Document.Value>(repeating: value)
        var depth = 0
        var current = value
        while true {
            if depth > 0, let key = document.key(current) {
                append(jsonString: key)
                append(UInt8(ascii: ":"))
            }
            if let child = document.firstChild(current) {
                append(document.kind(current) == .map ? UInt8(ascii: "{") : UInt8(ascii: "["))
                parents[depth] = current
                depth += 1
                current = child
                continue
            }
            append(jsonLeaf: document, current)
            // On to the next value, out of every container that has no more.
            while true {
                guard depth > 0 else { return }
                if let next = document.next(current) {
                    append(UInt8(ascii: ","))
                    current = next
                    break
                }
                depth -= 1
                current = parents[depth]
                append(document.kind(current) == .map ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            }
        }
    }

    /// A text that is UTF-8, in quotation marks.
    public mutating func append(jsonString text: RawSpan) {
        append(UInt8(ascii: "\""))
        var start = 0
        for index in 0..<text.byteCount where jsonGrowth(text[index]) > 0 {
            append(text.extracting(start..<index))
            append(jsonEscape: text[index])
            start = index + 1
        }
        append(text.extracting(start..<text.byteCount))
        append(UInt8(ascii: "\""))
    }

    /// A finite number, recognisable as no integer: `3.0`, `-0.0`, `1e+308`.
    public mutating func append(json value: Double) {
        var digits = DoubleDigits()
        value.write(to: &digits)
        append(digits.characters.span.bytes.extracting(0..<digits.count))
    }

    /// A value with nothing in it.
    private mutating func append(jsonLeaf document: borrowing Document, _ value: Document.Value) {
        switch document.kind(value) {
        case .map: append("{}")
        case .array: append("[]")
        case .string:
            if let text = document.string(value) { append(jsonString: text) }
        case .int:
            if let number = document.int(value) { append(decimal: number) }
        case .double:
            if let number = document.double(value) { append(json: number) }
        case .bool: append(document.bool(value) == true ? "true" : "false")
        case .null: append("null")
        case .data:
            append("{\"$data\":\"")
            if let bytes = document.data(value) { append(base64: bytes) }
            append("\"}")
        }
    }

    private mutating func append(jsonEscape byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            append("u00")
            append(Hex.digit(byte >> 4))
            append(Hex.digit(byte & 15))
        default: append(byte)
        }
    }
}

/// How many bytes more than itself a byte of text takes in JSON.
func jsonGrowth(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 1
    case 0x00..<0x20: 5
    default: 0
    }
}

/// The digits of a number in place. The standard library finds the shortest that read back the same and hands them to a
/// text stream as ASCII; `description` would put them in a String on the heap.
private struct DoubleDigits: TextOutputStream {
    var characters = InlineArray<32, UInt8>(repeating: 0)
    var count = 0

    mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
        for byte in buffer { write(byte) }
    }

    mutating func write(_ text: String) {
        for byte in text.utf8 { write(byte) }
    }

    private mutating func write(_ byte: UInt8) {
        guard count < characters.count else { return }
        characters[count] = byte
        count += 1
    }
}
