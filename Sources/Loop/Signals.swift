import CBoard

/// Signals as events of the loop (signalfd). SIGPIPE is ignored: a broken connection is an error of its write.
public struct Signals: ~Copyable {
    private let descriptor: FileDescriptor

    /// Blocks these signals and receives them here instead.
    public init(_ numbers: [Int32]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        guard pthread_sigmask(SIG_BLOCK, &set, nil) == 0 else { throw SystemError("pthread_sigmask") }
        cb_ignore_sigpipe()
        cb_default_sigchld()
        let raw = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        guard raw >= 0 else { throw SystemError("signalfd") }
        descriptor = FileDescriptor(raw: raw)
    }

    public var raw: Int32 { descriptor.raw }

    /// The next signal that has come, or nil.
    public func next() -> Int32? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor.raw, &info, size) == size else { return nil }
        return Int32(info.ssi_signo)
    }
}
