import Bytes
import SGP

// A session and everything that its owner and its server can do to it. The input is a list of operations: the low four
// bits of the first byte of each choose it, the high four bits are its argument, and what it needs of data follows.

/// What the gateway reserves once; libFuzzer has no place to pass it through.
nonisolated(unsafe) private var registrations = registrationSet(300)
private let sixteen = InlineArray<16, UInt8>(repeating: 7)
private let signature = InlineArray<256, UInt8>(repeating: 9)
private let address = InlineArray<21, UInt8>(repeating: 97)
private let publicKey = InlineArray<294, UInt8>(repeating: 48)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    var owner = Owner(UnsafeRawBufferPointer(start: start, count: count))
    owner.run()
    return 0
}

private func registrationSet(_ count: Int) -> RegistrationSet {
    var set = RegistrationSet()
    for index in 0..<count {
        var key = InlineArray<32, UInt8>(repeating: 0)
        key[0] = UInt8(index >> 8)
        key[1] = UInt8(index & 0xFF)
        guard let routingKey = Blob<32>(key.span.bytes), let bundle = Blob<64>(signature.span.bytes.extracting(0..<64))
        else { fatalError("set") }
        let registration = Registration(
            routingKey: routingKey, endToEndKey: routingKey, bundle: bundle, isMuted: index % 2 == 0)
        guard set.insert(registration) else { fatalError("set") }
    }
    return set
}

private struct Owner: ~Copyable {
    private var session = Session(keepAlive: KeepAlive(interval: 60_000, pongTimeout: 15_000))
    private let input: UnsafeRawBufferPointer
    private var position = 0
    private var now: Int64 = 1_000
    private var unixTime: Int64 = 1_796_000_000
    private var hasEnded = false
    private var highest = Phase.closed
    private var polls = 0
    private var lastFilters = 0

    init(_ input: UnsafeRawBufferPointer) { self.input = input }

    mutating func run() {
        begin(.login)
        while position < input.count {
            let byte = input[position]
            position += 1
            operate(byte & 15, Int(byte >> 4))
            drain()
            guard session.phase == .closed || session.deadline > now else { fatalError("due in the past") }
        }
    }

    private mutating func begin(_ purpose: Purpose) {
        session.start(purpose, identity: purpose == .login ? address.span.bytes : publicKey.span.bytes, now: now)
        hasEnded = false
        highest = .preHello
        polls = 0
        lastFilters = 0
    }

    private mutating func operate(_ operation: UInt8, _ argument: Int) {
        switch operation {
        case 0: receive(take(argument))
        case 1: receive(take(argument * 32))
        case 2: receiveFrame(argument)
        case 3: now += Int64(argument * argument) * 60
        case 4: send()
        case 5: while session.hasFrames { send() }
        case 6:
            session.answerChallenge(signature: signature.span.bytes.extracting(0..<(argument == 0 ? 0 : 256)), now: now)
        case 7: session.sendFilter(registrations)
        case 8: for _ in 0...(argument * 50) { acknowledge() }
        case 9: session.acknowledgementsDone()
        case 10: session.ping(now: now)
        case 11: session.sending(now: now)
        case 12: if argument == 0 { session.sayGoodbye() }
        case 13: if argument == 0 { begin(.register) } else if argument == 1 { begin(.login) }
        case 14: login()
        default: unixTime = unixTime &* 31 &+ Int64(argument)
        }
    }

    /// The next bytes of the input, fewer at its end.
    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        let end = min(position + count, input.count)
        defer { position = end }
        return UnsafeRawBufferPointer(rebasing: input[position..<end])
    }

    private mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        let tail = session.receiveTail()
        let count = min(tail.count, bytes.count)
        tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        session.received(count, now: now)
    }

    /// A frame with a right header: its type is the argument, its payload from the input, padded with zeros.
    private mutating func receiveFrame(_ argument: Int) {
        let types = ServerMessage.allCases
        let type = types[argument % types.count]
        let length = min(type.bounds.upperBound, max(type.bounds.lowerBound, Int(take(1).first ?? 0)))
        let data = take(min(length, 16))
        withUnsafeTemporaryAllocation(byteCount: Limits.frameHeader + length, alignment: 8) { frame in
            for index in frame.indices { frame[index] = 0 }
            frame[0] = FrameHeader.magic
            frame[1] = FrameHeader.version
            frame[2] = type.rawValue
            frame[6] = UInt8(length >> 8)
            frame[7] = UInt8(length & 0xFF)
            for (index, byte) in data.enumerated() { frame[8 + index] = byte }
            receive(UnsafeRawBufferPointer(frame))
        }
    }

    /// As far as the phase allows, the server's next step to a login.
    private mutating func login() {
        while session.hasFrames { send() }
        switch session.phase {
        case .preHello: receiveFrame(0)
        case .challengeWait: receiveFrame(1)
        case .authWait: receiveFrame(2)
        default: break
        }
        drain()
        session.answerChallenge(signature: signature.span.bytes, now: now)
        while session.hasFrames { send() }
    }

    private mutating func acknowledge() {
        let free = session.acknowledgementsFree
        let isQueued = session.acknowledge(sixteen.span.bytes, .delivered)
        guard isQueued == (free > 0 && session.phase == .authenticated) else { fatalError("acknowledgement") }
    }

    private mutating func send() {
        guard session.hasFrames else { return }
        checkFront()
        session.sending(now: now)
        session.sent()
    }

    /// Every frame that leaves is whole and one that a client may send, in the order that the specification wants.
    private mutating func checkFront() {
        let frame = session.frontFrame
        guard frame.byteCount >= 8, frame.byteCount <= Limits.frame, frame[0] == 0x53, frame[1] == 2, frame[3] == 0,
            frame[4] == 0, frame[5] == 0, Int(frame[6]) << 8 | Int(frame[7]) == frame.byteCount - 8,
            let type = ClientMessage(rawValue: frame[2])
        else { fatalError("frame") }
        switch type {
        case .filter:
            guard polls == 0, lastFilters == 0 else { fatalError("C_FILTER after the last chunk") }
            if frame[8] == 0 { lastFilters += 1 }
        case .poll:
            guard lastFilters == 1 else { fatalError("C_POLL before the set") }
            polls += 1
        case .disconnect: guard session.phase == .closed else { fatalError("C_DISCONNECT on a living connection") }
        default: break
        }
    }

    /// Takes all events and checks what each promises.
    private mutating func drain() {
        var events = 0
        while let event = session.next(now: now, unixTime: unixTime) {
            events += 1
            guard events < 3_000, !hasEnded else { fatalError("an event too many") }
            check(event)
            checkPhase()
        }
        checkPhase()
    }

    private mutating func check(_ event: SessionEvent) {
        switch event {
        case .ended: hasEnded = true
        case .notify:
            guard ServerMessage.notify.bounds.contains(session.payload.byteCount) else { fatalError("S_NOTIFY") }
        case .oversizeNotify: guard session.payload.byteCount == Limits.notifyHeader else { fatalError("fixed part") }
        case .challenge:
            let expected = session.purpose == .login ? 32 + address.count + 8 : 40
            guard session.signatureMaterial.byteCount == expected else { fatalError("material") }
        case .registered: guard !session.assignedAddress.isEmpty else { fatalError("address") }
        case .registerFailed: guard session.failureText.byteCount <= 255 else { fatalError("reason") }
        case .timeSync(let offset):
            guard offset.magnitude <= UInt64(Limits.clockOffset), session.clockOffset == offset else {
                fatalError("offset")
            }
        default: break
        }
    }

    private mutating func checkPhase() {
        guard session.phase != .closed else {
            guard session.deadline == .max, session.syncStep == .done else { fatalError("closed and yet waiting") }
            return
        }
        guard !hasEnded, session.phase.rawValue >= highest.rawValue, session.deadline < .max else {
            fatalError("phase")
        }
        highest = session.phase
    }
}
