import Bytes
import Payload

/// The texts of one notification that come from the strings file. Reserved once.
///
/// A key that the strings file has wins over the sender's own text, and that over the key itself.
struct LocalizedTexts: ~Copyable {
    private var titleText = ByteBuffer(capacity: Limits.localizedText)
    private var subtitleText = ByteBuffer(capacity: Limits.localizedText)
    private var bodyText = ByteBuffer(capacity: Limits.localizedText)
    private var hasTitle = false
    private var hasSubtitle = false
    private var hasBody = false

    /// Looks up the keys of a document.
    mutating func resolve(_ document: borrowing Document, _ strings: StringsTable) {
        let view = NotificationView(document)
        hasTitle = Self.resolve(view.localizedTitle, view.title, document, strings, &titleText)
        hasSubtitle = Self.resolve(view.localizedSubtitle, view.subtitle, document, strings, &subtitleText)
        hasBody = Self.resolve(view.localizedBody, view.body, document, strings, &bodyText)
    }

    /// Whether a text for people is in the buffer.
    private static func resolve(
        _ localized: borrowing LocalizedText?, _ own: RawSpan?, _ document: borrowing Document, _ strings: StringsTable,
        _ buffer: inout ByteBuffer
    ) -> Bool {
        buffer.removeAll()
        guard let localized = copy localized else { return false }
        if strings.append(localized, document, to: &buffer) { return true }
        guard own == nil else { return false }
        buffer.append(fitting: localized.key)
        return true
    }

    @_lifetime(borrow self, copy view)
    func title(_ view: borrowing NotificationView) -> RawSpan? { hasTitle ? titleText.bytes : view.title }

    @_lifetime(borrow self, copy view)
    func subtitle(_ view: borrowing NotificationView) -> RawSpan? { hasSubtitle ? subtitleText.bytes : view.subtitle }

    @_lifetime(borrow self, copy view)
    func body(_ view: borrowing NotificationView) -> RawSpan? { hasBody ? bodyText.bytes : view.body }
}
