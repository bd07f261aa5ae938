/// Where an outlet writes, as the configuration has it.
public struct OutletAddress: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// A named pipe, which somebody else makes and reads.
        case fifo
        /// A Unix stream socket on which somebody else listens.
        case socket
    }

    public var kind: Kind
    public var path: String

    /// As in the configuration.
    public var text: String { (kind == .fifo ? "fifo:" : "socket:") + path }
}
