import Bytes
import CBoard

/// The text of one line, built in place: an interpolation streams into fixed storage, so logging allocates nothing.
///
///     log.info(.link, "connected to \(printable: address) after \(failures) failures")
///
/// What is interpolated is made printable; keys, tokens and payloads must not be interpolated at all. Text beyond
/// `Limits.logText` bytes is cut and ends in `…`.
public struct LogText: ExpressibleByStringInterpolation, Sendable {
    // Generic arguments are literals; a test compares this one with Limits.logText.
    private var storage = InlineArray<448, UInt8>(repeating: 0)
    public private(set) var count = 0
    private var isCut = false

    public init(stringLiteral text: String) { appendLiteral(text) }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

    init() {}

    public var bytes: RawSpan {
        @_lifetime(borrow self)
        get { storage.span.bytes.extracting(0..<count) }
    }

    mutating func appendLiteral(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0).bytes) }
    }

    /// Control characters and what is not UTF-8 become `?`; a character that does not fit is left out whole.
    mutating func append(_ bytes: RawSpan) {
        var index = 0
        while index < bytes.byteCount {
            let length = UTF8Text.sequence(at: index, in: bytes)
            let isControl =
                bytes[index] < 0x20 || bytes[index] == 0x7F
                || (length == 2 && bytes[index] == 0xC2 && bytes[index + 1] < 0xA0)
            if length == nil || isControl {
                guard reserve(1) else { return }
                append(UInt8(ascii: "?"))
            } else {
                guard reserve(length ?? 1) else { return }
                for offset in 0..<(length ?? 1) { append(bytes[index + offset]) }
            }
            index += length ?? 1
        }
    }

    mutating func append<T: BinaryInteger>(decimal value: T) {
        var digits = InlineArray<21, UInt8>(repeating: 0)
        var rest = UInt64(value.magnitude)
        var length = 0
        repeat {
            digits[length] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            length += 1
        } while rest > 0
        if value < 0 {
            digits[length] = UInt8(ascii: "-")
            length += 1
        }
        guard reserve(length) else { return }
        for index in (0..<length).reversed() { append(digits[index]) }
    }

    mutating func append(hex bytes: RawSpan) {
        for index in 0..<bytes.byteCount {
            guard reserve(2) else { return }
            append(Hex.digit(bytes[index] >> 4))
            append(Hex.digit(bytes[index] & 15))
        }
    }

    private mutating func append(_ byte: UInt8) {
        storage[count] = byte
        count += 1
    }

    /// Room for `size` bytes and, always, for the mark of the cut. After the first refusal everything is refused.
    private mutating func reserve(_ size: Int) -> Bool {
        if isCut { return false }
        if count + size <= storage.count - 3 { return true }
        isCut = true
        append(0xE2)
        append(0x80)
        append(0xA6)
        return false
    }

    /// What the compiler makes of an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = LogText()

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { text.appendLiteral(literal) }

        /// A text, made printable.
        public mutating func appendInterpolation(_ value: String) { text.appendLiteral(value) }
        /// An integer of up to 64 bits, in decimal digits.
        public mutating func appendInterpolation<T: BinaryInteger>(_ value: T) { text.append(decimal: value) }
        public mutating func appendInterpolation(_ value: Bool) { text.appendLiteral(value ? "true" : "false") }
        /// Bytes as text, made printable.
        public mutating func appendInterpolation(printable bytes: RawSpan) { text.append(bytes) }
        public mutating func appendInterpolation(printable bytes: UnsafeRawBufferPointer) { text.append(bytes.bytes) }
        public mutating func appendInterpolation<let size: Int>(printable blob: Blob<size>) { text.append(blob.bytes) }
        public mutating func appendInterpolation<let size: Int>(_ blob: Blob<size>) { text.append(blob.bytes) }
        /// The system's words for an error number.
        public mutating func appendInterpolation(errno code: Int32) {
            guard let words = strerror(code) else { return }
            text.append(UnsafeRawBufferPointer(start: words, count: strlen(words)).bytes)
        }
        /// Bytes as pairs of hexadecimal digits.
        public mutating func appendInterpolation(hex bytes: RawSpan) { text.append(hex: bytes) }
        public mutating func appendInterpolation<let size: Int>(hex blob: Blob<size>) { text.append(hex: blob.bytes) }
    }
}
