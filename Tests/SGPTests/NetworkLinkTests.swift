import SGP
import Testing

/// Name servers that fail, and changes of the network.
@Suite struct NetworkLinkTests {
    /// Five times two seconds, then 4, 8 … 60; up to one second more.
    @Test(
        arguments: [
            (1, 2_000), (2, 2_000), (5, 2_000), (6, 4_000), (7, 8_000), (8, 16_000), (9, 32_000), (10, 60_000),
            (11, 60_000), (1_000_000, 60_000), (.max, 60_000), (0, 2_000), (.min, 2_000),
        ] as [(Int, Int64)])
    func delays(failures: Int, least: Int64) {
        #expect(Backoff.resolving(failures: failures, random: 0) == least)
        #expect(Backoff.resolving(failures: failures, random: Backoff.jitter) == least + 1_000)
        #expect(Backoff.resolving(failures: failures, random: .max) == least + 1_000)
        #expect(Backoff.resolving(failures: failures, random: .min) == least)
    }

    /// Five failures and an answer: within 20 s, whatever chance says.
    @Test func fiveFailures() {
        let waits = (1...5).map { Backoff.resolving(failures: $0, random: Backoff.jitter) }
        #expect(waits.reduce(0, +) <= 15_000)
    }

    @Test func aCountOfItsOwn() {
        var link = LinkTests.connecting()
        link.ended(.resolverFailed(11), during: .login, random: 0, now: 1_000)
        #expect(link.state == .resolving && link.nameFailures == 1 && link.failures == 0)
        #expect(link.nextAttempt == 3_000)
        // Another kind of failure begins with the shortest delay of its own.
        let taken = link.takeAttempt(now: 3_000)
        #expect(taken)
        link.ended(.network(111), during: .login, random: 0, now: 3_000)
        #expect(link.state == .backingOff && link.failures == 1 && link.nameFailures == 0)
        #expect(link.nextAttempt == 5_000)
    }

    @Test func noNetwork() {
        var link = LinkTests.connecting()
        link.ended(.noNetwork(101), during: .login, random: 0, now: 1_000)
        #expect(link.state == .noNetwork && link.nextAttempt == 3_000 && link.failures == 1)
    }

    /// The light shows one thing as long as nothing changes, whatever is tried in between.
    @Test func noNetworkStaysOneState() {
        var link = LinkTests.connecting()
        link.ended(.resolverFailed(11), during: .login, random: 0, isCutOff: true, now: 2_000)
        #expect(link.state == .noNetwork && link.nameFailures == 1 && link.nextAttempt == 4_000)
        for (now, reason) in [(4_000, .resolverFailed(11)), (6_000, .timeout(.connect))] as [(Int64, EndReason)] {
            let taken = link.takeAttempt(now: now)
            #expect(taken)
            link.reached(.resolving, now: now)
            link.reached(.connecting, now: now + 1)
            #expect(link.state == .noNetwork)
            link.ended(reason, during: .login, random: 0, isCutOff: true, now: now)
            #expect(link.state == .noNetwork && link.since == 2_000)
        }
        #expect(link.failures == 1)
        // A change that brings no network is none.
        link.networkChanged(hasNetwork: false, now: 7_000)
        #expect(link.state == .noNetwork && link.since == 2_000 && link.nextAttempt == 7_000)
        link.networkChanged(now: 8_000)
        #expect(link.state == .connecting && !link.isCutOff)
    }

    /// Whoever is connected has a network, and so has whoever the server refuses.
    @Test func noLongerCutOff() {
        var link = LinkTests.connecting()
        link.ended(.noNetwork(101), during: .login, random: 0, now: 1_000)
        _ = link.takeAttempt(now: .max)
        link.reached(.connecting, now: 4_000)
        #expect(link.state == .noNetwork)
        link.reached(.authenticating, now: 5_000)
        #expect(link.state == .authenticating)
        link.reached(.connected, now: 5_001)
        link.ended(.closed, during: .login, random: 0, now: 6_000)
        #expect(link.state == .backingOff)
        _ = link.takeAttempt(now: .max)
        link.ended(.noNetwork(101), during: .login, random: 0, now: 7_000)
        _ = link.takeAttempt(now: .max)
        link.ended(.network(111), during: .login, random: 0, isCutOff: false, now: 8_000)
        #expect(link.state == .backingOff)
        _ = link.takeAttempt(now: .max)
        link.ended(.noNetwork(101), during: .login, random: 0, now: 9_000)
        link.kick(now: 9_500)
        #expect(link.state == .connecting, "a person asked")
    }

    /// What waits is due at once and the count begins anew.
    @Test func aChange() {
        var link = LinkTests.connecting()
        for _ in 0..<5 {
            link.ended(.network(110), during: .login, random: 0, now: 1_000)
            _ = link.takeAttempt(now: .max)
        }
        link.ended(.network(110), during: .login, random: 0, now: 1_000)
        #expect(link.failures == 6 && link.nextAttempt == 65_000)
        link.networkChanged(now: 2_000)
        #expect(link.failures == 0 && link.nextAttempt == 2_000)
    }

    /// A connection stays one; an attempt under way is not doubled.
    @Test func aChangeWhileConnected() {
        var link = LinkTests.connected()
        link.networkChanged(now: 2_000)
        #expect(link.state == .connected && link.nextAttempt == nil)
        link = LinkTests.connecting()
        link.networkChanged(now: 2_000)
        #expect(link.state == .connecting && link.nextAttempt == nil)
    }

    /// What only a person can mend is not mended by a cable.
    @Test(arguments: [UInt8(1), 5]) func aChangeAfterARefusal(code: UInt8) {
        var link = LinkTests.connecting()
        link.ended(.disconnected(code: code, retryAfter: 0), during: .login, random: 0, now: 1_000)
        let state = link.state
        link.networkChanged(now: 2_000)
        #expect(link.state == state && link.nextAttempt == nil && (state == .authRefused || state == .versionRefused))
    }
}
