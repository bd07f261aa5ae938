import CBoard
import Foundation

/// How a connection went wrong, as the client sees it.
enum ClientError: Error, Equatable {
    case refused
    case tls(String)
    case wrongPin
    case timeout
    /// close_notify.
    case closed
    /// FIN without close_notify.
    case eof
    case reset
    case badHeader([UInt8])
    case unexpected(UInt8)
}

struct ReceivedFrame: Equatable {
    var type: UInt8
    var payload: [UInt8]
}

/// A minimal client of the protocol for the server's tests, with blocking calls that end after some seconds. It shares
/// no code with the server.
final class TestClient {
    let fd: Int32
    private let context: OpaquePointer
    private let tls: OpaquePointer
    private var buffer: [UInt8] = []
    /// Sizes of the TLS records that came in.
    private(set) var records: [Int] = []

    /// Connects, makes the handshake and compares the certificate.
    init(
        port: UInt16, pin: [UInt8]?, maximum: Int32 = TLS1_3_VERSION, identity: ClientIdentity? = nil,
        timeout seconds: Int = 5
    ) throws {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.fd = fd
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, 16) }
        }
        context = SSL_CTX_new(TLS_client_method())
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximum), nil)
        if maximum < TLS1_2_VERSION {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_VERSION), nil)
            SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        } else {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        }
        if let identity {
            SSL_CTX_use_certificate(context, identity.certificate)
            SSL_CTX_use_PrivateKey(context, identity.key)
        }
        tls = SSL_new(context)
        SSL_set_fd(tls, fd)
        guard connected == 0 else { throw ClientError.refused }
        ERR_clear_error()
        let result = SSL_connect(tls)
        guard result == 1 else { throw failure(result) }
        guard let pin else { return }
        var der: UnsafeMutablePointer<UInt8>?
        let peer = SSL_get1_peer_certificate(tls)
        let length = i2d_X509(peer, &der)
        X509_free(peer)
        defer { CRYPTO_free(der, nil, 0) }
        guard Array(UnsafeBufferPointer(start: der, count: Int(length))) == pin else { throw ClientError.wrongPin }
    }

    deinit {
        SSL_free(tls)
        SSL_CTX_free(context)
        close(fd)
    }

    var version: String { String(cString: SSL_get_version(tls)) }

    private func failure(_ result: Int32) -> ClientError {
        let code = SSL_get_error(tls, result)
        let system = cb_errno()
        switch code {
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_WANT_READ: return .timeout
        case SSL_ERROR_SYSCALL: return system == ECONNRESET || system == EPIPE ? .reset : .eof
        default:
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(ERR_get_error(), &text, 256)
            let message = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            return message.contains("unexpected eof") ? .eof : .tls(message)
        }
    }

    // MARK: Bytes

    /// Reads one TLS record.
    func readRecord() throws -> [UInt8] {
        var record = [UInt8](repeating: 0, count: 16_384)
        ERR_clear_error()
        let count = SSL_read(tls, &record, Int32(record.count))
        guard count > 0 else { throw failure(count) }
        records.append(Int(count))
        return Array(record.prefix(Int(count)))
    }

    func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { buffer += try readRecord() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    func write(_ bytes: [UInt8]) throws {
        ERR_clear_error()
        let count = SSL_write(tls, bytes, Int32(bytes.count))
        guard count > 0 else { throw failure(count) }
    }

    /// Shortens the time that a read may take.
    func setTimeout(milliseconds: Int) {
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    // MARK: Frames

    func send(_ type: UInt8, _ payload: [UInt8] = []) throws {
        try write([0x53, 2, type, 0] + be(UInt32(payload.count)) + payload)
    }

    func receive() throws -> ReceivedFrame {
        let header = try read(8)
        guard header[0] == 0x53, header[1] == 2, header[3] == 0 else { throw ClientError.badHeader(header) }
        let length = header[4...].reduce(0) { $0 << 8 | Int($1) }
        return ReceivedFrame(type: header[2], payload: try read(length))
    }

    @discardableResult
    func expect(_ type: UInt8) throws -> [UInt8] {
        let frame = try receive()
        guard frame.type == type else { throw ClientError.unexpected(frame.type) }
        return frame.payload
    }

    // MARK: Protocol

    /// Registers a key after S_HELLO and returns the address.
    func register(_ key: ClientKey = .shared, skew: Int64 = 0) throws -> [UInt8] {
        let timestamp = be(Int64(time(nil)) + skew)
        try send(0x28, counted(key.publicKey) + timestamp + be(UInt32(2)))
        let nonce = try expect(0x11)
        try send(0x29, timestamp + counted(key.sign(nonce + timestamp)))
        return Array(try expect(0x18).dropFirst(6))
    }

    /// Logs in after S_HELLO.
    func login(_ address: [UInt8], _ key: ClientKey = .shared, skew: Int64 = 0) throws {
        let timestamp = be(Int64(time(nil)) + skew)
        try send(0x20, counted(address) + timestamp + be(UInt32(2)))
        let nonce = try expect(0x11)
        try send(0x21, timestamp + counted(key.sign(nonce + address + timestamp)))
        try expect(0x12)
    }

    func filter(_ entries: [(tag: UInt8, key: [UInt8], bundle: String)], more: Bool = false) throws {
        let list = entries.flatMap { [$0.tag] + $0.key + counted(Array($0.bundle.utf8)) }
        try send(0x2B, [more ? 1 : 0] + be(UInt16(entries.count)) + list)
    }

    func poll(after sequence: Int64 = 0) throws { try send(0x22, be(sequence)) }
    func ack(_ identifier: [UInt8], _ status: UInt8 = 0) throws { try send(0x23, identifier + [status]) }
}

func be<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
func counted(_ bytes: [UInt8]) -> [UInt8] { be(UInt16(bytes.count)) + bytes }

/// An RSA key of a device.
final class ClientKey: @unchecked Sendable {
    static let shared = ClientKey()
    private let key: OpaquePointer

    init(bits: Int32 = 2048) {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
        var made: OpaquePointer?
        EVP_PKEY_keygen(context, &made)
        EVP_PKEY_CTX_free(context)
        key = made!
    }

    deinit { EVP_PKEY_free(key) }

    var publicKey: [UInt8] {
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(key, &der)
        defer { CRYPTO_free(der, nil, 0) }
        return Array(UnsafeBufferPointer(start: der, count: Int(length)))
    }

    func sign(_ message: [UInt8], salt: Int32 = 32) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        EVP_DigestSignInit(context, &parameters, EVP_sha256(), nil, key)
        EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING)
        EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, salt)
        var signature = [UInt8](repeating: 0, count: 512)
        var length = signature.count
        EVP_DigestSign(context, &signature, &length, message, message.count)
        return Array(signature.prefix(length))
    }
}

/// A TLS client certificate.
final class ClientIdentity {
    let certificate: OpaquePointer
    let key: OpaquePointer

    init(pem: String, keyPEM: String) {
        func read(_ text: String, _ parse: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer {
            Array(text.utf8).withUnsafeBytes {
                let input = BIO_new_mem_buf($0.baseAddress, Int32($0.count))
                defer { BIO_free(input) }
                return parse(input)!
            }
        }
        certificate = read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        key = read(keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }
}

/// AES-256-GCM with a tag of 16 bytes at the end; nil if it does not match.
func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    let text = Array(sealed.dropLast(16))
    var tag = Array(sealed.suffix(16))
    var plain = [UInt8](repeating: 0, count: text.count + 16)
    var length: Int32 = 0
    EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce)
    EVP_DecryptUpdate(context, &plain, &length, text, Int32(text.count))
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag)
    var rest: Int32 = 0
    var scratch = [UInt8](repeating: 0, count: 16)
    return EVP_DecryptFinal_ex(context, &scratch, &rest) == 1 ? Array(plain.prefix(text.count)) : nil
}

/// Raw DEFLATE, at most 65,536 bytes out.
func inflate(_ packed: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { inflateEnd(&stream) }
    var input = packed
    var output = [UInt8](repeating: 0, count: 65_536)
    return input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target -> [UInt8]? in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = UInt32(target.count)
            guard inflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
            return Array(target.prefix(target.count - Int(stream.avail_out)))
        }
    }
}
