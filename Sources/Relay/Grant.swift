import Bytes
import Sealing

/// A grant: the push token and its authentication code under the relay's signing key, `base64url(token).base64url(code)`.
/// The relay keeps no copy; another signing key makes all of them worth nothing.
public enum Grant {
    public static func append(_ token: RawSpan, key: SecretKey, to output: inout ByteBuffer) {
        output.append(base64URL: token)
        output.append(".")
        output.append(base64URL: HMAC256.code(token, key: key).bytes)
    }

    /// The token of a grant that this key signed; nil for any other text. `scratch` is overwritten.
    public static func token(_ grant: RawSpan, key: SecretKey, scratch: inout ByteBuffer) -> Blob<256>? {
        for index in 0..<grant.byteCount where grant[index] == UInt8(ascii: ".") {
            scratch.removeAll()
            guard scratch.append(decoding: grant.extracting(0..<index), .url), let token = Blob<256>(scratch.pointer)
            else { return nil }
            scratch.removeAll()
            guard scratch.append(decoding: grant.extracting(index + 1..<grant.byteCount), .url),
                HMAC256.verify(scratch.pointer.bytes, of: token.bytes, key: key)
            else { return nil }
            return token
        }
        return nil
    }
}
