import Bytes
import SGP
import Testing

/// What follows S_AUTH_OK and what a living connection carries (SGP v2 §4, §5, §8, §10).
@Suite struct SynchronisationTests {
    private static func id(_ number: Int) -> [UInt8] { pattern(16, first: number * 3) }

    /// Whole C_FILTER, then the kept acknowledgements, then C_POLL with the last seq.
    @Test(arguments: [0, 1, 1023, 1024, 1025, 8192]) func order(acknowledgements: Int) {
        let entries = FilterTests.entries([Int](repeating: 64, count: 300))
        let set = FilterTests.set(entries)
        let driver = Driver(.login, in: .authenticated)
        driver.session.lastSeq = 0x0102_0304_0506_0708
        while case .filter = driver.session.syncStep {
            driver.session.sendFilter(set)
            driver.sendAll()
        }
        #expect(driver.session.syncStep == .acknowledgements)
        var done = 0
        while done < acknowledgements {
            if driver.acknowledge(Self.id(done), AckStatus(rawValue: UInt8(done % 4))!) {
                done += 1
            } else {
                #expect(driver.session.hasFrames == true)
                driver.sendAll()
            }
        }
        driver.session.acknowledgementsDone()
        driver.sendAll()
        #expect(driver.session.syncStep == .done)
        let acks = (0..<acknowledgements).map { Client.ack(Self.id($0), UInt8($0 % 4)) }
        #expect(driver.frames == FilterTests.pack(entries) + acks + [Client.poll(0x0102_0304_0506_0708)])
        #expect(driver.events == [])
    }

    /// C_POLL goes out even if the kept acknowledgements have filled the queue to its end.
    @Test func pollAfterAFullQueue() {
        let driver = Driver(.login, in: .authenticated)
        driver.sends = false
        driver.session.sendFilter(RegistrationSet(capacity: 1))
        var queued = 0
        while driver.acknowledge(Self.id(queued)) { queued += 1 }
        #expect(queued > 100)
        driver.session.acknowledgementsDone()
        driver.pump()
        driver.sendAll()
        driver.pump()
        driver.sendAll()
        #expect(driver.frames.count == queued + 2)
        #expect(driver.frames.last == Client.poll(0))
        #expect(driver.frames.reduce(0) { $0 + $1.count } <= Limits.sendBuffer)
    }

    @Test func acknowledgementsFreeIsTrue() {
        let driver = Driver.synchronised()
        driver.sends = false
        var free = driver.session.acknowledgementsFree
        #expect(free > 0)
        while free > 0 {
            #expect(driver.acknowledge(Self.id(free)))
            let left = driver.session.acknowledgementsFree
            #expect(left == free - 1)
            free = left
        }
        #expect(!driver.acknowledge(Self.id(0)))
        driver.send()
        #expect(driver.session.acknowledgementsFree >= 1)
        #expect(driver.acknowledge(Self.id(0)))
    }

    @Test(arguments: [Phase.closed, .preHello, .challengeWait, .authWait]) func nothingBeforeLogin(phase: Phase) {
        let driver = Driver(.login, in: phase)
        #expect(!driver.acknowledge(Self.id(1)))
        driver.session.acknowledgementsDone()
        driver.session.ping(now: driver.now)
        driver.pump()
        #expect(driver.frames == [])
    }

    @Test func nothingAfterTheEnd() {
        let driver = Driver.synchronised()
        driver.feed(frame(.disconnect, [0]))
        driver.forget()
        #expect(!driver.acknowledge(Self.id(1)))
        driver.session.acknowledgementsDone()
        driver.session.ping(now: driver.now)
        driver.session.sendFilter(RegistrationSet(capacity: 1))
        driver.session.sayGoodbye()
        driver.answer(Driver.signature)
        driver.pump()
        #expect(driver.frames == [])
        #expect(driver.events == [])
        #expect(driver.session.phase == .closed)
    }

    /// An end in the middle of the synchronisation stops it: nothing follows C_DISCONNECT.
    @Test(arguments: [false, true]) func nothingAfterAnEarlyEnd(isFault: Bool) {
        for filterFirst in [false, true] {
            let set = FilterTests.set(FilterTests.entries([5, 6]))
            let driver = Driver(.login, in: .authenticated)
            if filterFirst { driver.session.sendFilter(set) }
            driver.sendAll()
            driver.forget()
            if isFault { driver.feed(frame(type: 0xFF)) } else { driver.session.sayGoodbye() }
            #expect(driver.session.syncStep == .done)
            driver.session.sendFilter(set)
            driver.session.acknowledgementsDone()
            driver.sendAll()
            #expect(driver.frames == [Client.goodbye])
        }
    }

    /// A msg_id has 16 bytes; another length must not shift the frame.
    @Test(arguments: [0, 15, 17, 70]) func wrongIdentifier(length: Int) {
        let driver = Driver.synchronised()
        let isQueued = driver.acknowledge(pattern(length))
        driver.sendAll()
        #expect(!isQueued)
        #expect(driver.frames == [])
    }

    // MARK: Ping and pong

    @Test(arguments: [Int64(0), 1, -1, .min, .max, 0x0102_0304_0506_0708]) func pingIsAnswered(seq: Int64) {
        let driver = Driver.synchronised()
        driver.feed(frame(.ping, bigEndian(seq)))
        #expect(driver.events == [.ping])
        #expect(driver.frames == [Client.pong(seq)])
    }

    @Test func pollAfterEveryMatchedPong() {
        let driver = Driver.synchronised()
        driver.session.lastSeq = 99
        var sequences: Set<[UInt8]> = []
        for round in 0..<10 {
            driver.forget()
            driver.session.ping(now: driver.now)
            driver.sendAll()
            #expect(driver.frames.count == 1)
            let ping = driver.frames[0]
            #expect(ping.prefix(8) == [0x53, 2, 0x27, 0, 0, 0, 0, 8])
            sequences.insert(ping)
            driver.now += Int64(round)
            driver.feed(frame(.pong, Array(ping.dropFirst(8))))
            #expect(driver.events == [.pong(roundTrip: Int64(round))])
            #expect(driver.frames == [ping, Client.poll(99)])
            // The same answer once more matches nothing.
            driver.feed(frame(.pong, Array(ping.dropFirst(8))))
            #expect(driver.events.last == .pong(roundTrip: nil))
            #expect(driver.frames == [ping, Client.poll(99)])
        }
        #expect(sequences.count == 10)
    }

    @Test(arguments: [Int64(0), 1, 2, -1, .min, .max]) func unmatchedPong(seq: Int64) {
        let driver = Driver.synchronised()
        driver.feed(frame(.pong, bigEndian(seq)))
        #expect(driver.events == [.pong(roundTrip: nil)])
        #expect(driver.frames == [])
        #expect(driver.session.phase == .authenticated)
    }

    /// A wrong answer does not count as the right one, and the wait for that one goes on.
    @Test func wrongPongDoesNotHelp() {
        let driver = Driver.synchronised()
        driver.session.ping(now: driver.now)
        driver.sendAll()
        let asked = driver.now
        driver.now += 5_000
        driver.feed(frame(.pong, bigEndian(Int64(-5))))
        #expect(driver.events == [.pong(roundTrip: nil)])
        driver.now = asked + 14_999
        driver.pump()
        #expect(driver.end == nil)
        driver.now = asked + 15_000
        driver.pump()
        #expect(driver.end == .timeout(.pong))
    }

    @Test func onePingAtATime() {
        let driver = Driver.synchronised()
        for _ in 0..<5 { driver.session.ping(now: driver.now) }
        driver.sendAll()
        #expect(driver.frames.count == 1)
    }

    /// An answer that comes before the whole set has gone out does not put C_POLL between its chunks.
    @Test func pollWaitsForTheSet() {
        let entries = FilterTests.entries([Int](repeating: 64, count: 1024))
        let set = FilterTests.set(entries)
        let driver = Driver(.login, in: .authenticated)
        driver.session.ping(now: driver.now)
        driver.session.sendFilter(set)
        driver.sendAll()
        let pings = driver.frames.filter { $0[2] == 0x27 }
        for ping in pings { driver.feed(frame(.pong, Array(ping.dropFirst(8)))) }
        driver.feed(frame(.ping, bigEndian(Int64(4))))
        driver.synchronise(set)
        let rest = driver.frames.filter { $0[2] != 0x27 && $0[2] != 0x2A }
        #expect(rest == FilterTests.pack(entries) + [Client.poll(0)])
    }

    // MARK: Goodbye

    @Test(arguments: [Phase.challengeWait, .authWait, .authenticated]) func goodbye(phase: Phase) {
        let driver = Driver(.login, in: phase)
        driver.session.sayGoodbye()
        driver.pump()
        #expect(driver.frames == [Client.goodbye])
        driver.session.sayGoodbye()
        driver.pump()
        #expect(driver.frames == [Client.goodbye])
    }

    /// Nothing goes out before S_HELLO.
    @Test(arguments: [Phase.closed, .preHello]) func noGoodbye(phase: Phase) {
        let driver = Driver(.login, in: phase)
        driver.session.sayGoodbye()
        driver.feed(Server.hello)
        driver.wait(100_000)
        #expect(driver.frames == [])
        #expect(driver.events == [])
        #expect(driver.session.phase == .closed)
    }

    /// C_DISCONNECT is the last frame, behind what was queued.
    @Test func goodbyeComesLast() {
        let driver = Driver.synchronised()
        #expect(driver.acknowledge(Self.id(1)))
        #expect(driver.acknowledge(Self.id(2)))
        driver.session.sayGoodbye()
        #expect(!driver.acknowledge(Self.id(3)))
        driver.feed(frame(.ping, bigEndian(Int64(4))))
        driver.session.ping(now: driver.now)
        driver.sendAll()
        #expect(driver.frames == [Client.ack(Self.id(1), 0), Client.ack(Self.id(2), 0), Client.goodbye])
    }

    // MARK: Notifications

    /// A burst is handed out one by one, each with its own bytes; acknowledgements wait for room, not for luck.
    @Test(arguments: [Int.max, 1, 900]) func burst(most: Int) {
        let driver = Driver.synchronised()
        let payloads = (0..<300).map { Server.notify(data: pattern($0), id: Self.id($0)) }
        driver.feed(payloads.flatMap { $0 }, most: most)
        #expect(driver.events == [SessionEvent](repeating: .notify, count: 300))
        #expect(driver.lent == payloads.map { Array($0.dropFirst(8)) })
    }

    /// A notification comes only while its acknowledgement fits, so that the owner may call `next` at any time.
    @Test func notifyWaitsForRoom() {
        let driver = Driver.synchronised()
        driver.sends = false
        while driver.acknowledge(Self.id(1)) {}
        #expect(driver.session.acknowledgementsFree == 0)
        driver.feed(Server.notify())
        #expect(driver.events == [])
        #expect(driver.session.deadline > driver.now)
        driver.send()
        driver.pump()
        #expect(driver.events == [.notify])
        #expect(driver.acknowledge(Self.id(2)))
        // The wait for the socket is bounded all the same.
        driver.feed(Server.notify())
        driver.session.sending(now: driver.now)
        driver.wait(10_000)
        #expect(driver.events == [.notify, .ended(.timeout(.send))])
    }

    /// 2000 pings in a row while nothing leaves: none is lost, the buffer holds the rest back, every one is answered.
    @Test func pingsWithoutRoom() {
        let driver = Driver.synchronised()
        driver.sends = false
        let pings = (0..<2000).flatMap { frame(.ping, bigEndian(Int64($0))) }
        var rest = pings[...]
        var rounds = 0
        while !rest.isEmpty || driver.events.count < 2000, rounds < 100 {
            rounds += 1
            while true {
                let tail = driver.session.receiveTail()
                let count = min(tail.count, rest.count)
                if count == 0 { break }
                rest.prefix(count).withUnsafeBytes { tail.copyMemory(from: $0) }
                rest = rest.dropFirst(count)
                driver.session.received(count, now: driver.now)
                driver.pump()
            }
            driver.pump()
            driver.sendAll()
        }
        driver.sendAll()
        #expect(driver.events == [SessionEvent](repeating: .ping, count: 2000))
        #expect(driver.frames == (0..<2000).map { Client.pong(Int64($0)) })
    }
}
