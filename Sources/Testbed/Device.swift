/// One entry of C_FILTER, SGP v2 §7.
public struct Registration: Sendable, Equatable, Codable {
    public static let enabled: UInt8 = 1
    public static let ignored: UInt8 = 2

    public var tag: UInt8
    public var routingKey: [UInt8]
    public var bundle: String
}

/// A notification that waits for its acknowledgement.
struct Row: Codable {
    var identifier: [UInt8]
    var sequence: Int64
    var payload: [UInt8]
    /// Order of arrival.
    var order: Int
}

/// What the server knows about one device; outlives its connections.
final class Device: Codable {
    let address: [UInt8]
    let publicKey: [UInt8]
    var sequence: Int64 = 0
    var registrations: [Registration] = []
    var unacknowledged: [[UInt8]: Row] = [:]

    init(address: [UInt8], publicKey: [UInt8]) {
        self.address = address
        self.publicKey = publicKey
    }

    /// Rows newer than a sequence number, in the order of arrival.
    func rows(after sequence: Int64) -> [Row] {
        unacknowledged.values.filter { $0.sequence > sequence }.sorted { $0.order < $1.order }
    }
}
