import Bytes
import CBoard

/// The order of a map's values. A merge sort of the linked list: no memory of its own, n·log n comparisons whatever the
/// keys are, and equal keys meet, so that duplicates cost nothing extra.
extension Document {
    /// Sorts the values of a map by key; of those with the same key only the last one stays.
    mutating func sortChildren(_ map: inout Open) {
        guard !isSorted(map.first) else { return }
        // runs[n] is empty or a sorted list that stands for 2^n values, older than those of the runs below it. No map
        // has more than 2^17 values.
        var runs = InlineArray<18, UInt32>(repeating: 0)
        var rest = map.first
        while rest != 0 {
            var run = rest
            rest = nodes[Int(run)].next
            nodes[Int(run)].next = 0
            var level = 0
            while level < runs.count - 1, runs[level] != 0 {
                run = merge(runs[level], run, count: &map.count)
                runs[level] = 0
                level += 1
            }
            runs[level] = run
        }
        var sorted: UInt32 = 0
        for level in runs.indices where runs[level] != 0 {
            sorted = merge(runs[level], sorted, count: &map.count)
        }
        map.first = sorted
    }

    private func isSorted(_ first: UInt32) -> Bool {
        var index = first
        while index != 0 {
            let next = nodes[Int(index)].next
            guard next == 0 || compareKeys(index, next) < 0 else { return false }
            index = next
        }
        return true
    }

    /// Merges two sorted lists without duplicates of their own; of two equal keys the one in `later` stays.
    private func merge(_ earlier: UInt32, _ later: UInt32, count: inout UInt32) -> UInt32 {
        var left = earlier
        var right = later
        var first: UInt32 = 0
        var last: UInt32 = 0
        while left != 0, right != 0 {
            let order = compareKeys(left, right)
            if order == 0 {
                left = nodes[Int(left)].next
                count -= 1
                continue
            }
            let taken = order < 0 ? left : right
            if order < 0 { left = nodes[Int(left)].next } else { right = nodes[Int(right)].next }
            if last == 0 { first = taken } else { nodes[Int(last)].next = taken }
            last = taken
        }
        let rest = left != 0 ? left : right
        if last == 0 { return rest }
        nodes[Int(last)].next = rest
        return first
    }

    /// Bytewise, a prefix before the longer key.
    private func compareKeys(_ left: UInt32, _ right: UInt32) -> Int {
        let one = nodes[Int(left)]
        let other = nodes[Int(right)]
        let base = storage.pointer.baseAddress!
        let shared = min(one.keyLength, other.keyLength)
        let order = memcmp(base + Int(one.keyOffset), base + Int(other.keyOffset), Int(shared))
        return order != 0 ? Int(order) : Int(one.keyLength) - Int(other.keyLength)
    }
}
