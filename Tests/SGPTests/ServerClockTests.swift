import Bytes
import Testing

@testable import SGP

/// A board that runs for 100 s, whose system clock shows this time.
private func clock(_ time: Int64) -> ServerClock { ServerClock(boot: 100_000, wall: time * 1_000) }

extension ServerClock {
    fileprivate mutating func logIn() {
        loginSent()
        loginAccepted()
    }
}

/// 2026-11-30, 2014-01-01, 2040-01-01, and one second around the end of 32 bits.
private let now: Int64 = 1_796_000_000
private let year2014: Int64 = 1_388_534_400
private let year2040: Int64 = 2_208_988_800
private let end32: Int64 = 2_147_483_647

@Suite struct ServerClockTests {
    // MARK: The time in force

    @Test(arguments: [-1, 0, 1, year2014, now, end32 - 1, end32, end32 + 1, year2040] as [Int64])
    func followsTheSystem(time: Int64) {
        let clock = clock(time)
        #expect(clock.time(boot: 100_000) == time)
        #expect(clock.time(boot: 100_999) == time)
        #expect(clock.time(boot: 101_000) == time + 1)
        #expect(clock.offset == 0)
        #expect(clock.local(boot: 100_000) == (time, 0))
        #expect(clock.trust(boot: 100_000) == (time < 1_704_067_200 ? .neverSet : .unconfirmed))
    }

    @Test(arguments: [-172_800, -1, 0, 1, 300, 172_800] as [Int64]) func timeSync(offset: Int64) {
        for time in [now, end32 - 1, end32, year2040] {
            var clock = clock(time)
            clock.synchronised(offset: offset, boot: 100_000)
            #expect(clock.time(boot: 100_000) == time + offset)
            #expect(clock.time(boot: 3_700_000) == time + offset + 3_600)
            #expect(clock.offset == offset)
            #expect(clock.local(boot: 100_000) == (time, offset))
            #expect(clock.trust(boot: 100_000) == .server)
        }
    }

    @Test func timeSyncReplacesTheOneBefore() {
        var clock = clock(now)
        clock.synchronised(offset: 1_000, boot: 100_000)
        clock.synchronised(offset: 900, boot: 100_000)
        #expect(clock.offset == 900 && clock.time(boot: 100_000) == now + 900)
    }

    // MARK: Steps of the system's clock

    /// The server's word is kept against the clock that nobody can set.
    @Test(arguments: [-now, -3_600, 2, 3_600, year2040 - now] as [Int64]) func stepAfterTimeSync(step: Int64) {
        var clock = clock(now)
        clock.synchronised(offset: 1_000, boot: 100_000)
        let wasSet = clock.observe(boot: 110_000, wall: (now + 10 + step) * 1_000)
        #expect(wasSet)
        #expect(clock.time(boot: 110_000) == now + 1_010)
        #expect(clock.offset == 1_000 - step)
        #expect(clock.trust(boot: 110_000) == .server)
    }

    @Test func smallChangesAreNoSteps() {
        var clock = clock(now)
        for milliseconds in [1_999, 1_000, -1_999, 0] as [Int64] {
            let wasSet = clock.observe(boot: 100_000, wall: now * 1_000 + milliseconds)
            #expect(!wasSet)
        }
        // Many of them are.
        _ = clock.observe(boot: 100_000, wall: now * 1_000 + 1_999)
        let wasSet = clock.observe(boot: 100_000, wall: now * 1_000 + 2_000)
        #expect(wasSet)
        let again = clock.observe(boot: 100_000, wall: now * 1_000 + 2_001)
        #expect(!again)
        #expect(clock.time(boot: 100_000) == now + 2)
    }

    @Test func suspendIsNoStep() {
        var clock = clock(now)
        let wasSet = clock.observe(boot: 100_000 + 86_400_000, wall: (now + 86_400) * 1_000)
        #expect(!wasSet)
    }

    /// What the server accepted confirms the system's clock, as far as it stays where it was.
    @Test func aStepAfterAnAcceptedLogin() {
        var clock = clock(now)
        clock.logIn()
        #expect(clock.trust(boot: 100_000) == .login)
        clock.observe(boot: 100_000, wall: (now + 300) * 1_000)
        #expect(clock.trust(boot: 100_000) == .login)
        clock.observe(boot: 100_000, wall: (now + 301) * 1_000)
        #expect(clock.trust(boot: 100_000) == .moved)
        #expect(!clock.trust(boot: 100_000).isTrusted)
        #expect(clock.time(boot: 100_000) == now + 301)
        clock.isServed = true
        #expect(clock.trust(boot: 100_000) == .service)
        clock.isServed = false
        clock.observe(boot: 100_000, wall: now * 1_000)
        #expect(clock.trust(boot: 100_000) == .login)
    }

    /// A clock that was never set is wrong for certain, whoever set it so.
    @Test(arguments: [0, year2014] as [Int64]) func aStepIntoThePast(time: Int64) throws {
        var clock = clock(now)
        clock.logIn()
        clock.observe(boot: 110_000, wall: time * 1_000)
        #expect(clock.trust(boot: 110_000) == .login && clock.time(boot: 110_000) == now + 10)
        let saved = try #require(clock.saved(boot: 110_000))
        var next = ServerClock(boot: 120_000, wall: time * 1_000)
        next.restore(saved, isSameBoot: true, boot: 120_000)
        #expect(next.trust(boot: 120_000) == .login && next.time(boot: 120_000) == now + 20)
        clock.observe(boot: 120_000, wall: (now + 21) * 1_000)
        #expect(clock.trust(boot: 120_000) == .login && clock.offset == 0)
    }

    // MARK: Refusals

    @Test func nothingElseToTry() {
        var clock = clock(now)
        clock.loginSent()
        let again = clock.loginRefused(boot: 100_000)
        #expect(!again)
        #expect(!clock.mayTryAgain)
        clock.observe(boot: 100_000, wall: (now + 59) * 1_000)
        #expect(!clock.mayTryAgain)
        clock.observe(boot: 100_000, wall: (now + 60) * 1_000)
        #expect(clock.mayTryAgain)
        clock.triesAgain()
        #expect(!clock.mayTryAgain)
    }

    /// The gateway of a board at 1970 is refused, waits, and tries again once somebody has set the clock.
    @Test(arguments: [0, 60, year2014, year2040] as [Int64]) func refusedUntilSet(wrong: Int64) {
        var clock = clock(wrong)
        clock.loginSent()
        let again = clock.loginRefused(boot: 100_000)
        #expect(!again && !clock.mayTryAgain && !clock.trust(boot: 100_000).isTrusted)
        let wasSet = clock.observe(boot: 200_000, wall: now * 1_000)
        #expect(wasSet && clock.mayTryAgain)
        #expect(clock.time(boot: 200_000) == now)
        clock.logIn()
        #expect(!clock.mayTryAgain && clock.trust(boot: 200_000) == .login)
    }

    /// The server's clock was wrong and has been mended: the board's own is tried once.
    @Test func theServersTimeIsRefused() {
        var clock = clock(now)
        clock.synchronised(offset: 1_000, boot: 100_000)
        clock.loginSent()
        var again = clock.loginRefused(boot: 100_000)
        #expect(again)
        #expect(clock.time(boot: 100_000) == now && clock.offset == 0)
        #expect(clock.trust(boot: 100_000) == .moved)
        clock.loginSent()
        again = clock.loginRefused(boot: 100_000)
        #expect(!again, "once")
        #expect(clock.time(boot: 100_000) == now + 1_000, "as it was")
        clock.loginSent()
        again = clock.loginRefused(boot: 100_000)
        #expect(again, "a new attempt, a new choice")
        clock.logIn()
        #expect(clock.time(boot: 100_000) == now && clock.trust(boot: 100_000) == .login)
    }

    /// `date -s` by mistake while connected: the next login is refused, and the time accepted before is tried.
    @Test func theSystemsTimeIsRefused() {
        var clock = clock(now)
        clock.logIn()
        clock.observe(boot: 110_000, wall: year2040 * 1_000)
        clock.loginSent()
        let again = clock.loginRefused(boot: 110_000)
        #expect(again)
        #expect(clock.time(boot: 110_000) == now + 10)
        #expect(clock.trust(boot: 110_000) == .unconfirmed, "not before it is accepted")
        #expect(clock.local(boot: 110_000) == (now + 10, 0), "what a time sync is compared with")
        clock.logIn()
        #expect(clock.trust(boot: 110_000) == .login)
        #expect(clock.offset == now + 10 - year2040)
        // Somebody puts it right: the system's is in force again.
        clock.observe(boot: 120_000, wall: (now + 21) * 1_000)
        #expect(clock.offset == 0 && clock.time(boot: 120_000) == now + 21)
        #expect(clock.trust(boot: 120_000) == .login)
    }

    @Test func aRefusalWithoutALoginIsNotTheClocks() {
        var clock = clock(now)
        clock.synchronised(offset: 1_000, boot: 100_000)
        let again = clock.loginRefused(boot: 100_000)
        #expect(!again && clock.offset == 1_000)
    }

    @Test func aTimeThatIsNearIsNotTried() {
        var clock = clock(now)
        clock.synchronised(offset: 300, boot: 100_000)
        clock.loginSent()
        let again = clock.loginRefused(boot: 100_000)
        #expect(!again)
    }

    @Test func aClockThatWasNeverSetIsNotTried() {
        var clock = clock(0)
        clock.synchronised(offset: 172_800, boot: 100_000)
        clock.loginSent()
        let again = clock.loginRefused(boot: 100_000)
        #expect(!again)
    }

    // MARK: Contradiction

    @Test func contradicted() {
        var clock = clock(now)
        clock.logIn()
        clock.contradicted(by: 172_801)
        #expect(clock.trust(boot: 100_000) == .contradicted && clock.offset == 0)
        clock.logIn()
        #expect(clock.trust(boot: 100_000) == .contradicted, "a server that accepts anything proves nothing")
        clock.synchronised(offset: 1, boot: 100_000)
        #expect(clock.trust(boot: 100_000) == .server)
        clock.contradicted(by: 172_801)
        clock.observe(boot: 100_000, wall: (now + 2) * 1_000)
        #expect(clock.trust(boot: 100_000) == .server)
    }

    // MARK: Restarts

    @Test func theSameBoot() throws {
        var clock = clock(now)
        #expect(clock.saved(boot: 100_000) == nil)
        clock.synchronised(offset: -1_000, boot: 100_000)
        let saved = try #require(clock.saved(boot: 100_000))
        // Even if the system's clock was set meanwhile.
        var next = ServerClock(boot: 200_000, wall: year2040 * 1_000)
        next.restore(saved, isSameBoot: true, boot: 200_000)
        #expect(next.time(boot: 200_000) == now - 1_000 + 100)
        #expect(next.trust(boot: 200_000) == .server)
    }

    @Test func theSameBootAfterALogin() throws {
        var clock = clock(now)
        clock.logIn()
        let saved = try #require(clock.saved(boot: 100_000))
        var same = ServerClock(boot: 200_000, wall: (now + 100) * 1_000)
        same.restore(saved, isSameBoot: true, boot: 200_000)
        #expect(same.offset == 0 && same.trust(boot: 200_000) == .login)
        var moved = ServerClock(boot: 200_000, wall: year2040 * 1_000)
        moved.restore(saved, isSameBoot: true, boot: 200_000)
        #expect(moved.trust(boot: 200_000) == .moved)
        moved.loginSent()
        let again = moved.loginRefused(boot: 200_000)
        #expect(again && moved.time(boot: 200_000) == now + 100)
    }

    /// A clock that is always wrong by as much: not believed before the server has refused the system's.
    @Test func anotherBoot() throws {
        var clock = clock(now)
        clock.synchronised(offset: 7_200, boot: 100_000)
        let saved = try #require(clock.saved(boot: 100_000))
        var next = ServerClock(boot: 5_000, wall: (now + 1_000) * 1_000)
        next.restore(saved, isSameBoot: false, boot: 5_000)
        #expect(next.offset == 0 && next.time(boot: 5_000) == now + 1_000)
        #expect(next.trust(boot: 5_000) == .unconfirmed)
        next.loginSent()
        let again = next.loginRefused(boot: 5_000)
        #expect(again && next.time(boot: 5_000) == now + 8_200)
        next.logIn()
        #expect(next.trust(boot: 5_000) == .login && next.offset == 7_200)
    }

    /// Without a clock of its own a board comes up at 1970, or wherever its kernel was made.
    @Test(arguments: [0, year2014] as [Int64]) func anotherBootWithoutAClock(start: Int64) throws {
        var clock = clock(now)
        clock.logIn()
        let saved = try #require(clock.saved(boot: 100_000))
        var next = ServerClock(boot: 5_000, wall: (start + 5) * 1_000)
        next.restore(saved, isSameBoot: false, boot: 5_000)
        #expect(next.time(boot: 5_000) == now + 5, "the least that it can be")
        #expect(next.trust(boot: 5_000) == .estimated && !next.trust(boot: 5_000).isTrusted)
        #expect(next.local(boot: 5_000) == (now + 5, 0))
        #expect(next.saved(boot: 5_000) == nil, "an estimate is not handed on")
        var accepted = next
        accepted.logIn()
        #expect(accepted.trust(boot: 5_000) == .login && accepted.time(boot: 5_000) == now + 5)
        next.observe(boot: 10_000, wall: (now + 90) * 1_000)
        #expect(next.time(boot: 10_000) == now + 90 && next.trust(boot: 10_000) == .unconfirmed)
    }

    @Test func whatIsWorthAWrite() throws {
        var clock = clock(now)
        clock.logIn()
        let first = try #require(clock.saved(boot: 100_000))
        #expect(first.differs(from: nil))
        #expect(!first.differs(from: first))
        clock.observe(boot: 5_000_000, wall: (now + 4_900) * 1_000 + 1_999)
        clock.logIn()
        var next = try #require(clock.saved(boot: 5_000_000))
        #expect(!next.differs(from: first), "time goes on, and a little more")
        clock.observe(boot: 5_000_000, wall: (now + 4_902) * 1_000)
        clock.logIn()
        next = try #require(clock.saved(boot: 5_000_000))
        #expect(next.differs(from: first))
        clock.synchronised(offset: 0, boot: 5_000_000)
        #expect(try #require(clock.saved(boot: 5_000_000)).differs(from: next), "of another kind")
    }

    // MARK: Anything

    /// No times make it trap, whatever follows what.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64]) func anyOrderOfAnything(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, now * 1_000, year2040 * 1_000, .max - 1, .max]
        func any() -> Int64 { extremes[Int(random(9))] }
        var clock = ServerClock(boot: any(), wall: any())
        for _ in 0..<5_000 {
            let boot = any()
            switch random(9) {
            case 0: clock.observe(boot: boot, wall: any())
            case 1: clock.loginSent()
            case 2: clock.loginAccepted()
            case 3: _ = clock.loginRefused(boot: boot)
            case 4: clock.synchronised(offset: Int64(random(345_601)) - 172_800, boot: boot)
            case 5: clock.contradicted(by: any())
            case 6: clock.isServed.toggle()
            case 7:
                if let saved = clock.saved(boot: boot) { clock.restore(saved, isSameBoot: random(2) == 0, boot: boot) }
            default: clock = ServerClock(boot: boot, wall: any())
            }
            let local = clock.local(boot: boot)
            #expect(local.offset.magnitude <= 172_800)
            _ = clock.time(boot: boot)
            _ = clock.trust(boot: boot)
        }
    }
}
