import Bytes

/// What the gateway says of its connection (`state` in the status).
public enum LinkState: UInt8, Sendable, Equatable {
    case starting, unconfigured, resolving, connecting, registering, authenticating, connected, backingOff, noNetwork,
        authRefused, versionRefused, configurationFault, stopping

    /// The name that `status` and scripts use.
    public var name: String {
        switch self {
        case .starting: "starting"
        case .unconfigured: "unconfigured"
        case .resolving: "resolving"
        case .connecting: "connecting"
        case .registering: "registering"
        case .authenticating: "authenticating"
        case .connected: "connected"
        case .backingOff: "backing-off"
        case .noNetwork: "no-network"
        case .authRefused: "error-auth"
        case .versionRefused: "error-version"
        case .configurationFault: "error-config"
        case .stopping: "stopping"
        }
    }
}

/// Decides when to connect (SGP v2 §9): one connection at a time, a delay after each failure, none after a planned end,
/// and a stop after a refusal that only a person can mend. Name servers and the store have a row of failures of their own. No I/O and no clock of its own.
public struct Link: Sendable {
    public private(set) var state = LinkState.starting
    /// Failures in a row since the last login that succeeded.
    public private(set) var failures = 0
    /// Times in a row that name servers failed. They have a short delay of their own and do not lengthen the other one.
    public private(set) var nameFailures = 0
    /// Connections in a row that ended because the store could not write. A login does not end the row, or a full disk
    /// would cost a signature, a TLS handshake and a whole poll every few seconds for ever: only a write that succeeds
    /// does, or a person.
    public private(set) var storeFailures = 0
    /// When the next attempt is due; nil while one is under way or none will follow by itself.
    public private(set) var nextAttempt: Int64?
    /// There is no network, as far as the owner knows: looking for the server, calling it and waiting are then
    /// `noNetwork`, so that the light does not change with each attempt.
    public private(set) var isCutOff = false
    /// When the current state began.
    public private(set) var since: Int64 = 0
    /// Planned ends in a row without a login between: a server that keeps causing them must not make us spin.
    private var plannedEnds = 0
    private static let plannedEndsAtOnce = 3

    public init() {}

    /// Begins to connect, or says that nothing is configured to connect to.
    public mutating func start(isConfigured: Bool, now: Int64) {
        forgetFailures()
        forgetStoreFailures()
        nextAttempt = isConfigured ? now : nil
        enter(isConfigured ? .starting : .unconfigured, now: now)
    }

    /// The attempt that was due begins; true once for each.
    public mutating func takeAttempt(now: Int64) -> Bool {
        guard let due = nextAttempt, now >= due else { return false }
        nextAttempt = nil
        return true
    }

    /// The attempt has come this far.
    public mutating func reached(_ state: LinkState, now: Int64) {
        if state == .connected {
            forgetFailures()
            isCutOff = false
        }
        enter(state, now: now)
    }

    /// The connection or the attempt ended. `random` is 0 to `Backoff.jitter`; `isCutOff` is what the end says of the
    /// network, nil for nothing. Each has one end: what follows it while the next attempt waits, or where none will
    /// follow, changes nothing.
    public mutating func ended(
        _ reason: EndReason, during purpose: Purpose, random: Int64, isCutOff: Bool? = nil, now: Int64
    ) {
        guard nextAttempt == nil, !isStopped else { return }
        if let isCutOff { self.isCutOff = isCutOff }
        if case .noNetwork = reason { self.isCutOff = true }
        if case .resolverFailed = reason { return waitForNames(random: random, now: now) }
        nameFailures = 0
        if reason.isFailedWrite { return waitForStore(random: random, now: now) }
        switch reason.classified(during: purpose) {
        case .planned where plannedEnds < Self.plannedEndsAtOnce:
            plannedEnds += 1
            nextAttempt = now
            enter(.connecting, now: now)
        case .planned: backOff(retryAfter: 0, random: random, now: now)
        case .soft(let retryAfter):
            backOff(retryAfter: retryAfter, random: random, now: now)
        case .authRefused:
            failures += 1
            stop(.authRefused, now: now)
        case .versionRefused:
            failures += 1
            stop(.versionRefused, now: now)
        }
    }

    /// Another network or a wake from suspend may help: forgets the failures, and an attempt that waits is due at once.
    /// A refusal stands, for only a person can mend it. So does the count of the store's failures, of which a network says
    /// nothing: the attempt is made at once, for the disk may have been cleared meanwhile, and if it ends in the same way,
    /// the delay goes on growing.
    public mutating func networkChanged(hasNetwork: Bool = true, now: Int64) {
        guard !isStopped else { return }
        forgetFailures()
        isCutOff = isCutOff && !hasNetwork
        guard nextAttempt != nil else { return }
        nextAttempt = now
        enter(.connecting, now: now)
    }

    /// A person did something that may help: a reload, a reconnect. Forgets failures and refusals and tries at once.
    public mutating func kick(now: Int64) {
        forgetStoreFailures()
        tryAgain(now: now)
    }

    /// What a person did may have helped the store, or it has just made durable what was received.
    public mutating func forgetStoreFailures() { storeFailures = 0 }

    /// Something else than a person, and not of the store, gives reason to hope: the same, but for the store's failures.
    public mutating func tryAgain(now: Int64) {
        guard state != .unconfigured, state != .stopping else { return }
        forgetFailures()
        isCutOff = false
        nextAttempt = now
        enter(.connecting, now: now)
    }

    /// No attempt follows.
    public mutating func stop(_ state: LinkState, now: Int64) {
        nextAttempt = nil
        enter(state, now: now)
    }

    /// No attempt follows by itself.
    private var isStopped: Bool {
        switch state {
        case .unconfigured, .authRefused, .versionRefused, .configurationFault, .stopping: true
        default: false
        }
    }

    private mutating func forgetFailures() {
        failures = 0
        nameFailures = 0
        plannedEnds = 0
    }

    private mutating func waitForNames(random: Int64, now: Int64) {
        nameFailures += 1
        nextAttempt = now + Backoff.resolving(failures: nameFailures, random: random)
        enter(.resolving, now: now)
    }

    private mutating func waitForStore(random: Int64, now: Int64) {
        storeFailures += 1
        nextAttempt = now + Backoff.delay(failures: storeFailures, random: random, retryAfter: 0)
        enter(.backingOff, now: now)
    }

    private mutating func backOff(retryAfter: UInt32, random: Int64, now: Int64) {
        failures += 1
        nextAttempt = now + Backoff.delay(failures: failures, random: random, retryAfter: retryAfter)
        enter(.backingOff, now: now)
    }

    private mutating func enter(_ next: LinkState, now: Int64) {
        var next = next
        switch next {
        case .resolving, .connecting, .backingOff: if isCutOff { next = .noNetwork }
        default: break
        }
        if next != state { since = now }
        state = next
    }
}
