import SGP

/// What the clock means for the connection, and the connection for the clock (SGP v2 §4, §10).
extension Uplink {
    /// The system's clock was set. A login that was refused may succeed with the other time: as good as a restart, once
    /// for each step. On a connection whose login was accepted with a time that is far from the new one, another login
    /// tells which is right.
    func clockWasSet(now: Int64) {
        let clock = timekeeper.clock
        if clock.mayTryAgain, link.state == .authRefused || link.nextAttempt != nil {
            timekeeper.triesAgain()
            log.notice(.clock, "a login was refused before the clock was set: trying again")
            link.tryAgain(now: now)
        } else if clock.trust(boot: now) == .moved, session.phase == .authenticated {
            _ = leave(.clockSet, now: now)
        }
    }

    /// What an end of the connection, or of the attempt, says of the clock. AUTH_FAIL also means a clock that is too far
    /// off, so where there is another time to try, it is tried once before the refusal stands.
    func judgeClock(by reason: EndReason, now: Int64) {
        switch reason {
        case .protocolFault(.clockOffset(let seconds)): timekeeper.contradicted(by: seconds, now: now)
        case .disconnected(let code, _) where DisconnectReason(rawValue: code) == .authFail:
            guard timekeeper.loginRefused(now: now), link.state == .authRefused else { return }
            link.tryAgain(now: now)
        default: break
        }
    }
}
