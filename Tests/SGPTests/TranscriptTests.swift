import Bytes
import SGP
import Testing

/// Fed with the recorded frames of the reference server, the session sends the recorded frames of the client. The
/// recorded time and signatures are supplied; what the recorded client knew (its key, its registration set, when it
/// pinged) comes from its own frames.
@Suite struct TranscriptTests {
    private struct Step {
        var isServer: Bool
        var bytes: [UInt8]
    }

    /// The frames of each of the three connections.
    private static let connections: [[Step]] = {
        var connections: [[Step]] = []
        for step in transcript {
            switch step {
            case .note(let text): if text.hasPrefix("connect ") { connections.append([]) }
            case .server(let hex): connections[connections.count - 1].append(Step(isServer: true, bytes: decode(hex)))
            case .client(let hex): connections[connections.count - 1].append(Step(isServer: false, bytes: decode(hex)))
            }
        }
        return connections
    }()

    private static func decode(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func client(_ connection: Int, _ type: UInt8) -> [UInt8] {
        connections[connection].first { !$0.isServer && $0.bytes[2] == type }?.bytes ?? []
    }

    /// The eight bytes at an offset, as an integer.
    private static func integer(_ bytes: [UInt8], at offset: Int) -> Int64 {
        bytes[offset..<(offset + 8)].reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Feeds and compares one connection. `answer` does what the recorded client did besides the protocol's own answers;
    /// `extra` are frames of ours that it did not send.
    private static func replay(
        _ number: Int, with driver: Driver, most: Int, extra: Set<[UInt8]> = [], answer: (Driver, [UInt8]) -> Void
    ) {
        driver.answers = false
        var compared = 0
        for step in connections[number] {
            if step.isServer {
                driver.feed(step.bytes, most: most)
            } else {
                answer(driver, step.bytes)
                driver.sendAll()
                while compared < driver.frames.count, extra.contains(driver.frames[compared]) { compared += 1 }
                guard compared < driver.frames.count else {
                    Issue.record("connection \(number): no frame of ours for \(step.bytes)")
                    return
                }
                #expect(driver.frames[compared] == step.bytes)
                compared += 1
            }
        }
        let rest = driver.frames.dropFirst(compared).filter { !extra.contains($0) }
        #expect(rest == [])
    }

    @Test func recordingIsWhole() {
        #expect(Self.connections.map(\.count) == [8, 15, 9])
        #expect(Self.connections.map { $0.filter(\.isServer).count } == [4, 7, 5])
    }

    @Test(arguments: [Int.max, 1, 3, 59, 60]) func registration(most: Int) {
        let register = Self.client(0, 0x28)
        let response = Self.client(0, 0x29)
        #expect(register.count == 8 + 2 + 294 + 8 + 4)
        let driver = Driver()
        driver.unixTime = Self.integer(register, at: 8 + 2 + 294)
        driver.start(.register, identity: Array(register[10..<304]))
        Self.replay(0, with: driver, most: most) { driver, frame in
            if frame[2] == 0x29 { driver.answer(Array(response[18...])) }
        }
        #expect(
            driver.events == [
                .legacyHello, .hello(version: 2), .challenge, .registered(version: 2), .ended(.registered),
            ])
        #expect(driver.lent[3] == Array("adbc9bc237ed438f96bdd35bfc11ecaa@sgn.test".utf8))
    }

    private static let address = Array("adbc9bc237ed438f96bdd35bfc11ecaa@sgn.test".utf8)

    /// The registration set of the recorded C_FILTER: one bundle.
    private static func registrations() -> RegistrationSet {
        let filter = client(1, 0x2B)
        var set = RegistrationSet(capacity: 1)
        let registration = Registration(
            routingKey: Blob<32>(Array(filter[12..<44]).span.bytes)!, endToEndKey: Blob<32>(),
            bundle: Blob<64>("org.example.bell")!, isMuted: false)
        if !set.insert(registration) { Issue.record("no room") }
        return set
    }

    @Test(arguments: [Int.max, 1, 3, 59, 60]) func login(most: Int) {
        let login = Self.client(1, 0x20)
        let response = Self.client(1, 0x21)
        let driver = Driver()
        driver.unixTime = Self.integer(login, at: 8 + 2 + 41)
        driver.start(.login, identity: Self.address)
        let set = Self.registrations()
        // This session polls after the answered ping; the recorded client did not.
        Self.replay(1, with: driver, most: most) { driver, frame in
            switch frame[2] {
            case 0x21: driver.answer(Array(response[18...]))
            case 0x2B: driver.session.sendFilter(set)
            case 0x22: driver.session.acknowledgementsDone()
            case 0x23: #expect(driver.acknowledge(Array(driver.lent.last?[32..<48] ?? [])))
            case 0x27: Self.pingUntilSeven(driver)
            case 0x24:
                #expect(driver.frames.last == Client.poll(0))
                driver.frames.removeLast()
                driver.session.sayGoodbye()
            default: break
            }
        }
        #expect(
            driver.events == [
                .legacyHello, .hello(version: 2), .challenge, .authenticated, .notify, .notify, .pong(roundTrip: 0),
            ])
    }

    /// The recorded ping was the seventh; the ones before it are answered here and their frames left out.
    private static func pingUntilSeven(_ driver: Driver) {
        for _ in 0..<10 {
            driver.session.ping(now: driver.now)
            driver.sendAll()
            guard let ping = driver.frames.last, integer(ping, at: 8) < 7 else { return }
            driver.feed(frame(.pong, Array(ping[8...])))
            #expect(driver.events.removeLast() == .pong(roundTrip: 0))
            driver.lent.removeLast()
            #expect(driver.frames.suffix(2) == [ping, Client.poll(0)])
            driver.frames.removeLast(2)
        }
    }

    /// The third connection polls and gets the message again that was not acknowledged.
    @Test(arguments: [Int.max, 1, 3, 59, 60]) func again(most: Int) {
        let login = Self.client(2, 0x20)
        let response = Self.client(2, 0x21)
        let driver = Driver()
        driver.unixTime = Self.integer(login, at: 8 + 2 + 41)
        driver.start(.login, identity: Self.address)
        let set = Self.registrations()
        // The recorded client sent its set on the second connection only.
        Self.replay(2, with: driver, most: most, extra: [Self.client(1, 0x2B)]) { driver, frame in
            switch frame[2] {
            case 0x21: driver.answer(Array(response[18...]))
            case 0x22:
                driver.session.sendFilter(set)
                driver.session.acknowledgementsDone()
            default: break
            }
        }
        #expect(driver.events == [.legacyHello, .hello(version: 2), .challenge, .authenticated, .notify])
        let first = Self.connections[1].filter { $0.isServer && $0.bytes[2] == 0x13 }
        #expect(driver.lent.last == Array(first[1].bytes[8...]))
    }
}
