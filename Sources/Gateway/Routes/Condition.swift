import Bytes
import Payload

/// One test of a `when` line: a field of the document and what must hold for it.
public struct Condition: Equatable, Sendable {
    public enum Operator: Equatable, Sendable, CaseIterable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains, exists, absent

        /// As a `when` line has it.
        public var name: String {
            switch self {
            case .equal: "=="
            case .notEqual: "!="
            case .less: "<"
            case .lessOrEqual: "<="
            case .greater: ">"
            case .greaterOrEqual: ">="
            case .contains: "contains"
            case .exists: "exists"
            case .absent: "absent"
            }
        }

        var takesValue: Bool { self != .exists && self != .absent }
    }

    /// What a field is compared with. A quoted value is a text; a bare one is also what it reads as.
    public struct Operand: Equatable, Sendable {
        public enum Number: Equatable, Sendable {
            case int(Int64)
            case double(Double)
        }

        public var text: [UInt8] = []
        public var number: Number?
        public var bool: Bool?
        public var isNull = false
    }

    /// Keys from the root; a key of digits is also a place in an array, counted from 0.
    public var path: [[UInt8]]
    public var operation: Operator
    public var operand: Operand

    public init(path: [[UInt8]], operation: Operator, operand: Operand) {
        self.path = path
        self.operation = operation
        self.operand = operand
    }

    /// Whether it holds. Allocates nothing.
    ///
    /// A number is compared with a number by value, whatever the format made of it, a text with a text by its bytes. What
    /// cannot be compared, because it is absent or of another kind, is neither equal nor less nor greater; `!=` is the
    /// opposite of `==` in every case. `contains` looks for a part of a text or an element of an array.
    public func holds(_ document: borrowing Document) -> Bool {
        let field = document.field(path)
        switch operation {
        case .exists: return field != nil
        case .absent: return field == nil
        case .notEqual: return !operand.isEqual(field, document)
        case .equal: return operand.isEqual(field, document)
        case .contains: return operand.isContained(in: field, document)
        case .less: return operand.order(field, document) == .less
        case .greater: return operand.order(field, document) == .greater
        case .lessOrEqual:
            let order = operand.order(field, document)
            return order == .less || order == .equal
        case .greaterOrEqual:
            let order = operand.order(field, document)
            return order == .greater || order == .equal
        }
    }
}

extension Condition.Operand {
    /// How a field stands to an operand.
    enum Order { case less, equal, greater }

    fileprivate func isEqual(_ field: Document.Value?, _ document: borrowing Document) -> Bool {
        guard let field else { return false }
        switch document.kind(field) {
        case .bool: return bool != nil && document.bool(field) == bool
        case .null: return isNull
        case .string, .int, .double: return order(field, document) == .equal
        case .map, .array, .data: return false
        }
    }

    fileprivate func order(_ field: Document.Value?, _ document: borrowing Document) -> Order? {
        guard let field else { return nil }
        if let string = document.string(field) {
            if string.equals(text.span.bytes) { return .equal }
            return string.precedes(text.span.bytes) ? .less : .greater
        }
        if let int = document.int(field) {
            switch number {
            case .int(let other): return int < other ? .less : int == other ? .equal : .greater
            case .double(let other): return Self.order(int, other)
            case nil: return nil
            }
        }
        guard let double = document.double(field) else { return nil }
        switch number {
        case .int(let other): return Self.reversed(Self.order(other, double))
        case .double(let other): return double < other ? .less : double == other ? .equal : .greater
        case nil: return nil
        }
    }

    /// Exact, though not every Int64 is a double. Documents and operands hold no NaN.
    private static func order(_ int: Int64, _ double: Double) -> Order {
        if double >= 0x1p63 { return .less }
        if double < -0x1p63 { return .greater }
        let whole = double.rounded(.towardZero)
        let other = Int64(whole)
        if int != other { return int < other ? .less : .greater }
        return double > whole ? .less : double == whole ? .equal : .greater
    }

    private static func reversed(_ order: Order) -> Order {
        switch order {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }

    fileprivate func isContained(in field: Document.Value?, _ document: borrowing Document) -> Bool {
        guard let field else { return false }
        if let string = document.string(field) { return Self.find(text, in: string) }
        guard document.kind(field) == .array else { return false }
        var element = document.firstChild(field)
        while let value = element {
            if isEqual(value, document) { return true }
            element = document.next(value)
        }
        return false
    }

    private static func find(_ part: [UInt8], in text: RawSpan) -> Bool {
        guard part.count <= text.byteCount else { return false }
        for start in 0...(text.byteCount - part.count)
        where text.extracting(start..<start + part.count).equals(part.span.bytes) {
            return true
        }
        return false
    }
}

extension Document {
    /// The value at a path of keys from the root; nil where there is none.
    func field(_ path: [[UInt8]]) -> Value? {
        guard var value = root else { return nil }
        for part in path {
            let inner = kind(value) == .array ? element(value, part) : child(value, key: part.span.bytes)
            guard let inner else { return nil }
            value = inner
        }
        return value
    }

    private func element(_ array: Value, _ digits: [UInt8]) -> Value? {
        guard var left = decimal(digits) else { return nil }
        var element = firstChild(array)
        while let value = element, left > 0 {
            left -= 1
            element = next(value)
        }
        return element
    }
}
