import Bytes
import CBoard

/// Content type 0x01: an object as JSON (RFC 8259), parsed by jansson in fixed memory.
///
/// Of equal keys the last one counts; null stays null. An integer beyond Int64 becomes the nearest double; a number
/// that no double holds is an error. U+0000 is a character like any other in a string; jansson has no keys with it.
enum JSON {
    /// Decodes the input of the document. The caller holds the lock of `ParserMemory`.
    static func decode(into document: inout Document) throws(PayloadError) {
        let input = document.input
        guard let first = input.first else { throw .empty }
        guard first == UInt8(ascii: "{") || isSpace(first) else {
            throw .contradictsContentType(ContentType.json)
        }
        // jansson would lose a NUL that follows a number.
        if let nul = input.firstIndex(of: 0) { throw .syntax(offset: nul) }
        // jansson calls itself once a level, up to 2048 times; and it would not say where.
        if let bracket = JSONScanner.bracketTooDeep(input) { throw .nesting(offset: bracket) }
        document.removeValues()
        let root = try parse(&document)
        defer { json_decref(root) }
        guard root.pointee.type == JSON_OBJECT else { throw .notMap(offset: start(input)) }
        var builder = JSONBuilder(offset: document.inputCount)
        try builder.build(root, into: &document)
        try document.finish()
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Where the first byte is that is no white space.
    private static func start(_ input: UnsafeRawBufferPointer) -> Int {
        input.firstIndex { !isSpace($0) } ?? input.count
    }

    private static func parse(_ document: inout Document) throws(PayloadError) -> UnsafeMutablePointer<json_t> {
        let input = document.input
        var scanner = JSONScanner(input)
        guard scanner.nextWideInteger() != nil else { return try parse(input, wide: false, of: document) }
        // The copy is not needed any more once jansson has its tree.
        let mark = document.textMark
        try copyMarkingWideIntegers(&document)
        defer { document.truncateText(to: mark) }
        return try parse(document.slice(document.text(since: mark)), wide: true, of: document)
    }

    private static func parse(
        _ text: UnsafeRawBufferPointer, wide: Bool, of document: borrowing Document
    ) throws(PayloadError) -> UnsafeMutablePointer<json_t> {
        // Where its allocations fail, jansson's lexer may go on with what it has. So none may fail.
        guard ParserMemory.hasRoom(forJSON: text.count) else { throw .capacity(offset: 0) }
        var fault = json_error_t()
        let start = text.assumingMemoryBound(to: CChar.self).baseAddress
        if let root = json_loadb(start, text.count, Int(JSON_ALLOW_NUL), &fault) { return root }
        var offset = max(Int(fault.position), 0)
        if wide { offset = originalOffset(offset, in: document.input) }
        throw error(json_error_code(&fault), at: min(offset, document.inputCount))
    }

    /// What jansson's faults are to us. The codes that are not named belong to calls that are not made here.
    private static func error(_ code: json_error_code, at offset: Int) -> PayloadError {
        switch code {
        case json_error_out_of_memory: .capacity(offset: offset)
        case json_error_stack_overflow: .nesting(offset: offset)
        case json_error_invalid_utf8: .utf8(offset: offset)
        case json_error_premature_end_of_input: .truncated(offset: offset)
        case json_error_end_of_input_expected: .trailing(offset: offset)
        case json_error_null_byte_in_key: .nulInKey(offset: offset)
        case json_error_numeric_overflow: .notFinite(offset: offset)
        default: .syntax(offset: offset)
        }
    }

    // MARK: Integers beyond Int64

    private static let exponent: String = "e0"

    /// Writes a copy of the input behind it in which every integer beyond Int64 has an exponent. jansson takes such a
    /// number for a real one, rounds it to the nearest double and tells the others apart as before.
    private static func copyMarkingWideIntegers(_ document: inout Document) throws(PayloadError) {
        let input = document.input
        var scanner = JSONScanner(input)
        var copied = 0
        while let end = scanner.nextWideInteger() {
            try document.appendText(input.bytes.extracting(copied..<end), at: end)
            try document.appendText(exponent, at: end)
            copied = end
        }
        try document.appendText(input.bytes.extracting(copied..<input.count), at: copied)
    }

    /// Where in the input an offset of that copy is.
    private static func originalOffset(_ offset: Int, in input: UnsafeRawBufferPointer) -> Int {
        var scanner = JSONScanner(input)
        var original = offset
        while let end = scanner.nextWideInteger(), end < original {
            original = max(end, original - exponent.utf8.count)
        }
        return original
    }
}
