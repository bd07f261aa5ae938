import Bytes
import CBoard
import Loop

// Any bytes from a client of the relay's listener, in pieces of any length, and then the end of its half of the connection:
// what the listener hands over is what the parser finds in the bytes as a whole. The first byte is the length of a piece.

private let port: UInt16 = freePort()
nonisolated(unsafe) private let listener = HTTPListener(address: SocketAddress(literal: "127.0.0.1", port: port)!)
nonisolated(unsafe) private var set = PollSet(capacity: Limits.pollSlots)

private struct Seen: Equatable {
    var requests = 0
    var bodies = 0
    var status = 0
}

nonisolated(unsafe) private var seen = Seen()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: min(count, 2 * (Limits.requestHead + Limits.requestBody)))
    guard input.count > 1 else { return 0 }
    let stream = UnsafeRawBufferPointer(rebasing: input[1...])
    let piece = max(Int(input[0]), stream.count / 200 + 1)
    seen = Seen()
    turn(waiting: 0)
    let client = connection()
    var sent = 0
    while sent < stream.count {
        let length = min(piece, stream.count - sent)
        guard send(client, stream.baseAddress! + sent, length, Int32(MSG_NOSIGNAL)) == length else { break }
        sent += length
        turn(waiting: 0)
    }
    shutdown(client, Int32(SHUT_WR))
    var turns = 0
    repeat {
        turn(waiting: 100)
        turns += 1
    } while listener.connections > 0 && turns < 10_000
    close(client)
    guard listener.connections == 0 else { fatalError("it never ends") }
    guard seen == expected(stream) else { fatalError("\(seen) and not \(expected(stream))") }
    return 0
}

/// What the parser makes of the whole.
private func expected(_ stream: UnsafeRawBufferPointer) -> Seen {
    var expected = Seen()
    var offset = 0
    while offset < stream.count {
        var parser = HTTPRequestParser()
        let end = min(stream.count, offset + Limits.requestHead + Limits.requestBody)
        let rest = UnsafeRawBufferPointer(rebasing: stream[offset..<end])
        switch parser.parse(rest.bytes, full: false) {
        case .incomplete: return expected
        case .fault(let status):
            expected.status = status
            return expected
        case .complete(let request):
            guard request.bodyStart + request.bodyLength <= rest.count else { return expected }
            expected.requests += 1
            expected.bodies += request.bodyLength
            guard request.keepsAlive else { return expected }
            offset += request.bodyStart + request.bodyLength
        }
    }
    return expected
}

private func turn(waiting milliseconds: Int32) {
    set.removeAll()
    listener.register(in: &set)
    do throws(SystemError) { try set.wait(milliseconds: listener.wantsTurn ? 0 : milliseconds) } catch {
        fatalError("poll")
    }
    listener.collect(set)
    listener.advance(
        now: 1_000_000, allows: { _ in true }, refused: { status, _ in seen.status = status },
        handle: { _, target, body, peer, answer in
            guard target.byteCount > 0, peer.byteCount == 4 else { fatalError("request") }
            seen.requests += 1
            seen.bodies += body.byteCount
            answer.status = 202
            answer.isHeld = seen.requests % 2 == 0
        })
    listener.release(durable: true, now: 1_000_000)
}

// MARK: Sockets

private func withAddress<R>(
    _ port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> R
)
    -> R
{
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
    }
}

private func freePort() -> UInt16 {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(fd) }
    return withAddress(0) { address, length in
        guard bind(fd, address, length.pointee) == 0, getsockname(fd, address, length) == 0 else { fatalError("bind") }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
}

/// It ends without a trace, or thousands would use up the ports.
private func connection() -> Int32 {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var quick = linger(l_onoff: 1, l_linger: 0)
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &quick, socklen_t(MemoryLayout<linger>.size))
    guard withAddress(port, { connect(fd, $0, $1.pointee) }) == 0 else { fatalError("connect") }
    return fd
}
