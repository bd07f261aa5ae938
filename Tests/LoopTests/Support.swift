import Bytes
import CBoard
import Foundation
import Testbed
import Testing

@testable import Loop

/// A directory with a short path, for sockets, deleted with its owner.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/skyglow-loop-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

/// A TCP listener on the loopback address.
final class TCPListener: @unchecked Sendable {
    let fd: Int32
    let port: UInt16

    /// Without a backlog nobody listens, and the port is nobody else's either.
    init(backlog: Int32? = 16) throws {
        (fd, port) = try boundSocket(SOCK_STREAM)
        if let backlog { listen(fd, backlog) }
    }

    deinit { close(fd) }

    var address: SocketAddress { get throws { try #require(SocketAddress(literal: "127.0.0.1", port: port)) } }

    /// Takes one connection on a thread of its own and closes it after `body`.
    @discardableResult
    func serve(_ body: @escaping @Sendable (Int32) -> Void) -> Task {
        Task { [self] in
            let client = accept(fd, nil, nil)
            guard client >= 0 else { return }
            defer { close(client) }
            cb_set_socket_timeout(client, 20_000)
            body(client)
        }
    }
}

/// A thread that can be waited for.
final class Task: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [done] in
            body()
            done.signal()
        }
    }

    /// False if it is not over in time.
    @discardableResult
    func wait(seconds: Double = 10) -> Bool { done.wait(timeout: .now() + seconds) == .success }
}

/// A socket on a port, any by default, of the loopback address.
func boundSocket(_ type: __socket_type, port: UInt16 = 0) throws -> (fd: Int32, port: UInt16) {
    let fd = socket(AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(fd >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(fd, $0, length) == 0 && getsockname(fd, $0, &length) == 0
        }
    }
    guard bound else {
        close(fd)
        throw SystemError("bind", code: EADDRINUSE)
    }
    return (fd, UInt16(bigEndian: address.sin_port))
}

/// Writes everything to a blocking socket.
func sendAll(_ fd: Int32, _ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        sent += count
    }
}

/// Reads from a blocking socket until a text has come or the connection ends.
@discardableResult
func receive(_ fd: Int32, until end: String) -> String {
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while text.firstRange(of: Array(end.utf8)) == nil {
        let count = recv(fd, &chunk, chunk.count, 0)
        guard count > 0 else { break }
        text += chunk.prefix(count)
    }
    return String(decoding: text, as: UTF8.self)
}

/// Calls `body` with the bytes.
func withBytes<R>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes { try body($0) }
}

/// What a buffer holds after `body` has appended to it.
func text(capacity: Int = 1024, _ body: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: capacity)
    body(&buffer)
    return String(decoding: buffer.pointer, as: UTF8.self)
}

/// Milliseconds that a body took.
func milliseconds(_ body: () throws -> Void) rethrows -> Int64 {
    let begin = SystemClock().now
    try body()
    return SystemClock().now - begin
}
