import Foundation

/// A notification to be sent, and every way in which it can be wrong.
public struct Message: Sendable {
    public enum Content: Sendable {
        /// Flat TLV, content type 0x00.
        case flat([FlatRecord])
        /// Structured TLV, content type 0x03.
        case structured(Value)
        /// JSON, content type 0x01.
        case json(Value)
        /// Bytes as they are.
        case raw([UInt8], type: UInt8)
    }

    /// A record of flat TLV, SGP v2 §6.
    public struct FlatRecord: Sendable {
        public var type: UInt8
        public var value: [UInt8]

        public init(_ type: UInt8, _ value: [UInt8]) {
            self.type = type
            self.value = value
        }

        public static func title(_ text: String) -> FlatRecord { FlatRecord(1, Array(text.utf8)) }
        public static func body(_ text: String) -> FlatRecord { FlatRecord(2, Array(text.utf8)) }
        public static func sound(_ text: String) -> FlatRecord { FlatRecord(3, Array(text.utf8)) }
        public static func custom(_ data: [UInt8]) -> FlatRecord { FlatRecord(4, data) }
    }

    public enum Delivery: Sendable {
        /// Kept until acknowledged and sent now if the device is connected.
        case queued
        /// Kept, and sent only at the next C_POLL.
        case held
        /// Sent now and forgotten.
        case unqueued
    }

    public var content: Content
    public var encrypted = false
    public var compressed = false
    /// Unix seconds; 0 = never.
    public var expiresAt: Int64 = 0
    /// 16 bytes; nil for random ones.
    public var identifier: [UInt8]?
    /// Nil for the next of the device.
    public var sequence: Int64?
    public var delivery = Delivery.queued
    /// How often it is sent at once; the rest are duplicates.
    public var copies = 1

    // Faults.

    /// Encrypts with a random key instead of the token's.
    public var wrongKey = false
    /// Puts a random routing key in front; the token only finds the device.
    public var unknownKey = false
    /// Replaces the flags byte.
    public var flags: UInt8?
    /// Replaces the content type byte.
    public var contentType: UInt8?
    /// Replaces data_len.
    public var dataLength: UInt32?

    public init(_ content: Content) { self.content = content }

    /// A structured message with a title and a body.
    public init(title: String, body: String = "") { content = .structured(.notification(title: title, body: body)) }

    /// A flat message whose S_NOTIFY payload has exactly this many bytes, from 79 on.
    public static func ofPayloadSize(_ size: Int) -> Message {
        // 70 bytes of header, the title's record, then records of three bytes and at most 65,535 more.
        var records = [FlatRecord.title("Big")]
        var rest = size - 70 - 6
        while rest >= 3 {
            let length = min(rest - 3, 0x8000)
            records.append(FlatRecord(rest == size - 76 ? 2 : 4, [UInt8](repeating: 0x78, count: length)))
            rest -= length + 3
        }
        return Message(.flat(records))
    }
}

extension Value {
    /// `{"aps": {"alert": {"title", "body"}, …}}` with the keys of SGP v2 §6; nil leaves a key out.
    public static func notification(
        title: String?, body: String? = nil, subtitle: String? = nil, sound: String? = nil, badge: Int64? = nil,
        category: String? = nil, thread: String? = nil, level: String? = nil, custom: [Entry] = []
    ) -> Value {
        let alert = [("title", title), ("subtitle", subtitle), ("body", body)].compactMap { name, text in
            text.map { Entry(name, .string($0)) }
        }
        var aps = [Entry("alert", .map(alert))]
        let texts = [("sound", sound), ("category", category), ("thread-id", thread), ("interruption-level", level)]
        aps += texts.compactMap { name, text in text.map { Entry(name, .string($0)) } }
        if let badge { aps.append(Entry("badge", .integer(badge))) }
        return .map([Entry("aps", .map(aps))] + custom)
    }
}

extension Message {
    /// The data before compression and encryption, and its content type.
    func plain(reference: Bool = false) -> (data: [UInt8], type: UInt8) {
        switch content {
        case .flat(let records):
            (records.flatMap { [$0.type] + Wire.bigEndian(UInt16($0.value.count)) + $0.value }, 0x00)
        case .structured(let value): ((reference ? value.asReferenceServer : value).structured, 0x03)
        case .json(let value): (Array((reference ? value.asReferenceServer : value).json.utf8), 0x01)
        case .raw(let bytes, let type): (bytes, type)
        }
    }

    /// The payload of S_NOTIFY, SGP v2 §5.
    func payload(token: DeviceToken, identifier: [UInt8], sequence: Int64, reference: Bool = false) -> [UInt8] {
        var (data, type) = plain(reference: reference)
        if compressed { data = deflate(data) }
        var nonce: [UInt8] = []
        if encrypted || wrongKey {
            nonce = Cryptography.random(12)
            let key = wrongKey ? Cryptography.random(32) : token.endToEndKey
            data = Cryptography.seal(data, key: key, nonce: nonce)
        }
        let flagBits: UInt8 = (encrypted || wrongKey ? 1 : 0) | (compressed ? 2 : 0)
        var payload = unknownKey ? Cryptography.random(32) : token.routingKey
        payload += identifier + Wire.bigEndian(sequence) + Wire.bigEndian(expiresAt)
        payload += [flags ?? flagBits, contentType ?? type] + Wire.bigEndian(dataLength ?? UInt32(data.count))
        return payload + data + nonce
    }
}
