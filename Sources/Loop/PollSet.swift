import CBoard

/// The descriptors of one `poll`, in a table reserved once. Filled anew for each call.
public struct PollSet: ~Copyable {
    private let table: UnsafeMutablePointer<pollfd>
    private let capacity: Int
    private var count = 0

    public init(capacity: Int) {
        table = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { table.deallocate() }

    public mutating func removeAll() { count = 0 }

    /// Adds a descriptor unless it is not open or nothing is wanted of it. Returns its slot, or −1.
    @discardableResult
    public mutating func add(_ fd: Int32, events: Int32) -> Int {
        guard fd >= 0, events != 0, count < capacity else { return -1 }
        table[count] = pollfd(fd: fd, events: Int16(events), revents: 0)
        count += 1
        return count - 1
    }

    /// Waits for an event or `milliseconds`; −1 waits for ever. An interrupted wait counts as one without events.
    public mutating func wait(milliseconds: Int32) throws(SystemError) {
        guard poll(table, nfds_t(count), milliseconds) < 0 else { return }
        guard cb_errno() == EINTR else { throw SystemError("poll") }
        for index in 0..<count { table[index].revents = 0 }
    }

    /// What `poll` reported for a slot; errors and hang-ups count as readable and writable, so that the next call on the
    /// descriptor brings the error out.
    public func ready(_ slot: Int) -> (readable: Bool, writable: Bool) {
        guard slot >= 0 && slot < count else { return (false, false) }
        let events = Int32(table[slot].revents)
        let broken = events & (POLLERR | POLLHUP | POLLNVAL) != 0
        return (broken || events & POLLIN != 0, broken || events & POLLOUT != 0)
    }
}
