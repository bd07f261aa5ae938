import Bytes
import Payload

/// A small JSON object that a command was given.
struct JSONText: ~Copyable {
    private var document = Document()

    /// Nil for what is no JSON object.
    init?(_ bytes: [UInt8]) {
        guard var decoder = DocumentDecoder() else { return nil }
        do throws(PayloadError) {
            try decoder.decode(contentType: ContentType.json, data: bytes.span.bytes, into: &document)
        } catch { return nil }
    }

    /// A text member, of the root or of an object in it.
    func text(_ first: String, _ second: String? = nil) -> String? {
        guard let value = document.lookup(first, second), let text = document.string(value) else { return nil }
        return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The 32 bytes of a base64 member.
    func key(_ name: String) -> Blob<32>? {
        guard let text = text(name) else { return nil }
        var bytes = ByteBuffer(capacity: Limits.relayKey)
        defer { bytes.wipe() }
        let digits = Array(text.utf8)
        guard bytes.append(decoding: digits.span.bytes, .standard), bytes.count == Limits.relayKey else { return nil }
        return Blob<32>(bytes.pointer)
    }
}

extension String {
    /// Base64 of some bytes.
    init(base64 bytes: RawSpan) {
        var text = ByteBuffer(capacity: (bytes.byteCount + 2) / 3 * 4)
        text.append(base64: bytes)
        self = String(decoding: text.pointer, as: UTF8.self)
    }
}
