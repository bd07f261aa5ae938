import Bytes
import Testing

@testable import Relay

private func key(_ number: UInt8) -> Blob<16> { Blob([UInt8](repeating: number, count: 16).span.bytes) ?? Blob() }

/// A policy, and a copy of it after a restart.
private final class Rig {
    var policy = AdmissionPolicy()
    var rows: [(Int64, [UInt8], [UInt8])] = []

    func admit(_ number: UInt8 = 1, device: Int64 = 1, flap: UInt8? = nil, at seconds: Int64) -> AdmissionPolicy.Outcome
    {
        policy.admit(device: device, collapse: key(number), flap: flap.map { key($0) }, now: seconds * 1_000)
    }

    func keep() {
        func forget(_ device: Int64, _ key: RawSpan) {
            let key = key.withUnsafeBytes { Array($0) }
            rows.removeAll { $0.0 == device && $0.1 == key }
        }
        policy.forEachChange(
            forget: { device, key in forget(device, key) },
            keep: { device, key, state, _ in
                forget(device, key)
                rows.append((device, key.withUnsafeBytes { Array($0) }, state.withUnsafeBytes { Array($0) }))
            })
        policy.changesAreKept()
    }

    /// All that was kept comes back, `shift` seconds later by the new clock.
    func restart(shift: Int64 = 0, at seconds: Int64 = 1 << 40, capacity: Int = Limits.admissions) {
        keep()
        policy = AdmissionPolicy(policy.numbers, capacity: capacity)
        for row in rows {
            policy.restore(
                device: row.0, key: row.1.span.bytes, state: row.2.span.bytes, shift: shift * 1_000,
                now: seconds * 1_000)
        }
    }
}

@Suite struct PolicyTests {
    @Test(arguments: [false, true]) func coalescing(restarts: Bool) {
        let rig = Rig()
        func step() { if restarts { rig.restart() } }
        #expect(rig.admit(at: 0) == .forwarded)
        step()
        #expect(rig.admit(at: 74) == .coalesced)
        step()
        // Counted from what was forwarded, not from what was seen.
        #expect(rig.admit(at: 75) == .forwarded)
        step()
        #expect(rig.admit(at: 149) == .coalesced)
        #expect(rig.admit(2, at: 149) == .forwarded, "another alert")
        #expect(rig.admit(device: 2, at: 149) == .forwarded, "another device")
        #expect(rig.admit(at: 150) == .forwarded)
    }

    @Test(arguments: [false, true]) func flapping(restarts: Bool) {
        let rig = Rig()
        func step() { if restarts { rig.restart() } }
        for number in 0..<6 {
            #expect(rig.admit(at: Int64(number) * 100) == .forwarded, "\(number)")
            step()
        }
        #expect(rig.admit(at: 600) == .suppressed, "the seventh")
        step()
        // One reminder in 30 minutes, counted from the sixth, at 500 s.
        #expect(rig.admit(at: 2_299) == .suppressed)
        step()
        #expect(rig.admit(at: 2_300) == .forwarded)
        step()
        #expect(rig.admit(at: 2_400) == .suppressed, "still cooled, though the first six are over")
        #expect(rig.admit(at: 4_100) == .forwarded)
        step()
        // Less than two hours of silence.
        #expect(rig.admit(at: 4_100 + 7_199) == .forwarded, "a reminder")
        step()
        #expect(rig.admit(at: 4_100 + 7_199 + 80) == .suppressed)
        step()
        let later: Int64 = 4_100 + 7_199 + 80 + 7_200
        for number in 0..<6 {
            #expect(rig.admit(at: later + Int64(number) * 80) == .forwarded, "\(number)")
            step()
        }
        #expect(rig.admit(at: later + 480) == .suppressed)
    }

    @Test func slowAlertsNeverFlap() {
        let rig = Rig()
        for number in 0..<50 { #expect(rig.admit(at: Int64(number) * 300) == .forwarded) }
        let other = Rig()
        for number in 0..<6 { #expect(other.admit(at: Int64(number) * 299) == .forwarded) }
        #expect(other.admit(at: 6 * 299) == .suppressed)
    }

    /// A cooled source whose every run has a name of its own is held back for as long as its reminder says, and so is
    /// another; the bucket stays empty. However many they are.
    @Test(arguments: [30, 31, 32, 33, 200], [false, true]) func suppressedRunsPushNothingOut(runs: Int, restarts: Bool)
    {
        let rig = Rig()
        rig.policy = AdmissionPolicy(capacity: 32)
        rig.policy.numbers.burst = 14
        rig.policy.numbers.refill = 3_600_000
        for number in 0..<6 {
            #expect(rig.admit(UInt8(number), flap: 200, at: Int64(number)) == .forwarded)
            #expect(rig.admit(UInt8(100 + number), flap: 201, at: Int64(number)) == .forwarded)
        }
        #expect(rig.admit(10, at: 6) == .forwarded)
        #expect(rig.admit(11, at: 6) == .forwarded)
        #expect(rig.admit(12, at: 6) == .limited(retryAfter: 3_594))
        #expect(rig.admit(12, flap: 200, at: 6) == .suppressed)
        for run in 0..<runs {
            let name = [UInt8](repeating: 1, count: 14) + [UInt8(run / 256), UInt8(run % 256)]
            let outcome = rig.policy.admit(
                device: 1, collapse: Blob(name.span.bytes) ?? Blob(), flap: key(201), now: 7_000)
            #expect(outcome == .suppressed, "\(run)")
        }
        if restarts { rig.restart(capacity: 32) }
        #expect(rig.admit(50, flap: 200, at: 8) == .suppressed, "still cooled")
        #expect(rig.admit(13, at: 8) == .limited(retryAfter: 3_592), "still empty")
        #expect(rig.admit(10, at: 80) == .coalesced, "still known")
    }

    /// Forwarded alerts do push one another out: first what decides nothing any more, then what is not cooled.
    @Test(arguments: [7, 8, 9, 100], [false, true]) func whatIsPushedOut(others: Int, restarts: Bool) {
        let rig = Rig()
        rig.policy = AdmissionPolicy(capacity: 8)
        rig.policy.numbers.burst = 7 + others
        rig.policy.numbers.refill = 3_600_000
        rig.policy.numbers.coalesce = 0
        for number in 0..<6 { #expect(rig.admit(1, at: Int64(number)) == .forwarded) }
        #expect(rig.admit(1, at: 6) == .suppressed)
        for number in 0..<others {
            #expect(rig.admit(UInt8(10 + number), at: 10) == .forwarded)
            if restarts { rig.restart(capacity: 8) }
        }
        #expect(rig.policy.count == 8 && (!restarts || rig.rows.count == 8), "and no more is kept than is in the table")
        #expect(rig.admit(1, at: 11) == .suppressed)
        #expect(rig.admit(2, at: 11) == .forwarded)
        #expect(rig.admit(3, at: 11) == .limited(retryAfter: 3_589))
    }

    /// An alert that names itself as its source is out of cooling after the same silence as one that names none.
    @Test(arguments: [nil, 1] as [UInt8?]) func itsOwnSource(flap: UInt8?) {
        let rig = Rig()
        for number in 0..<6 { #expect(rig.admit(flap: flap, at: Int64(number) * 80) == .forwarded) }
        #expect(rig.admit(flap: flap, at: 480) == .suppressed)
        #expect(rig.admit(flap: flap, at: 480 + 7_199) == .forwarded, "a reminder")
        #expect(rig.admit(flap: flap, at: 480 + 7_199 + 80) == .suppressed)
        let later: Int64 = 480 + 7_199 + 80 + 7_200
        for number in 0..<6 { #expect(rig.admit(flap: flap, at: later + Int64(number) * 80) == .forwarded) }
        #expect(rig.admit(flap: flap, at: later + 480) == .suppressed)
    }

    /// Runs of one job under identifiers of their own, with one for their source.
    @Test func flapIdentifier() {
        let rig = Rig()
        for number in 0..<6 { #expect(rig.admit(UInt8(number), flap: 200, at: Int64(number)) == .forwarded) }
        #expect(rig.admit(7, flap: 200, at: 7) == .suppressed)
        #expect(rig.admit(8, at: 7) == .forwarded)
    }

    @Test(arguments: [false, true]) func bucket(restarts: Bool) {
        let rig = Rig()
        for number in 0..<60 { #expect(rig.admit(UInt8(number), at: 100) == .forwarded) }
        if restarts { rig.restart() }
        #expect(rig.admit(60, at: 100) == .limited(retryAfter: 2))
        #expect(rig.admit(61, at: 101) == .limited(retryAfter: 1))
        #expect(rig.admit(1, device: 2, at: 101) == .forwarded, "another device")
        #expect(rig.admit(62, at: 102) == .forwarded)
        #expect(rig.admit(63, at: 102) == .limited(retryAfter: 2))
        // Full again after two minutes, and no fuller.
        for number in 100..<160 { #expect(rig.admit(UInt8(number), at: 10_000) == .forwarded) }
        #expect(rig.admit(160, at: 10_000) == .limited(retryAfter: 2))
        #expect(rig.admit(1, at: 10_000) == .limited(retryAfter: 2))
    }

    /// After a reboot, the same ages by a clock that began anew.
    @Test func reboot() {
        let rig = Rig()
        #expect(rig.admit(at: 5_000) == .forwarded)
        rig.restart(shift: -4_970)
        #expect(rig.admit(at: 104) == .coalesced)
        #expect(rig.admit(at: 105) == .forwarded)
    }

    /// What was not seen since the reboot is kept by the new clock too, or another restart would take it for the future.
    @Test func rebootThenRestart() {
        let rig = Rig()
        #expect(rig.admit(1, at: 900_000) == .forwarded)
        rig.restart(shift: -899_990)
        #expect(rig.admit(2, at: 20) == .forwarded)
        rig.restart()
        #expect(rig.admit(1, at: 84) == .coalesced)
        rig.restart()
        #expect(rig.admit(1, at: 85) == .forwarded)
    }

    /// A damaged row, or a clock that is not what it was, neither ends the process nor holds alerts back for ever.
    @Test(arguments: [Int64.min, .min / 2, -1, 0, 1 << 50, .max], [Int64.min, -1_000, 0, 1_000, .max])
    func wildTimes(time: Int64, shift: Int64) {
        let rig = Rig()
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        for (key, count) in [(1, 6), (0, 60)] as [(UInt8, UInt8)] {
            let head = bytes + bytes + [UInt8](repeating: 0, count: 15) + [count]
            let state = head + Array((0..<16).map { _ in bytes }.joined())
            let name = [UInt8](repeating: key, count: key == 0 ? 0 : 16)
            let restored = rig.policy.restore(
                device: 1, key: name.span.bytes, state: state.span.bytes, shift: shift, now: 1_000_000)
            #expect(restored)
        }
        _ = rig.admit(at: 1_000)
        // At the latest two hours of silence and a refilled bucket later.
        #expect(rig.admit(at: 1_000 + 7_200) == .forwarded)
    }

    @Test func aFullTableForgetsTheOldest() {
        let rig = Rig()
        rig.policy = AdmissionPolicy(capacity: 4)
        #expect(rig.admit(1, at: 0) == .forwarded)
        #expect(rig.admit(2, at: 1) == .forwarded)
        #expect(rig.admit(3, at: 2) == .forwarded)
        #expect(rig.admit(3, at: 3) == .coalesced)
        #expect(rig.admit(4, at: 4) == .forwarded)
        #expect(rig.policy.count == 4)
        #expect(rig.admit(3, at: 5) == .coalesced)
        #expect(rig.admit(1, at: 6) == .forwarded, "was forgotten")
    }

    @Test func whatIsNoState() {
        var policy = AdmissionPolicy()
        let key = [UInt8](repeating: 1, count: 16)
        func restores(_ byte: UInt8, _ length: Int) -> Bool {
            let state = [UInt8](repeating: byte, count: length)
            return policy.restore(device: 1, key: key.span.bytes, state: state.span.bytes, shift: 1, now: 1_000)
        }
        for length in [0, 159, 161] {
            let restored = restores(0, length)
            #expect(!restored)
        }
        let wild = restores(0x7F, 160)
        let fine = restores(0, 160)
        #expect(!wild && fine)
    }

    @Test func requestsAMinute() {
        var window = RateWindow(perMinute: 10)
        func take(_ name: String, _ now: Int64) -> Int64? {
            let name = Array(name.utf8)
            return window.take(name.span.bytes, now: now)
        }
        for number in 0..<10 { #expect(take("one", Int64(number) * 1_000) == nil) }
        #expect(take("one", 10_000) == 50)
        #expect(take("other", 10_000) == nil)
        #expect(take("one", 59_999) == 1)
        #expect(take("one", 60_000) == nil)
        #expect(take("one", 60_000) == 1)
        #expect(take("one", 61_000) == nil)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-30T00:44:00+00:00", 1_795_999_440_000_000),
            ("2026-11-30T00:44:00.004711+00:00", 1_795_999_440_004_711),
            ("2026-11-30T02:44:00+02:00", 1_795_999_440_000_000),
            ("2024-02-29T23:59:59Z", 1_709_251_199_000_000),
        ] as [(String, Int64)]) func times(text: String, time: Int64)
    {
        let bytes = Array(text.utf8)
        let parsed = Timestamp.parse(bytes.span.bytes)
        #expect(parsed == time)
    }

    @Test(
        arguments: [
            "", "2026-11-30", "2026-11-30T00:44:00", "2026-11-30 00:44:00Z", "2026-13-30T00:44:00Z",
            "2023-02-29T00:44:00Z", "2026-11-30T24:44:00Z", "2026-11-30T00:44:00.Z", "2026-11-30T00:44:00+0000",
            "2026-11-30T00:44:00ZZ", "2026-1a-30T00:44:00Z", "1969-12-31T23:59:59Z",
        ]) func noTimes(text: String)
    {
        let bytes = Array(text.utf8)
        let parsed = Timestamp.parse(bytes.span.bytes)
        #expect(parsed == nil)
    }
}
