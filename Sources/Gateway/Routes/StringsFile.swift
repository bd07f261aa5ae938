import Bytes

/// Why a strings file is refused: what is wrong, in which line.
public struct StringsError: Error, Equatable, Sendable {
    /// Counted from 1; 0 for the whole file.
    public let line: Int
    public let message: String
}

extension StringsTable {
    /// Reads a strings file: one text a line, as `"key" = "text";` or `key = text`. Blank lines and lines that begin with
    /// `#` or `//` say nothing, nor does what is between `/*` at the beginning of a line and `*/` at the end of one.
    ///
    /// Within quotes `\"`, `\\`, `\n`, `\t`, `\r` and `\uXXXX` (also `\UXXXX`) are escapes.
    public static func parse(_ bytes: [UInt8]) throws(StringsError) -> StringsTable {
        guard bytes.count <= Limits.stringsFile else {
            throw StringsError(line: 0, message: "is longer than \(Limits.stringsFile) bytes")
        }
        var parser = StringsParser()
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) ? bytes[3...] : bytes[...]
        for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            try parser.take(line)
        }
        try parser.finish()
        return StringsTable(parser.entries)
    }
}

private struct StringsParser {
    var entries: [StringsTable.Entry] = []
    private var lines: [Int] = []
    private var line = 0
    /// Where the comment that is open began.
    private var comment: Int?
    private var text: [UInt8] = []
    private var index = 0

    mutating func take(_ raw: ArraySlice<UInt8>) throws(StringsError) {
        line += 1
        text = INIFile.trimmed(raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw)
        index = 0
        let isText = text.withUnsafeBytes { UTF8Text.isValid($0.bytes) }
        guard isText else { throw error("is not UTF-8") }
        if text.starts(with: "/*".utf8), comment == nil { comment = line }
        if comment != nil {
            if text.count >= 4 || !text.starts(with: "/*".utf8), text.suffix(2).elementsEqual("*/".utf8) {
                comment = nil
            }
            return
        }
        guard let first = text.first, first != UInt8(ascii: "#"), !text.starts(with: "//".utf8) else { return }
        try entry()
    }

    func finish() throws(StringsError) {
        guard let comment else { return }
        throw StringsError(line: comment, message: "this comment is not closed: expected `*/` at the end of a line")
    }

    private mutating func entry() throws(StringsError) {
        let isQuoted = text[0] == UInt8(ascii: "\"")
        let key = isQuoted ? try quoted() : bareKey()
        skipSpace()
        guard index < text.count, text[index] == UInt8(ascii: "=") else {
            throw error("expected \"KEY\" = \"TEXT\"; or KEY = TEXT")
        }
        guard !key.isEmpty else { throw error("the key is empty") }
        index += 1
        skipSpace()
        let value = try value()
        for other in entries.indices where entries[other].key == key {
            throw error("`\(String(decoding: key, as: UTF8.self))` was set in line \(lines[other]) already")
        }
        guard entries.count < Limits.strings else { throw error("more than \(Limits.strings) texts") }
        entries.append(StringsTable.Entry(key: key, text: value))
        lines.append(line)
    }

    private mutating func bareKey() -> [UInt8] {
        let end = text.firstIndex(of: UInt8(ascii: "=")) ?? text.count
        index = end
        return INIFile.trimmed(text[..<end])
    }

    private mutating func value() throws(StringsError) -> [UInt8] {
        guard index < text.count, text[index] == UInt8(ascii: "\"") else {
            // What is not quoted is taken as it is, to the end.
            return Array(text[index...])
        }
        let value = try quoted()
        skipSpace()
        if index < text.count, text[index] == UInt8(ascii: ";") { index += 1 }
        skipSpace()
        guard index == text.count || text[index...].starts(with: "//".utf8) else {
            throw error("only `;` may follow the quoted text")
        }
        return value
    }

    // MARK: Quotes

    private mutating func quoted() throws(StringsError) -> [UInt8] {
        var out: [UInt8] = []
        index += 1
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return out
            case UInt8(ascii: "\\"): try escape(&out)
            default: out.append(byte)
            }
        }
        throw error("a quote is not closed")
    }

    private mutating func escape(_ out: inout [UInt8]) throws(StringsError) {
        guard index < text.count else { throw error("a quote is not closed") }
        let byte = text[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"): out.append(byte)
        case UInt8(ascii: "n"): out.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "t"): out.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "r"): out.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            guard let scalar = scalar() else { throw error("`\\u` wants four hexadecimal digits of a character") }
            out.append(contentsOf: String(Character(scalar)).utf8)
        default: throw error("only \\\" \\\\ \\n \\t \\r \\uXXXX are escapes")
        }
    }

    /// Four digits, which name no half of a pair.
    private mutating func scalar() -> Unicode.Scalar? {
        guard index + 4 <= text.count else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(text[index]) else { return nil }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return Unicode.Scalar(value)
    }

    private mutating func skipSpace() {
        while index < text.count, text[index] == UInt8(ascii: " ") || text[index] == UInt8(ascii: "\t") { index += 1 }
    }

    private func error(_ message: String) -> StringsError { StringsError(line: line, message: message) }
}
