import Bytes
import Sealing

/// The bytes of hex digits. Traps on anything else.
func unhex(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    precondition(digits.count % 2 == 0)
    return stride(from: 0, to: digits.count, by: 2).map { Hex.value(digits[$0])! << 4 | Hex.value(digits[$0 + 1])! }
}

func hex(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [Hex.digit($0 >> 4), Hex.digit($0 & 15)] }, as: UTF8.self)
}

func array(_ span: RawSpan) -> [UInt8] { span.withUnsafeBytes { Array($0) } }

func array(_ text: String) -> [UInt8] { Array(text.utf8) }

/// What a buffer holds after a call that appends.
func appended(
    capacity: Int = 4096, _ body: (inout ByteBuffer) throws(SealingError) -> Void
) throws(SealingError) -> [UInt8] {
    var buffer = ByteBuffer(capacity: capacity)
    try body(&buffer)
    return array(buffer.bytes)
}

/// The error of a call, or nil.
func failure(_ body: () throws(SealingError) -> Void) -> SealingError? {
    do throws(SealingError) {
        try body()
        return nil
    } catch {
        return error
    }
}
