import Bytes
import SGP

/// What a parser made of received bytes, one after another.
enum Parsed: Equatable {
    case item(FrameParser.Item, [UInt8])
    case fault(FrameFault)

    static func message(_ type: ServerMessage, _ payload: [UInt8] = []) -> Parsed { .item(.message(type), payload) }
}

/// Feeds a new parser in pieces of the sizes that `size` gives and stops at the first fault.
func parse(_ bytes: [UInt8], in size: () -> Int = { .max }) -> [Parsed] {
    var parser = FrameParser()
    var found: [Parsed] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let tail = parser.receiveTail()
        let count = min(tail.count, size(), rest.count)
        if count == 0 { return found }
        rest.prefix(count).withUnsafeBytes { tail.copyMemory(from: $0) }
        rest = rest.dropFirst(count)
        parser.received(count)
        if !drain(&parser, into: &found) { return found }
    }
    return found
}

/// Takes all items out; false after a fault.
func drain(_ parser: inout FrameParser, into found: inout [Parsed]) -> Bool {
    while true {
        let item: FrameParser.Item?
        do throws(FrameFault) {
            item = try parser.next()
        } catch {
            found.append(.fault(error))
            return false
        }
        guard let item else { return true }
        found.append(.item(item, item == .legacyHello ? [] : array(parser.payload)))
    }
}

/// A way in which received bytes are cut into reads.
enum Delivery: Sendable {
    case whole
    case pieces(Int)
    case random(UInt64)

    /// Gives the size of one read after another.
    func make() -> () -> Int {
        switch self {
        case .whole: return { .max }
        case .pieces(let size): return { size }
        case .random(let seed):
            var random = Seeded(seed)
            return { 1 + random.below(Int(seed * seed) * 8) }
        }
    }
}

/// Every delivery that a test goes through.
let deliveries: [Delivery] =
    [.whole] + [1, 2, 3, 7, 8, 9, 15, 16, 17, 4095, 4103, 4104, 4105].map { .pieces($0) } + (1...8).map { .random($0) }
