import Panel

/// Some patterns, by the bits of their codes in the store.
struct LightSet: Equatable {
    private let bits: UInt64

    /// As `Store.unreadLights` gives it.
    init(_ bits: UInt64) { self.bits = bits }

    func contains(_ pattern: LightPattern) -> Bool { bits & 1 << UInt64(pattern.rawValue) != 0 }
}
