import Bytes
import CBoard

/// 32 secret bytes in memory of their own: never swapped out, in no core dump, between pages that trap, and wiped when
/// they go (libsodium's `sodium_malloc`).
public final class SecretKey {
    private let base: UnsafeMutableRawPointer

    /// Random bytes: a new private key of X25519, or a signing key.
    public init() throws(SealingError) {
        base = try Self.reserve()
        randombytes_buf(base, Limits.relayKey)
    }

    /// A copy of 32 bytes; the caller wipes its own.
    public init(_ bytes: RawSpan) throws(SealingError) {
        guard bytes.byteCount == Limits.relayKey else { throw .length }
        base = try Self.reserve()
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: base, count: Limits.relayKey).copyMemory(from: $0)
        }
    }

    deinit { sodium_free(base) }

    public var pointer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: Limits.relayKey) }

    private static func reserve() throws(SealingError) -> UnsafeMutableRawPointer {
        guard sodium_init() >= 0, let made = sodium_malloc(Limits.relayKey) else {
            throw .library(call: "sodium_malloc")
        }
        return made
    }

    /// The public key of X25519 that belongs to it.
    public func publicKey() throws(SealingError) -> Blob<32> {
        var key = InlineArray<32, UInt8>(repeating: 0)
        let done = withUnsafeMutableBytes(of: &key) {
            crypto_scalarmult_base(
                $0.assumingMemoryBound(to: UInt8.self).baseAddress!,
                base.assumingMemoryBound(to: UInt8.self))
        }
        guard done == 0, let result = Blob<32>(key.span.bytes) else { throw .library(call: "crypto_scalarmult_base") }
        return result
    }
}

/// Random bytes of libsodium.
public enum RandomBytes {
    /// 16 of them; allocates nothing.
    public static func identifier() -> Blob<16> {
        var bytes = InlineArray<16, UInt8>(repeating: 0)
        withUnsafeMutableBytes(of: &bytes) { randombytes_buf($0.baseAddress!, $0.count) }
        return Blob<16>(bytes.span.bytes) ?? Blob()
    }

    public static func token() -> Blob<32> {
        var bytes = InlineArray<32, UInt8>(repeating: 0)
        withUnsafeMutableBytes(of: &bytes) { randombytes_buf($0.baseAddress!, $0.count) }
        return Blob<32>(bytes.span.bytes) ?? Blob()
    }
}
