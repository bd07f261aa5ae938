import Bytes
import Gateway
import Payload

// Any bytes as the value of a `when` line, which is then asked of a document.

/// What the gateway reserves once; libFuzzer has no place to pass it through.
nonisolated(unsafe) private var document: Document = {
    var decoder = DocumentDecoder()!
    var document = Document()
    let json = Array(
        """
        {"aps":{"alert":{"title":"Fire"},"badge":3},"n":5,"d":2.5,"big":9223372036854775807,"t":true,"z":null,
        "list":[1,"two",{"k":"v"},null],"":"","e":{}}
        """.utf8)
    do throws(PayloadError) {
        try decoder.decode(contentType: ContentType.json, data: json.span.bytes, into: &document)
    } catch { fatalError("the document") }
    return document
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let conditions: [Condition]
    do throws(ConditionError) { conditions = try Condition.parse(text) } catch {
        guard error.offset >= 0, error.offset <= count, !error.message.isEmpty else { fatalError("error") }
        return 0
    }
    guard !conditions.isEmpty, conditions.count <= Limits.conditions else { fatalError("count") }
    for condition in conditions { check(condition) }
    return 0
}

/// What must be so whatever the document says.
private func check(_ condition: Condition) {
    guard !condition.path.isEmpty else { fatalError("path") }
    func holds(_ operation: Condition.Operator) -> Bool {
        Condition(path: condition.path, operation: operation, operand: condition.operand).holds(document)
    }
    guard holds(.exists) != holds(.absent), holds(.equal) != holds(.notEqual) else { fatalError("opposites") }
    guard !(holds(.less) && holds(.greater)), !(holds(.less) && holds(.equal)) else { fatalError("order") }
    guard holds(.absent) ? !holds(.lessOrEqual) && !holds(.contains) : true else { fatalError("absent") }
    _ = condition.holds(document)
}
