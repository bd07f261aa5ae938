import Bytes
import SGP

/// How far the acknowledgements that the store keeps have come, by the numbers of their rows, which only grow. A row may
/// be forgotten once the server is known to have read its C_ACK: it has answered a ping that left later, or it has ended
/// its half of the connection after all of ours. What was sent and not confirmed is sent again on the next connection.
package struct AckProgress: ~Copyable {
    /// The last one that was queued on this connection, or is known from before.
    package private(set) var queued: Int64 = 0
    /// The last one that the server is known to have read.
    package private(set) var confirmed: Int64 = 0
    /// The last one whose frame has left, and the last one that had left when the ping at hand did.
    private var left: Int64 = 0
    private var atPing: Int64 = 0
    /// The rows of the frames that are queued. A ping may leave before some of them, so that its answer says nothing of
    /// those.
    private var waiting = Ring<Int64>(capacity: Limits.sendBuffer / (Limits.frameHeader + Limits.messageID + 1) + 1)

    package init() {}

    /// C_ACK of this row has been queued.
    package mutating func queue(_ row: Int64) {
        queued = max(queued, row)
        waiting.append(row)
    }

    /// A frame has left.
    package mutating func sent(_ type: ClientMessage?, isRepeatedPing: Bool) {
        switch type {
        case .ack: left = max(left, waiting.popFirst() ?? 0)
        case .ping where !isRepeatedPing: atPing = left
        default: break
        }
    }

    /// The ping was answered.
    package mutating func pingAnswered() { confirmed = max(confirmed, atPing) }

    /// Everything had left, and the server has ended its half upon the end of ours.
    package mutating func allRead() { confirmed = max(confirmed, queued) }

    /// The connection is over.
    package mutating func connectionEnded() {
        queued = confirmed
        left = confirmed
        atPing = confirmed
        waiting.removeAll()
    }

    /// A new identity has no acknowledgements.
    package mutating func removeAll() {
        confirmed = 0
        connectionEnded()
    }
}
