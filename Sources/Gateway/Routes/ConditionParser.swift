import Bytes
import CBoard

/// Why a `when` line is refused: what is wrong, and at which byte of it.
public struct ConditionError: Error, Equatable, Sendable {
    public let offset: Int
    public let message: String
}

extension Condition {
    /// Reads the value of a `when` line:
    ///
    ///     conditions = condition *( "and" condition )
    ///     condition  = field operator value / field "contains" value / field ( "exists" / "absent" )
    ///     operator   = "==" / "!=" / "<" / "<=" / ">" / ">="
    ///     field      = part *( "." part )
    ///     part       = quoted / 1*( anything but white space, quotes, ".", "=", "!", "<" and ">" )
    ///     value      = quoted / 1*( anything but white space and quotes )
    ///     quoted     = between two " or two ', with no escapes
    public static func parse(_ text: [UInt8]) throws(ConditionError) -> [Condition] {
        var parser = ConditionParser(text)
        return try parser.conditions()
    }
}

private struct ConditionParser {
    private let text: [UInt8]
    private var index = 0

    init(_ text: [UInt8]) { self.text = text }

    mutating func conditions() throws(ConditionError) -> [Condition] {
        var found: [Condition] = []
        while true {
            skipSpace()
            guard found.count < Limits.conditions else { throw error("more than \(Limits.conditions) conditions") }
            found.append(try condition())
            skipSpace()
            guard index < text.count else { return found }
            let start = index
            guard word() == "and" else {
                throw ConditionError(offset: start, message: "expected `and` or the end, not `\(shown(start))`")
            }
        }
    }

    private mutating func condition() throws(ConditionError) -> Condition {
        let path = try field()
        skipSpace()
        let operation = try operation()
        guard operation.takesValue else {
            return Condition(path: path, operation: operation, operand: Condition.Operand())
        }
        skipSpace()
        return Condition(path: path, operation: operation, operand: try operand(after: operation))
    }

    // MARK: Parts

    private mutating func field() throws(ConditionError) -> [[UInt8]] {
        var path: [[UInt8]] = []
        while true {
            if let quoted = try quoted() {
                path.append(quoted)
            } else {
                let start = index
                while index < text.count, Self.isOfPart(text[index]) { index += 1 }
                guard index > start else {
                    throw error(path.isEmpty ? "a field is missing" : "a part of the field is missing after `.`")
                }
                path.append(Array(text[start..<index]))
            }
            guard index < text.count, text[index] == UInt8(ascii: ".") else { return path }
            index += 1
        }
    }

    private mutating func operation() throws(ConditionError) -> Condition.Operator {
        let start = index
        guard start < text.count else { throw error("expected \(Self.operators) after the field") }
        let isSymbol = Self.isSymbol(text[start])
        let found: String
        if isSymbol {
            while index < text.count, Self.isSymbol(text[index]) { index += 1 }
            found = String(decoding: text[start..<index], as: UTF8.self)
        } else {
            found = word()
        }
        for known in Condition.Operator.allCases where known.name == found { return known }
        throw ConditionError(offset: start, message: "expected \(Self.operators), not `\(shown(start))`")
    }

    private mutating func operand(after operation: Condition.Operator) throws(ConditionError) -> Condition.Operand {
        if let quoted = try quoted() {
            guard isAtBoundary else { throw error("expected a space after the quoted value") }
            return Condition.Operand(text: quoted)
        }
        let start = index
        let bare = word()
        guard !bare.isEmpty else { throw error("a value is missing after `\(operation.name)`") }
        guard isAtBoundary else { throw error("a quote within a value: put the whole value in quotes") }
        let bytes = Array(text[start..<index])
        return Condition.Operand(
            text: bytes, number: Self.number(bytes), bool: bare == "true" ? true : bare == "false" ? false : nil,
            isNull: bare == "null")
    }

    /// What stands between two quotes of the same kind, or nil if none begins here.
    private mutating func quoted() throws(ConditionError) -> [UInt8]? {
        guard index < text.count, Self.isQuote(text[index]) else { return nil }
        guard let end = text[(index + 1)...].firstIndex(of: text[index]) else {
            throw error("this quote is not closed")
        }
        let inner = Array(text[(index + 1)..<end])
        index = end + 1
        return inner
    }

    private mutating func word() -> String {
        let start = index
        while index < text.count, !Self.isSpace(text[index]), !Self.isQuote(text[index]) { index += 1 }
        return String(decoding: text[start..<index], as: UTF8.self)
    }

    private mutating func skipSpace() {
        while index < text.count, Self.isSpace(text[index]) { index += 1 }
    }

    private var isAtBoundary: Bool { index == text.count || Self.isSpace(text[index]) }

    private func error(_ message: String) -> ConditionError { ConditionError(offset: index, message: message) }

    /// The word at a place, for a message.
    private func shown(_ start: Int) -> String {
        let end = text[start...].firstIndex(where: Self.isSpace) ?? text.count
        return String(decoding: text[start..<end], as: UTF8.self)
    }

    // MARK: Characters

    private static let operators = "one of == != < <= > >= contains exists absent"

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func isSymbol(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }

    private static func isOfPart(_ byte: UInt8) -> Bool {
        !isSpace(byte) && !isQuote(byte) && !isSymbol(byte) && byte != UInt8(ascii: ".")
    }

    /// A number as JSON has it.
    private static func number(_ text: [UInt8]) -> Condition.Operand.Number? {
        var index = 0
        var isWhole = true
        func digits() -> Bool {
            let start = index
            while index < text.count, text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") { index += 1 }
            return index > start
        }
        func take(_ characters: String) -> Bool {
            guard index < text.count, characters.utf8.contains(text[index]) else { return false }
            index += 1
            return true
        }
        _ = take("-")
        guard digits() else { return nil }
        if take(".") {
            isWhole = false
            guard digits() else { return nil }
        }
        if take("eE") {
            isWhole = false
            _ = take("+-")
            guard digits() else { return nil }
        }
        guard index == text.count else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        if isWhole, let int = Int64(string) { return .int(int) }
        let double = strtod(string, nil)
        return double.isFinite ? .double(double) : nil
    }
}
