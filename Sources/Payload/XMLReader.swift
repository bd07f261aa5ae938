import Bytes
import CBoard

/// From expat's events to the document.
struct XMLReader {
    enum Element {
        case plist, dict, array, key, string, integer, real, yes, no, date, data
    }

    private let parser: XML_Parser
    private let document: UnsafeMutablePointer<Document>
    /// The first thing that went wrong. expat may still report an event or two after it was stopped.
    private(set) var error: PayloadError?
    /// The element now open that can hold only text.
    private var leaf: Element?
    /// Where the leaf begins in the input, and its text among the copied ones.
    private var start = 0
    private var mark = 0
    /// The element `plist` is open.
    private var isInside = false

    init(parser: XML_Parser, document: UnsafeMutablePointer<Document>) {
        self.parser = parser
        self.document = document
    }

    // MARK: Events

    /// The parser's user data must be a pointer to a reader.
    static func setHandlers(of parser: XML_Parser) {
        XML_SetElementHandler(
            parser,
            { reader, name, _ in XMLReader.handle(reader) { (reader) throws(PayloadError) in try reader.begin(name) } },
            { reader, _ in XMLReader.handle(reader) { (reader) throws(PayloadError) in try reader.end() } })
        XML_SetCharacterDataHandler(parser) { reader, text, count in
            let piece = UnsafeRawBufferPointer(start: text, count: Int(count))
            XMLReader.handle(reader) { (reader) throws(PayloadError) in try reader.append(piece) }
        }
        XML_SetXmlDeclHandler(parser) { reader, _, encoding, _ in
            XMLReader.handle(reader) { (reader) throws(PayloadError) in try reader.check(encoding: encoding) }
        }
        XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, hasDeclarations in
            guard hasDeclarations != 0 else { return }
            XMLReader.handle(reader) { (reader) throws(PayloadError) in throw .entity(offset: reader.offset) }
        }
        // With a document type that is not fetched, an unknown entity is no error to expat.
        XML_SetSkippedEntityHandler(parser) { reader, _, _ in
            XMLReader.handle(reader) { (reader) throws(PayloadError) in throw .entity(offset: reader.offset) }
        }
    }

    private static func handle(
        _ reader: UnsafeMutableRawPointer?, _ body: (inout XMLReader) throws(PayloadError) -> Void
    ) {
        guard let reader = reader?.assumingMemoryBound(to: XMLReader.self), reader.pointee.error == nil else { return }
        do throws(PayloadError) {
            try body(&reader.pointee)
        } catch {
            reader.pointee.error = error
            XML_StopParser(reader.pointee.parser, 0)
        }
    }

    /// Where the present event begins in the input.
    private var offset: Int { min(max(Int(XML_GetCurrentByteIndex(parser)), 0), document.pointee.inputCount) }

    private func check(encoding: UnsafePointer<CChar>?) throws(PayloadError) {
        guard let encoding else { return }
        // ASCII is a part of UTF-8.
        guard strcasecmp(encoding, "utf-8") == 0 || strcasecmp(encoding, "us-ascii") == 0 else {
            throw .encoding(offset: offset)
        }
    }

    // MARK: Elements

    private mutating func begin(_ name: UnsafePointer<CChar>?) throws(PayloadError) {
        let offset = offset
        guard let name, let element = Self.element(name) else { throw .unknownElement(offset: offset) }
        // Everything is within one `plist`, which expat sees to be the only root.
        guard leaf == nil, isInside == (element != .plist) else { throw .structure(offset: offset) }
        switch element {
        case .plist: isInside = true
        case .dict: try document.pointee.beginMap(at: offset)
        case .array: try document.pointee.beginArray(at: offset)
        default:
            leaf = element
            start = offset
            mark = document.pointee.textMark
        }
    }

    private mutating func end() throws(PayloadError) {
        if let leaf {
            self.leaf = nil
            try end(leaf)
        } else if document.pointee.depth > 0 {
            try document.pointee.end(at: offset)
        } else {
            isInside = false
        }
    }

    private mutating func append(_ text: UnsafeRawBufferPointer) throws(PayloadError) {
        switch leaf {
        case .key, .string, .integer, .real, .date, .data:
            try document.pointee.appendText(text.bytes, at: offset)
        default:
            // Between elements there is only white space.
            for byte in text where !JSON.isSpace(byte) { throw .structure(offset: offset) }
        }
    }

    private static func element(_ name: UnsafePointer<CChar>) -> Element? {
        let name = UnsafeRawBufferPointer(start: name, count: strlen(name)).bytes
        if name.equals("key") { return .key }
        if name.equals("string") { return .string }
        if name.equals("integer") { return .integer }
        if name.equals("dict") { return .dict }
        if name.equals("array") { return .array }
        if name.equals("true") { return .yes }
        if name.equals("false") { return .no }
        if name.equals("real") { return .real }
        if name.equals("data") { return .data }
        if name.equals("date") { return .date }
        if name.equals("plist") { return .plist }
        return nil
    }

    // MARK: Values

    /// Adds the value of an element that has ended.
    private func end(_ leaf: Element) throws(PayloadError) {
        let text = document.pointee.text(since: mark)
        switch leaf {
        case .key: try document.pointee.key(text, at: start)
        case .string: try document.pointee.string(text, at: start)
        case .integer: try document.pointee.integer(written: text, at: start)
        case .real: try document.pointee.real(written: text, at: start)
        case .date:
            let written = document.pointee.slice(text).bytes
            guard PropertyListDate.isValid(written) else { throw .date(offset: start) }
            try document.pointee.string(text, at: start)
        case .data: try document.pointee.data(inBase64: text, at: start)
        case .yes: try document.pointee.bool(true, at: start)
        default: try document.pointee.bool(false, at: start)
        }
    }
}
