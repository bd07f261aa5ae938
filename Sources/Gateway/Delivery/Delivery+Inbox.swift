import Bytes
import Panel
import Payload
import SGP
import Store

/// One notification that is about to be shown.
struct Arrival: BitwiseCopyable {
    var header: NotifyHeader
    var bundle: Blob<64>
    /// Corrected Unix seconds.
    var time: Int64
}

extension Delivery {
    /// Puts the document into the inbox, with what its route decides, and marks read what it replaces.
    mutating func show(
        _ arrival: Arrival, _ routing: Routing, store: Store
    ) throws(StoreError) -> Decision {
        json.removeAll()
        json.append(canonicalJSON: document)
        let appearance = Appearance(NotificationView(document))
        let decision = routing.decide(bundle: arrival.bundle.bytes, document, appearance, time: arrival.time)
        try store.markSeen(arrival.header.messageID.bytes, at: arrival.time, expires: arrival.header.expiresAt)
        texts.resolve(document, routing.strings)
        try insert(arrival, decision, routing, store)
        beepsInBurst = max(beepsInBurst, decision.beeps)
        shownInBurst += 1
        return decision
    }

    private func insert(
        _ arrival: Arrival, _ decision: Decision, _ routing: Routing, _ store: Store
    ) throws(StoreError) {
        let view = NotificationView(document)
        let collapse = Collapse(document)
        let route = routing.name(decision.route)
        let id = try store.insertNotification(
            NewNotification(
                messageID: arrival.header.messageID.bytes, bundle: arrival.bundle.bytes, source: .sgp,
                received: arrival.time, expires: arrival.header.expiresAt, title: texts.title(view),
                subtitle: texts.subtitle(view), body: texts.body(view), sound: view.sound, badge: view.badge,
                category: view.category, thread: view.thread, payload: json.pointer.bytes,
                isRead: decision.isMuted, light: decision.light.rawValue,
                route: decision.route == nil ? nil : route.span.bytes, collapse: collapse.identifier))
        guard routing.collapses(decision.route), !decision.isMuted else { return }
        if let identifier = collapse.identifier {
            try store.replace(bundle: arrival.bundle.bytes, collapse: identifier, before: id)
        } else if collapse.byThread, let thread = view.thread {
            try store.replace(bundle: arrival.bundle.bytes, thread: thread, before: id)
        }
    }
}
