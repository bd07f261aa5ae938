import Bytes
import CBoard
import Foundation
import Payload
import SGP
import Store
import Testing

@testable import Gateway
@testable import Testbed

/// All tests with a store: one after the other, since SQLite's memory is one block for the process.
@Suite(.serialized) struct StateTests {}

/// A state directory. All are deleted when the process ends, and not with their owner: a store may outlive it.
final class StateDirectory {
    let path: String

    private static let base: String = {
        var template = Array("/tmp/skyglow-gateway-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("no temporary directory") }
        atexit { try? FileManager.default.removeItem(atPath: StateDirectory.base) }
        return String(cString: made)
    }()

    init() throws {
        path = Self.base + "/" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func file(_ name: String) -> String { path + "/" + name }
    func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    func open() throws -> Store { try Store.open(directory: path) }

    /// Executes SQL on the file by way of another connection, as nothing of ours ever would.
    func execute(_ sql: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(file("skyglow.db"), &handle) == SQLITE_OK)
        sqlite3_busy_timeout(handle, 5000)
        var message: UnsafeMutablePointer<CChar>?
        let code = sqlite3_exec(handle, sql, nil, nil, &message)
        let words = message.map { String(cString: $0) } ?? ""
        sqlite3_free(message)
        try #require(code == SQLITE_OK, "\(words)")
    }

    /// Makes every change of a table fail until `allow`.
    func refuse(_ change: String) throws {
        try execute("CREATE TRIGGER refused BEFORE \(change) BEGIN SELECT RAISE(ABORT, 'refused by the test'); END")
    }

    func allow() throws { try execute("DROP TRIGGER refused") }
}

extension Store {
    /// Adds a registration of sgn.test as `skyglowd token add` does.
    @discardableResult
    func add(_ token: DeviceToken, bundle: String, muted: Bool = false) throws -> RegistrationChange {
        let server = Array("sgn.test".utf8)
        let name = Array(bundle.utf8)
        let text = try #require(bytes(hex: token.text))
        let (routingKey, endToEndKey) = (token.routingKey, token.endToEndKey)
        let change = try addRegistration(
            server: server.span.bytes, bundle: name.span.bytes, token: text.span.bytes,
            routingKey: routingKey.span.bytes, endToEndKey: endToEndKey.span.bytes, at: 1_700_000_000)
        if muted { _ = try setMuted(true, server: server.span.bytes, bundle: name.span.bytes) }
        return change
    }

    /// Titles of the inbox, the newest first.
    func titles() throws -> [String] {
        var titles: [String] = []
        try notifications(unreadOnly: false, limit: .max) { row in
            if let title = row.title {
                titles.append(title.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            } else {
                titles.append("")
            }
            return true
        }
        return titles
    }

    /// Statuses of the acknowledgements that are kept, the oldest first.
    func acks() throws -> [UInt8] {
        var statuses: [UInt8] = []
        try acknowledgements(after: 0) { row in
            statuses.append(row.status)
            return true
        }
        return statuses
    }
}

/// A message identifier made of a number.
func messageID(_ number: Int) -> [UInt8] { [UInt8](repeating: 0x5A, count: 8) + Wire.bigEndian(Int64(number)) }
