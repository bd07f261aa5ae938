/// A command line taken apart: plain words and `key=value` pairs, in order, quotes removed.
struct Words {
    private(set) var words: [String] = []
    private(set) var pairs: [(key: String, value: String)] = []
    /// Keys that were asked for; the rest is a mistake of the user.
    private var used: Set<String> = []

    /// Splits at blanks. Double quotes keep blanks and know \n, \t, \" and \\; single quotes keep everything.
    init(_ line: String) throws(TestbedError) {
        for (text, equals) in try Words.split(line) {
            if let equals {
                pairs.append((String(text.prefix(equals)), String(text.dropFirst(equals + 1))))
            } else {
                words.append(text)
            }
        }
    }

    /// Words, each with the position of its first unquoted `=` if that is not its first character.
    private static func split(_ line: String) throws(TestbedError) -> [(String, Int?)] {
        var result: [(String, Int?)] = []
        var current: String?
        var equals: Int?
        var quote: Character?
        var escaped = false
        for character in line {
            if escaped {
                current = (current ?? "") + String(["n": "\n", "t": "\t"][character] ?? character)
                escaped = false
            } else if character == "\\", quote != "'" {
                escaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { current?.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                current = current ?? ""
            } else if character == " " || character == "\t" {
                if let word = current { result.append((word, equals)) }
                current = nil
                equals = nil
            } else {
                if character == "=", equals == nil, let word = current, !word.isEmpty { equals = word.count }
                current = (current ?? "") + String(character)
            }
        }
        guard quote == nil, !escaped else { throw .usage("a quote is not closed") }
        if let word = current { result.append((word, equals)) }
        return result
    }

    /// Takes the next plain word.
    mutating func next() -> String? { words.isEmpty ? nil : words.removeFirst() }

    mutating func next(_ what: String) throws(TestbedError) -> String {
        guard let word = next() else { throw .usage("missing \(what)") }
        return word
    }

    mutating func integer<T: FixedWidthInteger>(_ what: String) throws(TestbedError) -> T {
        try parse(try next(what), what)
    }

    /// Removes a plain word if it is there.
    mutating func takes(_ word: String) -> Bool {
        guard let index = words.firstIndex(of: word) else { return false }
        words.remove(at: index)
        return true
    }

    /// The value of a key.
    mutating func value(_ key: String) -> String? {
        used.insert(key)
        return pairs.last { $0.key == key }?.value
    }

    mutating func integer<T: FixedWidthInteger>(key: String) throws(TestbedError) -> T? {
        guard let text = value(key) else { return nil }
        return try parse(text, key) as T
    }

    /// Fails if anything has not been understood.
    func finish() throws(TestbedError) {
        if let word = words.first { throw .usage("\(word) is not understood here") }
        if let pair = pairs.first(where: { !used.contains($0.key) }) { throw .usage("no such key: \(pair.key)") }
    }

    private func parse<T: FixedWidthInteger>(_ text: String, _ what: String) throws(TestbedError) -> T {
        let value = text.hasPrefix("0x") ? T(text.dropFirst(2), radix: 16) : T(text)
        guard let value else { throw .usage("\(what): \(text) is no number, or out of range") }
        return value
    }
}
