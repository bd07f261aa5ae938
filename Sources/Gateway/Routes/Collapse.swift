import Bytes
import Payload

/// How a sender asks that its notification takes the place of the unread ones before it: by `collapse-id`, at top level
/// or in `aps`. APNs has it in a header, SGP has no headers.
struct Collapse: ~Escapable {
    /// A text of at most `Limits.collapse` bytes: those with the same one, of the same application, are replaced.
    let identifier: RawSpan?
    /// `true`: those of the same `thread-id` are.
    let byThread: Bool

    @_lifetime(borrow document)
    init(_ document: borrowing Document) {
        guard let value = document.lookup("collapse-id") ?? document.lookup("aps", "collapse-id") else {
            identifier = nil
            byThread = false
            return
        }
        byThread = document.bool(value) == true
        let length = document.count(value)
        identifier = length > 0 && length <= Limits.collapse ? document.string(value) : nil
    }
}
