/// What happened, as a hash and, if wanted, as lines. The same seed gives the same.
final class Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines = 0
    let isPrinted: Bool

    init(isPrinted: Bool) { self.isPrinted = isPrinted }

    func note(_ time: Int64, _ what: StaticString, _ first: Int64 = 0, _ second: Int64 = 0) {
        lines += 1
        mix(UInt64(bitPattern: time))
        what.withUTF8Buffer { for byte in $0 { mix(byte) } }
        mix(UInt64(bitPattern: first))
        mix(UInt64(bitPattern: second))
        if isPrinted { print("\(Self.clock(time))  \(what) \(first) \(second)") }
    }

    /// For the printed trace alone.
    func say(_ time: Int64, _ text: @autoclosure () -> String) {
        if isPrinted { print("\(Self.clock(time))    \(text())") }
    }

    private func mix(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    private func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

    /// Day, hours, minutes, seconds and milliseconds.
    static func clock(_ time: Int64) -> String {
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let milliseconds = time % 1000
        let fill = milliseconds < 10 ? "00" : milliseconds < 100 ? "0" : ""
        let seconds = time / 1000
        return "\(two(seconds / 86_400))d \(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
            + ".\(fill)\(milliseconds)"
    }
}
