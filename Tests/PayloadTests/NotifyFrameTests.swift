import Bytes
import Payload
import Testing

/// The payload of an S_NOTIFY.
private func payload(
    flags: UInt8 = 0, contentType: UInt8 = 3, claimed: Int? = nil, data: [UInt8] = [1, 0], iv: [UInt8] = []
) -> [UInt8] {
    let length = claimed ?? data.count
    var bytes = [UInt8](0..<48)
    bytes += [0, 0, 0, 0, 0x6B, 0x0C, 0xC6, 0xDB]
    bytes += [UInt8](repeating: 0xFF, count: 8)
    bytes += [flags, contentType]
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
    return bytes + data + iv
}

private func failure(_ bytes: [UInt8]) -> PayloadError? {
    do throws(PayloadError) {
        _ = try NotifyFrame(bytes.span.bytes)
        return nil
    } catch {
        return error
    }
}

@Suite struct NotifyFrameTests {
    private static let iv = [UInt8](200..<212)

    @Test func fields() throws {
        let bytes = payload(flags: 3, contentType: 1, data: [7, 8, 9], iv: Self.iv)
        let frame = try NotifyFrame(bytes.span.bytes)
        let header = frame.header
        #expect(array(header.routingKey.bytes) == [UInt8](0..<32))
        #expect(array(header.messageID.bytes) == [UInt8](32..<48))
        #expect(header.sequence == 0x6B0C_C6DB)
        #expect(header.expiresAt == -1)
        #expect(header.isEncrypted)
        #expect(header.isCompressed)
        #expect(header.contentType == 1)
        #expect(header.dataLength == 3)
        #expect(array(frame.data) == [7, 8, 9])
        #expect(array(frame.iv) == Self.iv)
    }

    @Test(arguments: [0, 1, 4026]) func dataLengths(length: Int) throws {
        let data = [UInt8](repeating: 5, count: length)
        let bytes = payload(data: data)
        let frame = try NotifyFrame(bytes.span.bytes)
        #expect(array(frame.data) == data)
        #expect(frame.iv.byteCount == 0)
        #expect(!frame.header.isEncrypted)
        #expect(!frame.header.isCompressed)
    }

    @Test func lengthsThatLie() {
        for claimed in [0, 1, 3, 4, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            let bytes = payload(claimed: claimed)
            #expect(failure(bytes) == .frameLength(expected: 70 + claimed))
            // The message can still be acknowledged.
            let header = NotifyHeader(bytes.span.bytes)
            #expect(header.map { array($0.messageID.bytes) } == [UInt8](32..<48))
        }
        #expect(failure(payload() + [0]) == .frameLength(expected: 72))
        #expect(failure([UInt8](payload().dropLast())) == .frameLength(expected: 72))
    }

    @Test func ivLengths() {
        for length in [0, 11, 13] {
            let bytes = payload(flags: 1, iv: [UInt8](repeating: 1, count: length))
            #expect(failure(bytes) == .frameLength(expected: 84))
        }
        #expect(failure(payload(flags: 1, iv: Self.iv)) == nil)
        #expect(failure(payload(flags: 0, iv: Self.iv)) == .frameLength(expected: 72))
        #expect(failure(payload(flags: 2)) == nil)
    }

    @Test func reservedFlags() {
        for bit: UInt8 in 2...7 {
            #expect(failure(payload(flags: 1 << bit)) == .reservedFlags(1 << bit))
            #expect(failure(payload(flags: 1 << bit | 3, iv: Self.iv)) == .reservedFlags(1 << bit | 3))
        }
    }

    @Test func shortPayloads() {
        let bytes = payload(data: [])
        for length in 0..<70 {
            let short = Array(bytes.prefix(length))
            #expect(failure(short) == .shortFrame(length: length))
            let header = NotifyHeader(short.span.bytes)
            #expect(header?.dataLength == nil)
        }
        let whole = NotifyHeader(bytes.span.bytes)
        #expect(whole?.dataLength == 0)
        #expect(failure(bytes) == nil)
    }
}
