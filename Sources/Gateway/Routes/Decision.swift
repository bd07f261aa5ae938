import Bytes
import Panel
import Payload

/// What a notification does, decided once when it comes and stored with it.
package struct Decision: Equatable {
    /// The index of the route that matched; nil for the defaults.
    var route: Int?
    var light = LightPattern.solid
    /// 0 for no sound.
    var beeps = 0
    /// Into the inbox as read, and nowhere else.
    var isMuted = false
}

/// What a notification shows of itself that routes decide by.
struct Appearance {
    var interruption: InterruptionLevel?
    var hasSound = false
    /// For the program behind it only: `content-available` with nothing to see or hear.
    var isBackground = false
}

extension Appearance {
    init(_ view: borrowing NotificationView) {
        let isCritical = view.isSoundCritical && view.interruption != .passive
        interruption = isCritical ? .critical : view.interruption
        hasSound = view.sound != nil
        isBackground = view.isContentAvailable && view.isSilent
    }
}

/// What notifications are routed by: the routes of a configuration, in its order, and the texts for localised ones.
package struct Routing: Sendable {
    let routes: [Route]
    let strings: StringsTable
    private let names: [[UInt8]]

    init(_ routes: [Route], _ strings: StringsTable = StringsTable()) {
        self.routes = routes
        self.strings = strings
        names = routes.map { Array($0.name.utf8) }
    }

    /// The defaults alone.
    package init() { self.init([]) }

    /// The UTF-8 of a route's name; none for the defaults.
    func name(_ index: Int?) -> [UInt8] { index.map { names[$0] } ?? [] }

    func hasHook(_ index: Int?) -> Bool { index.map { !routes[$0].hook.isEmpty } ?? false }

    func hasOutlets(_ index: Int) -> Bool { !routes[index].outlets.isEmpty }

    /// Whether a sender may have its older notifications replaced.
    func collapses(_ index: Int?) -> Bool { index.map { routes[$0].collapses } ?? true }

    /// The first route that matches decides. Without a match: a solid light, and one beep if the sender gave a sound. A background notification never lights
    /// or sounds, a passive one never sounds, and only time-sensitive and critical ones sound in quiet hours.
    /// - Parameter time: corrected Unix seconds.
    func decide(
        bundle: RawSpan, _ document: borrowing Document, _ appearance: Appearance, time: Int64
    ) -> Decision {
        guard let index = match(bundle: bundle, document) else {
            return Decision(
                light: appearance.isBackground ? .off : .solid,
                beeps: appearance.hasSound && appearance.interruption != .passive ? 1 : 0)
        }
        if routes[index].isMuted { return Decision(route: index, light: .off, isMuted: true) }
        if appearance.isBackground { return Decision(route: index, light: .off) }
        let beeps = maySound(index, appearance, time: time) ? routes[index].beep ?? (appearance.hasSound ? 1 : 0) : 0
        return Decision(route: index, light: routes[index].light ?? .solid, beeps: beeps)
    }

    private func match(bundle: RawSpan, _ document: borrowing Document) -> Int? {
        for index in 0..<routes.count where routes[index].matches(bundle) {
            if holds(index, document) { return index }
        }
        return nil
    }

    private func holds(_ index: Int, _ document: borrowing Document) -> Bool {
        for condition in routes[index].conditions where !condition.holds(document) { return false }
        return true
    }

    private func maySound(_ index: Int, _ appearance: Appearance, time: Int64) -> Bool {
        switch appearance.interruption {
        case .passive: return false
        case .timeSensitive, .critical: return true
        case .active, nil: return routes[index].quiet?.contains(time: time) != true
        }
    }
}
