import Bytes

/// One thing that is wrong with a configuration.
public struct ConfigurationFault: Equatable, Sendable {
    /// Counted from 1.
    public let line: Int
    public let text: String

    public init(line: Int, text: String) {
        self.line = line
        self.text = text
    }
}

/// Why there is no configuration.
public enum ConfigurationError: Error, Equatable, Sendable {
    /// The file cannot be read: the call's error number, and what to say.
    case unreadable(errno: Int32, String)
    /// The file is longer than `Limits.configurationFile`.
    case tooLarge
    /// What is wrong in the order of the lines, at most `Limits.configurationFaults`, and how many more there are.
    case faults([ConfigurationFault], more: Int)

    /// `FILE:LINE: what is wrong` for every fault, or one line about the file.
    public func messages(_ path: String) -> [String] {
        switch self {
        case .unreadable(_, let text): return ["\(path): cannot be read: \(text)"]
        case .tooLarge: return ["\(path): is longer than \(Limits.configurationFile) bytes"]
        case .faults(let faults, let more):
            var lines: [String] = []
            for fault in faults { lines.append("\(path):\(fault.line): \(fault.text)") }
            if more > 0 { lines.append("\(path): \(more) more faults are not shown") }
            return lines
        }
    }
}

/// The faults found so far.
struct FaultList {
    private(set) var faults: [ConfigurationFault] = []
    private var more = 0

    var isEmpty: Bool { faults.isEmpty }

    mutating func add(_ line: Int, _ text: String) {
        guard faults.count < Limits.configurationFaults else {
            more += 1
            return
        }
        // Later checks find faults of earlier lines.
        var index = faults.count
        while index > 0, faults[index - 1].line > line { index -= 1 }
        faults.insert(ConfigurationFault(line: line, text: text), at: index)
    }

    /// The faults as an error.
    var error: ConfigurationError { .faults(faults, more: more) }
}
