import Bytes
import CBoard
import Foundation
import Loop
import SGP
import Store
import Testing

@testable import Gateway
@testable import Testbed

/// Seconds from today to the first hours of 1970, to 2014, around the end of 32 bits, and to 2040.
private let eras: [Int64] = [3_600, 1_388_534_400, 2_147_483_646, 2_147_483_648, 2_208_988_800].map {
    $0 - SystemClock().unixTime
}

extension StateTests {
    @Suite struct ClockTests {
        // MARK: A clock that is wrong from the start

        /// Whatever year the board and its server believe in together, all is well.
        @Test(arguments: eras) func theSameWrongTime(era: Int64) throws {
            let rig = try UplinkRig()
            rig.server.faults.clockOffset = era
            rig.setClock(wrongBy: era)
            try rig.runUntilConnected()
            let now = SystemClock().unixTime + era
            try rig.notify("good") { $0.expiresAt = now + 600 }
            try rig.notify("late") { $0.expiresAt = now - 600 }
            try rig.run { rig.server.events.of(.acked).count == 2 }
            let store = try rig.store.counters()
            #expect(store.received == 1 && store.expired == 1)
            #expect(rig.uplink.timekeeper.trust == (now < 1_704_067_200 ? .neverSet : .login))
        }

        /// Registering with a wrong time is refused, which is soft, and succeeds as soon as the clock is set.
        @Test(arguments: eras) func registersOnceItIsSet(era: Int64) throws {
            let rig = try UplinkRig()
            rig.setClock(wrongBy: era)
            rig.start()
            try rig.run(hurry: false) { rig.state == .backingOff }
            #expect(!rig.uplink.timekeeper.trust.isTrusted)
            rig.setClock(wrongBy: 0)
            #expect(rig.state == .connecting)
            try rig.run(hurry: false) { rig.state == .connected }
            #expect(rig.uplink.timekeeper.trust == .login)
        }

        /// A login with a wrong time stops for good, but not once the clock is set.
        @Test(arguments: eras) func logsInOnceItIsSet(era: Int64) throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            rig.uplink.stop(now: rig.now)
            try rig.run { !rig.uplink.isClosing }
            // Nothing is known from before, as after a reboot.
            try rig.directory.execute("DELETE FROM meta WHERE key = 'clock'")
            try rig.restart()
            rig.setClock(wrongBy: era)
            let mark = rig.server.events.mark
            rig.start()
            try rig.run { rig.state == .authRefused }
            #expect(!rig.uplink.timekeeper.trust.isTrusted)
            #expect(rig.server.events.of(.connected, after: mark).count == 1)
            #expect(rig.count("clock not trusted") > 0)
            #expect(rig.count("once the clock is set the login is tried again") == 1)
            rig.setClock(wrongBy: era + 59)
            #expect(rig.state == .authRefused, "too little to make a difference")
            rig.setClock(wrongBy: 0)
            try rig.run(hurry: false) { rig.state == .connected }
            #expect(rig.server.events.of(.connected, after: mark).count == 2)
        }

        /// Refused once more, it waits for the next step.
        @Test func oneAttemptForEachStep() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            rig.server.faults.refuseLogin = 1
            rig.uplink.reconnect(now: rig.now)
            try rig.run { rig.state == .authRefused }
            // Each is a step, and none so far from what was accepted before that this would be tried too.
            for step in 1...3 as ClosedRange<Int64> {
                let mark = rig.server.events.mark
                rig.setClock(wrongBy: step * 90)
                try rig.run { rig.state == .authRefused }
                try rig.idle(milliseconds: 50)
                #expect(rig.server.events.of(.connected, after: mark).count == 1)
                rig.setClock(wrongBy: step * 90)
                #expect(rig.state == .authRefused)
            }
        }

        // MARK: A clock that is set while connected

        /// The server is asked which is right; until then nothing expires, and nothing is lost.
        @Test(arguments: eras) func setWhileConnected(era: Int64) throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let timekeeper = rig.uplink.timekeeper
            let mark = rig.server.events.mark
            rig.setClock(wrongBy: era)
            try rig.run(hurry: false) { rig.state == .connected && abs(timekeeper.clock.offset + era) <= 2 }
            #expect(timekeeper.trust == .login)
            let id = try rig.notify("in an hour") { $0.expiresAt = SystemClock().unixTime + 3_600 }
            let late = try rig.notify("an hour ago") { $0.expiresAt = SystemClock().unixTime - 3_600 }
            try rig.run { rig.server.events.of(.acked, after: mark).count == 2 }
            let store = try rig.store.counters()
            #expect(store.received == 1 && store.expired == 1, "\(id) \(late)")
            // And after a restart in the same boot at once.
            try rig.restart()
            let again = rig.server.events.mark
            try rig.runUntilConnected()
            #expect(rig.server.events.of(.connected, after: again).count <= 2)
            #expect(abs(rig.uplink.timekeeper.clock.offset + era) <= 2)
            rig.setClock(wrongBy: 0)
            try rig.run(hurry: false) { rig.state == .connected }
            #expect(rig.uplink.timekeeper.clock.offset == 0)
        }

        @Test func aSmallStepDisturbsNothing() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            let mark = rig.server.events.mark
            for step in [5, 100, -150] as [Int64] {
                rig.setClock(wrongBy: step)
                try rig.idle(milliseconds: 20)
            }
            #expect(rig.state == .connected && rig.server.events.of(.connected, after: mark).isEmpty)
            #expect(rig.uplink.timekeeper.trust == .login)
        }

        // MARK: S_TIME_SYNC

        @Test(arguments: [-172_000, -1_000, 1_000, 172_000] as [Int64]) func timeSyncOutlivesTheProcess(ahead: Int64)
            throws
        {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            try rig.server.timeSync(ahead: ahead)
            try rig.run { rig.uplink.timekeeper.trust == .server }
            rig.server.faults.clockOffset = ahead
            try rig.turn()
            // Whatever happens to the system's clock.
            try rig.restart()
            rig.setClock(wrongBy: 500_000)
            let mark = rig.server.events.mark
            try rig.runUntilConnected()
            #expect(rig.server.events.of(.connected, after: mark).count == 1, "the first login is right")
            #expect(abs(rig.uplink.timekeeper.clock.offset + 500_000 - ahead) <= 2)
        }

        /// A server that sent a wrong time and was mended.
        @Test func aTimeSyncThatWasWrong() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            try rig.server.timeSync(ahead: 1_000)
            try rig.run { rig.uplink.timekeeper.trust == .server }
            let mark = rig.server.events.mark
            rig.uplink.reconnect(now: rig.now)
            try rig.run(hurry: false) { rig.state == .connected && !rig.server.events.of(.polled, after: mark).isEmpty }
            #expect(rig.uplink.timekeeper.trust == .login && rig.uplink.timekeeper.clock.offset == 0)
            #expect(rig.count("trying once more with") == 1)
        }

        @Test func aTimeSyncThatIsTooFarAway() throws {
            let rig = try UplinkRig()
            try rig.runUntilConnected()
            try rig.server.timeSync(ahead: 172_900)
            try rig.run(hurry: false) { rig.state == .backingOff }
            #expect(rig.uplink.timekeeper.trust == .contradicted && rig.uplink.timekeeper.clock.offset == 0)
            // Skipping the wait would be a step of the clock.
            try rig.run(hurry: false) { rig.state == .connected }
            try rig.notify("late") { $0.expiresAt = SystemClock().unixTime - 600 }
            try rig.run { !rig.server.events.of(.acked).isEmpty }
            #expect(try rig.store.counters() == Counters(received: 1), "who of the two is right, nobody knows")
        }

        // MARK: What is kept

        @Test func writtenOnceForEachBoot() throws {
            let rig = try UplinkRig()
            let other = try rig.directory.open()
            try rig.runUntilConnected()
            let first = try record(other)
            #expect(!first.isEmpty)
            for _ in 0..<3 {
                let mark = rig.server.events.mark
                rig.uplink.reconnect(now: rig.now)
                try rig.run { rig.state == .connected && !rig.server.events.of(.polled, after: mark).isEmpty }
            }
            // The time is in it, so that a write would show.
            try rig.idle(milliseconds: 1_100)
            #expect(try record(other) == first)
        }

        private func record(_ store: Store) throws -> [UInt8] {
            var bytes: [UInt8] = []
            _ = try store.clock { record in
                for index in 0..<record.byteCount {
                    bytes.append(record.unsafeLoad(fromByteOffset: index, as: UInt8.self))
                }
            }
            return bytes
        }

        /// Every record that is too short, too long or of another form is as good as none.
        @Test func damagedRecords() throws {
            let directory = try StateDirectory()
            let store = try directory.open()
            let log = Log(stream: .none)
            let boot = Blob<36>("a-boot-identifier-of-36-characters--") ?? Blob()
            func keeper(_ boot: Blob<36>, server: String = "sgn.test") -> Timekeeper {
                Timekeeper(
                    store: store, log: log, server: Blob(server) ?? Blob(), now: 1_000, wall: 1_796_000_000_000,
                    boot: boot)
            }
            let first = keeper(boot)
            first.synchronised(offset: 77, now: 1_000)
            first.save(now: 1_000)
            let good = try record(store)
            #expect(keeper(boot).clock.offset == 77)
            #expect(keeper(Blob("b") ?? Blob()).clock.offset == 0, "another boot")
            #expect(keeper(boot, server: "other.test").clock.offset == 0, "another server")
            for length in 0..<good.count {
                let bad = Array(good[..<length])
                try store.setClock(bad.span.bytes)
                #expect(keeper(boot).clock.offset == 0, "\(length) bytes")
            }
            let long = good + [0]
            try store.setClock(long.span.bytes)
            #expect(keeper(boot).clock.offset == 0)
            for index in [0, 1] {
                var bad = good
                bad[index] = 0xFF
                try store.setClock(bad.span.bytes)
                #expect(keeper(boot).clock.offset == 0, "byte \(index)")
            }
        }
    }
}
