import SGP
import Testing

@testable import Gateway

/// What the server is known to have read.
@Suite struct AckProgressTests {
    /// A ping that left with some acknowledgements before it and some still queued behind it confirms the first ones only.
    @Test(arguments: 0...5) func aPingAmongThem(before: Int) {
        var acks = AckProgress()
        for row in 1...5 as ClosedRange<Int64> { acks.queue(row) }
        for _ in 0..<before { acks.sent(.ack, isRepeatedPing: false) }
        acks.sent(.ping, isRepeatedPing: false)
        for _ in before..<5 { acks.sent(.ack, isRepeatedPing: false) }
        expect(acks, queued: 5, confirmed: 0)
        acks.pingAnswered()
        expect(acks, queued: 5, confirmed: Int64(before))
        acks.sent(.ping, isRepeatedPing: false)
        acks.pingAnswered()
        expect(acks, queued: 5, confirmed: 5)
    }

    /// Asked again behind more acknowledgements: the answer may be to the first question.
    @Test func aRepeatedPing() {
        var acks = AckProgress()
        acks.queue(1)
        acks.sent(.ack, isRepeatedPing: false)
        acks.sent(.ping, isRepeatedPing: false)
        acks.queue(2)
        acks.sent(.ack, isRepeatedPing: false)
        acks.sent(.ping, isRepeatedPing: true)
        acks.pingAnswered()
        expect(acks, queued: 2, confirmed: 1)
    }

    /// Other frames move nothing.
    @Test func otherFrames() {
        var acks = AckProgress()
        acks.queue(7)
        for type in [ClientMessage.pong, .poll, .filter, .disconnect, nil] { acks.sent(type, isRepeatedPing: false) }
        acks.sent(.ping, isRepeatedPing: false)
        acks.pingAnswered()
        expect(acks, queued: 7, confirmed: 0)
    }

    /// What was not confirmed is sent again, and a ping of the old connection confirms nothing of the new one.
    @Test func theNextConnection() {
        var acks = AckProgress()
        for row in 1...3 as ClosedRange<Int64> { acks.queue(row) }
        acks.sent(.ack, isRepeatedPing: false)
        acks.sent(.ping, isRepeatedPing: false)
        acks.pingAnswered()
        acks.sent(.ack, isRepeatedPing: false)
        acks.sent(.ping, isRepeatedPing: false)
        acks.connectionEnded()
        expect(acks, queued: 1, confirmed: 1)
        acks.pingAnswered()
        expect(acks, queued: 1, confirmed: 1)
        acks.queue(2)
        acks.sent(.ack, isRepeatedPing: false)
        acks.sent(.ping, isRepeatedPing: false)
        acks.pingAnswered()
        expect(acks, queued: 2, confirmed: 2)
    }

    @Test func theServersOwnEnd() {
        var acks = AckProgress()
        for row in 1...3 as ClosedRange<Int64> { acks.queue(row) }
        acks.allRead()
        expect(acks, queued: 3, confirmed: 3)
        acks.connectionEnded()
        expect(acks, queued: 3, confirmed: 3)
        acks.removeAll()
        expect(acks, queued: 0, confirmed: 0)
    }

    private func expect(
        _ acks: borrowing AckProgress, queued: Int64, confirmed: Int64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = (acks.queued, acks.confirmed)
        #expect(found == (queued, confirmed), sourceLocation: sourceLocation)
    }
}
