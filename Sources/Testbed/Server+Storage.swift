import Foundation

// What survives the process: certificate, key and devices, where a directory is given.
extension Server {
    static func loadCertificate(
        _ options: Options, name: String, expired: Bool
    ) throws(TestbedError) -> ServerCertificate {
        guard let directory = options.directory else {
            return try ServerCertificate(name: options.address, kind: options.keyKind, expired: expired)
        }
        let certificatePath = "\(directory)/\(name).pem"
        let keyPath = "\(directory)/\(name).key"
        if let pem = try? String(contentsOfFile: certificatePath, encoding: .utf8),
            let keyPEM = try? String(contentsOfFile: keyPath, encoding: .utf8)
        {
            return try ServerCertificate(pem: pem, keyPEM: keyPEM)
        }
        let made = try ServerCertificate(name: options.address, kind: options.keyKind, expired: expired)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(made.keyPEM.utf8).write(to: URL(fileURLWithPath: keyPath), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyPath)
            try Data(made.pem.utf8).write(to: URL(fileURLWithPath: certificatePath), options: .atomic)
        } catch {
            throw .library("\(directory): \(error.localizedDescription)")
        }
        return made
    }

    static func loadDevices(_ options: Options) -> [[UInt8]: Device] {
        guard let directory = options.directory,
            let data = FileManager.default.contents(atPath: "\(directory)/devices.json"),
            let devices = try? JSONDecoder().decode([Device].self, from: data)
        else { return [:] }
        return Dictionary(devices.map { ($0.address, $0) }, uniquingKeysWith: { _, last in last })
    }

    func saveDevices() {
        guard let directory = options.directory else { return }
        do {
            let data = try JSONEncoder().encode(Array(devices.values))
            try data.write(to: URL(fileURLWithPath: "\(directory)/devices.json"), options: .atomic)
        } catch {
            events.append(.note, connection: 0, fields: [("what", .text("devices not saved: \(error)"))])
        }
    }
}
