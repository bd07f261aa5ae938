import SGP
import Testing

/// When the next attempt follows (SGP v2 §9).
@Suite struct LinkTests {
    static let faults: [ProtocolFault] = [
        .frame(.magic(1)), .frame(.version(1)), .frame(.type(1)), .frame(.reserved(1)), .frame(.length(.hello, 5)),
        .frame(.legacyHello(11)), .phase(.hello, .authWait), .legacyHello, .payload(.registerOK), .addressByte(0),
        .clockOffset(.max),
    ]
    static let waits: [Wait] = [.connect, .tlsHandshake, .hello, .challenge, .authentication, .pong, .receive, .send]
    /// Ends after which the gateway backs off, whatever the purpose.
    static let soft: [EndReason] =
        faults.map { .protocolFault($0) } + waits.map { .timeout($0) } + [
            .closed, .network(111), .noNetwork(101), .tls(0), .tls(.max), .pinMismatch, .unresolved, .identity,
            .clientCertificate, .store(.registrations, isFull: false),
        ]
    /// Ends after which the delay is that of the store's own row.
    static let failedWrites: [EndReason] = [
        .store(.burst, isFull: false), .store(.burst, isFull: true), .store(.address, isFull: true),
    ]
    static let planned: [EndReason] = [.registered, .registrationsChanged, .requested, .stopped, .networkChanged]

    /// A link that has started and whose attempt is under way.
    static func connecting(now: Int64 = 1_000) -> Link {
        var link = Link()
        link.start(isConfigured: true, now: now)
        let taken = link.takeAttempt(now: now)
        #expect(taken)
        link.reached(.connecting, now: now)
        return link
    }

    static func connected(now: Int64 = 1_000) -> Link {
        var link = connecting(now: now)
        link.reached(.authenticating, now: now)
        link.reached(.connected, now: now)
        return link
    }

    // MARK: Classes

    /// Every code of S_DISCONNECT: only AUTH_FAIL at a login and VERSION_MISMATCH are hard.
    @Test(arguments: [UInt32(0), 1, 600, .max]) func disconnectCodes(retryAfter: UInt32) {
        for code in UInt8(0)...255 {
            for purpose in [Purpose.login, .register] {
                let reason = EndReason.disconnected(code: code, retryAfter: retryAfter)
                let expected: EndClass =
                    switch (code, purpose) {
                    case (1, .login): .authRefused
                    case (5, _): .versionRefused
                    default: .soft(retryAfter: retryAfter)
                    }
                #expect(reason.classified(during: purpose) == expected)
            }
        }
    }

    @Test(arguments: [Purpose.login, .register]) func otherReasons(purpose: Purpose) {
        for reason in Self.soft { #expect(reason.classified(during: purpose) == .soft(retryAfter: 0)) }
        for reason in Self.failedWrites { #expect(reason.classified(during: purpose) == .soft(retryAfter: 0)) }
        for reason in Self.planned { #expect(reason.classified(during: purpose) == .planned) }
        for code in UInt8(0)...255 {
            #expect(EndReason.registerFailed(code: code).classified(during: purpose) == .soft(retryAfter: 0))
        }
    }

    @Test func codesAreThoseOfTheSpecification() {
        let codes: [(DisconnectReason, UInt8)] = [
            (.normal, 0), (.authFail, 1), (.protocolError, 2), (.serverError, 3), (.replaced, 4), (.versionMismatch, 5),
        ]
        for (reason, code) in codes { #expect(reason.rawValue == code) }
    }

    // MARK: Beginning

    @Test func start() {
        var link = Link()
        #expect(link.state == .starting)
        #expect(link.nextAttempt == nil)
        #expect(!takes(&link, .max))
        link.start(isConfigured: true, now: 500)
        #expect(link.nextAttempt == 500)
        #expect(!takes(&link, 499))
        #expect(takes(&link, 500))
        #expect(link.nextAttempt == nil)
        #expect(!takes(&link, 501))
    }

    @Test func unconfigured() {
        var link = Link()
        link.start(isConfigured: false, now: 0)
        #expect(link.state == .unconfigured)
        link.kick(now: 5)
        link.networkChanged(now: 6)
        link.ended(.closed, during: .login, random: 0, now: 7)
        #expect(link.state == .unconfigured)
        #expect(!takes(&link, .max))
        link.start(isConfigured: true, now: 9)
        #expect(takes(&link, 9))
    }

    // MARK: Soft ends

    @Test func softEndsBackOff() {
        for reason in Self.soft {
            for purpose in [Purpose.login, .register] {
                var link = Self.connecting()
                link.ended(reason, during: purpose, random: 0, now: 50_000)
                #expect(link.failures == 1)
                #expect(link.nextAttempt == 52_000)
                #expect(link.state == (reason == .noNetwork(101) ? .noNetwork : .backingOff))
                #expect(!takes(&link, 51_999))
                #expect(takes(&link, 52_000))
                #expect(link.nextAttempt == nil)
            }
        }
    }

    /// 2, 4, 8 … 600 s and then for ever at 600 s; the failures are counted.
    @Test func failuresInARow() {
        var link = Self.connecting()
        var now: Int64 = 1_000
        for failure in 1...1000 {
            link.ended(.closed, during: .login, random: 5_000, now: now)
            #expect(link.state == .backingOff)
            #expect(link.failures == failure)
            let seconds = failure < 10 ? (Int64(1) << Int64(failure)) + 5 : 600
            #expect(link.nextAttempt == now + seconds * 1_000)
            now = link.nextAttempt ?? now
            #expect(takes(&link, now))
            link.reached(.connecting, now: now)
        }
    }

    @Test func retryAfter() {
        for (seconds, delay) in [(0, 2_000), (1, 2_000), (90, 90_000), (600, 600_000), (100_000, 600_000)]
            as [(
                UInt32, Int64
            )]
        {
            var link = Self.connected()
            link.ended(.disconnected(code: 4, retryAfter: seconds), during: .login, random: 0, now: 2_000)
            #expect(link.nextAttempt == 2_000 + delay)
        }
    }

    /// n counts failures since the last login: reaching anything less does not reset it.
    @Test(
        arguments: [
            LinkState.resolving, .connecting, .registering, .authenticating, .connected,
        ])
    func failuresReset(state: LinkState) {
        var link = Self.connecting()
        for _ in 0..<5 {
            link.ended(.closed, during: .login, random: 0, now: 0)
            #expect(takes(&link, .max))
        }
        link.reached(state, now: 9)
        #expect(link.state == state)
        link.ended(.closed, during: .login, random: 0, now: 10)
        #expect(link.failures == (state == .connected ? 1 : 6))
        #expect(link.nextAttempt == (state == .connected ? 2_010 : 64_010))
    }

    // MARK: The store

    /// 2, 4, 8 … 600 s although each connection logs in, for a login says nothing of a disk; the other failures are not
    /// counted by it.
    @Test(arguments: failedWrites, [0, 5_000] as [Int64]) func storeFailuresInARow(reason: EndReason, random: Int64) {
        var link = Self.connected()
        var now: Int64 = 1_000
        for failure in 1...1000 {
            link.ended(reason, during: .login, random: random, now: now)
            #expect(link.state == .backingOff)
            #expect(link.storeFailures == failure && link.failures == 0)
            let milliseconds = failure < 10 ? (Int64(1_000) << Int64(failure)) + random : 600_000
            #expect(link.nextAttempt == now + milliseconds)
            #expect(!takes(&link, now + milliseconds - 1))
            now += milliseconds
            #expect(takes(&link, now))
            link.reached(.connected, now: now)
        }
    }

    /// A connection of the store's row ends for the n-th time; the delay of the next such end tells whether what is done
    /// between has ended the row.
    @Test(arguments: [1, 2, 5, 9]) func whatEndsTheRow(count: Int) {
        func delay(_ between: (inout Link) -> Void) -> Int64? {
            var link = Self.connected()
            for _ in 0..<count {
                link.ended(.store(.burst, isFull: true), during: .login, random: 0, now: 0)
                #expect(takes(&link, .max))
                link.reached(.connected, now: 0)
            }
            between(&link)
            _ = link.takeAttempt(now: .max)
            link.ended(.store(.burst, isFull: true), during: .login, random: 0, now: 50)
            return link.nextAttempt.map { $0 - 50 }
        }
        let longer: Int64 = min(2_000 << Int64(count), 600_000)
        #expect(delay { _ in } == longer)
        #expect(delay { $0.reached(.connected, now: 1) } == longer)
        // Nor does what ends otherwise, be it planned or a failure.
        for reason in Self.soft + Self.planned {
            let after = delay { $0.ended(reason, during: .login, random: 0, now: 1) }
            #expect(after == longer, "\(reason)")
        }
        #expect(delay { $0.networkChanged(now: 1) } == longer)
        #expect(delay { $0.tryAgain(now: 1) } == longer)
        // A write that succeeds does, and a person.
        #expect(delay { $0.forgetStoreFailures() } == 2_000)
        #expect(delay { $0.kick(now: 1) } == 2_000)
        #expect(delay { $0.start(isConfigured: true, now: 1) } == 2_000)
    }

    /// Each row has its own count: failures of the network in between are short, and the disk's go on.
    @Test func rowsAreApart() {
        var link = Self.connected()
        for round in 1...6 as ClosedRange<Int64> {
            link.ended(.store(.burst, isFull: false), during: .login, random: 0, now: 0)
            #expect(link.nextAttempt == 1_000 << round)
            #expect(takes(&link, .max))
            link.ended(.closed, during: .login, random: 0, now: 0)
            #expect(link.nextAttempt == 2_000)
            #expect(takes(&link, .max))
            link.ended(.closed, during: .login, random: 0, now: 0)
            #expect(link.nextAttempt == 4_000)
            #expect(takes(&link, .max))
            link.reached(.connected, now: 0)
        }
    }

    /// A network change makes the attempt that waits for the disk due at once, and shortens none that follows.
    @Test func networkChangesWhileTheDiskIsFull() {
        var link = Self.connected()
        for round in 1...12 as ClosedRange<Int64> {
            link.ended(.store(.burst, isFull: true), during: .login, random: 0, now: 100)
            let delay: Int64 = min(1_000 << round, 600_000)
            #expect(link.nextAttempt == 100 + delay)
            link.networkChanged(now: 101)
            #expect(takes(&link, 101))
            link.reached(.connected, now: 102)
        }
    }

    // MARK: Planned ends

    @Test func plannedEndsComeBackAtOnce() {
        for reason in Self.planned {
            var link = Self.connected()
            link.ended(reason, during: .login, random: 5_000, now: 2_000)
            #expect(link.failures == 0)
            #expect(link.nextAttempt == 2_000)
            #expect(takes(&link, 2_000))
        }
    }

    /// A server that keeps ending connections in a planned way must not make us spin: after a few, each waits, and
    /// longer each time.
    @Test func plannedEndsDoNotSpin() {
        for reason in Self.planned {
            var link = Self.connecting()
            var now: Int64 = 0
            var attempts = 0
            while now < 3_600_000, attempts < 10_000 {
                link.ended(reason, during: .register, random: 0, now: now)
                now = max(now, link.nextAttempt ?? .max)
                #expect(takes(&link, now))
                attempts += 1
            }
            #expect(attempts > 2)
            #expect(attempts < 30)
        }
    }

    /// A login between them makes each the first again.
    @Test func plannedEndsAfterLogins() {
        var link = Self.connected()
        for round in 0..<100 {
            link.ended(.registrationsChanged, during: .login, random: 0, now: Int64(round))
            #expect(link.nextAttempt == Int64(round))
            #expect(takes(&link, Int64(round)))
            link.reached(.connected, now: Int64(round))
        }
    }

    /// Registration and the login after it count no failure, and a failed login after it counts one.
    @Test func registrationThenLogin() {
        var link = Self.connecting()
        link.reached(.registering, now: 10)
        link.ended(.registered, during: .register, random: 0, now: 20)
        #expect(link.nextAttempt == 20)
        #expect(takes(&link, 20))
        link.ended(.closed, during: .login, random: 0, now: 30)
        #expect(link.failures == 1)
        #expect(link.nextAttempt == 2_030)
    }

    // MARK: Hard ends

    @Test(arguments: [(UInt8(1), LinkState.authRefused), (5, .versionRefused)])
    func hardEnds(code: UInt8, state: LinkState) {
        var link = Self.connecting()
        link.ended(.disconnected(code: code, retryAfter: 10), during: .login, random: 0, now: 100)
        #expect(link.state == state)
        #expect(link.since == 100)
        #expect(link.nextAttempt == nil)
        #expect(!takes(&link, .max))
        // What follows the refusal on the same connection does not undo it, nor does another network (§9).
        link.ended(.closed, during: .login, random: 0, now: 101)
        link.ended(.requested, during: .login, random: 0, now: 102)
        link.networkChanged(now: 103)
        #expect(link.state == state)
        #expect(!takes(&link, .max))
        // A person does.
        link.kick(now: 200)
        #expect(link.failures == 0)
        #expect(takes(&link, 200))
    }

    @Test(arguments: [LinkState.stopping, .configurationFault]) func stop(state: LinkState) {
        for start in [Self.connecting(), Self.connected(), Link()] {
            var link = start
            link.stop(state, now: 5_000)
            link.ended(.requested, during: .login, random: 0, now: 5_001)
            link.networkChanged(now: 5_002)
            #expect(link.state == state)
            #expect(!takes(&link, .max))
        }
        var link = Self.connected()
        link.ended(.closed, during: .login, random: 0, now: 0)
        link.stop(.stopping, now: 1)
        link.kick(now: 2)
        #expect(link.state == .stopping)
        #expect(!takes(&link, .max))
    }

    // MARK: Kicks

    @Test func kick() {
        var link = Self.connecting()
        for _ in 0..<12 {
            link.ended(.closed, during: .login, random: 0, now: 0)
            #expect(takes(&link, .max))
        }
        link.ended(.closed, during: .login, random: 0, now: 0)
        link.kick(now: 77)
        #expect(link.failures == 0)
        #expect(link.nextAttempt == 77)
        #expect(takes(&link, 77))
        link.ended(.closed, during: .login, random: 0, now: 80)
        #expect(link.nextAttempt == 2_080)
    }

    /// Another network makes a waiting attempt due at once; a connection that lives is left alone.
    @Test func networkChanged() {
        var link = Self.connecting()
        for _ in 0..<12 {
            link.ended(.unresolved, during: .login, random: 0, now: 0)
            #expect(takes(&link, .max))
        }
        link.ended(.unresolved, during: .login, random: 0, now: 0)
        link.networkChanged(now: 77)
        #expect(link.failures == 0)
        #expect(takes(&link, 77))
        // The attempt under way was made over the old network: if it fails, the delay is the first again.
        link.reached(.connecting, now: 78)
        link.networkChanged(now: 79)
        #expect(link.state == .connecting)
        #expect(!takes(&link, .max))
        link.reached(.connected, now: 80)
        link.networkChanged(now: 81)
        #expect(link.state == .connected)
        #expect(!takes(&link, .max))
    }

    /// One end for each attempt: what is said of it again, while the next one waits, changes nothing.
    @Test func endsOnce() {
        var link = Self.connected()
        link.ended(.disconnected(code: 3, retryAfter: 30), during: .login, random: 0, now: 1_000)
        link.ended(.closed, during: .login, random: 0, now: 1_001)
        link.ended(.requested, during: .login, random: 0, now: 1_002)
        #expect(link.failures == 1)
        #expect(link.nextAttempt == 31_000)
    }

    /// Whatever happens, an attempt follows or the state says that none will.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func neverForgotten(seed: UInt64) {
        var random = Seeded(seed)
        var link = Link()
        link.start(isConfigured: true, now: 0)
        var now: Int64 = 0
        let reasons =
            Self.soft + Self.planned + Self.failedWrites
            + (0..<8).map { .disconnected(code: UInt8($0), retryAfter: UInt32($0 * 100)) } as [EndReason]
        for _ in 0..<500 {
            now += Int64(random.below(5_000))
            switch random.below(6) {
            case 0: link.kick(now: now)
            case 1: link.networkChanged(now: now)
            default:
                if let due = link.nextAttempt {
                    #expect(due <= now + 600_000)
                    now = max(now, due)
                }
                if link.takeAttempt(now: now) {
                    if random.below(2) == 0 { link.reached(.connecting, now: now) }
                    if random.below(3) == 0 { link.reached(.connected, now: now) }
                    let purpose = random.below(2) == 0 ? Purpose.login : .register
                    link.ended(
                        reasons[random.below(reasons.count)], during: purpose, random: Int64(random.below(5_001)),
                        now: now)
                }
            }
            let isRefused = link.state == .authRefused || link.state == .versionRefused
            #expect((link.nextAttempt == nil) == isRefused)
        }
    }

    @Test func names() {
        let names: [(LinkState, String)] = [
            (.starting, "starting"), (.unconfigured, "unconfigured"), (.resolving, "resolving"),
            (.connecting, "connecting"), (.registering, "registering"), (.authenticating, "authenticating"),
            (.connected, "connected"), (.backingOff, "backing-off"), (.noNetwork, "no-network"),
            (.authRefused, "error-auth"), (.versionRefused, "error-version"), (.configurationFault, "error-config"),
            (.stopping, "stopping"),
        ]
        for (state, name) in names { #expect(state.name == name) }
    }

    @Test func since() {
        var link = Self.connected(now: 1_000)
        #expect(link.since == 1_000)
        link.reached(.connected, now: 5_000)
        #expect(link.since == 1_000)
        link.ended(.closed, during: .login, random: 0, now: 6_000)
        #expect(link.since == 6_000)
    }
}

/// For #expect, which takes no mutating call.
private func takes(_ link: inout Link, _ now: Int64) -> Bool { link.takeAttempt(now: now) }
