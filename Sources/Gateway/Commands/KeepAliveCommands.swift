import Bytes
import CBoard
import Loop
import SGP
import Store

/// `skyglowd keepalive …`: what was learned about silence, whether or not the gateway runs.
extension CommandRunner {
    /// The network that the running gateway uses, and what its learner holds.
    private struct Running {
        var identity: NetworkIdentity
        var state: IntervalState
        /// Its row, once something was learned.
        var id: Int64?
    }

    // MARK: The running gateway

    /// Nil where none runs, or none with a server.
    private func running(_ configuration: Configuration, _ store: Store) throws(StartupError) -> Running? {
        guard let answer = try ask("keepalive", configuration) else { return nil }
        let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n")
        guard lines.first == "ok" else { throw StartupError("the gateway gave no answer", .unavailable) }
        guard lines.count > 1 else { return nil }
        var words: [String] = []
        for word in lines[1].split(separator: " ") { words.append(String(word)) }
        guard words.count > 3, let kind = UInt8(words[1]).flatMap({ InterfaceKind(rawValue: $0) }),
            let name = Blob<16>(hex: String(words[0].dropFirst()).utf8Span.span.bytes),
            let key = Blob<20>(hex: String(words[2].dropFirst()).utf8Span.span.bytes),
            let state = IntervalState(words[3...])
        else { throw StartupError("the gateway gave an answer of another version", .unavailable) }
        let id = try Startup.stored { () throws(StoreError) in
            try store.networkID(name: name.bytes, kind: Int64(kind.rawValue), key: key.bytes)
        }
        return Running(identity: NetworkIdentity(name: name, kind: kind, key: key), state: state, id: id)
    }

    // MARK: Choosing

    /// Whether a network is the one that was asked for: by its number, its interface or its gateway.
    private func isChosen(_ wanted: String?, _ id: Int64?, _ name: RawSpan, _ key: RawSpan) -> Bool {
        guard let wanted else { return true }
        if let id, Int64(wanted) == id { return true }
        if name.equals(wanted) { return true }
        guard key.byteCount > 0 else { return false }
        var text = ByteBuffer(capacity: 64)
        text.append(gateway: key)
        return text.bytes.equals(wanted)
    }

    private func unknown(_ network: String) -> StartupError {
        var text = ByteBuffer(capacity: 128)
        text.append(printable: network.utf8Span.span.bytes, limit: 48)
        let name = String(decoding: text.pointer, as: UTF8.self)
        return StartupError("no network \(name) is known: see `skyglowd keepalive show`", .badData)
    }

    // MARK: Show

    /// One network, as it is shown.
    private struct Shown {
        var id: Int64?
        var isRunning: Bool
        var kind: InterfaceKind
        var state: IntervalState
        var evidence: IntervalEvidence
        /// When something was learned last, Unix seconds; nil where nothing was.
        var changed: Int64?
    }

    func showIntervals(_ wanted: String?) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let store = try openStore(configuration)
        let running = try running(configuration, store)
        let now = SystemClock().unixTime
        var output = standardOutput()
        var count = 0
        if json { output.write("{\"running\":\(running != nil),\"networks\":[") }
        if let running, running.id == nil,
            isChosen(wanted, nil, running.identity.name.bytes, running.identity.key.bytes)
        {
            let shown = Shown(
                id: nil, isRunning: true, kind: running.identity.kind, state: running.state,
                evidence: IntervalEvidence())
            show(shown, running.identity.name.bytes, running.identity.key.bytes, now, isFirst: true, &output)
            count = 1
        }
        var failure: StoreError?
        try Startup.stored { () throws(StoreError) in
            try store.networks { row in
                guard isChosen(wanted, row.id, row.name, row.key) else { return true }
                do throws(StoreError) {
                    let shown = try explain(row, running, configuration, store, now)
                    show(shown, row.name, row.key, now, isFirst: count == 0, &output)
                } catch {
                    failure = error
                    return false
                }
                count += 1
                return true
            }
        }
        if let failure { throw StartupError(failure) }
        if count == 0, let wanted { throw unknown(wanted) }
        if json { output.write("]}\n") } else if count == 0 { Output.complain("nothing has been learned yet") }
        return .ok
    }

    /// What the gateway holds of the network in use, and what it would begin with on any other.
    private func explain(
        _ row: borrowing NetworkRow, _ running: Running?, _ configuration: Configuration, _ store: Store, _ now: Int64
    ) throws(StoreError) -> Shown {
        let kind = UInt8(exactly: row.kind).flatMap { InterfaceKind(rawValue: $0) } ?? .other
        let known = row.learned
        let isRunning = running?.id == row.id
        var state: IntervalState
        if let running, isRunning {
            state = running.state
        } else {
            let identity = NetworkIdentity(name: Blob(), kind: kind, key: Blob())
            var learner = Startup.keepAlive(configuration).fresh(jitter: 0, maximum: identity.longestInterval)
            learner.restore(known, now: 0, unixTime: now)
            state = IntervalState(learner, now: 0, unixTime: now)
        }
        let evidence = try IntervalEvidence.read(
            store, network: row.id, proven: state.proven, refuted: state.refuted)
        return Shown(
            id: row.id, isRunning: isRunning, kind: kind, state: state, evidence: evidence, changed: known.changed)
    }

    private func show(
        _ shown: Shown, _ name: RawSpan, _ key: RawSpan, _ now: Int64, isFirst: Bool, _ output: inout Output
    ) {
        var text = ByteBuffer(capacity: 8192)
        if json {
            if !isFirst { text.append(",") }
            append(json: shown, name, key, to: &text)
        } else {
            if !isFirst { text.append("\n") }
            append(text: shown, name, key, now, to: &text)
        }
        output.write(text.pointer)
    }

    private func append(json shown: Shown, _ name: RawSpan, _ key: RawSpan, to out: inout ByteBuffer) {
        let state = shown.state
        out.append("{")
        out.member("id", shown.id)
        out.key("interface")
        out.append("{")
        var word = ByteBuffer(capacity: 64)
        word.append(visible: name, limit: 48)
        out.member("name", textUnlessEmpty: word.bytes)
        out.member("kind", shown.kind.name)
        out.append("}")
        word.removeAll()
        word.append(gateway: key)
        out.member("gateway", textUnlessEmpty: word.bytes)
        out.member("in_use", shown.isRunning)
        out.member("stage", state.stage.name)
        out.member("interval", state.interval)
        out.member("proven", state.proven > 0 ? state.proven : nil as Int64?)
        out.member("proven_at", shown.evidence.provenAt)
        out.member("refuted", state.refuted)
        out.member("refuted_at", shown.evidence.refutedAt)
        out.member("refuted_times", shown.evidence.refutations)
        out.member(state.probe, on: state.place)
        out.member("minimum", state.minimum)
        out.member("maximum", state.maximum)
        out.member("floor", min(state.minimum, KeepAlive.floor / 1_000))
        out.member("changed", shown.changed)
        out.member("events", shown.evidence.count)
        var reason = ByteBuffer(capacity: 512)
        reason.append(reason: state)
        out.member("reason", text: reason.bytes)
        out.append("}")
    }

    private func append(text shown: Shown, _ name: RawSpan, _ key: RawSpan, _ now: Int64, to out: inout ByteBuffer) {
        let state = shown.state
        if let id = shown.id { out.append(decimal: id) } else { out.append("-") }
        out.append("  ")
        out.append(network: name, kind: shown.kind, key: key)
        if shown.isRunning { out.append(", in use") }
        out.row("  interval", "")
        out.append(span: state.interval)
        out.append(shown.isRunning ? ", " : " to begin with, ")
        out.append(state.stage.words)
        out.row("  proven", state.proven > 0 ? "" : "nothing yet")
        if state.proven > 0 {
            out.append(span: state.proven)
            if let at = shown.evidence.provenAt { append(moment: at, now, to: &out) }
        }
        out.row("  ceiling", state.refuted == nil ? "none found" : "")
        appendCeiling(shown, now, to: &out)
        out.row("  next probe", "")
        appendProbe(state, now, to: &out)
        out.row("  bounds", "")
        out.append(span: state.minimum)
        if !state.isFixed {
            if state.maximum > state.minimum {
                out.append(" to ")
                out.append(span: state.maximum)
            }
            let floor = KeepAlive.floor / 1_000
            if state.minimum > floor {
                out.append(", down to ")
                out.append(span: floor)
                out.append(" where even that fails")
            }
        }
        var reason = ByteBuffer(capacity: 512)
        reason.append(reason: state)
        out.row("  why", "")
        out.append(wrapped: reason.bytes, indent: 13)
        out.append("\n")
    }

    private func append(moment time: Int64, _ now: Int64, to out: inout ByteBuffer) {
        out.append(", ")
        // The day is enough: how long ago it was follows.
        let start = out.count
        out.append(date: time)
        out.truncate(to: min(start + 10, out.count))
        guard now >= time else { return }
        out.append(",")
        out.append(ago: time, now: now)
    }

    private func appendCeiling(_ shown: Shown, _ now: Int64, to out: inout ByteBuffer) {
        guard let refuted = shown.state.refuted else { return }
        out.append("no answer after ")
        out.append(decimal: refuted)
        out.append(" s idle")
        guard let at = shown.evidence.refutedAt else { return }
        out.append(", ")
        out.append(times: max(shown.evidence.refutations, 1))
        append(moment: at, now, to: &out)
    }

    private func appendProbe(_ state: IntervalState, _ now: Int64, to out: inout ByteBuffer) {
        guard let probe = state.probe else { return out.append("none") }
        out.append(span: probe.interval)
        switch probe.due {
        case nil: out.append(", now")
        case let due? where due > now:
            out.append(", in ")
            out.append(span: due - now)
        default: out.append(", once the proven has held again")
        }
        if state.place == .second { out.append(", on a second connection") }
    }

    // MARK: Plot

    /// What is plotted, out of the store.
    private struct Plotted {
        var title: String
        var events: [IntervalEvent] = []
        /// Something was learned of other networks.
        var hasOthers = false
    }

    func plotIntervals(svg: String?, _ wanted: String?) throws(StartupError) -> ExitCode {
        var plotted = Plotted(title: "")
        _ = try asOwner { () throws(StartupError) in
            plotted = try history(wanted)
            return .ok
        }
        guard
            let plot = IntervalPlot(
                title: plotted.title, events: plotted.events, now: SystemClock().unixTime)
        else {
            let reason =
                plotted.hasOthers
                ? "nothing has been learned of this network yet; there are others: name one by --network, "
                    + "see `skyglowd keepalive show`"
                : "the history is empty: nothing has been learned yet"
            // A script that wants a picture must not take the last one for it.
            if svg != nil { throw StartupError(reason, .badData) }
            Output.complain(reason)
            return .ok
        }
        guard let svg else {
            printText(plot.text(Self.isUnicode ? .unicode : .ascii))
            return .ok
        }
        var picture = ByteBuffer(capacity: Limits.intervalPicture)
        plot.append(svgTo: &picture)
        guard !picture.overflowed else { throw StartupError("the picture is too large", .inputOutput) }
        if svg == "-" {
            var output = standardOutput()
            output.write(picture.pointer)
            return .ok
        }
        do throws(SystemError) { try UserFile.write(svg, picture.bytes) } catch {
            throw StartupError(error, path: svg)
        }
        return .ok
    }

    /// Of the network that was asked for, else of the one in use, else of the one that something was learned of last.
    /// Without events where nothing is known.
    private func history(_ wanted: String?) throws(StartupError) -> Plotted {
        let configuration = try configuration()
        let store = try openStore(configuration)
        let running = try running(configuration, store)
        var found: (id: Int64, title: String)?
        var count = 0
        try Startup.stored { () throws(StoreError) in
            try store.networks { row in
                count += 1
                guard isChosen(wanted, row.id, row.name, row.key) else { return true }
                let isRunning = running?.id == row.id
                if found == nil || isRunning {
                    var title = ByteBuffer(capacity: 256)
                    let kind = UInt8(exactly: row.kind).flatMap { InterfaceKind(rawValue: $0) } ?? .other
                    title.append(network: row.name, kind: kind, key: row.key)
                    found = (row.id, String(decoding: title.pointer, as: UTF8.self))
                }
                // One more says that there are others.
                return !isRunning || count < 2
            }
        }
        // The one in use is known though nothing has been learned of it.
        if let running, running.id == nil,
            wanted.map({ isChosen($0, nil, running.identity.name.bytes, running.identity.key.bytes) }) ?? true
        {
            return Plotted(title: "", hasOthers: count > 0)
        }
        guard let found else {
            if let wanted { throw unknown(wanted) }
            return Plotted(title: "")
        }
        var plotted = Plotted(title: found.title, hasOthers: count > 1)
        try Startup.stored { () throws(StoreError) in
            try store.intervalEvents(network: found.id) { event in
                plotted.events.append(event)
                return true
            }
        }
        return plotted
    }

    /// Whether the locale's characters are UTF-8 (locale(7)).
    private static var isUnicode: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = environment(name) else { continue }
            let text = value.lowercased()
            return text.hasSuffix("utf-8") || text.hasSuffix("utf8")
        }
        return false
    }

    // MARK: Forget

    func forgetIntervals(_ wanted: String?) throws(StartupError) -> ExitCode {
        let configuration = try configuration()
        let store = try openStore(configuration)
        if wanted == "all" {
            try forget(nil, store, configuration)
            return .ok
        }
        let running = try running(configuration, store)
        guard let wanted else {
            guard let running else {
                throw StartupError("no network is in use: say which one, or all", .usage)
            }
            // Without a row there is nothing that the learner could have learned.
            if let id = running.id { try forget(id, store, configuration) }
            return .ok
        }
        var ids: [Int64] = []
        try Startup.stored { () throws(StoreError) in
            try store.networks { row in
                if isChosen(wanted, row.id, row.name, row.key) { ids.append(row.id) }
                return true
            }
        }
        guard !ids.isEmpty else { throw unknown(wanted) }
        for id in ids { try forget(id, store, configuration) }
        return .ok
    }

    /// By the running gateway, whose learner must take notice, or where there is none from the store.
    private func forget(_ id: Int64?, _ store: Store, _ configuration: Configuration) throws(StartupError) {
        let request = "keepalive forget " + (id.map { String($0) } ?? "all")
        if let answer = try ask(request, configuration) {
            guard String(decoding: answer, as: UTF8.self).hasPrefix("ok") else {
                throw StartupError("the gateway could not forget it: see the log", .unavailable)
            }
            return
        }
        try Startup.stored { () throws(StoreError) in
            if let id { _ = try store.forgetNetwork(id) } else { _ = try store.forgetNetworks(name: nil) }
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func member(_ name: String, textUnlessEmpty text: RawSpan) {
        if text.byteCount > 0 { member(name, text: text) } else { member(name, text: nil) }
    }

    /// Words on lines of at most 80 bytes; each line after the first begins with spaces, as the first is thought to.
    mutating func append(wrapped text: RawSpan, indent: Int) {
        var column = indent
        var index = 0
        while index < text.byteCount {
            var end = index
            while end < text.byteCount, text[end] != UInt8(ascii: " ") { end += 1 }
            if column > indent {
                if column + 1 + end - index > 80 {
                    append("\n")
                    for _ in 0..<indent { append(" ") }
                    column = indent
                } else {
                    append(" ")
                    column += 1
                }
            }
            append(text.extracting(index..<end))
            column += end - index
            index = end + 1
        }
    }
}
