import Bytes
import CBoard
import Foundation
import Loop
import SGP
import Sealing
import Store
import Testing

@testable import Gateway
@testable import Testbed

extension StateTests {
    /// Where the server was found, kept (SGP v2 §1). The host "localhost" is known without asking; of any other, the
    /// only name server of these tests, which is not there, says nothing.
    @Suite struct NamesTests {
        private static let host = "push.sgn.example"
        private static let v4: [UInt8] = [4, 127, 0, 0, 1]

        private func write(
            _ rig: UplinkRig, name: String = host, host: String = host, port: UInt16 = 1, addresses: [UInt8] = v4,
            pin: [UInt8]? = nil, at time: Int64? = nil
        ) throws {
            let (name, host) = (Array(name.utf8), Array(host.utf8))
            let pin = pin ?? Cryptography.sha256(rig.server.certificate.der)
            try rig.store.setNames(
                name.span.bytes, host: host.span.bytes, port: port, addresses: addresses.span.bytes,
                pin: pin.span.bytes, at: time ?? SystemClock().unixTime)
        }

        /// What is kept under a name: addresses, port and time.
        private func kept(_ rig: UplinkRig, _ name: String = host) throws -> (
            addresses: [UInt8], port: Int64, time: Int64
        )? {
            var found: (addresses: [UInt8], port: Int64, time: Int64)?
            let name = Array(name.utf8)
            _ = try rig.store.names(name.span.bytes) { row in
                found = ((0..<row.addresses.byteCount).map { row.addresses[$0] }, row.port, row.fetched)
            }
            return found
        }

        // MARK: Used

        @Test func keptOnceFound() throws {
            let rig = try UplinkRig(host: "localhost")
            try rig.runUntilConnected()
            let row = try #require(try kept(rig, "localhost"))
            #expect(row.port == Int64(rig.server.port) && abs(row.time - SystemClock().unixTime) < 60)
            let whole = row.addresses.count
            #expect(whole == 5 || whole == 22, "127.0.0.1, and ::1 where the board has it")
            #expect(rig.uplink.network == .unknown, "without a monitor nothing is known")
        }

        /// A name server that is away keeps no board from coming back, however old the row is.
        @Test(arguments: [0, 10, 3_590, 3_600, 1_000_000, -10, .max] as [Int64]) func ages(age: Int64) throws {
            let rig = try UplinkRig(host: Self.host)
            let now = SystemClock().unixTime
            try write(rig, at: age == .max ? 0 : now - age)
            rig.start()
            try rig.turn(atMost: 0)
            #expect(rig.uplink.place.isStale(now: rig.now) == !(0..<3_600).contains(age))
            #expect((rig.uplink.question == .refresh) == !(0..<3_600).contains(age), "asked behind the connection")
            try rig.run(hurry: false) { rig.state == .connected }
            #expect(rig.uplink.place.port == rig.server.port, "a configured port is what is configured now")
            #expect(rig.count("Could not contact DNS servers") <= 3)
        }

        /// What has not changed is not written again.
        @Test func nothingIsWritten() throws {
            let rig = try UplinkRig(host: "localhost")
            try rig.runUntilConnected()
            let before = try #require(try kept(rig, "localhost"))
            for _ in 0..<3 {
                let mark = rig.server.events.mark
                rig.uplink.reconnect(now: rig.now)
                try rig.run { rig.state == .connected && !rig.server.events.of(.polled, after: mark).isEmpty }
                try rig.run { rig.uplink.question == .none }
            }
            let after = try #require(try kept(rig, "localhost"))
            #expect(before == after)
        }

        /// After a failed connection it is asked for, and what is found then is used.
        @Test func askedAfterAFailure() throws {
            let rig = try UplinkRig(host: "localhost")
            // Nobody listens there.
            try write(rig, name: "localhost", host: "localhost", addresses: [4, 127, 0, 0, 9])
            rig.start()
            try rig.run(hurry: false) { rig.state == .backingOff }
            #expect(rig.uplink.lastEnd == .network(ECONNREFUSED))
            try rig.run { rig.state == .connected }
            #expect(try kept(rig, "localhost")?.addresses != [4, 127, 0, 0, 9])
        }

        // MARK: Forgotten

        @Test func anotherCertificateIsShown() throws {
            var faults = Faults()
            faults.wrongCertificate = true
            let rig = try UplinkRig(faults, host: Self.host)
            try write(rig)
            rig.start()
            try rig.run(hurry: false) { rig.state == .backingOff }
            #expect(rig.uplink.lastEnd == .pinMismatch && rig.uplink.place.isEmpty)
            #expect(try kept(rig) == nil)
            #expect(hex(rig.uplink.seenFingerprint) == (try rig.server.wrongCertificate.fingerprint))
            // It goes on trying, and the server is at the old place after all.
            rig.server.faults.wrongCertificate = false
            try write(rig)
            rig.uplink.place.isLoaded = false
            try rig.run { rig.state == .connected }
            #expect(rig.uplink.seenFingerprint.isEmpty)
        }

        /// That one of several addresses is another server's counts more than that the others are away.
        @Test func anotherCertificateAmongOthers() throws {
            var faults = Faults()
            faults.wrongCertificate = true
            let rig = try UplinkRig(faults, host: Self.host)
            try write(rig, addresses: Self.v4 + [4, 127, 0, 0, 9])
            rig.start()
            try rig.run(hurry: false) { rig.state == .backingOff }
            #expect(rig.uplink.lastEnd == .pinMismatch)
            #expect(try kept(rig) == nil)
        }

        /// Found while another certificate was pinned.
        @Test func anotherCertificateIsPinned() throws {
            let rig = try UplinkRig(host: Self.host)
            for pin in [[], [1], [UInt8](repeating: 0, count: 32)] as [[UInt8]] {
                try write(rig, pin: pin)
                rig.uplink.place = ServerPlace()
                rig.uplink.reconnect(now: rig.now)
                rig.start()
                try rig.turn(atMost: 0)
                #expect(rig.uplink.place.isEmpty && rig.state == .resolving)
            }
        }

        /// Whatever is in the row, it is used as far as it makes sense and is never trusted with more.
        @Test(
            arguments: [
                ("port = 0", true), ("port = -1", true), ("port = 65536", true), ("port = 9223372036854775807", true),
                ("addresses = x''", true), ("addresses = x'04'", true), ("addresses = x'047f0000'", true),
                ("addresses = x'057f00000101'", true), ("addresses = x'00'", true), ("addresses = x'ff'", true),
                ("addresses = zeroblob(100000)", true), ("host = ''", true), ("host = 'other.sgn.example'", true),
                ("host = printf('%.300c', 'x')", true), ("addresses = x'047f00000104'", false),
                ("addresses = x'047f000001ff00'", false), ("fetched = -9223372036854775808", false),
                ("fetched = 9223372036854775807", false),
            ] as [(String, Bool)]) func damagedRows(change: String, isUseless: Bool) throws
        {
            let rig = try UplinkRig(host: Self.host)
            try write(rig)
            try rig.directory.execute("UPDATE names SET \(change)")
            rig.start()
            if isUseless {
                try rig.run(hurry: false) { rig.uplink.link.nameFailures == 1 }
                #expect(rig.state == .resolving)
            } else {
                try rig.run(hurry: false) { rig.state == .connected }
            }
        }

        /// A table that cannot be read is told, and the names are asked for.
        @Test func noTable() throws {
            let rig = try UplinkRig(host: "localhost")
            try rig.directory.execute("DROP TABLE names")
            try rig.runUntilConnected()
            #expect(rig.count("skyglow.db") >= 1)
        }

        // MARK: Name servers that fail

        /// A state of its own, with a short delay of its own, that does not lengthen the other one.
        @Test func aStateOfItsOwn() throws {
            let rig = try UplinkRig(host: Self.host)
            rig.start()
            for failures in 1...7 {
                try rig.run { rig.uplink.link.nameFailures == failures }
                #expect(rig.state == .resolving && rig.uplink.link.failures == 0 && rig.uplink.failures == failures)
                let wait = (rig.uplink.link.nextAttempt ?? .max) - rig.now
                #expect(wait > 1_800 && wait <= (failures > 5 ? 2_000 << Int64(failures - 5) : 2_000) + 1_000)
            }
            #expect(rig.uplink.deadline(now: rig.now) <= rig.now + Limits.resolverWatch)
        }

        /// A change of the network forgets the failures and tries at once.
        @Test func theNetworkChanges() throws {
            let rig = try UplinkRig(host: Self.host)
            rig.start()
            try rig.run { rig.uplink.link.nameFailures == 6 }
            try write(rig)
            rig.uplink.place.isLoaded = false
            rig.uplink.networkChanged(now: rig.now)
            #expect(rig.uplink.failures == 0 && rig.uplink.link.nextAttempt == rig.now || rig.state == .connecting)
            try rig.run(hurry: false) { rig.state == .connected }
        }

        /// A reload that finds no certificate forgets where the server was. The attempt that waits for an answer ends all
        /// the same, and another follows.
        @Test func forgottenWhileAsking() throws {
            let rig = try UplinkRig(host: Self.host)
            rig.start()
            try rig.run(hurry: false) { rig.uplink.question == .attempt }
            rig.uplink.forgetPlace()
            try rig.run { rig.uplink.link.nameFailures == 2 }
            #expect(rig.state == .resolving)
        }

        /// The same while an address is tried and others may come.
        @Test func forgottenWhileDialling() throws {
            let rig = try UplinkRig(host: Self.host)
            rig.uplink.start(now: rig.now)
            _ = rig.uplink.exchange.link.takeAttempt(now: rig.now)
            let silent = try #require(SocketAddress(literal: "127.0.0.1", port: 9))
            rig.uplink.place.isLoaded = true
            rig.uplink.place.addresses.append(silent)
            rig.uplink.beginDialling(isOpen: true, now: rig.now)
            rig.uplink.forgetPlace()
            try rig.run { rig.uplink.link.nextAttempt != nil }
            #expect(rig.uplink.link.failures == 1)
        }

        /// Where something keeps changing, an attempt is given up once; the next one is given more time.
        @Test func changesWithoutEnd() throws {
            let rig = try UplinkRig(host: Self.host)
            rig.start()
            try rig.run(hurry: false) { rig.uplink.question == .attempt }
            rig.putForward(to: rig.now + Limits.attemptAge)
            rig.uplink.networkChanged(now: rig.now)
            #expect(rig.uplink.lastEnd == .networkChanged)
            try rig.run(hurry: false) { rig.uplink.question == .attempt }
            let since = rig.uplink.attemptSince
            for _ in 0..<3 {
                rig.putForward(to: rig.now + Limits.attemptAge)
                rig.uplink.networkChanged(now: rig.now)
                #expect(rig.uplink.question == .attempt && rig.uplink.attemptSince == since)
            }
            #expect(
                rig.uplink.exchange.probeDue > since + Limits.connect
                    && rig.uplink.exchange.probeDue <= rig.now + Limits.connect)
            rig.putForward(to: rig.uplink.exchange.probeDue)
            try rig.turn(atMost: 0)
            #expect(rig.uplink.lastEnd == .networkChanged && rig.uplink.failures == 0)
        }

        /// An attempt that has just begun when the network changes is given five seconds; that nobody answers it is no
        /// failure, and the next one follows at once.
        @Test func aChangeDuringAYoungAttempt() throws {
            let rig = try UplinkRig()
            let hole = try BlackHole()
            rig.uplink.place.isLoaded = true
            rig.uplink.place.isFixed = true
            rig.uplink.place.addresses.append(try #require(SocketAddress(literal: "127.0.0.1", port: hole.port)))
            rig.start()
            try rig.run { rig.uplink.dialer.isActive }
            let changed = rig.now
            rig.uplink.networkChanged(now: changed)
            #expect(rig.uplink.dialer.isActive && rig.uplink.exchange.probeDue == changed + Limits.probe)
            rig.uplink.networkChanged(now: changed + 1_000)
            #expect(rig.uplink.exchange.probeDue == changed + Limits.probe, "a second change does not put it off")
            rig.putForward(to: changed + Limits.probe)
            try rig.turn(atMost: 0)
            #expect(rig.uplink.lastEnd == .networkChanged && rig.uplink.failures == 0)
            #expect((rig.uplink.link.nextAttempt ?? 0) <= rig.now)
            // Without another change the next one is an attempt like any other.
            try rig.run { rig.uplink.dialer.isActive }
            #expect(rig.uplink.exchange.probeDue == .max)
            try rig.passDeadline()
            #expect(rig.uplink.lastEnd == .timeout(.connect) && rig.uplink.failures == 1)
        }

        /// The same for an attempt that waits for a name server; what is answered still counts.
        @Test func aChangeDuringAQuestion() throws {
            let rig = try UplinkRig(host: Self.host)
            rig.start()
            try rig.run(hurry: false) { rig.uplink.question == .attempt }
            rig.uplink.networkChanged(now: rig.now)
            #expect(rig.uplink.question == .attempt)
            try rig.run(hurry: false) { rig.uplink.question == .none }
            #expect(rig.uplink.lastEnd == .networkChanged && rig.uplink.failures == 0)
            try rig.run { rig.uplink.link.nameFailures == 1 }
        }

        /// The record of a server and a host of the same name are two things.
        @Test func aHostOfTheServersName() throws {
            let rig = try UplinkRig(host: "sgn.test")
            try write(rig, name: "_sgn.sgn.test", host: "127.0.0.9")
            try write(rig, name: "sgn.test", host: "push.sgn.example")
            rig.start()
            try rig.turn(atMost: 0)
            #expect(rig.uplink.place.isEmpty && rig.state == .resolving)
            try write(rig, name: "sgn.test", host: "sgn.test")
            rig.uplink.place = ServerPlace()
            rig.uplink.reconnect(now: rig.now)
            try rig.run(hurry: false) { rig.state == .connected }
        }

        // MARK: A connection that lives through a change

        @Test func probed() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            try rig.idle(milliseconds: 50)
            let mark = rig.server.events.mark
            rig.uplink.networkChanged(now: rig.now)
            try rig.run { rig.server.events.frames(after: mark).contains("C_PING") }
            try rig.run { rig.uplink.exchange.probeDue == .max }
            #expect(rig.state == .connected && rig.uplink.lastEnd == nil)
        }

        /// No answer within five seconds: not fifteen, not a failure, and nothing is learned from it.
        @Test func probedInVain() throws {
            var faults = Faults()
            faults.silence = [.pong]
            let rig = try UplinkRig(faults)
            try rig.runUntilConnected()
            try rig.idle(milliseconds: 50)
            rig.uplink.networkChanged(now: rig.now)
            #expect(rig.uplink.exchange.probeDue <= rig.now + Limits.probe)
            // A second change does not put it off.
            let due = rig.uplink.exchange.probeDue
            rig.uplink.networkChanged(now: rig.now + 100)
            #expect(rig.uplink.exchange.probeDue == due)
            let mark = rig.server.events.mark
            try rig.run {
                if rig.uplink.deadline(now: rig.now) > rig.now { try? rig.passDeadline() }
                return rig.uplink.lastEnd == .networkChanged
            }
            #expect(rig.uplink.link.failures == 0 && rig.uplink.exchange.session.keepAlive.suspected == 0)
            try rig.run(hurry: false) { rig.state == .connected && !rig.server.events.of(.polled, after: mark).isEmpty }
        }

        /// A wake from suspend, as the gateway tells of it: the same turn asks, and five seconds without an answer are
        /// enough.
        @Test func awakeWithADeadConnection() throws {
            var faults = Faults()
            faults.silence = [.pong]
            let rig = try UplinkRig(faults)
            try rig.runUntilConnected()
            try rig.idle(milliseconds: 50)
            let mark = rig.server.events.mark
            let woken = rig.now
            rig.uplink.networkChanged(now: woken)
            try rig.turn(atMost: 0)
            // The server alone goes on.
            let limit = SystemClock().now + 5_000
            while rig.server.events.frames(after: mark).isEmpty, SystemClock().now < limit { usleep(2_000) }
            #expect(rig.server.events.frames(after: mark) == ["C_PING"])
            let end = woken + 5_000
            #expect(rig.uplink.deadline(now: rig.now) <= end)
            let wall = SystemClock().unixTime
            rig.uplink.advance(now: end - 1, unixTime: wall + 5)
            #expect(rig.state == .connected && rig.uplink.lastEnd == nil)
            rig.uplink.advance(now: end, unixTime: wall + 5)
            #expect(rig.uplink.lastEnd == .networkChanged && rig.state != .connected && rig.uplink.failures == 0)
            #expect(rig.uplink.link.nextAttempt == end, "the next attempt is due")
            rig.server.faults.silence = []
            rig.putForward(to: end)
            try rig.run(hurry: false) { rig.state == .connected }
        }

        /// Whatever the delay is that failures before the suspend led to, it ends.
        @Test func awakeWhileBackingOff() throws {
            let rig = try UplinkRig()
            rig.server.at(.accept, .drop, times: 8)
            rig.start()
            try rig.run { rig.uplink.link.failures == 8 }
            let woken = rig.now
            #expect(rig.state == .backingOff && (rig.uplink.link.nextAttempt ?? 0) > woken + 60_000)
            let mark = rig.server.events.mark
            rig.uplink.networkChanged(now: woken)
            #expect(rig.uplink.link.nextAttempt == woken && rig.uplink.failures == 0)
            #expect(rig.uplink.deadline(now: woken) <= woken)
            try rig.run(hurry: false) { rig.state == .connected }
            #expect(rig.server.events.of(.connected, after: mark).count >= 1)
            #expect(rig.now < woken + 30_000, "the clock was not put forward")
        }

        // MARK: Networks

        /// Where the kernel does not say which network it is, what was not survived there is looked at again after thirty
        /// days as well; also where it is only the login that makes the clock a trusted one.
        @Test(arguments: [(29, false), (31, true)] as [(Int64, Bool)], [true, false])
        func whatIsLearnedOfNoNetworkAges(_ aged: (days: Int64, isDue: Bool), isSameBoot: Bool) throws {
            let (days, isDue) = aged
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let time = SystemClock().unixTime - days * 86_400
            let nowhere = NetworkIdentity.unknown
            try rig.store.keepInterval(
                name: nowhere.name.bytes, kind: Int64(nowhere.kind.rawValue), key: nowhere.key.bytes,
                LearnedInterval(proven: 600, refuted: 660, changed: time),
                IntervalEvent(time: time, idle: 660, outcome: 2, stage: 1, interval: 900))
            // In the same boot the clock is trusted from the start.
            if !isSameBoot { try rig.directory.execute("DELETE FROM meta WHERE key = 'clock'") }
            try rig.restart(keepAlive: KeepAlive(minimum: 300_000, maximum: 3_300_000, pongTimeout: 15_000))
            #expect(rig.uplink.timekeeper.trust.isTrusted == (isSameBoot || TimeService.isKeeping))
            try rig.runUntilConnected()
            #expect(rig.uplink.timekeeper.trust.isTrusted)
            #expect(rig.uplink.network == .unknown && rig.count("by way of") == 0)
            let learner = rig.uplink.exchange.session.keepAlive
            #expect(learner.proven == 600_000 && learner.refuted == 660_000)
            let due = try #require(learner.nextLook)
            #expect((due <= rig.now) == isDue)
        }

        /// By the monitor's word, the connection of these tests is by way of the loopback interface.
        @Test(.enabled(if: loopbackIsKnown, "the kernel does not tell of networks here"))
        func whatIsLearnedBelongsToANetwork() throws {
            let rig = try UplinkRig()
            let monitor = NetworkMonitor()
            rig.uplink.monitor = monitor
            try rig.runUntilConnected()
            #expect(rig.uplink.network.kind == .loopback && rig.uplink.network.key.isEmpty)
            #expect(rig.uplink.network.name == Blob(Array("lo".utf8).span.bytes))
        }
    }
}

/// Whether the kernel says which interface leads to the loopback address.
private let loopbackIsKnown: Bool = {
    guard let own = SocketAddress(literal: "127.0.0.1", port: 1) else { return false }
    return NetworkMonitor().path(from: own, to: own) != nil
}()

private func hex(_ blob: Blob<32>) -> String { (0..<blob.count).map { String(format: "%02x", blob[$0]) }.joined() }
