import Bytes
import Sealing

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
