import Bytes
import CBoard

/// A section's header.
struct INISection {
    let line: Int
    /// Its first word, and what follows it.
    let kind: String
    let name: String?
}

/// A key with its value.
struct INIEntry {
    let line: Int
    /// Index of the section; nil before the first.
    let section: Int?
    let key: String
    let value: String
    /// Where the value begins in its line, in characters counted from 1.
    let column: Int
}

/// The lines of an INI file, taken apart by inih.
///
/// inih is given one line at a time, so that each has its number. It reports only its first error, takes `:` for `=`,
/// joins indented lines, cuts values at ` ;` and sections at 50 bytes, none of which the contract has: lines are checked
/// before it sees them and section headers are read here.
final class INIFile {
    private(set) var sections: [INISection] = []
    private(set) var entries: [INIEntry] = []
    var faults = FaultList()

    private let bytes: [UInt8]
    private var offset = 0
    private var line = 0
    /// Of the value of the line that inih is given.
    private var column = 0

    /// Stands for `;` while inih looks, which would begin a comment. Control characters are refused, so it is free.
    private static let semicolon: UInt8 = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) { offset = 3 }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ini_parse_stream(
            { buffer, size, context in
                guard let buffer, let context else { return nil }
                let file = Unmanaged<INIFile>.fromOpaque(context).takeUnretainedValue()
                let target = UnsafeMutableRawBufferPointer(start: buffer, count: Int(size))
                return file.next(into: target) ? buffer : nil
            }, context,
            { context, _, key, value in
                guard let context, let key, let value else { return 0 }
                Unmanaged<INIFile>.fromOpaque(context).takeUnretainedValue().take(key, value)
                return 1
            }, context)
    }

    // MARK: Lines

    /// Hands inih the next line, an empty one in place of what is not a key; false at the end.
    private func next(into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard offset < bytes.count else { return false }
        line += 1
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var raw = bytes[offset..<end]
        offset = end + 1
        if raw.last == UInt8(ascii: "\r") { raw.removeLast() }
        let text = check(raw) ? content(raw) : []
        target[0] = 0
        guard text.count < target.count else {
            faults.add(line, "the line is longer than \(target.count - 1) bytes")
            return true
        }
        for index in text.indices {
            let byte = text[index]
            target[index] = byte == UInt8(ascii: ";") ? INIFile.semicolon : byte
        }
        target[text.count] = 0
        return true
    }

    /// Refuses what no line may hold.
    private func check(_ raw: ArraySlice<UInt8>) -> Bool {
        guard raw.count <= Limits.configurationLine else {
            faults.add(line, "the line is longer than \(Limits.configurationLine) bytes")
            return false
        }
        for byte in raw where byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F {
            faults.add(line, byte == 0 ? "the line holds a NUL byte" : "the line holds a control character")
            return false
        }
        let isText = Array(raw).withUnsafeBytes { UTF8Text.isValid($0.bytes) }
        if !isText { faults.add(line, "the line is not UTF-8") }
        return isText
    }

    /// The line if it is `KEY = VALUE`, without its comment. Sections are noted; everything else is a fault or nothing.
    private func content(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        let text = INIFile.trimmed(INIFile.withoutComment(raw))
        guard let first = text.first, first != UInt8(ascii: ";") else { return [] }
        if first == UInt8(ascii: "[") {
            section(text)
            return []
        }
        let separator = text.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }
        let isKey = separator.map { $0 > 0 && text[$0] == UInt8(ascii: "=") } ?? false
        if !isKey {
            let isIndented = raw.first == UInt8(ascii: " ") || raw.first == UInt8(ascii: "\t")
            faults.add(
                line,
                isIndented
                    ? "a value cannot continue on the next line: expected KEY = VALUE"
                    : "expected KEY = VALUE or [SECTION]")
            return []
        }
        if let separator { column = valueColumn(raw, key: text[...separator]) }
        return text
    }

    /// Counts the characters before the value: the indent, the key with its `=`, and white space.
    private func valueColumn(_ raw: ArraySlice<UInt8>, key: ArraySlice<UInt8>) -> Int {
        var index = raw.startIndex
        func skipSpace() {
            while index < raw.endIndex, raw[index] == UInt8(ascii: " ") || raw[index] == UInt8(ascii: "\t") {
                index += 1
            }
        }
        skipSpace()
        index += key.count
        skipSpace()
        return INIFile.characters(raw[..<index]) + 1
    }

    /// The characters of a text that is UTF-8: its bytes without those that continue one.
    static func characters(_ bytes: ArraySlice<UInt8>) -> Int {
        var count = 0
        for byte in bytes where byte & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// `[KIND]` or `[KIND NAME]`.
    private func section(_ text: [UInt8]) {
        guard let end = text.firstIndex(of: UInt8(ascii: "]")) else {
            return refuseSection("the section's name does not end in `]`")
        }
        guard end == text.count - 1 else { return refuseSection("only a comment may follow a section's name") }
        let inner = INIFile.trimmed(text[1..<end])
        guard !inner.isEmpty else { return refuseSection("the section has no name") }
        let space = inner.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ?? inner.count
        let name = INIFile.trimmed(inner[space...])
        sections.append(
            INISection(
                line: line, kind: String(decoding: inner[..<space], as: UTF8.self),
                name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)))
    }

    /// Keys after a header that cannot be read belong to it, not to the section before: they are ignored.
    private func refuseSection(_ text: String) {
        faults.add(line, text)
        sections.append(INISection(line: line, kind: "", name: nil))
    }

    /// From inih: a key and its value, which live until this returns.
    private func take(_ key: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
        var bytes = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
        for index in bytes.indices where bytes[index] == INIFile.semicolon { bytes[index] = UInt8(ascii: ";") }
        let name = UnsafeRawBufferPointer(start: key, count: strlen(key))
        entries.append(
            INIEntry(
                line: line, section: sections.isEmpty ? nil : sections.count - 1,
                key: String(decoding: name, as: UTF8.self), value: String(decoding: bytes, as: UTF8.self),
                column: column))
    }

    // MARK: Parts of lines

    /// What is before a `#` at the beginning or after white space.
    private static func withoutComment(_ raw: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var afterSpace = true
        for index in raw.indices {
            if raw[index] == UInt8(ascii: "#"), afterSpace { return raw[..<index] }
            afterSpace = raw[index] == UInt8(ascii: " ") || raw[index] == UInt8(ascii: "\t")
        }
        return raw
    }

    /// Without white space at both ends.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var rest = bytes
        while rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: "\t") { rest.removeFirst() }
        while rest.last == UInt8(ascii: " ") || rest.last == UInt8(ascii: "\t") { rest.removeLast() }
        return Array(rest)
    }
}
