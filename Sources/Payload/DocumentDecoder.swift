import Bytes

/// From the data of a notification, already decrypted, to its document.
public struct DocumentDecoder: ~Copyable {
    private var inflater: Inflater

    /// Reserves the memory of the parsers, once in a process. Nil if zlib gets no memory.
    public init?() {
        guard ParserMemory.isInstalled, let inflater = Inflater() else { return nil }
        self.inflater = inflater
    }

    /// The memory of jansson and expat.
    public static var memory: PayloadMemory {
        let arena = ParserMemory.arena
        return PayloadMemory(
            reserved: arena.capacity, used: arena.used, peak: arena.peak, failures: arena.failures)
    }

    /// Inflates the data if it is compressed, and parses it by its content type. The document keeps a copy of the data
    /// as its input. After an error the document is empty.
    public mutating func decode(
        contentType: UInt8, compressed: Bool = false, data: RawSpan, into document: inout Document
    ) throws(PayloadError) {
        do throws(PayloadError) {
            if compressed {
                try document.load(inflating: data, with: &inflater)
            } else {
                try document.load(data)
            }
            try Self.parse(contentType: contentType, &document)
        } catch {
            document.removeAll()
            throw error
        }
    }

    /// Parses the input of the document.
    private static func parse(contentType: UInt8, _ document: inout Document) throws(PayloadError) {
        ParserMemory.lock()
        defer { ParserMemory.unlock() }
        switch contentType {
        case ContentType.flatTLV: try FlatTLV.decode(into: &document)
        case ContentType.structuredTLV: try StructuredTLV.decode(into: &document)
        case ContentType.json: try JSON.decode(into: &document)
        case ContentType.propertyList: try PropertyList.decode(into: &document)
        default: throw .unknownContentType(contentType)
        }
    }
}
