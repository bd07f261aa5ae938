import Bytes
import CBoard

/// The memory of this process.
struct Memory {
    /// Allocations by Swift code and by the libraries when the gateway was ready; nil before that.
    private var readySwift: UInt64?
    private var readyLibraries: UInt64 = 0
    private let descriptor = cb_open("/proc/self/statm", O_RDONLY, 0)

    /// Allocations are counted from here on, in builds that count them.
    mutating func markReady() {
        guard readySwift == nil else { return }
        readySwift = cb_alloc_swift()
        readyLibraries = cb_alloc_libraries()
    }

    /// Nil except in a counting build.
    var swiftSinceReady: UInt64? {
        guard cb_alloc_counting() != 0, let readySwift else { return nil }
        return cb_alloc_swift() - readySwift
    }

    /// Nil except in a counting build.
    var librariesSinceReady: UInt64? {
        guard cb_alloc_counting() != 0, readySwift != nil else { return nil }
        return cb_alloc_libraries() - readyLibraries
    }

    /// Blocks allocated and not freed, by anyone; nil except in a counting build.
    var live: Int64? { cb_alloc_counting() != 0 ? cb_alloc_live() : nil }

    /// Bytes of the process that are in memory, or nil where /proc is not there.
    var resident: Int? {
        var text = InlineArray<96, UInt8>(repeating: 0)
        let count = withUnsafeMutableBytes(of: &text) { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        var field = 0
        var pages = 0
        for index in 0..<count {
            if text[index] == UInt8(ascii: " ") {
                field += 1
            } else if field == 1, let digit = Hex.value(text[index]), digit < 10 {
                pages = pages * 10 + Int(digit)
            }
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Bytes that the gateway reserves at start in its own tables and buffers.
    static let reserved =
        Limits.storeMemory + Limits.canonicalJSON + Limits.inflated + Limits.documentValues * 24
        + Limits.registrations * 160 + Limits.receiveBuffer + Limits.sendBuffer
        + Limits.controlClients * (Limits.controlRequest + Limits.controlAnswer)
        + Limits.relayConnections * (Limits.requestHead + Limits.requestBody + Limits.answer + Limits.answerBody)
        + Limits.admissions * 240
        + (Limits.hooks + 1) * Limits.notificationJSON + 2 * Limits.hookText + 3 * Limits.localizedText
}
