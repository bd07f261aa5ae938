import Bytes
import SGP
import Testing

/// An S_NOTIFY over 4096 bytes is skipped, and the connection lives (SGP v2 §10).
@Suite struct OversizeNotifyTests {
    private static func oversize(_ length: Int) -> [UInt8] { frame(.notify, pattern(length)) }
    private static let next: [Parsed] = [.message(.ping, pattern(8))]

    @Test(arguments: [4097, 4098, 8192, 16_384, 16_408, 16_409, 16_416, 16_417, 65_536, 1 << 20])
    func skipped(length: Int) {
        let bytes = Self.oversize(length) + frame(.ping, pattern(8))
        for piece in [Int.max, 16_000, 4104, 1000, 77] where length / piece < 2000 {
            #expect(parse(bytes) { piece } == [.item(.oversizeNotify, pattern(70))] + Self.next)
        }
    }

    @Test(arguments: [4097, 4098, 20_000]) func skippedByteByByte(length: Int) {
        let bytes = Self.oversize(length) + frame(.ping, pattern(8))
        #expect(parse(bytes) { 1 } == [.item(.oversizeNotify, pattern(70))] + Self.next)
    }

    @Test(arguments: [1 << 20 + 1, 1 << 21, 1 << 31, 0xFFFF_FFFF] + [1_048_577])
    func tooLong(length: Int) {
        #expect(parse(header(.notify, length: length)) == [.fault(.length(.notify, UInt32(length)))])
        let later = parse(Server.pollDone + header(.notify, length: length) + pattern(100))
        #expect(later == [.message(.pollDone), .fault(.length(.notify, UInt32(length)))])
    }

    @Test func severalInARow() {
        let bytes = (0..<5).flatMap { Self.oversize(4097 + $0) + frame(.ping, pattern(8)) }
        for delivery in deliveries {
            let parsed = parse(bytes, in: delivery.make())
            let pair: [Parsed] = [.item(.oversizeNotify, pattern(70))] + Self.next
            #expect(parsed == (0..<5).flatMap { _ in pair })
        }
    }

    /// Each place where the connection may pause, around the fixed part and around the end.
    @Test func splitAnywhere() {
        let bytes = Self.oversize(4097) + frame(.ping, pattern(8))
        for split in Array(1..<90) + Array((bytes.count - 24)..<bytes.count) {
            var sizes = [split, bytes.count - split]
            #expect(parse(bytes) { sizes.removeFirst() } == [.item(.oversizeNotify, pattern(70))] + Self.next)
        }
    }

    @Test func insideFrameUntilTheEnd() {
        var parser = FrameParser()
        var found: [Parsed] = []
        for (index, byte) in Self.oversize(4100).enumerated() {
            parser.receiveTail()[0] = byte
            parser.received(1)
            let isOrderly = drain(&parser, into: &found)
            #expect(isOrderly)
            if parser.isInsideFrame != (index < 4107) {
                Issue.record("after byte \(index)")
            }
        }
        #expect(found.count == 1)
    }

    /// The session lends the fixed part, takes acknowledgement 2 for its msg_id and goes on.
    @Test func throughTheSession() {
        let driver = Driver.synchronised()
        for length in [4097, 30_000, 1 << 20] {
            driver.forget()
            driver.feed(Self.oversize(length), most: 5000)
            #expect(driver.events == [.oversizeNotify])
            #expect(driver.lent == [pattern(70)])
            let id = Array(driver.lent[0][32..<48])
            let isQueued = driver.acknowledge(id, .unreadable)
            #expect(isQueued)
            driver.feed(Server.notify())
            #expect(driver.events == [.oversizeNotify, .notify])
            #expect(driver.frames == [Client.ack(id, 2)])
        }
        #expect(driver.session.phase == .authenticated)
    }

    @Test func refusedOutsideAuthenticated() {
        for phase in [Phase.preHello, .challengeWait, .authWait] {
            for purpose in [Purpose.login, .register] {
                let driver = Driver(purpose, in: phase)
                driver.feed(Self.oversize(5000))
                #expect(driver.fault == .phase(.notify, phase))
                #expect(driver.events.count == 1)
            }
        }
    }

    @Test func tooLongEndsTheSession() {
        let driver = Driver.synchronised()
        driver.feed(header(.notify, length: 1_048_577))
        #expect(driver.fault == .frame(.length(.notify, 1_048_577)))
    }
}
