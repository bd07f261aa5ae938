/// What is to happen, in order of time, and of arrival where times are equal.
final class Agenda {
    typealias Action = () -> Void

    private struct Entry {
        var time: Int64
        var order: Int64
        var slot: Int
        func precedes(_ other: Entry) -> Bool { time == other.time ? order < other.order : time < other.time }
    }

    /// Milliseconds since the simulation began.
    private(set) var now: Int64 = 0
    private var heap: [Entry] = []
    private var orders: Int64 = 0
    /// Apart from the heap, whose entries are moved often.
    private var actions: [Action?] = []
    private var freeSlots: [Int] = []

    func at(_ time: Int64, _ action: @escaping Action) {
        orders += 1
        let slot = freeSlots.popLast() ?? actions.count
        if slot == actions.count { actions.append(action) } else { actions[slot] = action }
        heap.append(Entry(time: max(time, now), order: orders, slot: slot))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    func after(_ delay: Int64, _ action: @escaping Action) { at(now + delay, action) }

    /// The next thing, if it is due before `end`. False where there is none.
    func step(until end: Int64) -> Bool {
        guard let first = heap.first, first.time <= end else {
            now = max(now, end)
            return false
        }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        now = first.time
        let action = actions[first.slot]
        actions[first.slot] = nil
        freeSlots.append(first.slot)
        action?()
        return true
    }

    func removeAll() {
        heap.removeAll()
        actions.removeAll()
        freeSlots.removeAll()
    }

    private func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
