import Bytes
import SGP
import Testing

/// Invariants that hold whatever comes (seeded, so that a failure can be repeated).
@Suite struct RandomInputTests {
    /// A session with everything that its documentation promises checked after each call.
    final class Checked {
        var session = Session(keepAlive: KeepAlive(interval: 60_000, pongTimeout: 15_000))
        var now: Int64 = 1_000
        var unixTime = Driver.unixTime
        var failure: String?
        var events = 0
        private var hasEnded = false
        private var highest = Phase.closed

        func fail(_ text: String) { if failure == nil { failure = text } }

        func start(_ purpose: Purpose) {
            let identity = purpose == .login ? Driver.address : Driver.key
            session.start(purpose, identity: identity.span.bytes, now: now)
            hasEnded = false
            highest = .preHello
        }

        func receive(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let tail = session.receiveTail()
                let count = min(tail.count, rest.count)
                if count == 0 { return }
                rest.prefix(count).withUnsafeBytes { tail.copyMemory(from: $0) }
                rest = rest.dropFirst(count)
                session.received(count, now: now)
                drain()
            }
        }

        /// Takes all events; there must be an end to them.
        func drain() {
            for _ in 0..<3_000 {
                guard let event = session.next(now: now, unixTime: unixTime) else {
                    check()
                    return
                }
                events += 1
                if hasEnded { fail("\(event) after the end") }
                switch event {
                case .ended: hasEnded = true
                case .notify:
                    let count = session.payload.byteCount
                    if count < 70 || count > 4096 { fail("S_NOTIFY of \(count)") }
                case .oversizeNotify: if session.payload.byteCount != 70 { fail("oversize") }
                case .challenge:
                    let count = session.signatureMaterial.byteCount
                    let expected = session.purpose == .login ? 32 + Driver.address.count + 8 : 40
                    if count != expected { fail("material of \(count)") }
                case .registered:
                    if session.assignedAddress.isEmpty { fail("no address") }
                case .registerFailed: if session.failureText.byteCount > 255 { fail("long reason") }
                case .timeSync(let offset): if offset.magnitude > 172_800 { fail("offset \(offset)") }
                default: break
                }
                check()
            }
            fail("events without an end")
        }

        func check() {
            let phase = session.phase
            if phase != .closed {
                if phase < highest { fail("from \(highest) back to \(phase)") }
                if hasEnded { fail("\(phase) after the end") }
                highest = phase
                if session.deadline == .max { fail("no deadline in \(phase)") }
            } else if session.deadline != .max {
                fail("a deadline when closed")
            }
            let front = array(session.frontFrame)
            if session.hasFrames != !front.isEmpty { fail("hasFrames") }
            if !front.isEmpty, !RandomInputTests.isClientFrame(front) { fail("sent \(front.prefix(20))") }
        }

        /// After `next` has returned nil nothing is due.
        func checkNotDue() {
            if session.phase != .closed, session.deadline <= now { fail("due in the past: \(session.deadline) \(now)") }
        }

        func send() {
            guard session.hasFrames else { return }
            session.sending(now: now)
            session.sent()
        }

        func acknowledge(_ length: Int) -> Bool {
            let free = session.acknowledgementsFree
            let isQueued = session.acknowledge(pattern(length).span.bytes, .delivered)
            if isQueued, length != 16 || free == 0 { fail("acknowledged") }
            return isQueued
        }

        func sendFilter(_ set: borrowing RegistrationSet) { session.sendFilter(set) }
        func answer(_ length: Int) { session.answerChallenge(signature: pattern(length).span.bytes, now: now) }
    }

    /// A whole frame of a client, with a payload of a length that its type can have.
    static func isClientFrame(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 8, bytes.count <= 4104, bytes[0] == 0x53, bytes[1] == 2, bytes[3] == 0 else {
            return false
        }
        let length = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count == 8 + length else { return false }
        switch bytes[2] {
        case 0x00: return length == 0
        case 0x20, 0x28: return length > 14 && length == 14 + Int(bytes[8]) << 8 + Int(bytes[9])
        case 0x21, 0x29: return length > 10 && length == 10 + Int(bytes[16]) << 8 + Int(bytes[17])
        case 0x22, 0x27, 0x2A: return length == 8
        case 0x23: return length == 17 && bytes[24] <= 3
        case 0x24: return length == 1 && bytes[8] == 0
        case 0x2B: return length >= 3 && bytes[8] <= 1
        default: return false
        }
    }

    /// A frame that may or may not be in order.
    private static func someFrame(_ random: inout Seeded) -> [UInt8] {
        switch random.below(12) {
        case 0: return random.bytes(random.below(30))
        case 1: return legacyHello(8 + random.below(100))
        case 2: return frame(.notify, random.bytes(4_090 + random.below(20)))
        case 3: return frame(type: UInt8(random.below(256)), random.bytes(random.below(20)))
        case 4, 5:
            var bytes = Server.sample(ServerMessage.allCases[random.below(ServerMessage.allCases.count)])
            bytes[random.below(bytes.count)] = UInt8(random.below(256))
            return bytes
        case 6:
            let (type, minimum, maximum) = bounds[random.below(bounds.count)]
            return frame(type, random.bytes(max(0, minimum - 1 + random.below(maximum - minimum + 3))))
        default: return Server.sample(ServerMessage.allCases[random.below(ServerMessage.allCases.count)])
        }
    }

    /// Begins in some phase, so that not every run ends at once.
    private static func begin(_ checked: Checked, _ random: inout Seeded) {
        checked.start(random.below(4) == 0 ? .register : .login)
        let steps = random.below(5)
        if steps > 0 {
            checked.receive(Server.hello)
            checked.send()
        }
        if steps > 1 {
            checked.receive(Server.challenge)
            checked.answer(256)
        }
        if steps > 2 { checked.receive(Server.authOK) }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>) func operations(seed: UInt64) {
        var random = Seeded(seed)
        let checked = Checked()
        let entries = FilterTests.entries((0..<random.below(400)).map { _ in 1 + random.below(64) })
        let set = FilterTests.set(entries)
        Self.begin(checked, &random)
        for step in 0..<400 {
            switch random.below(16) {
            case 0...5:
                var bytes: [UInt8] = []
                for _ in 0..<(1 + random.below(4)) { bytes += Self.someFrame(&random) }
                if random.below(3) == 0 { bytes = Array(bytes.prefix(random.below(bytes.count + 1))) }
                checked.receive(bytes)
            case 6: checked.now += Int64(random.below(20_000))
            case 7, 8: checked.send()
            case 9: while checked.session.hasFrames { checked.send() }
            case 10: checked.sendFilter(set)
            case 11: for _ in 0..<random.below(700) where !checked.acknowledge(16) { break }
            case 12: _ = checked.acknowledge(random.below(40))
            case 13: checked.answer(random.below(300))
            case 14: checked.session.acknowledgementsDone()
            default:
                if random.below(8) == 0 { checked.session.sayGoodbye() }
                checked.session.ping(now: checked.now)
                checked.session.sending(now: checked.now)
            }
            checked.check()
            checked.drain()
            checked.checkNotDue()
            if let failure = checked.failure {
                Issue.record("seed \(seed), step \(step): \(failure)")
                return
            }
            if checked.session.phase == .closed, random.below(4) == 0 { Self.begin(checked, &random) }
        }
        #expect(checked.events > 10)
    }

    /// Any bytes at all, in any pieces: every item that comes out was there, and a fault is final for the session.
    @Test(arguments: 1...40 as ClosedRange<UInt64>) func bytes(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<60 {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(20) { bytes += Self.someFrame(&random) }
            let whole = parse(bytes)
            let pieces = parse(bytes) { 1 + random.below(200) }
            #expect(whole == pieces)
            let payloads = whole.reduce(0) { if case .item(_, let payload) = $1 { $0 + payload.count } else { $0 } }
            #expect(payloads <= bytes.count)
        }
    }

    /// The parser follows a model written from the specification, over streams of frames with one byte changed.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func model(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<150 {
            var bytes = random.below(3) == 0 ? legacyHello(12 + random.below(60)) : []
            for _ in 0..<(1 + random.below(6)) {
                bytes += Server.sample(ServerMessage.allCases[random.below(ServerMessage.allCases.count)])
            }
            if random.below(5) > 0 { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            #expect(parse(bytes) == Self.model(bytes))
        }
    }

    private static func model(_ bytes: [UInt8]) -> [Parsed] {
        var found: [Parsed] = []
        var rest = bytes[...]
        if let first = rest.first, first != 0x53, rest.count >= 4 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let word = rest.dropFirst(4).prefix(8)
            guard (12...4096).contains(length), word.elementsEqual("bplist00".utf8.prefix(word.count)) else {
                return [.fault(.legacyHello(UInt32(length)))]
            }
            guard rest.count >= 4 + length else { return [] }
            found.append(.item(.legacyHello, []))
            rest = rest.dropFirst(4 + length)
        }
        while rest.count >= 8 {
            let head = Array(rest.prefix(8))
            let length = head[4..<8].reduce(0) { $0 << 8 | Int($1) }
            if head[0] != 0x53 { return found + [.fault(.magic(head[0]))] }
            if head[1] != 2 { return found + [.fault(.version(head[1]))] }
            guard let row = bounds.first(where: { $0.type.rawValue == head[2] }) else {
                return found + [.fault(.type(head[2]))]
            }
            if head[3] != 0 { return found + [.fault(.reserved(head[3]))] }
            let isOversize = row.type == .notify && length > 4096 && length <= 1 << 20
            if !isOversize, length < row.minimum || length > row.maximum {
                return found + [.fault(.length(row.type, UInt32(length)))]
            }
            rest = rest.dropFirst(8)
            if isOversize {
                if rest.count >= 70 { found.append(.item(.oversizeNotify, Array(rest.prefix(70)))) }
                rest = rest.dropFirst(length)
                continue
            }
            guard rest.count >= length else { return found }
            found.append(.message(row.type, Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return found
    }
}
