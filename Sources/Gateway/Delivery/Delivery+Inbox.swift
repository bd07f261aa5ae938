import Bytes
import Panel
import Payload
import Relay
import SGP
import Sealing
import Store

/// One notification that is about to be shown.
struct Arrival {
    var messageID: Blob<16>
    /// Unix seconds; 0 for never.
    var expires: Int64
    var bundle: Blob<64>
    /// When it came.
    var moment: CorrectedTime
    var source = Source.sgp
    var isStale = false
    var isPlaceholder = false
    /// As its sender calls it, where it came sealed.
    var urgency: Urgency?
    /// Its sender gave it an identifier, which tells when it comes again.
    var hasIdentifier = true

    init(header: NotifyHeader, bundle: Blob<64>, moment: CorrectedTime) {
        messageID = header.messageID
        expires = header.expiresAt
        self.bundle = bundle
        self.moment = moment
    }

    /// Something that came by the relay.
    init(_ source: Source, moment: CorrectedTime) {
        messageID = RandomBytes.identifier()
        expires = 0
        bundle = source == .pocketty ? Self.pocketty : Self.cronstable
        self.source = source
        self.moment = moment
        hasIdentifier = false
    }

    private static let cronstable = Blob<64>("cronstable") ?? Blob()
    private static let pocketty = Blob<64>("pocketty") ?? Blob()
}

extension Delivery {
    /// Puts the document into the inbox, with what its route decides, and marks read what it replaces.
    mutating func show(
        _ arrival: Arrival, _ routing: Routing, store: Store
    ) throws(StoreError) -> Decision {
        json.removeAll()
        json.append(canonicalJSON: document)
        var appearance = Appearance(NotificationView(document))
        if arrival.isPlaceholder {
            // Whatever its sender asked for: nobody knows what it says.
            appearance.interruption = .passive
            appearance.hasSound = false
        }
        let decision = routing.decide(
            bundle: arrival.bundle.bytes, document, appearance, time: arrival.moment.told ?? .min)
        if arrival.hasIdentifier {
            try store.markSeen(arrival.messageID.bytes, at: arrival.moment.counted, expires: arrival.expires)
        }
        texts.resolve(document, routing.strings)
        let id = try insert(arrival, decision, routing, store)
        if !decision.isMuted, let index = decision.route, routing.hasOutlets(index) {
            told.append(Told(id: id, route: index))
        }
        beepsInBurst = max(beepsInBurst, decision.beeps)
        shownInBurst += 1
        return decision
    }

    /// Gives its number.
    private func insert(
        _ arrival: Arrival, _ decision: Decision, _ routing: Routing, _ store: Store
    ) throws(StoreError) -> Int64 {
        let view = NotificationView(document)
        let collapse = Collapse(document)
        let route = routing.name(decision.route)
        let urgency = urgencyNames[arrival.urgency == .timeSensitive ? 2 : arrival.urgency == .active ? 1 : 0]
        let id = try store.insertNotification(
            NewNotification(
                messageID: arrival.messageID.bytes, bundle: arrival.bundle.bytes, source: arrival.source,
                received: arrival.moment.time, expires: arrival.expires, title: texts.title(view),
                subtitle: texts.subtitle(view), body: texts.body(view), sound: arrival.isPlaceholder ? nil : view.sound,
                badge: view.badge,
                category: view.category, thread: view.thread,
                priority: arrival.urgency == nil ? nil : urgency.span.bytes, isStale: arrival.isStale,
                isPlaceholder: arrival.isPlaceholder, payload: json.pointer.bytes,
                isRead: decision.isMuted, light: decision.light.rawValue,
                route: decision.route == nil ? nil : route.span.bytes, collapse: collapse.identifier))
        if !decision.isMuted, routing.hasHook(decision.route) { try store.insertHook(id, route: route.span.bytes) }
        guard routing.collapses(decision.route), !decision.isMuted else { return id }
        if let identifier = collapse.identifier {
            try store.replace(bundle: arrival.bundle.bytes, collapse: identifier, before: id)
        } else if collapse.byThread, let thread = view.thread {
            try store.replace(bundle: arrival.bundle.bytes, thread: thread, before: id)
        }
        return id
    }

    /// Something sealed inside a notification of the server. What opens takes the document's place; of what does not
    /// the texts of its `aps` stand for it, passively, or our own words where it has none. Nil for a note that was shown before.
    mutating func openSealed(
        _ member: SealedMember, _ opener: SealedOpener, _ arrival: Arrival, store: Store
    ) throws(StoreError) -> Arrival? {
        var arrival = arrival
        arrival.source = member == .alert ? .cronstable : .pocketty
        arrival.urgency = .active
        switch NotificationView(document).interruption {
        case .passive: arrival.urgency = .passive
        case .timeSensitive, .critical: arrival.urgency = .timeSensitive
        case .active, nil: break
        }
        var opened = SealedOpener.Opened.unreadable
        if takeSealed(member == .alert ? "ciphertext" : "sealed", opener) {
            opened =
                member == .alert
                ? opener.openAlert(urgency: arrival.urgency ?? .active, now: arrival.moment.told, into: &document)
                : try opener.openNote(at: arrival.moment, store: store, into: &document)
        }
        switch opened {
        case .shown(let isStale):
            arrival.isStale = isStale
            if isStale { arrival.urgency = .passive }
        case .unreadable:
            arrival.isPlaceholder = true
            arrival.urgency = .passive
            // A document half-written would say nothing at all.
            if document.root == nil || !NotificationView(document).hasText {
                opener.placeholder(
                    member == .alert ? SealedOpener.unreadableAlert : SealedOpener.unreadableNote, into: &document)
            }
        case .replayed: return nil
        }
        return arrival
    }

    private func takeSealed(_ name: String, _ opener: SealedOpener) -> Bool {
        guard let value = document.lookup(name), let text = document.string(value) else { return false }
        return opener.take(text) != nil
    }
}

extension NotificationView {
    /// Whether it says anything to a person.
    fileprivate var hasText: Bool {
        let texts =
            (title?.byteCount ?? 0) + (subtitle?.byteCount ?? 0) + (body?.byteCount ?? 0)
        return texts > 0 || localizedTitle != nil || localizedSubtitle != nil || localizedBody != nil
    }
}
