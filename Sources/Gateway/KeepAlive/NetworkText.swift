import Bytes
import SGP

/// Networks as a person names them.
extension ByteBuffer {
    /// `eth0, ethernet, gateway b8:27:eb:12:34:56`.
    mutating func append(network name: RawSpan, kind: InterfaceKind, key: RawSpan) {
        guard name.byteCount > 0 else { return append("unidentified network") }
        append(visible: name, limit: 48)
        append(", ")
        append(kind.name)
        guard key.byteCount > 0 else { return }
        append(key.byteCount == 4 || key.byteCount == 6 || key.byteCount == 16 ? ", gateway " : ", network ")
        append(gateway: key)
    }

    /// A hardware address, an IP address, or else the beginning of a digest.
    mutating func append(gateway key: RawSpan) {
        switch key.byteCount {
        case 4:
            for index in 0..<4 {
                if index > 0 { append(".") }
                append(decimal: key[index])
            }
        case 6: append(groups: key, of: 1)
        case 16: append(groups: key, of: 2)
        default: append(hex: key.extracting(0..<min(key.byteCount, 6)))
        }
    }

    private mutating func append(groups bytes: RawSpan, of size: Int) {
        var index = 0
        while index < bytes.byteCount {
            if index > 0 { append(":") }
            append(hex: bytes.extracting(index..<index + size))
            index += size
        }
    }
}
