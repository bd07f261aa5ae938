/// One command with its options, as the command line gave it.
public enum Command: Sendable, Equatable {
    case run
    case check
    case certificateFetch(from: String?, fingerprint: String?, yes: Bool)
    case certificateImport(path: String)
    case certificateShow
    case tokenAdd(bundle: String)
    case tokenList
    case tokenMute(bundle: String)
    case tokenUnmute(bundle: String)
    case tokenDelete(bundle: String)
    case status
    case inbox(unreadOnly: Bool, limit: Int?)
    case read(ids: [Int64])
    case readAll
    case log(follow: Bool, lines: Int?)
    case panelTest
    case panelOff
    case pairCronstable(link: String)
    case pairPocketty(host: String)
    case pairRotate
    case pairings
    case unpair(id: Int64)
    case notePair(file: String)
    case noteSend(file: String, agent: String, state: String, pane: String)
    case keepAliveShow(network: String?)
    case keepAlivePlot(svg: String?, network: String?)
    case keepAliveForget(network: String?)
    case reconnect
    case reload
    case stop
    case version
    case help
}

/// The whole command line.
public struct Invocation: Sendable, Equatable {
    public var command: Command
    /// `-c FILE`
    public var configuration: String?
    public var json = false
}

/// What is wrong with a command line, in words.
public struct UsageError: Error, Equatable, Sendable {
    public var text: String
}
