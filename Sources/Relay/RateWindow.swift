import Bytes

/// How many requests a minute each source may make: the times of the last ones, exactly. What was quiet longest makes
/// room when there are too many sources.
public struct RateWindow: ~Copyable {
    private struct Source: BitwiseCopyable {
        var key: UInt64 = 0
        var used = Int64.min
        var next = 0
        var times = InlineArray<120, Int64>(repeating: Int64.min / 4)
    }

    private let sources: UnsafeMutablePointer<Source>
    private let most: Int
    private static let minute: Int64 = 60_000

    /// At most `Limits.rateRequests` a minute.
    public init(perMinute most: Int) {
        self.most = min(max(most, 1), Limits.rateRequests)
        sources = .allocate(capacity: Limits.rateSources)
        sources.initialize(repeating: Source(), count: Limits.rateSources)
    }

    deinit { sources.deallocate() }

    /// Counts a request of a source at `now` in milliseconds. Nil if it may be made; else the seconds until one may.
    public mutating func take(_ source: RawSpan, now: Int64) -> Int64? {
        let index = find(Self.key(source))
        sources[index].used = now
        let oldest = sources[index].times[sources[index].next]
        guard now - oldest >= Self.minute else { return (oldest + Self.minute - now + 999) / 1_000 }
        sources[index].times[sources[index].next] = now
        sources[index].next = (sources[index].next + 1) % most
        return nil
    }

    private mutating func find(_ key: UInt64) -> Int {
        var oldest = 0
        for index in 0..<Limits.rateSources {
            if sources[index].key == key, sources[index].used != .min { return index }
            if sources[index].used < sources[oldest].used { oldest = index }
        }
        sources[oldest] = Source(key: key)
        return oldest
    }

    /// FNV-1a with 64 bits.
    private static func key(_ bytes: RawSpan) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<bytes.byteCount { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}
