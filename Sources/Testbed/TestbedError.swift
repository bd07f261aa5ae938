/// Why the testbed could not do what it was asked.
public enum TestbedError: Error, Equatable, CustomStringConvertible {
    /// A call of the system failed.
    case system(call: String, errno: Int32)
    /// OpenSSL or zlib failed.
    case library(String)
    /// The token is not 64 hexadecimal digits.
    case malformedToken
    /// No registration set holds the token's routing key.
    case unknownToken
    /// No message has this identifier.
    case unknownMessage
    /// No client is connected, or not the one named.
    case notConnected
    /// A command could not be understood.
    case usage(String)

    public var description: String {
        switch self {
        case .system(let call, let errno): "\(call): errno \(errno)"
        case .library(let what): what
        case .malformedToken: "a token is 64 hexadecimal digits"
        case .unknownToken: "no device has registered this token"
        case .unknownMessage: "no such message"
        case .notConnected: "no such connection"
        case .usage(let what): what
        }
    }
}
