/// A first-in, first-out queue of fixed capacity, reserved once.
public struct Ring<Element: BitwiseCopyable>: ~Copyable {
    private let base: UnsafeMutablePointer<Element>
    public let capacity: Int
    private var head = 0
    public private(set) var count = 0

    public init(capacity: Int) {
        base = .allocate(capacity: max(capacity, 1))
        self.capacity = capacity
    }

    deinit { base.deallocate() }

    public var isEmpty: Bool { count == 0 }
    public var isFull: Bool { count == capacity }
    /// The oldest element.
    public var first: Element? { isEmpty ? nil : base[head] }

    /// Appends unless the ring is full; says whether it did.
    @discardableResult
    public mutating func append(_ element: Element) -> Bool {
        guard !isFull else { return false }
        base[(head + count) % capacity] = element
        count += 1
        return true
    }

    /// Takes the oldest element out.
    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = base[head]
        head = (head + 1) % capacity
        count -= 1
        return element
    }

    public mutating func removeAll() {
        head = 0
        count = 0
    }
}
