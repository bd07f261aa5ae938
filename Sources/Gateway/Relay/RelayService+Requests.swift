import Bytes
import Loop
import Payload
import Relay
import Sealing
import Store

/// What the relay answers.
extension RelayService {
    func handle(
        _ method: HTTPRequest.Method, _ target: RawSpan, _ body: RawSpan, _ peer: RawSpan, _ answer: inout HTTPAnswer
    ) {
        counters.requests += 1
        let path = path
        let isAlert = target.equals(path.span.bytes)
        let isGrant = target.equals(PockettyWire.grantPath)
        if !isAlert, !isGrant, !target.equals(PockettyWire.pushPath) {
            answer.fail(404, "no such path")
        } else if method != .post {
            answer.fail(405, "only POST")
        } else if let words = parse(body) {
            answer.fail(400, words)
        } else {
            do throws(EnvelopeError) {
                if isAlert {
                    try takeAlert(request, &answer)
                } else if isGrant {
                    try takeGrant(request, peer, &answer)
                } else {
                    try takeNote(request, peer, &answer)
                }
            } catch { answer.fail(400, error.text) }
        }
        if answer.status >= 400, answer.status < 500, answer.status != 429 {
            counters.refused += 1
            name(peer)
            log.notice(
                .relay,
                "a request of \(printable: scratch.pointer) was answered \(answer.status): \(printable: answer.body.pointer)"
            )
        }
    }

    /// What is wrong with the JSON of a request, or nil.
    private func parse(_ body: RawSpan) -> String? {
        do throws(PayloadError) {
            try opener.decode(body, into: &request)
            return nil
        } catch { return error.reason }
    }

    /// The daemon deletes its pairing.
    private func unregistered(_ answer: inout HTTPAnswer) {
        answer.fail(410, "this device is not registered here")
        answer.body.truncate(to: answer.body.count - 1)
        answer.body.append(",\"reason\":\"Unregistered\"}")
    }

    private func limit(_ answer: inout HTTPAnswer, _ seconds: Int64) {
        counters.limited += 1
        answer.fail(429, "too many requests")
        answer.retryAfter = seconds
    }

    // MARK: cronstable

    private func takeAlert(
        _ request: borrowing Document, _ answer: inout HTTPAnswer
    ) throws(EnvelopeError) {
        let envelope = try CronstableEnvelope(request)
        // Whatever it was sealed to: its digits have to be base64.
        guard opener.take(envelope.ciphertext) != nil else {
            return answer.fail(400, "ciphertext: must be standard base64 with padding")
        }
        guard let pairing = opener.pairing(.cronstable, token: envelope.device) else { return unregistered(&answer) }
        switch policy.admit(device: pairing.id, collapse: envelope.collapse, flap: envelope.flap, now: now) {
        case .limited(let seconds):
            saveLater()
            return limit(&answer, seconds)
        case .coalesced:
            counters.coalesced += 1
            outcome("coalesced", &answer)
            // What it is the same as may be of this very turn, and not durable yet.
            answer.isHeld = true
            saveLater()
        case .suppressed:
            counters.suppressed += 1
            outcome("suppressed", &answer)
            answer.isHeld = true
            saveLater()
        case .forwarded:
            outcome("forwarded", &answer)
            do throws(StoreError) { try forward(envelope, pairing) } catch { abandon(error) }
            answer.isHeld = true
            counters.forwarded += 1
        }
    }

    private func outcome(_ word: String, _ answer: inout HTTPAnswer) {
        answer.status = 202
        answer.body.append("{\"v\":1,\"outcome\":\"")
        answer.body.append(word)
        answer.body.append("\"}")
    }

    private func forward(
        _ envelope: borrowing CronstableEnvelope, _ pairing: SealedOpener.Pairing
    ) throws(StoreError) {
        try begin()
        let urgency: Urgency = envelope.isTimeSensitive ? .timeSensitive : .passive
        let opened = opener.openAlert(urgency: urgency, now: moment.told, into: &delivery.document)
        try show(opened, .cronstable, urgency, SealedOpener.unreadableAlert, pairing.name)
    }

    /// Shows what was opened, or what stands for it.
    private func show(
        _ opened: SealedOpener.Opened, _ source: Source, _ urgency: Urgency, _ words: String, _ sender: Blob<64>
    ) throws(StoreError) {
        var arrival = Arrival(source, moment: moment)
        arrival.urgency = urgency
        switch opened {
        case .replayed: return
        case .shown(let isStale):
            arrival.isStale = isStale
            if isStale {
                arrival.urgency = .passive
                counters.stale += 1
                if moment.isTrusted {
                    log.notice(.relay, "an outdated message of \(printable: sender)")
                } else {
                    log.warning(
                        .relay, "a message of \(printable: sender) is outdated by a clock that nobody has confirmed")
                }
            }
        case .unreadable:
            arrival.urgency = .passive
            arrival.isPlaceholder = true
            counters.unopened += 1
            log.warning(.relay, "a message to the device of \(printable: sender) could not be opened")
            opener.placeholder(words, into: &delivery.document)
        }
        try show(arrival)
    }

    // MARK: pocketty

    private func takeGrant(
        _ request: borrowing Document, _ peer: RawSpan, _ answer: inout HTTPAnswer
    ) throws(EnvelopeError) {
        if let seconds = grantsByPeer.take(peer, now: now) { return limit(&answer, seconds) }
        let envelope = try GrantEnvelope(request)
        if let seconds = grantsByToken.take(envelope.token.bytes, now: now) { return limit(&answer, seconds) }
        guard let signing = opener.signing else { return answer.fail(503, "no daemon has been paired yet") }
        answer.status = 200
        answer.body.append("{\"v\":1,\"grant\":\"")
        Grant.append(envelope.token.bytes, key: signing, to: &answer.body)
        answer.body.append("\"}")
    }

    private func takeNote(
        _ request: borrowing Document, _ peer: RawSpan, _ answer: inout HTTPAnswer
    ) throws(EnvelopeError) {
        if let seconds = pushesByPeer.take(peer, now: now) { return limit(&answer, seconds) }
        let envelope = try NoteEnvelope(request)
        guard let signing = opener.signing,
            let token = Grant.token(envelope.grant, key: signing, scratch: &scratch)
        else { return answer.fail(401, "this grant is not ours") }
        if let seconds = pushesByToken.take(token.bytes, now: now) { return limit(&answer, seconds) }
        guard let pairing = opener.pairing(.pocketty, token: token) else { return unregistered(&answer) }
        guard let length = opener.take(envelope.sealed) else {
            let isLong = envelope.sealed.byteCount / 4 * 3 > Limits.sealedNote
            return answer.fail(isLong ? 413 : 400, isLong ? "sealed: longer than 4096 bytes" : "sealed: must be base64")
        }
        guard length <= Limits.sealedNote else { return answer.fail(413, "sealed: longer than 4096 bytes") }
        answer.status = 202
        answer.body.append("{\"v\":1}")
        answer.isHeld = true
        do throws(StoreError) {
            try begin()
            let opened = try openNote()
            if opened == .replayed {
                counters.replayed += 1
                return log.notice(.relay, "a note of \(printable: pairing.name) that was shown before")
            }
            counters.notes += 1
            try show(opened, .pocketty, .active, SealedOpener.unreadableNote, pairing.name)
        } catch { abandon(error) }
    }
}
