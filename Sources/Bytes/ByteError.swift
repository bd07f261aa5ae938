/// Why bytes could not be read.
public enum ByteError: Error, Equatable, Sendable {
    /// Fewer bytes are left than the value takes.
    case short
    /// A varint is longer than ten bytes or does not fit 64 bits.
    case varint
}
