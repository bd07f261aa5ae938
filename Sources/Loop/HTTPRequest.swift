import Bytes

/// The head of a request that was read strictly (RFC 9112). Offsets are in the connection's bytes.
public struct HTTPRequest: Equatable, Sendable {
    public enum Method: Sendable, Equatable { case post, head, other }

    public var method = Method.other
    /// The target, an absolute path.
    public var target: Range<Int> = 0..<0
    /// Where the body begins, and how long it is.
    public var bodyStart = 0
    public var bodyLength = 0
    /// The client keeps the connection for another request.
    public var keepsAlive = true
    /// The client waits for a word before it sends the body.
    public var expectsContinue = false

    public init() {}
}

/// What an incomplete or wrong request comes to.
public enum HTTPParse: Equatable, Sendable {
    /// More bytes are needed.
    case incomplete
    case complete(HTTPRequest)
    /// The status to answer with; the connection is of no use any more.
    case fault(Int)
}

/// Reads the head of a request line by line as its bytes come. What two readers could understand in two ways is refused:
/// two lengths, a length and a coding, bare LF or CR, folded lines, white space before a colon, an absolute target.
public struct HTTPRequestParser: Sendable {
    private var request = HTTPRequest()
    private var position = 0
    private var line = 0
    private var scanned = 0
    private var isOld = false
    private var hosts = 0
    private var fields = 0
    private var length: Int?
    private var isCoded = false
    private var hasBody: Bool { length != nil || isCoded }

    public init() {}

    /// Of the request at hand, `other` before its first line is there.
    public var method: HTTPRequest.Method { request.method }

    /// Goes on with all bytes of the connection so far. `full` says that no more have room.
    public mutating func parse(_ bytes: RawSpan, full: Bool) -> HTTPParse {
        while let end = endOfLine(bytes) {
            guard end >= 0 else { return .fault(400) }
            let text = bytes.extracting(position..<end)
            position = end + 2
            scanned = position
            line += 1
            if line == 1 {
                // A client may end the body before with an empty line; ours do not.
                if let fault = startLine(text, at: end - text.byteCount) { return .fault(fault) }
            } else if text.byteCount == 0 {
                return finish()
            } else if let fault = field(text) {
                return .fault(fault)
            }
        }
        guard full || bytes.byteCount > Limits.requestHead else { return .incomplete }
        return .fault(line == 0 ? 414 : 431)
    }

    /// Where the line ends that begins at `position`; −1 for one that ends or is broken wrongly, nil before its end.
    private mutating func endOfLine(_ bytes: RawSpan) -> Int? {
        guard position < Limits.requestHead else { return nil }
        while scanned < min(bytes.byteCount, Limits.requestHead) {
            let byte = bytes[scanned]
            if byte == 0x0A {
                guard scanned > position, bytes[scanned - 1] == 0x0D else { return -1 }
                return scanned - 1
            }
            if byte == 0 || (scanned > position && bytes[scanned - 1] == 0x0D) { return -1 }
            scanned += 1
        }
        return nil
    }

    private mutating func startLine(_ text: RawSpan, at start: Int) -> Int? {
        var first = 0
        while first < text.byteCount, Self.isToken(text[first]) { first += 1 }
        guard first > 0, first < text.byteCount, text[first] == 0x20 else { return 400 }
        let method = text.extracting(0..<first)
        request.method = method.equals("POST") ? .post : method.equals("HEAD") ? .head : .other
        var second = first + 1
        while second < text.byteCount, text[second] > 0x20, text[second] < 0x7F { second += 1 }
        guard second < text.byteCount, text[second] == 0x20, second > first + 1,
            text[first + 1] == UInt8(ascii: "/")
        else { return 400 }
        guard second - first - 1 <= Limits.requestTarget else { return 414 }
        request.target = start + first + 1..<start + second
        let version = text.extracting(second + 1..<text.byteCount)
        guard version.byteCount == 8, version.starts(with: "HTTP/"), version[6] == UInt8(ascii: "."),
            Self.isDigit(version[5]), Self.isDigit(version[7])
        else { return 400 }
        guard version[5] == UInt8(ascii: "1") else { return 505 }
        isOld = version[7] == UInt8(ascii: "0")
        request.keepsAlive = !isOld
        return nil
    }

    private mutating func field(_ text: RawSpan) -> Int? {
        fields += 1
        guard fields <= Limits.requestFields else { return 431 }
        var colon = 0
        while colon < text.byteCount, Self.isToken(text[colon]) { colon += 1 }
        guard colon > 0, colon < text.byteCount, text[colon] == UInt8(ascii: ":") else { return 400 }
        var begin = colon + 1
        var end = text.byteCount
        while begin < end, text[begin] == 0x20 || text[begin] == 0x09 { begin += 1 }
        while end > begin, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
        for index in begin..<end where (text[index] < 0x20 && text[index] != 0x09) || text[index] == 0x7F { return 400 }
        let name = text.extracting(0..<colon)
        let value = text.extracting(begin..<end)
        if Self.matches(name, "content-length") { return setLength(value) }
        if Self.matches(name, "transfer-encoding") {
            guard length == nil, !isOld else { return 400 }
            isCoded = true
        } else if Self.matches(name, "host") {
            hosts += 1
        } else if Self.matches(name, "expect") {
            guard Self.matches(value, "100-continue") else { return 417 }
            request.expectsContinue = !isOld
        } else if Self.matches(name, "connection") {
            setConnection(value)
        }
        return nil
    }

    private mutating func setLength(_ value: RawSpan) -> Int? {
        guard length == nil, !isCoded, value.byteCount > 0, value.byteCount <= 18 else { return 400 }
        var number: Int64 = 0
        for index in 0..<value.byteCount {
            guard Self.isDigit(value[index]) else { return 400 }
            number = number * 10 + Int64(value[index] - UInt8(ascii: "0"))
        }
        length = Int(clamping: number)
        return nil
    }

    /// A list of options.
    private mutating func setConnection(_ value: RawSpan) {
        var begin = 0
        for index in 0...value.byteCount where index == value.byteCount || value[index] == UInt8(ascii: ",") {
            var end = index
            while begin < end, value[begin] == 0x20 || value[begin] == 0x09 { begin += 1 }
            while end > begin, value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
            if Self.matches(value.extracting(begin..<end), "close") { request.keepsAlive = false }
            begin = index + 1
        }
    }

    private mutating func finish() -> HTTPParse {
        guard isOld ? hosts <= 1 : hosts == 1 else { return .fault(400) }
        if isCoded { return .fault(411) }
        if request.method == .post, length == nil { return .fault(411) }
        request.bodyStart = position
        request.bodyLength = length ?? 0
        guard request.bodyLength <= Limits.requestBody else { return .fault(413) }
        if request.bodyLength == 0 { request.expectsContinue = false }
        return .complete(request)
    }

    /// Without regard to case; `word` is lowercase.
    private static func matches(_ text: RawSpan, _ word: String) -> Bool {
        guard text.byteCount == word.utf8.count else { return false }
        var index = 0
        for byte in word.utf8 {
            let letter = text[index]
            guard (letter >= 0x41 && letter <= 0x5A ? letter | 0x20 : letter) == byte else { return false }
            index += 1
        }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// tchar of RFC 9110 §5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }
}
