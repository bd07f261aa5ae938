import Bytes
import Testing
import Vectors

@testable import Sealing

@Suite struct OpenerTests {
    private static let key = [UInt8](0..<32)
    private static let iv = [UInt8](100..<112)

    private static func seal(_ plain: [UInt8]) throws -> [UInt8] {
        try appended(capacity: 70_000) { (out) throws(SealingError) in
            try Opener.seal(plain.span.bytes, key: key.span.bytes, iv: iv.span.bytes, into: &out)
        }
    }

    /// Test cases 13 and 14 of McGrew and Viega, "The Galois/Counter Mode of Operation".
    @Test(
        arguments: [
            ("", "530f8afbc74536b9a963b4f1c4cb738b"),
            (
                "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
            ),
        ]) func publishedVectors(plain: String, sealed: String) throws
    {
        let key = [UInt8](repeating: 0, count: 32)
        let iv = [UInt8](repeating: 0, count: 12)
        var opener = try Opener()
        let opened = try appended { (out) throws(SealingError) in
            try opener.open(unhex(sealed).span.bytes, key: key.span.bytes, iv: iv.span.bytes, into: &out)
        }
        #expect(hex(opened) == plain)
        let again = try appended { (out) throws(SealingError) in
            try Opener.seal(unhex(plain).span.bytes, key: key.span.bytes, iv: iv.span.bytes, into: &out)
        }
        #expect(hex(again) == sealed)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4010, 65_536]) func lengths(length: Int) throws {
        let plain = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let sealed = try Self.seal(plain)
        #expect(sealed.count == length + 16)
        var opener = try Opener()
        // A buffer of exactly the right size, and one byte less.
        let opened = try appended(capacity: length) { (out) throws(SealingError) in
            try opener.open(sealed.span.bytes, key: Self.key.span.bytes, iv: Self.iv.span.bytes, into: &out)
        }
        #expect(opened == plain)
        guard length > 0 else { return }
        let error = failure { () throws(SealingError) in
            var short = ByteBuffer(capacity: length - 1)
            try opener.open(sealed.span.bytes, key: Self.key.span.bytes, iv: Self.iv.span.bytes, into: &short)
        }
        #expect(error == .room)
    }

    @Test func everyChangedBitFails() throws {
        let sealed = try Self.seal(array("the door"))
        var opener = try Opener()
        var output = ByteBuffer(capacity: 64)
        output.wipe()
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let error = failure { () throws(SealingError) in
                try opener.open(changed.span.bytes, key: Self.key.span.bytes, iv: Self.iv.span.bytes, into: &output)
            }
            #expect(error == .authentication, "bit \(bit)")
            #expect(output.count == 0)
            let isClear = output.tail.allSatisfy { $0 == 0 }
            #expect(isClear)
        }
        // And the same context still opens what is right.
        try opener.open(sealed.span.bytes, key: Self.key.span.bytes, iv: Self.iv.span.bytes, into: &output)
        #expect(array(output.bytes) == array("the door"))
    }

    @Test func truncationsFail() throws {
        let sealed = try Self.seal(array("the door"))
        var opener = try Opener()
        for length in 0..<sealed.count {
            let error = failure { () throws(SealingError) in
                var output = ByteBuffer(capacity: 64)
                try opener.open(
                    sealed.span.bytes.extracting(0..<length), key: Self.key.span.bytes, iv: Self.iv.span.bytes,
                    into: &output)
            }
            #expect(error == .authentication)
        }
    }

    @Test func wrongKeysAndNonces() throws {
        let sealed = try Self.seal(array("the door"))
        var opener = try Opener()
        func open(key: [UInt8], iv: [UInt8]) -> SealingError? {
            failure { () throws(SealingError) in
                var output = ByteBuffer(capacity: 64)
                try opener.open(sealed.span.bytes, key: key.span.bytes, iv: iv.span.bytes, into: &output)
            }
        }
        #expect(open(key: Self.key, iv: Self.iv) == nil)
        #expect(open(key: Self.key.reversed(), iv: Self.iv) == .authentication)
        #expect(open(key: Self.key, iv: Self.iv.reversed()) == .authentication)
        #expect(open(key: [UInt8](Self.key.dropLast()), iv: Self.iv) == .length)
        #expect(open(key: Self.key + [0], iv: Self.iv) == .length)
        #expect(open(key: Self.key, iv: [UInt8](Self.iv.dropLast())) == .length)
        #expect(open(key: Self.key, iv: Self.iv + [0]) == .length)
    }

    @Test func openingAppends() throws {
        let sealed = try Self.seal(array(" door"))
        var opener = try Opener()
        let opened = try appended { (out) throws(SealingError) in
            out.append("the")
            try opener.open(sealed.span.bytes, key: Self.key.span.bytes, iv: Self.iv.span.bytes, into: &out)
        }
        #expect(opened == array("the door"))
    }
}
