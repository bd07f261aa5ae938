import Bytes
import Payload

// Any bytes as the payload of an S_NOTIFY: framing, inflating and decoding by whatever content type it names. The data
// of an encrypted one is taken as it is, for the fuzzer cannot seal.

/// What the gateway reserves once; libFuzzer has no place to pass it through.
nonisolated(unsafe) private var decoder = DocumentDecoder()!
nonisolated(unsafe) private var document = Document()
nonisolated(unsafe) private var json = ByteBuffer(capacity: Limits.canonicalJSON)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    receive(input.bytes)
    let memory = DocumentDecoder.memory
    guard memory.used == 0, memory.failures == 0 else { fatalError("memory") }
    return 0
}

private func receive(_ payload: RawSpan) {
    guard (NotifyHeader(payload) != nil) == (payload.byteCount >= Limits.notifyHeader) else { fatalError("header") }
    do throws(PayloadError) {
        let frame = try NotifyFrame(payload)
        let length = Limits.notifyHeader + frame.data.byteCount + frame.iv.byteCount
        guard length == payload.byteCount else { fatalError("frame") }
        try decoder.decode(
            contentType: frame.header.contentType, compressed: frame.header.isCompressed, data: frame.data,
            into: &document)
    } catch {
        guard !error.reason.isEmpty else { fatalError("reason") }
        return
    }
    json.removeAll()
    json.append(canonicalJSON: document)
    guard !json.overflowed, UTF8Text.isValid(json.bytes) else { fatalError("JSON") }
}
