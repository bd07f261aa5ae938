import Bytes
import Foundation
import Testing
import Vectors

@testable import Sealing

@Suite struct IdentityTests {
    /// The fields of C_REGISTER after its header: key, timestamp.
    private static var registration: (publicKey: [UInt8], timestamp: [UInt8]) {
        let frame = unhex(Transcript.register)
        let length = Int(frame[8]) << 8 | Int(frame[9])
        return (Array(frame[10..<10 + length]), Array(frame[10 + length..<18 + length]))
    }

    /// The timestamp and signature of a C_REGISTER_RESP or C_LOGIN_RESP.
    private static func response(_ text: String) -> (timestamp: [UInt8], signature: [UInt8]) {
        let frame = unhex(text)
        return (Array(frame[8..<16]), Array(frame[18...]))
    }

    @Test func recordedIdentityHasTheRecordedPublicKey() throws {
        let identity = try Identity(pem: array(Transcript.identity).span.bytes)
        let key = try appended { (out) throws(SealingError) in try identity.appendPublicKey(to: &out) }
        #expect(key == Self.registration.publicKey)
        #expect(key.count == 294)
    }

    @Test func recordedPEMIsWrittenTheSame() throws {
        let identity = try Identity(pem: array(Transcript.identity).span.bytes)
        let pem = try appended { (out) throws(SealingError) in try identity.appendPEM(to: &out) }
        #expect(String(decoding: pem, as: UTF8.self) == Transcript.identity)
    }

    @Test func recordedSignaturesVerify() throws {
        let register = Self.response(Transcript.registerResponse)
        let key = Self.registration.publicKey
        let registerMessage = unhex(Transcript.registerChallenge).dropFirst(8) + register.timestamp
        #expect(register.timestamp == Self.registration.timestamp)
        #expect(try verify(register.signature, Array(registerMessage), key))
        let logins = [
            (Transcript.firstChallenge, Transcript.firstResponse),
            (Transcript.secondChallenge, Transcript.secondResponse),
        ]
        for (challenge, response) in logins {
            let login = Self.response(response)
            let message =
                unhex(challenge).dropFirst(8) + array(Transcript.deviceAddress) + login.timestamp
            #expect(login.signature.count == 256)
            #expect(try verify(login.signature, Array(message), key))
            #expect(try !verify(login.signature, Array(message.dropLast()), key))
        }
    }

    @Test(arguments: [0, 1, 40, 5000]) func ownSignaturesVerify(length: Int) throws {
        let identity = try Identity(pem: array(Transcript.identity).span.bytes)
        let message = [UInt8](repeating: 0xA5, count: length)
        let signature = try appended(capacity: 256) { (out) throws(SealingError) in
            try identity.sign(message.span.bytes, into: &out)
        }
        let other = try appended(capacity: 256) { (out) throws(SealingError) in
            try identity.sign(message.span.bytes, into: &out)
        }
        #expect(signature.count == 256)
        // The salt is random.
        #expect(signature != other)
        let key = Self.registration.publicKey
        #expect(try verify(signature, message, key))
        #expect(try verify(other, message, key))
        #expect(try !verify(signature, message + [0], key))
        #expect(try !verify(signature.reversed(), message, key))
        #expect(try !verify([UInt8](signature.dropLast()), message, key))
        #expect(try !verify([], message, key))
    }

    @Test func newIdentitySurvivesItsPEM() throws {
        let identity = try Identity.generate()
        let pem = try appended { (out) throws(SealingError) in try identity.appendPEM(to: &out) }
        #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let again = try Identity(pem: pem.span.bytes)
        let key = try appended { (out) throws(SealingError) in try identity.appendPublicKey(to: &out) }
        let sameKey = try appended { (out) throws(SealingError) in try again.appendPublicKey(to: &out) }
        #expect(key == sameKey)
        #expect(key != Self.registration.publicKey)
        let message: [UInt8] = [1, 2, 3]
        let signature = try appended { (out) throws(SealingError) in
            try again.sign(message.span.bytes, into: &out)
        }
        #expect(try verify(signature, message, key))
        #expect(try !verify(signature, message, Self.registration.publicKey))
    }

    @Test func buffersWithoutRoom() throws {
        let identity = try Identity(pem: array(Transcript.identity).span.bytes)
        let short = failure { () throws(SealingError) in
            var buffer = ByteBuffer(capacity: 255)
            try identity.sign(array("1").span.bytes, into: &buffer)
        }
        #expect(short == .room)
        let noKey = failure { () throws(SealingError) in
            var buffer = ByteBuffer(capacity: 293)
            try identity.appendPublicKey(to: &buffer)
        }
        #expect(noKey == .room)
        let noPEM = failure { () throws(SealingError) in
            var buffer = ByteBuffer(capacity: Transcript.identity.utf8.count - 1)
            try identity.appendPEM(to: &buffer)
        }
        #expect(noPEM == .room)
    }

    @Test func malformedPEM() {
        let good = Transcript.identity
        let bad = [
            "", "x", String(good.prefix(800)), good.replacingOccurrences(of: "MIIEv", with: "AAAAA"),
            "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            encryptedPEM,
        ]
        for text in bad {
            let error = failure { () throws(SealingError) in _ = try Identity(pem: array(text).span.bytes) }
            #expect(error == .malformedKey)
        }
    }

    @Test func otherKinds() {
        for pem in [ellipticPEM, shortPEM] {
            let error = failure { () throws(SealingError) in _ = try Identity(pem: array(pem).span.bytes) }
            #expect(error == .keyKind)
        }
    }

    @Test func malformedPublicKeys() {
        for key in [[], [0x30], Array(Self.registration.publicKey.dropLast())] {
            let error = failure { () throws(SealingError) in
                _ = try Identity.verify(array("1").span.bytes, of: array("2").span.bytes, publicKey: key.span.bytes)
            }
            #expect(error == .malformedKey)
        }
    }

    private func verify(_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) throws -> Bool {
        try Identity.verify(signature.span.bytes, of: message.span.bytes, publicKey: key.span.bytes)
    }
}
