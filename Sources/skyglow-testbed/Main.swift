import Foundation
import Testbed

/// `skyglow-testbed serve`: the server with commands on standard input.
@main
struct Main {
    static func main() {
        do {
            guard let arguments = try Arguments(Array(CommandLine.arguments.dropFirst())) else { return }
            try serve(arguments)
        } catch {
            FileHandle.standardError.write(Data("skyglow-testbed: \(error)\n".utf8))
            exit(error is Arguments.Failure ? 64 : 69)
        }
    }

    private static func serve(_ arguments: Arguments) throws {
        let output = Output(json: arguments.json)
        let server = try Server(arguments.options)
        if arguments.reference { server.faults = .reference }
        let events = try arguments.events.map { try EventFile($0) }
        server.events.observe { event in
            if let events {
                events.write(arguments.json ? event.json : event.description)
            } else {
                output.write(arguments.json ? event.json : event.description)
            }
        }
        output.write(ready(server, arguments))
        let console = Console(server)
        while !console.isOver, let line = readLine() {
            guard let reply = console.run(line) else { continue }
            for text in reply.lines { output.write(text) }
            output.write(arguments.json ? reply.json : reply.words)
        }
        server.stop()
    }

    private static func ready(_ server: Server, _ arguments: Arguments) -> String {
        let file = arguments.options.directory.map { "\($0)/server.pem" } ?? ""
        guard arguments.json else {
            return "ready port=\(server.port) http=\(server.webPort) fingerprint=\(server.certificate.fingerprint)"
                + (file.isEmpty ? "" : " certificate=\(file)")
        }
        return "{\"ready\":true,\"port\":\(server.port),\"http\":\(server.webPort),"
            + "\"fingerprint\":\"\(server.certificate.fingerprint)\",\"certificate\":\"\(file)\"}"
    }
}

/// Whole lines from any thread.
final class Output: @unchecked Sendable {
    private let lock = NSLock()
    private let json: Bool

    init(json: Bool) { self.json = json }

    func write(_ line: String) {
        lock.withLock { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
    }
}

/// A file that events are appended to.
final class EventFile: @unchecked Sendable {
    private let handle: FileHandle

    init(_ path: String) throws {
        // Not by FileManager, which would put a new file in the place of a device or a pipe.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw TestbedError.usage("\(path) cannot be written") }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ line: String) { handle.write(Data((line + "\n").utf8)) }
}
