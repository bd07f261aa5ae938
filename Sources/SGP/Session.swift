import Bytes

/// One connection's protocol, from the moment TLS is up and the pin has matched until it ends (SGP v2 §2–§5, §8, §9).
///
/// The session takes bytes and a time and yields events and frames; it does no I/O, reads no clock and keeps no key.
/// Its owner
///  1. calls `start`, then writes received bytes into `receiveTail` and says so with `received`,
///  2. takes events with `next` until there are none,
///  3. sends `frontFrame` whole, one TLS record a frame, and says so with `sent`,
///  4. calls `next` again no later than `deadline`.
/// Times are milliseconds of a clock that never jumps; `unixTime` is the wall clock in seconds, as the board believes.
public struct Session: ~Copyable {
    public private(set) var phase = Phase.closed
    public private(set) var purpose = Purpose.login
    public var keepAlive: KeepAlive
    /// What C_POLL says was delivered last.
    public var lastSeq: Int64 = 0
    /// Seconds to add to the board's clock, learned from S_TIME_SYNC.
    public var clockOffset: Int64 = 0
    /// What is left to do after S_AUTH_OK.
    public private(set) var syncStep = SyncStep.done

    private var parser = FrameParser()
    private var queue = FrameQueue()
    private var address = Blob<255>()
    private var publicKey = Blob<512>()
    private var material = ByteBuffer(capacity: 32 + Limits.deviceAddress + 8)
    private var loginTimestamp: Int64 = 0
    private var receivedAny = false
    private var ended: EndReason?
    private var endReported = false
    private var stepSince: Int64 = 0
    private var partialSince: Int64?
    private var sendingSince: Int64?
    private var lastReceived: Int64 = 0
    private var lastSent: Int64 = 0
    private var outstandingPing: Question?
    /// When C_PING was asked first, the last time; before that, the login.
    private var lastAsked: Int64 = 0
    private var pingSeq: Int64 = 0

    private var wasAuthenticated = false
    private var evidence: KeepAliveEvidence?

    /// C_PING, asked up to three times within the time of one answer: a lost pong is no dead connection.
    private struct Question {
        var first: Int64
        var last: Int64
        var at: Int64
        var asked: Int64 = 1
        /// The silence before it.
        var idle: Int64
        /// A frame has come since, if not the answer.
        var heard = false
    }

    /// The three things that follow S_AUTH_OK, in this order (SGP v2 §4).
    public enum SyncStep: Equatable, Sendable {
        /// C_FILTER from this registration on.
        case filter(from: Int)
        case acknowledgements
        case done
    }

    public init(keepAlive: KeepAlive) {
        self.keepAlive = keepAlive
    }

    // MARK: Beginning

    /// A new connection is up. `identity` is the device address for a login, the public key as DER for a registration.
    /// One that is empty or too long ends the connection at once.
    public mutating func start(_ purpose: Purpose, identity: RawSpan, now: Int64) {
        reset()
        self.purpose = purpose
        switch purpose {
        case .login: address = Blob<255>(identity) ?? Blob<255>()
        case .register: publicKey = Blob<512>(identity) ?? Blob<512>()
        }
        guard purpose == .login ? !address.isEmpty : !publicKey.isEmpty else {
            ended = .identity
            return
        }
        phase = .preHello
        stepSince = now
        lastReceived = now
    }

    /// The connection is gone: nothing more is sent, received or awaited.
    public mutating func reset() {
        close()
        parser.reset()
        queue.removeAll()
        material.wipe()
        receivedAny = false
        ended = nil
        endReported = false
        partialSince = nil
        sendingSince = nil
        outstandingPing = nil
        wasAuthenticated = false
    }

    // MARK: Keep-alive

    /// The connection, or the attempt at one, ended for this reason; before `reset`. Only silence and a reset upon our
    /// own ping speak against the interval (SGP v2 §8).
    public mutating func connectionEnded(_ reason: EndReason) {
        guard wasAuthenticated else {
            if case .soft = reason.classified(during: purpose) { keepAlive.attemptFailed() }
            return
        }
        guard let question = outstandingPing, !question.heard, reason.isSilence else { return }
        keepAlive.silence(question.idle)
    }

    /// The board slept. What was silent meanwhile says nothing of the network, neither for nor against it, and the answer
    /// that is awaited has its whole time from now on. Asks if nothing was asked yet.
    public mutating func slept(now: Int64) {
        networkChanged()
        ping(now: now)
        outstandingPing?.at = now
        outstandingPing?.asked = 1
        outstandingPing?.heard = true
    }

    /// The board's networks changed: that may be why the connection before this one fell silent.
    public mutating func networkChanged() {
        if phase != .authenticated { keepAlive.attemptFailed() }
    }

    /// What the learner has newly decided, once: to be kept by the owner.
    public mutating func takeEvidence() -> KeepAliveEvidence? {
        defer { evidence = nil }
        return evidence
    }

    private mutating func note(_ change: KeepAlive.Change?, idle: Int64) {
        guard let change else { return }
        evidence = KeepAliveEvidence(
            change: change, idle: idle, stage: keepAlive.stage, interval: keepAlive.interval)
    }

    /// Any received frame is proof for the silence before it.
    private mutating func heard(now: Int64) {
        defer { lastReceived = now }
        guard phase == .authenticated else { return }
        let idle = outstandingPing.map { $0.heard ? 0 : $0.idle } ?? now - silentSince
        outstandingPing?.heard = true
        note(keepAlive.survived(idle, now: now), idle: idle)
    }

    /// The last traffic either way: both refresh what a NAT remembers.
    private var silentSince: Int64 { max(lastReceived, lastSent) }

    /// The ping at the front of the queue is asked again: what was sent since the first one may be unread when that is
    /// answered.
    public var frontIsRepeatedPing: Bool {
        guard frontType == .ping, let question = outstandingPing else { return false }
        let frame = queue.frontPointer
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: frame[Limits.frameHeader...]).bytes)
        return (try? reader.read(Int64.self)) != question.first
    }

    // MARK: Bytes in

    /// Room for received bytes; empty while events wait to be taken.
    public mutating func receiveTail() -> UnsafeMutableRawBufferPointer { parser.receiveTail() }

    /// Bytes were written into the tail.
    public mutating func received(_ count: Int, now: Int64) {
        parser.received(count)
        if partialSince == nil { partialSince = now }
    }

    /// The payload of the last `.notify` or `.oversizeNotify`.
    public var payload: RawSpan {
        @_lifetime(borrow self)
        get { parser.payload }
    }

    /// The same for an owner that is a class, whose properties cannot lend a span. Valid until `next` is called.
    public var payloadPointer: UnsafeRawBufferPointer { parser.payloadPointer }

    /// What the challenge asks to be signed, after `.challenge` (SGP v2 §4).
    public var signatureMaterial: RawSpan {
        @_lifetime(borrow self)
        get { material.bytes }
    }

    /// The same for an owner that is a class. Valid until the challenge is answered.
    public var materialPointer: UnsafeRawBufferPointer { material.pointer }

    /// The address after `.registered`.
    public var assignedAddress: Blob<255> { address }

    /// The server's words after `.registerFailed`, as they came: not to be trusted, perhaps empty.
    public var failureText: RawSpan {
        @_lifetime(borrow self)
        get {
            let payload = parser.payload
            return payload.byteCount > 3 ? payload.extracting(3..<payload.byteCount) : payload.extracting(0..<0)
        }
    }

    // MARK: Frames out

    /// The frame to send next, whole and in one write; empty when there is none.
    public var frontFrame: RawSpan {
        @_lifetime(borrow self)
        get { queue.front }
    }

    /// The same for an owner that is a class. Valid until a frame is queued or sent.
    public var framePointer: UnsafeRawBufferPointer { queue.frontPointer }

    public var hasFrames: Bool { !queue.isEmpty }
    /// The type of the frame to send next.
    public var frontType: ClientMessage? { queue.isEmpty ? nil : ClientMessage(rawValue: queue.frontPointer[2]) }

    /// Sending the front frame has begun and is not complete.
    public mutating func sending(now: Int64) {
        guard sendingSince == nil, hasFrames else { return }
        sendingSince = now
        lastSent = now
    }

    /// The front frame has left.
    public mutating func sent() {
        queue.removeFront()
        sendingSince = nil
        // Nothing is queued behind C_LOGIN and C_REGISTER, so the last frame to leave was one of them.
        if phase == .helloReceived, queue.isEmpty { phase = .challengeWait }
    }

    /// Room to acknowledge this many more notifications.
    public var acknowledgementsFree: Int {
        max(0, queue.free - Self.reserve) / (Limits.frameHeader + Limits.messageID + 1)
    }

    /// C_ACK, if there is room and the connection may carry it. False also for an identifier that is not 16 bytes long.
    /// Leaves the room that answers to received frames, C_POLL and C_DISCONNECT need.
    @discardableResult
    public mutating func acknowledge(_ messageID: RawSpan, _ status: AckStatus) -> Bool {
        guard phase == .authenticated, messageID.byteCount == Limits.messageID, acknowledgementsFree > 0 else {
            return false
        }
        return queue.append(.ack) {
            $0.append(messageID)
            $0.append(status.rawValue)
        }
    }

    /// Answers the challenge with a signature of `signatureMaterial`. One that is empty or too long ends the connection.
    public mutating func answerChallenge(signature: RawSpan, now: Int64) {
        guard phase == .challengeWait, !material.isEmpty else { return }
        guard signature.byteCount > 0, signature.byteCount <= Limits.signature else {
            sayGoodbye()
            ended = .identity
            return
        }
        let timestamp = loginTimestamp
        queue.append(purpose == .login ? .loginResponse : .registerResponse) {
            $0.append(bigEndian: timestamp)
            $0.append(bigEndian: UInt16(signature.byteCount))
            $0.append(signature)
        }
        material.wipe()
        enter(.authWait, now: now)
    }

    /// Sends the next C_FILTER of the set while there is room.
    public mutating func sendFilter(_ set: borrowing RegistrationSet) {
        while case .filter(let first) = syncStep, queue.free >= Limits.frame + Self.reserve {
            var next = first
            queue.append(.filter) { next = set.writeFilter(from: first, into: &$0) }
            syncStep = next < set.count ? .filter(from: next) : .acknowledgements
        }
    }

    /// All kept acknowledgements have been handed over: C_POLL follows.
    public mutating func acknowledgementsDone() {
        guard syncStep == .acknowledgements else { return }
        syncStep = .done
        sendPoll()
    }

    /// C_DISCONNECT as the last frame; the owner sends what is queued and closes. Nothing goes out before S_HELLO.
    public mutating func sayGoodbye() {
        if phase != .closed, phase != .preHello {
            queue.append(.disconnect) { $0.append(0 as UInt8) }
        }
        close()
    }

    /// Only what is queued may still leave.
    private mutating func close() {
        phase = .closed
        syncStep = .done
    }

    // MARK: Time

    /// When `next` must be called even if no bytes come; `Int64.max` for never.
    public var deadline: Int64 {
        guard phase != .closed else { return .max }
        var earliest = phase == .authenticated ? .max : stepSince + Limits.handshakeStep
        if let since = partialSince, parser.isInsideFrame, hasRoomToAnswer {
            earliest = min(earliest, since + Limits.transfer)
        }
        if let since = sendingSince { earliest = min(earliest, since + Limits.transfer) }
        if phase == .authenticated {
            earliest = min(earliest, outstandingPing.map { againDue($0) ?? pongDue($0) } ?? pingDue)
        }
        return earliest
    }

    private var pingDue: Int64 { silentSince + keepAlive.interval }
    private func pongDue(_ question: Question) -> Int64 { question.at + keepAlive.pongTimeout }

    /// When to ask again; nil where it has been asked often enough, or there is hardly time for an answer.
    private func againDue(_ question: Question) -> Int64? {
        guard question.asked < Self.asks, keepAlive.pongTimeout >= Self.leastToAskAgain else { return nil }
        return question.at + keepAlive.pongTimeout * question.asked / Self.asks
    }

    private static let asks: Int64 = 3
    private static let leastToAskAgain: Int64 = 3_000

    /// Asks the server now whether it is there, if no answer is outstanding already.
    public mutating func ping(now: Int64) {
        guard phase == .authenticated, outstandingPing == nil, let seq = ask() else { return }
        outstandingPing = Question(first: seq, last: seq, at: now, idle: now - silentSince)
        lastAsked = now
    }

    /// A server that pings by itself, or sends something else often enough, leaves no silence after which our own ping
    /// would be due: neither would C_POLL be sent again, which follows the pong (SGP v2 §10), nor would the server ever
    /// prove that it has read our acknowledgements. So where the last ping is an interval ago, another goes along with the
    /// answer to what has just come. The board is awake for that anyway, and a silence of 0 teaches the learner nothing. Two
    /// pings are then less than two intervals apart, whatever the server does.
    private mutating func askInPassing(now: Int64) {
        guard phase == .authenticated, now - lastAsked >= keepAlive.interval else { return }
        ping(now: now)
    }

    private mutating func ask() -> Int64? {
        let seq = pingSeq + 1
        guard queue.append(.ping, { $0.append(bigEndian: seq) }) else { return nil }
        pingSeq = seq
        return seq
    }

    /// An owner that comes late asks once for all that was missed.
    private mutating func askAgain(now: Int64) {
        guard let question = outstandingPing else { return }
        let missed = (now - question.at) * Self.asks / keepAlive.pongTimeout
        outstandingPing?.asked = max(question.asked, missed) + 1
        guard let seq = ask() else { return }
        outstandingPing?.last = seq
    }

    // MARK: Events

    /// The next event, or nil until bytes come, room to answer is made or a deadline passes.
    public mutating func next(now: Int64, unixTime: Int64) -> SessionEvent? {
        if let reason = ended {
            if endReported { return nil }
            endReported = true
            return .ended(reason)
        }
        while phase != .closed, hasRoomToAnswer {
            let item: FrameParser.Item?
            do throws(FrameFault) { item = try parser.next() } catch { return fail(.protocolFault(.frame(error))) }
            guard let item else { break }
            heard(now: now)
            partialSince = parser.isInsideFrame ? now : nil
            let event = handle(item, now: now, unixTime: unixTime)
            askInPassing(now: now)
            if let event { return event }
        }
        return checkDeadlines(now: now)
    }

    /// Bytes kept free for the largest answer that a received frame can call for.
    private static let reserve = Limits.frameHeader + 2 + Limits.publicKey + 12 + 64

    /// Without it, the acknowledgement of a notification included, received frames wait, and what has come of the next
    /// one is not the server's delay.
    private var hasRoomToAnswer: Bool { acknowledgementsFree > 0 }

    private mutating func checkDeadlines(now: Int64) -> SessionEvent? {
        guard phase != .closed else { return nil }
        if let since = sendingSince, now >= since + Limits.transfer { return fail(.timeout(.send)) }
        if !parser.isInsideFrame { partialSince = nil }
        if let since = partialSince, now >= since + Limits.transfer, hasRoomToAnswer {
            return fail(.timeout(.receive))
        }
        guard phase == .authenticated else {
            return now >= stepSince + Limits.handshakeStep ? fail(.timeout(awaited)) : nil
        }
        if let question = outstandingPing {
            if now >= pongDue(question) { return fail(.timeout(.pong)) }
            if let due = againDue(question), now >= due { askAgain(now: now) }
            return nil
        }
        if now >= pingDue { ping(now: now) }
        return nil
    }

    private var awaited: Wait {
        switch phase {
        case .helloReceived: .send
        case .challengeWait: .challenge
        case .authWait: .authentication
        default: .hello
        }
    }

    private mutating func fail(_ reason: EndReason) -> SessionEvent {
        if case .protocolFault = reason { sayGoodbye() }
        close()
        ended = reason
        endReported = true
        return .ended(reason)
    }

    private mutating func enter(_ next: Phase, now: Int64) {
        phase = next
        stepSince = now
    }

    private mutating func handle(_ item: FrameParser.Item, now: Int64, unixTime: Int64) -> SessionEvent? {
        let isFirst = !receivedAny
        receivedAny = true
        switch item {
        case .legacyHello:
            guard isFirst, phase == .preHello else { return fail(.protocolFault(.legacyHello)) }
            queue.append(.upgrade)
            return .legacyHello
        case .oversizeNotify:
            guard ServerMessage.notify.isAllowed(in: phase, purpose: purpose) else {
                return fail(.protocolFault(.phase(.notify, phase)))
            }
            return .oversizeNotify
        case .message(let type):
            guard type.isAllowed(in: phase, purpose: purpose) else {
                return fail(.protocolFault(.phase(type, phase)))
            }
            return handle(type, now: now, unixTime: unixTime)
        }
    }

    private mutating func handle(_ type: ServerMessage, now: Int64, unixTime: Int64) -> SessionEvent? {
        switch type {
        case .hello: return receiveHello(now: now, unixTime: unixTime)
        case .challenge: return receiveChallenge()
        case .authOK:
            enter(.authenticated, now: now)
            wasAuthenticated = true
            lastAsked = now
            let idle = keepAlive.suspected
            note(keepAlive.reconnected(now: now), idle: idle)
            syncStep = .filter(from: 0)
            return .authenticated
        case .notify: return .notify
        case .disconnect: return receiveDisconnect()
        case .pong: return receivePong(now: now)
        case .pollDone: return .pollDone
        case .registerOK: return receiveRegisterOK()
        case .registerFail: return receiveRegisterFail()
        case .ping:
            let seq = payloadInteger(Int64.self)
            queue.append(.pong) { $0.append(bigEndian: seq) }
            return .ping
        case .timeSync: return receiveTimeSync(unixTime: unixTime)
        }
    }

    // MARK: One frame each

    /// The integer that is the whole payload; its length has been checked with the frame.
    private func payloadInteger<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> T {
        var reader = ByteReader(parser.payload)
        return (try? reader.read(T.self)) ?? 0
    }

    private mutating func receiveHello(now: Int64, unixTime: Int64) -> SessionEvent {
        let version = payloadInteger(UInt32.self)
        enter(.helloReceived, now: now)
        let timestamp = unixTime &+ clockOffset
        loginTimestamp = timestamp
        let identity = address
        let key = publicKey
        queue.append(purpose == .login ? .login : .register) { [isLogin = purpose == .login] in
            $0.append(bigEndian: UInt16(isLogin ? identity.count : key.count))
            $0.append(isLogin ? identity.bytes : key.bytes)
            $0.append(bigEndian: timestamp)
            $0.append(bigEndian: 2 as UInt32)
        }
        return .hello(version: version)
    }

    private mutating func receiveChallenge() -> SessionEvent {
        // A second challenge before the answer would be signed twice.
        guard material.isEmpty else { return fail(.protocolFault(.phase(.challenge, .authWait))) }
        guard let nonce = Blob<32>(parser.payload) else { return fail(.protocolFault(.payload(.challenge))) }
        material.append(nonce.bytes)
        let identity = address
        if purpose == .login { material.append(identity.bytes) }
        material.append(bigEndian: loginTimestamp)
        return .challenge
    }

    private mutating func receiveDisconnect() -> SessionEvent {
        guard let (code, retryAfter) = parseDisconnect() else { return fail(.protocolFault(.payload(.disconnect))) }
        return fail(.disconnected(code: code, retryAfter: retryAfter))
    }

    /// A u8 reason and an optional u32.
    private func parseDisconnect() -> (code: UInt8, retryAfter: UInt32)? {
        var reader = ByteReader(parser.payload)
        guard let code = try? reader.read(UInt8.self) else { return nil }
        if reader.remaining == 0 { return (code, 0) }
        guard let retryAfter = try? reader.read(UInt32.self), reader.remaining == 0 else { return nil }
        return (code, retryAfter)
    }

    private mutating func receivePong(now: Int64) -> SessionEvent {
        let seq = payloadInteger(Int64.self)
        guard let ping = outstandingPing, ping.first <= seq, seq <= ping.last else { return .pong(roundTrip: nil) }
        outstandingPing = nil
        // The reference server stops live pushes in one case and then answers only polls (SGP v2 §10).
        if syncStep == .done { sendPoll() }
        return .pong(roundTrip: now - ping.at)
    }

    private mutating func sendPoll() {
        let seq = lastSeq
        queue.append(.poll) { $0.append(bigEndian: seq) }
    }

    private mutating func receiveRegisterOK() -> SessionEvent {
        guard let (version, assigned) = parseRegisterOK() else { return fail(.protocolFault(.payload(.registerOK))) }
        for index in 0..<assigned.count where !Self.isAddressByte(assigned[index]) {
            return fail(.protocolFault(.addressByte(assigned[index])))
        }
        address = assigned
        sayGoodbye()
        ended = .registered
        return .registered(version: version)
    }

    /// A u32 version, a u16 length and as many bytes, at least one.
    private func parseRegisterOK() -> (version: UInt32, address: Blob<255>)? {
        var reader = ByteReader(parser.payload)
        guard let version = try? reader.read(UInt32.self), let length = try? reader.read(UInt16.self),
            length > 0, Int(length) == reader.remaining, let text = try? reader.read(Int(length)),
            let address = Blob<255>(text)
        else { return nil }
        return (version, address)
    }

    /// The device address is opaque, but only of these characters (SGP v2 §4).
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private mutating func receiveRegisterFail() -> SessionEvent {
        guard let code = parseRegisterFail() else { return fail(.protocolFault(.payload(.registerFail))) }
        close()
        ended = .registerFailed(code: code)
        return .registerFailed(code: code)
    }

    /// A u8 code, then nothing or a u16 length and as many bytes.
    private func parseRegisterFail() -> UInt8? {
        var reader = ByteReader(parser.payload)
        guard let code = try? reader.read(UInt8.self) else { return nil }
        if reader.remaining == 0 { return code }
        guard let length = try? reader.read(UInt16.self), Int(length) == reader.remaining else { return nil }
        return code
    }

    private mutating func receiveTimeSync(unixTime: Int64) -> SessionEvent {
        let serverTime = payloadInteger(Int64.self)
        let (difference, overflow) = serverTime.subtractingReportingOverflow(unixTime)
        let offset = overflow ? (serverTime < unixTime ? .min : .max) : difference
        guard offset.magnitude <= UInt64(Limits.clockOffset) else {
            return fail(.protocolFault(.clockOffset(offset)))
        }
        clockOffset = offset
        return .timeSync(offset: offset)
    }
}
