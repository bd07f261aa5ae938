import Bytes
import CBoard
import Foundation
import Loop
import SGP
import Store
import Testing

@testable import Gateway

/// A day of a connected gateway without notifications, put forward from deadline to deadline: nothing is written to the
/// state directory (demands, Resources: pimatic #409, Lumina-signage #11). The connection, its pings, the relay, hooks and
/// outlets are the real ones, on the real store.
@Suite(.serialized) struct IdleDayTests {
    private static let day: Int64 = 86_400_000

    @Test func nothingIsWrittenInADay() throws {
        let gateway = try IdleGateway(KeepAlive(interval: 600_000, pongTimeout: 15_000))
        try gateway.settle()
        let before = try gateway.files()
        let begin = gateway.rig.now
        try gateway.pass(Self.day)
        #expect(gateway.rig.now - begin >= Self.day)
        #expect(gateway.pings >= 143 && gateway.pings <= 145, "a ping every ten minutes, each answered")
        #expect(gateway.rig.state == .connected)
        #expect(try gateway.files() == before)
        #expect(try gateway.hasChanged() == false)

        // The witnesses are awake: one notification and they tell.
        try gateway.rig.notify("Door")
        try gateway.rig.run(hurry: false) { (try? gateway.rig.store.unreadCount()) == 1 }
        #expect(try gateway.files() != before)
        #expect(try gateway.hasChanged())
    }

    /// What is learned about silence is written while it is new. A network that holds every silence has nothing new to
    /// tell after some hours.
    @Test func nothingIsWrittenOnceTheNetworkIsKnown() throws {
        let gateway = try IdleGateway(KeepAlive(minimum: 600_000, maximum: 3_300_000, pongTimeout: 15_000))
        try gateway.settle()
        try gateway.pass(Self.day)
        #expect(try gateway.hasChanged(), "it learns")
        let before = try gateway.files()
        let pings = gateway.pings
        try gateway.pass(Self.day)
        #expect(gateway.pings - pings <= 27, "the longest interval")
        #expect(gateway.rig.state == .connected)
        #expect(try gateway.files() == before)
        #expect(try gateway.hasChanged() == false)
    }
}

/// An uplink, and beside it everything else of a gateway that has timers and the store.
private final class IdleGateway {
    let rig: UplinkRig
    private(set) var pings = 0
    private let hooks: Hooks
    private let outlets: Outlets
    private let relay: RelayService
    private let witness: OpaquePointer
    private var version: Int64 = 0

    init(_ keepAlive: KeepAlive) throws {
        rig = try UplinkRig(keepAlive: keepAlive)
        rig.wallFollows = true
        let text = """
            [relay]
            listen = 127.0.0.1:8787
            [route all]
            bundle = org.example.*
            hook = /bin/true
            outlet = fifo:\(rig.directory.file("nobody"))
            """
        let configuration = try Configuration.parse(Array(text.utf8))
        let log = Log(stream: .none)
        hooks = Hooks(configuration.routes, store: rig.store, log: log)
        outlets = Outlets(configuration.routes, store: rig.store, log: log)
        var settings = try #require(configuration.relay)
        settings.listen.port = 0
        relay = try RelayService(
            settings, routing: Routing(configuration.routes), opener: #require(SealedOpener()),
            outlets: outlets, store: rig.store, log: log)
        var handle: OpaquePointer?
        try #require(sqlite3_open_v2(rig.store.path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        witness = try #require(handle)
    }

    deinit { sqlite3_close(witness) }

    /// Connects, and lets the first ping confirm what the login left to be confirmed.
    func settle() throws {
        try rig.runUntilConnected()
        try pass(1_200_000)
        _ = try hasChanged()
        pings = 0
    }

    /// Lets so many milliseconds pass, from deadline to deadline.
    func pass(_ milliseconds: Int64) throws {
        let end = rig.now + milliseconds
        while rig.now < end {
            let due = deadline
            try #require(due > rig.now || rig.turns < 1_000_000, "a deadline that never passes")
            let isPing = due > rig.now + 60_000
            rig.putForward(to: min(due, end))
            try turn()
            guard isPing, due <= end else { continue }
            pings += 1
            // Its answer takes no time worth telling, but real one.
            let limit = SystemClock().now + 5_000
            while deadline <= rig.now + 60_000 {
                try #require(SystemClock().now < limit, "no answer to the ping in the state \(rig.state.name)")
                try turn()
            }
        }
    }

    private var deadline: Int64 {
        let now = rig.now
        return min(
            rig.uplink.deadline(now: now), hooks.deadline(now: now), outlets.deadline, relay.deadline(now: now))
    }

    private func turn() throws {
        try rig.turn(atMost: 5)
        hooks.advance(now: rig.now)
        outlets.advance(now: rig.now)
        let wall = SystemClock().unixMilliseconds + rig.ahead
        relay.advance(now: rig.now, moment: rig.uplink.timekeeper.moment(now: rig.now), wall: wall)
    }

    // MARK: Witnesses

    /// Size and time of the last write of every file in the state directory but the log, whose place is another.
    func files() throws -> [String: [Int]] {
        var found: [String: [Int]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: rig.directory.path) where name != "log.ring" {
            var status = stat()
            try #require(lstat(rig.directory.file(name), &status) == 0)
            let time = status.st_mtim
            found[name] = [Int(status.st_ino), Int(status.st_size), Int(time.tv_sec), Int(time.tv_nsec)]
        }
        try #require(found["skyglow.db"] != nil)
        return found
    }

    /// Whether anything has been committed since the last call, as another connection to the database sees it.
    func hasChanged() throws -> Bool {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(witness, "PRAGMA data_version", -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        let now = sqlite3_column_int64(statement, 0)
        defer { version = now }
        return now != version
    }
}
