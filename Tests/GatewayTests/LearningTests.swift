import Bytes
import Foundation
import Loop
import SGP
import Store
import Testing

@testable import Gateway
@testable import Testbed

extension StateTests {
    /// What silence teaches, from the socket to the row: a real connection to a server that falls silent.
    @Suite struct LearningTests {
        private let bounds = KeepAlive(minimum: 600_000, maximum: 3_300_000, pongTimeout: 15_000)

        private func row(_ rig: UplinkRig) throws -> LearnedInterval? {
            let network = rig.uplink.network
            return try rig.store.learnedInterval(
                name: network.name.bytes, kind: Int64(network.kind.rawValue), key: network.key.bytes)
        }

        private func learner(_ rig: UplinkRig) -> KeepAlive { rig.uplink.exchange.session.keepAlive }

        /// Connects, and lets what follows a login be over.
        private func begin(_ rig: UplinkRig) throws {
            try rig.runUntilConnected()
            try rig.idle(milliseconds: 50)
        }

        /// The interval passes, and the ping is answered.
        private func survive(_ rig: UplinkRig) throws {
            let (mark, polls) = (rig.server.events.mark, rig.server.events.of(.polled).count)
            rig.putForward(to: rig.now + learner(rig).interval + 100)
            try rig.run(hurry: false) { rig.server.events.frames(after: mark).contains("C_PING") }
            try rig.run(hurry: false) { rig.server.events.of(.polled).count > polls }
            try rig.idle(milliseconds: 20)
        }

        /// The interval passes, and nothing answers until the connection is given up.
        private func die(_ rig: UplinkRig) throws {
            let mark = rig.server.events.mark
            rig.server.faults.silence = [.pong]
            rig.putForward(to: rig.now + learner(rig).interval + 100)
            try rig.run(hurry: false) { rig.server.events.frames(after: mark).contains("C_PING") }
            while rig.state == .connected { try rig.passDeadline() }
            #expect(rig.uplink.lastEnd == .timeout(.pong))
            rig.server.faults.silence = []
        }

        private func comeBack(_ rig: UplinkRig) throws {
            let mark = rig.server.events.mark
            try rig.run { rig.state == .connected && !rig.server.events.of(.polled, after: mark).isEmpty }
            try rig.idle(milliseconds: 50)
        }

        @Test func silenceIsRefutedConfirmedAndKept() throws {
            let rig = try UplinkRig(keepAlive: bounds)
            try begin(rig)
            while learner(rig).interval < 600_000 { try survive(rig) }
            let proven = learner(rig).proven
            let tried = learner(rig).interval
            #expect(try row(rig)?.proven == proven / 1_000)
            try die(rig)
            #expect(learner(rig).refuted == nil, "it counts once the server is reached again")
            #expect(learner(rig).suspected == tried)
            try comeBack(rig)
            #expect(learner(rig).refuted == tried && learner(rig).failures == 1)
            var known = try #require(try row(rig))
            #expect(known.proven == proven / 1_000 && known.refuted == tried / 1_000 && known.failures == 1)
            #expect(rig.count("a silence of \(tried / 1_000) s was not survived") == 1)
            // What lies between is survived, and then the same again is tried and fails: that is believed.
            while learner(rig).interval < tried { try survive(rig) }
            try die(rig)
            try comeBack(rig)
            #expect(learner(rig).stage == .steady && learner(rig).interval < tried)
            known = try #require(try row(rig))
            #expect(known.refuted == tried / 1_000 && known.failures >= 2)
            #expect(known.patience == 30 * 86_400)
            // As the next process begins.
            let before = learner(rig)
            try rig.restart(keepAlive: bounds)
            try begin(rig)
            #expect(learner(rig).proven == before.proven && learner(rig).refuted == before.refuted)
            #expect(learner(rig).failures == before.failures && learner(rig).stage == .steady)
            let interval = learner(rig).interval
            try survive(rig)
            #expect(learner(rig).interval == interval)
        }

        /// The line was out for as long as a ping and its answer take: one connection, and nothing else is lost.
        @Test func outageIsForgotten() throws {
            let rig = try UplinkRig(keepAlive: bounds)
            try begin(rig)
            while learner(rig).interval < 400_000 { try survive(rig) }
            let tried = learner(rig).interval
            try die(rig)
            try comeBack(rig)
            #expect(try row(rig)?.refuted == tried / 1_000)
            while learner(rig).refuted != nil { try survive(rig) }
            #expect(learner(rig).proven >= tried && learner(rig).interval > tried)
            let known = try #require(try row(rig))
            #expect(known.refuted == nil && known.failures == 0)
        }

        /// A connection that needs a second packet to be made is the line's, and excuses the silence before it.
        @Test func lateConnectionExcuses() throws {
            let rig = try UplinkRig(keepAlive: bounds)
            try begin(rig)
            try survive(rig)
            let tried = learner(rig).interval
            try die(rig)
            rig.uplink.lastDial = -Limits.lateConnect - 1
            try comeBack(rig)
            #expect(learner(rig).refuted == nil && learner(rig).interval == tried && learner(rig).suspected == 0)
            #expect(rig.uplink.lastDial >= 0 && rig.uplink.lastDial < Limits.lateConnect)
        }

        /// A process that ends in the middle of a search goes on with it.
        @Test func restartInTheMiddle() throws {
            let rig = try UplinkRig(keepAlive: bounds)
            try begin(rig)
            for _ in 0..<3 { try survive(rig) }
            let proven = learner(rig).proven
            try rig.restart(keepAlive: bounds)
            try begin(rig)
            #expect(learner(rig).interval == proven && learner(rig).stage == .steady)
            try survive(rig)
            #expect(learner(rig).interval > proven && learner(rig).stage == .initialGrowth)
        }
    }
}
