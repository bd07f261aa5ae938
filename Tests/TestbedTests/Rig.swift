import Testbed

/// A server with one registered device and the means to talk to it.
final class Rig {
    let server: Server
    let token = DeviceToken(serverAddress: "sgn.test", secret: Array(1...16))

    init(_ faults: Faults = Faults(), options: Server.Options = Server.Options()) throws {
        server = try Server(options)
        server.faults = faults
    }

    deinit { server.stop() }

    /// TLS and pin; no frame yet.
    func connect() throws -> TestClient { try TestClient(port: server.port, pin: server.certificate.der) }

    /// A device registered on a connection of its own.
    func register() throws -> [UInt8] {
        let client = try connect()
        try client.expect(0x10)
        return try client.register()
    }

    /// A client that has logged in and sent its set of one registration.
    func login(_ address: [UInt8]? = nil, entries: [(tag: UInt8, key: [UInt8], bundle: String)]? = nil) throws
        -> TestClient
    {
        let address = try address ?? register()
        let client = try connect()
        try client.expect(0x10)
        try client.login(address)
        let mark = server.events.mark
        try client.filter(entries ?? [(1, token.routingKey, "org.example.bell")])
        try server.events.wait(for: .filter, after: mark)
        return client
    }
}
