import Bytes
import CBoard

/// Values that XML spells out. Each takes the last copied text and adds what it means.
extension Document {
    /// `<integer>`: white space, a sign or none, and decimal digits or `0x` and hexadecimal ones.
    mutating func integer(written text: Text, at offset: Int) throws(PayloadError) {
        let bytes = slice(text).bytes
        var digits = Self.trimmed(bytes)
        let isNegative = !digits.isEmpty && bytes[digits.lowerBound] == UInt8(ascii: "-")
        if isNegative || (!digits.isEmpty && bytes[digits.lowerBound] == UInt8(ascii: "+")) {
            digits = digits.lowerBound + 1..<digits.upperBound
        }
        let magnitude = Self.magnitude(bytes.extracting(digits))
        truncateText(to: Int(text.offset))
        guard let magnitude else { throw .number(offset: offset) }
        try integer(magnitude: magnitude, isNegative: isNegative, at: offset)
    }

    /// `<real>`: white space, a sign or none, digits with a point or none, an exponent or none.
    mutating func real(written text: Text, at offset: Int) throws(PayloadError) {
        let bytes = slice(text).bytes
        let range = Self.trimmed(bytes)
        let trimmed = bytes.extracting(range)
        if Self.isNotFinite(trimmed) { throw .notFinite(offset: offset) }
        guard Self.isReal(trimmed) else { throw .number(offset: offset) }
        // strtod(3) stops at the end of the number, if that is not the end of the buffer.
        try appendText("\0", at: offset)
        let value = strtod(slice(text).baseAddress! + range.lowerBound, nil)
        truncateText(to: Int(text.offset))
        try double(value, at: offset)
    }

    /// `<data>`: base64 with white space anywhere. Its padding may be missing.
    mutating func data(inBase64 text: Text, at offset: Int) throws(PayloadError) {
        let mark = Int(text.offset)
        let digits = UnsafeMutableRawBufferPointer(rebasing: storage.mutablePointer[mark...])
        guard let count = Base64Digits.decode(digits) else { throw .base64(offset: offset) }
        truncateText(to: mark + count)
        try data(self.text(since: mark), at: offset)
    }

    // MARK: Syntax

    private static func trimmed(_ bytes: RawSpan) -> Range<Int> {
        var range = 0..<bytes.byteCount
        while !range.isEmpty, JSON.isSpace(bytes[range.lowerBound]) { range = range.lowerBound + 1..<range.upperBound }
        while !range.isEmpty, JSON.isSpace(bytes[range.upperBound - 1]) {
            range = range.lowerBound..<range.upperBound - 1
        }
        return range
    }

    private static func magnitude(_ digits: RawSpan) -> UInt64? {
        let isHex = digits.starts(with: "0x") || digits.starts(with: "0X")
        let base: UInt8 = isHex ? 16 : 10
        var index = isHex ? 2 : 0
        guard index < digits.byteCount else { return nil }
        var magnitude: UInt64 = 0
        while index < digits.byteCount {
            guard let digit = Hex.value(digits[index]), digit < base else { return nil }
            let (shifted, first) = magnitude.multipliedReportingOverflow(by: UInt64(base))
            let (sum, second) = shifted.addingReportingOverflow(UInt64(digit))
            guard !first, !second else { return nil }
            magnitude = sum
            index += 1
        }
        return magnitude
    }

    /// How C, Apple and others write what is no number.
    private static func isNotFinite(_ text: RawSpan) -> Bool {
        let isSigned = text.byteCount > 0 && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+"))
        let word = isSigned ? text.extracting(1..<text.byteCount) : text
        return isWord(word, "nan") || isWord(word, "inf") || isWord(word, "infinity")
    }

    private static func isWord(_ text: RawSpan, _ word: String) -> Bool {
        guard text.byteCount == word.utf8.count else { return false }
        var index = 0
        for byte in word.utf8 {
            guard text[index] | 0x20 == byte else { return false }
            index += 1
        }
        return true
    }

    private static func isReal(_ text: RawSpan) -> Bool {
        var index = 0
        func skipSign() {
            if index < text.byteCount, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
                index += 1
            }
        }
        func skipDigits() -> Int {
            let start = index
            while index < text.byteCount, text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") {
                index += 1
            }
            return index - start
        }
        skipSign()
        var digits = skipDigits()
        if index < text.byteCount, text[index] == UInt8(ascii: ".") {
            index += 1
            digits += skipDigits()
        }
        guard digits > 0 else { return false }
        if index < text.byteCount, text[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            skipSign()
            guard skipDigits() > 0 else { return false }
        }
        return index == text.byteCount
    }
}
