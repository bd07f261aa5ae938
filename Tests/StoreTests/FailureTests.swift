import Bytes
import CBoard
import Foundation
import Testing

@testable import Store

/// A small file system of its own, where the process may mount one.
private struct SmallDisk {
    let directory: TemporaryDirectory

    static let isPossible: Bool = {
        guard geteuid() == 0, let disk = try? SmallDisk(size: "1m") else { return false }
        disk.unmount()
        return true
    }()

    init(size: String) throws {
        directory = try TemporaryDirectory()
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "skyglow-test", directory.path) else {
            throw CocoaError(.featureUnsupported)
        }
    }

    func remount(_ option: String) { #expect(Self.run("mount", "-o", "remount,\(option)", directory.path)) }
    func unmount() { _ = Self.run("umount", "-l", directory.path) }

    private static func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/" + arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

private func limitFiles(to bytes: UInt64) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = rlim_t(min(bytes, UInt64(limit.rlim_max)))
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
}

extension StoreTests {
    @Suite struct FailureTests {
        /// What cannot be opened says why, and names the file.
        @Test(arguments: ["missing", "missing/deeper", "file", "/dev/null", "/proc"])
        func directories(name: String) throws {
            let directory = try TemporaryDirectory()
            try directory.write("file", [1])
            let path = name.hasPrefix("/") ? name : directory.file(name)
            let error = thrown { _ = try Store.open(directory: path) }
            guard case .cannotCreate(let failure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.path == path + "/skyglow.db")
            let reason = name == "file" || name == "/dev/null" ? "Not a directory" : "No such file or directory"
            #expect(error?.text == "\(failure.path): create: \(reason)")
        }

        @Test func aDirectoryInItsPlace() throws {
            let directory = try TemporaryDirectory()
            mkdir(directory.file("skyglow.db"), 0o700)
            let error = thrown { _ = try directory.open() }
            guard case .cannotCreate = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }

        /// Not allowed, as a user without privileges.
        @Test func permissions() async throws {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                try directory.open().deliver(1)
                try AtomicFile.write(directory.file("a"), ([1] as [UInt8]).span.bytes)
                if geteuid() == 0 {
                    chmod((directory.path as NSString).deletingLastPathComponent, 0o755)
                    chmod(directory.path, 0o755)
                    seteuid(65534)
                } else {
                    chmod(directory.path, 0o500)
                    chmod(directory.file("skyglow.db"), 0)
                    chmod(directory.file("a"), 0)
                }
                var buffer = ByteBuffer(capacity: 10)
                var read: StoreError?
                do throws(StoreError) {
                    try AtomicFile.read(directory.file("a"), into: &buffer)
                } catch let caught { read = caught }
                for error in [
                    thrown { _ = try Store.open(directory: directory.path) }, read,
                    thrown { try AtomicFile.write(directory.file("b"), ([1] as [UInt8]).span.bytes) },
                    thrown { _ = try Store.open(directory: "/root/nowhere/at/all") },
                ].prefix(3) {
                    guard case .permission = error else { exit(1) }
                }
                seteuid(0)
                chmod(directory.path, 0o700)
            }
        }

        @Test(.enabled(if: SmallDisk.isPossible, "needs to mount a file system"))
        func readOnlyFileSystem() throws {
            let disk = try SmallDisk(size: "1m")
            defer { disk.unmount() }
            let directory = disk.directory
            try directory.open().deliver(1)
            disk.remount("ro")
            let error = thrown { _ = try directory.open() }
            guard case .cannotCreate(let failure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.errno == EROFS)
            #expect(error?.text.contains("Read-only file system") == true)
            let write = thrown { try AtomicFile.write(directory.file("b"), ([1] as [UInt8]).span.bytes) }
            guard case .cannotCreate = write else {
                Issue.record("\(String(describing: write))")
                return
            }
        }

        /// A full disk: an error, nothing half-written, and it goes on once there is room.
        @Test(.enabled(if: SmallDisk.isPossible, "needs to mount a file system"))
        func fullDisk() throws {
            let disk = try SmallDisk(size: "1m")
            defer { disk.unmount() }
            let directory = disk.directory
            let store = try directory.open()
            try fill(store) { disk.remount("size=8m") }
        }

        /// The same with a limit on the size of files, which needs no privileges.
        @Test func fileSizeLimit() async throws {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let store = try directory.open()
                limitFiles(to: 600_000)
                try fill(store) { limitFiles(to: .max) }
            }
        }

        @Test(.enabled(if: SmallDisk.isPossible, "needs to mount a file system"))
        func fullDiskAtTheBeginning() throws {
            let disk = try SmallDisk(size: "64k")
            defer { disk.unmount() }
            let directory = disk.directory
            let error = thrown { _ = try directory.open() }
            #expect(error?.isFull == true, "\(String(describing: error))")
            let secret = [UInt8](repeating: 1, count: 100_000)
            let write = thrown { try AtomicFile.write(directory.file("a"), secret.span.bytes) }
            #expect(write?.isFull == true)
            #expect(!directory.exists("a") && !directory.exists("a.new"))
            disk.remount("size=8m")
            try directory.open().deliver(1)
        }
    }
}

/// Delivers until the disk is full, checks that nothing of the failed burst is there, makes room and goes on.
private func fill(_ store: Store, makeRoom: () -> Void) throws {
    let payload = String(repeating: "p", count: 20_000)
    var delivered = 0
    var error: StoreError?
    while error == nil, delivered < 500 {
        error = thrown {
            try store.begin()
            for part in 0..<3 {
                let number = 3 * delivered + part
                try store.insert(number, payload: payload)
                try store.mark(number, at: 0)
                try store.acknowledge(number)
                store.count(.received)
            }
            _ = try store.commit()
            delivered += 1
        }
    }
    try #require(error?.isFull == true, "\(String(describing: error))")
    #expect(delivered > 0)
    #expect(!store.isInTransaction)
    for attempt in 0..<3 {
        #expect(try store.inbox().count == 3 * delivered, "attempt \(attempt)")
        #expect(try store.acknowledgementCount() == 3 * delivered)
        #expect(try store.counters().received == Int64(3 * delivered))
        #expect(try !store.hasSeen(3 * delivered))
        let again = thrown { try store.deliver(100_000, payload: String(repeating: "p", count: 600_000)) }
        #expect(again?.isFull == true)
    }
    makeRoom()
    try store.deliver(100_000, payload: payload)
    #expect(try store.inbox().count == 3 * delivered + 1)
    try store.verify()
}

extension StoreTests {
    @Suite struct MemoryTests {
        /// SQLite's memory used up at any moment: an error, never a crash, and all is well once there is some again.
        @Test func exhaustion() async throws {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let store = try directory.open()
                for number in 0..<20 { try store.deliver(number, payload: String(repeating: "p", count: 5000)) }
                let arena = SQLiteMemory.arena
                var delivered = 20
                var failures = 0
                for left in stride(from: 0, through: 400_000, by: 4_000) {
                    // All but `left` bytes are taken away.
                    var taken: [UnsafeMutableRawPointer] = []
                    let reserve = arena.allocate(left)
                    for size in [1 << 16, 1 << 12, 1 << 8, 8] {
                        while let block = arena.allocate(size) { taken.append(block) }
                    }
                    arena.deallocate(reserve)
                    let error = thrown {
                        try store.deliver(1000 + left, payload: String(repeating: "p", count: 100_000))
                    }
                    let listing = thrown { _ = try store.inbox() }
                    let opening = thrown { _ = try directory.open() }
                    for block in taken { arena.deallocate(block) }
                    for caught in [error, listing, opening] {
                        guard let caught else { continue }
                        guard case .memory = caught else {
                            FileHandle.standardError.write(Data("\(caught)\n".utf8))
                            exit(1)
                        }
                        failures += 1
                    }
                    if error == nil { delivered += 1 }
                    guard try store.inbox().count == delivered, !store.isInTransaction else { exit(2) }
                }
                guard failures > 10, delivered > 20, arena.failures > 0 else { exit(3) }
                try store.verify()
            }
        }

        /// A gateway with full tables, the largest payloads keeps within half of the memory.
        @Test func whatNormalWorkNeeds() async throws {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let store = try directory.open()
                for index in 0..<300 { try store.register("org.example.app\(index)", fill: 1) }
                let largest = String(repeating: "p", count: Limits.canonicalJSON)
                for burst in 0..<100 {
                    try store.begin()
                    for part in 0..<Limits.burst {
                        let number = burst * Limits.burst + part
                        try store.insert(number, payload: part == 0 ? largest : String(repeating: "p", count: 500))
                        try store.mark(number, at: Int64(burst) * Limits.seenSeconds)
                        try store.acknowledge(number)
                    }
                    _ = try store.commit()
                }
                _ = try store.inbox()
                try store.markAllRead()
                try store.maintain(now: .max)
                try store.verify()
                let memory = Store.memory
                guard memory.failures == 0, memory.peak < memory.reserved / 2 else { exit(1) }
            }
        }

        /// Nothing is kept: opening, working and closing again and again ends with no more memory than before. In a
        /// process of its own: the stores of other modules' tests take from the same memory.
        @Test func nothingLeaks() async throws {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                try directory.open().deliver(0)
                // Making the tables takes more than opening them.
                _ = try directory.open().inbox()
                let before = Store.memory.used
                for number in 1...20 {
                    let store = try directory.open()
                    try store.deliver(number)
                    _ = try store.inbox()
                    store.rollback()
                    _ = thrown { try store.mark(1, at: 0) }
                }
                guard Store.memory.used <= before else { exit(1) }
            }
        }
    }
}
