import Bytes
import CBoard

/// Replaces the contents of an attribute of sysfs. A plain file in a test keeps nothing of what was longer before.
func put(_ value: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    _ = ftruncate(descriptor, 0)
    return pwrite(descriptor, value.baseAddress, value.count, 0) == value.count
}

func put<let size: Int>(_ value: Blob<size>, to descriptor: Int32) -> Bool {
    value.bytes.withUnsafeBytes { put($0, to: descriptor) }
}

func put(_ word: String, to descriptor: Int32) -> Bool {
    var word = word
    return word.withUTF8 { put(UnsafeRawBufferPointer($0), to: descriptor) }
}

/// The number an attribute holds, without its newline; false if there is none.
func get<let size: Int>(_ descriptor: Int32, _ value: inout Blob<size>) -> Bool {
    var text = InlineArray<size, UInt8>(repeating: 0)
    let length = withUnsafeMutableBytes(of: &text) { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard length >= 0 else { return false }
    var digits = 0
    while digits < length, text[digits] >= UInt8(ascii: "0"), text[digits] <= UInt8(ascii: "9") { digits += 1 }
    guard digits > 0, let number = Blob<size>(text.span.bytes.extracting(0..<digits)) else {
        cb_set_errno(EINVAL)
        return false
    }
    value = number
    return true
}
