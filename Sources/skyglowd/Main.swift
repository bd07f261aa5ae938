import CBoard
import Gateway

@main
struct Skyglowd {
    static func main() {
        var arguments: [String] = []
        for index in 1..<max(cb_argc(), 1) {
            if let argument = cb_argv(index) { arguments.append(String(cString: argument)) }
        }
        exit(run(arguments).rawValue)
    }

    private static func run(_ arguments: [String]) -> ExitCode {
        let invocation: Invocation
        do throws(UsageError) { invocation = try Arguments.parse(arguments) } catch {
            Output.complain(error.text)
            Output.complain("see `skyglowd --help`")
            return .usage
        }
        return CommandRunner(invocation).run(invocation.command)
    }
}
