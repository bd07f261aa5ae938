import Bytes
import Payload
import Relay
import Sealing

// Any bytes as the body of a pocketty daemon, as a note, and as a grant.

nonisolated(unsafe) private var decoder = DocumentDecoder()!
nonisolated(unsafe) private var document = Document()
nonisolated(unsafe) private var output = Document()
nonisolated(unsafe) private var renderer = AlertRenderer()
nonisolated(unsafe) private var scratch = ByteBuffer(capacity: Limits.grant)
nonisolated(unsafe) private var key: SecretKey = {
    do throws(SealingError) { return try SecretKey() } catch { fatalError("key") }
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: min(count, Limits.requestBody))
    if Grant.token(input.bytes, key: key, scratch: &scratch) != nil { fatalError("a grant of nobody's") }
    do throws(PayloadError) {
        try decoder.decode(contentType: ContentType.json, data: input.bytes, into: &document)
    } catch { return 0 }
    envelopes(document)
    do throws(PayloadError) {
        let rendered = try renderer.note(document, daemon: 1, now: 1_795_999_440, into: &output)
        guard let rendered else { return 0 }
        guard rendered.time != nil, rendered.pane.count == 32, NotificationView(output).title != nil else {
            fatalError("note")
        }
    } catch {}
    return 0
}

private func envelopes(_ document: borrowing Document) {
    do throws(EnvelopeError) {
        let note = try NoteEnvelope(document)
        guard note.grant.byteCount <= Limits.grant, note.sealed.byteCount > 0 else { fatalError("push") }
    } catch { if error.text.isEmpty { fatalError("error") } }
    do throws(EnvelopeError) {
        guard try GrantEnvelope(document).token.count >= Limits.relayTokenMinimum else { fatalError("grant") }
    } catch { if error.text.isEmpty { fatalError("error") } }
}
