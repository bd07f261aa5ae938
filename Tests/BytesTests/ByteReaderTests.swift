import Bytes
import Testing

@Suite struct ByteReaderTests {
    @Test(arguments: [0, 1, 2, 3]) func shortIntegersThrowAndStay(length: Int) {
        let bytes = [UInt8](repeating: 1, count: length)
        var reader = ByteReader(bytes.span.bytes)
        var thrown: ByteError?
        do throws(ByteError) { _ = try reader.read(UInt32.self) } catch { thrown = error }
        #expect(thrown == .short)
        #expect(reader.position == 0)
    }

    @Test(
        arguments: [
            ([0x00], 0), ([0x7F], 127), ([0x80, 0x01], 128), ([0x80, 0x80, 0x00], 0),
            ([UInt8](repeating: 0xFF, count: 9) + [0x01], UInt64.max),
        ] as [([UInt8], UInt64)])
    func varints(bytes: [UInt8], value: UInt64) throws {
        var reader = ByteReader(bytes.span.bytes)
        let read = try reader.readVarint()
        #expect(read == value)
        #expect(reader.remaining == 0)
    }

    @Test(
        arguments: [
            ([], ByteError.short), ([0x80], .short), ([UInt8](repeating: 0x80, count: 9), .short),
            ([UInt8](repeating: 0xFF, count: 9) + [0x02], .varint),
            ([UInt8](repeating: 0x80, count: 10) + [0x00], .varint),
        ] as [([UInt8], ByteError)])
    func badVarints(bytes: [UInt8], expected: ByteError) {
        var reader = ByteReader(bytes.span.bytes)
        var thrown: ByteError?
        do throws(ByteError) { _ = try reader.readVarint() } catch { thrown = error }
        #expect(thrown == expected)
        #expect(reader.position == 0)
    }
}
