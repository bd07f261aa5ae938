import Bytes
import CBoard

/// A property list in XML, parsed by expat in fixed memory.
///
/// A document type may be named, as Apple's tools do, and is never fetched; one that declares anything is refused
/// before its first declaration, so there are no entities but the five of XML. Attributes, comments and processing
/// instructions have no meaning and are skipped.
enum XMLPropertyList {
    /// Decodes the input of the document. The caller holds the lock of `ParserMemory`.
    static func decode(into document: inout Document) throws(PayloadError) {
        if let offset = firstInvalid(document.input.bytes) { throw .utf8(offset: offset) }
        document.removeValues()
        let failures = ParserMemory.arena.failures
        var suite = ParserMemory.expatSuite
        guard let parser = XML_ParserCreate_MM("UTF-8", &suite, nil) else { throw .capacity(offset: 0) }
        defer { XML_ParserFree(parser) }
        let error = withUnsafeMutablePointer(to: &document) { document in
            var reader = XMLReader(parser: parser, document: document)
            return withUnsafeMutablePointer(to: &reader) { parse(document.pointee.input, with: parser, into: $0) }
        }
        // Whatever expat made of it.
        guard ParserMemory.arena.failures == failures else { throw .capacity(offset: document.inputCount) }
        if let error { throw error }
        try document.finish(at: document.inputCount)
    }

    private static func parse(
        _ input: UnsafeRawBufferPointer, with parser: XML_Parser, into reader: UnsafeMutablePointer<XMLReader>
    ) -> PayloadError? {
        XML_SetUserData(parser, reader)
        XMLReader.setHandlers(of: parser)
        let text = input.assumingMemoryBound(to: CChar.self).baseAddress
        let status = XML_Parse(parser, text, Int32(input.count), 1)
        if let error = reader.pointee.error { return error }
        guard status != XML_STATUS_OK else { return nil }
        let offset = min(max(Int(XML_GetCurrentByteIndex(parser)), 0), input.count)
        return error(XML_GetErrorCode(parser), at: offset)
    }

    private static func error(_ code: XML_Error, at offset: Int) -> PayloadError {
        switch code {
        case XML_ERROR_NO_MEMORY: .capacity(offset: offset)
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_UNCLOSED_CDATA_SECTION:
            .truncated(offset: offset)
        case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: .trailing(offset: offset)
        case XML_ERROR_UNDEFINED_ENTITY: .entity(offset: offset)
        case XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING: .encoding(offset: offset)
        default: .syntax(offset: offset)
        }
    }

    /// expat only says that a token is wrong; this says that it is the encoding.
    private static func firstInvalid(_ bytes: RawSpan) -> Int? {
        var index = 0
        while index < bytes.byteCount {
            guard let length = UTF8Text.sequence(at: index, in: bytes) else { return index }
            index += length
        }
        return nil
    }
}
