import Bytes

/// What a document says to a person: the parts of its `aps` that the gateway uses. Texts are the document's own; a
/// value of the wrong kind counts as absent.
public struct NotificationView: ~Escapable {
    public let title: RawSpan?
    public let subtitle: RawSpan?
    /// aps.alert.body, or aps.alert itself if that is a string.
    public let body: RawSpan?
    /// aps.sound, or aps.sound.name if that is a map.
    public let sound: RawSpan?
    /// Any number that fits 64 bits, towards zero: JSON senders make it a double.
    public let badge: Int64?
    public let category: RawSpan?
    /// aps.thread-id
    public let thread: RawSpan?

    @_lifetime(borrow document)
    public init(_ document: borrowing Document) {
        let aps = document.lookup("aps")
        let alert = document.child(aps, "alert")
        let sound = document.child(aps, "sound")
        title = document.string(document.child(alert, "title"))
        subtitle = document.string(document.child(alert, "subtitle"))
        body = document.string(document.child(alert, "body") ?? alert)
        self.sound = document.string(document.child(sound, "name") ?? sound)
        badge = document.integer(document.child(aps, "badge"))
        category = document.string(document.child(aps, "category"))
        thread = document.string(document.child(aps, "thread-id"))
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
}
