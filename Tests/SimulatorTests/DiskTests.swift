import CBoard
import Store
import Testing

@testable import Simulator

/// The real store on a disk that fails.
@Suite(.serialized) struct DiskTests {
    /// A board's disk, and the directory that its store believes to be in.
    private final class Rig {
        let power = Power()
        let disk: Disk
        private let vfs: DiskVFS
        private let directory: String

        init(seed: UInt64) {
            var template = Array("/tmp/skyglow-disk-XXXXXX".utf8CString)
            directory = template.withUnsafeMutableBufferPointer { buffer in
                mkdtemp(buffer.baseAddress!)
                return String(cString: buffer.baseAddress!)
            }
            disk = Disk(seed: seed, power: power)
            vfs = DiskVFS(name: "disk-\(directory)", disk: disk)
        }

        deinit {
            unlink(directory + "/skyglow.db")
            rmdir(directory)
        }

        func open() throws(StoreError) -> Store { try Store.open(directory: directory, vfs: vfs.name) }

        /// One identifier, committed. False if that failed.
        func remember(_ byte: UInt8, in store: Store) -> Bool {
            do throws(StoreError) {
                try store.begin()
                try store.markSeen(identifier(byte).span.bytes, at: 1_800_000_000, expires: 0)
                _ = try store.commit()
                return true
            } catch { return false }
        }

        func remembers(_ byte: UInt8, in store: Store) throws(StoreError) -> Bool {
            try store.isSeen(identifier(byte).span.bytes)
        }

        private func identifier(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }
    }

    /// The power fails at each operation in turn, from the making of the file on: the store opens again, is whole, and
    /// has what it said it had.
    @Test func powerCutAtEveryWrite() async {
        let problems = await apart { Self.cutAtEveryWrite(seed: 1) }
        #expect(problems == [])
    }

    private static func cutAtEveryWrite(seed: UInt64) -> [String] {
        var problems: [String] = []
        for count in 0...400 {
            let rig = Rig(seed: seed &* 1_000 &+ UInt64(count))
            rig.power.countdown = count
            var promised: [UInt8] = []
            do throws(StoreError) {
                let store = try rig.open()
                for byte in 1...6 as ClosedRange<UInt8> where rig.remember(byte, in: store) { promised.append(byte) }
            } catch { if !rig.power.isOff { problems.append("\(count): \(error.text)") } }
            let isFinished = !rig.power.isOff
            rig.power.cut()
            rig.disk.settle()
            rig.power.restore()
            do throws(StoreError) {
                let store = try rig.open()
                try store.verify()
                for byte in promised where try !rig.remembers(byte, in: store) {
                    problems.append("\(count): \(byte) is gone")
                }
            } catch { problems.append("\(count): \(error.text)") }
            if isFinished { return problems }
        }
        return problems + ["never finished"]
    }

    /// A commit whose sync failed leaves something in the log that can be read and may not be durable. What a later run
    /// commits must not depend on it.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func failedSyncCostsNothingLater(seed: UInt64) throws {
        let rig = Rig(seed: seed)
        do {
            let store = try rig.open()
            #expect(rig.remember(1, in: store))
            rig.disk.fault = .sync
            rig.disk.faultRate = 1
            #expect(!rig.remember(2, in: store))
        }
        rig.disk.fault = .none
        do {
            let store = try rig.open()
            #expect(rig.remember(3, in: store))
            withExtendedLifetime(store) { rig.power.cut() }
        }
        rig.disk.settle()
        rig.power.restore()
        let store = try rig.open()
        try store.verify()
        let first = try rig.remembers(1, in: store)
        let third = try rig.remembers(3, in: store)
        #expect(first && third)
    }

    /// Each fault makes something fail, and none breaks the store.
    @Test(arguments: DiskFault.allCases.dropFirst())
    func faultsAreFelt(fault: DiskFault) throws {
        let rig = Rig(seed: 7)
        do {
            let store = try rig.open()
            #expect(rig.remember(1, in: store))
            rig.disk.fault = fault
            rig.disk.faultRate = 1
            var failures = 0
            for byte in 10...200 as ClosedRange<UInt8> where !rig.remember(byte, in: store) { failures += 1 }
            // What is read is in the cache.
            #expect(fault == .read || failures > 0)
            rig.disk.fault = .none
            #expect(rig.remember(2, in: store))
        }
        let store = try rig.open()
        try store.verify()
        let both = try rig.remembers(1, in: store) && rig.remembers(2, in: store)
        #expect(both)
    }

    @Test func lieAboutSyncIsNoticed() throws {
        var lost = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            let rig = Rig(seed: seed)
            do {
                let store = try rig.open()
                rig.disk.liesAboutSync = true
                _ = rig.remember(1, in: store)
                withExtendedLifetime(store) { rig.power.cut() }
            }
            rig.disk.settle()
            rig.power.restore()
            let store = try rig.open()
            if try !rig.remembers(1, in: store) { lost += 1 }
        }
        #expect(lost > 0)
    }
}
