import Bytes
import Payload
import Testing

private func decode(_ bytes: [UInt8]) -> Outcome { decode(bytes, type: ContentType.flatTLV) }

private func record(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
    [type, UInt8(value.count >> 8), UInt8(value.count & 255)] + value
}
private func record(_ type: UInt8, _ value: String) -> [UInt8] { record(type, array(value)) }

@Suite struct FlatTLVTests {
    @Test func allRecords() {
        let bytes = record(1, "Door") + record(2, "Someone") + record(3, "bell") + record(4, [0, 0xFF])
        let expected =
            #"{"aps":{"alert":{"body":"Someone","title":"Door"},"sound":"bell"},"custom_data":{"$data":"AP8="}}"#
        #expect(decode(bytes) == .json(expected))
    }

    @Test func singleRecords() {
        #expect(decode(record(1, "t")) == .json(#"{"aps":{"alert":{"title":"t"}}}"#))
        #expect(decode(record(2, "b")) == .json(#"{"aps":{"alert":{"body":"b"}}}"#))
        #expect(decode(record(3, "s")) == .json(#"{"aps":{"sound":"s"}}"#))
        #expect(decode(record(4, [1])) == .json(#"{"custom_data":{"$data":"AQ=="}}"#))
        #expect(decode(record(1, "")) == .json(#"{"aps":{"alert":{"title":""}}}"#))
        #expect(decode(record(4, [])) == .json(#"{"custom_data":{"$data":""}}"#))
    }

    @Test func lastDuplicateWins() {
        let bytes = record(2, "one") + record(1, "a") + record(2, "two") + record(1, "") + record(2, "three")
        #expect(decode(bytes) == .json(#"{"aps":{"alert":{"body":"three","title":""}}}"#))
    }

    @Test func longRecords() {
        for length in [255, 256, 65_533] {
            let text = String(repeating: "x", count: length)
            let outcome = decode(record(1, text))
            #expect(outcome == .json(#"{"aps":{"alert":{"title":""# + text + #""}}}"#))
        }
    }

    @Test func truncationsAreErrors() {
        let bytes = record(1, "Door") + record(2, "Someone")
        for length in 0..<bytes.count where length != 7 {
            let expected: PayloadError = length == 0 ? .empty : .truncated(offset: length < 7 ? 0 : 7)
            #expect(decode(Array(bytes.prefix(length))) == .error(expected))
        }
        #expect(decode(bytes + [0]) == .error(.unknownType(0, offset: bytes.count)))
        #expect(decode(bytes + [1]) == .error(.truncated(offset: bytes.count)))
    }

    @Test func badRecords() {
        #expect(decode(record(0, "x")) == .error(.contradictsContentType(0)))
        #expect(decode(record(5, "x")) == .error(.contradictsContentType(0)))
        #expect(decode(array("bplist00")) == .error(.contradictsContentType(0)))
        #expect(decode(array("{}")) == .error(.contradictsContentType(0)))
        #expect(decode(record(1, "x") + record(5, "x")) == .error(.unknownType(5, offset: 4)))
        for type: UInt8 in 1...3 {
            #expect(decode(record(type, [0x80])) == .error(.utf8(offset: 3)))
            // Also in a record that a later one replaces.
            #expect(decode(record(type, [0x80]) + record(type, "x")) == .error(.utf8(offset: 3)))
        }
        #expect(decode(record(4, [0x80]) + record(1, "x") + [1, 0, 1, 0xFF]) == .error(.utf8(offset: 11)))
    }

    @Test func structuredDataIsNoFlatData() {
        guard case .error = decode(Model.map([("aps", .map([]))]).tlv) else {
            Issue.record("accepted")
            return
        }
        guard case .error = decode(record(1, "Door"), type: ContentType.structuredTLV) else {
            Issue.record("accepted")
            return
        }
    }
}
