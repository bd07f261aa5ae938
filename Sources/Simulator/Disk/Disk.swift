/// Power that may fail at any write to the disk and at any frame that is sent.
final class Power {
    /// So many more of them, then it fails.
    var countdown: Int?
    private(set) var isOff = false

    /// Something that the power may fail before. False where there is none.
    func tick() -> Bool {
        guard !isOff else { return false }
        guard let left = countdown else { return true }
        countdown = left - 1
        guard left <= 0 else { return true }
        cut()
        return false
    }

    func cut() {
        isOff = true
        countdown = nil
    }

    func restore() {
        isOff = false
        countdown = nil
    }
}

/// What a disk does wrong for a time.
enum DiskFault: UInt8, CaseIterable {
    case none
    /// No space is left for what makes a file longer.
    case full
    /// Some writes fail.
    case write
    /// Some syncs fail, and what they should have made durable may or may not be.
    case sync
    /// Some reads fail.
    case read
}

/// A disk whose files are what has been synced, and on top of that what a running system sees. When the power fails,
/// any of what was not synced may be there, whole, torn or not at all.
final class Disk {
    let power: Power
    var fault = DiskFault.none
    /// One operation in so many fails.
    var faultRate: Int64 = 3
    /// Says that it has synced and does not: no program can live with that. To see that the simulator notices.
    var liesAboutSync = false
    /// The first page of the database is gone after a power cut: the same.
    var rots = false
    private(set) var writes = 0
    private var random: SeededRandom
    private var files: [(name: String, file: SimulatedFile)] = []

    init(seed: UInt64, power: Power) {
        random = SeededRandom(seed: seed)
        self.power = power
    }

    /// The names and contents of the files as they are durable.
    typealias Image = [(name: String, bytes: [UInt8])]

    var image: Image { files.map { ($0.name, $0.file.durable) } }

    /// Puts files there, all of them durable.
    func load(_ image: Image) {
        files = image.map { ($0.name, SimulatedFile(durable: $0.bytes)) }
    }

    func file(_ name: String) -> SimulatedFile? { files.first { $0.name == name }?.file }

    func open(_ name: String, creating: Bool) -> SimulatedFile? {
        if let known = file(name) { return known }
        guard creating, power.tick() else { return nil }
        let file = SimulatedFile()
        files.append((name, file))
        return file
    }

    func delete(_ name: String) -> Bool {
        guard power.tick(), let index = files.firstIndex(where: { $0.name == name }) else { return false }
        files.remove(at: index)
        return true
    }

    /// Whether this operation fails, by fault or for want of power.
    func fails(_ kind: DiskFault) -> Bool {
        if kind == .read { return power.isOff || (fault == .read && random.one(in: 4 * faultRate)) }
        writes += 1
        guard power.tick() else { return true }
        return fault == kind && random.one(in: faultRate)
    }

    /// What the world looks at is read without a fault.
    func undisturbed(_ look: () -> Void) {
        let kept = fault
        fault = .none
        look()
        fault = kept
    }

    func hasRoom(_ file: SimulatedFile, upTo end: Int) -> Bool { fault != .full || end <= file.current.count }

    func sync(_ file: SimulatedFile) -> Bool {
        if fails(.sync) {
            // The system forgets that the pages were never written.
            if !power.isOff { file.settle(&random) }
            return false
        }
        if !liesAboutSync { file.sync() }
        return true
    }

    /// The power is gone: chance decides what of the unsynced is there when it comes back.
    func settle() {
        for index in files.indices.reversed() {
            let file = files[index].file
            // A file whose name never became durable.
            if !file.wasSynced, random.one(in: 2) {
                files.remove(at: index)
                continue
            }
            file.settle(&random)
            if rots, !files[index].name.hasSuffix("-wal") { file.rot() }
            file.revert()
        }
    }
}

/// One file.
final class SimulatedFile {
    /// As programs see it.
    private(set) var current: [UInt8] = []
    private(set) var durable: [UInt8] = []
    private(set) var wasSynced = false
    private var changes: [Change] = []

    private enum Change {
        case write(Int, [UInt8])
        case truncate(Int)
    }

    init() {}

    init(durable: [UInt8]) {
        self.durable = durable
        current = durable
        wasSynced = true
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        Self.put(bytes, at: offset, into: &current)
        changes.append(.write(offset, Array(bytes)))
    }

    func truncate(to size: Int) {
        guard size < current.count else { return }
        current.removeLast(current.count - size)
        changes.append(.truncate(size))
    }

    func sync() {
        for change in changes { apply(change) }
        changes.removeAll(keepingCapacity: true)
        wasSynced = true
    }

    /// Chance decides which changes become durable: all, none or any, and of those some in part.
    func settle(_ random: inout SeededRandom) {
        let mood = random.integer(0...3)
        for change in changes {
            if mood == 0 { continue }
            if mood > 1, random.one(in: 2) { continue }
            if mood == 3, case .write(let offset, let bytes) = change, random.one(in: 2) {
                tear(bytes, at: offset, &random)
            } else {
                apply(change)
            }
        }
        changes.removeAll(keepingCapacity: true)
    }

    func rot() {
        for index in 0..<min(durable.count, 100) { durable[index] = 0xFF }
    }

    /// After a power cut.
    func revert() { current = durable }

    private func tear(_ bytes: [UInt8], at offset: Int, _ random: inout SeededRandom) {
        for begin in stride(from: 0, to: bytes.count, by: 512) where random.one(in: 2) {
            let end = min(begin + 512, bytes.count)
            bytes.withUnsafeBytes {
                Self.put(UnsafeRawBufferPointer(rebasing: $0[begin..<end]), at: offset + begin, into: &durable)
            }
        }
    }

    private func apply(_ change: Change) {
        switch change {
        case .write(let offset, let bytes): bytes.withUnsafeBytes { Self.put($0, at: offset, into: &durable) }
        case .truncate(let size): if size < durable.count { durable.removeLast(durable.count - size) }
        }
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, at offset: Int, into data: inout [UInt8]) {
        let end = offset + bytes.count
        if data.count < end { data.append(contentsOf: repeatElement(0, count: end - data.count)) }
        data.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]).copyMemory(from: bytes)
        }
    }
}
