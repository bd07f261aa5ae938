import Bytes
import CBoard

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// Throws `library` only if OpenSSL has no memory.
    public static func digest(_ message: RawSpan) throws(SealingError) -> Blob<32> {
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var span = digest.mutableSpan
        let done = message.withUnsafeBytes { bytes in
            span.withUnsafeMutableBufferPointer { out in
                EVP_Digest(bytes.baseAddress, bytes.count, out.baseAddress, nil, EVP_sha256(), nil)
            }
        }
        guard done == 1, let result = Blob<32>(digest.span.bytes) else {
            ERR_clear_error()
            throw .library(call: "EVP_Digest")
        }
        return result
    }
}
