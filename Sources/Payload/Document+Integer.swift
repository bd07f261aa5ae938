/// Integers that not every format has: one rule for all.
extension Document {
    /// An integer of a sign and 64 bits. One beyond Int64, which property lists hold up to 2^64 − 1, becomes the nearest
    /// double, as does such a number in JSON. Below Int64 no property list goes: `number`.
    mutating func integer(
        magnitude: UInt64, isNegative: Bool, at offset: Int
    ) throws(PayloadError) {
        if isNegative {
            guard magnitude <= 1 << 63 else { throw .number(offset: offset) }
            try int(Int64(truncatingIfNeeded: 0 &- magnitude), at: offset)
        } else if magnitude < 1 << 63 {
            try int(Int64(magnitude), at: offset)
        } else {
            try double(Double(magnitude), at: offset)
        }
    }
}
