import Bytes

extension Document {
    /// The value of a map with this key, given as its bytes; nil if there is none, or no map.
    public func child(_ value: Value, key wanted: RawSpan) -> Value? {
        guard kind(value) == .map else { return nil }
        var child = firstChild(value)
        while let found = child {
            if let key = key(found), key.equals(wanted) { return found }
            child = next(found)
        }
        return nil
    }
}
