/// When an output that can only be on or off is which: a pattern, or beeps. All times are milliseconds.
struct Switching {
    private var flashes: Flashes?
    private var isSteadilyOn = false
    private var since: Int64 = 0
    /// When the state next changes by itself.
    private(set) var change: Int64?

    /// A pattern that began at `since`.
    mutating func show(_ pattern: LightPattern, since: Int64) {
        flashes = pattern.flashes
        isSteadilyOn = pattern == .solid
        self.since = since
    }

    /// Beeps from `now` on.
    mutating func beep(_ count: Int, now: Int64) {
        flashes = .beeps(count)
        isSteadilyOn = false
        since = now
    }

    /// Whether the output is on at `now`; says in `change` when to ask again.
    mutating func isOn(at now: Int64) -> Bool {
        let moment = flashes?.moment(at: now - since) ?? LightMoment(isOn: isSteadilyOn, change: nil)
        change = moment.change.map { since &+ $0 }
        return moment.isOn
    }

    /// Nothing changes by itself until asked again.
    mutating func rest() { change = nil }
}
