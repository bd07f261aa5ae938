// What goes out: frames, their faults, and planned actions.
extension Server {
    /// Sends one frame; `fields` belong to its event.
    func send(
        _ connection: Connection, _ type: ServerType, _ payload: [UInt8] = [],
        _ fields: [(name: String, value: Event.Value)] = []
    ) {
        var header = HeaderFault()
        if let fault = state.header {
            state.header = nil
            header = fault
            log(.fault, connection, [("what", .text("header of \(type.name)"))])
        }
        let note =
            [
                ("type", Event.Value.text(type.name)), ("size", .integer(Int64(payload.count))),
            ] as [(name: String, value: Event.Value)]
        enqueue(connection, Wire.frame(type.rawValue, payload, header: header), note: note + fields)
    }

    /// Puts bytes in the outbox: one write each, unless they are split or a burst gathers them.
    func enqueue(_ connection: Connection, _ bytes: [UInt8], note: [(name: String, value: Event.Value)]? = nil) {
        guard connection.stage == .open, !connection.silenced, !state.silence.contains(.everything) else { return }
        let notes = note.map { [$0] } ?? []
        if bursting {
            // In place: a burst may be thousands of frames.
            if connection.burst == nil { connection.burst = ([], []) }
            connection.burst?.bytes += bytes
            connection.burst?.notes += notes
            return
        }
        write(connection, bytes, notes)
    }

    private func write(_ connection: Connection, _ bytes: [UInt8], _ notes: [[(name: String, value: Event.Value)]]) {
        var time = outputTime(connection)
        let size = max(1, state.split?.size ?? bytes.count)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let end = min(start + size, bytes.count)
            let chunk = size >= bytes.count ? bytes : Array(bytes[start..<end])
            connection.outbox.append(
                Connection.Output(item: .bytes(chunk), time: time, notes: end == bytes.count ? notes : []))
            time += state.split?.delay ?? 0
        }
    }

    /// Not before anything that already waits.
    private func outputTime(_ connection: Connection) -> Int64 {
        let last = connection.hasOutput ? connection.outbox[connection.outbox.count - 1].time : 0
        return max(last, monotonic() + state.delay)
    }

    func end(_ connection: Connection, _ item: Connection.Output.Item) {
        connection.outbox.append(Connection.Output(item: item, time: outputTime(connection)))
    }

    /// Gathers everything that `body` sends into one write a connection.
    func gather(_ body: () throws -> Void) rethrows {
        bursting = true
        defer {
            bursting = false
            for connection in connections {
                guard let burst = connection.burst else { continue }
                connection.burst = nil
                write(connection, burst.bytes, burst.notes)
            }
        }
        try body()
    }

    /// S_DISCONNECT and the end of the connection.
    func bye(_ connection: Connection, _ reason: UInt8, retryAfter: UInt32? = nil) {
        // The reference server always sends both fields, and 0 means none.
        let seconds = state.referenceWays ? retryAfter ?? 0 : retryAfter
        send(
            connection, .disconnect, [reason] + (seconds.map { Wire.bigEndian($0) } ?? []),
            [("reason", .integer(Int64(reason)))])
        end(connection, .close)
    }

    /// The reference server would have ended here.
    func crash(_ connection: Connection, _ what: String) {
        log(.crashed, connection, [("what", .text(what))])
        unlisten(dropping: true)
    }
}

// MARK: Plans

extension Server {
    /// Carries out what is planned for a moment. False if the server is to do nothing more at this point.
    func fires(_ moment: Moment, _ connection: Connection) -> Bool {
        var goesOn = true
        for index in plans.indices where plans[index].moment == moment {
            if plans[index].times == 0 { continue }
            if plans[index].skipping > 0 {
                plans[index].skipping -= 1
                continue
            }
            plans[index].times = plans[index].times.map { $0 - 1 }
            for action in plans[index].actions {
                log(.fault, connection, [("what", .text("\(action.word) at \(moment.rawValue)"))])
                if !perform(action, connection) { goesOn = false }
            }
        }
        plans.removeAll { $0.times == 0 }
        return goesOn && connection.stage != .ended
    }

    private func perform(_ action: Action, _ connection: Connection) -> Bool {
        switch action {
        case .send(let bytes):
            enqueue(connection, bytes)
            return true
        case .skip: return false
        case .stall:
            connection.stalled = true
            if connection.tls == nil { connection.stage = .untouched }
            return true
        case .silence:
            connection.silenced = true
            if connection.tls == nil { connection.stage = .untouched }
            return true
        case .drop:
            if connection.stage == .open { end(connection, .drop) } else { reset(connection, why: "planned") }
            return false
        case .close:
            if connection.stage == .open {
                end(connection, .close)
            } else {
                finish(connection, by: "server", how: "close", why: "planned")
            }
            return false
        case .disconnect(let reason, let retryAfter):
            bye(connection, reason, retryAfter: retryAfter)
            return false
        }
    }
}

extension Action {
    /// For events.
    var word: String {
        switch self {
        case .drop: "drop"
        case .close: "close"
        case .disconnect(let reason, _): "disconnect \(reason)"
        case .send(let bytes): "send \(bytes.count) bytes"
        case .skip: "skip"
        case .stall: "stall"
        case .silence: "silence"
        }
    }
}
