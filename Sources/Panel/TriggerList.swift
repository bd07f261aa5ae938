import Bytes
import CBoard

/// What an LED's `trigger` file lists, as `none [mmc0] timer`: the one in force is in brackets. Reserved once.
struct TriggerList: ~Copyable {
    private var text = ByteBuffer(capacity: Limits.triggerList)
    /// Empty where none is marked, or nothing was read.
    private(set) var inForce = Blob<64>()

    mutating func read(_ descriptor: Int32) {
        removeAll()
        let length = pread(descriptor, text.tail.baseAddress, text.free, 0)
        if length > 0 { text.commit(length) }
        var marked = Blob<64>()
        forEach { word, isInForce in
            if isInForce { marked = Blob(word) ?? Blob() }
        }
        inForce = marked
    }

    mutating func removeAll() {
        text.removeAll()
        inForce = Blob()
    }

    func contains(_ name: Blob<64>) -> Bool {
        var isListed = false
        forEach { word, _ in
            if word.equals(name.bytes) { isListed = true }
        }
        return isListed
    }

    func contains(_ name: String) -> Bool {
        var isListed = false
        forEach { word, _ in
            if word.equals(name) { isListed = true }
        }
        return isListed
    }

    /// Calls `body` with each trigger, without brackets, and whether it is the one in force.
    private func forEach(_ body: (RawSpan, Bool) -> Void) {
        let pointer = text.pointer
        let bytes = pointer.bytes
        var start = 0
        for index in 0...bytes.byteCount {
            guard index == bytes.byteCount || bytes[index] <= 0x20 else { continue }
            let word = bytes.extracting(start..<index)
            start = index + 1
            let isInForce =
                word.byteCount > 2 && word[0] == UInt8(ascii: "[")
                && word[word.byteCount - 1] == UInt8(ascii: "]")
            if !word.isEmpty { body(isInForce ? word.extracting(1..<word.byteCount - 1) : word, isInForce) }
        }
    }
}
