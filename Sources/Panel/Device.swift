import Bytes
import CBoard

/// One output of one role. A class, so that a panel keeps different kinds in one array made at start; every method is
/// called from the event loop and allocates nothing.
class Device {
    let role: PanelRole
    /// As the configuration names it.
    let label: String
    /// What is wrong, or empty.
    var problem = ByteBuffer(capacity: Limits.panelProblem)
    /// Grows when `problem` appears or goes.
    var problemChanges: UInt32 = 0

    init(role: PanelRole, label: String) {
        self.role = role
        self.label = label
    }

    /// When `tick` must be called, in milliseconds of the boot clock.
    var deadline: Int64? { nil }

    /// Shows a pattern that began at `since`.
    func show(_ pattern: LightPattern, since: Int64, now: Int64, wall: Int64) {}
    /// Beeps `count` times from `now` on.
    func beep(_ count: Int, now: Int64, wall: Int64) {}
    /// Does what is due.
    func tick(now: Int64, wall: Int64) {}
    /// Gives the device back as it was found.
    func stop(wall: Int64) {}
    /// Puts out what another process left on; the device is of no use afterwards. What fails becomes the problem.
    func putOut(now: Int64, wall: Int64) { stop(wall: wall) }
    /// What `poll` watches for a button; −1 for none.
    var eventDescriptor: Int32 { -1 }
    /// The next press of a button that has not been told yet.
    func nextPress(now: Int64) -> ButtonPress? { nil }

    /// Replaces the text of the problem by what `write` appends, and counts a change if the text is another.
    final func setProblem(_ write: (inout ByteBuffer) -> Void) {
        let before = fingerprint
        problem.removeAll()
        write(&problem)
        if fingerprint != before { problemChanges &+= 1 }
    }

    /// The problem is gone.
    final func clearProblem() { setProblem { _ in } }

    /// Sets the problem to `WHAT PATH: reason`, with the owner if access is what is missing. `path` ends in NUL.
    final func report(_ what: String, path: UnsafeRawBufferPointer, _ errno: Int32) {
        guard let name = path.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        setProblem {
            $0.append(what)
            $0.append(UnsafeRawBufferPointer(rebasing: path.dropLast()))
            $0.append(": ")
            $0.append(cString: strerror(errno))
            if errno == EACCES || errno == EPERM { $0.append(ownerOf: name) }
        }
    }

    /// FNV-1a of the problem: a retry that fails as before is no news.
    private var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<problem.count { hash = (hash ^ UInt64(problem.bytes[index])) &* 0x100_0000_01B3 }
        return hash
    }
}
