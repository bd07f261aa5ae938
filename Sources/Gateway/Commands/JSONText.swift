import Bytes
import CBoard
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

    /// Refuses what is not of the version that this program speaks: `v` is 1.
    /// - Parameter what: for the message.
    func requireVersion(of what: String) throws(StartupError) {
        guard let value = document.lookup("v") else { throw StartupError("\(what) has no version, `v`", .badData) }
        guard document.int(value) == 1 else {
            let version = document.int(value).map { String($0) } ?? "unknown"
            throw StartupError("\(what) is of version \(version); this skyglowd knows version 1", .badData)
        }
    }

    /// The public key of X25519 in a base64 member.
    /// - Parameter what: for the message.
    func publicKey(_ name: String, of what: String) throws(StartupError) -> Blob<32> {
        guard let key = key(name) else { throw StartupError("\(what) has no \(name) of 32 bytes", .badData) }
        guard Self.isUsablePoint(key) else {
            throw StartupError("the \(name) of \(what) is no key: everybody could read what is sealed to it", .badData)
        }
        return key
    }

    /// False for the points of X25519 with which every private key agrees on the same secret (RFC 7748 §6.1), in each of
    /// their forms.
    private static func isUsablePoint(_ key: Blob<32>) -> Bool {
        // Whichever private key it is.
        let secret = [UInt8](repeating: 1, count: 32)
        var shared = [UInt8](repeating: 0, count: 32)
        return key.bytes.withUnsafeBytes {
            guard let point = $0.assumingMemoryBound(to: UInt8.self).baseAddress else { return false }
            return crypto_scalarmult(&shared, secret, point) == 0
        }
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
