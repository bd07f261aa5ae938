import Bytes
import CBoard
import Foundation
import Loop
import Payload
import SGP
import Sealing
import Store
import Testing

@testable import Gateway
@testable import Testbed

extension StateTests {
    /// The connection against the testbed's server.
    @Suite struct UplinkTests {
        @Test func fromNothingToANotification() throws {
            let rig = try UplinkRig()
            #expect(rig.state == .starting)
            try rig.runUntilConnected()
            #expect(rig.uplink.endpointText.text == rig.server.endpoint)
            #expect(rig.uplink.stream.version.text == "TLSv1.3")
            #expect(rig.uplink.identity?.address.text.hasSuffix("@sgn.test") == true)
            #expect(rig.server.events.of(.violation).isEmpty)
            #expect(rig.server.events.of(.filter).last?.integer("count") == 1)
            try rig.notify("Hello") { $0.encrypted = true }
            try rig.run { !rig.server.events.of(.acked).isEmpty }
            #expect(try rig.store.titles() == ["Hello"])
            #expect(rig.uplink.news.inboxChanged)
            rig.uplink.stop(now: rig.now)
            try rig.run { !rig.uplink.isClosing }
            #expect(rig.state == .stopping && rig.uplink.stream.stage == .idle)
            #expect(rig.server.events.frames().last == "C_DISCONNECT")
            #expect(try rig.store.acks().isEmpty, "the server has read them")
        }

        /// The old connection is over before the new one begins, after a registration and after a change of the set.
        @Test func oneConnectionAfterTheOther() throws {
            let rig = try UplinkRig()
            rig.server.faults.delay = 50
            try rig.runUntilConnected()
            let mark = rig.server.events.mark
            rig.uplink.registrationsChanged(now: rig.now)
            try rig.run(hurry: false) { !rig.server.events.of(.polled, after: mark).isEmpty }
            let order = rig.server.events.all.filter { [.connected, .closed].contains($0.kind) }.map {
                "\($0.kind.rawValue) \($0.connection)"
            }
            #expect(order == ["connected 1", "closed 1", "connected 2", "closed 2", "connected 3"])
        }

        /// Where the key is and who may read it; nothing secret is ever logged.
        @Test func theKey() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            var status = stat()
            #expect(stat(rig.directory.file("identity.pem"), &status) == 0 && status.st_mode & 0o777 == 0o600)
            let pem = try String(contentsOfFile: rig.directory.file("identity.pem"), encoding: .utf8)
            try rig.notify("the secret title") { $0.body("the secret body") }
            try rig.run { !rig.server.events.of(.acked).isEmpty }
            let log = rig.lines.joined(separator: "\n")
            for line in pem.split(separator: "\n") { #expect(!log.contains(line)) }
            for secret in [rig.token.text, hex(rig.token.secret), hex(rig.token.endToEndKey), "secret"] {
                #expect(!log.contains(secret))
            }
        }

        // MARK: The identity

        @Test func aKeyThatIsGone() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let first = rig.uplink.identity?.address
            unlink(rig.directory.file("identity.pem"))
            try rig.restart()
            #expect(rig.uplink.identity == nil)
            #expect(rig.count("registering anew") == 1)
            try rig.runUntilConnected()
            #expect(rig.uplink.identity?.address != first)
        }

        @Test func aKeyOfSomebodyElse() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            var pem = ByteBuffer(capacity: 4096)
            let key = try Sealing.Identity.generate()
            try key.appendPEM(to: &pem)
            try KeyFile(directory: rig.directory.path).write(pem.bytes)
            try rig.restart()
            #expect(rig.uplink.identity == nil)
            #expect(rig.count("registering anew") == 1)
        }

        /// A key that cannot be read just now is no lost one: a start that fails keeps the device's tokens alive.
        @Test func aKeyThatCannotBeRead() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let key = rig.directory.file("identity.pem")
            rename(key, key + ".kept")
            mkdir(key, 0o700)
            #expect(throws: StoreError.self) { try rig.restart() }
            rmdir(key)
            rename(key + ".kept", key)
            try rig.restart()
            #expect(rig.uplink.identity != nil)
            let mark = rig.server.events.mark
            try rig.runUntilConnected()
            #expect(!rig.server.events.frames(after: mark).contains("C_REGISTER"))
        }

        // MARK: The client certificate

        private func bundle(_ rig: StateDirectory) throws -> (path: String, fingerprint: [UInt8]) {
            let mine = try ServerCertificate(name: "a new device")
            let path = rig.file("registration.pem")
            try (mine.pem + mine.keyPEM).write(toFile: path, atomically: true, encoding: .utf8)
            return (path, Cryptography.sha256(mine.der))
        }

        @Test func shownOnceThenDeleted() throws {
            var faults = Faults()
            faults.clientCertificate = .request
            let directory = try StateDirectory()
            let (path, fingerprint) = try bundle(directory)
            let rig = try UplinkRig(faults, directory: directory, identity: path)
            try rig.runUntilConnected()
            #expect(rig.server.events.of(.secured).map { $0.bytes("client_certificate") } == [fingerprint, []])
            #expect(!directory.exists("registration.pem") && rig.uplink.clientCertificate == nil)
            #expect(rig.count("deleted \(path)") == 1)
        }

        /// Until the registration is committed it stays, and is shown again.
        @Test func keptUntilTheCommit() throws {
            var faults = Faults()
            faults.clientCertificate = .require
            faults.registerFailure = .init(code: 3, reason: "not today")
            let directory = try StateDirectory()
            let (path, fingerprint) = try bundle(directory)
            let rig = try UplinkRig(faults, directory: directory, identity: path)
            rig.start()
            try rig.run { rig.count("refused the registration, code 3") == 2 }
            #expect(directory.exists("registration.pem"))
            try directory.refuse("INSERT ON identity")
            rig.server.faults.registerFailure = nil
            try rig.run { rig.uplink.link.storeFailures == 2 }
            #expect(rig.count("the assigned address could not be stored; failure ") >= 1)
            #expect(directory.exists("registration.pem") && rig.uplink.identity == nil)
            try directory.allow()
            try rig.run { rig.uplink.identity != nil }
            #expect(rig.uplink.link.storeFailures == 0)
            #expect(!directory.exists("registration.pem"))
            #expect(Set(rig.server.events.of(.secured).map { $0.bytes("client_certificate") }) == [fingerprint])
        }

        /// A power cut between the commit and the deletion: the next start deletes it.
        @Test func deletedByTheNextStart() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let (path, _) = try bundle(rig.directory)
            try rig.restart(identity: path)
            rig.start()
            #expect(!rig.directory.exists("registration.pem"))
            #expect(rig.count("deleted \(path)") == 1)
        }

        /// One that cannot be deleted is told, and nothing else stops working.
        @Test func impossibleToDelete() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let path = rig.directory.file("folder")
            mkdir(path, 0o700)
            try rig.restart(identity: path)
            try rig.runUntilConnected()
            #expect(rig.count("\(path): unlink") == 1)
        }

        @Test(arguments: ["garbage", "missing", "folder"]) func noneThatCanBeUsed(way: String) throws {
            let directory = try StateDirectory()
            let path = directory.file("registration.pem")
            if way == "garbage" { try "garbage".write(toFile: path, atomically: true, encoding: .utf8) }
            if way == "folder" { mkdir(path, 0o700) }
            let rig = try UplinkRig(directory: directory, identity: path)
            rig.start()
            if way == "missing" {
                try rig.run { rig.state == .connected }
            } else {
                try rig.run(hurry: false) { rig.state == .backingOff }
                #expect(rig.server.events.of(.connected).isEmpty)
                #expect(rig.uplink.lastEnd == .clientCertificate)
            }
            #expect(rig.count(path) == 1, "told once with its path")
        }

        // MARK: The registration set

        /// A set that could not be read is no empty one: sent, it would end every token.
        @Test func registrationsThatCannotBeRead() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let mark = rig.server.events.mark
            try rig.directory.execute("ALTER TABLE registrations RENAME TO hidden")
            rig.uplink.registrationsChanged(now: rig.now)
            try rig.run { rig.state == .backingOff }
            #expect(!rig.uplink.hasRegistrations)
            #expect(rig.uplink.lastEnd == .store(.registrations, isFull: false))
            try rig.run { rig.uplink.link.failures >= 3 }
            #expect(rig.server.events.of(.connected, after: mark).isEmpty, "not even connected")
            try rig.directory.execute("ALTER TABLE hidden RENAME TO registrations")
            try rig.run { rig.state == .connected && !rig.server.events.of(.filter, after: mark).isEmpty }
            #expect(rig.server.events.of(.filter, after: mark).map { $0.integer("count") } == [1])
        }

        @Test func registrationsThatChange() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let mark = rig.server.events.mark
            try rig.store.add(DeviceToken(serverAddress: "sgn.test"), bundle: "org.example.bell")
            rig.uplink.registrationsChanged(now: rig.now)
            try rig.run(hurry: false) { !rig.server.events.of(.polled, after: mark).isEmpty }
            #expect(rig.server.events.of(.filter, after: mark).map { $0.integer("count") } == [2])
            #expect(rig.uplink.link.failures == 0)
            #expect(rig.server.events.of(.violation).isEmpty)
        }

        /// A change while the last goodbye is still under way does not make the loop turn in circles.
        @Test func registrationsThatChangeDuringAGoodbye() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            rig.server.stall(true)
            rig.uplink.registrationsChanged(now: rig.now)
            try rig.run { rig.uplink.isClosing }
            rig.uplink.registrationsChanged(now: rig.now - 500)
            let turns = rig.turns
            try rig.idle(milliseconds: 400)
            #expect(rig.turns - turns < 50)
            rig.server.stall(false)
            try rig.run { rig.state == .connected }
        }

        // MARK: Addresses

        /// As if DNS had said so a moment ago.
        private func place(_ literals: String..., port: UInt16, at now: Int64) throws -> ServerPlace {
            var place = ServerPlace()
            for literal in literals {
                place.addresses.append(try #require(SocketAddress(literal: literal, port: port)))
            }
            place.isLoaded = true
            place.resolvedAt = now - 1
            return place
        }

        /// Of several addresses the next is tried at once, and the one that worked is the first of the next connection.
        @Test func theNextAddress() throws {
            let rig = try UplinkRig()
            rig.uplink.place = try place("127.0.0.3", "127.0.0.2", "127.0.0.1", port: rig.server.port, at: rig.now)
            rig.start()
            try rig.run(hurry: false) { rig.state == .connected }
            #expect(rig.count("trying the next address") == 2)
            #expect(rig.uplink.link.failures == 0)
            try rig.server.drop()
            try rig.run { rig.state == .backingOff }
            try rig.run { rig.state == .connected }
            #expect(rig.count("trying the next address") == 2)
            #expect(rig.uplink.endpointText.text == rig.server.endpoint)
        }

        /// The last address's failure is one of the attempt, and then they are asked for again.
        @Test func noAddressWorks() throws {
            let rig = try UplinkRig()
            rig.uplink.place = try place("127.0.0.3", "127.0.0.2", port: rig.server.port, at: rig.now)
            rig.start()
            try rig.run(hurry: false) { rig.state == .backingOff }
            #expect(rig.uplink.link.failures == 1)
            #expect(rig.count("trying the next address") == 1 && rig.count("Connection refused; failure 1") == 1)
            try rig.run { rig.state == .connected }
        }

        /// A server that takes TLS but no login is not clung to while there are others.
        @Test func anAddressThatLeadsNowhere() throws {
            let rig = try UplinkRig()
            rig.uplink.place = try place("127.0.0.1", "127.0.0.2", port: rig.server.port, at: rig.now)
            rig.server.faults.silence = [.hello]
            rig.start()
            try rig.run { rig.uplink.stream.stage == .open }
            #expect(rig.uplink.firstTarget == 1)
            try rig.idle(milliseconds: 100)
            try rig.passDeadline()
            #expect(rig.uplink.lastEnd == .timeout(.hello))
            #expect(rig.uplink.firstTarget == 1, "the second is next")
        }

        /// Another certificate may mean another server: its addresses are asked for again (SGP v2 §1).
        @Test func anotherCertificate() throws {
            var faults = Faults()
            faults.wrongCertificate = true
            let rig = try UplinkRig(faults)
            rig.uplink.place = try place("127.0.0.1", "127.0.0.2", port: rig.server.port, at: rig.now)
            rig.start()
            try rig.run(hurry: false) { rig.state == .backingOff }
            #expect(rig.uplink.lastEnd == .pinMismatch && rig.uplink.place.isEmpty)
            #expect(rig.server.events.frames().isEmpty)
            #expect(rig.count(try rig.server.wrongCertificate.fingerprint) == 1)
        }

        // MARK: Acknowledgements and the number of the poll

        /// What comes before C_POLL may overtake what waits for it.
        @Test func aNotificationBeforeThePoll() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let payload = Message(title: "early").payload(token: rig.token, identifier: messageID(1), sequence: 500)
            let mark = rig.server.events.mark
            // One write, so that both are there before C_POLL can be made.
            rig.server.at(.response, .skip, .send(Wire.frame(.authOK) + Wire.frame(.notify, payload)))
            rig.uplink.reconnect(now: rig.now)
            try rig.run { rig.server.events.frames(after: mark).contains("C_POLL") }
            #expect(try rig.store.titles() == ["early"])
            let poll = rig.server.events.of(.frame, after: mark).first { $0.type == "C_POLL" }
            #expect(poll?.integer("last_seq") == 0)
            #expect(rig.uplink.delivery.lastSequence == 0)
        }

        /// What was sent on a connection that died counts for nothing, also if the next one is left before its login.
        @Test func acknowledgementsThatWereLost() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            rig.server.at(.ack, .drop)
            try rig.notify("one")
            try rig.run { rig.state == .backingOff }
            #expect(try rig.store.acks() == [0])
            rig.server.faults.silence = [.challenge]
            try rig.run { rig.state == .authenticating && rig.uplink.session.phase == .challengeWait }
            rig.uplink.reconnect(now: rig.now)
            rig.server.faults.silence = []
            let mark = rig.server.events.mark
            try rig.run { rig.server.events.frames(after: mark).contains("C_POLL") }
            let frames = rig.server.events.frames(after: mark).filter { ["C_FILTER", "C_ACK", "C_POLL"].contains($0) }
            #expect(frames.prefix(3) == ["C_FILTER", "C_ACK", "C_POLL"])
            #expect(try rig.store.titles() == ["one"])
        }

        /// A commit that fails ends the connection without acknowledgements; the burst comes again and is shown once.
        @Test func aStoreThatFails() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            try rig.directory.refuse("INSERT ON inbox")
            try rig.notify("one")
            try rig.run { rig.state == .backingOff }
            #expect(rig.uplink.lastEnd == .store(.burst, isFull: false))
            #expect(rig.server.events.of(.acked).isEmpty)
            try rig.directory.allow()
            try rig.run { !rig.server.events.of(.acked).isEmpty }
            #expect(try rig.store.titles() == ["one"])
        }

        /// Each of these connections logs in, and yet the delay goes on growing, until something could be written or a
        /// person asks.
        @Test func aStoreThatGoesOnFailing() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            try rig.directory.refuse("INSERT ON inbox")
            try rig.notify("one")
            for failure in 1...6 {
                try rig.run { rig.uplink.link.storeFailures == failure }
                let wait = (rig.uplink.link.nextAttempt ?? 0) - rig.now
                let least = 1_000 << Int64(failure)
                #expect(wait > least - 500 && wait <= least + 5_000)
                #expect(rig.uplink.failures == failure && rig.state == .backingOff)
            }
            #expect(rig.count("connected to ") == 6)
            #expect(rig.count("what was received could not be stored; failure 6 in a row, next attempt in ") == 1)
            rig.uplink.reconnect(now: rig.now)
            #expect(rig.uplink.failures == 0)
            try rig.run { rig.uplink.link.storeFailures == 2 }
            try rig.directory.allow()
            try rig.run { !rig.server.events.of(.acked).isEmpty }
            #expect(rig.uplink.failures == 0)
            #expect(try rig.store.titles() == ["one"])
        }

        /// A person who asks for another connection while there is one ends the row too.
        @Test func aReconnectEndsTheRow() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            try rig.directory.refuse("INSERT ON inbox")
            try rig.notify("one")
            try rig.run { rig.uplink.link.storeFailures == 3 }
            try rig.run { rig.state == .connected }
            rig.uplink.reconnect(now: rig.now)
            #expect(rig.uplink.link.storeFailures == 0)
        }

        // MARK: Every wait ends

        @Test(arguments: [
            (Faults.Silence.tls, Wait.tlsHandshake), (.hello, .hello), (.challenge, .challenge),
            (.answer, .authentication),
        ])
        func silence(silence: Faults.Silence, wait: Wait) throws {
            var faults = Faults()
            faults.silence = [silence]
            let rig = try UplinkRig(faults)
            rig.start()
            let phases: [Wait: Phase] = [.hello: .preHello, .challenge: .challengeWait, .authentication: .authWait]
            try rig.run {
                wait == .tlsHandshake
                    ? rig.uplink.stream.stage == .handshaking : rig.uplink.session.phase == phases[wait]
            }
            try rig.idle(milliseconds: 100)
            let due = rig.uplink.deadline(now: rig.now)
            #expect(due <= rig.now + Limits.handshakeStep)
            try rig.passDeadline()
            #expect(rig.uplink.lastEnd == .timeout(wait))
            #expect(rig.state == .backingOff && rig.uplink.stream.stage == .idle)
            #expect(rig.count("waited too long for \(wait.name)") == 1, "told once")
        }

        @Test func silenceOfTheNetwork() throws {
            let rig = try UplinkRig()
            // Its queue is full: no answer to a SYN.
            let blackHole = try BlackHole()
            rig.uplink.place.isLoaded = true
            rig.uplink.place.isFixed = true
            rig.uplink.place.addresses.append(
                try #require(SocketAddress(literal: "127.0.0.1", port: blackHole.port)))
            rig.start()
            try rig.run { rig.uplink.isDialling }
            try rig.idle(milliseconds: 200)
            #expect(rig.uplink.isDialling && rig.uplink.stream.stage == .idle && rig.state == .connecting)
            #expect(rig.uplink.deadline(now: rig.now) <= rig.now + Limits.connect)
            try rig.passDeadline()
            #expect(rig.uplink.lastEnd == .timeout(.connect))
            #expect(rig.count("waited too long for the TCP connection") == 1)
        }

        @Test func silenceOfTheNames() throws {
            let rig = try UplinkRig()
            let sink = try BlackHole(datagrams: true)
            let settings = UplinkSettings(
                serverAddress: Blob("sgn.test") ?? Blob(), certificate: rig.server.certificate.der, endpoint: nil,
                resolvers: "127.0.0.1:\(sink.port)", registrationCertificate: nil,
                keepAlive: KeepAlive(interval: 600_000, pongTimeout: 15_000))
            let uplink = try Uplink(
                settings, routing: Routing([]),
                outlets: Outlets([], store: rig.store, log: Log(stream: .none)), store: rig.store,
                keyFile: KeyFile(directory: rig.directory.path), log: Log(stream: .none))
            uplink.start(now: rig.now)
            var set = PollSet(capacity: 32)
            let begin = rig.now
            var turns = 0
            while uplink.link.nameFailures == 0, rig.now < begin + 12_000 {
                uplink.advance(now: rig.now, unixTime: 0)
                set.removeAll()
                uplink.register(in: &set)
                try set.wait(milliseconds: Int32(max(0, min(uplink.deadline(now: rig.now) - rig.now, 1_000))))
                turns += 1
            }
            #expect(uplink.link.state == .resolving && uplink.lastEnd == .resolverFailed(Int32(ARES_ETIMEOUT)))
            #expect(uplink.link.nextAttempt != nil && uplink.link.failures == 0)
            #expect(rig.now - begin < 11_000 && turns < 200)
        }

        @Test func noAnswerToAPing() throws {
            var faults = Faults()
            faults.silence = [.pong]
            let rig = try UplinkRig(faults)
            try rig.runUntilConnected()
            try rig.idle(milliseconds: 50)
            #expect(rig.uplink.deadline(now: rig.now) > rig.now + 500_000)
            rig.uplink.session.ping(now: rig.now)
            try rig.run { rig.server.events.frames().contains("C_PING") }
            #expect(rig.uplink.deadline(now: rig.now) <= rig.now + 15_000)
            // Asked twice more, then given up.
            for _ in 0..<3 { try rig.passDeadline() }
            #expect(rig.uplink.lastEnd == .timeout(.pong) && rig.state == .backingOff)
        }

        /// A server that says goodbye to nothing is left after a second.
        @Test func noAnswerToAGoodbye() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            rig.server.stall(true)
            rig.uplink.stop(now: rig.now)
            #expect(rig.uplink.isClosing && rig.state == .stopping)
            #expect(rig.uplink.deadline(now: rig.now) <= rig.now + 1_000)
            let turns = rig.turns
            try rig.idle(milliseconds: 300)
            #expect(rig.turns - turns < 50)
            try rig.passDeadline()
            #expect(!rig.uplink.isClosing && rig.uplink.stream.stage == .idle)
            #expect(rig.uplink.deadline(now: rig.now) == .max)
            rig.server.stall(false)
        }

        // MARK: Ends

        private static let actions: [Action] = [.drop, .close, .disconnect(3, retryAfter: 1)]

        /// Wherever a login may break, it is one failure, and the next attempt succeeds.
        @Test func loginsThatBreak() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let moments: [Moment] = [
                .accept, .tls, .hello, .login, .challenge, .response, .authenticated, .filter, .poll, .pollDone,
            ]
            for moment in moments {
                for action in Self.actions {
                    // Before TLS nothing can be said.
                    if moment == .accept, case .disconnect = action { continue }
                    rig.server.at(moment, action)
                    rig.uplink.reconnect(now: rig.now)
                    try rig.run { rig.state == .backingOff }
                    #expect(rig.uplink.link.failures == 1 && rig.uplink.lastEnd != nil, "\(moment) \(action)")
                    let mark = rig.server.events.mark
                    try rig.run { rig.state == .connected && !rig.server.events.of(.polled, after: mark).isEmpty }
                    #expect(rig.uplink.link.failures == 0 && rig.uplink.lastEnd == nil)
                }
            }
            try rig.notify("after all")
            try rig.run { !rig.server.events.of(.acked).isEmpty }
        }

        @Test(arguments: [Moment.register, .challenge, .response, .registered], actions)
        func registrationsThatBreak(moment: Moment, action: Action) throws {
            let rig = try UplinkRig()
            rig.server.at(moment, action)
            try rig.runUntilConnected()
            #expect(rig.uplink.link.failures == 0)
            // The answer may have come before the end.
            #expect(rig.count("failure 1 in a row") == (moment == .registered ? 0 : 1))
        }
    }
}

extension Uplink {
    /// What is not copyable cannot be looked into by the macros of the tests.
    var isDialling: Bool { dialer.isActive }
}

/// Takes nothing: a TCP port whose queue is full, or a UDP port that nobody reads.
final class BlackHole {
    let port: UInt16
    private var descriptors: [Int32] = []

    init(datagrams: Bool = false) throws {
        let kind = Int32(
            (datagrams ? SOCK_DGRAM : SOCK_STREAM).rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = socket(AF_INET, kind, 0)
        descriptors = [listener]
        let made = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(made)
        guard !datagrams else { return }
        listen(listener, 0)
        for _ in 0..<3 {
            let filler = socket(AF_INET, kind, 0)
            descriptors.append(filler)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, length) }
            }
        }
    }

    deinit { descriptors.forEach { close($0) } }
}

extension Message {
    /// Gives it a body.
    fileprivate mutating func body(_ text: String) {
        content = .structured(.notification(title: "the secret title", body: text))
    }
}
