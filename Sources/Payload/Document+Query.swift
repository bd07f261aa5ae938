import Bytes

/// Reading a document. Nothing here allocates; spans are valid while the document is borrowed.
extension Document {
    /// The map that is the document, or nil if nothing was decoded.
    public var root: Value? { nodeCount > 0 ? Value(index: 0) : nil }

    public func kind(_ value: Value) -> Kind { node(value).kind }

    /// Values in a map or array, bytes of a string or DATA; 0 for the others.
    public func count(_ value: Value) -> Int {
        switch kind(value) {
        case .map, .array, .string, .data: Int(node(value).high)
        case .int, .double, .bool, .null: 0
        }
    }

    /// The first value of a map (in the order of keys) or array.
    public func firstChild(_ value: Value) -> Value? {
        guard kind(value) == .map || kind(value) == .array, node(value).high > 0 else { return nil }
        return Value(index: node(value).low)
    }

    /// The next value in the same container.
    public func next(_ value: Value) -> Value? {
        let next = node(value).next
        return next == 0 ? nil : Value(index: next)
    }

    /// The key of a value of a map, as UTF-8; nil for the root and the values of arrays.
    @_lifetime(borrow self)
    public func key(_ value: Value) -> RawSpan? {
        let node = node(value)
        guard node.keyOffset != Self.noKey else { return nil }
        return span(node.keyOffset, node.keyLength)
    }

    /// The UTF-8 of a string.
    @_lifetime(borrow self)
    public func string(_ value: Value) -> RawSpan? {
        guard kind(value) == .string else { return nil }
        return span(node(value).low, node(value).high)
    }

    /// The bytes of DATA.
    @_lifetime(borrow self)
    public func data(_ value: Value) -> RawSpan? {
        guard kind(value) == .data else { return nil }
        return span(node(value).low, node(value).high)
    }

    public func int(_ value: Value) -> Int64? {
        kind(value) == .int ? Int64(bitPattern: node(value).payload) : nil
    }

    public func double(_ value: Value) -> Double? {
        kind(value) == .double ? Double(bitPattern: node(value).payload) : nil
    }

    public func bool(_ value: Value) -> Bool? {
        kind(value) == .bool ? node(value).payload != 0 : nil
    }

    /// A number of either kind as an integer, towards zero; nil if it does not fit. JSON senders make every integer a
    /// double (SGP v2 §10).
    public func integer(_ value: Value) -> Int64? {
        switch kind(value) {
        case .int: int(value)
        case .double: Int64(exactly: Double(bitPattern: node(value).payload).rounded(.towardZero))
        case .map, .array, .string, .bool, .null, .data: nil
        }
    }

    /// The value of a map with this key; nil if there is none, or no map.
    public func child(_ value: Value?, _ name: String) -> Value? {
        guard let value, kind(value) == .map else { return nil }
        var child = firstChild(value)
        while let found = child {
            let node = node(found)
            if span(node.keyOffset, node.keyLength).equals(name) { return found }
            child = next(found)
        }
        return nil
    }

    /// The value at a path of keys from the root.
    public func lookup(_ first: String, _ second: String? = nil, _ third: String? = nil) -> Value? {
        var value = child(root, first)
        if let second { value = child(value, second) }
        if let third { value = child(value, third) }
        return value
    }

    // MARK: Inside

    private func node(_ value: Value) -> Node {
        precondition(Int(value.index) < nodeCount)
        return nodes[Int(value.index)]
    }

    @_lifetime(borrow self)
    private func span(_ offset: UInt32, _ length: UInt32) -> RawSpan {
        storage.bytes.extracting(Int(offset)..<Int(offset) + Int(length))
    }
}
