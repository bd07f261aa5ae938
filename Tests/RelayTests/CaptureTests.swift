import Bytes
import Foundation
import Payload
import Sealing
import Testing
import Vectors

@testable import Relay

/// Posts of the real daemons, recorded, from Tests/Vectors. They open with the clock of their time.
private struct Capture: Decodable {
    struct Daemon: Decodable {
        struct Device: Decodable { var privateKeyHex: String }
        struct Post: Decodable {
            var bodyText: String
            var plaintextUtf8: String
            var kind: String
        }
        var device: Device
        var pushToken: String
        var captures: [Post]
    }
    var seedMatching: Daemon
    var latest: Daemon
}

@Suite(.serialized) struct CaptureTests {
    /// 2026-11-30T00:45:00Z
    private static let now: Int64 = 1_795_999_500

    @Test(arguments: [0, 601, -1_000]) func recordedPosts(later: Int64) throws {
        let capture = try loadVector("cronstable-capture.json", as: Capture.self)
        for daemon in [capture.seedMatching, capture.latest] {
            let bytes = unhex(daemon.device.privateKeyHex)
            let key = try SecretKey(bytes.span.bytes)
            for post in daemon.captures {
                try check(post, key, token: daemon.pushToken, now: Self.now + later, isStale: later != 0)
            }
        }
    }

    /// Where nobody knows the time, nothing is called outdated that says when it was sent.
    @Test func withoutAClock() throws {
        let capture = try loadVector("cronstable-capture.json", as: Capture.self)
        let daemon = capture.latest
        let bytes = unhex(daemon.device.privateKeyHex)
        let key = try SecretKey(bytes.span.bytes)
        for post in daemon.captures { try check(post, key, token: daemon.pushToken, now: nil, isStale: false) }
    }

    private func check(
        _ post: Capture.Daemon.Post, _ key: SecretKey, token: String, now: Int64?, isStale: Bool
    ) throws {
        guard var decoder = DocumentDecoder() else { fatalError("no decoder") }
        var document = Document()
        let body = Array(post.bodyText.utf8)
        try decoder.decode(contentType: ContentType.json, data: body.span.bytes, into: &document)
        var sealed = ByteBuffer(capacity: 4096)
        var isNewer = false
        do {
            let envelope = try CronstableEnvelope(document)
            let taken = sealed.append(decoding: envelope.ciphertext, .standard)
            let device = envelope.device.bytes.withUnsafeBytes { Array($0) }
            #expect(taken && envelope.isTimeSensitive && !envelope.isEvent && device == unhex(token))
            isNewer = envelope.flap != nil
        }
        #expect(isNewer == post.bodyText.contains("flapId"))
        var plain = ByteBuffer(capacity: 4096)
        let own = try key.publicKey()
        try SealedBox.open(sealed.pointer.bytes, publicKey: own.bytes, secretKey: key, into: &plain)
        #expect(String(decoding: plain.pointer, as: UTF8.self) == post.plaintextUtf8)
        try decoder.decode(contentType: ContentType.json, data: plain.pointer.bytes, into: &document)
        var output = Document()
        var renderer = AlertRenderer()
        let rendered = try renderer.alert(document, urgency: .timeSensitive, now: now, into: &output)
        #expect(rendered?.isStale == isStale)
        let view = NotificationView(output)
        let title = view.title?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let text = view.body?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let hasSound = view.sound != nil
        #expect(hasSound != isStale)
        if post.kind == "test" {
            #expect(title == "Test alert" && text == "test alert from cronstable")
        } else {
            #expect(title == "fail-every-minute failed")
            #expect(text?.hasSuffix("exit code 3\nline one on stderr\nboom: disk full") == true)
        }
    }
}
