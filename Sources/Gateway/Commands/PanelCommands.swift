import Bytes
import Loop
import Panel
import Store

/// `skyglowd panel off`: for `ExecStopPost=`, and for a person before a repair.
extension CommandRunner {
    /// Refused while a gateway runs, whose lights mean something. Exit 69 if something could not be put out.
    func panelOff() throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        do throws(StoreError) {
            let lock = try lock(configuration)
            return withExtendedLifetime(lock) { putOut(configuration) }
        } catch {
            // Without a state directory, or access to it, there is no gateway of this configuration to ask about.
            if case .locked = error { throw StartupError(error) }
            return putOut(configuration)
        }
    }

    private func lock(_ configuration: Configuration) throws(StoreError) -> StateLock {
        let owner = StateOwner(of: configuration.directory)
        let lock = try StateLock(directory: configuration.directory)
        withExtendedLifetime(owner) {}
        return lock
    }

    private func putOut(_ configuration: Configuration) -> ExitCode {
        var exit = ExitCode.ok
        let clock = SystemClock()
        Panel.putOut(configuration.panel, now: clock.now, wall: clock.unixMilliseconds) { role, output, problem in
            let text = problem.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            Output.complain("\(role.name) \(output): \(text)")
            exit = .unavailable
        }
        return exit
    }
}
