import Bytes

/// What decoders call, in the order of the document. `offset` is where in the input the value is, for errors.
extension Document {
    /// Begins a map; each of its values is preceded by a `key`. The first call of all begins the root.
    public mutating func beginMap(at offset: Int = 0) throws(PayloadError) {
        try begin(.map, at: offset)
    }

    /// Begins an array.
    public mutating func beginArray(at offset: Int = 0) throws(PayloadError) {
        try begin(.array, at: offset)
    }

    /// Ends the innermost container. Of the values of a map with the same key the last one stays.
    public mutating func end(at offset: Int = 0) throws(PayloadError) {
        guard depth > 0, pendingKey == nil else { throw .structure(offset: offset) }
        depth -= 1
        var container = open[depth]
        if container.isMap { sortChildren(&container) }
        nodes[Int(container.index)].payload = UInt64(container.count) << 32 | UInt64(container.first)
    }

    /// The key of the next value.
    public mutating func key(_ text: Text, at offset: Int = 0) throws(PayloadError) {
        guard depth > 0, open[depth - 1].isMap, pendingKey == nil else { throw .structure(offset: offset) }
        try charge(jsonText: text, at: offset)
        try charge(1, at: offset)
        pendingKey = text
    }

    /// A literal as the key of the next value.
    public mutating func key(_ literal: String, at offset: Int = 0) throws(PayloadError) {
        try key(copyText(literal, at: offset), at: offset)
    }

    /// A string, which must be UTF-8.
    public mutating func string(_ text: Text, at offset: Int = 0) throws(PayloadError) {
        try charge(jsonText: text, at: offset)
        try add(.string, payload: UInt64(text.length) << 32 | UInt64(text.offset), at: offset)
    }

    public mutating func data(_ bytes: Text, at offset: Int = 0) throws(PayloadError) {
        // {"$data":""} and four digits for every three bytes begun.
        try charge(12 + (Int(bytes.length) + 2) / 3 * 4, at: offset)
        try add(.data, payload: UInt64(bytes.length) << 32 | UInt64(bytes.offset), at: offset)
    }

    public mutating func int(_ value: Int64, at offset: Int = 0) throws(PayloadError) {
        var size = value < 0 ? 2 : 1
        var rest = value.magnitude / 10
        while rest > 0 {
            size += 1
            rest /= 10
        }
        try charge(size, at: offset)
        try add(.int, payload: UInt64(bitPattern: value), at: offset)
    }

    /// A number, which must be finite.
    public mutating func double(_ value: Double, at offset: Int = 0) throws(PayloadError) {
        guard value.isFinite else { throw .notFinite(offset: offset) }
        // The longest is -2.2250738585072014e-308.
        try charge(24, at: offset)
        try add(.double, payload: value.bitPattern, at: offset)
    }

    public mutating func bool(_ value: Bool, at offset: Int = 0) throws(PayloadError) {
        try charge(value ? 4 : 5, at: offset)
        try add(.bool, payload: value ? 1 : 0, at: offset)
    }

    public mutating func null(at offset: Int = 0) throws(PayloadError) {
        try charge(4, at: offset)
        try add(.null, payload: 0, at: offset)
    }

    /// Checks that the root has ended and is not empty (SGP v2 §10). A decoder's last call.
    public func finish(at offset: Int = 0) throws(PayloadError) {
        guard depth == 0, nodeCount > 0 else { throw .structure(offset: offset) }
        guard nodes[0].high > 0 else { throw .empty }
    }
}

// MARK: - Inside

extension Document {
    private mutating func begin(_ kind: Kind, at offset: Int) throws(PayloadError) {
        guard depth < Limits.nesting else { throw .nesting(offset: offset) }
        guard nodeCount > 0 || kind == .map else { throw .notMap(offset: offset) }
        try charge(2, at: offset)
        let index = try add(kind, payload: 0, at: offset)
        (open + depth).initialize(to: Open(index: index, isMap: kind == .map))
        depth += 1
    }

    /// Appends a value to the innermost container.
    @discardableResult
    private mutating func add(_ kind: Kind, payload: UInt64, at offset: Int) throws(PayloadError) -> UInt32 {
        guard nodeCount < Limits.documentValues else { throw .capacity(offset: offset) }
        var node = Node(payload: payload, keyOffset: Self.noKey, keyLength: 0, next: 0, kind: kind)
        let index = UInt32(nodeCount)
        if depth > 0 {
            guard open[depth - 1].isMap == (pendingKey != nil) else { throw .structure(offset: offset) }
            // The comma.
            try charge(1, at: offset)
            if let key = pendingKey {
                node.keyOffset = key.offset
                node.keyLength = key.length
                pendingKey = nil
            }
            if open[depth - 1].count == 0 {
                open[depth - 1].first = index
            } else {
                nodes[Int(open[depth - 1].last)].next = index
            }
            open[depth - 1].last = index
            open[depth - 1].count += 1
        } else {
            guard nodeCount == 0 else { throw .structure(offset: offset) }
            guard kind == .map else { throw .notMap(offset: offset) }
        }
        (nodes + nodeCount).initialize(to: node)
        nodeCount += 1
        return index
    }

    /// Counts bytes of canonical JSON. It bounds what shared or repeated texts can cost in any format.
    private mutating func charge(_ size: Int, at offset: Int) throws(PayloadError) {
        guard size <= Limits.canonicalJSON - jsonBound else { throw .capacity(offset: offset) }
        jsonBound += size
    }

    /// Checks that a text is UTF-8 and counts its JSON.
    private mutating func charge(jsonText text: Text, at offset: Int) throws(PayloadError) {
        let bytes = slice(text).bytes
        guard UTF8Text.isValid(bytes) else { throw .utf8(offset: offset) }
        var size = 2 + bytes.byteCount
        for index in 0..<bytes.byteCount { size += jsonGrowth(bytes[index]) }
        try charge(size, at: offset)
    }

    func slice(_ text: Text) -> UnsafeRawBufferPointer {
        let all = storage.pointer
        precondition(Int(text.offset) + Int(text.length) <= all.count)
        return UnsafeRawBufferPointer(start: all.baseAddress! + Int(text.offset), count: Int(text.length))
    }
}
