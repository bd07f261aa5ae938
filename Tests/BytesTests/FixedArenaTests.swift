import Testing

@testable import Bytes

@Suite struct FixedArenaTests {
    private static let capacity = 65_536

    /// Eight bytes of header, whole granules of sixteen.
    @Test(arguments: [
        (0, 8), (1, 8), (7, 8), (8, 8), (9, 24), (23, 24), (24, 24), (25, 40), (255, 264), (4096, 4104), (4105, 4120),
    ])
    func rounding(asked: Int, got: Int) {
        #expect(FixedArena.rounded(asked) == got)
        let arena = FixedArena(capacity: Self.capacity)
        defer { arena.deallocate() }
        let block = arena.allocate(asked)
        #expect(block.map { arena.size(of: $0) } == got)
        #expect(arena.used == got + 8)
        arena.deallocate(block)
        #expect(arena.used == 0 && arena.peak == got + 8)
        #expect(arena.isSound())
    }

    @Test func everySizeIsAlignedAndApart() {
        let arena = FixedArena(capacity: 1 << 20)
        defer { arena.deallocate() }
        var blocks: [(UnsafeMutableRawPointer, Int)] = []
        for size in 0...1000 {
            guard let block = arena.allocate(size) else {
                Issue.record("no room for \(size)")
                return
            }
            #expect(Int(bitPattern: block) % FixedArena.alignment == 0)
            block.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: size), count: size)
            blocks.append((block, size))
        }
        #expect(arena.isSound())
        for (block, size) in blocks {
            let bytes = UnsafeRawBufferPointer(start: block, count: size)
            let untouched = bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: size) }
            #expect(untouched)
            arena.deallocate(block)
        }
        #expect(arena.used == 0 && arena.isSound())
    }

    /// The whole block can be had as one, not a byte more, and again after it is freed.
    @Test(arguments: [4096, 4111, 65_536, 1 << 20])
    func exhaustionByOne(capacity: Int) {
        let arena = FixedArena(capacity: capacity)
        defer { arena.deallocate() }
        let most = arena.usable - 8
        for _ in 0..<2 {
            #expect(arena.allocate(most + 1) == nil)
            let block = arena.allocate(most)
            #expect(block != nil)
            #expect(arena.allocate(0) == nil)
            arena.deallocate(block)
        }
        #expect(arena.failures == 4)
        #expect(arena.isSound())
    }

    @Test(arguments: [1, 8, 100, 1000])
    func exhaustionByMany(size: Int) {
        let arena = FixedArena(capacity: Self.capacity)
        defer { arena.deallocate() }
        var blocks: [UnsafeMutableRawPointer] = []
        while let block = arena.allocate(size) { blocks.append(block) }
        #expect(blocks.count == arena.usable / (FixedArena.rounded(size) + 8))
        for block in blocks { arena.deallocate(block) }
        // Neighbours have merged: one block again.
        let whole = arena.allocate(arena.usable - 8)
        #expect(whole != nil)
    }

    @Test(arguments: [-1, .min, 65_537, .max])
    func impossibleSizes(size: Int) {
        let arena = FixedArena(capacity: Self.capacity)
        defer { arena.deallocate() }
        #expect(arena.allocate(size) == nil)
        let block = arena.allocate(10)
        #expect(arena.reallocate(block, size) == nil)
        #expect(block.map { arena.size(of: $0) } == 24)
        #expect(arena.isSound())
    }

    @Test func everySecondFreedLeavesHoles() {
        let arena = FixedArena(capacity: Self.capacity)
        defer { arena.deallocate() }
        var blocks: [UnsafeMutableRawPointer] = []
        while let block = arena.allocate(120) { blocks.append(block) }
        for index in stride(from: 0, to: blocks.count, by: 2) { arena.deallocate(blocks[index]) }
        #expect(arena.isSound())
        #expect(arena.allocate(300) == nil)
        var refilled = 0
        while arena.allocate(120) != nil { refilled += 1 }
        #expect(refilled == (blocks.count + 1) / 2)
    }

    @Test func growsAndShrinksInPlace() throws {
        let arena = FixedArena(capacity: Self.capacity)
        defer { arena.deallocate() }
        let block = try #require(arena.allocate(100))
        block.initializeMemory(as: UInt8.self, repeating: 7, count: 100)
        #expect(arena.reallocate(block, 5000) == block)
        #expect(arena.reallocate(block, 50) == block)
        #expect(arena.used == 64)
        let wall = arena.allocate(1)
        #expect(arena.isSound())
        let moved = try #require(arena.reallocate(block, 5000))
        #expect(moved != block)
        let kept = UnsafeRawBufferPointer(start: moved, count: 50).allSatisfy { $0 == 7 }
        #expect(kept)
        // The hole in front, 64 bytes, and the wall, 16, are not to be had.
        #expect(arena.reallocate(moved, arena.usable - 80 - 7) == nil)
        #expect(arena.reallocate(moved, arena.usable - 80 - 8) == moved)
        arena.deallocate(moved)
        arena.deallocate(wall)
        arena.deallocate(nil)
        #expect(arena.used == 0 && arena.isSound())
    }

    /// A long random life against a model: contents stay, blocks never overlap, the bookkeeping stays sound.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomLife(seed: UInt64) {
        let arena = FixedArena(capacity: 1 << 18)
        defer { arena.deallocate() }
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func random(_ below: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(below))
        }
        var live: [(block: UnsafeMutableRawPointer, size: Int, mark: UInt8)] = []
        func holds(_ entry: (block: UnsafeMutableRawPointer, size: Int, mark: UInt8), _ count: Int) -> Bool {
            UnsafeRawBufferPointer(start: entry.block, count: count).allSatisfy { $0 == entry.mark }
        }
        var broken = 0
        for turn in 0..<20_000 {
            let size = random(10) == 0 ? random(20_000) : random(300)
            let mark = UInt8(truncatingIfNeeded: turn)
            switch random(3) {
            case 0:
                guard let block = arena.allocate(size) else { continue }
                block.initializeMemory(as: UInt8.self, repeating: mark, count: size)
                live.append((block, size, mark))
            case 1 where !live.isEmpty:
                let index = random(live.count)
                guard let block = arena.reallocate(live[index].block, size) else { continue }
                live[index].block = block
                if !holds(live[index], min(size, live[index].size)) { broken += 1 }
                block.initializeMemory(as: UInt8.self, repeating: mark, count: size)
                live[index] = (block, size, mark)
            case 2 where !live.isEmpty:
                let entry = live.remove(at: random(live.count))
                if !holds(entry, entry.size) { broken += 1 }
                arena.deallocate(entry.block)
            default: break
            }
            if turn % 500 == 0, !arena.isSound() { broken += 1 }
        }
        for entry in live {
            if !holds(entry, entry.size) { broken += 1 }
            arena.deallocate(entry.block)
        }
        #expect(broken == 0)
        #expect(arena.used == 0 && arena.isSound())
        #expect(arena.allocate(arena.usable - 8) != nil)
    }

    @Test func freeingTwiceEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let arena = FixedArena(capacity: 4096)
            let block = arena.allocate(10)
            arena.deallocate(block)
            arena.deallocate(block)
        }
        await #expect(processExitsWith: .failure) {
            let arena = FixedArena(capacity: 4096)
            arena.deallocate(arena.allocate(100).map { $0 + 16 })
        }
        await #expect(processExitsWith: .failure) {
            let arena = FixedArena(capacity: 4096)
            let block = arena.allocate(8)
            // Nine bytes written to eight: the header behind is damaged.
            block?.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 16)
            arena.deallocate(block)
        }
    }
}
