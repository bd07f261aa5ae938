import CBoard
import Simulator

@main
struct Simulate {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let status = SimulatorCommand.run(arguments) else {
            print(SimulatorCommand.usage, terminator: "")
            exit(64)
        }
        exit(status)
    }
}
