import Bytes

/// Content type 0x02: a property list, binary or XML, as its first bytes say (SGP v2 §6).
///
/// What both forms have in common, beyond the one model:
/// - A date becomes a string as XML writes it, `2001-01-01T00:00:00Z`, in whole seconds.
/// - An integer from 2^63 to 2^64 − 1 becomes a double.
/// - Infinities and NaN, unique identifiers and sets are refused.
enum PropertyList {
    /// Decodes the input of the document. The caller holds the lock of `ParserMemory`.
    static func decode(into document: inout Document) throws(PayloadError) {
        let bytes = document.input.bytes
        guard bytes.byteCount > 0 else { throw .empty }
        if bytes.starts(with: "bplist0") {
            try BinaryPropertyList.decode(into: &document)
        } else if beginsAsXML(bytes) {
            try XMLPropertyList.decode(into: &document)
        } else {
            throw .contradictsContentType(ContentType.propertyList)
        }
    }

    /// A byte order mark and white space may come first. UTF-16 is not among what a sender may use.
    private static func beginsAsXML(_ bytes: RawSpan) -> Bool {
        var start = bytes.starts(with: "\u{FEFF}") ? 3 : 0
        while start < bytes.byteCount, JSON.isSpace(bytes[start]) { start += 1 }
        let rest = bytes.extracting(start..<bytes.byteCount)
        return rest.starts(with: "<?xml") || rest.starts(with: "<!DOCTYPE") || rest.starts(with: "<!--")
            || rest.starts(with: "<plist")
    }
}
