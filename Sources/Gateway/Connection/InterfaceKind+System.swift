import Bytes
import CBoard
import SGP

extension InterfaceKind {
    /// From what sysfs says of an interface (sysfs-class-net), and from its name where that says nothing. Paths are
    /// written into `path`.
    init(of name: Blob<16>, path: inout ByteBuffer, directory: String = "/sys/class/net/") {
        self = .other
        guard Self.isName(name) else { return }
        func has(_ file: String) -> Bool {
            path.removeAll()
            path.append(directory)
            path.append(name.bytes)
            path.append(file)
            path.append(0 as UInt8)
            guard !path.overflowed, let at = path.pointer.baseAddress?.assumingMemoryBound(to: CChar.self) else {
                return false
            }
            return access(at, F_OK) == 0
        }
        func content(_ file: String) -> Blob<255> {
            guard has(file), let at = path.pointer.baseAddress?.assumingMemoryBound(to: CChar.self) else {
                return Blob()
            }
            let descriptor = cb_open(at, O_RDONLY, 0)
            guard descriptor >= 0 else { return Blob() }
            defer { close(descriptor) }
            var bytes = InlineArray<255, UInt8>(repeating: 0)
            let count = withUnsafeMutableBytes(of: &bytes) { read(descriptor, $0.baseAddress, $0.count) }
            return Blob(bytes.span.bytes.extracting(0..<max(count, 0))) ?? Blob()
        }
        if has("/wireless") || has("/phy80211") {
            self = .wifi
        } else if content("/uevent").bytes.holds("DEVTYPE=wwan") || name.bytes.starts(with: "ppp")
            || name.bytes.starts(with: "wwan")
        {
            self = .wwan
        } else {
            // ARPHRD_ETHER and ARPHRD_LOOPBACK.
            let type = content("/type").bytes
            if type.starts(with: "1\n") { self = .ethernet }
            if type.starts(with: "772") || name.bytes.equals("lo") { self = .loopback }
        }
    }

    /// Never a path to elsewhere.
    private static func isName(_ name: Blob<16>) -> Bool {
        for index in 0..<name.count where name[index] == UInt8(ascii: "/") || name[index] == 0 { return false }
        return !name.isEmpty && name[0] != UInt8(ascii: ".")
    }
}

extension RawSpan {
    /// Whether the text is somewhere in it.
    fileprivate func holds(_ text: String) -> Bool {
        let length = text.utf8.count
        guard byteCount >= length else { return false }
        for index in 0...byteCount - length where extracting(index..<byteCount).starts(with: text) { return true }
        return false
    }
}
