import CBoard
import Glibc

/// Sockets on the loopback address.
enum Listener {
    /// Listens on 127.0.0.1; port 0 takes any.
    static func open(port: UInt16) throws(TestbedError) -> (fd: Int32, port: UInt16) {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard fd >= 0 else { throw .system(call: "socket", errno: cb_errno()) }
        var on: Int32 = 1
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) { pointer -> String? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                if bind(fd, $0, length) != 0 { return "bind" }
                if listen(fd, 128) != 0 { return "listen" }
                return getsockname(fd, $0, &length) == 0 ? nil : "getsockname"
            }
        }
        if let failed {
            let code = cb_errno()
            Listener.close(fd)
            throw .system(call: failed, errno: code)
        }
        return (fd, UInt16(bigEndian: address.sin_port))
    }

    /// The next connection, non-blocking, or nil.
    static func accept(_ listener: Int32) -> Int32? {
        let fd = Glibc.accept(listener, nil, nil)
        guard fd >= 0 else { return nil }
        _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
        _ = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        return fd
    }

    /// Two connected ends, non-blocking.
    static func pair() throws(TestbedError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .system(call: "socketpair", errno: cb_errno()) }
        return (ends[0], ends[1])
    }

    static func close(_ fd: Int32) { _ = Glibc.close(fd) }

    /// As send(2), without SIGPIPE.
    static func send(_ fd: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Glibc.send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Closes a connection with RST instead of FIN.
    static func reset(_ fd: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close(fd)
    }
}
