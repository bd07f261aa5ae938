/// The command line of `skyglow-simulate`.
public enum SimulatorCommand {
    public static let usage = """
        usage: skyglow-simulate table            the rules beside each other, 200 NAT timeouts

        """

    /// The exit status; nil for a mistake in the arguments.
    public static func run(_ arguments: [String]) -> Int32? {
        switch arguments.first {
        case "table" where arguments.count == 1: return AcceptanceTable.printAll() ? 0 : 1
        default: return nil
        }
    }
}
