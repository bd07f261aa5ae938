import CBoard

/// Root works in a directory of somebody else as its owner, from `init` until this value ends: what root made there the
/// gateway could not open. The groups of root stay, they decide about no new file.
struct StateOwner: ~Copyable {
    private let isOther: Bool

    init(of directory: String) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0, setegid(status.st_gid) == 0 else {
            isOther = false
            return
        }
        // Root as before, if that fails, is better than half of it.
        isOther = seteuid(status.st_uid) == 0
        if !isOther { _ = setegid(getgid()) }
    }

    deinit {
        guard isOther else { return }
        _ = seteuid(getuid())
        _ = setegid(getgid())
    }

    /// Does something as the owner of a directory.
    static func of<R: ~Copyable>(
        _ directory: String, _ body: () throws(StartupError) -> R
    ) throws(StartupError) -> R {
        let owner = StateOwner(of: directory)
        let result = try body()
        withExtendedLifetime(owner) {}
        return result
    }
}
