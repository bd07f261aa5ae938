import Foundation

@testable import Panel

/// A folder that goes with the test.
final class Folder {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "panel-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func make(_ name: String) {
        try? FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    func write(_ name: String, _ text: String) {
        _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(text.utf8))
    }

    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path + "/" + name) }

    func read(_ name: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path + "/" + name) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// An LED as the kernel shows it; `delays` are the files that the timer trigger makes.
    func makeLED(_ name: String, trigger: String? = "none [mmc0] timer heartbeat\n", delays: Bool = true) {
        make(name)
        write(name + "/brightness", "7\n")
        write(name + "/max_brightness", "15\n")
        if let trigger { write(name + "/trigger", trigger) }
        if delays {
            write(name + "/delay_on", "500\n")
            write(name + "/delay_off", "500\n")
        }
    }
}

extension Panel {
    /// The problems as `ROLE OUTPUT: text`.
    var problems: [String] {
        var lines: [String] = []
        forEachProblem { role, label, text in
            text.withUnsafeBytes { lines.append("\(role.name) \(label): " + String(decoding: $0, as: UTF8.self)) }
        }
        return lines
    }
}

func configuration(message: [PanelOutput] = [], link: [PanelOutput] = [], buzzer: [PanelOutput] = [])
    -> PanelConfiguration
{
    var configuration = PanelConfiguration()
    configuration.message = message
    configuration.link = link
    configuration.buzzer = buzzer
    return configuration
}

/// LEDs elsewhere than the kernel's.
func system(leds: String) -> PanelSystem {
    var system = PanelSystem()
    system.leds = leds
    return system
}

/// Runs `body` with the file access of an unprivileged user, on this thread only. Root alone needs it.
func asNobody<T: ~Copyable>(_ body: () throws -> T) throws -> T {
    guard geteuid() == 0 else { return try body() }
    typealias SetUser = @convention(c) (UInt32) -> Int32
    guard let symbol = dlsym(nil, "setfsuid") else { throw CocoaError(.featureUnsupported) }
    let setUser = unsafeBitCast(symbol, to: SetUser.self)
    _ = setUser(65_534)
    defer { _ = setUser(0) }
    return try body()
}
