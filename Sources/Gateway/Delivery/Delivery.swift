import Bytes
import Payload
import Relay
import SGP
import Sealing
import Store

/// What became of one S_NOTIFY, for the log and the light.
package enum Verdict: Equatable {
    case shown(Decision)
    /// Seen before: acknowledged again and not shown again.
    case duplicate
    /// Its registration is muted.
    case muted
    /// A sealed note that was shown before.
    case replayed
    case expired
    case wrongKey
    case unreadable(PayloadError)
    /// No registration has this routing key: neither acknowledged nor remembered (SGP v2 §10).
    case unknownKey
}

/// From the payload of S_NOTIFY to a durable row and an acknowledgement (SGP v2 §5, §11). One transaction covers a
/// burst; the acknowledgements leave after it. Everything it needs is reserved when it is made.
package struct Delivery: ~Copyable {
    /// A notification that outlets are told of.
    struct Told: BitwiseCopyable {
        /// Its number in the inbox.
        var id: Int64
        /// The index of its route.
        var route: Int
    }

    /// An acknowledgement that waits for its transaction.
    package struct Ack: BitwiseCopyable {
        package var messageID: Blob<16>
        package var status: AckStatus
        /// Its number in the store.
        package var row: Int64
    }

    var document = Document()
    private var decoder: DocumentDecoder
    private var opener: Opener
    private var plaintext = ByteBuffer(capacity: Limits.framePayload)
    var json = ByteBuffer(capacity: Limits.canonicalJSON)
    var texts = LocalizedTexts()
    let urgencyNames: [[UInt8]] = [Array("passive".utf8), Array("active".utf8), Array("time-sensitive".utf8)]
    /// Opens what is sealed to the board inside a notification.
    var sealedOpener: SealedOpener?
    private var acks = Ring<Ack>(capacity: Limits.burst)
    /// Notifications of the open transaction whose routes tell others.
    var told = Ring<Told>(capacity: Limits.burst)
    /// What C_POLL may name: everything up to it is durable, and the server has nothing older left to send.
    package private(set) var lastSequence: Int64 = 0
    private var highestSequence: Int64 = 0
    /// A live notification may overtake the older ones that a poll brings back. Until the server says that it has sent
    /// them all, nothing moves `lastSequence`, or a power cut would leave the overtaken ones behind for ever.
    private var isPolling = false
    /// Notifications of the open transaction that will be shown, and the most beeps that one of them makes.
    var shownInBurst = 0
    var beepsInBurst = 0

    /// Nil if a library has no memory.
    package init?() {
        guard let decoder = DocumentDecoder() else { return nil }
        do throws(SealingError) { opener = try Opener() } catch { return nil }
        self.decoder = decoder
    }

    /// A new connection, or a new identity, begins here.
    package mutating func resume(after sequence: Int64) {
        lastSequence = sequence
        abandon()
    }

    /// C_POLL has been sent: S_POLL_DONE is awaited.
    package mutating func beginPoll() { isPolling = true }

    /// S_POLL_DONE. The reference server never sends it; polling from an older number is safe there (SGP v2 §10).
    package mutating func endPoll() { isPolling = false }

    /// Acknowledgements that wait for the transaction.
    package var waiting: Int { acks.count }
    /// The burst may go on.
    package var hasRoom: Bool { !acks.isFull }

    /// The same by a clock that is trusted, in Unix seconds.
    mutating func take(
        _ payload: RawSpan, _ registrations: borrowing RegistrationSet, _ routing: Routing, store: Store, now: Int64
    ) throws(StoreError) -> Verdict {
        try take(payload, registrations, routing, store: store, now: CorrectedTime(time: now))
    }

    /// Takes one notification into the transaction, which begins with the first. After an error nothing of the burst has
    /// happened.
    package mutating func take(
        _ payload: RawSpan, _ registrations: borrowing RegistrationSet, _ routing: Routing, store: Store,
        now: CorrectedTime
    ) throws(StoreError) -> Verdict {
        guard let header = NotifyHeader(payload) else { return .unknownKey }
        let verdict = try judge(header, payload, registrations, routing, store: store, now: now)
        highestSequence = max(highestSequence, header.sequence)
        guard let status = verdict.status else { return verdict }
        try begin(store)
        switch verdict {
        case .shown: store.count(.received)
        case .duplicate: store.count(.duplicates)
        case .expired: store.count(.expired)
        case .wrongKey, .unreadable: store.count(.rejected)
        case .muted, .replayed, .unknownKey: break
        }
        try acknowledge(header, status, store)
        return verdict
    }

    /// Takes a notification that is too long to be one by its fixed part: acknowledged as unreadable, so that it does
    /// not come back on every poll (SGP v2 §10).
    package mutating func refuseOversize(_ payload: RawSpan, store: Store) throws(StoreError) -> Bool {
        guard let header = NotifyHeader(payload) else { return false }
        highestSequence = max(highestSequence, header.sequence)
        try begin(store)
        store.count(.rejected)
        try acknowledge(header, .unreadable, store)
        return true
    }

    /// Makes the burst durable; `acks` may then leave. `confirmed` is the last acknowledgement that the server is known
    /// to have read.
    package mutating func commit(_ store: Store, confirmed: Int64) throws(StoreError) -> Committed {
        let sequence = isPolling ? lastSequence : highestSequence
        guard store.isInTransaction else {
            lastSequence = sequence
            return Committed()
        }
        if confirmed > 0 { try store.deleteAcknowledgements(through: confirmed) }
        try store.setLastSequence(sequence)
        let committed = try store.commit()
        // Not before: what is not durable must come again.
        lastSequence = sequence
        return committed
    }

    /// The burst did not become durable: nothing of it is acknowledged, and the server will send it again.
    package mutating func abandon() {
        highestSequence = lastSequence
        acks.removeAll()
        told.removeAll()
        endBurst()
    }

    /// The next acknowledgement of a committed burst.
    package mutating func nextAck() -> Ack? { acks.popFirst() }

    /// The next notification of a committed burst that outlets are told of.
    mutating func nextTold() -> Told? { told.popFirst() }

    /// Forgets what was counted for the light and the buzzer.
    package mutating func endBurst() {
        shownInBurst = 0
        beepsInBurst = 0
    }

    private mutating func acknowledge(
        _ header: NotifyHeader, _ status: AckStatus, _ store: Store
    ) throws(StoreError) {
        let row = try store.insertAcknowledgement(header.messageID.bytes, status: status.rawValue)
        acks.append(Ack(messageID: header.messageID, status: status, row: row))
    }

    private func begin(_ store: Store) throws(StoreError) {
        if !store.isInTransaction { try store.begin() }
    }

    private mutating func judge(
        _ header: NotifyHeader, _ payload: RawSpan, _ registrations: borrowing RegistrationSet, _ routing: Routing,
        store: Store, now: CorrectedTime
    ) throws(StoreError) -> Verdict {
        if try store.isSeen(header.messageID.bytes) { return .duplicate }
        if now.isAfter(expiry: header.expiresAt) { return .expired }
        guard let index = registrations.index(of: header.routingKey.bytes) else { return .unknownKey }
        let registration = registrations[index]
        if registration.isMuted {
            try begin(store)
            try store.markSeen(header.messageID.bytes, at: now.counted, expires: header.expiresAt)
            return .muted
        }
        if let fault = open(payload, key: registration.endToEndKey) { return fault }
        try begin(store)
        var arrival = Arrival(header: header, bundle: registration.bundle, moment: now)
        if let opener = sealedOpener, let member = SealedMember(document) {
            guard let opened = try openSealed(member, opener, arrival, store: store) else {
                try store.markSeen(header.messageID.bytes, at: now.counted, expires: header.expiresAt)
                return .replayed
            }
            arrival = opened
        }
        return .shown(try show(arrival, routing, store: store))
    }

    /// Decrypts, inflates and parses into `document`; nil when that succeeded.
    private mutating func open(_ payload: RawSpan, key: Blob<32>) -> Verdict? {
        plaintext.removeAll()
        do throws(PayloadError) {
            let frame = try NotifyFrame(payload)
            let header = frame.header
            if header.isEncrypted {
                do throws(SealingError) {
                    try opener.open(frame.data, key: key.bytes, iv: frame.iv, into: &plaintext)
                } catch { return .wrongKey }
                try decoder.decode(
                    contentType: header.contentType, compressed: header.isCompressed, data: plaintext.pointer.bytes,
                    into: &document)
            } else {
                try decoder.decode(
                    contentType: header.contentType, compressed: header.isCompressed, data: frame.data,
                    into: &document)
            }
        } catch { return .unreadable(error) }
        return nil
    }
}

extension Verdict {
    /// What C_ACK says, or nil for none.
    package var status: AckStatus? {
        switch self {
        case .shown, .duplicate, .muted, .replayed: .delivered
        case .expired: .expired
        case .wrongKey: .decryptionFailed
        case .unreadable: .unreadable
        case .unknownKey: nil
        }
    }
}
