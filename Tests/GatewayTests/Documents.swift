import Bytes
import Payload

/// Decodes JSON and hands the document over.
func withDocument<R>(_ json: String, _ body: (borrowing Document) throws -> R) throws -> R {
    guard var decoder = DocumentDecoder() else { fatalError("no decoder") }
    var document = Document()
    let bytes = Array(json.utf8)
    try decoder.decode(contentType: ContentType.json, data: bytes.span.bytes, into: &document)
    return try body(document)
}
