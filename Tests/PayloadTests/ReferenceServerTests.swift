import Bytes
import Payload
import Sealing
import Testing
import Vectors

/// What the reference server sent.
@Suite struct ReferenceServerTests {
    @Test func plainNotification() throws {
        let bytes = Array(unhex(Transcript.plainNotify).dropFirst(Limits.frameHeader))
        let frame = try NotifyFrame(bytes.span.bytes)
        #expect(hex(array(frame.header.messageID.bytes)) == "9e73722db3c941968760e6314ee990e0")
        #expect(frame.header.sequence == 0x6B0C_C6DB)
        #expect(frame.header.expiresAt == 0)
        #expect(frame.header.flags == 0)
        var decoder = DocumentDecoder()!
        var document = Document()
        try decoder.decode(contentType: frame.header.contentType, data: frame.data, into: &document)
        let expected =
            "{\"aps\":{\"alert\":{\"body\":\"Someone is at the door \u{2014} \u{E9}\",\"title\":\"Door\"},"
            + "\"badge\":3.0,\"sound\":\"default\"},\"who\":[1.0,2.5,true]}"
        #expect(json(document) == expected)
        let view = NotificationView(document)
        #expect(text(view.title) == "Door")
        #expect(text(view.body) == "Someone is at the door \u{2014} \u{E9}")
        #expect(text(view.sound) == "default")
        #expect(view.badge == 3)
    }

    @Test func encryptedNotification() throws {
        let bytes = Array(unhex(Transcript.encryptedNotify).dropFirst(Limits.frameHeader))
        let frame = try NotifyFrame(bytes.span.bytes)
        #expect(hex(array(frame.header.messageID.bytes)) == "b8ac60c106d64e59a47f96098c694400")
        #expect(frame.header.isEncrypted)
        #expect(!frame.header.isCompressed)
        #expect(frame.header.contentType == ContentType.json)
        var opener = try Opener()
        var output = ByteBuffer(capacity: Limits.framePayload)
        try opener.open(
            frame.data, key: unhex(Transcript.endToEndKey).span.bytes, iv: frame.iv, into: &output)
        #expect(text(output.bytes) == #"{"aps": {"alert": "sealed hello", "sound": "default"}}"#)
        var decoder = DocumentDecoder()!
        var document = Document()
        try decoder.decode(contentType: frame.header.contentType, data: output.bytes, into: &document)
        #expect(json(document) == #"{"aps":{"alert":"sealed hello","sound":"default"}}"#)
    }

    @Test func contentTypes() {
        let bytes = Model.map([("a", .null)]).tlv
        #expect(decode(bytes, type: 1) == .error(.contradictsContentType(1)))
        #expect(decode(bytes, type: 2) == .error(.contradictsContentType(2)))
        for type: UInt8 in [4, 5, 127, 255] {
            #expect(decode(bytes, type: type) == .error(.unknownContentType(type)))
        }
    }
}
