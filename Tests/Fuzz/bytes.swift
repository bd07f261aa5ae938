import Bytes

/// Varints, UTF-8, hexadecimal and base64: what was decoded and encoded again is what was there.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: count).bytes
    checkVarint(input)
    checkText(input)
    checkHex(input)
    checkBase64(input)
    return 0
}

/// A value read from the input, written in the shortest form, is read as the same value and is no longer than before.
private func checkVarint(_ input: RawSpan) {
    var reader = ByteReader(input)
    let value: UInt64
    do throws(ByteError) { value = try reader.readVarint() } catch {
        if reader.position != 0 { fatalError("the cursor moved past a bad varint") }
        return
    }
    var shortest: [UInt8] = []
    var rest = value
    repeat {
        shortest.append(UInt8(truncatingIfNeeded: rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
        rest >>= 7
    } while rest > 0
    if shortest.count > reader.position { fatalError("a varint that is shorter than possible") }
    var again = ByteReader(shortest.span.bytes)
    do throws(ByteError) {
        let same = try again.readVarint()
        if same != value || again.remaining != 0 { fatalError("varint") }
    } catch { fatalError("a varint that was read cannot be read again") }
}

/// The validity agrees with the standard library's, and printable text is valid and no longer than asked for.
private func checkText(_ input: RawSpan) {
    let bytes = input.withUnsafeBytes { Array($0) }
    let valid = String(validating: bytes, as: UTF8.self) != nil
    if UTF8Text.isValid(input) != valid { fatalError("UTF-8") }
    var printable = ByteBuffer(capacity: 64)
    printable.append(printable: input, limit: 32)
    if printable.count > 32 || printable.overflowed { fatalError("limit") }
    if !UTF8Text.isValid(printable.bytes) { fatalError("printable text is not UTF-8") }
}

private func checkHex(_ input: RawSpan) {
    var digits = ByteBuffer(capacity: 2 * input.byteCount)
    digits.append(hex: input)
    if digits.count != 2 * input.byteCount || digits.overflowed { fatalError("hex length") }
    let blob = Blob<64>(hex: digits.bytes)
    if input.byteCount > 64 {
        if blob != nil { fatalError("more bytes than fit") }
    } else {
        guard let blob, blob.bytes.equals(input) else { fatalError("hex") }
    }
    // The input as digits: mostly not, and then never read past its end.
    _ = Blob<8>(hex: input)
}

private func checkBase64(_ input: RawSpan) {
    var text = ByteBuffer(capacity: (input.byteCount + 2) / 3 * 4)
    text.append(base64: input)
    if text.count != text.capacity || text.overflowed { fatalError("base64 length") }
    let decoded = decode(base64: text.bytes)
    let bytes = input.withUnsafeBytes { Array($0) }
    if decoded != bytes { fatalError("base64") }
}

/// Written from RFC 4648 for this check alone.
private func decode(base64 text: RawSpan) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits: UInt32 = 0
    var held = 0
    var decoded: [UInt8] = []
    for index in 0..<text.byteCount {
        let character = text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        guard let value = alphabet.firstIndex(of: character) else {
            if character != UInt8(ascii: "=") { fatalError("not base64") }
            break
        }
        bits = bits << 6 | UInt32(value)
        held += 6
        if held >= 8 {
            held -= 8
            decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        }
    }
    return decoded
}
