import Bytes
import SGP
import Testing

/// The eight bytes of a header, each wrong in turn (SGP v2 §2, §3).
@Suite struct FrameHeaderTests {
    /// Only the first frame may lack the magic, as a legacy hello; see there.
    @Test(arguments: [UInt8](0...255).filter { $0 != 0x53 })
    func magic(byte: UInt8) {
        var wrong = Server.hello
        wrong[0] = byte
        #expect(parse(Server.pollDone + wrong) == [.message(.pollDone), .fault(.magic(byte))])
    }

    @Test(arguments: [true, false]) func version(isFirst: Bool) {
        for byte in UInt8(0)...255 where byte != 0x02 {
            var wrong = Server.hello
            wrong[1] = byte
            let parsed = parse((isFirst ? [] : Server.pollDone) + wrong)
            #expect(parsed.last == .fault(.version(byte)))
            #expect(parsed.count == (isFirst ? 1 : 2))
        }
    }

    /// A client's types come from no server; 0x15, 0x1C and the rest are not in the table.
    @Test func type() {
        let known = Set(bounds.map(\.type.rawValue))
        #expect(known == [0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B])
        for byte in UInt8(0)...255 where !known.contains(byte) {
            for length in [0, 1, 8, 4096] {
                #expect(parse(frame(type: byte, pattern(length))) == [.fault(.type(byte))])
            }
        }
    }

    @Test(arguments: [UInt8](1...255)) func reserved(byte: UInt8) {
        var wrong = Server.hello
        wrong[3] = byte
        #expect(parse(wrong) == [.fault(.reserved(byte))])
        #expect(parse(Server.pollDone + wrong) == [.message(.pollDone), .fault(.reserved(byte))])
    }

    /// Each byte of the length, with every value: only 0x00000004 is an S_HELLO.
    @Test(arguments: 4..<8) func length(position: Int) {
        for byte in UInt8(0)...255 where byte != Server.hello[position] {
            var wrong = Server.hello
            wrong[position] = byte
            let length = UInt32(byte) << UInt32(8 * (7 - position)) | (position == 7 ? 0 : 4)
            #expect(parse(wrong) == [.fault(.length(.hello, length))])
        }
    }

    /// Nothing is said of a header before all of it could be there.
    @Test(arguments: 0..<12) func incomplete(length: Int) {
        #expect(parse(Array(Server.hello.prefix(length))) == [])
    }

    /// A header is judged as soon as it is there, without its payload.
    @Test func judgedEarly() {
        #expect(parse(header(.hello, length: 5)) == [.fault(.length(.hello, 5))])
        #expect(parse(header(.pong, length: 4096)) == [.fault(.length(.pong, 4096))])
        #expect(parse(header(.timeSync, length: Int(UInt32.max))) == [.fault(.length(.timeSync, .max))])
    }
}
