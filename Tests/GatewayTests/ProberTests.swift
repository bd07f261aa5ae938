import Bytes
import CBoard
import Foundation
import Loop
import SGP
import Store
import Testing

@testable import Gateway
@testable import Testbed

private let second: Int64 = 1_000

/// A board that tries longer silences on a second connection, and hours that pass in a moment. The server's clock stands.
private final class Board {
    let rig: UplinkRig
    /// The number of the live connection.
    private(set) var live = 0

    /// `plan` tells what the server does with second connections: a registration and a login come before them.
    init(_ faults: Faults = Faults(), maximum: Int64 = 3_300, plan: (Server) -> Void = { _ in }) throws {
        var learner = KeepAlive(minimum: 600 * second, maximum: maximum * second, pongTimeout: 15 * second)
        learner.probesApart = true
        rig = try UplinkRig(faults, keepAlive: learner)
        plan(rig.server)
        try rig.runUntilConnected()
        live = rig.server.events.of(.authenticated).last?.connection ?? 0
    }

    var uplink: Uplink { rig.uplink }
    var learner: KeepAlive { rig.uplink.exchange.session.keepAlive }
    var prober: Prober? { rig.uplink.probing?.prober }
    var server: Server { rig.server }

    /// Lets the time pass until a condition holds, with some real time before each deadline for what is on its way.
    func pass(atMost limit: Int64 = 24 * 3_600_000, until condition: () -> Bool) throws {
        let end = rig.now + limit
        while !condition() {
            try #require(rig.now < end, "\(rig.lines.suffix(12).joined(separator: "\n"))")
            // Until nothing has come for a while.
            var quiet = 0
            while quiet < 4, !condition() {
                let before = rig.uplink.exchange.session.framesReceived
                let real = SystemClock().now
                try rig.turn(atMost: 10)
                quiet =
                    rig.uplink.exchange.session.framesReceived == before && SystemClock().now >= real + 8
                    ? quiet + 1 : 0
            }
            if condition() { return }
            let due = uplink.deadline(now: rig.now)
            // An answer may still be on its way on a machine that is busy.
            if due - rig.now <= 15 * second { try rig.idle(milliseconds: 100) }
            if !condition(), due < .max { rig.putForward(to: due) }
        }
    }

    /// Until a second connection is open and silent; its number.
    func probing() throws -> Int {
        var current: Int? {
            guard prober?.isIdle == false, let last = seconds.last else { return nil }
            return rig.server.events.of(.closed).contains { $0.connection == last } ? nil : last
        }
        try pass { current != nil }
        // S_HELLO comes.
        try rig.idle(milliseconds: 50)
        return try #require(current)
    }

    func frames(of connection: Int) -> [String] {
        rig.server.events.of(.frame).filter { $0.connection == connection }.compactMap { $0.type }
    }

    /// Connections beside the live one and the one that registered.
    var seconds: [Int] { rig.server.events.of(.secured).map(\.connection).filter { $0 > live } }
    var isLiveKept: Bool {
        rig.state == .connected && !rig.server.events.of(.closed).contains { $0.connection == live }
    }
}

/// What a NAT does that has forgotten a connection: nothing that comes reaches the socket. Without privileges.
private func drop(_ socket: Int32, _ isOn: Bool) {
    if isOn {
        // struct sock_filter: BPF_RET | BPF_K, 0. Of every segment nothing is kept.
        var code = UInt64(0x06).littleEndian
        withUnsafeMutablePointer(to: &code) {
            var program = Program(length: 1, filter: $0)
            setsockopt(socket, SOL_SOCKET, 26, &program, socklen_t(MemoryLayout<Program>.size))
        }
    } else {
        var none: Int32 = 0
        setsockopt(socket, SOL_SOCKET, 27, &none, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// struct sock_fprog.
private struct Program {
    var length: UInt16
    var filter: UnsafeMutablePointer<UInt64>
}

/// The other end of a connection within this process.
private func peer(of socket: Int32) -> Int32? {
    guard let own = SocketAddress(ownEndOf: socket) else { return nil }
    for candidate in 3..<4_096 as Range<Int32> where candidate != socket {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let found = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(candidate, $0, &size) }
        }
        if found == 0, UInt16(bigEndian: address.sin_port) == own.port { return candidate }
    }
    return nil
}

extension StateTests {
    @Suite struct ProberTests {
        /// The search climbs, the live connection is asked at what is proven, and the second one never logs in.
        @Test(arguments: [Faults.LegacyHello.off, .on, .two]) func willingServer(legacy: Faults.LegacyHello) throws {
            var faults = Faults()
            faults.legacyHello = legacy
            faults.referenceWays = legacy == .two
            let board = try Board(faults)
            #expect(board.learner.interval == 60 * second && board.learner.candidate == 120 * second)
            try board.pass { board.learner.proven >= 400 * second }
            #expect(board.isLiveKept && board.learner.refuted == nil)
            #expect(board.learner.interval == board.learner.proven)
            let seconds = board.seconds
            #expect(seconds.count >= 4)
            for connection in seconds.dropLast() {
                #expect(board.frames(of: connection) == ["C_DISCONNECT"])
            }
            #expect(!board.server.events.of(.authenticated).contains { seconds.contains($0.connection) })
            #expect(board.server.events.of(.violation).isEmpty && board.server.events.of(.crashed).isEmpty)
            #expect(board.frames(of: board.live).contains("C_PING"))
            let known = try board.rig.store.learnedInterval(
                name: board.uplink.network.name.bytes, kind: Int64(board.uplink.network.kind.rawValue),
                key: board.uplink.network.key.bytes)
            #expect(known?.proven == board.learner.proven / second, "what was learned apart is kept")
            try board.rig.notify("Hello")
            try board.rig.run { !board.rig.server.events.of(.acked).isEmpty }
        }

        /// Off unless wanted: one connection.
        @Test func notByDefault() throws {
            let rig = try UplinkRig(
                keepAlive: KeepAlive(minimum: 600_000, maximum: 3_300_000, pongTimeout: 15_000))
            try rig.runUntilConnected()
            #expect(rig.uplink.probing == nil && rig.uplink.exchange.session.keepAlive.candidate == nil)
            #expect(rig.uplink.probingDeadline == .max)
        }

        /// Its TCP alone confirms.
        @Test func serverThatDoesNotAnswer() throws {
            let board = try Board { $0.at(.hello, .stall, skipping: 2) }
            let connection = try board.probing()
            try board.pass { board.learner.proven >= 120 * second }
            #expect(board.isLiveKept && board.frames(of: connection) == [])
        }

        // MARK: A silence that is too long

        @Test func blackHole() throws {
            let board = try Board()
            _ = try board.probing()
            drop(try #require(peer(of: board.prober?.raw ?? -1)), true)
            try board.pass { board.learner.refuted != nil }
            #expect(board.learner.refuted == 120 * second && board.isLiveKept)
            #expect(board.learner.proven == 60 * second && board.learner.interval == 60 * second)
            #expect(board.rig.count("a silence of 120 s was not survived") == 1)
            #expect(board.learner.candidate == 90 * second || board.learner.stage == .refinedGrowth)
        }

        /// What was sent after the NAT had forgotten is answered with a reset.
        @Test func resetUponTheQuestion() throws {
            let board = try Board()
            let connection = try board.probing()
            let socket = board.prober?.raw ?? -1
            drop(socket, true)
            try board.server.drop(connection: connection)
            try board.rig.idle(milliseconds: 50)
            drop(socket, false)
            try board.pass { board.learner.refuted != nil }
            #expect(board.learner.refuted == 120 * second && board.isLiveKept)
        }

        /// Everything is dead: that says nothing of the silence.
        @Test func outage() throws {
            let board = try Board()
            _ = try board.probing()
            drop(try #require(peer(of: board.prober?.raw ?? -1)), true)
            drop(try #require(peer(of: board.uplink.stream.raw)), true)
            try board.pass { board.rig.state != .connected }
            #expect(board.prober?.isIdle == true && board.prober?.raw == -1)
            try board.rig.run { board.rig.state == .connected }
            #expect(board.learner.refuted == nil || board.learner.refuted == 60 * second)
            #expect(board.learner.probesApart && board.uplink.probing?.refusals == 0)
        }

        /// The live connection is heard again only when the question is hardly repeated any more.
        @Test func outageThatEndsLate() throws {
            let board = try Board()
            _ = try board.probing()
            // The live connection is asked in between.
            try board.pass { (board.prober?.deadline ?? 0) - board.rig.now <= 30 * second }
            let (probe, live) = (peer(of: board.prober?.raw ?? -1), peer(of: board.uplink.stream.raw))
            drop(try #require(probe), true)
            drop(try #require(live), true)
            let due = try #require(board.prober?.deadline)
            board.rig.putForward(to: due)
            try board.rig.turn(atMost: 0)
            board.rig.putForward(to: due + 9 * second)
            try board.rig.turn(atMost: 0)
            let frames = board.uplink.exchange.session.framesReceived
            drop(try #require(live), false)
            try board.rig.run(hurry: false) { board.uplink.exchange.session.framesReceived > frames }
            try board.pass(atMost: 60 * second) { board.rig.count("told nothing") == 1 }
            #expect(board.learner.refuted == nil && board.isLiveKept && board.learner.candidate == 120 * second)
            // Not at once.
            let count = board.seconds.count
            try board.rig.idle(milliseconds: 50)
            #expect(board.seconds.count == count)
            try board.pass { board.seconds.count > count }
        }

        // MARK: A server that is not willing

        /// After two it is left alone, and the live connection tries.
        @Test func serverThatEndsIt() throws {
            let board = try Board { $0.at(.hello, .close, times: nil, skipping: 2) }
            try board.pass { !board.learner.probesApart }
            #expect(board.seconds.count == 2 && board.isLiveKept)
            #expect(board.learner.refuted == nil && board.learner.interval == 120 * second)
            #expect(board.uplink.isProbeRefused && board.rig.count("no second connection for a silence") == 2)
            #expect(board.rig.count("tried on the connection itself from now on") == 1)
            try board.pass { board.learner.proven == 120 * second }
            #expect(board.seconds.count == 2 && board.isLiveKept)
            // A login later it is still known; on another network it is tried again.
            board.server.clearPlans()
            board.uplink.reconnect(now: board.rig.now)
            try board.rig.run { board.rig.state == .connected && board.uplink.exchange.session.syncStep == .done }
            #expect(!board.learner.probesApart)
            board.uplink.useNetwork(
                NetworkIdentity(name: Blob("wlan9") ?? Blob(), kind: .wifi, key: Blob()), now: board.rig.now,
                unixTime: 0)
            #expect(board.learner.probesApart && board.learner.candidate != nil)
        }

        @Test(arguments: [Moment.accept, .tls]) func serverThatTakesNone(moment: Moment) throws {
            let board = try Board { $0.at(moment, .drop, times: nil, skipping: 2) }
            try board.pass { !board.learner.probesApart }
            #expect(board.isLiveKept)
            #expect(board.learner.interval == 120 * second && board.learner.refuted == nil)
        }

        @Test func serverThatNeverAnswersTheHandshake() throws {
            let board = try Board { $0.at(.accept, .silence, times: nil, skipping: 2) }
            try board.pass { !board.learner.probesApart }
            #expect(board.isLiveKept && board.learner.refuted == nil)
        }

        /// One that ends the connection after some minutes serves for what is shorter.
        @Test func serverWithALimitOfItsOwn() throws {
            let board = try Board()
            try board.pass { board.learner.proven >= 180 * second }
            for _ in 0..<2 {
                var connection = board.seconds.last ?? 0
                if board.prober?.isIdle == true { connection = try board.probing() }
                try board.server.close(connection: connection)
                try board.pass { board.prober?.isIdle == true }
            }
            #expect(!board.learner.probesApart && board.isLiveKept)
            #expect(board.learner.proven >= 180 * second && board.learner.interval > board.learner.proven)
        }

        /// A server that is restarted ends both.
        @Test func serverThatIsRestarted() throws {
            let board = try Board()
            let connection = try board.probing()
            try board.server.close(connection: connection)
            try board.server.close(connection: board.live)
            try board.rig.run { board.server.events.of(.authenticated).contains { $0.connection > connection } }
            #expect(board.learner.probesApart && board.uplink.probing?.refusals == 0)
            #expect(board.learner.refuted == nil)
            try board.pass { board.prober?.isIdle == false }
        }

        /// What a server says before a login begins the silence anew; one that never stops is not willing.
        @Test func serverThatTalks() throws {
            let board = try Board()
            let connection = try board.probing()
            board.rig.putForward(to: board.rig.now + 59 * second)
            try board.server.send(type: 0x10, payload: [0, 0, 0, 2], connection: connection)
            try board.rig.idle(milliseconds: 50)
            let spoken = board.rig.now
            try board.pass { board.learner.proven >= 120 * second }
            #expect(board.rig.now >= spoken + 119 * second)
            let next = try board.probing()
            for _ in 0..<6 where board.prober?.isIdle == false {
                board.rig.putForward(to: board.rig.now + 50 * second)
                try? board.server.send(type: 0x10, payload: [0, 0, 0, 2], connection: next)
                try board.rig.idle(milliseconds: 50)
            }
            try board.rig.idle(milliseconds: 50)
            let count = board.rig.count("no second connection for a silence")
            #expect(count == 1, "\(board.rig.lines.suffix(12))")
            #expect(board.isLiveKept)
        }

        // MARK: Ends from this side

        @Test func networkChange() throws {
            let board = try Board()
            let connection = try board.probing()
            board.uplink.networkChanged(now: board.rig.now)
            #expect(board.prober?.isIdle == true && board.prober?.raw == -1)
            try board.rig.run { board.server.events.of(.closed).contains { $0.connection == connection } }
            let changed = board.rig.now
            try board.pass { board.prober?.isIdle == false }
            #expect(board.rig.now >= changed + 59 * second, "not upon each of many changes")
            #expect(board.isLiveKept && board.learner.refuted == nil && board.uplink.probing?.refusals == 0)
            try board.pass { board.learner.proven >= 120 * second }
        }

        /// The board slept, and nobody told: what was silent meanwhile was another silence.
        @Test func lateQuestion() throws {
            let board = try Board()
            _ = try board.probing()
            drop(try #require(peer(of: board.prober?.raw ?? -1)), true)
            board.rig.putForward(to: board.rig.now + 121 * second + 61 * second)
            try board.rig.turn(atMost: 0)
            #expect(board.prober?.isIdle == true)
            try board.pass { board.prober?.isIdle == false }
            #expect(board.learner.refuted == nil && board.isLiveKept)
        }

        @Test(arguments: [false, true]) func stop(politely: Bool) throws {
            let board = try Board()
            let connection = try board.probing()
            if politely {
                board.uplink.stop(now: board.rig.now)
            } else {
                board.uplink.finish(.stopped, now: board.rig.now)
            }
            #expect(board.prober?.isIdle == true && board.prober?.raw == -1)
            try board.rig.run { !board.uplink.isClosing }
            #expect(board.uplink.probingDeadline == .max)
            try board.rig.run { board.server.events.of(.closed).contains { $0.connection == connection } }
            #expect(board.frames(of: connection) == [])
        }

        /// What is learned of the network is forgotten: the probe at hand was of the same length as the first one or is
        /// given up.
        @Test func forgetting() throws {
            let board = try Board()
            try board.pass { board.learner.proven >= 180 * second }
            try board.pass { board.prober?.isIdle == false }
            _ = try board.uplink.forgetNetwork(nil, now: board.rig.now, unixTime: 0)
            try board.rig.run { board.prober?.silence == board.learner.candidate && board.prober?.isIdle == false }
            #expect(board.isLiveKept && board.learner.probesApart)
        }

        // MARK: Over many

        /// Hundreds of probes, in a process of their own: descriptors and memory stay.
        @Test func nothingPilesUp() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                cb_ignore_sigpipe()
                let board = try Board(maximum: 86_400)
                func descriptors() -> Int {
                    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
                }
                try board.pass(atMost: .max / 4) { board.seconds.count >= 20 }
                try board.pass { board.prober?.isIdle == false }
                try board.rig.idle(milliseconds: 100)
                let before = descriptors()
                try board.pass(atMost: .max / 4) { board.seconds.count >= 120 }
                try board.pass { board.prober?.isIdle == false }
                try board.rig.idle(milliseconds: 100)
                let after = descriptors()
                FileHandle.standardError.write(Data("descriptors \(before) to \(after)\n".utf8))
                exit(after == before && board.isLiveKept ? 0 : 1)
            }
            print(String(decoding: (result?.standardErrorContent ?? []).prefix(300), as: UTF8.self))
        }
    }
}
