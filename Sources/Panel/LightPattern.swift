/// What a light shows over time.
public enum LightPattern: UInt8, CaseIterable, Sendable {
    case off, solid
    /// 1 s on, 1 s off.
    case slow
    /// 125 ms on, 125 ms off.
    case fast
    /// Two short flashes every 2 s.
    case double
    /// One short flash every 5 s.
    case pulse

    /// The word of the configuration and of `file:` outputs.
    public var name: String {
        switch self {
        case .off: "off"
        case .solid: "solid"
        case .slow: "slow"
        case .fast: "fast"
        case .double: "double"
        case .pulse: "pulse"
        }
    }

    /// The pattern of that name, or nil.
    public init?(name: String) {
        for pattern in Self.allCases where pattern.name == name {
            self = pattern
            return
        }
        return nil
    }

    /// The state `elapsed` milliseconds after the pattern began.
    public func moment(at elapsed: Int64) -> LightMoment {
        guard let flashes else { return LightMoment(isOn: self == .solid, change: nil) }
        return flashes.moment(at: elapsed)
    }

    /// The flashes of a pattern that blinks.
    var flashes: Flashes? {
        switch self {
        case .off, .solid: nil
        case .slow: Flashes(length: 1000, gap: 1000, count: 1, period: 2000)
        case .fast: Flashes(length: 125, gap: 125, count: 1, period: 250)
        case .double: Flashes(length: 100, gap: 150, count: 2, period: 2000)
        case .pulse: Flashes(length: 80, gap: 4920, count: 1, period: 5000)
        }
    }
}

/// The state of a light at one time.
public struct LightMoment: Equatable, Sendable {
    public let isOn: Bool
    /// When the state next changes, in milliseconds since the pattern began; nil if it never does.
    public let change: Int64?
}

/// `count` flashes of `length` with `gap` between them, once or every `period`. All times are milliseconds.
struct Flashes {
    let length: Int64
    let gap: Int64
    let count: Int64
    /// Nil: the flashes come once. Otherwise at least `count * (length + gap)`.
    let period: Int64?

    /// `count` beeps, for outputs that can only switch.
    static func beeps(_ count: Int) -> Flashes { Flashes(length: 120, gap: 130, count: Int64(count), period: nil) }

    func moment(at elapsed: Int64) -> LightMoment {
        let elapsed = max(elapsed, 0)
        let phase = period.map { elapsed % $0 } ?? elapsed
        let base = elapsed - phase
        let step = length + gap
        let index = phase / step
        let start = base &+ index &* step
        if index < count, phase % step < length { return LightMoment(isOn: true, change: start &+ length) }
        if index + 1 < count { return LightMoment(isOn: false, change: start &+ step) }
        return LightMoment(isOn: false, change: period.map { base &+ $0 })
    }
}
