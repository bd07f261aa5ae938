import Bytes

/// What the public relay does with alerts of one daemon, as code over injected time: coalescing, flap suppression and a
/// bucket for each device. Its table is reserved once. What decides nothing any more makes room first, then what is not
/// cooled, and of those what was not seen for longest; a bucket that is not full stays.
public struct AdmissionPolicy: ~Copyable {
    /// Milliseconds, and counts.
    public struct Numbers: Equatable, Sendable, BitwiseCopyable {
        /// After an alert was forwarded, the same one is not forwarded again for so long.
        public var coalesce: Int64 = 75_000
        /// So many may be forwarded within `flapWindow`; after them the alert is cooled.
        public var flapCount = 6
        public var flapWindow: Int64 = 1_800_000
        /// A cooled alert is forwarded again after so long, and is no longer cooled after so long a silence.
        public var reminder: Int64 = 1_800_000
        public var silence: Int64 = 7_200_000
        /// Alerts that a device may have at once, and how long one more takes.
        public var burst = 60
        public var refill: Int64 = 2_000

        public init() {}
    }

    public enum Outcome: Equatable, Sendable {
        case forwarded, coalesced, suppressed
        /// Not now: seconds until it may be tried again.
        case limited(retryAfter: Int64)
    }

    /// One kind of alert of one device; without a key the bucket of the device.
    struct Entry: BitwiseCopyable {
        var device: Int64 = 0
        var key = Blob<16>()
        /// When it was last forwarded; for a bucket, since when it is counted.
        var last = Int64.min / 4
        var seen = Int64.min / 4
        var isCooled = false
        /// Times in `forwards`; for a bucket, what has been taken out of it.
        var count = 0
        var forwards = InlineArray<16, Int64>(repeating: 0)
        var isChanged = false
        /// It is among what is durable.
        var isKept = false
        /// What is durable of the entry that was here before, and is to be forgotten.
        var replaced: Name?
    }

    struct Name: BitwiseCopyable, Equatable {
        var device: Int64
        var key: Blob<16>
    }

    public var numbers: Numbers
    private let entries: UnsafeMutablePointer<Entry>
    private let capacity: Int
    public private(set) var count = 0

    public init(_ numbers: Numbers = Numbers(), capacity: Int = Limits.admissions) {
        self.numbers = numbers
        // One alert touches three.
        self.capacity = max(capacity, 3)
        entries = .allocate(capacity: self.capacity)
        entries.initialize(repeating: Entry(), count: self.capacity)
    }

    deinit { entries.deallocate() }

    public mutating func removeAll() { count = 0 }

    /// Decides about one alert, at `now` in milliseconds of a clock that never goes back.
    /// - Parameters:
    ///   - collapse: what names the alert, 16 bytes.
    ///   - flap: what names its source across runs, where the daemon says so; else `collapse` does.
    public mutating func admit(device: Int64, collapse: Blob<16>, flap: Blob<16>?, now: Int64) -> Outcome {
        let alert = find(device, collapse)
        // One that names itself as its source is a source like any other.
        let isOwnSource = flap == nil || flap == collapse
        var source = isOwnSource ? alert : flap.flatMap { find(device, $0) }
        if let source { endCooling(source, now: now) }
        if let alert { see(alert, now: now) }
        if let alert, now - entries[alert].last < numbers.coalesce { return .coalesced }
        if let source, isFlapping(source, now: now) { return .suppressed }
        let bucket = find(device, Blob()) ?? insert(device, Blob(), now: now, keeping: alert, source)
        if let wait = take(bucket, now: now) { return .limited(retryAfter: wait) }
        // Only what was forwarded is remembered: runs of a cooled source, each with a name of its own, push nothing out.
        let place = alert ?? insert(device, collapse, now: now, keeping: bucket, source)
        if isOwnSource {
            source = place
        } else if source == nil, let flap {
            source = insert(device, flap, now: now, keeping: bucket, place)
        }
        entries[place].last = now
        entries[place].isChanged = true
        if let source {
            entries[source].last = now
            entries[source].isChanged = true
            note(source, now: now)
        }
        return .forwarded
    }

    /// It is seen, and after a long silence no longer cooled.
    private mutating func endCooling(_ index: Int, now: Int64) {
        if now - entries[index].seen >= numbers.silence {
            entries[index].isCooled = false
            entries[index].count = 0
        }
        see(index, now: now)
    }

    private mutating func see(_ index: Int, now: Int64) {
        entries[index].seen = now
        entries[index].isChanged = true
    }

    private mutating func isFlapping(_ index: Int, now: Int64) -> Bool {
        if entries[index].isCooled { return now - entries[index].last < numbers.reminder }
        var recent = 0
        for place in 0..<entries[index].count where now - entries[index].forwards[place] < numbers.flapWindow {
            recent += 1
        }
        guard recent >= numbers.flapCount else { return false }
        entries[index].isCooled = true
        return now - entries[index].last < numbers.reminder
    }

    /// Remembers the newest times, the oldest first.
    private mutating func note(_ index: Int, now: Int64) {
        let keep = min(numbers.flapCount, Limits.admissionForwards)
        while entries[index].count >= keep {
            for place in 1..<max(entries[index].count, 1) {
                entries[index].forwards[place - 1] = entries[index].forwards[place]
            }
            entries[index].count -= 1
        }
        entries[index].forwards[entries[index].count] = now
        entries[index].count += 1
    }

    /// Takes one out of the bucket; seconds to wait if it is empty.
    private mutating func take(_ index: Int, now: Int64) -> Int64? {
        let refilled = min(max(now - entries[index].last, 0) / numbers.refill, Int64(entries[index].count))
        entries[index].count -= Int(refilled)
        entries[index].last = entries[index].count == 0 ? now : entries[index].last + refilled * numbers.refill
        entries[index].seen = now
        entries[index].isChanged = true
        guard entries[index].count < numbers.burst else {
            return (entries[index].last + numbers.refill - now + 999) / 1_000
        }
        entries[index].count += 1
        return nil
    }

    // MARK: The table

    private func find(_ device: Int64, _ key: Blob<16>) -> Int? {
        for index in 0..<count where entries[index].device == device && entries[index].key == key { return index }
        return nil
    }

    /// A new entry, in the place of one that can best be spared and is neither of those to be kept.
    private mutating func insert(
        _ device: Int64, _ key: Blob<16>, now: Int64, keeping first: Int? = nil, _ second: Int? = nil
    ) -> Int {
        var index = count
        if count < capacity {
            count += 1
            entries[index] = Entry()
        } else {
            index = -1
            for other in 0..<count where other != first && other != second {
                if index < 0 || isSpared(other, before: index, now: now) { index = other }
            }
        }
        let old = entries[index]
        entries[index] = Entry(device: device, key: key, seen: now, isChanged: true)
        entries[index].replaced = old.isKept ? Name(device: old.device, key: old.key) : old.replaced
        return index
    }

    private func isSpared(_ index: Int, before other: Int, now: Int64) -> Bool {
        let (mine, others) = (worth(index, now: now), worth(other, now: now))
        return mine < others || (mine == others && entries[index].seen < entries[other].seen)
    }

    /// How much would be lost with it.
    private func worth(_ index: Int, now: Int64) -> Int {
        let entry = entries[index]
        if entry.key.isEmpty { return Int64(entry.count) > max(now - entry.last, 0) / numbers.refill ? 3 : 0 }
        if entry.isCooled { return now - entry.seen < numbers.silence ? 2 : 0 }
        let newest = entry.count > 0 ? entry.forwards[entry.count - 1] : entry.last
        return now - entry.last < numbers.coalesce || now - newest < numbers.flapWindow ? 1 : 0
    }

    // MARK: What is durable

    /// Hands over what changed since `changesAreKept`: first the names of what is to be forgotten, then what is to be
    /// kept, as the device, its key, the state and when it was seen.
    public func forEachChange<E: Error>(
        forget: (Int64, RawSpan) throws(E) -> Void, keep: (Int64, RawSpan, RawSpan, Int64) throws(E) -> Void
    ) throws(E) {
        for index in 0..<count {
            if let name = entries[index].replaced { try forget(name.device, name.key.bytes) }
        }
        for index in 0..<count where entries[index].isChanged {
            let entry = entries[index]
            var state = InlineArray<160, UInt8>(repeating: 0)
            Self.put(entry.last, at: 0, &state)
            Self.put(entry.seen, at: 8, &state)
            Self.put(entry.isCooled ? 1 : 0, at: 16, &state)
            Self.put(Int64(entry.count), at: 24, &state)
            for place in 0..<entry.forwards.count { Self.put(entry.forwards[place], at: 32 + 8 * place, &state) }
            try keep(entry.device, entry.key.bytes, state.span.bytes, entry.seen)
        }
    }

    /// What `forEachChange` handed over is durable.
    public mutating func changesAreKept() {
        for index in 0..<count {
            entries[index].replaced = nil
            guard entries[index].isChanged else { continue }
            entries[index].isChanged = false
            entries[index].isKept = true
        }
    }

    private static func put(_ value: Int64, at offset: Int, _ state: inout InlineArray<160, UInt8>) {
        for byte in 0..<8 { state[offset + byte] = UInt8(truncatingIfNeeded: value >> Int64(56 - 8 * byte)) }
    }

    /// Takes back what was kept. `shift` is added to its times: what was 75 s ago by the clock of the time is so by
    /// today's. Nothing was before the beginning or will be after `now`, or a damaged row could hold alerts back for ever.
    /// False for what is not a state, and where the table is full.
    @discardableResult
    public mutating func restore(device: Int64, key: RawSpan, state: RawSpan, shift: Int64, now: Int64) -> Bool {
        guard count < capacity, state.byteCount == 160, let key = Blob<16>(key) else { return false }
        func time(_ kept: Int64) -> Int64 { min(max(kept &+ shift, Entry().last), now) }
        var reader = ByteReader(state)
        var entry = Entry(device: device, key: key)
        do throws(ByteError) {
            entry.last = time(try reader.read(Int64.self))
            entry.seen = time(try reader.read(Int64.self))
            entry.isCooled = try reader.read(Int64.self) != 0
            let count = try reader.read(Int64.self)
            guard count >= 0, count <= (key.isEmpty ? 1 << 20 : 16) else { return false }
            entry.count = Int(count)
            for place in 0..<16 { entry.forwards[place] = time(try reader.read(Int64.self)) }
        } catch { return false }
        // All rows are of one clock: those of the old one are written again together with the first of the new one.
        entry.isChanged = shift != 0
        entry.isKept = true
        entries[count] = entry
        count += 1
        return true
    }
}
