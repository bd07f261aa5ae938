import Bytes
import Foundation
import Testing

@testable import Sealing

/// RFC 9180 A.2.3, from Tests/Vectors.
private struct Vector: Decodable {
    struct Encryption: Decodable {
        var seq: Int
        var pt: String
        var aad: String
        var ct: String
    }
    struct Extra: Decodable {
        var pt: String
        var key: String
        var baseNonce: String
        var ct: String
    }
    var info: String
    var enc: String
    var pkRm: String
    var skRm: String
    var pkSm: String
    var skSm: String
    var skEm: String
    var sharedSecret: String
    var key: String
    var baseNonce: String
    var encryptions: [Encryption]
    var extraGeneratedHere: Extra

    static func load() throws -> Vector {
        let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(
            Vector.self, from: Data(contentsOf: place.appendingPathComponent("Vectors/hpke-auth-vector.json")))
    }

    func open(
        _ sealed: [UInt8], sender: [UInt8]? = nil, info: [UInt8]? = nil, aad: [UInt8]? = nil, capacity: Int = 4096
    ) throws -> [UInt8] {
        let receiver = try SecretKey(unhex(skRm).span.bytes)
        let (receiverPublic, senderPublic) = (unhex(pkRm), sender ?? unhex(pkSm))
        let (information, additional) = (info ?? unhex(self.info), aad ?? unhex(encryptions[0].aad))
        return try appended(capacity: capacity) { (out) throws(SealingError) in
            try HPKE.open(
                sealed.span.bytes, receiver: receiver, receiverPublic: receiverPublic.span.bytes,
                sender: senderPublic.span.bytes, info: information.span.bytes, additional: additional.span.bytes,
                into: &out)
        }
    }
}

@Suite struct HPKETests {
    private let vector: Vector

    init() throws { vector = try Vector.load() }

    @Test func keysOfTheRFC() throws {
        let receiver = try SecretKey(unhex(vector.skRm).span.bytes)
        #expect(hex(array(try receiver.publicKey().bytes)) == vector.pkRm)
        let (enc, sender, mine, info) = (unhex(vector.enc), unhex(vector.pkSm), unhex(vector.pkRm), unhex(vector.info))
        let secret = try SharedSecret(
            private1: receiver.pointer, public1: enc.span.bytes, private2: receiver.pointer, public2: sender.span.bytes)
        let keys = try HPKE.schedule(
            secret: secret, encapsulated: enc.span.bytes, receiver: mine.span.bytes, sender: sender.span.bytes,
            info: info.span.bytes)
        #expect(hex(array(keys.shared.bytes)) == vector.sharedSecret)
        #expect(hex(array(keys.key.bytes)) == vector.key)
        #expect(hex(array(keys.nonce.bytes)) == vector.baseNonce)
    }

    /// Neither the key nor what it was extracted from outlives its use.
    @Test func wiping() throws {
        let secret = [UInt8](repeating: 0xA5, count: 64)
        var labelled = LabelledHKDF(suite: .kem)
        try labelled.extract(salt: RawSpan(), label: "eae_prk", secret.span.bytes)
        let before = (labelled.input.indices.filter { labelled.input[$0] == 0xA5 }.count, labelled.key.count)
        labelled.wipe()
        let after = (labelled.input.indices.filter { labelled.input[$0] != 0 }.count, labelled.key.count)
        let bytes = withUnsafeBytes(of: labelled.key) { $0.filter { $0 != 0 }.count }
        #expect(before.0 >= 64 && before.1 == 32 && after == (0, 0) && bytes == 0)
        // A second point that no honest sender has: what was agreed with the first is gone too.
        let receiver = try SecretKey()
        let (point, zero) = (unhex(vector.enc), [UInt8](repeating: 0, count: 32))
        #expect(throws: SealingError.weakKey) {
            _ = try SharedSecret(
                private1: receiver.pointer, public1: point.span.bytes, private2: receiver.pointer,
                public2: zero.span.bytes)
        }
    }

    @Test func opensWhatTheRFCSealed() throws {
        let first = vector.encryptions[0]
        #expect(hex(try vector.open(unhex(vector.enc + first.ct))) == first.pt)
        let extra = vector.extraGeneratedHere
        #expect(hex(try vector.open(unhex(vector.enc + extra.ct), info: [], aad: [])) == extra.pt)
        // Later messages of a context are not for us.
        #expect(throws: SealingError.authentication) { try vector.open(unhex(vector.enc + vector.encryptions[1].ct)) }
    }

    @Test func sealsByteForByte() throws {
        let first = vector.encryptions[0]
        let (sender, ephemeral) = (
            try SecretKey(unhex(vector.skSm).span.bytes), try SecretKey(unhex(vector.skEm).span.bytes)
        )
        let (plain, own, receiver) = (unhex(first.pt), unhex(vector.pkSm), unhex(vector.pkRm))
        let (info, aad) = (unhex(vector.info), unhex(first.aad))
        let sealed = try appended { (out) throws(SealingError) in
            try HPKE.seal(
                plain.span.bytes, sender: sender, senderPublic: own.span.bytes, receiver: receiver.span.bytes,
                info: info.span.bytes, additional: aad.span.bytes, ephemeral: ephemeral, into: &out)
        }
        #expect(hex(sealed) == vector.enc + first.ct)
    }

    @Test func everyOtherByteIsRefused() throws {
        let good = unhex(vector.enc + vector.encryptions[0].ct)
        for index in good.indices {
            var bad = good
            bad[index] ^= 0x40
            #expect(throws: SealingError.authentication, "byte \(index)") { try vector.open(bad) }
        }
        for length in [0, 1, 31, 32, 47, 48, good.count - 1] {
            #expect(throws: SealingError.authentication) { try vector.open(Array(good.prefix(length))) }
        }
        #expect(throws: SealingError.authentication) { try vector.open(good + [0]) }
        #expect(throws: SealingError.room) { try vector.open(good, capacity: 27) }
        #expect(try vector.open(good, capacity: good.count - 48).count == good.count - 48)
    }

    @Test func wrongSenderInfoAndPoints() throws {
        let good = unhex(vector.enc + vector.encryptions[0].ct)
        #expect(throws: SealingError.authentication) { try vector.open(good, sender: unhex(vector.pkRm)) }
        #expect(throws: SealingError.authentication) { try vector.open(good, info: []) }
        #expect(throws: SealingError.authentication) { try vector.open(good, aad: []) }
        // Points of small order.
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(throws: SealingError.authentication) { try vector.open(zero + good[32...]) }
        #expect(throws: SealingError.authentication) { try vector.open([1] + zero.dropFirst() + good[32...]) }
        #expect(throws: SealingError.authentication) { try vector.open(good, sender: zero) }
    }

    /// The same message with the mode of base (0), psk (1) and auth with psk (3), as anybody who has the secret of the
    /// encapsulation would seal it; with mode 2 it opens.
    @Test(arguments: [UInt8(0), 1, 2, 3]) func otherModes(mode: UInt8) throws {
        let ephemeral = try SecretKey(unhex(vector.skEm).span.bytes)
        let sender = try SecretKey(unhex(vector.skSm).span.bytes)
        let (enc, own, mine) = (unhex(vector.enc), unhex(vector.pkSm), unhex(vector.pkRm))
        let (info, aad, plain) = (unhex(vector.info), unhex(vector.encryptions[0].aad), array("hello"))
        let secret = try SharedSecret(
            private1: ephemeral.pointer, public1: mine.span.bytes, private2: sender.pointer, public2: mine.span.bytes)
        let keys = try HPKE.schedule(
            secret: secret, encapsulated: enc.span.bytes, receiver: mine.span.bytes, sender: own.span.bytes,
            info: info.span.bytes, mode: mode)
        let sealed = try appended { (out) throws(SealingError) in
            try AEAD.seal(
                plain.span.bytes, key: keys.key.bytes, nonce: keys.nonce.bytes, additional: aad.span.bytes, into: &out)
        }
        if mode == HPKE.mode {
            #expect(try vector.open(enc + sealed) == plain)
        } else {
            #expect(throws: SealingError.authentication) { try vector.open(enc + sealed) }
        }
    }
}

@Suite struct SealedBoxTests {
    @Test(arguments: [0, 1, 63, 64, 2802]) func lengths(length: Int) throws {
        let key = try SecretKey()
        let own = array(try key.publicKey().bytes)
        let message = [UInt8](repeating: 7, count: length)
        let sealed = try appended { (out) throws(SealingError) in
            try SealedBox.seal(message.span.bytes, publicKey: own.span.bytes, into: &out)
        }
        #expect(sealed.count == length + 48)
        let opened = try appended(capacity: length) { (out) throws(SealingError) in
            try SealedBox.open(sealed.span.bytes, publicKey: own.span.bytes, secretKey: key, into: &out)
        }
        #expect(opened == message)
        for length in [0, 47, sealed.count - 1] {
            #expect(throws: SealingError.authentication) {
                try appended { (out) throws(SealingError) in
                    try SealedBox.open(
                        sealed.span.bytes.extracting(0..<length), publicKey: own.span.bytes, secretKey: key, into: &out)
                }
            }
        }
    }

    /// RFC 4231, test case 2, has a key of 4 bytes; case 1's is padded with zeros here, which HMAC does itself.
    @Test func code() throws {
        var bytes = [UInt8](repeating: 0, count: 32)
        for index in 0..<20 { bytes[index] = 0x0b }
        let key = try SecretKey(bytes.span.bytes)
        let message = array("Hi There")
        let code = HMAC256.code(message.span.bytes, key: key)
        #expect(hex(array(code.bytes)) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        func verify(_ code: [UInt8], _ message: String) -> Bool {
            let message = array(message)
            return HMAC256.verify(code.span.bytes, of: message.span.bytes, key: key)
        }
        let right = array(code.bytes)
        #expect(verify(right, "Hi There"))
        #expect(!verify(Array(right.prefix(31)), "Hi There"))
        #expect(!verify(right, "Hi there"))
    }
}
