import Bytes
import Payload
import Testing

/// One document in every format.
@Suite struct FourFormatsTests {
    /// The characters that the keys of every format can have.
    private static let characters: [Unicode.Scalar] = [
        "a", "b", "\"", "\\", "/", "<", ">", "&", "'", "]", "\t", "\n", "\r", " ", "\u{7F}", "\u{E9}", "\u{2028}",
        "\u{5D0}", "\u{FFFD}", "\u{1F514}", "\u{10FFFF}",
    ]

    @Test(arguments: 0..<20) func randomDocuments(batch: UInt64) {
        var generator = SeededGenerator(state: batch)
        var encoder = Encoder(seed: batch &+ 1000)
        for _ in 0..<100 {
            let model = Model.random(depth: 4, of: Self.characters, using: &generator)
            let whole = decode(model.tlv, type: ContentType.structuredTLV)
            #expect(decode(encoder.json(model), type: ContentType.json) == whole)
            let plain = model.withoutNull
            let expected = decode(plain.tlv, type: ContentType.structuredTLV)
            #expect(decode(encoder.json(plain), type: ContentType.json) == expected)
            #expect(decode(encoder.xml(plain), type: ContentType.propertyList) == expected)
            #expect(decode(encoder.binary(plain), type: ContentType.propertyList) == expected)
            // The binary form can hold null, which is dropped.
            #expect(decode(encoder.binary(model), type: ContentType.propertyList) == expected)
        }
    }
}
