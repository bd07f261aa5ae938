import Bytes
import CBoard
import Foundation
import Testing

@testable import Store

extension StoreTests {
    @Suite struct FileTests {
        @Test(arguments: [0, 1, 4095, 4096, 4097])
        func roundTrip(size: Int) throws {
            let directory = try TemporaryDirectory()
            let content = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            try AtomicFile.write(directory.file("a"), content.span.bytes)
            #expect(directory.mode("a") == 0o600)
            #expect(!directory.exists("a.new"))
            var buffer = ByteBuffer(capacity: 4097)
            try AtomicFile.read(directory.file("a"), into: &buffer)
            let read = buffer.bytes.array
            #expect(read == content)
        }

        @Test(arguments: [(10, 9, false), (10, 10, true), (10, 11, true), (0, 0, true), (1, 0, false)])
        func bound(size: Int, capacity: Int, fits: Bool) throws {
            let directory = try TemporaryDirectory()
            try directory.write("a", [UInt8](repeating: 1, count: size))
            var buffer = ByteBuffer(capacity: capacity + 1)
            buffer.append(9)
            var error: StoreError?
            do throws(StoreError) {
                try AtomicFile.read(directory.file("a"), into: &buffer)
            } catch let caught { error = caught }
            if fits {
                #expect(error == nil && buffer.count == size + 1)
            } else {
                guard case .tooMuch = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(buffer.count == 1)
            }
        }

        @Test func replacesAndSetsTheMode() throws {
            let directory = try TemporaryDirectory()
            try directory.write("a", [1, 2, 3])
            chmod(directory.file("a"), 0o666)
            try AtomicFile.write(directory.file("a"), ([4] as [UInt8]).span.bytes, mode: 0o640)
            #expect(directory.mode("a") == 0o640)
            #expect(try directory.data("a") == Data([4]))
        }

        /// What a crash left is not in the way, and a link laid in its place is not followed.
        @Test func leftoverAndLink() throws {
            let directory = try TemporaryDirectory()
            try directory.write("precious", [7])
            symlink(directory.file("precious"), directory.file("a.new"))
            try AtomicFile.write(directory.file("a"), ([4] as [UInt8]).span.bytes)
            #expect(try directory.data("a") == Data([4]))
            #expect(try directory.data("precious") == Data([7]))
        }

        @Test func failedWriteLeavesTheOldFile() throws {
            let directory = try TemporaryDirectory()
            // A directory of that name cannot be renamed over.
            mkdir(directory.file("a"), 0o700)
            let error = thrown { try AtomicFile.write(directory.file("a"), ([4] as [UInt8]).span.bytes) }
            guard case .cannotCreate(let failure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.call == "rename")
            #expect(!directory.exists("a.new"))
        }

        @Test func missing() throws {
            let directory = try TemporaryDirectory()
            var buffer = ByteBuffer(capacity: 10)
            var error: StoreError?
            do throws(StoreError) {
                try AtomicFile.read(directory.file("a"), into: &buffer)
            } catch let caught { error = caught }
            #expect(error?.isMissing == true)
            #expect(error?.text == "\(directory.file("a")): open: No such file or directory")
            let write = thrown { try AtomicFile.write(directory.file("no/a"), ([4] as [UInt8]).span.bytes) }
            guard case .cannotCreate = write else {
                Issue.record("\(String(describing: write))")
                return
            }
        }

        @Test func deleting() throws {
            let directory = try TemporaryDirectory()
            try directory.write("a", [1])
            try directory.write("a.new", [1])
            #expect(try AtomicFile.delete(directory.file("a")))
            #expect(!directory.exists("a") && !directory.exists("a.new"))
            #expect(try !AtomicFile.delete(directory.file("a")))
        }

        @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a"), ("/a//b", "/a/")])
        func parents(path: String, parent: String) {
            #expect(AtomicFile.parent(of: path) == parent)
        }

        @Test func keyFile() throws {
            let directory = try TemporaryDirectory()
            let key = KeyFile(directory: directory.path)
            #expect(key.path == directory.file("identity.pem"))
            var buffer = ByteBuffer(capacity: 100)
            #expect(try !key.read(into: &buffer))
            let pem = Array("-----BEGIN PRIVATE KEY-----".utf8)
            try key.write(pem.span.bytes)
            #expect(directory.mode("identity.pem") == 0o600)
            #expect(try key.read(into: &buffer))
            let read = buffer.bytes.array
            #expect(read == pem)
            for (mode, previous) in [(0o600, nil), (0o400, nil), (0o644, 0o644), (0o602, 0o602)] as [(UInt32, UInt32?)]
            {
                chmod(key.path, mode)
                #expect(try AtomicFile.closeToOthers(key.path) == previous)
                #expect(directory.mode("identity.pem") == (previous == nil ? mode : 0o600))
            }
            chmod(key.path, 0o640)
            buffer.removeAll()
            #expect(try key.read(into: &buffer))
            #expect(directory.mode("identity.pem") == 0o600)
            #expect(try AtomicFile.closeToOthers(directory.file("nothing")) == nil)
            #expect(try key.delete())
            #expect(try !key.delete())
        }

        @Test func lockIsHeldByOne() throws {
            let directory = try TemporaryDirectory()
            func attempt() -> StoreError? {
                do throws(StoreError) {
                    _ = try StateLock(directory: directory.path)
                    return nil
                } catch { return error }
            }
            do {
                let lock = try StateLock(directory: directory.path)
                #expect(directory.mode("lock") == 0o600)
                let error = attempt()
                guard case .locked(_, let holder) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(holder == getpid())
                let text = "another skyglowd runs on this state directory, process \(getpid())"
                #expect(error?.text == "\(directory.file("lock")): \(text)")
                withExtendedLifetime(lock) {}
            }
            #expect(attempt() == nil)
            // What a killed holder leaves is the file, not the lock.
            try directory.write("lock", Array("12345\n".utf8))
            #expect(attempt() == nil)
        }

        @Test func lockWithoutDirectory() throws {
            let directory = try TemporaryDirectory()
            var error: StoreError?
            do throws(StoreError) {
                _ = try StateLock(directory: directory.file("no"))
            } catch let caught { error = caught }
            guard case .cannotCreate = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
