import Bytes
import Gateway
import Payload

// Any bytes as a strings file; the text of the key `k` is then filled in.

/// What the gateway reserves once; libFuzzer has no place to pass it through.
nonisolated(unsafe) private var out = ByteBuffer(capacity: 256)
nonisolated(unsafe) private var document: Document = {
    var decoder = DocumentDecoder()!
    var document = Document()
    let json = Array(#"{"aps":{"alert":{"loc-key":"k","loc-args":["Tür",-7,null,"🔔"]}}}"#.utf8)
    do throws(PayloadError) {
        try decoder.decode(contentType: ContentType.json, data: json.span.bytes, into: &document)
    } catch { fatalError("the document") }
    return document
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let strings: StringsTable
    do throws(StringsError) { strings = try StringsTable.parse(text) } catch {
        guard error.line >= 0, error.line <= count + 1, !error.message.isEmpty else { fatalError("error") }
        return 0
    }
    guard strings.count <= Limits.strings else { fatalError("count") }
    out.removeAll()
    let view = NotificationView(document)
    if let body = view.localizedBody { _ = strings.append(body, document, to: &out) }
    guard UTF8Text.isValid(out.bytes) else { fatalError("UTF-8") }
    return 0
}
