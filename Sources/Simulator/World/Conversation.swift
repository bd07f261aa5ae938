import Bytes
import SGP

/// The server's end of one connection.
final class Conversation {
    unowned(unsafe) let server: Server
    let line: Line
    private(set) var device: Server.Device?
    private var state = State.opening
    private var isRegistering = false
    private var isEnded = false
    private var partialSet: [[UInt8]: UInt8] = [:]
    private var lastHeard: Int64 = 0
    private var swallows = false
    private var awaitsFirst = true
    private var pings: Int64 = 0
    /// What a poll has still to bring, and whether a part of it is on its way.
    private var backlog: [Int] = []
    private var isPolling = false

    private enum State { case opening, challenged, authenticated }

    init(server: Server, line: Line) {
        self.server = server
        self.line = line
        lastHeard = server.world.now
    }

    private var world: World { server.world }

    // MARK: Out

    private func send(_ frame: [UInt8]) {
        guard !isEnded else { return }
        line.sendDown(frame)
    }

    /// Answers after a while, or late, or not at all.
    private func answer(otherwise: () -> Void = {}, _ body: @escaping () -> Void) {
        let faults = server.faults
        if faults.silent > 0, server.random.one(in: faults.silent) { return otherwise() }
        if faults.drops > 0, server.random.one(in: faults.drops) { return misbehave() }
        var delay = server.random.integer(1...20)
        if faults.slow > 0, server.random.one(in: faults.slow) { delay += server.random.integer(0...25_000) }
        world.after(delay) { [self] in if !isEnded { body() } }
    }

    private func misbehave() {
        switch server.random.integer(0...9) {
        case 0...2: end(reset: false)
        case 3...4: end(reset: true)
        case 5: say(reason: .protocolError, retryAfter: 0)
        case 6: say(reason: .serverError, retryAfter: UInt32(server.random.integer(0...2_000)))
        case 7: say(code: 0x77, retryAfter: UInt32(server.random.integer(0...60)))
        case 8: say(reason: .normal, retryAfter: 0)
        default:
            let reasons: [DisconnectReason] = [.authFail, .versionMismatch, .replaced, .replaced, .replaced, .replaced]
            say(reason: reasons[Int(server.random.integer(0...5))], retryAfter: 0)
        }
        end(reset: false)
    }

    func say(reason: DisconnectReason, retryAfter: UInt32) { say(code: reason.rawValue, retryAfter: retryAfter) }

    private func say(code: UInt8, retryAfter: UInt32) {
        send(Frames.make(.disconnect, [code] + (retryAfter > 0 ? Frames.big(retryAfter) : [])))
    }

    func end(reset: Bool) {
        guard !isEnded else { return }
        isEnded = true
        line.closeServer(reset: reset)
        server.forget(self)
    }

    /// TCP has told that the other end is gone.
    func lost() {
        guard !isEnded else { return }
        isEnded = true
        line.isServerGone = true
        server.forget(self)
    }

    func boardLeft() { end(reset: false) }

    // MARK: Beginning

    func begin() {
        answer { [self] in
            if server.habits.isReference {
                send(Frames.legacyHello())
                swallows = true
            }
            send(Frames.make(.hello, Frames.big(UInt32(2))))
        }
        watchIdleness()
    }

    private func watchIdleness() {
        world.at(lastHeard + server.habits.idleLimit) { [weak self] in
            guard let self, !isEnded else { return }
            guard world.now - lastHeard >= server.habits.idleLimit else { return watchIdleness() }
            say(reason: .protocolError, retryAfter: 0)
            end(reset: false)
        }
    }

    // MARK: In

    func receive(_ frame: [UInt8]) {
        guard !isEnded else { return }
        lastHeard = world.now
        guard frame.count >= 8, let type = ClientMessage(rawValue: frame[2]) else { return end(reset: true) }
        defer { awaitsFirst = false }
        // The reference server swallows what comes first, whatever it is.
        if swallows, awaitsFirst { return }
        let payload = frame[8...]
        switch type {
        case .upgrade: break
        case .login: login(payload)
        case .register: register()
        case .loginResponse: authenticate()
        case .registerResponse: confirmRegistration()
        case .filter: filter(payload)
        case .poll: poll(after: Frames.integer(payload))
        case .ack: acknowledge(payload)
        case .ping: pong(payload)
        case .pong: break
        case .disconnect: end(reset: false)
        }
    }

    private func login(_ payload: ArraySlice<UInt8>) {
        let body = Array(payload)
        let length = Int(body[0]) << 8 | Int(body[1])
        let address = String(decoding: body[2..<2 + length], as: UTF8.self)
        let time = Frames.integer(body[(2 + length)..<(10 + length)])
        device = server.device(at: address)
        answer { [self] in
            guard device != nil else { return refuse() }
            if server.habits.checksTime, abs(time - server.time) > 300 { return refuse() }
            state = .challenged
            send(Frames.make(.challenge, [UInt8](repeating: 7, count: 32)))
        }
    }

    private func refuse() {
        world.note("server refuses")
        say(reason: .authFail, retryAfter: 0)
        end(reset: false)
    }

    private func register() {
        isRegistering = true
        answer { [self] in
            if server.faults.drops > 0, server.random.one(in: 10) {
                send(Frames.make(.registerFail, [1]))
                return end(reset: false)
            }
            state = .challenged
            send(Frames.make(.challenge, [UInt8](repeating: 7, count: 32)))
        }
    }

    private func confirmRegistration() {
        guard state == .challenged, isRegistering else { return end(reset: false) }
        answer { [self] in
            let address = Array(server.register().address.utf8)
            send(Frames.make(.registerOK, Frames.big(UInt32(2)) + Frames.big(UInt16(address.count)) + address))
        }
    }

    private func authenticate() {
        guard state == .challenged, let device, !isRegistering else { return end(reset: false) }
        answer { [self] in
            state = .authenticated
            replaceOlder(device)
            device.live = self
            world.note("server login", Int64(line.number))
            send(Frames.make(.authOK))
            if server.habits.syncsTime { synchroniseTime() }
            if server.habits.pingEvery > 0 { ping() }
        }
    }

    private func replaceOlder(_ device: Server.Device) {
        for other in server.current where other !== self && other.device === device && other.state == .authenticated {
            guard !server.habits.isReference else {
                // It closes late, and then this one gets no live pushes any more.
                let delay = server.random.integer(0...20_000)
                world.after(delay) { [self] in
                    other.end(reset: false)
                    if device.live === self { device.live = nil }
                }
                continue
            }
            other.say(reason: .replaced, retryAfter: 0)
            other.end(reset: false)
        }
    }

    private func synchroniseTime() {
        send(Frames.make(.timeSync, Frames.big(server.time)))
        world.after(6 * 3_600_000) { [weak self] in
            guard let self, !isEnded else { return }
            synchroniseTime()
        }
    }

    private func ping() {
        world.after(server.habits.pingEvery) { [weak self] in
            guard let self, !isEnded else { return }
            pings += 1
            send(Frames.make(.ping, Frames.big(pings)))
            ping()
        }
    }

    private func pong(_ payload: ArraySlice<UInt8>) {
        let lost = server.habits.lostPongs
        if lost > 0, server.random.one(in: lost) { return world.note("pong lost") }
        let echo = Array(payload)
        answer { [self] in send(Frames.make(.pong, echo)) }
    }

    // MARK: The set

    private func filter(_ payload: ArraySlice<UInt8>) {
        guard state == .authenticated, let device else { return end(reset: false) }
        let body = Array(payload)
        var offset = 3
        for _ in 0..<(Int(body[1]) << 8 | Int(body[2])) {
            let tag = body[offset]
            let key = Array(body[offset + 1..<offset + 33])
            if partialSet[key] != nil { world.broken(.oneSet, "a key twice in one set") }
            partialSet[key] = tag
            offset += 35 + (Int(body[offset + 33]) << 8 | Int(body[offset + 34]))
        }
        guard body[0] & 1 == 0 else { return }
        world.note("server set", Int64(partialSet.count))
        device.set = partialSet
        partialSet.removeAll()
        server.setChanged(device)
    }

    // MARK: Messages

    /// A live push; something of a poll may still be on its way.
    func push(_ number: Int) {
        guard !isEnded else { return }
        // The reference server drops live pushes when it is busy.
        if server.habits.isReference, server.faults.slow > 0, !isPolling, server.random.one(in: 3) { return }
        notify(number)
        if server.faults.repeats > 0, server.random.one(in: server.faults.repeats) { notify(number) }
    }

    private func notify(_ number: Int) {
        send(Frames.make(ServerMessage.notify.rawValue, world.ledger.payload(number)))
    }

    private func poll(after sequence: Int64) {
        guard state == .authenticated, let device else { return end(reset: false) }
        world.ledger.polled(after: sequence, device)
        let again = device.waiting.filter { world.ledger.messages[$0].sequence > sequence }
        backlog.append(contentsOf: again)
        guard !isPolling else { return }
        isPolling = true
        // The board asks again after its own ping, which goes out even where the server's own fill every silence.
        answer(otherwise: {
            isPolling = false
            backlog.removeAll()
        }) { [self] in bring() }
    }

    /// A few at a time, so that live ones come between.
    private func bring() {
        guard let device else { return }
        let count = Int(server.random.integer(1...20))
        for number in backlog.prefix(count) where device.waiting.contains(number) { push(number) }
        backlog.removeFirst(min(count, backlog.count))
        guard backlog.isEmpty else {
            return world.after(server.random.integer(1...1_500)) { [self] in if !isEnded { bring() } }
        }
        isPolling = false
        if !server.habits.isReference { send(Frames.make(.pollDone)) }
        if server.faults.nonsense > 0, server.random.one(in: server.faults.nonsense) {
            send(Frames.make(0x7F, [1, 2, 3]))
        }
    }

    private func acknowledge(_ payload: ArraySlice<UInt8>) {
        guard state == .authenticated, let device, payload.count == 17 else { return end(reset: true) }
        let number = MessageNumber.of(payload)
        world.ledger.arrived(number, status: payload[payload.endIndex - 1])
        server.acknowledged(number, device)
    }
}
