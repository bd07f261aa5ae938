import Bytes
import CBoard
import Payload

func array(_ span: RawSpan) -> [UInt8] { span.withUnsafeBytes { Array($0) } }

func array(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ span: RawSpan?) -> String? {
    guard let span else { return nil }
    return String(decoding: array(span), as: UTF8.self)
}

/// The canonical JSON of a document.
func json(_ document: borrowing Document) -> String {
    var output = ByteBuffer(capacity: Limits.canonicalJSON)
    output.append(canonicalJSON: document)
    precondition(!output.overflowed)
    return String(decoding: array(output.bytes), as: UTF8.self)
}

/// What decoding came to.
enum Outcome: Equatable {
    case json(String)
    case error(PayloadError)
}

func decode(_ bytes: [UInt8], type: UInt8, compressed: Bool = false) -> Outcome {
    var decoder = DocumentDecoder()!
    var document = Document()
    do throws(PayloadError) {
        try decoder.decode(contentType: type, compressed: compressed, data: bytes.span.bytes, into: &document)
        return .json(json(document))
    } catch {
        precondition(document.root == nil)
        return .error(error)
    }
}

/// What a builder's calls come to.
func build(_ body: (inout Document) throws(PayloadError) -> Void) -> Outcome {
    var document = Document()
    do throws(PayloadError) {
        try body(&document)
        try document.finish()
        return .json(json(document))
    } catch {
        return .error(error)
    }
}

/// Raw DEFLATE of some bytes, at a level of zlib's.
func deflate(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] {
    var stream = z_stream()
    let status = deflateInit2_(
        &stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + 1024)
    let written = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            let end = CBoard.deflate(&stream, Z_FINISH)
            precondition(end == Z_STREAM_END)
            return output.count - Int(stream.avail_out)
        }
    }
    return Array(output.prefix(written))
}

/// SplitMix64: the same numbers for the same seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension Outcome {
    /// An error that meets a condition.
    func isError(where condition: (PayloadError) -> Bool) -> Bool {
        guard case .error(let error) = self else { return false }
        return condition(error)
    }
}
