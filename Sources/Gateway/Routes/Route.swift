import Bytes
import Panel

/// A `[route NAME]` section: what a notification of some application does. What is nil is left to the defaults.
public struct Route: Equatable, Sendable {
    public var name: String
    /// The whole identifier, or its beginning if `isPrefix`.
    public var bundle = Blob<64>()
    public var isPrefix = false
    /// What must hold besides, joined by `and`.
    public var conditions: [Condition] = []
    public var light: LightPattern?
    public var beep: Int?
    /// The words of the command, the program's absolute path first; empty for none.
    public var hook: [String] = []
    /// Seconds before a hook that ends with 75 is tried again; each later try waits twice as long.
    public var retry = 2
    /// Who is told of each notification, as far as they read. Paths are absolute.
    public var outlets: [OutletAddress] = []
    public var quiet: QuietHours?
    /// Kept in the inbox as read; nothing else happens.
    public var isMuted = false
    /// Whether a notification may take the place of an older one where its sender asks for it.
    public var collapses = true

    /// Whether the route is for this bundle identifier.
    public func matches(_ identifier: RawSpan) -> Bool {
        guard isPrefix else { return identifier.equals(bundle.bytes) }
        guard identifier.byteCount >= bundle.count else { return false }
        return identifier.extracting(0..<bundle.count).equals(bundle.bytes)
    }
}
