import Bytes
import Payload
import Relay

// Any bytes as the body of a cronstable daemon, and as the plaintext of its alert.

nonisolated(unsafe) private var decoder = DocumentDecoder()!
nonisolated(unsafe) private var document = Document()
nonisolated(unsafe) private var output = Document()
nonisolated(unsafe) private var renderer = AlertRenderer()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: min(count, Limits.requestBody))
    do throws(PayloadError) {
        try decoder.decode(contentType: ContentType.json, data: input.bytes, into: &document)
    } catch { return 0 }
    envelope(document)
    alert()
    return 0
}

private func envelope(_ document: borrowing Document) {
    do throws(EnvelopeError) {
        let envelope = try CronstableEnvelope(document)
        guard envelope.ciphertext.byteCount <= Limits.alertCiphertext, envelope.collapse.count == 16,
            envelope.device.count >= Limits.relayTokenMinimum
        else { fatalError("envelope") }
    } catch {
        if error.text.isEmpty { fatalError("error") }
    }
    _ = SealedMember(document)
}

private func alert() {
    do throws(PayloadError) {
        let rendered = try renderer.alert(document, urgency: .timeSensitive, now: 1_795_999_440, into: &output)
        guard let rendered else { return }
        let view = NotificationView(output)
        guard view.title != nil, rendered.isStale == (view.sound == nil) else { fatalError("alert") }
    } catch {}
}
