/// The value of decimal digits, or nil if there are none, something else is among them or the value exceeds 64 bits.
/// Unlike `UInt64(_: String)` it refuses a sign.
public func decimal<S: Sequence>(_ digits: S) -> UInt64? where S.Element == UInt8 {
    var value: UInt64 = 0
    var count = 0
    for digit in digits {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflow) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
        guard !tooLarge, !overflow else { return nil }
        value = sum
        count += 1
    }
    return count > 0 ? value : nil
}
