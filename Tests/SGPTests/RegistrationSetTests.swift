import Bytes
import SGP
import Testing

/// The table of registrations, kept in order of routing keys.
@Suite struct RegistrationSetTests {
    static func registration(_ key: [UInt8], bundle: String = "org.a", muted: Bool = false) -> Registration {
        Registration(
            routingKey: Blob<32>(key.span.bytes)!, endToEndKey: Blob<32>(), bundle: Blob<64>(bundle)!, isMuted: muted)
    }

    static func key(_ value: Int) -> [UInt8] { bigEndian(UInt32(value)) + [UInt8](repeating: 7, count: 28) }

    @Test(arguments: [0, 1, 2, 3, 7, 8, 63, 64, 65, 1023, 1024]) func capacity(capacity: Int) {
        var set = RegistrationSet(capacity: capacity)
        #expect(set.capacity == capacity)
        var random = Seeded(UInt64(capacity))
        let values = Array(0..<capacity).shuffled(using: &random)
        for (count, value) in values.enumerated() {
            let isIn = set.insert(Self.registration(Self.key(value * 2)))
            #expect(isIn)
            #expect(set.count == count + 1)
        }
        let isIn = set.insert(Self.registration(Self.key(1)))
        #expect(!isIn)
        #expect(set.count == capacity)
        // Replacing needs no room.
        if capacity > 0 {
            let isReplaced = set.insert(Self.registration(Self.key(0), bundle: "new", muted: true))
            #expect(isReplaced)
            #expect(set.count == capacity)
            #expect(set[0].bundle.text == "new")
            #expect(set[0].isMuted)
        }
        var wrong: [Int] = []
        for value in 0..<capacity {
            let found = set.index(of: Self.key(value * 2).span.bytes)
            let missing = set.index(of: Self.key(value * 2 + 1).span.bytes)
            if found != value || missing != nil { wrong.append(value) }
            if array(set[value].routingKey.bytes) != Self.key(value * 2) { wrong.append(value) }
        }
        #expect(wrong == [])
        set.removeAll()
        #expect(set.count == 0)
        let found = set.index(of: Self.key(0).span.bytes)
        #expect(found == nil)
    }

    /// Bytes are compared as unsigned numbers, first byte first.
    @Test func order() {
        let keys: [[UInt8]] = [
            [0] + [UInt8](repeating: 0xFF, count: 31), [0x7F] + [UInt8](repeating: 0, count: 31),
            [0x80] + [UInt8](repeating: 0, count: 31), [0x80] + [UInt8](repeating: 0, count: 30) + [1],
            [UInt8](repeating: 0xFF, count: 32),
        ]
        for seed in 0..<20 {
            var random = Seeded(UInt64(seed))
            var set = RegistrationSet(capacity: 5)
            for key in keys.shuffled(using: &random) {
                let isIn = set.insert(Self.registration(key))
                #expect(isIn)
            }
            for index in keys.indices { #expect(array(set[index].routingKey.bytes) == keys[index]) }
        }
    }

    /// A key that is not 32 bytes long is none of ours.
    @Test(arguments: [0, 1, 31]) func shortKeys(length: Int) {
        var set = RegistrationSet(capacity: 4)
        for value in 0..<4 {
            let isIn = set.insert(Self.registration(Self.key(value)))
            #expect(isIn)
        }
        let found = set.index(of: Array(Self.key(2).prefix(length)).span.bytes)
        #expect(found == nil)
        let longer = set.index(of: (Self.key(2) + [0]).span.bytes)
        #expect(longer == nil)
    }

    /// Against an array that is sorted anew each time.
    @Test(arguments: 1...5 as ClosedRange<UInt64>) func model(seed: UInt64) {
        var random = Seeded(seed)
        var set = RegistrationSet(capacity: 40)
        var model: [(key: [UInt8], bundle: String)] = []
        for step in 0..<600 {
            let key = Self.key(random.below(60))
            let bundle = "b\(step)"
            let isIn = set.insert(Self.registration(key, bundle: bundle))
            if let place = model.firstIndex(where: { $0.key == key }) {
                model[place].bundle = bundle
                #expect(isIn)
            } else if model.count < 40 {
                model.append((key, bundle))
                model.sort { $0.key.lexicographicallyPrecedes($1.key) }
                #expect(isIn)
            } else {
                #expect(!isIn)
            }
            if step % 97 == 96 {
                set.removeAll()
                model = []
            }
            #expect(set.count == model.count)
            for (index, entry) in model.enumerated() {
                let registration = set[index]
                if array(registration.routingKey.bytes) != entry.key || registration.bundle.text != entry.bundle {
                    Issue.record("step \(step), place \(index)")
                }
            }
        }
    }
}
