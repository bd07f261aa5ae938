import Bytes

/// Who this device is to its server (SGP v2 §4).
public struct DeviceIdentity: BitwiseCopyable, Sendable {
    /// The server address that the device address belongs to.
    public var server: Blob<16>
    /// As the server assigned it, byte for byte.
    public var address: Blob<255>
    /// SHA-256 of the public key, to tell whether the key file belongs to this identity.
    public var keyHash: Blob<32>
    /// Unix seconds.
    public var registered: Int64
    /// The highest sequence number up to which everything received is durable (SGP v2 §11).
    public var lastSequence: Int64
}

extension Store {
    /// The identity, or nil before the registration.
    public func identity() throws(StoreError) -> DeviceIdentity? {
        let statement = statements.identity
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let row = Columns(statement)
        guard let server = Blob<16>(row.bytes(0)), let address = Blob<255>(row.bytes(1)),
            let keyHash = Blob<32>(row.bytes(2))
        else { throw StoreError.corrupt(.init(call: "identity", path: path)) }
        return DeviceIdentity(
            server: server, address: address, keyHash: keyHash, registered: row.integer(3),
            lastSequence: row.integer(4))
    }

    /// Commits what the server assigned. A new identity begins with last sequence 0 and without acknowledgements of the
    /// old one; the same again changes nothing.
    public func setIdentity(server: RawSpan, address: RawSpan, keyHash: RawSpan, at time: Int64) throws(StoreError) {
        try require(server, 1...Limits.serverAddress, "server address")
        try require(address, 1...Limits.deviceAddress, "device address")
        try require(keyHash, 32...32, "key hash")
        if let old = try identity(), old.server.bytes.equals(server), old.address.bytes.equals(address),
            old.keyHash.bytes.equals(keyHash)
        {
            return
        }
        try transaction { () throws(StoreError) in
            let statement = statements.setIdentity
            try statement.bind(1, text: server)
            try statement.bind(2, blob: address)
            try statement.bind(3, blob: keyHash)
            try statement.bind(4, time)
            try statement.run()
            try deleteAcknowledgements(through: .max)
        }
    }

    /// Forgets the identity, so that the next connection registers.
    public func removeIdentity() throws(StoreError) {
        try transaction { () throws(StoreError) in
            try statements.removeIdentity.run()
            try deleteAcknowledgements(through: .max)
        }
    }

    /// Within a transaction: everything received up to this number is durable once it is committed.
    public func setLastSequence(_ sequence: Int64) throws(StoreError) {
        try change { () throws(StoreError) in
            try statements.setLastSequence.bind(1, sequence)
            try statements.setLastSequence.run()
        }
    }
}
