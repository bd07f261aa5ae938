import Bytes
import CBoard
import Loop
import SGP

/// Tries a silence on a second connection to the server, which dies in the place of the live one if it is too long.
///
/// The second connection never logs in: two of one device would cost live pushes (SGP v2 §10). It ends its TLS handshake,
/// where the pin is checked as always, reads what the server opens with and is silent. Then it sends C_DISCONNECT, which
/// a server takes in every phase: an end, a frame or the mere confirmation by the server's TCP proves the silence. No
/// answer, or a reset, speaks against it if the live connection is heard meanwhile. That the server ends the connection
/// before it was asked says nothing of the network: such a server does not want it.
///
/// Open only while the live connection is, so the handshakes of the two never mix. One descriptor at most, no wait
/// without a deadline, nothing allocated in Swift after the beginning.
final class Prober {
    /// What came of a silence.
    enum Outcome: Equatable {
        case survived
        case dead
        /// The server ended the connection, or took none, while it held the live one; or it went out elsewhere.
        case refused(EndReason)
        /// Nothing can be said: the network was away, or the board slept.
        case unknown
    }

    private enum Stage: Equatable {
        case idle
        /// TCP, then TLS.
        case opening
        case silent
        /// C_DISCONNECT has been sent.
        case asked
        /// The second connection is over; that the live one is not shows what it means.
        case ended(Outcome)
    }

    /// The live connection, which shows whether network and server are there.
    private enum Witness: Equatable {
        case none
        /// To be asked.
        case wanted
        /// Asked when so many frames had come.
        case asked(frames: UInt64)
        case heard(at: Int64)
    }

    /// Milliseconds that are being tried.
    private(set) var silence: Int64 = 0
    /// When `advance` must be called even if nothing happens.
    private(set) var deadline = Int64.max

    private let stream: TLSStream
    private var stage = Stage.idle
    private var own = Blob<16>()
    private var pongTimeout: Int64 = 0
    private var openedAt: Int64 = 0
    private var quietSince: Int64 = 0
    private var askedAt: Int64 = 0
    private var witness = Witness.none
    private var goodbye = ByteBuffer(capacity: Limits.frameHeader + 1)
    private var discarded = ByteBuffer(capacity: 1024)

    /// Reads in one turn of the loop.
    private static let reads = 16
    /// What TLS says after its handshake comes within this time and without notice.
    private static let tail: Int64 = 1_000
    /// When it is looked whether the question was confirmed; there is no event for that.
    private static let look: Int64 = 2_000
    /// Being asked later than this after it was due means that the board was asleep.
    private static let lateness: Int64 = 60_000

    init(context: TLSContext) {
        stream = TLSStream(context: context)
        Session.appendGoodbye(to: &goodbye)
    }

    var isIdle: Bool { stage == .idle }
    var raw: Int32 { stream.raw }

    /// Begins to connect. `own` is the board's end of the live connection: what goes out elsewhere tells nothing.
    func begin(_ silence: Int64, to address: SocketAddress, from own: Blob<16>, pongTimeout: Int64, now: Int64) {
        stop()
        self.silence = silence
        self.own = own
        self.pongTimeout = pongTimeout
        stage = .opening
        deadline = now + Limits.connect
        do throws(StreamError) { try stream.connect(to: address) } catch { end(.refused(EndReason(error)), now: now) }
    }

    /// Closes what there is; nothing is learned from it.
    func stop() {
        stream.close()
        stage = .idle
        deadline = .max
        witness = .none
    }

    func register(in set: inout PollSet) {
        set.add(stream.raw, events: stream.interest(wantsRead: true, wantsWrite: false))
    }

    /// Goes on with whatever can go on. `frames` is how many have come on the live connection. After an outcome it is
    /// idle again.
    func advance(frames: UInt64, now: Int64) -> Outcome? {
        if case .asked(let before) = witness, frames != before { witness = .heard(at: now) }
        if stage == .opening { open(now: now) }
        if stage == .silent { listen(now: now) }
        if stage == .asked { awaitAnswer(now: now) }
        guard case .ended(let outcome) = stage, let verdict = judged(outcome, now: now) else { return nil }
        stop()
        return verdict
    }

    /// The live connection is to be asked whether it is there; once.
    func takeQuestion(frames: UInt64) -> Bool {
        guard witness == .wanted else { return false }
        witness = .asked(frames: frames)
        return true
    }

    // MARK: From one stage to the next

    private func open(now: Int64) {
        let before = stream.stage
        do throws(StreamError) {
            guard try stream.advance(clientCertificate: nil) else {
                // Connecting and the handshake have the same time each.
                if stream.stage != before { deadline = now + Limits.connect }
                guard now >= deadline else { return }
                end(.refused(.timeout(before == .connecting ? .connect : .tlsHandshake)), now: now)
                return
            }
        } catch { return end(.refused(EndReason(error)), now: now) }
        guard let here = SocketAddress(ownEndOf: stream.raw), here.bytes == own else {
            return end(.refused(.networkChanged), now: now)
        }
        stage = .silent
        openedAt = now
        quietSince = now + Self.tail
        deadline = quietSince + silence
    }

    /// What comes is not looked at, and begins the silence anew.
    private func listen(now: Int64) {
        for _ in 0..<Self.reads {
            switch stream.read(into: discarded.tail) {
            case .done:
                quietSince = now
                deadline = now + silence
                continue
            case .blocked: break
            case .failed(let error): return end(.refused(EndReason(error)), now: now)
            }
            break
        }
        // A server that does not keep silent before a login keeps no silence that could be tried.
        if quietSince - openedAt > silence + Self.lateness { return end(.refused(.timeout(.hello)), now: now) }
        guard now >= deadline else { return }
        guard now - quietSince < silence + Self.lateness, case .done = stream.write(goodbye.pointer.bytes) else {
            return end(.unknown, now: now)
        }
        stage = .asked
        askedAt = now
        deadline = now + min(Self.look, pongTimeout / 4)
    }

    private func awaitAnswer(now: Int64) {
        switch stream.read(into: discarded.tail) {
        case .done, .failed(.closed), .failed(.truncated): return end(.survived, now: now)
        // The kernel has given up repeating the question.
        case .failed(.network(let error)) where error.code == ETIMEDOUT: return unanswered(now: now)
        case .failed(let error): return end(EndReason(error).isSilence ? .dead : .unknown, now: now)
        case .blocked: break
        }
        guard now >= deadline else { return }
        if stream.isConfirmed { return end(.survived, now: now) }
        guard now - askedAt >= pongTimeout else {
            if witness == .none { witness = .wanted }
            deadline = askedAt + pongTimeout
            return
        }
        unanswered(now: now)
    }

    /// It speaks against the silence if the live connection was heard while the question was still being repeated.
    private func unanswered(now: Int64) {
        guard case .heard(let time) = witness, time - askedAt <= pongTimeout / 2 else {
            return end(.unknown, now: now)
        }
        end(.dead, now: now)
    }

    private func end(_ outcome: Outcome, now: Int64) {
        stream.close()
        stage = .ended(outcome)
        switch outcome {
        case .survived, .unknown: deadline = now
        case .dead, .refused:
            if witness == .none { witness = .wanted }
            deadline = now + pongTimeout
        }
    }

    /// Against the network, or against the server, it counts once the live connection shows that both are there.
    private func judged(_ outcome: Outcome, now: Int64) -> Outcome? {
        switch outcome {
        case .survived, .unknown: return outcome
        case .dead, .refused:
            if case .heard = witness { return outcome }
            return now >= deadline ? .unknown : nil
        }
    }
}
