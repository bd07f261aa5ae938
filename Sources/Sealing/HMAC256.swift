import Bytes
import CBoard

/// HMAC with SHA-256 (RFC 2104), by libsodium: no memory is taken.
public enum HMAC256 {
    public static func code(_ message: RawSpan, key: SecretKey) -> Blob<32> {
        var code = InlineArray<32, UInt8>(repeating: 0)
        var state = crypto_auth_hmacsha256_state()
        withUnsafeMutableBytes(of: &code) { code in
            message.withUnsafeBytes { message in
                _ = crypto_auth_hmacsha256_init(
                    &state, key.pointer.assumingMemoryBound(to: UInt8.self).baseAddress!, key.pointer.count)
                if let start = message.assumingMemoryBound(to: UInt8.self).baseAddress {
                    _ = crypto_auth_hmacsha256_update(&state, start, UInt64(message.count))
                }
                _ = crypto_auth_hmacsha256_final(&state, code.assumingMemoryBound(to: UInt8.self).baseAddress!)
            }
        }
        withUnsafeMutableBytes(of: &state) { wipe($0) }
        return Blob<32>(code.span.bytes) ?? Blob()
    }

    /// Whether a code is the right one, in a time that does not tell how much of it is.
    public static func verify(_ code: RawSpan, of message: RawSpan, key: SecretKey) -> Bool {
        let right = Self.code(message, key: key)
        guard code.byteCount == right.count else { return false }
        return code.withUnsafeBytes { code in
            right.bytes.withUnsafeBytes { sodium_memcmp(code.baseAddress, $0.baseAddress, code.count) == 0 }
        }
    }
}
