import Bytes
import SGP
import Testing

/// C_FILTER: the whole registration set in chunks (SGP v2 §7).
@Suite struct FilterTests {
    struct Entry: Equatable {
        var tag: UInt8
        var key: [UInt8]
        var bundle: [UInt8]

        var wire: [UInt8] { [tag] + key + bigEndian(UInt16(bundle.count)) + bundle }

        var registration: Registration {
            Registration(
                routingKey: Blob<32>(key.span.bytes)!, endToEndKey: Blob<32>(pattern(32).span.bytes)!,
                bundle: Blob<64>(bundle.span.bytes)!, isMuted: tag == 2)
        }
    }

    /// Distinct entries in order of their keys, every third one muted.
    static func entries(_ bundles: [Int]) -> [Entry] {
        bundles.enumerated().map { index, length in
            Entry(
                tag: index % 3 == 2 ? 2 : 1, key: bigEndian(UInt32(index)) + pattern(28, first: index),
                bundle: (0..<length).map { UInt8(97 + ($0 + index) % 26) })
        }
    }

    /// Greedy packing, from the specification.
    static func pack(_ entries: [Entry]) -> [[UInt8]] {
        var chunks: [[Entry]] = [[]]
        var size = 3
        for entry in entries {
            if size + entry.wire.count > 4096 {
                chunks.append([])
                size = 3
            }
            chunks[chunks.count - 1].append(entry)
            size += entry.wire.count
        }
        return chunks.enumerated().map { index, chunk in
            let flags: UInt8 = index == chunks.count - 1 ? 0 : 1
            return frame(type: 0x2B, [flags] + bigEndian(UInt16(chunk.count)) + chunk.flatMap(\.wire))
        }
    }

    static func set(_ entries: [Entry], capacity: Int = Limits.registrations) -> RegistrationSet {
        var set = RegistrationSet(capacity: capacity)
        for entry in entries where !set.insert(entry.registration) { Issue.record("the set is full") }
        return set
    }

    /// What a session sends for the entries, sending at most `burst` frames before it asks for more.
    static func sent(_ entries: [Entry], burst: Int = .max) -> (frames: [[UInt8]], rounds: Int) {
        let driver = Driver(.login, in: .authenticated)
        let set = set(entries)
        var rounds = 0
        while case .filter = driver.session.syncStep, rounds < 5000 {
            rounds += 1
            driver.session.sendFilter(set)
            var left = burst
            while driver.session.hasFrames, left > 0 {
                driver.send()
                left -= 1
            }
        }
        driver.sendAll()
        #expect(driver.session.syncStep == .acknowledgements)
        return (driver.frames, rounds)
    }

    @Test func empty() {
        #expect(Self.sent([]).frames == [[0x53, 2, 0x2B, 0, 0, 0, 0, 3, 0, 0, 0]])
    }

    @Test func spelt() {
        let key = pattern(32)
        let entry = Entry(tag: 2, key: key, bundle: Array("org.a".utf8))
        #expect(
            Self.sent([entry]).frames == [
                [0x53, 2, 0x2B, 0, 0, 0, 0, 43, 0, 0, 1, 2] + key + [0, 5, 0x6F, 0x72, 0x67, 0x2E, 0x61]
            ])
    }

    /// A chunk holds 113 entries with a bundle of one byte, 41 with one of 64.
    @Test(arguments: [(1, 113), (64, 41)]) func chunkEdges(bundle: Int, perChunk: Int) {
        let counts = [1, 2, 3].flatMap { [$0 * perChunk - 1, $0 * perChunk, $0 * perChunk + 1] } + [300, 1023, 1024]
        for count in [1, 2] + counts {
            let entries = Self.entries([Int](repeating: bundle, count: count))
            let frames = Self.sent(entries).frames
            #expect(frames == Self.pack(entries))
            #expect(frames.count == (count + perChunk - 1) / perChunk)
            for (index, chunk) in frames.enumerated() {
                #expect(chunk.count <= 8 + 4096)
                #expect(chunk[8] == (index < frames.count - 1 ? 1 : 0))
            }
        }
    }

    /// 41 entries of which the last makes exactly 4095, 4096, 4097 bytes.
    @Test(arguments: [(31, 1), (32, 1), (33, 2)]) func exactFit(last: Int, chunks: Int) {
        let entries = Self.entries([Int](repeating: 64, count: 40) + [31, last])
        let frames = Self.sent(entries).frames
        #expect(frames == Self.pack(entries))
        #expect(frames.count == chunks)
        #expect(frames[0].count == (chunks == 1 ? 8 + 4064 + last : 8 + 4029))
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>) func mixed(seed: UInt64) {
        var random = Seeded(seed)
        let entries = Self.entries((0..<(1 + random.below(1024))).map { _ in 1 + random.below(64) })
        #expect(Self.sent(entries).frames == Self.pack(entries))
    }

    /// However few frames leave between the calls, the chunks are the same.
    @Test(arguments: [1, 2, 3]) func backpressure(burst: Int) {
        let entries = Self.entries([Int](repeating: 64, count: 1024))
        let (frames, rounds) = Self.sent(entries, burst: burst)
        #expect(frames == Self.pack(entries))
        #expect(rounds > 1)
    }

    /// Nothing is lost while nothing leaves at all.
    @Test func nothingLeaves() {
        let driver = Driver(.login, in: .authenticated)
        driver.sends = false
        let entries = Self.entries([Int](repeating: 64, count: 1024))
        let set = Self.set(entries)
        for _ in 0..<50 { driver.session.sendFilter(set) }
        if case .filter(let from) = driver.session.syncStep {
            #expect(from > 0)
            #expect(from < 1024)
        } else {
            Issue.record("the set did not fit, and yet it is done")
        }
        while case .filter = driver.session.syncStep {
            driver.sendAll()
            driver.session.sendFilter(set)
        }
        driver.sendAll()
        #expect(driver.frames == Self.pack(entries))
    }

    /// One complete C_FILTER a connection (§10); none before S_AUTH_OK.
    @Test func onceAndOnlyThen() {
        let entries = Self.entries([5, 6])
        let set = Self.set(entries)
        for phase in [Phase.closed, .preHello, .challengeWait, .authWait] {
            let driver = Driver(.login, in: phase)
            driver.session.sendFilter(set)
            driver.pump()
            #expect(driver.frames == [])
        }
        let driver = Driver(.login, in: .authenticated)
        for _ in 0..<3 {
            driver.session.sendFilter(set)
            driver.sendAll()
        }
        #expect(driver.frames == Self.pack(entries))
    }

    /// The next connection starts anew, however far the last one came.
    @Test func anewOnTheNextConnection() {
        let entries = Self.entries([Int](repeating: 64, count: 1024))
        let set = Self.set(entries)
        let driver = Driver(.login, in: .authenticated)
        driver.session.sendFilter(set)
        driver.session.reset()
        driver.forget()
        driver.start(.login)
        driver.feed(Server.hello, Server.challenge, Server.authOK)
        #expect(driver.session.syncStep == .filter(from: 0))
        driver.forget()
        driver.synchronise(set)
        #expect(driver.frames == Self.pack(entries) + [Client.poll(0)])
    }
}
