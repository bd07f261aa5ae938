import Bytes
import Payload
import Testing
import Vectors

/// Inflates into a buffer of `capacity`.
private func inflate(_ bytes: [UInt8], capacity: Int = Limits.inflated) -> Result<[UInt8], PayloadError> {
    var inflater = Inflater()!
    var output = ByteBuffer(capacity: capacity)
    do throws(PayloadError) {
        try inflater.inflate(bytes.span.bytes, into: &output)
        return .success(array(output.bytes))
    } catch {
        return .failure(error)
    }
}

@Suite struct InflaterTests {
    @Test(arguments: [0, 1, 9] as [Int32]) func ladder(level: Int32) {
        for length in [0, 1, 257, 258, 259, 32_767, 32_768, 32_769, 65_535, 65_536] {
            for plain in [patterned(length), [UInt8](repeating: 0, count: length)] {
                #expect(inflate(deflate(plain, level: level)) == .success(plain), "\(length)")
            }
        }
        for length in [65_537, 65_538, 131_072, 1 << 20] {
            #expect(inflate(deflate(patterned(length), level: level)) == .failure(.inflatesTooFar))
            let zeros = [UInt8](repeating: 0, count: length)
            #expect(inflate(deflate(zeros, level: level)) == .failure(.inflatesTooFar), "\(length)")
        }
    }

    @Test func smallBuffers() {
        let stream = deflate(patterned(100))
        #expect(inflate(stream, capacity: 100) == .success(patterned(100)))
        #expect(inflate(stream, capacity: 99) == .failure(.inflatesTooFar))
        #expect(inflate(stream, capacity: 0) == .failure(.inflatesTooFar))
    }

    @Test func everyTruncation() {
        for plain in [array("the door, the door, the door"), patterned(3000)] {
            let stream = deflate(plain)
            for length in 0..<stream.count {
                let outcome = inflate(Array(stream.prefix(length)))
                #expect(outcome == .failure(.truncatedStream(offset: length)))
            }
        }
    }

    @Test func truncationAtTheCap() {
        let stream = deflate([UInt8](repeating: 0, count: 65_536))
        let outcome = inflate(Array(stream.dropLast()))
        #expect(outcome == .failure(.truncatedStream(offset: stream.count - 1)))
    }

    @Test func trailingBytes() {
        let stream = deflate(array("the door"))
        #expect(inflate(stream + [0]) == .failure(.trailingStream(offset: stream.count)))
        #expect(inflate(stream + stream) == .failure(.trailingStream(offset: stream.count)))
    }

    @Test func corruptStreams() {
        // The reserved block type; a stored block whose two lengths disagree; a zlib header instead of raw DEFLATE.
        for bytes in ["07", "01 01 00 00 00 61", "78 9c 4b 04 00 00 62 00 62"] {
            guard case .failure(.corruptStream) = inflate(unhex(bytes)) else {
                Issue.record("\(bytes): \(inflate(unhex(bytes)))")
                continue
            }
        }
    }

    @Test func reuseAfterErrors() {
        var inflater = Inflater()!
        let stream = deflate(array("the door"))
        for broken in [[0x07], Array(stream.dropLast()), stream + [1], deflate(patterned(70_000))] as [[UInt8]] {
            var output = ByteBuffer(capacity: Limits.inflated)
            do throws(PayloadError) {
                try inflater.inflate(broken.span.bytes, into: &output)
                Issue.record("accepted")
            } catch {}
            output.removeAll()
            do throws(PayloadError) {
                try inflater.inflate(stream.span.bytes, into: &output)
            } catch { Issue.record("\(error)") }
            #expect(array(output.bytes) == array("the door"))
        }
    }

    @Test func compressedDocuments() {
        let model = Model.map([("a", .string(String(repeating: "x", count: 60_000)))])
        let expected = #"{"a":""# + String(repeating: "x", count: 60_000) + #""}"#
        #expect(decode(deflate(model.tlv), type: 3, compressed: true) == .json(expected))
        #expect(decode(model.tlv, type: 3, compressed: true) != .json(expected))
        #expect(decode(deflate(model.tlv), type: 3, compressed: false) != .json(expected))
        #expect(decode(deflate([]), type: 3, compressed: true) == .error(.empty))
        #expect(decode([], type: 3, compressed: true) == .error(.truncatedStream(offset: 0)))
        #expect(decode(deflate(patterned(65_537)), type: 3, compressed: true) == .error(.inflatesTooFar))
    }

    /// Bytes that compress a little.
    private func patterned(_ length: Int) -> [UInt8] {
        var generator = SeededGenerator(state: 7)
        return (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next() & 15) }
    }
}
