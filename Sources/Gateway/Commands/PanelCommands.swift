import Bytes
import CBoard
import Loop
import Panel
import Store

/// `skyglowd panel off`: for `ExecStopPost=`, and for a person before a repair.
extension CommandRunner {
    /// Refused while a gateway runs, whose lights mean something. Exit 69 if something could not be put out.
    ///
    /// As `ExecStopPost=` it does nothing after a stop in order: the gateway has given every light back as it was found,
    /// which may be on.
    func panelOff() throws(StartupError) -> ExitCode {
        if CommandRunner.endedInOrder { return .ok }
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

    /// What systemd tells those that it runs after a service (systemd.exec(5)). Some deaths by a signal are a success too,
    /// with the signal's name as the status.
    private static var endedInOrder: Bool {
        guard let result = getenv("SERVICE_RESULT"), let status = getenv("EXIT_STATUS") else { return false }
        return strcmp(result, "success") == 0 && strcmp(status, "0") == 0
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
        Startup.makePanelFiles(configuration)
        let found = FoundLights(directory: configuration.runtime, boot: BootIdentifier.current)
        Panel.putOut(configuration.panel, found: found, now: clock.now, wall: clock.unixMilliseconds) {
            role, output, problem in
            let text = problem.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            Output.complain((role.map { $0.name + " " } ?? "") + "\(output): \(text)")
            exit = .unavailable
        }
        return exit
    }
}
