import Bytes

/// How often each place in the program may log: `Limits.logBurst` lines at once, then one more every
/// `Limits.logRefill` milliseconds. What is held back is counted.
struct LogRate {
    /// One place and its bucket of tokens.
    struct Site {
        var key: UInt32 = 0
        var tokens = 0
        var held: UInt32 = 0
        var filled: Int64 = 0
        var used: Int64 = 0
        var level = LogLevel.debug
        var area = LogArea.gateway
    }

    /// Generic arguments are literals; a test compares this one with Limits.logSites.
    private var sites = InlineArray<64, Site>(repeating: Site())

    enum Verdict: Equatable {
        /// Write the line; `held` lines of this place were held back before it.
        case write(held: UInt32)
        case hold
    }

    /// Decides about one line. `evicted` is a place that has to make room with lines still held back.
    mutating func admit(
        _ level: LogLevel, _ area: LogArea, key: UInt32, now: Int64, evicted: (Site) -> Void
    ) -> Verdict {
        let index = find(key) ?? replace(key, now: now, evicted: evicted)
        refill(index, now: now)
        sites[index].used = now
        sites[index].level = level
        sites[index].area = area
        guard sites[index].tokens > 0 else {
            sites[index].held &+= 1
            return .hold
        }
        sites[index].tokens -= 1
        let held = sites[index].held
        sites[index].held = 0
        return .write(held: held)
    }

    /// Hands every place with lines held back to `body`, and forgets them.
    mutating func flush(_ body: (Site) -> Void) {
        for index in sites.indices where sites[index].held > 0 {
            body(sites[index])
            sites[index].held = 0
        }
    }

    /// The same for places that have fallen silent: of them no line will tell.
    mutating func flushSilent(now: Int64, _ body: (Site) -> Void) {
        for index in sites.indices where sites[index].held > 0 && now &- sites[index].used >= Limits.logRefill {
            body(sites[index])
            sites[index].held = 0
        }
    }

    /// FNV-1a of file, line and area. Never 0, which marks a free entry.
    static func key(_ file: String, _ line: UInt32, _ area: LogArea) -> UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        for byte in file.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        hash = (hash ^ line) &* 0x0100_0193
        hash = (hash ^ UInt32(area.rawValue)) &* 0x0100_0193
        return max(hash, 1)
    }

    private func find(_ key: UInt32) -> Int? {
        for index in sites.indices where sites[index].key == key { return index }
        return nil
    }

    /// Takes a free entry, or the one that was longest unused.
    private mutating func replace(_ key: UInt32, now: Int64, evicted: (Site) -> Void) -> Int {
        var oldest = 0
        for index in sites.indices {
            if sites[index].key == 0 {
                oldest = index
                break
            }
            if sites[index].used < sites[oldest].used { oldest = index }
        }
        if sites[oldest].held > 0 { evicted(sites[oldest]) }
        sites[oldest] = Site(key: key, tokens: Limits.logBurst, filled: now)
        return oldest
    }

    private mutating func refill(_ index: Int, now: Int64) {
        let earned = max(now - sites[index].filled, 0) / Limits.logRefill
        guard earned > 0 else { return }
        let tokens = Int64(sites[index].tokens) &+ earned
        if tokens >= Int64(Limits.logBurst) {
            sites[index].tokens = Limits.logBurst
            sites[index].filled = now
        } else {
            sites[index].tokens = Int(tokens)
            sites[index].filled += earned * Limits.logRefill
        }
    }
}
