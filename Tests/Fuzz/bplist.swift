import Bytes
import Payload

// Any bytes as a binary property list (content type 0x02): what does not begin as one gets a beginning.

/// What the gateway reserves once; libFuzzer has no place to pass it through.
nonisolated(unsafe) private var decoder = DocumentDecoder()!
nonisolated(unsafe) private var document = Document()
nonisolated(unsafe) private var again = Document()
nonisolated(unsafe) private var json = ByteBuffer(capacity: Limits.canonicalJSON)
nonisolated(unsafe) private var second = ByteBuffer(capacity: Limits.canonicalJSON)
nonisolated(unsafe) private var list = ByteBuffer(capacity: 1 << 20)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    list.removeAll()
    if !input.bytes.starts(with: "bplist0") { list.append("bplist00") }
    list.append(input)
    do throws(PayloadError) {
        try decoder.decode(contentType: ContentType.propertyList, data: list.bytes, into: &document)
    } catch {
        guard !error.reason.isEmpty, error.offset ?? 0 <= list.count, document.root == nil else { fatalError("error") }
        checkMemory()
        return 0
    }
    checkMemory()
    check()
    return 0
}

/// The parsers leave nothing behind and never run out.
private func checkMemory() {
    let memory = DocumentDecoder.memory
    guard memory.used == 0, memory.failures == 0 else { fatalError("memory") }
}

/// Whatever decodes has canonical JSON that fits and is UTF-8, and is the same document as
/// JSON.
private func check() {
    json.removeAll()
    json.append(canonicalJSON: document)
    guard !json.overflowed, UTF8Text.isValid(json.bytes), let root = document.root else { fatalError("JSON") }
    checkOrder(root, depth: 1)
    let view = NotificationView(document)
    if let title = view.title, !UTF8Text.isValid(title) { fatalError("title") }
    // Escapes and exponents may have made it longer than a notification can be.
    guard json.count <= Limits.inflated else { return }
    do throws(PayloadError) {
        try decoder.decode(contentType: ContentType.json, data: json.bytes, into: &again)
    } catch {
        // The one thing that jansson cannot read.
        if case .nulInKey = error { return }
        fatalError("canonical JSON is no JSON")
    }
    second.removeAll()
    second.append(canonicalJSON: again)
    guard second.bytes.equals(json.bytes) else { fatalError("another document") }
}

private func checkOrder(_ container: Document.Value, depth: Int) {
    guard depth <= Limits.nesting else { fatalError("depth") }
    var count = 0
    var child = document.firstChild(container)
    while let value = child {
        count += 1
        child = document.next(value)
        if let next = child, let key = document.key(value), let following = document.key(next) {
            guard key.precedes(following) else { fatalError("order") }
        }
        if document.kind(value) == .map || document.kind(value) == .array { checkOrder(value, depth: depth + 1) }
    }
    guard count == document.count(container) else { fatalError("count") }
}
