import Bytes
import Gateway
import SGP
import Store

/// What must hold at every step.
public enum Invariant: String, CaseIterable, Sendable {
    /// An acknowledgement leaves after what it acknowledges is durable, and that is there after every power cut.
    case acknowledgedIsKept = "nothing acknowledged is lost"
    case shownOnce = "nothing is shown twice"
    case delivered = "what a server accepted is shown or refused for a reason"
    case deadline = "no wait without a deadline"
    case backoff = "the delay after a failure is that of SGP v2 §9"
    case oneConnection = "one connection at a time"
    case oneSet = "the set on the server becomes the set on the board"
    case lastSequence = "C_POLL names nothing that is not durable (§11)"
    case notDeaf = "silence is not taken for a connection"
    case noSpin = "nothing is done again and again without a pause"
    case keepAlive = "an interval within its bounds, few connections dead of silence"
    case store = "the database opens after every power cut"
}

/// A broken invariant.
public struct Violation: Sendable, Equatable {
    public let invariant: Invariant
    /// Milliseconds since the simulation began.
    public let time: Int64
    public let text: String
}

/// One message, from the sender's request on.
struct Message {
    enum Kind: UInt8 { case plain, wrongKey, unparsable, oversize }

    var kind: Kind
    var key: [UInt8]
    /// Milliseconds.
    var accepted: Int64 = 0
    var sequence: Int64 = 0
    /// Unix seconds; 0 for never.
    var expires: Int64 = 0
    /// The server does not have it to give any more: replaced by a newer one, or its key was withdrawn.
    var isReplaced = false
    /// What the board made of it first.
    var verdict: Verdict?
    /// Durable, as far as the store has said so.
    var isSettled = false
    /// There is a row of it in the inbox.
    var isShown = false
    /// The server has read an acknowledgement.
    var status: UInt8?
    /// An acknowledgement of delivery has left the board.
    var hasLeft = false
}

/// Everything that was sent, and what became of it: from here it is told whether promises are kept.
final class Ledger {
    unowned(unsafe) let world: World
    var messages: [Message] = []
    /// Judged, and not durable yet.
    private var burst: [Int] = []
    private var lastRow: Int64 = 0
    private let salt: UInt64
    private(set) var shown = 0
    private(set) var duplicates = 0
    private static let body = Array(#"{"aps":{"alert":{"title":"Door","body":"Somebody rings."}}}"#.utf8)

    init(world: World, salt: UInt64) {
        self.world = world
        self.salt = salt
    }

    // MARK: Messages

    func add(_ message: Message) -> Int {
        messages.append(message)
        return messages.count - 1
    }

    /// The payload of S_NOTIFY.
    func payload(_ number: Int) -> [UInt8] {
        let message = messages[number]
        var data = Self.body
        var flags: UInt8 = 0
        var tail: [UInt8] = []
        switch message.kind {
        case .plain: break
        case .wrongKey:
            flags = 1
            data = [UInt8](repeating: 0xA5, count: 48)
            tail = [UInt8](repeating: 1, count: 12)
        case .unparsable: data = Array(#"{"aps": "#.utf8)
        case .oversize: data = [UInt8](repeating: 0x20, count: 5_000)
        }
        return message.key + MessageNumber.identifier(number, salt: salt) + Frames.big(message.sequence)
            + Frames.big(message.expires) + [flags, 1] + Frames.big(UInt32(data.count)) + data + tail
    }

    // MARK: On the board

    func judged(_ identifier: Blob<16>, _ verdict: Verdict) {
        let number = self.number(identifier)
        guard messages.indices.contains(number) else { return }
        world.note("judged", Int64(number), Int64(verdict.status?.rawValue ?? 9))
        switch verdict {
        case .duplicate:
            duplicates += 1
            if !messages[number].isSettled, !burst.contains(number), messages[number].kind == .plain {
                // Committed by a transaction whose end the program never saw.
                messages[number].isSettled = true
            }
        case .unknownKey: break
        case .expired:
            let message = messages[number]
            if message.expires == 0 || (world.machine.knowsTime && message.expires > world.unixTime + 5) {
                world.broken(.delivered, "message \(number) counts as expired and is not")
            }
        default: break
        }
        if verdict != .unknownKey { burst.append(number) }
        if verdict != .duplicate { messages[number].verdict = verdict }
    }

    func oversizeJudged(_ identifier: Blob<16>) {
        let number = self.number(identifier)
        guard messages.indices.contains(number) else { return }
        world.note("oversize", Int64(number))
        burst.append(number)
    }

    /// The store says that the burst is durable.
    func committed(_ store: Store) {
        guard !burst.isEmpty else { return }
        for number in burst { messages[number].isSettled = true }
        burst.removeAll(keepingCapacity: true)
        scan(store)
    }

    func abandoned() { burst.removeAll(keepingCapacity: true) }

    /// Looks at the rows that are new.
    private func scan(_ store: Store) { world.machine.disk.undisturbed { lookAtNewRows(store) } }

    private func lookAtNewRows(_ store: Store) {
        var newest = lastRow
        do throws(StoreError) {
            try store.notifications { row in
                guard row.id > lastRow else { return false }
                newest = max(newest, row.id)
                guard let identifier = Blob<16>(row.messageID) else { return true }
                let number = number(identifier)
                guard messages.indices.contains(number) else { return true }
                if messages[number].isShown { world.broken(.shownOnce, "message \(number) has a second row") }
                messages[number].isShown = true
                shown += 1
                return true
            }
        } catch { return }
        lastRow = newest
    }

    /// After a start: what is durable is compared with what was promised.
    func reconcile(_ store: Store) {
        burst.removeAll()
        world.machine.disk.undisturbed { compareWithPromises(store) }
    }

    private func compareWithPromises(_ store: Store) {
        var found = [Bool](repeating: false, count: messages.count)
        var newest: Int64 = 0
        do throws(StoreError) {
            try store.notifications { row in
                newest = max(newest, row.id)
                guard let identifier = Blob<16>(row.messageID) else { return true }
                let number = number(identifier)
                guard messages.indices.contains(number) else { return true }
                if found[number] { world.broken(.shownOnce, "message \(number) has two rows") }
                found[number] = true
                return true
            }
            for number in messages.indices {
                if messages[number].isShown, !found[number] {
                    world.broken(.acknowledgedIsKept, "message \(number) was committed and is gone")
                }
                if messages[number].hasLeft, !(try isSeen(number, store)) {
                    world.broken(.acknowledgedIsKept, "message \(number) was acknowledged and is not remembered")
                }
                if found[number], !messages[number].isShown {
                    messages[number].isShown = true
                    shown += 1
                }
            }
        } catch { return }
        lastRow = newest
    }

    private func isSeen(_ number: Int, _ store: Store) throws(StoreError) -> Bool {
        let identifier = MessageNumber.identifier(number, salt: salt)
        return try store.isSeen(identifier.span.bytes)
    }

    private func number(_ identifier: Blob<16>) -> Int {
        var reader = ByteReader(identifier.bytes)
        return Int(clamping: (try? reader.read(Int64.self)) ?? -1)
    }

    // MARK: On the wire

    /// The board hands a frame to its system.
    func leaves(_ frame: [UInt8], on line: Line) {
        switch ClientMessage(rawValue: frame[2]) {
        case .ack: acknowledgementLeaves(MessageNumber.of(frame[8..<24]), status: frame[24])
        case .poll: pollLeaves(Frames.integer(frame[8...]))
        case .ping: world.note("ping", world.machine.driver.map { $0.exchange.session.keepAlive.interval / 1_000 } ?? 0)
        default: break
        }
    }

    private func acknowledgementLeaves(_ number: Int, status: UInt8) {
        world.note("ack leaves", Int64(number), Int64(status))
        guard messages.indices.contains(number) else {
            return world.broken(.acknowledgedIsKept, "an acknowledgement of a message that nobody sent")
        }
        guard status == 0 else { return }
        messages[number].hasLeft = true
        guard let store = world.machine.driver?.store, !store.isInTransaction else {
            return world.broken(.acknowledgedIsKept, "message \(number) is acknowledged within a transaction")
        }
        world.machine.disk.undisturbed { mustBeStored(number, store) }
    }

    private func mustBeStored(_ number: Int, _ store: Store) {
        do throws(StoreError) {
            guard try isSeen(number, store) else {
                return world.broken(.acknowledgedIsKept, "message \(number) is acknowledged and not stored")
            }
        } catch { return }
        if messages[number].kind == .plain, case .shown = messages[number].verdict, !messages[number].isShown {
            world.broken(.acknowledgedIsKept, "message \(number) is acknowledged and not in the inbox")
        }
    }

    private func pollLeaves(_ sequence: Int64) {
        world.note("poll leaves", sequence)
        for number in burst where messages[number].sequence <= sequence && !messages[number].isSettled {
            world.broken(.lastSequence, "C_POLL \(sequence) while message \(number) is not durable")
        }
    }

    /// C_POLL has reached the server: what waits there up to its number will not be sent again.
    func polled(after sequence: Int64, _ device: Server.Device) {
        guard !world.server.habits.isReference else { return }
        for number in device.waiting where messages[number].sequence <= sequence {
            let message = messages[number]
            guard !message.isSettled, message.verdict != .unknownKey else { continue }
            world.broken(.lastSequence, "C_POLL \(sequence) leaves message \(number) (\(message.sequence)) behind")
        }
    }

    /// C_ACK has reached the server.
    func arrived(_ number: Int, status: UInt8) {
        guard messages.indices.contains(number) else { return }
        messages[number].status = status
    }

    // MARK: In the end

    /// After a long calm: what was accepted before `time` is where it belongs.
    func settle(before time: Int64) {
        for (number, message) in messages.enumerated() where message.accepted > 0 && message.accepted < time {
            guard !message.isReplaced else { continue }
            guard let status = message.status else {
                guard message.verdict != .unknownKey else { continue }
                world.broken(
                    .delivered,
                    "message \(number) (\(message.kind)) was accepted and never acknowledged; "
                        + (message.isShown ? "it is in the inbox" : "the board does not have it"))
                continue
            }
            let isInOrder =
                switch (message.kind, status) {
                case (.plain, 0): message.isShown || isExcused(message)
                case (_, 3): message.expires > 0
                case (.wrongKey, 1), (.unparsable, 2), (.oversize, 2): !message.isShown
                case (.wrongKey, 0), (.unparsable, 0): message.verdict == .muted
                default: false
                }
            if !isInOrder {
                world.broken(
                    .delivered, "message \(number) (\(message.kind)) has status \(status), shown \(message.isShown)")
            }
        }
    }

    private func isExcused(_ message: Message) -> Bool { message.verdict == .muted }
}
