/// A heap in one block of fixed size, for C libraries that let their allocator be replaced.
///
/// Two-level segregated fit (Masmano, Ripoll, Crespo and Real, ECRTS 2004): free blocks are listed by size, a power of
/// two split into sixteen, and two bitmaps name the lists that are not empty. Allocating and freeing take constant
/// time, neighbours merge at once, and a block is at most one sixteenth larger than was searched for before it is cut.
///
/// Everything is counted in granules of 16 bytes and lies in the block itself:
///
///     | control | header, payload | header, payload | … | end mark |
///
/// A payload begins on a granule, so it is aligned for every C type. The eight bytes before it are its header: its size
/// with the *free* bit, and the size of the block before it. A free block links the others of its list in its payload.
///
/// A value is a handle: copies mean the same heap. Callers see to it that one thread at a time uses it. Freeing what is
/// not an allocated block ends the process, since a damaged heap must not go on.
public struct FixedArena: @unchecked Sendable {
    private let words: UnsafeMutablePointer<UInt32>
    /// Bytes of the whole block.
    public let capacity: Int

    /// Alignment of every payload.
    public static let alignment = 16
    /// The smallest capacity.
    public static let minimumCapacity = 4096
    private static let granule = 16
    private static let header = 8

    /// Reserves the block, once. Never released unless `deallocate` is called.
    /// - Parameter capacity: from `minimumCapacity` to 1 GiB; rounded down to whole granules.
    public init(capacity: Int) {
        precondition(capacity >= Self.minimumCapacity && capacity <= 1 << 30)
        let granules = capacity / Self.granule
        self.capacity = granules * Self.granule
        words = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: Self.granule)
            .bindMemory(to: UInt32.self, capacity: 4 * granules)
        words.initialize(repeating: 0, count: Control.words)
        let first = UInt32(Control.firstBlock)
        let end = UInt32(granules)
        setHeader(first, size: end - first, isFree: true, before: 0)
        setHeader(end, size: 0, isFree: false, before: end - first)
        link(first)
    }

    /// Gives the block back, with every allocation in it.
    public func deallocate() { UnsafeMutableRawPointer(words).deallocate() }

    // MARK: What C libraries ask for

    /// At least `count` bytes, or nil where no free block is large enough. Zero bytes are a block of their own.
    public func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard let size = granules(count), let block = find(size) else {
            words[Control.failures] &+= 1
            return nil
        }
        unlink(block)
        setFree(block, false)
        cut(block, to: size)
        account(Int(self.size(block)))
        return payload(block)
    }

    /// Frees a block. Nil is ignored.
    public func deallocate(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        let block = allocated(pointer)
        account(-Int(size(block)))
        release(block)
    }

    /// Grows or shrinks a block, in place where it can. Nil, and the old block untouched, where there is no room.
    public func reallocate(_ pointer: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer? {
        guard let pointer else { return allocate(count) }
        let block = allocated(pointer)
        let old = size(block)
        guard let wanted = granules(count) else {
            words[Control.failures] &+= 1
            return nil
        }
        if wanted > old {
            let next = block + old
            guard isFree(next), old + size(next) >= wanted else { return move(pointer, count) }
            unlink(next)
            setSize(block, old + size(next))
        }
        cut(block, to: wanted)
        account(Int(size(block)) - Int(old))
        return pointer
    }

    /// Bytes that an allocated block holds, no fewer than were asked for.
    public func size(of pointer: UnsafeMutableRawPointer) -> Int {
        // Without the checks of `allocated`: other threads may be changing the neighbours' headers.
        Int(size(number(pointer))) * Self.granule - Self.header
    }

    /// Bytes that a request for `count` gets.
    public static func rounded(_ count: Int) -> Int {
        max(1, (count + header + granule - 1) / granule) * granule - header
    }

    // MARK: Statistics

    /// Bytes allocated now, headers included.
    public var used: Int { Int(words[Control.used]) * Self.granule }
    /// The most that was ever allocated at once.
    public var peak: Int { Int(words[Control.peak]) * Self.granule }
    /// Requests that found no room.
    public var failures: Int { Int(words[Control.failures]) }
    /// The most that all blocks together can hold, headers included.
    public var usable: Int { capacity - Control.firstBlock * Self.granule }

    private func account(_ granules: Int) {
        let used = UInt32(Int(words[Control.used]) + granules)
        words[Control.used] = used
        words[Control.peak] = max(words[Control.peak], used)
    }

    // MARK: Sizes and addresses

    /// Granules of a block for `count` bytes, or nil for what can never fit.
    private func granules(_ count: Int) -> UInt32? {
        guard count >= 0, count <= capacity else { return nil }
        return UInt32((Self.rounded(count) + Self.header) / Self.granule)
    }

    private func payload(_ block: UInt32) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(words) + Int(block) * Self.granule
    }

    private func number(_ pointer: UnsafeMutableRawPointer) -> UInt32 {
        let offset = pointer - UnsafeMutableRawPointer(words)
        precondition(offset >= Control.firstBlock * Self.granule && offset < capacity && offset % Self.granule == 0)
        return UInt32(offset / Self.granule)
    }

    /// The block of a payload, which must be allocated. A write past the end of a block is found here, too.
    private func allocated(_ pointer: UnsafeMutableRawPointer) -> UInt32 {
        let block = number(pointer)
        let size = size(block)
        precondition(!isFree(block) && size > 0 && Int(block + size) * Self.granule <= capacity)
        precondition(before(block + size) == size)
        return block
    }

    // MARK: Headers

    private func size(_ block: UInt32) -> UInt32 { words[4 * Int(block) - 2] >> 1 }
    private func isFree(_ block: UInt32) -> Bool { words[4 * Int(block) - 2] & 1 == 1 }
    private func before(_ block: UInt32) -> UInt32 { words[4 * Int(block) - 1] }

    private func setHeader(_ block: UInt32, size: UInt32, isFree: Bool, before: UInt32) {
        words[4 * Int(block) - 2] = size << 1 | (isFree ? 1 : 0)
        words[4 * Int(block) - 1] = before
    }

    private func setFree(_ block: UInt32, _ isFree: Bool) {
        words[4 * Int(block) - 2] = size(block) << 1 | (isFree ? 1 : 0)
    }

    /// Sets the size here and in the header of the block behind.
    private func setSize(_ block: UInt32, _ size: UInt32) {
        words[4 * Int(block) - 2] = size << 1 | words[4 * Int(block) - 2] & 1
        words[4 * Int(block + size) - 1] = size
    }

    // MARK: Cutting and merging

    /// Keeps `wanted` granules of an allocated block and frees the rest.
    private func cut(_ block: UInt32, to wanted: UInt32) {
        let rest = size(block) - wanted
        guard rest > 0 else { return }
        setSize(block, wanted)
        setHeader(block + wanted, size: rest, isFree: false, before: wanted)
        setSize(block + wanted, rest)
        release(block + wanted)
    }

    /// Merges a block with its free neighbours and lists it.
    private func release(_ released: UInt32) {
        var block = released
        var size = size(block)
        if before(block) > 0, isFree(block - before(block)) {
            block -= before(block)
            unlink(block)
            size += self.size(block)
        }
        if isFree(released + self.size(released)) {
            let next = released + self.size(released)
            unlink(next)
            size += self.size(next)
        }
        setSize(block, size)
        setFree(block, true)
        link(block)
    }

    private func move(_ pointer: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer? {
        guard let moved = allocate(count) else { return nil }
        moved.copyMemory(from: pointer, byteCount: min(size(of: pointer), count))
        deallocate(pointer)
        return moved
    }

    // MARK: Lists of free blocks

    /// Offsets, in words, of what lies before the first block.
    private enum Control {
        static let first = 0
        static let second = 1
        static let levels = 25
        static let heads = second + levels
        static let used = heads + 16 * levels
        static let peak = used + 1
        static let failures = peak + 1
        static let words = failures + 1
        /// The granule of the first payload: behind the control words and its own header.
        static let firstBlock = (words + 2 + 3) / 4
    }

    private struct Place {
        var first: Int
        var second: Int
        var head: Int { Control.heads + 16 * first + second }

        /// The list in which a free block of this size belongs.
        init(holding size: UInt32) {
            if size < 16 {
                (first, second) = (0, Int(size))
            } else {
                let power = 31 - size.leadingZeroBitCount
                (first, second) = (power - 3, Int(size >> UInt32(power - 4) & 15))
            }
        }
    }

    /// A free block of at least this size.
    private func find(_ size: UInt32) -> UInt32? {
        // Every block of the list after the one that holds `size` is large enough.
        var searched = size
        if size >= 16 { searched += 1 << UInt32(27 - size.leadingZeroBitCount) - 1 }
        var place = Place(holding: searched)
        var bits = words[Control.second + place.first] & (~0 << UInt32(place.second))
        if bits == 0 {
            let larger = words[Control.first] & (~0 << UInt32(place.first + 1))
            guard larger != 0 else { return findAmongEqual(size) }
            place.first = larger.trailingZeroBitCount
            bits = words[Control.second + place.first]
        }
        place.second = bits.trailingZeroBitCount
        return words[place.head]
    }

    /// When the heap is nearly full, a block that fits may stand in the list of `size` itself: a short look at it.
    private func findAmongEqual(_ size: UInt32) -> UInt32? {
        var block = words[Place(holding: size).head]
        for _ in 0..<64 where block != 0 {
            if self.size(block) >= size { return block }
            block = words[4 * Int(block)]
        }
        return nil
    }

    private func link(_ block: UInt32) {
        let place = Place(holding: size(block))
        let head = words[place.head]
        words[4 * Int(block)] = head
        words[4 * Int(block) + 1] = 0
        if head != 0 { words[4 * Int(head) + 1] = block }
        words[place.head] = block
        words[Control.second + place.first] |= 1 << UInt32(place.second)
        words[Control.first] |= 1 << UInt32(place.first)
    }

    private func unlink(_ block: UInt32) {
        let place = Place(holding: size(block))
        let next = words[4 * Int(block)]
        let previous = words[4 * Int(block) + 1]
        if next != 0 { words[4 * Int(next) + 1] = previous }
        if previous != 0 {
            words[4 * Int(previous)] = next
            return
        }
        words[place.head] = next
        guard next == 0 else { return }
        words[Control.second + place.first] &= ~(1 << UInt32(place.second))
        if words[Control.second + place.first] == 0 { words[Control.first] &= ~(1 << UInt32(place.first)) }
    }

    // MARK: Proof

    /// Walks all blocks: headers agree, no two free neighbours, the counts are right. For tests.
    func isSound() -> Bool {
        var block = UInt32(Control.firstBlock)
        var previous: UInt32 = 0
        var allocated: UInt32 = 0
        var wasFree = false
        let end = UInt32(capacity / Self.granule)
        while block < end {
            let size = size(block)
            guard size > 0, size <= end - block, before(block) == previous, !(wasFree && isFree(block)) else {
                return false
            }
            wasFree = isFree(block)
            if !wasFree { allocated += size }
            previous = size
            block += size
        }
        return block == end && before(end) == previous && allocated == words[Control.used]
    }
}
