import Bytes
import SGP

/// Why the interval is what it is, in words.
extension ByteBuffer {
    /// A part of one line for `status`: "every 28 min: proved 3 days ago, nothing longer survived". `now` is Unix seconds.
    mutating func append(brief state: IntervalState, _ evidence: IntervalEvidence, now: Int64) {
        append("every ")
        append(span: state.interval)
        append(": ")
        if state.isFixed { return append("fixed by the configuration") }
        if state.isDoubted {
            append(span: state.proven)
            return append(" got no answer once, maybe by chance")
        }
        if state.isTriedApart { return append("longer is tried on a second connection") }
        guard state.proven > 0 else {
            guard let refuted = state.refuted else { return append("a first try on this network") }
            append(span: refuted)
            return append(" was not survived, shorter is tried")
        }
        guard state.interval <= state.proven else {
            append("trying more than the proven ")
            return append(span: state.proven)
        }
        append("proved")
        if let at = evidence.provenAt { append(ago: at, now: now) }
        if state.proven >= state.maximum { return append(", the longest allowed") }
        if let probe = state.probe, let due = probe.due, !state.isBelieved(below: probe) {
            guard due > now else { return append(", longer tried next") }
            append(", longer tried in ")
            append(span: due - now)
        } else {
            append(", nothing longer survived")
        }
    }

    /// Sentences for `keepalive show`.
    mutating func append(reason state: IntervalState) {
        if state.isFixed {
            return append("The configuration says so: its minimum and maximum are equal, and nothing is learned.")
        }
        if state.isDoubted {
            append(span: state.proven)
            append(" of silence was proven and then got no answer once. That may be chance, so another silence is ")
            return append("tried before it is believed.")
        }
        if state.isTriedApart, let probe = state.probe { return append(apart: state, probe.interval) }
        if state.place == .refused { append("The server takes no second connection to try anything on. ") }
        guard state.proven > 0 else { return appendBeginning(state) }
        guard state.interval <= state.proven else { return appendSearch(state) }
        append(span: state.proven)
        append(" is the longest silence that was survived")
        if state.proven >= state.maximum {
            append(", and the longest allowed: there is nothing to look for.")
        } else if let refuted = state.refuted {
            append("; ")
            append(span: refuted)
            append(" was not. ")
            guard let probe = state.probe, !state.isBelieved(below: probe) else {
                return append(
                    "What lies between is not worth another dead connection; more is tried again in a while, as "
                        + "networks change.")
            }
            append("The search goes on once this has held again.")
        } else {
            append(". Nothing speaks against more, which is tried once this has held for a while.")
        }
    }

    private mutating func append(apart state: IntervalState, _ silence: Int64) {
        append("A silence of ")
        append(span: silence)
        append(" is tried on a second connection, which may die of it. The one that notifications come on is asked ")
        append(state.proven >= state.interval ? "at what was survived." : "more often than anything is known to need.")
    }

    private mutating func appendBeginning(_ state: IntervalState) {
        guard let refuted = state.refuted else {
            append("Nothing is known of this network yet: ")
            append(span: state.interval)
            return append(" is a cautious first try.")
        }
        append("A silence of ")
        append(span: refuted)
        append(" was not survived, so shorter ones are tried until one is.")
    }

    private mutating func appendSearch(_ state: IntervalState) {
        append(span: state.proven)
        append(" of silence was survived ")
        guard let refuted = state.refuted else {
            return append("and nothing speaks against more, so longer ones are tried.")
        }
        append("and ")
        append(span: refuted)
        if state.interval < refuted { return append(" was not, so one between the two is tried.") }
        append(
            state.interval <= refuted + 1
                ? " was not, maybe by chance, so it is tried once more."
                : " was not, but networks get better, so more is tried again.")
    }

    // MARK: Words for numbers

    /// Seconds as `45 s`, `28 min`, `2 min 40 s`, `3 h 20 min` or `6 d 4 h`.
    mutating func append(span seconds: Int64) {
        let seconds = max(seconds, 0)
        switch seconds {
        case 86_400...: append(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h")
        case 7_200...: append(seconds / 3_600, "h", seconds % 3_600 / 60, "min")
        case 120...: append(seconds / 60, "min", seconds % 60, "s")
        default: append(seconds, "s", 0, "")
        }
    }

    private mutating func append(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) {
        append(decimal: large)
        append(" ")
        append(unit)
        guard small > 0 else { return }
        append(" ")
        append(decimal: small)
        append(" ")
        append(smallUnit)
    }

    /// ` 3 days ago`, ` just now`; nothing where the clock says that it is yet to come.
    mutating func append(ago time: Int64, now: Int64) {
        let seconds = now - time
        switch seconds {
        case ..<0: return
        case ..<60: append(" just now")
        case ..<3_600: append(seconds / 60, " minute")
        case ..<86_400: append(seconds / 3_600, " hour")
        default: append(seconds / 86_400, " day")
        }
    }

    private mutating func append(_ count: Int64, _ unit: String) {
        append(" ")
        append(decimal: count)
        append(unit)
        append(count == 1 ? " ago" : "s ago")
    }

    /// `once`, `twice`, `3 times`.
    mutating func append(times count: Int) {
        switch count {
        case 1: append("once")
        case 2: append("twice")
        default:
            append(decimal: count)
            append(" times")
        }
    }
}

extension IntervalState {
    /// Something is being tried on a second connection.
    fileprivate var isTriedApart: Bool { place == .second && probe != nil && probe?.due == nil }
}

extension KeepAlive.Stage {
    /// What happens in it.
    var words: String {
        switch self {
        case .initialGrowth: "growing: longer silences are tried in large steps"
        case .refinedGrowth: "refining: between what was survived and what was not"
        case .steady: "steady"
        case .backoff: "backing off: shorter silences are tried"
        }
    }
}
