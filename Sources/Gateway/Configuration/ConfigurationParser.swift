import Bytes
import Panel
import Relay

extension Configuration {
    /// Reads a configuration from the bytes of its file. All faults are collected. With `directories`, those of this
    /// configuration are kept, and relative paths begin there.
    public static func parse(
        _ bytes: [UInt8], in directories: Configuration? = nil
    ) throws(ConfigurationError) -> Configuration {
        guard bytes.count <= Limits.configurationFile else { throw .tooLarge }
        var parser = ConfigurationParser(INIFile(bytes), in: directories)
        return try parser.parse()
    }
}

/// Gives the entries of an INI file their meaning.
struct ConfigurationParser {
    private let file: INIFile
    private var faults: FaultList
    private var configuration = Configuration()
    /// Values of `[server]` and `[relay]` until both sections are known to be complete.
    private var address: String?
    private var certificate = "server.pem"
    private var endpoint: Endpoint?
    private var identity: String?
    private var listen: Endpoint?
    private var allow: [AddressRange]?
    private var relay = Configuration.Relay(listen: Endpoint(host: "", port: 0), allow: [])
    /// The sections that are read; nil for those refused.
    private var kinds: [String?] = []
    /// For each section the index of its route.
    private var routes: [Int?] = []

    /// Whose directories are kept.
    private let directories: Configuration?

    init(_ file: INIFile, in directories: Configuration?) {
        self.file = file
        self.directories = directories
        faults = file.faults
    }

    mutating func parse() throws(ConfigurationError) -> Configuration {
        for index in file.sections.indices { begin(index) }
        for index in file.entries.indices { take(index) }
        finishServer()
        finishRelay()
        finishKeepalive()
        finishRoutes()
        finishPanel()
        finishPaths()
        guard faults.isEmpty else { throw faults.error }
        return configuration
    }

    // MARK: Sections

    private mutating func begin(_ index: Int) {
        let section = file.sections[index]
        kinds.append(nil)
        routes.append(nil)
        // A header that could not be read was told already.
        guard !section.kind.isEmpty else { return }
        let title = title(section)
        guard KnownNames.sections.contains(section.kind) else {
            let nearest = KnownNames.nearest(section.kind, among: KnownNames.sections)
            return faults.add(section.line, "unknown section [\(title)]: the nearest known one is [\(nearest)]")
        }
        if section.kind == "route" {
            guard checkRoute(section) else { return }
        } else if section.name != nil {
            return faults.add(section.line, "unknown section [\(title)]: [\(section.kind)] takes no name")
        }
        for earlier in file.sections[..<index] where earlier.kind == section.kind && earlier.name == section.name {
            return faults.add(section.line, "[\(title)] was begun in line \(earlier.line) already")
        }
        if section.kind == "route" {
            guard configuration.routes.count < Limits.routes else {
                return faults.add(section.line, "more than \(Limits.routes) routes")
            }
            routes[index] = configuration.routes.count
            configuration.routes.append(Route(name: section.name ?? ""))
        }
        kinds[index] = section.kind
    }

    private mutating func checkRoute(_ section: INISection) -> Bool {
        guard let name = section.name else {
            faults.add(section.line, "the route has no name: expected [route NAME]")
            return false
        }
        guard name.utf8.count <= Limits.routeName else {
            faults.add(section.line, "the route's name is longer than \(Limits.routeName) bytes")
            return false
        }
        return true
    }

    private func title(_ section: INISection) -> String {
        guard let name = section.name else { return section.kind }
        return section.kind + " " + name
    }

    // MARK: Keys

    private mutating func take(_ index: Int) {
        let entry = file.entries[index]
        guard let section = entry.section else {
            return faults.add(entry.line, "`\(entry.key)` comes before any section")
        }
        guard let kind = kinds[section] else { return }
        guard KnownNames.keys(of: kind).contains(entry.key) else { return refuse(entry, kind) }
        for earlier in file.entries[..<index]
        where earlier.section == section && earlier.key == entry.key && !KnownNames.mayRepeat(entry.key) {
            return faults.add(entry.line, "`\(entry.key)` was set in line \(earlier.line) already")
        }
        guard !entry.value.isEmpty else { return faults.add(entry.line, "`\(entry.key)` has no value") }
        do throws(ValueError) {
            if let route = routes[section] {
                try set(entry, route: route)
            } else {
                try set(kind, entry.key, entry.value)
            }
        } catch {
            faults.add(entry.line, "`\(entry.key)`: \(error.message)")
        }
    }

    private mutating func refuse(_ entry: INIEntry, _ kind: String) {
        var text = "unknown key `\(entry.key)` in [\(kind)]: "
        for other in KnownNames.sections where KnownNames.keys(of: other).contains(entry.key) {
            text += "it belongs to [\(other)]"
            return faults.add(entry.line, text)
        }
        text += "the nearest known one is `\(KnownNames.nearest(entry.key, among: KnownNames.keys(of: kind)))`"
        faults.add(entry.line, text)
    }

    private mutating func set(_ kind: String, _ key: String, _ value: String) throws(ValueError) {
        switch kind {
        case "server": try setServer(key, value)
        case "state": try setState(key, value)
        case "resolver":
            for part in try ConfigurationValues.list(value, "an address", most: Limits.addressList) {
                configuration.resolvers.append(try ConfigurationValues.resolver(part))
            }
        case "keepalive": try setKeepalive(key, value)
        case "panel": try setPanel(key, value)
        case "strings": configuration.strings = value
        case "relay": try setRelay(key, value)
        case "log": try setLog(key, value)
        default: break
        }
    }

    private mutating func setServer(_ key: String, _ value: String) throws(ValueError) {
        switch key {
        case "address": address = try ConfigurationValues.serverAddress(value)
        case "certificate": certificate = value
        case "endpoint": endpoint = try ConfigurationValues.endpoint(value)
        case "identity": identity = value
        default: break
        }
    }

    private mutating func setState(_ key: String, _ value: String) throws(ValueError) {
        if key == "runtime" {
            configuration.runtime = value
            return
        }
        guard value.utf8.first == UInt8(ascii: "/") else { throw ValueError("`\(value)` is no absolute path") }
        configuration.directory = ConfigurationParser.withoutSlash(value)
    }

    private mutating func setKeepalive(_ key: String, _ value: String) throws(ValueError) {
        switch key {
        case "minimum": configuration.keepalive.minimum = try ConfigurationValues.number(value, 1...86_400)
        case "maximum": configuration.keepalive.maximum = try ConfigurationValues.number(value, 1...86_400)
        case "pong-timeout": configuration.keepalive.pongTimeout = try ConfigurationValues.number(value, 1...600)
        default: break
        }
    }

    private mutating func setPanel(_ key: String, _ value: String) throws(ValueError) {
        switch key {
        case "press": configuration.panel.press = try ConfigurationValues.action(value)
        case "hold": configuration.panel.hold = try ConfigurationValues.action(value)
        case "hold-time":
            let range = Limits.buttonHoldMinimum...Limits.buttonHoldMaximum
            configuration.panel.holdTime = 1_000 * (try ConfigurationValues.number(value, range))
        default:
            for role in PanelRole.allCases where role.name == key {
                configuration.panel[role] = try ConfigurationValues.outputs(value, for: role)
            }
        }
    }

    private mutating func setRelay(_ key: String, _ value: String) throws(ValueError) {
        let day: Int64 = 86_400
        let second: Int64 = 1_000
        switch key {
        case "listen": listen = try ConfigurationValues.addressEndpoint(value)
        case "allow": try setAllow(value)
        case "path": relay.path = try ConfigurationValues.requestPath(value)
        case "address": relay.address = try ConfigurationValues.relayAddress(value)
        case "command": relay.command = try ConfigurationValues.words(value)
        case "coalesce": relay.numbers.coalesce = try ConfigurationValues.number(value, 0...day) * second
        case "flap":
            relay.numbers.flapCount = Int(
                try ConfigurationValues.number(value, 1...Int64(Limits.admissionForwards)))
        case "flap-window": relay.numbers.flapWindow = try ConfigurationValues.number(value, 1...day) * second
        case "reminder": relay.numbers.reminder = try ConfigurationValues.number(value, 1...day) * second
        case "silence": relay.numbers.silence = try ConfigurationValues.number(value, 1...day) * second
        case "burst": relay.numbers.burst = Int(try ConfigurationValues.number(value, 1...100_000))
        case "refill": relay.numbers.refill = try ConfigurationValues.number(value, 1...3_600) * second
        default: break
        }
    }

    private mutating func setAllow(_ value: String) throws(ValueError) {
        var ranges: [AddressRange] = []
        for part in try ConfigurationValues.list(value, "a range", most: Limits.addressList) {
            ranges.append(try ConfigurationValues.range(part))
        }
        allow = ranges
    }

    private mutating func setLog(_ key: String, _ value: String) throws(ValueError) {
        if key == "level" {
            guard let level = LogLevel(name: value) else {
                throw ValueError("`\(value)` is none of error, warning, notice, info and debug")
            }
            configuration.log.level = level
            return
        }
        let range = Int64(Limits.logRingMinimum)...Int64(Limits.logRingMaximum)
        configuration.log.size = Int(try ConfigurationValues.number(value, range))
    }

    private mutating func set(_ entry: INIEntry, route: Int) throws(ValueError) {
        let value = entry.value
        switch entry.key {
        case "bundle":
            let (bundle, isPrefix) = try ConfigurationValues.bundle(value)
            configuration.routes[route].bundle = bundle
            configuration.routes[route].isPrefix = isPrefix
        case "when":
            let conditions = try ConfigurationValues.conditions(value, entry.column)
            guard configuration.routes[route].conditions.count + conditions.count <= Limits.conditions else {
                throw ValueError("more than \(Limits.conditions) conditions in this route")
            }
            configuration.routes[route].conditions += conditions
        case "mute": configuration.routes[route].isMuted = try ConfigurationValues.flag(value)
        case "collapse": configuration.routes[route].collapses = try ConfigurationValues.flag(value)
        case "light":
            guard let light = LightPattern(name: value) else {
                throw ValueError("`\(value)` is none of off, solid, slow, fast, double and pulse")
            }
            configuration.routes[route].light = light
        case "beep":
            configuration.routes[route].beep = Int(try ConfigurationValues.number(value, 0...Int64(Limits.beeps)))
        case "hook": configuration.routes[route].hook = try ConfigurationValues.words(value)
        case "retry": configuration.routes[route].retry = Int(try ConfigurationValues.number(value, 1...3_600))
        case "outlet": configuration.routes[route].outlets = try ConfigurationValues.outlets(value)
        case "quiet": configuration.routes[route].quiet = try ConfigurationValues.quietHours(value)
        default: break
        }
    }

    // MARK: What needs more than one key

    /// The line of a section, or nil if the file has none of that kind that counts.
    private func line(of kind: String) -> Int? {
        for index in kinds.indices where kinds[index] == kind { return file.sections[index].line }
        return nil
    }

    /// The line of a key in the section of a kind that counts.
    private func line(of kind: String, _ key: String) -> Int? {
        for entry in file.entries where entry.key == key {
            if let section = entry.section, kinds[section] == kind { return entry.line }
        }
        return nil
    }

    private mutating func finishServer() {
        guard let section = line(of: "server") else { return }
        if line(of: "server", "address") == nil { return faults.add(section, "[server] needs `address`") }
        guard let address else { return }
        configuration.server = Configuration.Server(
            address: address, certificate: certificate, endpoint: endpoint, identity: identity)
    }

    private mutating func finishRelay() {
        guard let section = line(of: "relay") else { return }
        if line(of: "relay", "listen") == nil { return faults.add(section, "[relay] needs `listen`") }
        guard let listen else { return }
        var local: [AddressRange] = []
        if let four = IPAddress("127.0.0.0"), let six = IPAddress("::1") {
            local = [AddressRange(four, prefix: 8), AddressRange(six, prefix: 128)]
        }
        relay.listen = listen
        relay.allow = allow ?? local
        configuration.relay = relay
    }

    private mutating func finishKeepalive() {
        let keepalive = configuration.keepalive
        guard keepalive.minimum > keepalive.maximum else { return }
        let line = line(of: "keepalive", "maximum") ?? line(of: "keepalive", "minimum") ?? 1
        faults.add(
            line, "`maximum`, \(keepalive.maximum), is below `minimum`, \(keepalive.minimum), of [keepalive]")
    }

    private mutating func finishRoutes() {
        for index in kinds.indices where routes[index] != nil {
            let hasBundle = file.entries.contains { $0.section == index && $0.key == "bundle" }
            let section = file.sections[index]
            if !hasBundle { faults.add(section.line, "[\(title(section))] needs `bundle`") }
        }
        var places: [OutletAddress] = []
        for route in configuration.routes {
            for outlet in route.outlets where !places.contains(outlet) { places.append(outlet) }
        }
        if places.count > Limits.outlets {
            faults.add(line(of: "route", "outlet") ?? 1, "the outlets of all routes are more than \(Limits.outlets)")
        }
    }

    /// One device cannot serve two roles.
    private mutating func finishPanel() {
        let roles = PanelRole.allCases
        for index in roles.indices {
            for output in configuration.panel[roles[index]] {
                for other in roles[..<index] {
                    for taken in configuration.panel[other] where output.conflicts(with: taken) {
                        let line = max(line(of: "panel", roles[index].name) ?? 1, line(of: "panel", other.name) ?? 1)
                        faults.add(
                            line, "`\(output.label)` of `\(roles[index].name)` is used by `\(other.name)` already")
                    }
                }
            }
        }
    }

    // MARK: Paths

    private mutating func finishPaths() {
        if let directories {
            configuration.directory = directories.directory
            configuration.runtime = directories.runtime
        }
        let directory = configuration.directory
        configuration.runtime = ConfigurationParser.withoutSlash(
            ConfigurationParser.resolved(configuration.runtime, directory))
        // A socket's path has 107 bytes (unix(7)).
        if configuration.runtime.utf8.count > Limits.runtimePath {
            faults.add(
                line(of: "state", "runtime") ?? line(of: "state", "directory") ?? 1,
                "`runtime`: \(configuration.runtime) is longer than \(Limits.runtimePath) bytes")
        }
        if let server = configuration.server {
            configuration.server?.certificate = ConfigurationParser.resolved(server.certificate, directory)
            if let identity = server.identity {
                configuration.server?.identity = ConfigurationParser.resolved(identity, directory)
            }
        }
        if let strings = configuration.strings {
            configuration.strings = ConfigurationParser.resolved(strings, directory)
        }
        for route in configuration.routes.indices {
            for index in configuration.routes[route].outlets.indices {
                let path = configuration.routes[route].outlets[index].path
                configuration.routes[route].outlets[index].path = ConfigurationParser.resolved(path, directory)
            }
        }
        for index in configuration.routes.indices {
            guard let program = configuration.routes[index].hook.first else { continue }
            configuration.routes[index].hook[0] = ConfigurationParser.resolved(program, directory)
        }
        for role in PanelRole.allCases {
            for index in configuration.panel[role].indices {
                guard case .file(let path) = configuration.panel[role][index] else { continue }
                configuration.panel[role][index] = .file(ConfigurationParser.resolved(path, directory))
            }
        }
    }

    /// Relative paths are relative to the state directory.
    private static func resolved(_ path: String, _ directory: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        return directory == "/" ? "/" + path : directory + "/" + path
    }

    private static func withoutSlash(_ path: String) -> String {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
