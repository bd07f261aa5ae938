import Payload
import Testing

/// A document of another program's, and its canonical JSON; both in base64, lest an editor touch them.
struct Fixture: CustomTestStringConvertible, Sendable {
    var name: String
    var type: UInt8
    var base64: String
    var expected: String

    var testDescription: String { name }
}

@Suite struct FixtureTests {
    @Test(arguments: Fixtures.all) func decodesTheSame(fixture: Fixture) {
        let expected = String(decoding: unbase64(fixture.expected), as: UTF8.self)
        #expect(decode(unbase64(fixture.base64), type: fixture.type) == .json(expected))
    }

    @Test(arguments: Fixtures.all) func inflated(fixture: Fixture) {
        let bytes = unbase64(fixture.base64)
        #expect(decode(deflate(bytes), type: fixture.type, compressed: true) == decode(bytes, type: fixture.type))
    }

    /// Every program, every form.
    @Test func thereAreFixtures() {
        for kind in ["json, ", "plistlib, XML", "plistlib, binary", "libplist, XML", "libplist, binary"] {
            let count = Fixtures.all.filter { $0.name.hasPrefix(kind) }.count
            #expect(count >= 8, "\(kind)")
        }
    }
}
