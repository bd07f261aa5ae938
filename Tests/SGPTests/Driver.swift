import Bytes
import SGP
import Testing

/// An owner of a session, as its documentation asks for: bytes and time in, events and frames out.
final class Driver {
    static let unixTime: Int64 = 1_796_000_000
    static let address = Array("adbc9bc237ed@sgn.test".utf8)
    static let key = pattern(294, first: 48)
    static let signature = pattern(256, first: 11)

    var session: Session
    var now: Int64 = 7_000_000
    var unixTime = Driver.unixTime
    /// Whether frames leave as soon as they are there.
    var sends = true
    /// Whether a challenge is answered as soon as it comes.
    var answers = true
    var events: [SessionEvent] = []
    /// For each event in `events`, the bytes it lends.
    var lent: [[UInt8]] = []
    var frames: [[UInt8]] = []

    init(interval: Int64 = 600_000, pongTimeout: Int64 = 15_000) {
        session = Session(keepAlive: KeepAlive(interval: interval, pongTimeout: pongTimeout))
    }

    /// A session that has come as far as `phase`, with what led there forgotten.
    convenience init(_ purpose: Purpose, in phase: Phase, interval: Int64 = 600_000) {
        self.init(interval: interval)
        start(purpose)
        switch phase {
        case .closed: session.reset()
        case .preHello: break
        case .helloReceived:
            sends = false
            feed(Server.hello)
        case .challengeWait: feed(Server.hello)
        case .authWait: feed(Server.hello, Server.challenge)
        case .authenticated: feed(Server.hello, Server.challenge, Server.authOK)
        }
        forget()
    }

    /// An authenticated session with nothing left to synchronise.
    static func synchronised(interval: Int64 = 600_000) -> Driver {
        let driver = Driver(.login, in: .authenticated, interval: interval)
        driver.synchronise(RegistrationSet(capacity: 1))
        driver.forget()
        return driver
    }

    func start(_ purpose: Purpose, identity: [UInt8]? = nil) {
        let bytes = identity ?? (purpose == .login ? Self.address : Self.key)
        session.start(purpose, identity: bytes.span.bytes, now: now)
    }

    func forget() {
        events = []
        lent = []
        frames = []
    }

    /// Receives the bytes, `most` at a time, and takes events as they come.
    func feed(_ bytes: [UInt8], most: Int) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let tail = session.receiveTail()
            let count = min(tail.count, most, rest.count)
            if count == 0 {
                let before = events.count + frames.count
                pump()
                if events.count + frames.count == before { break }
                continue
            }
            rest.prefix(count).withUnsafeBytes { tail.copyMemory(from: $0) }
            rest = rest.dropFirst(count)
            session.received(count, now: now)
            pump()
        }
        pump()
    }

    /// Receives one after another, with time to answer between.
    func feed(_ frames: [UInt8]...) {
        for frame in frames { feed(frame, most: .max) }
    }

    /// Takes events and, if allowed, sends frames until there is nothing more to do.
    func pump() {
        while true {
            if let event = session.next(now: now, unixTime: unixTime) {
                take(event)
            } else if sends, session.hasFrames {
                send()
            } else {
                return
            }
        }
    }

    private func take(_ event: SessionEvent) {
        events.append(event)
        switch event {
        case .notify, .oversizeNotify:
            lent.append(array(session.payload))
            #expect(Array(session.payloadPointer) == lent.last)
        case .challenge:
            lent.append(array(session.signatureMaterial))
            #expect(Array(session.materialPointer) == lent.last)
        case .registered: lent.append(array(session.assignedAddress.bytes))
        case .registerFailed: lent.append(array(session.failureText))
        default: lent.append([])
        }
        if event == .challenge, answers { answer(Self.signature) }
    }

    func answer(_ signature: [UInt8]) { session.answerChallenge(signature: signature.span.bytes, now: now) }

    func acknowledge(_ id: [UInt8], _ status: AckStatus = .delivered) -> Bool {
        session.acknowledge(id.span.bytes, status)
    }

    /// Sends the front frame.
    func send() {
        let frame = array(session.frontFrame)
        #expect(Array(session.framePointer) == frame)
        #expect(session.frontType?.rawValue == frame[2])
        frames.append(frame)
        session.sending(now: now)
        session.sent()
    }

    func sendAll() { while session.hasFrames { send() } }

    func wait(_ milliseconds: Int64) {
        now += milliseconds
        pump()
    }

    /// Everything that follows S_AUTH_OK, without kept acknowledgements.
    func synchronise(_ set: borrowing RegistrationSet) {
        var rounds = 0
        while case .filter = session.syncStep, rounds < 1000 {
            session.sendFilter(set)
            sendAll()
            rounds += 1
        }
        session.acknowledgementsDone()
        sendAll()
    }

    /// The protocol fault that the session ended with, if it ended so.
    var fault: ProtocolFault? {
        if case .ended(.protocolFault(let fault)) = events.last { fault } else { nil }
    }

    var end: EndReason? {
        if case .ended(let reason) = events.last { reason } else { nil }
    }
}
