import Bytes
import CBoard
import Loop
import Store

/// What became of one run of a hook.
enum HookOutcome: Equatable {
    case done
    /// Worth another try: exit 75 (EX_TEMPFAIL of sysexits.h), or the system had no room for it.
    case retry
    /// Given up.
    case dead
}

extension HookOutcome {
    /// Sorts an end and writes the reason of one that is not well. `tries` counts this one.
    init(_ end: ChildEnd, timedOut: Bool, program: String, tries: Int, reason: inout ByteBuffer) {
        reason.removeAll()
        switch end {
        case _ where timedOut:
            reason.append("no end within ")
            reason.append(decimal: Limits.hookTime / 1_000)
            reason.append(" s: killed")
            self = .dead
        case .exited(0):
            self = .done
            return
        case .exited(let code):
            reason.append("exit ")
            reason.append(decimal: code)
            self = code == 75 ? .retry : .dead
        case .signalled(let number):
            reason.append("killed by signal ")
            reason.append(decimal: number)
            self = .dead
        case .notStarted(let errno):
            // A long path must not leave the words after it without room.
            reason.append(printable: program.utf8Span.span.bytes, limit: Limits.hookReason - Limits.hookReasonWords)
            reason.append(": ")
            reason.append(errno: errno)
            self = Self.isTemporary(errno) ? .retry : .dead
        }
        if self == .retry, tries >= Limits.hookTries {
            reason.append(", ")
            reason.append(decimal: tries)
            reason.append(" times")
            self = .dead
        }
    }

    private static func isTemporary(_ errno: Int32) -> Bool {
        switch errno {
        case EAGAIN, ENOMEM, ENFILE, EMFILE, ETXTBSY: true
        default: false
        }
    }
}
