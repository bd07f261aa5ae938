import Bytes
import CBoard

extension ByteBuffer {
    /// Owner, group and mode of a file, because that is what a person must change after EACCES: ` (owner root:gpio,
    /// mode 0640)`. Nothing if the file cannot be looked at.
    mutating func append(ownerOf path: UnsafePointer<CChar>) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        append(" (owner ")
        append(account: status.st_uid, in: "/etc/passwd")
        append(UInt8(ascii: ":"))
        append(account: status.st_gid, in: "/etc/group")
        append(", mode 0")
        append(decimal: (status.st_mode >> 6) & 7)
        append(decimal: (status.st_mode >> 3) & 7)
        append(decimal: status.st_mode & 7)
        append(UInt8(ascii: ")"))
    }

    /// The name of an account, or its number. The file is read here because the system's own functions load name
    /// services at run time, which a static program cannot.
    private mutating func append(account id: UInt32, in file: String) {
        let start = count
        guard appendName(of: id, in: file) else {
            truncate(to: start)
            return append(decimal: id)
        }
    }

    /// Appends the name whose third field is `id`; what is appended without success is for the caller to drop.
    private mutating func appendName(of id: UInt32, in file: String) -> Bool {
        // Not passed as a String: the conversion to a C string would allocate.
        let descriptor = file.withCString { cb_open($0, O_RDONLY, 0) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let start = count
        var chunk = InlineArray<512, UInt8>(repeating: 0)
        var field = 0
        var number: UInt64 = 0
        while true {
            let length = withUnsafeMutableBytes(of: &chunk) { read(descriptor, $0.baseAddress, $0.count) }
            guard length > 0 else { return false }
            for index in 0..<length {
                let byte = chunk[index]
                if byte == UInt8(ascii: "\n") {
                    truncate(to: start)
                    field = 0
                    number = 0
                } else if byte == UInt8(ascii: ":") {
                    field += 1
                    if field == 3, number == UInt64(id) { return true }
                } else if field == 0 {
                    append(byte)
                } else if field == 2 {
                    number = number &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
                }
            }
        }
    }
}
