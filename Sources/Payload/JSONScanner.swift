import Bytes

/// What has to be known of JSON before it is parsed. It is not checked here: what is no JSON, jansson refuses.
struct JSONScanner {
    private let input: UnsafeRawBufferPointer
    private var position = 0

    init(_ input: UnsafeRawBufferPointer) { self.input = input }

    /// Where a bracket opens that would be nested deeper than `Limits.nesting`.
    static func bracketTooDeep(_ input: UnsafeRawBufferPointer) -> Int? {
        var scanner = JSONScanner(input)
        var depth = 0
        while let byte = scanner.nextOutsideStrings() {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > Limits.nesting { return scanner.position - 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(depth - 1, 0)
            default: break
            }
        }
        return nil
    }

    /// Where the next integer ends that is beyond Int64.
    mutating func nextWideInteger() -> Int? {
        while let byte = nextOutsideStrings() {
            guard Self.isNumeric(byte) else { continue }
            let start = position - 1
            while position < input.count, Self.isNumeric(input[position]) { position += 1 }
            if Self.isWide(input[start..<position]) { return position }
        }
        return nil
    }

    /// The next byte that is not within a string, nor its quotation mark.
    private mutating func nextOutsideStrings() -> UInt8? {
        while position < input.count {
            let byte = input[position]
            position += 1
            guard byte == UInt8(ascii: "\"") else { return byte }
            skipString()
        }
        return nil
    }

    private mutating func skipString() {
        while position < input.count {
            let byte = input[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\") { position = min(position + 1, input.count) }
        }
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Digits, after a minus or not, whose value does not fit Int64.
    private static func isWide(_ token: Slice<UnsafeRawBufferPointer>) -> Bool {
        let isNegative = token.first == UInt8(ascii: "-")
        let digits = isNegative ? token.dropFirst() : token
        // 2^63 has 19 digits, and a number does not begin with 0.
        guard digits.count >= 19, digits.first != UInt8(ascii: "0") else { return false }
        var magnitude: UInt64 = 0
        var overflows = false
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return false }
            let (shifted, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = shifted.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            overflows = overflows || first || second
            magnitude = sum
        }
        return overflows || magnitude > (isNegative ? 1 << 63 : 1 << 63 - 1)
    }
}
