/// A fault by name, for the console and its help.
struct FaultCommand: Sendable {
    let name: String
    /// What may follow the name; `off` always ends the fault.
    let values: String
    let help: String
    let set: @Sendable (inout Faults, inout Words) throws(TestbedError) -> Void
    let clear: @Sendable (inout Faults) -> Void
}

extension FaultCommand {
    private static func flag(
        _ name: String, _ help: String, _ path: @escaping @Sendable (inout Faults, Bool) -> Void
    ) -> FaultCommand {
        FaultCommand(
            name: name, values: "", help: help, set: { (faults, _) throws(TestbedError) in path(&faults, true) },
            clear: { path(&$0, false) })
    }

    private static func number<T: FixedWidthInteger & Sendable & SendableMetatype>(
        _ name: String, _ value: String, _ help: String, default normal: T,
        _ path: @escaping @Sendable (inout Faults, T) -> Void
    ) -> FaultCommand {
        FaultCommand(
            name: name, values: value, help: help,
            set: { (faults, words) throws(TestbedError) in path(&faults, try words.integer(value)) },
            clear: { path(&$0, normal) })
    }

    private static func silence(_ silence: Faults.Silence, _ help: String) -> FaultCommand {
        flag("no-\(silence.rawValue)", help) { faults, on in
            if on { faults.silence.insert(silence) } else { faults.silence.remove(silence) }
        }
    }

    private static func choice<T: RawRepresentable & CaseIterable>(
        _ words: inout Words, _ type: T.Type, default first: T?
    ) throws(TestbedError) -> T where T.RawValue == String {
        guard let word = words.next() ?? first?.rawValue, let value = T(rawValue: word) else {
            throw .usage("one of: \(T.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return value
    }

    private static func header(_ field: String, _ help: String, _ make: @escaping @Sendable (UInt32) -> HeaderFault)
        -> FaultCommand
    {
        FaultCommand(
            name: "bad-\(field)", values: "[N]", help: help,
            set: { (faults, words) throws(TestbedError) in
                faults.header = make(words.words.isEmpty ? 0xFF : try words.integer("N"))
            }, clear: { $0.header = nil })
    }

    static let transport: [FaultCommand] = [
        silence(.tls, "accepts TCP, makes no TLS handshake"),
        FaultCommand(
            name: "tls-max", values: "1.0|1.1|1.2|1.3", help: "the highest TLS version",
            set: { (faults, words) throws(TestbedError) in
                faults.tlsMaximum = try choice(&words, Faults.TLSVersion.self, default: nil)
            }, clear: { $0.tlsMaximum = .tls13 }),
        flag("wrong-certificate", "presents a certificate that no client has pinned") { $0.wrongCertificate = $1 },
        FaultCommand(
            name: "client-certificate", values: "request|require", help: "asks for one, and records it",
            set: { (faults, words) throws(TestbedError) in
                faults.clientCertificate = try choice(&words, Faults.ClientCertificate.self, default: .request)
            }, clear: { $0.clientCertificate = .ignore }),
        FaultCommand(
            name: "split", values: "BYTES [MS]", help: "small writes, MS milliseconds apart",
            set: { (faults, words) throws(TestbedError) in
                let size: Int = try words.integer("BYTES")
                faults.split = Faults.Split(size: size, delay: words.words.isEmpty ? 0 : try words.integer("MS"))
            }, clear: { $0.split = nil }),
        number("delay", "MS", "everything is sent MS milliseconds later", default: Int64(0)) { $0.delay = $1 },
    ]

    static let frames: [FaultCommand] = [
        FaultCommand(
            name: "legacy-hello", values: "[on|two]", help: "opens with a legacy hello; two: in two TLS records",
            set: { (faults, words) throws(TestbedError) in
                faults.legacyHello = try choice(&words, Faults.LegacyHello.self, default: .on)
            }, clear: { $0.legacyHello = .off }),
        FaultCommand(
            name: "opening", values: "HEX", help: "sends these bytes instead of any hello",
            set: { (faults, words) throws(TestbedError) in
                guard let opening = bytes(hex: try words.next("HEX")) else { throw .usage("HEX is not hexadecimal") }
                faults.opening = opening
            }, clear: { $0.opening = nil }),
        number("hello-version", "N", "the version in S_HELLO", default: UInt32(2)) { $0.helloVersion = $1 },
        header("magic", "wrong magic in the next frame") { HeaderFault(magic: UInt8(truncatingIfNeeded: $0)) },
        header("version", "wrong version in the next frame") { HeaderFault(version: UInt8(truncatingIfNeeded: $0)) },
        header("type", "wrong type in the next frame") { HeaderFault(type: UInt8(truncatingIfNeeded: $0)) },
        header("reserved", "reserved byte not 0 in the next frame") {
            HeaderFault(reserved: UInt8(truncatingIfNeeded: $0))
        },
        header("length", "wrong length in the next frame") { HeaderFault(length: $0) },
        silence(.hello, "no S_HELLO"),
        silence(.challenge, "no S_CHALLENGE"),
        silence(.answer, "neither S_AUTH_OK nor S_REGISTER_OK"),
        silence(.pong, "no S_PONG"),
        silence(.pollDone, "no S_POLL_DONE"),
        silence(.notify, "no S_NOTIFY, pushed or polled"),
        silence(.everything, "nothing after TLS"),
        number("duplicates", "N", "every S_NOTIFY N more times", default: 0) { $0.duplicates = $1 },
        flag("seq-is-time", "S_NOTIFY.seq is the time in seconds") { $0.sequenceIsTime = $1 },
    ]

    static let sessions: [FaultCommand] = [
        FaultCommand(
            name: "register-fail", values: "CODE [REASON] [early]",
            help: "S_REGISTER_FAIL; early: instead of S_CHALLENGE",
            set: { (faults, words) throws(TestbedError) in
                let early = words.takes("early")
                let code: UInt8 = try words.integer("CODE")
                faults.registerFailure = Faults.RegisterFailure(code: code, reason: words.next(), early: early)
            }, clear: { $0.registerFailure = nil }),
        FaultCommand(
            name: "address", values: "TEXT|hex=HEX", help: "the address in S_REGISTER_OK, whatever its bytes",
            set: { (faults, words) throws(TestbedError) in
                guard let text = words.value("hex") else {
                    return faults.address = Array(try words.next("TEXT").utf8)
                }
                guard let address = bytes(hex: text) else { throw .usage("hex: not hexadecimal") }
                faults.address = address
            }, clear: { $0.address = nil }),
        flag("refuse-login-after-registration", "S_DISCONNECT 2 for C_LOGIN after S_REGISTER_OK") {
            $0.refuseLoginAfterRegistration = $1
        },
        FaultCommand(
            name: "refuse-login", values: "REASON", help: "S_DISCONNECT REASON for C_LOGIN (1: AUTH_FAIL, 5: version)",
            set: { (faults, words) throws(TestbedError) in faults.refuseLogin = try words.integer("REASON") as UInt8 },
            clear: { $0.refuseLogin = nil }),
        number("clock", "SECONDS", "the server's clock is this far ahead", default: Int64(0)) { $0.clockOffset = $1 },
        FaultCommand(
            name: "time-sync", values: "SECONDS", help: "S_TIME_SYNC after each login, this far ahead of the clock",
            set: { (faults, words) throws(TestbedError) in faults.timeSync = try words.integer("SECONDS") as Int64 },
            clear: { $0.timeSync = nil }),
        FaultCommand(
            name: "reference", values: "", help: "all quirks of the reference server together",
            set: { (faults, _) throws(TestbedError) in faults = .reference }, clear: { $0 = Faults() }),
        FaultCommand(
            name: "web", values: Faults.Web.allCases.map(\.rawValue).joined(separator: "|"),
            help: "what the web server answers",
            set: { (faults, words) throws(TestbedError) in
                faults.web = try choice(&words, Faults.Web.self, default: nil)
            }, clear: { $0.web = .ok }),
    ]

    static let all = transport + frames + sessions
}
