import Bytes
import Loop
import Panel
import SGP
import Store

/// Requests on the control socket. The first line of an answer is `ok`, with a word where one is asked for, or `error`
/// with the reason.
extension Gateway {
    func answer(_ request: RawSpan, into answer: inout ByteBuffer, now: Int64) {
        if request.equals("status json") {
            beginStatus(&answer)
            answer.append(json: report(now: now))
        } else if request.equals("status") {
            beginStatus(&answer)
            answer.append(text: report(now: now), now: clock.unixTime)
        } else if request.equals("registrations") {
            uplink?.registrationsChanged(now: now)
            answer.append("ok\n")
        } else if request.equals("pairings") {
            do throws(StoreError) {
                try opener.load(store, directory: configuration.directory)
                opener.reportKeys(to: log)
                answer.append("ok\n")
            } catch {
                self.report(error)
                answer.append("error the pairings could not be read\n")
            }
        } else if request.starts(with: "keepalive") {
            answerKeepAlive(request, into: &answer, now: now)
        } else if request.equals("inbox") {
            refreshMessageLight(now: now)
            answer.append("ok\n")
        } else if request.equals("reconnect") {
            reconnect(now: now)
            answer.append("ok\n")
        } else if request.equals("reload") {
            answer.append(reload(now: now) ? "ok\n" : "error the configuration has faults: see `skyglowd check`\n")
        } else if request.equals("stop") {
            log.notice(.gateway, "asked to stop")
            isStopping = true
            answer.append("ok\n")
        } else if request.equals("panel test") {
            beginTestStep(0, now: now)
            answer.append(testStep == nil ? "error no outputs are configured\n" : "ok\n")
        } else {
            answer.append("error unknown request\n")
        }
    }

    private func beginStatus(_ answer: inout ByteBuffer) {
        answer.append("ok ")
        answer.append((uplink?.link.state ?? .unconfigured).name)
        answer.append("\n")
    }

    /// How things stand.
    func report(now: Int64) -> StatusReport {
        let unix = clock.unixTime
        let milliseconds = Int64(1_000)
        var report = StatusReport(
            state: uplink?.link.state ?? .unconfigured,
            server: uplink?.settings.serverAddress ?? Blob<16>(),
            since: unix - (now - (uplink?.link.since ?? now)) / milliseconds,
            keepAlive: uplink?.session.keepAlive
                ?? KeepAlive(interval: configuration.keepalive.minimum * milliseconds, pongTimeout: 0),
            counters: Counters(), memory: memory, message: panel.light(.message).name, link: panel.light(.link).name,
            buzzer: configuration.panel.buzzer.isEmpty ? "none" : panel.hasProblem(.buzzer) ? "problem" : "ready",
            panelProblems: panel.problemCount)
        if let uplink {
            report.address = uplink.identity?.address ?? Blob<255>()
            report.endpoint = uplink.endpointText
            report.tls = uplink.stream.version
            report.failures = uplink.failures
            report.network = uplink.network
            report.seenFingerprint = uplink.seenFingerprint
            report.nextAttempt = uplink.link.nextAttempt.map { unix + ($0 - now) / milliseconds }
            report.lastEnd = uplink.lastEnd
            report.lastSeq = uplink.delivery.lastSequence
            report.registrations = uplink.registrations.count
        }
        timekeeper.refresh(now: now)
        report.clockOffset = timekeeper.clock.offset
        report.clockTrust = timekeeper.trust
        report.clockSince = unix - (now - timekeeper.since) / milliseconds
        if let relay {
            report.relay = RelayReport(
                address: relay.listener.address, isListening: relay.listener.isListening,
                connections: relay.listener.connections, pairings: opener.count, counters: relay.counters)
        }
        do throws(StoreError) {
            report.unread = try store.unreadCount()
            report.counters = try store.counters()
            if let uplink { report.pendingAcks = try store.acknowledgementCount(after: uplink.acks.queued) }
            try explainInterval(in: &report, now: now)
        } catch { self.report(error) }
        return report
    }
}
