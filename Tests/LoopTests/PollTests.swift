import CBoard
import Foundation
import Testing

@testable import Loop

@Suite struct PollSetTests {
    private func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func whatIsReady() throws {
        let (read, write) = try makePipe()
        defer { close(read) }
        var set = PollSet(capacity: 4)
        let reader = set.add(read, events: POLLIN)
        let writer = set.add(write, events: POLLOUT)
        try set.wait(milliseconds: 0)
        var ready = set.ready(reader)
        #expect(ready == (false, false))
        ready = set.ready(writer)
        #expect(ready == (false, true))
        sendByte(write)
        try set.wait(milliseconds: 1000)
        ready = set.ready(reader)
        #expect(ready == (true, false))
        close(write)
        set.removeAll()
        let hungUp = set.add(read, events: POLLIN)
        try set.wait(milliseconds: 1000)
        ready = set.ready(hungUp)
        #expect(ready == (true, true))
    }

    private func sendByte(_ fd: Int32) {
        var byte: UInt8 = 1
        _ = write(fd, &byte, 1)
    }

    /// Descriptors that are closed or of which nothing is wanted, and those beyond the capacity, are left out.
    @Test func whatIsLeftOut() throws {
        let (read, write) = try makePipe()
        defer {
            close(read)
            close(write)
        }
        var set = PollSet(capacity: 2)
        let slots = [
            set.add(-1, events: POLLIN), set.add(read, events: 0), set.add(write, events: POLLOUT),
            set.add(read, events: POLLIN), set.add(write, events: POLLOUT),
        ]
        #expect(slots == [-1, -1, 0, 1, -1])
        try set.wait(milliseconds: 0)
        for (slot, expected) in [(0, true), (1, false), (2, false), (-1, false), (Int.max, false)] {
            let ready = set.ready(slot)
            #expect(ready.writable == expected)
        }
        set.removeAll()
        let ready = set.ready(0)
        #expect(ready == (false, false))
    }

    @Test func nothingAtAll() throws {
        var set = PollSet(capacity: 0)
        #expect(set.add(0, events: POLLIN) == -1)
        let took = try milliseconds { try set.wait(milliseconds: 30) }
        #expect(took >= 30 && took < 1000)
    }

    /// Errors count as ready, so that the next call brings them out.
    @Test func aClosedDescriptor() throws {
        let (read, write) = try makePipe()
        close(write)
        var set = PollSet(capacity: 1)
        // A number that no test will open while this one runs.
        let unused: Int32 = 1_000_000
        let slot = set.add(unused, events: POLLIN)
        try set.wait(milliseconds: 1000)
        let ready = set.ready(slot)
        #expect(ready == (true, true))
        close(read)
    }

    /// A signal ends a wait without an event. On a thread of its own, since those of a pool take no signals.
    @Test func interrupted() throws {
        let (read, write) = try makePipe()
        defer {
            close(read)
            close(write)
        }
        nonisolated(unsafe) var took: Int64 = .max
        let task = Task {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            sigaction(SIGWINCH, &action, nil)
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGWINCH)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            let waiter = pthread_self()
            Thread.detachNewThread {
                usleep(50_000)
                pthread_kill(waiter, SIGWINCH)
            }
            var descriptors = PollSet(capacity: 1)
            let slot = descriptors.add(read, events: POLLIN)
            took = milliseconds { try? descriptors.wait(milliseconds: 5000) }
            let ready = descriptors.ready(slot)
            #expect(ready == (false, false))
        }
        #expect(task.wait())
        #expect(took < 4000)
    }
}

@Suite struct SignalsTests {
    /// On a thread of its own, since a signal of the process could go to any other.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) throws {
        nonisolated(unsafe) var failure: (any Error)?
        let task = Task { do { try body() } catch { failure = error } }
        #expect(task.wait())
        if let failure { throw failure }
    }

    @Test func signalsBecomeEvents() throws {
        try onThread {
            let signals = try Signals([SIGUSR1, SIGURG])
            #expect(signals.raw >= 0)
            #expect(signals.next() == nil)
            pthread_kill(pthread_self(), SIGURG)
            pthread_kill(pthread_self(), SIGUSR1)
            pthread_kill(pthread_self(), SIGUSR1)
            var set = PollSet(capacity: 1)
            let slot = set.add(signals.raw, events: POLLIN)
            try set.wait(milliseconds: 1000)
            let ready = set.ready(slot)
            #expect(ready.readable)
            var seen: [Int32] = []
            while let signal = signals.next() { seen.append(signal) }
            // The same signal twice is one.
            #expect(seen.sorted() == [SIGUSR1, SIGURG].sorted())
            #expect(signals.next() == nil)
        }
    }

    @Test func aBrokenPipeIsAnError() throws {
        try onThread {
            let signals = try Signals([])
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            close(ends[0])
            var byte: UInt8 = 0
            let written = write(ends[1], &byte, 1)
            let code = cb_errno()
            #expect(written == -1 && code == EPIPE)
            close(ends[1])
            #expect(signals.next() == nil)
        }
    }

    @Test func closedWithItsOwner() throws {
        try onThread {
            func number() throws -> Int32 {
                let signals = try Signals([SIGURG])
                return signals.raw
            }
            let raw = try number()
            var path = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/self/fd/\(raw)", &path, 63)
            let name =
                count > 0 ? String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
            #expect(!name.contains("signalfd"))
        }
    }
}

@Suite struct SystemTests {
    @Test func errors() {
        let error = SystemError("connect", code: ECONNREFUSED)
        #expect(error.text == "connect: Connection refused")
        #expect(text { $0.append(error) } == "connect: Connection refused")
        #expect(text { $0.append(errno: 0) } == "Success")
        #expect(text { $0.append(errno: 99_999) } == "Unknown error 99999")
        #expect(text { $0.append(errno: -1) } == "Unknown error -1")
        cb_set_errno(ENOENT)
        #expect(SystemError("open").code == ENOENT)
    }

    @Test func clocks() {
        let clock = SystemClock()
        let before = clock.now
        #expect(clock.now >= before)
        let wall = Int64(Date().timeIntervalSince1970)
        #expect(abs(clock.unixTime - wall) <= 2)
        #expect(abs(clock.unixMilliseconds / 1000 - wall) <= 2)
    }

    @Test func resolverAndTLSWords() {
        #expect(text { $0.append(resolverStatus: 0) } == "Successful completion")
        #expect(text { $0.append(resolverStatus: 4) }.contains("not found"))
        #expect(text { $0.append(resolverStatus: 12_345) } == "unknown")
        #expect(text { $0.append(tlsReason: 0) } == "TLS error 0")
        #expect(text { $0.append(tlsReason: .max) } == "TLS error 18446744073709551615")
    }
}
