import CBoard

/// Runs simulations, one after the other, with a directory that their stores believe to be in.
public final class Simulation {
    private let directory: String

    public init() {
        var template = Array("/tmp/skyglow-simulate-XXXXXX".utf8CString)
        directory = template.withUnsafeMutableBufferPointer { buffer in
            guard let name = buffer.baseAddress, let made = mkdtemp(name) else { return "" }
            return String(cString: made)
        }
        precondition(!directory.isEmpty, "no directory can be made in /tmp")
    }

    deinit {
        unlink(directory + "/skyglow.db")
        rmdir(directory)
    }

    public func run(_ plan: Plan) -> Outcome { World(plan, directory: directory).run() }
}
