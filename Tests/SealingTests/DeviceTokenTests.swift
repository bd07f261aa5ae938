import Bytes
import Testing
import Vectors

@testable import Sealing

@Suite struct DeviceTokenTests {
    @Test func recordedTokenGivesTheRecordedKeys() throws {
        let token = try DeviceToken(hex: array(Transcript.token).span.bytes)
        #expect(token.serverAddress.text == Transcript.serverAddress)
        let routingKey = try token.routingKey()
        let endToEndKey = try token.endToEndKey()
        #expect(hex(array(routingKey.bytes)) == Transcript.routingKey)
        #expect(hex(array(endToEndKey.bytes)) == Transcript.endToEndKey)
    }

    @Test func tokenPrintsAsItWasRead() throws {
        let token = try DeviceToken(hex: array(Transcript.token).span.bytes)
        let printed = try appended { (out) throws(SealingError) in out.append(hex: token) }
        let raw = try appended { (out) throws(SealingError) in out.append(token) }
        #expect(printed == array(Transcript.token))
        #expect(raw == unhex(Transcript.token))
        let upper = try DeviceToken(hex: array(Transcript.token.uppercased()).span.bytes)
        #expect(upper == token)
    }

    @Test(arguments: [1, 15, 16]) func newTokens(length: Int) throws {
        let address = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        let one = try DeviceToken(serverAddress: address.span.bytes)
        let other = try DeviceToken(serverAddress: address.span.bytes)
        #expect(one != other)
        let printed = try appended { (out) throws(SealingError) in out.append(hex: one) }
        #expect(printed.count == 64)
        let read = try DeviceToken(hex: printed.span.bytes)
        #expect(read == one)
        #expect(read.serverAddress.count == length)
    }

    @Test(arguments: ["", "12345678901234567", "a b", "a\0", "\u{FC}.es"]) func badAddresses(address: String) {
        let error = failure { () throws(SealingError) in
            _ = try DeviceToken(serverAddress: array(address).span.bytes)
        }
        #expect(error == .serverAddress)
    }

    @Test(arguments: [0, 15, 17]) func badSecrets(length: Int) {
        let error = failure { () throws(SealingError) in
            _ = try DeviceToken(
                serverAddress: array("sgn.test").span.bytes, secret: [UInt8](repeating: 1, count: length).span.bytes)
        }
        #expect(error == .length)
    }

    @Test func malformedTokens() {
        let good = Transcript.token
        let secret = String(good.suffix(32))
        let bad: [String] = [
            "", String(good.dropLast()), String(good.dropLast(2)), good + "0", good + "00",
            "g" + String(good.dropFirst()),
            // No address; a zero byte inside one; a control character.
            String(repeating: "0", count: 32) + secret,
            "73006e2e746573740000000000000000" + secret,
            "730a6e2e746573740000000000000000" + secret,
        ]
        for text in bad {
            let error = failure { () throws(SealingError) in _ = try DeviceToken(hex: array(text).span.bytes) }
            #expect(error == .malformedToken, "\(text)")
        }
    }

    @Test func wipedTokensForgetTheirSecret() throws {
        var token = try DeviceToken(hex: array(Transcript.token).span.bytes)
        token.wipe()
        #expect(array(token.secret.bytes).allSatisfy { $0 == 0 })
    }
}

@Suite struct DigestTests {
    /// FIPS 180-4 examples.
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]) func sha256(text: String, expected: String) throws
    {
        let digest = try SHA256.digest(array(text).span.bytes)
        #expect(hex(array(digest.bytes)) == expected)
    }

    /// RFC 5869, test case 3, the first 32 bytes.
    @Test func hkdf() throws {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let key = try HKDF.derive(secret: secret.span.bytes, salt: [UInt8]().span.bytes)
        #expect(hex(array(key.bytes)) == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    }
}
