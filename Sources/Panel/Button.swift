import Bytes

/// What somebody did with a button.
public enum ButtonPress: Equatable, Sendable {
    /// Pressed and released.
    case short
    /// Held for the hold time, and perhaps still held.
    case long
}

/// What a press is for.
public enum ButtonAction: Equatable, Sendable, CaseIterable {
    /// Every notification counts as read.
    case readAll
    /// As the command `panel test`.
    case panelTest
    /// As the command `reconnect`.
    case reconnect
    case none

    /// As in the configuration.
    public var name: String {
        switch self {
        case .readAll: "read-all"
        case .panelTest: "panel-test"
        case .reconnect: "reconnect"
        case .none: "none"
        }
    }
}

/// From the edges of a line with bouncing contacts to presses. A level counts once it has lasted `Limits.buttonSettle`.
/// Times are milliseconds of one clock and never go back.
struct Button {
    /// After how many milliseconds a press is a long one.
    private let hold: Int64
    /// The level that the line had last, and since when.
    private var level: Bool
    private var levelSince: Int64
    private var isPressed: Bool
    /// When the press began that has not been told yet.
    private var pressedAt: Int64?

    /// A button that is held down already, or whose line is wired the other way round, is not pressed until it has
    /// been released.
    init(isPressed: Bool, hold: Int64 = Limits.buttonLong, now: Int64) {
        self.hold = hold
        level = isPressed
        levelSince = now
        self.isPressed = isPressed
    }

    /// When `advance` is due.
    var deadline: Int64? {
        if level != isPressed { return levelSince + Limits.buttonSettle }
        return pressedAt.map { $0 + hold }
    }

    /// The line changed at `time`. A press that had ended before is told now.
    mutating func edge(isActive: Bool, at time: Int64) -> ButtonPress? {
        let time = max(time, levelSince)
        let press = advance(to: time)
        level = isActive
        levelSince = time
        return press
    }

    /// Whether the line's level is known to be this one.
    func agrees(isActive: Bool) -> Bool { level == isActive }

    /// What became certain by `now`; called again, it tells what else did.
    mutating func advance(to now: Int64) -> ButtonPress? {
        if level != isPressed, now >= levelSince + Limits.buttonSettle {
            isPressed = level
            if level {
                pressedAt = levelSince
            } else if let begin = pressedAt {
                pressedAt = nil
                return levelSince - begin >= hold ? .long : .short
            }
        }
        // While the level is low but not yet for long enough, nobody knows whether the button is still held.
        guard level, let begin = pressedAt, now >= begin + hold else { return nil }
        pressedAt = nil
        return .long
    }
}
