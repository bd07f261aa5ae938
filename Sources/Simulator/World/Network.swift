import Bytes
import SGP

/// One of the networks that the board may be in, and the NAT at its edge.
final class Network {
    let index: Int
    let identity: NetworkIdentity
    /// How long the NAT remembers a silent connection, in milliseconds.
    var timeout: Int64
    /// It does so give or take so many thousandths, anew for each silence.
    let jitter: Int64
    /// A connection that it has forgotten is reset when the board sends; else what is sent disappears.
    let resets: Bool
    /// One way, in milliseconds.
    var latency: Int64
    /// Nothing passes, and the board is not told.
    var isDark = false
    /// The board sees that there is no link.
    var isDown = false
    /// Every server is somebody else's until a person signs in.
    var isCaptive = false
    /// Name servers: fail, do not answer, or answer late.
    var names = Names.answer

    enum Names: UInt8 { case answer, fail, silent, slow }

    init(index: Int, kind: InterfaceKind, timeout: Int64, jitter: Int64, resets: Bool, latency: Int64) {
        self.index = index
        let name = kind == .wwan ? "wwan0" : kind == .wifi ? "wlan0" : "eth0"
        let key: [UInt8] = [2, 0, 0, 0, 0, UInt8(truncatingIfNeeded: index)]
        identity = NetworkIdentity(
            name: Blob<16>(name) ?? Blob(), kind: kind, key: Blob<20>(key.span.bytes) ?? Blob())
        self.timeout = timeout
        self.jitter = jitter
        self.resets = resets
        self.latency = latency
    }

    var passes: Bool { !isDark && !isDown }

    func forgets(after silence: Int64, _ random: inout SeededRandom) -> Bool {
        let offset = jitter == 0 ? 0 : timeout * random.integer(-jitter...jitter) / 1_000
        return silence > timeout + offset
    }
}
