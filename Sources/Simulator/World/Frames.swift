import Bytes
import SGP

/// Frames as the server builds and reads them, written apart from the board's own code (SGP v2 §2–§5).
enum Frames {
    static func make(_ type: ServerMessage, _ payload: [UInt8] = []) -> [UInt8] { make(type.rawValue, payload) }

    static func make(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0x53, 0x02, type, 0] + big(UInt32(payload.count)) + payload
    }

    static func big<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        (0..<T.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> T(8 * $0)) }
    }

    static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    static func legacyHello() -> [UInt8] { big(UInt32(16)) + Array("bplist00".utf8) + [UInt8](repeating: 0, count: 8) }
}

/// The identifier of a message tells its number.
enum MessageNumber {
    static func identifier(_ number: Int, salt: UInt64) -> [UInt8] {
        Frames.big(Int64(number)) + Frames.big(salt)
    }

    static func of(_ identifier: ArraySlice<UInt8>) -> Int { Int(Frames.integer(identifier.prefix(8))) }
}
