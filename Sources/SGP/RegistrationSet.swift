import Bytes

/// One application that may send: its keys and whether it is muted (SGP v2 §7).
public struct Registration: BitwiseCopyable, Sendable {
    public var routingKey: Blob<32>
    public var endToEndKey: Blob<32>
    public var bundle: Blob<64>
    /// Tagged *ignored*: acknowledged and not shown.
    public var isMuted: Bool

    public init(routingKey: Blob<32>, endToEndKey: Blob<32>, bundle: Blob<64>, isMuted: Bool) {
        self.routingKey = routingKey
        self.endToEndKey = endToEndKey
        self.bundle = bundle
        self.isMuted = isMuted
    }
}

/// The whole registration set, kept in order of routing keys in a table reserved once.
public struct RegistrationSet: ~Copyable {
    private let table: UnsafeMutablePointer<Registration>
    public let capacity: Int
    public private(set) var count = 0

    public init(capacity: Int = Limits.registrations) {
        table = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        wipe(UnsafeMutableRawBufferPointer(start: table, count: capacity * MemoryLayout<Registration>.stride))
        table.deallocate()
    }

    public subscript(index: Int) -> Registration {
        precondition(index >= 0 && index < count)
        return table[index]
    }

    public mutating func removeAll() { count = 0 }

    /// Adds or replaces the registration with this routing key. False when the table is full.
    public mutating func insert(_ registration: Registration) -> Bool {
        let index = position(of: registration.routingKey.bytes)
        if index < count, table[index].routingKey == registration.routingKey {
            table[index] = registration
            return true
        }
        guard count < capacity else { return false }
        for moved in stride(from: count, to: index, by: -1) { table[moved] = table[moved - 1] }
        table[index] = registration
        count += 1
        return true
    }

    /// The place in the table of a routing key, or nil.
    public func index(of routingKey: RawSpan) -> Int? {
        let index = position(of: routingKey)
        guard index < count, table[index].routingKey.bytes.equals(routingKey) else { return nil }
        return index
    }

    /// The first place whose key is not before this one.
    private func position(of routingKey: RawSpan) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if table[middle].routingKey.bytes.precedes(routingKey) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RegistrationSet {
    /// Writes the payload of one C_FILTER that begins with the registration at `first`: as many entries as fit
    /// (SGP v2 §7). Returns where the next chunk begins; `count` or beyond means that this one was the last.
    func writeFilter(from first: Int, into out: inout ByteBuffer, limit: Int = Limits.framePayload) -> Int {
        var end = first
        var size = 3
        while end < count, end - first < Int(UInt16.max) {
            let entry = 1 + Limits.routingKey + 2 + table[end].bundle.count
            guard size + entry <= limit else { break }
            size += entry
            end += 1
        }
        out.append(end < count ? 1 as UInt8 : 0)
        out.append(bigEndian: UInt16(end - first))
        for index in first..<end {
            out.append(table[index].isMuted ? 0x02 as UInt8 : 0x01)
            out.append(table[index].routingKey.bytes)
            out.append(bigEndian: UInt16(table[index].bundle.count))
            out.append(table[index].bundle.bytes)
        }
        return end
    }
}
