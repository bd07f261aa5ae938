/// Where moments are on an axis on which long quiet times are cut short: a network is learned in hours and then known
/// for months.
struct TimeAxis: Equatable, Sendable {
    /// A quiet time that is drawn shorter than it was.
    struct Cut: Equatable, Sendable {
        /// The moment after it.
        var index: Int
        /// How long it was.
        var seconds: Int64
    }

    /// Of each moment, from 0; never falls.
    private(set) var positions: [Int64] = []
    private(set) var length: Int64 = 0
    private(set) var cuts: [Cut] = []

    /// A gap is cut where it is so many times the median one, and then drawn as long as so many of those.
    private static let (patience, shown) = (8 as Int64, 3 as Int64)

    /// Unix seconds in the order in which they happened; what lies before the one before it counts as the same moment.
    init(_ times: [Int64]) {
        var gaps: [Int64] = []
        for index in times.indices.dropFirst() { gaps.append(max(times[index] - times[index - 1], 0)) }
        var sorted: [Int64] = []
        for gap in gaps where gap > 0 { sorted.append(gap) }
        sorted.sort()
        let median = sorted.isEmpty ? 0 : sorted[(sorted.count - 1) / 2]
        if !times.isEmpty { positions.append(0) }
        for (index, gap) in gaps.enumerated() {
            let isCut = gap > median * Self.patience
            if isCut { cuts.append(Cut(index: index + 1, seconds: gap)) }
            length += isCut ? median * Self.shown : gap
            positions.append(length)
        }
    }

    /// The position of a moment on `steps` steps, 0...steps.
    func step(_ index: Int, of steps: Int64) -> Int64 { length == 0 ? 0 : positions[index] * steps / length }
}

/// Marks on an axis of values from 0: at most six steps of a round number of seconds.
struct ValueAxis: Equatable, Sendable {
    let step: Int64
    let count: Int64

    var top: Int64 { step * count }

    init(greatest: Int64) {
        var step: Int64 = 10
        for candidate in [10, 20, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 7_200, 14_400] as [Int64] {
            step = candidate
            if candidate * 6 >= greatest { break }
        }
        while step * 6 < greatest { step *= 2 }
        self.step = step
        count = max((greatest + step - 1) / step, 1)
    }
}
