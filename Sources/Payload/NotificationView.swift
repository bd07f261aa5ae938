import Bytes

/// What a document says to a person: the parts of its `aps` that the gateway uses. Texts are the document's own; a
/// value of the wrong kind counts as absent.
public struct NotificationView: ~Escapable {
    public let title: RawSpan?
    public let subtitle: RawSpan?
    /// aps.alert.body, or aps.alert itself if that is a string.
    public let body: RawSpan?
    /// What to look up instead of each text: `title-loc-key`, `subtitle-loc-key` and `loc-key` with their arguments.
    public let localizedTitle: LocalizedText?
    public let localizedSubtitle: LocalizedText?
    public let localizedBody: LocalizedText?
    /// aps.sound, or aps.sound.name if that is a map.
    public let sound: RawSpan?
    /// aps.sound.critical is 1: the sound is for critical alerts.
    public let isSoundCritical: Bool
    /// aps.sound.volume, from 0 to 1.
    public let volume: Double?
    /// Any number that fits 64 bits, towards zero: JSON senders make it a double.
    public let badge: Int64?
    public let category: RawSpan?
    /// aps.thread-id
    public let thread: RawSpan?
    /// aps.interruption-level
    public let interruption: InterruptionLevel?
    /// aps.relevance-score: what is shown first among several.
    public let relevance: Double?
    /// aps.content-available is 1: there is something to fetch.
    public let isContentAvailable: Bool

    @_lifetime(borrow document)
    public init(_ document: borrowing Document) {
        let aps = document.lookup("aps")
        let alert = document.child(aps, "alert")
        let sound = document.child(aps, "sound")
        title = document.string(document.child(alert, "title"))
        subtitle = document.string(document.child(alert, "subtitle"))
        body = document.string(document.child(alert, "body") ?? alert)
        localizedTitle = document.localizedText(alert, key: "title-loc-key", arguments: "title-loc-args")
        localizedSubtitle = document.localizedText(alert, key: "subtitle-loc-key", arguments: "subtitle-loc-args")
        localizedBody = document.localizedText(alert, key: "loc-key", arguments: "loc-args")
        self.sound = document.string(document.child(sound, "name") ?? sound)
        isSoundCritical = document.isSet(document.child(sound, "critical"))
        volume = document.number(document.child(sound, "volume")).map { min(max($0, 0), 1) }
        badge = document.integer(document.child(aps, "badge"))
        category = document.string(document.child(aps, "category"))
        thread = document.string(document.child(aps, "thread-id"))
        interruption = InterruptionLevel(document.string(document.child(aps, "interruption-level")))
        relevance = document.number(document.child(aps, "relevance-score"))
        isContentAvailable = document.isSet(document.child(aps, "content-available"))
    }

    /// Nothing to see or hear: for the program behind it only.
    public var isSilent: Bool {
        title == nil && subtitle == nil && body == nil && localizedTitle == nil && localizedSubtitle == nil
            && localizedBody == nil && sound == nil && badge == nil
    }
}

/// How far a notification may intrude, by its sender's word.
public enum InterruptionLevel: Sendable {
    /// Never sounds.
    case passive
    case active
    case timeSensitive
    case critical

    /// Nil for no text or another.
    init?(_ text: RawSpan?) {
        guard let text else { return nil }
        if text.equals("passive") {
            self = .passive
        } else if text.equals("active") {
            self = .active
        } else if text.equals("time-sensitive") {
            self = .timeSensitive
        } else if text.equals("critical") {
            self = .critical
        } else {
            return nil
        }
    }
}

/// A text that the receiver has in its own language, and what goes into its places.
public struct LocalizedText: ~Escapable {
    public let key: RawSpan
    /// An array: `firstChild` and `next` lead through it. What is no string in it stands for no text.
    public let arguments: Document.Value?

    @_lifetime(copy key)
    init(key: RawSpan, arguments: Document.Value?) {
        self.key = key
        self.arguments = arguments
    }
}

extension Document {
    /// The UTF-8 of a string; nil for no value or one of another kind.
    @_lifetime(borrow self)
    func string(_ value: Value?) -> RawSpan? {
        guard let value else { return nil }
        return string(value)
    }

    func integer(_ value: Value?) -> Int64? {
        guard let value else { return nil }
        return integer(value)
    }

    /// A number of either kind.
    func number(_ value: Value?) -> Double? {
        guard let value else { return nil }
        return double(value) ?? int(value).map { Double($0) }
    }

    /// 1, as a number of either kind, or true.
    func isSet(_ value: Value?) -> Bool {
        guard let value else { return false }
        return bool(value) ?? (number(value) == 1)
    }

    /// Nil unless the map has the key with a string.
    @_lifetime(borrow self)
    func localizedText(_ map: Value?, key: String, arguments: String) -> LocalizedText? {
        guard let key = string(child(map, key)) else { return nil }
        let list = child(map, arguments)
        guard let list, kind(list) == .array else { return LocalizedText(key: key, arguments: nil) }
        return LocalizedText(key: key, arguments: list)
    }
}
