import Bytes
import SGP

/// The bytes of an integer, most significant first.
func bigEndian<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<(T.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: value >> T(8 * $0)) }
}

/// A frame as it travels (SGP v2 §2), built from the specification and not with the code under test.
func frame(type: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    [0x53, 0x02, type, 0x00] + bigEndian(UInt32(payload.count)) + payload
}

func frame(_ type: ServerMessage, _ payload: [UInt8] = []) -> [UInt8] { frame(type: type.rawValue, payload) }

/// A header that announces a payload of `length` bytes.
func header(_ type: ServerMessage, length: Int) -> [UInt8] {
    [0x53, 0x02, type.rawValue, 0x00] + bigEndian(UInt32(length))
}

/// Bytes that count up from `first`, so that a shifted or repeated one shows.
func pattern(_ count: Int, first: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: first &+ $0 &* 7) }
}

/// A legacy hello with a body of `length` bytes (§2).
func legacyHello(_ length: Int) -> [UInt8] {
    bigEndian(UInt32(length)) + Array(("bplist00".utf8 + pattern(max(0, length - 8))).prefix(length))
}

/// The payload bounds of §3, written down once more.
let bounds: [(type: ServerMessage, minimum: Int, maximum: Int)] = [
    (.hello, 4, 4), (.challenge, 32, 32), (.authOK, 0, 0), (.notify, 70, 4096), (.disconnect, 1, 5), (.pong, 8, 8),
    (.pollDone, 0, 0), (.registerOK, 7, 261), (.registerFail, 1, 258), (.ping, 8, 8), (.timeSync, 8, 8),
]

/// What a client sends (§3).
enum Client {
    static let upgrade = frame(type: 0x00)
    static let goodbye = frame(type: 0x24, [0])

    static func register(_ key: [UInt8], _ timestamp: Int64) -> [UInt8] {
        frame(type: 0x28, bigEndian(UInt16(key.count)) + key + bigEndian(timestamp) + [0, 0, 0, 2])
    }

    static func login(_ address: [UInt8], _ timestamp: Int64) -> [UInt8] {
        frame(type: 0x20, bigEndian(UInt16(address.count)) + address + bigEndian(timestamp) + [0, 0, 0, 2])
    }

    static func registerResponse(_ signature: [UInt8], _ timestamp: Int64) -> [UInt8] {
        frame(type: 0x29, bigEndian(timestamp) + bigEndian(UInt16(signature.count)) + signature)
    }

    static func loginResponse(_ signature: [UInt8], _ timestamp: Int64) -> [UInt8] {
        frame(type: 0x21, bigEndian(timestamp) + bigEndian(UInt16(signature.count)) + signature)
    }

    static func poll(_ seq: Int64) -> [UInt8] { frame(type: 0x22, bigEndian(seq)) }
    static func ack(_ id: [UInt8], _ status: UInt8) -> [UInt8] { frame(type: 0x23, id + [status]) }
    static func ping(_ seq: Int64) -> [UInt8] { frame(type: 0x27, bigEndian(seq)) }
    static func pong(_ seq: Int64) -> [UInt8] { frame(type: 0x2A, bigEndian(seq)) }
}

/// What a server sends (§3), in order.
enum Server {
    static let hello = frame(.hello, [0, 0, 0, 2])
    static let nonce = pattern(32, first: 90)
    static let challenge = frame(.challenge, nonce)
    static let authOK = frame(.authOK)
    static let pollDone = frame(.pollDone)

    static func registerOK(_ address: [UInt8], version: UInt32 = 2) -> [UInt8] {
        frame(.registerOK, bigEndian(version) + bigEndian(UInt16(address.count)) + address)
    }

    static func notify(data: [UInt8] = [], id: [UInt8] = pattern(16, first: 3), seq: Int64 = 5) -> [UInt8] {
        frame(
            .notify,
            pattern(32) + id + bigEndian(seq) + bigEndian(Int64(0)) + [0, 3] + bigEndian(UInt32(data.count)) + data)
    }

    /// A frame of each type that the parser must let through.
    static func sample(_ type: ServerMessage) -> [UInt8] {
        switch type {
        case .hello: hello
        case .challenge: challenge
        case .authOK: authOK
        case .notify: notify(data: pattern(20))
        case .disconnect: frame(.disconnect, [0])
        case .pong: frame(.pong, bigEndian(Int64(77)))
        case .pollDone: pollDone
        case .registerOK: registerOK(Array("device@sgn.test".utf8))
        case .registerFail: frame(.registerFail, [3])
        case .ping: frame(.ping, bigEndian(Int64(78)))
        case .timeSync: frame(.timeSync, bigEndian(Driver.unixTime))
        }
    }
}

/// Copies what a span lends.
func array(_ span: RawSpan) -> [UInt8] { span.withUnsafeBytes { Array($0) } }

/// SplitMix64: every random test can be repeated from its seed.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
