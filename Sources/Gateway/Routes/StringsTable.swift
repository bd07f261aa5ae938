import Bytes
import Payload

/// The texts of a strings file, by their keys. Lookups allocate nothing.
public struct StringsTable: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var key: [UInt8]
        var text: [UInt8]
    }

    /// In the bytewise order of the keys.
    private let entries: [Entry]

    /// No texts: every key stands for itself.
    public init() { entries = [] }

    init(_ entries: [Entry]) {
        self.entries = entries.sorted { $0.key.span.bytes.precedes($1.key.span.bytes) }
    }

    public var count: Int { entries.count }

    /// Where the text of a key is.
    private func find(_ key: RawSpan) -> Int? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let other = entries[middle].key
            if other.span.bytes.precedes(key) { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count else { return nil }
        let found = entries[low].key
        return found.span.bytes.equals(key) ? low : nil
    }

    /// Appends the text of a key with the arguments in its places, as far as it fits; false where there is none.
    ///
    /// `%@` is the next argument, `%1$@` the first, `%%` a percent sign; everything else stands for itself. An argument
    /// is a text or a whole number; another, or one that is not there, leaves its place empty.
    public func append(
        _ text: borrowing LocalizedText, _ document: borrowing Document, to out: inout ByteBuffer
    ) -> Bool {
        guard let index = find(text.key) else { return false }
        let entry = entries[index].text
        let template = entry.span.bytes
        var next = 0
        var start = 0
        while start < template.byteCount {
            let rest = template.extracting(start..<template.byteCount)
            if let place = Place(rest) {
                if place.isPercent { out.append(UInt8(ascii: "%")) }
                if let number = place.number ?? (place.isPercent ? nil : next) {
                    out.append(argument: document.element(text.arguments, number), document)
                    if place.number == nil { next += 1 }
                }
                start += place.length
            } else {
                let length = UTF8Text.sequence(at: 0, in: rest) ?? 1
                out.append(rest.extracting(0..<length))
                start += length
            }
            // What follows a piece that did not fit is left out, too.
            if out.overflowed { return true }
        }
        return true
    }
}

/// `%@`, `%1$@` or `%%` at the beginning of a text.
private struct Place {
    var length = 2
    /// Counted from 0; nil for the next.
    var number: Int?
    var isPercent = false

    init?(_ text: RawSpan) {
        guard text.byteCount >= 2, text[0] == UInt8(ascii: "%") else { return nil }
        if text[1] == UInt8(ascii: "@") { return }
        isPercent = text[1] == UInt8(ascii: "%")
        if isPercent { return }
        var value = 0
        var index = 1
        while index < min(text.byteCount, 4), text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") {
            value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard value > 0, index + 1 < text.byteCount, text[index] == UInt8(ascii: "$"),
            text[index + 1] == UInt8(ascii: "@")
        else { return nil }
        number = value - 1
        length = index + 2
    }
}

extension Document {
    /// An element of an array by its number.
    fileprivate func element(_ array: Value?, _ number: Int) -> Value? {
        guard let array else { return nil }
        var element = firstChild(array)
        var left = number
        while let value = element, left > 0 {
            left -= 1
            element = next(value)
        }
        return element
    }
}

extension ByteBuffer {
    fileprivate mutating func append(argument value: Document.Value?, _ document: borrowing Document) {
        guard let value else { return }
        if let text = document.string(value) {
            append(fitting: text)
        } else if let number = document.int(value) {
            append(decimal: number)
        }
    }

    /// As many whole characters as fit. Sets `overflowed` if not all do.
    mutating func append(fitting text: RawSpan) {
        var end = min(text.byteCount, free)
        if end < text.byteCount {
            while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        }
        append(text.extracting(0..<end))
        if end < text.byteCount { append(text.extracting(end..<text.byteCount)) }
    }
}
