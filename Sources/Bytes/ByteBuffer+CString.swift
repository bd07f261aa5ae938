extension ByteBuffer {
    /// The bytes of a C string without its terminator; nothing for null.
    public mutating func append(cString text: UnsafePointer<CChar>?) {
        guard let text else { return }
        var length = 0
        while text[length] != 0 { length += 1 }
        append(UnsafeRawBufferPointer(start: text, count: length))
    }
}
