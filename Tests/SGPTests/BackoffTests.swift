import SGP
import Testing

/// The delay before the next attempt (SGP v2 §9), in milliseconds.
@Suite struct BackoffTests {
    /// min(2 × 2^(n−1) + random(0…5), 600) s.
    @Test(
        arguments: [
            (1, 2_000, 7_000), (2, 4_000, 9_000), (3, 8_000, 13_000), (4, 16_000, 21_000), (5, 32_000, 37_000),
            (6, 64_000, 69_000), (7, 128_000, 133_000), (8, 256_000, 261_000), (9, 512_000, 517_000),
            (10, 600_000, 600_000), (11, 600_000, 600_000),
        ] as [(Int, Int64, Int64)])
    func table(failures: Int, least: Int64, most: Int64) {
        #expect(Backoff.delay(failures: failures, random: 0, retryAfter: 0) == least)
        #expect(Backoff.delay(failures: failures, random: 1, retryAfter: 0) == min(least + 1, most))
        #expect(Backoff.delay(failures: failures, random: 4_999, retryAfter: 0) == max(most - 1, least))
        #expect(Backoff.delay(failures: failures, random: 5_000, retryAfter: 0) == most)
        #expect(Backoff.jitter == 5_000)
    }

    @Test func manyFailures() {
        for failures in Array(10...1000) + [65, 1 << 20, Int.max] {
            for random in [Int64(0), 5_000] {
                #expect(Backoff.delay(failures: failures, random: random, retryAfter: 0) == 600_000)
            }
        }
    }

    /// What the server asks for counts where it is longer, up to 600 s.
    @Test(
        arguments: [
            (1, 0, 2_000), (1, 1, 2_000), (1, 2, 2_000), (1, 3, 3_000), (1, 599, 599_000), (1, 600, 600_000),
            (1, 601, 600_000), (1, .max, 600_000), (5, 31, 32_000), (5, 32, 32_000), (5, 33, 33_000),
            (9, 500, 512_000), (9, 513, 513_000), (10, 1, 600_000), (1000, .max, 600_000), (1000, 0, 600_000),
        ] as [(Int, UInt32, Int64)])
    func retryAfter(failures: Int, seconds: UInt32, expected: Int64) {
        #expect(Backoff.delay(failures: failures, random: 0, retryAfter: seconds) == expected)
    }

    /// Every delay is there and bounded, whatever goes in.
    @Test func bounds() {
        var wrong: [String] = []
        for failures in [Int.min, -1, 0, 1, 2, 9, 10, 63, 64, 65, Int.max] {
            for random in [Int64.min, -1, 0, 5_000, 5_001, .max] {
                for retryAfter in [UInt32(0), 1, 600, .max] {
                    let delay = Backoff.delay(failures: failures, random: random, retryAfter: retryAfter)
                    if delay < 2_000 || delay > 600_000 { wrong.append("\(failures) \(random) \(retryAfter)") }
                }
            }
        }
        #expect(wrong == [])
    }
}
