import Bytes
import SGP
import Testing

/// Frames of every size, delivered in every way (SGP v2 §2, §3).
@Suite struct FrameDeliveryTests {
    @Test(arguments: bounds.indices) func payloadBounds(row: Int) {
        let (type, minimum, maximum) = bounds[row]
        for length in Set([minimum, minimum + 1, maximum - 1, maximum]) where (minimum...maximum).contains(length) {
            let payload = pattern(length)
            #expect(parse(frame(type, payload)) == [.message(type, payload)])
        }
        if minimum > 0 {
            for length in Set([0, minimum - 1]) {
                #expect(parse(frame(type, pattern(length))) == [.fault(.length(type, UInt32(length)))])
            }
        }
        if type != .notify {
            for length in Set([maximum + 1, 4096, 4097, 1 << 20]) {
                #expect(parse(header(type, length: length)) == [.fault(.length(type, UInt32(length)))])
            }
        }
        #expect(type.bounds == minimum...maximum)
    }

    @Test func typesAreAllInTheTable() {
        #expect(Set(ServerMessage.allCases) == Set(bounds.map(\.type)))
    }

    /// The smallest and the largest frame of each type, one after another.
    private static let stream: (bytes: [UInt8], parsed: [Parsed]) = {
        var bytes: [UInt8] = []
        var parsed: [Parsed] = []
        for (type, minimum, maximum) in SGPTests.bounds + SGPTests.bounds.reversed() {
            for length in [minimum, (minimum + maximum) / 2, maximum] {
                let payload = pattern(length, first: parsed.count)
                bytes += frame(type, payload)
                parsed.append(.message(type, payload))
            }
        }
        return (bytes, parsed)
    }()

    @Test(arguments: deliveries.indices) func anyDelivery(index: Int) {
        #expect(parse(Self.stream.bytes, in: deliveries[index].make()) == Self.stream.parsed)
    }

    @Test(arguments: deliveries.indices) func anyDeliveryAfterLegacyHello(index: Int) {
        let parsed = parse(legacyHello(54) + Self.stream.bytes, in: deliveries[index].make())
        #expect(parsed == [.item(.legacyHello, [])] + Self.stream.parsed)
    }

    /// Frames of one size in groups, a group a read.
    @Test(arguments: [1, 2, 3, 99, 100, 101]) func framesPerRead(count: Int) {
        for (type, length) in [(ServerMessage.pong, 8), (.notify, 70), (.notify, 150), (.pollDone, 0)] {
            let frames = (0..<200).map { pattern(length, first: $0) }
            let bytes = frames.flatMap { frame(type, $0) }
            let parsed = parse(bytes) { count * (8 + length) }
            #expect(parsed == frames.map { .message(type, $0) })
        }
    }

    /// One split at each place of two frames.
    @Test func splitAnywhere() {
        let bytes = Server.hello + Server.notify(data: pattern(30)) + Server.pollDone
        let whole = parse(bytes)
        #expect(whole.count == 3)
        for split in 0...bytes.count {
            var sizes = [split, bytes.count - split].filter { $0 > 0 }
            #expect(parse(bytes) { sizes.removeFirst() } == whole)
        }
    }

    @Test func aFaultComesAfterTheFramesBeforeIt() {
        for delivery in deliveries {
            let parsed = parse(Server.hello + Server.challenge + frame(type: 0x15), in: delivery.make())
            #expect(
                parsed == [.message(.hello, [0, 0, 0, 2]), .message(.challenge, Server.nonce), .fault(.type(0x15))])
        }
    }

    /// The buffer is filled to its end with frames that nobody takes, then drained, with a partial frame left at the end.
    @Test(arguments: [0, 8, 70, 100, 1000, 4096]) func fullThenDrained(length: Int) {
        let type: ServerMessage = length == 0 ? .pollDone : length == 8 ? .ping : .notify
        let frames = (0..<(40_000 / (length + 8))).map { pattern(length, first: $0) }
        let bytes = frames.flatMap { frame(type, $0) }
        var parser = FrameParser()
        var found: [Parsed] = []
        var rest = bytes[...]
        var rounds = 0
        while !rest.isEmpty, rounds < 100 {
            rounds += 1
            while !rest.isEmpty {
                let tail = parser.receiveTail()
                if tail.isEmpty { break }
                let count = min(rest.count, tail.count, 1 + rounds * 501)
                rest.prefix(count).withUnsafeBytes { tail.copyMemory(from: $0) }
                rest = rest.dropFirst(count)
                parser.received(count)
            }
            let isOrderly = drain(&parser, into: &found)
            #expect(isOrderly)
        }
        #expect(found == frames.map { .message(type, $0) })
        #expect(parser.isInsideFrame == false)
    }

    /// There is room again as soon as one item has been taken, however full the buffer was.
    @Test func roomAfterOneItem() {
        var parser = FrameParser()
        let bytes = (0..<10).flatMap { frame(.notify, pattern(4096, first: $0)) }
        var used = 0
        while true {
            let tail = parser.receiveTail()
            if tail.isEmpty { break }
            let count = tail.count
            bytes[used..<(used + count)].withUnsafeBytes { tail.copyMemory(from: $0) }
            parser.received(count)
            used += count
        }
        #expect(used == Limits.receiveBuffer)
        var item: FrameParser.Item?
        do throws(FrameFault) { item = try parser.next() } catch {}
        #expect(item == .message(.notify))
        let payload = array(parser.payload)
        #expect(payload == pattern(4096, first: 0))
        var next: FrameParser.Item?
        do throws(FrameFault) { next = try parser.next() } catch {}
        #expect(next == .message(.notify))
        let free = parser.receiveTail().count
        #expect(free > 0)
    }

    @Test func insideFrame() {
        var parser = FrameParser()
        #expect(parser.isInsideFrame == false)
        for byte in Server.hello {
            parser.receiveTail()[0] = byte
            parser.received(1)
            #expect(parser.isInsideFrame == true)
            if parser.receiveTail().count == 0 { break }
        }
        var found: [Parsed] = []
        let isOrderly = drain(&parser, into: &found)
        #expect(isOrderly)
        #expect(found == [.message(.hello, [0, 0, 0, 2])])
        #expect(parser.isInsideFrame == false)
    }

    @Test func resetForgetsEverything() {
        for begun in [
            legacyHello(54), Array(legacyHello(54).prefix(20)), header(.notify, length: 100_000) + pattern(500),
        ] {
            var parser = FrameParser()
            var found: [Parsed] = []
            begun.withUnsafeBytes { parser.receiveTail().copyMemory(from: $0) }
            parser.received(begun.count)
            let isOrderly = drain(&parser, into: &found)
            #expect(isOrderly)
            parser.reset()
            #expect(parser.isInsideFrame == false)
            found = []
            let bytes = legacyHello(54) + Server.hello
            bytes.withUnsafeBytes { parser.receiveTail().copyMemory(from: $0) }
            parser.received(bytes.count)
            let isOrderlyAgain = drain(&parser, into: &found)
            #expect(isOrderlyAgain)
            #expect(found == [.item(.legacyHello, []), .message(.hello, [0, 0, 0, 2])])
        }
    }
}
