import Bytes
import Payload

/// JSON members and elements written in order into a buffer. Commas follow from what stands before.
extension ByteBuffer {
    /// The name of a member; its value follows.
    mutating func key(_ name: String) {
        comma()
        append(UInt8(ascii: "\""))
        append(name)
        append("\":")
    }

    /// A comma, unless this is the first member or element, or the value of a member.
    mutating func comma() {
        guard count > 0 else { return }
        switch pointer[count - 1] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): return
        default: append(UInt8(ascii: ","))
        }
    }

    mutating func member(_ name: String, _ value: String) {
        key(name)
        var value = value
        value.withUTF8 { append(jsonString: UnsafeRawBufferPointer($0).bytes) }
    }

    mutating func member<T: BinaryInteger>(_ name: String, _ value: T?) {
        key(name)
        if let value { append(decimal: value) } else { append("null") }
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        append(value ? "true" : "false")
    }

    /// A text, or null where it is empty.
    mutating func member<let size: Int>(_ name: String, _ value: Blob<size>) {
        key(name)
        if value.isEmpty { append("null") } else { append(jsonText: value.bytes) }
    }

    /// A text, or null.
    mutating func member(_ name: String, text: RawSpan?) {
        key(name)
        if let text { append(jsonText: text) } else { append("null") }
    }

    /// Text of unknown origin, such as the name of an interface, in quotation marks. What is not UTF-8 becomes `?`, and then
    /// whatever needs an escape does too.
    private mutating func append(jsonText text: RawSpan) {
        if UTF8Text.isValid(text) { return append(jsonString: text) }
        append("\"")
        var index = 0
        while index < text.byteCount {
            let length = UTF8Text.sequence(at: index, in: text) ?? 0
            let isPlain = text[index] >= 0x20 && text[index] != UInt8(ascii: "\"") && text[index] != UInt8(ascii: "\\")
            if length > 0, isPlain { append(text.extracting(index..<index + length)) } else { append("?") }
            index += max(length, 1)
        }
        append("\"")
    }
}
