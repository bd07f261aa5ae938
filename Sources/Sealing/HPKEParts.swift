import Bytes
import CBoard

/// `dh` of the authenticated encapsulation (RFC 9180 §4.1): two results of X25519, one after the other.
struct SharedSecret: ~Copyable {
    private var storage = InlineArray<64, UInt8>(repeating: 0)

    init(
        private1: UnsafeRawBufferPointer, public1: RawSpan, private2: UnsafeRawBufferPointer, public2: RawSpan
    ) throws(SealingError) {
        let error = withUnsafeMutableBytes(of: &storage) { storage -> SealingError? in
            Self.agree(private1, public1, into: UnsafeMutableRawBufferPointer(rebasing: storage[0..<32]))
                ?? Self.agree(private2, public2, into: UnsafeMutableRawBufferPointer(rebasing: storage[32..<64]))
        }
        if let error {
            wipe()
            throw error
        }
    }

    var bytes: RawSpan {
        @_lifetime(borrow self)
        get { storage.span.bytes }
    }

    mutating func wipe() { withUnsafeMutableBytes(of: &storage) { Bytes.wipe($0) } }

    /// X25519 (RFC 7748) by OpenSSL, which refuses points of small order.
    private static func agree(
        _ secret: UnsafeRawBufferPointer, _ point: RawSpan, into output: UnsafeMutableRawBufferPointer
    ) -> SealingError? {
        let raw = secret.assumingMemoryBound(to: UInt8.self).baseAddress
        guard let mine = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, raw, secret.count) else {
            return .library(call: "EVP_PKEY_new_raw_private_key")
        }
        let other = point.withUnsafeBytes {
            EVP_PKEY_new_raw_public_key(
                EVP_PKEY_X25519, nil, $0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count)
        }
        let context = EVP_PKEY_CTX_new(mine, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(other)
            EVP_PKEY_free(mine)
            ERR_clear_error()
        }
        guard let other else { return .length }
        guard let context, EVP_PKEY_derive_init(context) > 0, EVP_PKEY_derive_set_peer(context, other) > 0 else {
            return .library(call: "EVP_PKEY_derive_init")
        }
        var length = output.count
        let target = output.assumingMemoryBound(to: UInt8.self).baseAddress
        guard EVP_PKEY_derive(context, target, &length) > 0, length == output.count else { return .weakKey }
        return nil
    }
}

/// LabeledExtract and LabeledExpand (RFC 9180 §4) with HKDF-SHA256. It holds the key that was last extracted, and what
/// from; its owner wipes it.
struct LabelledHKDF: ~Copyable {
    enum Suite { case kem, hpke }

    private let suite: Suite
    private(set) var key = Blob<32>()
    private(set) var input = InlineArray<256, UInt8>(repeating: 0)
    private var count = 0

    init(suite: Suite) { self.suite = suite }

    /// What ends a value's life sees only a copy of it.
    mutating func wipe() {
        key.wipe()
        withUnsafeMutableBytes(of: &input) { Bytes.wipe($0) }
    }

    mutating func extract(salt: RawSpan, label: String, _ material: RawSpan) throws(SealingError) {
        count = 0
        try put("HPKE-v1")
        try putSuite()
        try put(label)
        try put(material)
        key = try HKDF.run(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, secret: inputBytes, salt: salt, info: RawSpan(), length: 32)
    }

    mutating func expand(label: String, _ information: RawSpan, length: Int) throws(SealingError) -> Blob<32> {
        count = 0
        try put(UInt8(length >> 8))
        try put(UInt8(length & 255))
        try put("HPKE-v1")
        try putSuite()
        try put(label)
        try put(information)
        return try HKDF.run(
            EVP_KDF_HKDF_MODE_EXPAND_ONLY, secret: key.bytes, salt: RawSpan(), info: inputBytes, length: length)
    }

    private var inputBytes: RawSpan {
        @_lifetime(borrow self)
        get { input.span.bytes.extracting(0..<count) }
    }

    /// `KEM` and the identifier of the encapsulation, or `HPKE` and the three identifiers.
    private mutating func putSuite() throws(SealingError) {
        switch suite {
        case .kem:
            try put("KEM")
            try put(0x00)
            try put(0x20)
        case .hpke:
            try put("HPKE")
            let identifiers: InlineArray<6, UInt8> = [0x00, 0x20, 0x00, 0x01, 0x00, 0x03]
            try put(identifiers.span.bytes)
        }
    }

    private mutating func put(_ byte: UInt8) throws(SealingError) {
        guard count < input.count else { throw .room }
        input[count] = byte
        count += 1
    }

    private mutating func put(_ text: String) throws(SealingError) {
        for byte in text.utf8 { try put(byte) }
    }

    private mutating func put(_ bytes: RawSpan) throws(SealingError) {
        for index in 0..<bytes.byteCount { try put(bytes[index]) }
    }
}

/// ChaCha20-Poly1305 (RFC 8439) by OpenSSL, the tag behind the ciphertext.
enum AEAD {
    static let tag = 16

    static func open(
        _ sealed: RawSpan, key: RawSpan, nonce: RawSpan, additional: RawSpan, into output: inout ByteBuffer
    ) throws(SealingError) {
        let length = sealed.byteCount - tag
        guard length >= 0 else { throw .authentication }
        guard length <= output.free else { throw .room }
        let target = UnsafeMutableRawBufferPointer(rebasing: output.tail[0..<length])
        guard
            run(
                sealing: false, sealed.extracting(0..<length), key, nonce, additional, output: target,
                check: sealed.extracting(length..<sealed.byteCount))
        else {
            wipe(target)
            throw .authentication
        }
        output.commit(length)
    }

    static func seal(
        _ plain: RawSpan, key: RawSpan, nonce: RawSpan, additional: RawSpan, into output: inout ByteBuffer
    ) throws(SealingError) {
        let length = plain.byteCount
        guard length + tag <= output.free else { throw .room }
        let all = UnsafeMutableRawBufferPointer(rebasing: output.tail[0..<length + tag])
        let done = run(
            sealing: true, plain, key, nonce, additional,
            output: UnsafeMutableRawBufferPointer(rebasing: all[0..<length]), tag: all.baseAddress! + length)
        guard done else { throw .library(call: "EVP_CipherFinal_ex") }
        output.commit(length + tag)
    }

    private static func run(
        sealing: Bool, _ input: RawSpan, _ key: RawSpan, _ nonce: RawSpan, _ additional: RawSpan,
        output: UnsafeMutableRawBufferPointer, check: RawSpan = RawSpan(), tag: UnsafeMutableRawPointer? = nil
    ) -> Bool {
        guard let context = EVP_CIPHER_CTX_new() else { return false }
        defer {
            EVP_CIPHER_CTX_free(context)
            ERR_clear_error()
        }
        let started = key.withUnsafeBytes { key in
            nonce.withUnsafeBytes { nonce in
                EVP_CipherInit_ex2(
                    context, EVP_chacha20_poly1305(), key.assumingMemoryBound(to: UInt8.self).baseAddress,
                    nonce.assumingMemoryBound(to: UInt8.self).baseAddress, sealing ? 1 : 0, nil) == 1
            }
        }
        guard started, sealing || set(check, context), update(context, additional, into: nil),
            update(context, input, into: output.assumingMemoryBound(to: UInt8.self).baseAddress)
        else { return false }
        var rest: Int32 = 0
        var scratch = InlineArray<16, UInt8>(repeating: 0)
        var span = scratch.mutableSpan
        guard span.withUnsafeMutableBufferPointer({ EVP_CipherFinal_ex(context, $0.baseAddress, &rest) }) == 1 else {
            return false
        }
        guard let tag else { return true }
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tag), tag) == 1
    }

    private static func set(_ tag: RawSpan, _ context: OpaquePointer) -> Bool {
        tag.withUnsafeBytes {
            // OpenSSL reads the tag only, though its declaration does not say so.
            EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32($0.count), UnsafeMutableRawPointer(mutating: $0.baseAddress)) == 1
        }
    }

    /// A zero-length update would be taken for the end.
    private static func update(_ context: OpaquePointer, _ input: RawSpan, into output: UnsafeMutablePointer<UInt8>?)
        -> Bool
    {
        guard input.byteCount > 0 else { return true }
        var written: Int32 = 0
        return input.withUnsafeBytes {
            EVP_CipherUpdate(
                context, output, &written, $0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32($0.count)) == 1
        }
    }
}
