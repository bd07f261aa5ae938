import Bytes
import CBoard
import Foundation
import Testing

@testable import Store

/// All tests of the store: one after the other, since SQLite's memory is one block for the process.
@Suite(.serialized) struct StoreTests {}

/// A directory of its own. All are deleted when the process ends, and not with their owner: a store may outlive it.
final class TemporaryDirectory {
    let path: String

    private static let base: String = {
        var template = Array("\(NSTemporaryDirectory())/skyglow-store-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("no temporary directory") }
        atexit { try? FileManager.default.removeItem(atPath: TemporaryDirectory.base) }
        return String(cString: made)
    }()

    init() throws {
        path = Self.base + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func file(_ name: String) -> String { path + "/" + name }
    func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }
    func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }

    func mode(_ name: String) -> UInt32 {
        var status = stat()
        return stat(file(name), &status) == 0 ? UInt32(status.st_mode) & 0o7777 : 0
    }

    /// A copy as it would be found after a power cut: what has been written, without the shared memory.
    func copy(logBytes: Int? = nil) throws -> TemporaryDirectory {
        let other = try TemporaryDirectory()
        try data("skyglow.db").write(to: URL(fileURLWithPath: other.file("skyglow.db")))
        if exists("skyglow.db-wal") {
            let log = try data("skyglow.db-wal")
            try log.prefix(logBytes ?? log.count).write(to: URL(fileURLWithPath: other.file("skyglow.db-wal")))
        }
        return other
    }
}

extension TemporaryDirectory {
    func open(bounds: Store.Bounds = .init(), steps: [String] = Schema.steps) throws -> Store {
        try Store(directory: path, bounds: bounds, steps: steps)
    }

    /// Executes SQL on the file by way of another connection.
    func execute(_ sql: String) throws {
        let connection = try Connection(path: file("skyglow.db"))
        try connection.execute(sql, as: "test")
    }
}

/// The error of a body, or nil.
func thrown(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch { return error as? StoreError }
}

/// A message identifier made of a number.
func messageID(_ number: Int) -> [UInt8] {
    [UInt8](repeating: 0xA5, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
}

extension RawSpan {
    var array: [UInt8] { (0..<byteCount).map { self[$0] } }
    var string: String { String(decoding: array, as: UTF8.self) }
}

extension Store {
    /// Puts a notification into the inbox whose texts name its number.
    @discardableResult
    func insert(_ number: Int, payload: String = "{}") throws -> Int64 {
        let id = messageID(number)
        let bundle = Array("org.example.app".utf8)
        let title = Array("title \(number)".utf8)
        let json = Array(payload.utf8)
        let new = NewNotification(
            messageID: id.span.bytes, bundle: bundle.span.bytes, source: .sgp, received: Int64(number), expires: 0,
            title: title.span.bytes, payload: json.span.bytes)
        return try insertNotification(new)
    }

    /// One whole delivery in a transaction of its own.
    func deliver(_ number: Int, payload: String = "{}") throws {
        try begin()
        try insert(number, payload: payload)
        _ = try mark(number, at: Int64(number))
        try acknowledge(number)
        count(.received)
        _ = try commit()
    }

    @discardableResult
    func mark(_ number: Int, at time: Int64?, expires: Int64 = 0) throws -> Bool {
        let id = messageID(number)
        return try markSeen(id.span.bytes, at: time, expires: expires)
    }

    @discardableResult
    func acknowledge(_ number: Int, status: UInt8 = 0) throws -> Int64 {
        let id = messageID(number)
        return try insertAcknowledgement(id.span.bytes, status: status)
    }

    func hasSeen(_ number: Int) throws -> Bool {
        let id = messageID(number)
        return try isSeen(id.span.bytes)
    }

    /// The numbers of the notifications, the newest first.
    func inbox(unreadOnly: Bool = false, limit: Int = .max) throws -> [Int] {
        var numbers: [Int] = []
        try notifications(unreadOnly: unreadOnly, limit: limit) { row in
            numbers.append(Int(row.received))
            return true
        }
        return numbers
    }

    func acknowledged(after: Int64 = 0, limit: Int = .max) throws -> [Int64] {
        var ids: [Int64] = []
        try acknowledgements(after: after, limit: limit) { row in
            ids.append(row.id)
            return true
        }
        return ids
    }

    @discardableResult
    func register(_ bundle: String, server: String = "sgn.test", fill: UInt8? = nil) throws -> RegistrationChange {
        let server = Array(server.utf8)
        let name = Array(bundle.utf8)
        let fill = fill ?? UInt8(truncatingIfNeeded: bundle.hashValue)
        let token = [UInt8](repeating: fill, count: 32)
        var routingKey = [UInt8](repeating: fill, count: 32)
        for (index, byte) in name.enumerated() { routingKey[index % 32] ^= byte &* UInt8(index / 32 + 1) }
        let key = [UInt8](repeating: fill ^ 0xFF, count: 32)
        return try addRegistration(
            server: server.span.bytes, bundle: name.span.bytes, token: token.span.bytes,
            routingKey: routingKey.span.bytes, endToEndKey: key.span.bytes, at: 1_700_000_000)
    }

    func bundles(server: String? = nil) throws -> [String] {
        var names: [String] = []
        if let server {
            let bytes = Array(server.utf8)
            try registrations(server: bytes.span.bytes) { row in
                names.append(row.bundle.string)
                return true
            }
        } else {
            try registrations(server: nil) { row in
                names.append(row.bundle.string)
                return true
            }
        }
        return names
    }
}

/// The SQL of a prepared statement.
func sqlText(_ statement: Statement) -> UnsafePointer<CChar>? { sqlite3_sql(statement.handle) }
