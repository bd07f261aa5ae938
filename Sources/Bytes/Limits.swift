/// Every size, count and bound of the gateway in one place. What is reserved at start is reserved from these.
///
/// Sizes are in bytes, times in milliseconds, unless a name says otherwise.
public enum Limits {
    // MARK: Frames (SGP v2 §2)

    /// Magic, version, type, reserved byte and payload length.
    public static let frameHeader = 8
    /// The largest payload of a frame.
    public static let framePayload = 4096
    /// The largest frame.
    public static let frame = frameHeader + framePayload
    /// The largest body of a legacy hello, after its four length bytes.
    public static let legacyHelloMaximum = 4096
    /// The smallest body of a legacy hello.
    public static let legacyHelloMinimum = 12
    /// The longest S_NOTIFY that is skipped and acknowledged; a longer one ends the connection (§10).
    public static let oversizeNotify = 1 << 20
    /// Bytes received and not yet understood: room for two whole frames, so that one read can fetch a burst.
    public static let receiveBuffer = 4 * frame
    /// Frames built and not yet sent.
    public static let sendBuffer = 4 * frame

    // MARK: Addresses, keys and registrations (§4, §7)

    /// A server address is a domain of at most this many bytes.
    public static let serverAddress = 16
    /// A device address as the server assigns it.
    public static let deviceAddress = 255
    public static let routingKey = 32
    public static let endToEndKey = 32
    /// The random part of a device token.
    public static let tokenSecret = 16
    public static let deviceToken = serverAddress + tokenSecret
    /// The reference server ends on longer bundle identifiers (§10).
    public static let bundle = 64
    /// Registrations of one board. 300 are common in tests, a board has a handful.
    public static let registrations = 1024
    public static let messageID = 16
    public static let gcmTag = 16
    public static let gcmNonce = 12
    /// An RSA-2048 signature.
    public static let signature = 256
    /// An RSA-2048 public key as DER SubjectPublicKeyInfo is 294 bytes.
    public static let publicKey = 512
    /// A PEM file with an RSA-2048 key.
    public static let keyFile = 4096
    /// A PEM bundle of a certificate, its intermediates and a key.
    public static let clientCertificate = 65_536
    /// A pinned certificate as DER.
    public static let certificate = 16_384

    // MARK: Notifications (§5, §6)

    /// The fixed part of S_NOTIFY before its data.
    public static let notifyHeader = 70
    /// The most that a compressed payload may inflate to; exactly this many is fine.
    public static let inflated = 65_536
    /// Nesting of a document; the root counts as 1.
    public static let nesting = 32
    /// Values in one document. The smallest value takes one byte, so no document of `inflated` bytes has more.
    public static let documentValues = inflated + 1
    /// Texts of a document that its decoder cannot refer to in the input but must write down: unescaped, transcoded or
    /// decoded from base64. UTF-16 grows by half at most.
    public static let documentText = 2 * inflated
    /// Canonical JSON of one document. The worst growth in a TLV is an array of empty DATA, `{"$data":""},` for two
    /// bytes; a control character grows from one byte to six. A document that would need more is refused when built.
    public static let canonicalJSON = 7 * inflated + 64

    /// What a byte of JSON may take while it is parsed, and what the parser takes for itself. XML takes less.
    public static let parserMemoryFactor = 96
    public static let parserMemoryBase = 8192
    /// Memory of the JSON and XML parsers: enough for any document, with a little for the arena's own lists.
    public static let parserMemory = parserMemoryFactor * (inflated + 8192) + 4 * parserMemoryBase

    /// The identifier by which a notification replaces an older one, as in APNs.
    public static let collapse = 64

    // MARK: Relay

    /// A public or private key of X25519, a digest of SHA-256.
    public static let relayKey = 32
    /// Connections of the relay at once. A daemon opens one for each alert and device, up to 100.
    public static let relayConnections = 128
    /// Start line and header fields of a request.
    public static let requestHead = 4096
    public static let requestTarget = 1024
    public static let requestFields = 64
    public static let requestBody = 8192
    /// What an answer of the relay may say.
    public static let answerBody = 512
    public static let answer = answerBody + 512
    /// The longest ciphertext of a daemon, in base64 digits, and what it opens to.
    public static let alertCiphertext = 3800
    public static let alert = alertCiphertext / 4 * 3
    /// A device token of the relay: 16 to 512 hex digits.
    public static let relayToken = 256
    public static let relayTokenMinimum = 8
    /// A sealed note before and after sealing.
    public static let note = 2048
    public static let sealedNote = 4096
    /// A grant: token and code in base64, and a dot.
    public static let grant = (relayToken + 2) / 3 * 4 + 1 + 44
    /// Daemons that may be paired, and the name and place of one.
    public static let pairings = 64
    public static let pairingName = 64
    public static let pairingPlace = 255
    /// Alerts of one kind and source that the admission policy remembers, and how often each may have been forwarded.
    public static let admissions = 512
    public static let admissionForwards = 16
    /// Panes whose last note is remembered.
    public static let panes = 1024
    /// Notes of one pane that may bear the same time, where a daemon's clock is coarse: a minute's worth of pushes.
    public static let paneNotes = 60
    /// Addresses and tokens whose requests are counted, and the most requests a minute of each.
    public static let rateSources = 64
    public static let rateRequests = 120
    /// An alert or note that is older, or from so far ahead, is shown as an outdated one; in seconds.
    public static let fresh: Int64 = 600
    /// A request that has begun arrives within this time, and its answer is taken within it.
    public static let request: Int64 = 10_000
    /// The same while other clients wait for a connection.
    public static let crowdedRequest: Int64 = 1_000
    /// How long a connection may stay without a request, and how long one that was refused is read from.
    public static let idleRequest: Int64 = 15_000
    public static let refusedRequest: Int64 = 2_000
    /// The latter while other clients wait: the answer is on its way and mostly there.
    public static let crowdedRefused: Int64 = 100
    /// How long the relay waits for another process that writes to the store, and after a failure not at all. All else
    /// waits with it, the server's pong too.
    public static let relayBusy: Int64 = 500
    public static let relayBusyPause: Int64 = 2_000
    /// How often an address that is not there yet is tried.
    public static let listenRetry: Int64 = 2_000
    /// A pairing link, and the answer to a pairing.
    public static let pairingLink = 4096

    // MARK: Store (§11)

    /// Notifications that one transaction may cover.
    public static let burst = 256
    /// Rows of the inbox; read ones go first.
    public static let inboxRows = 1024
    /// Message identifiers remembered for duplicates, at least.
    public static let seenRows = 4096
    /// How long an identifier is remembered, at least: 7 days, in seconds.
    public static let seenSeconds: Int64 = 7 * 86_400
    /// Arrivals after which an identifier is forgotten in any case, however far its notification's expiry lies ahead.
    public static let seenArrivals = 262_144
    /// Acknowledgements waiting for a connection, or for proof that the server has read them.
    public static let pendingAcks = 8192
    /// Memory that SQLite may use.
    public static let storeMemory = 4 << 20
    /// Pages of 4096 bytes that SQLite keeps in memory; a transaction that changes more spills into the log.
    public static let storeCachePages = 256
    /// Pages in the log after which they are moved into the database.
    public static let storeLogPages = 256
    /// How long a write waits for another process's.
    public static let storeBusy: Int64 = 2000
    /// Networks that keep-alive intervals are remembered of, the key of one, and for each what was learned how.
    public static let networks = 32
    public static let networkKey = 64
    public static let intervalEvents = 128
    /// The longest silence that a row of the store is believed to speak of, in seconds.
    public static let intervalSeconds: Int64 = 1_000_000
    /// The SVG of one history: 400 bytes an event and what is around them.
    public static let intervalPicture = 400 * intervalEvents + 16_384
    /// A small file: key, certificate chain.
    public static let smallFile = 65_536

    // MARK: Time

    /// A send or a receive that has begun ends within this time (§2).
    public static let transfer: Int64 = 10_000
    /// Connecting, and then the TLS handshake, each end within this time.
    public static let connect: Int64 = 10_000
    /// A connection that took so much longer than the one before lost a packet, as on a line that is out for a moment: the
    /// kernel repeats the first one after a second.
    public static let lateConnect: Int64 = 900
    /// Between TLS and S_AUTH_OK, the server answers each step within this time.
    public static let handshakeStep: Int64 = 15_000
    /// Between the beginnings of two connection attempts to one host (RFC 8305 §5).
    public static let dialStagger: Int64 = 250
    /// How long addresses of IPv4 wait for those of IPv6 (RFC 8305 §3).
    public static let resolutionDelay: Int64 = 50
    /// Addresses of one host that are tried, and sockets that may connect at once.
    public static let addresses = 8
    /// The TLS handshake with one of several addresses, at the first attempt; later ones have more patience.
    public static let handshakeFirst: Int64 = 4_000
    /// A domain name (RFC 1035 §2.3.4), without the last dot.
    public static let hostName = 253
    /// How long names are good without asking again, in seconds (§1).
    public static let namesSeconds: Int64 = 3_600
    /// The longest delay between two attempts to resolve while name servers fail.
    public static let resolverBackoff: Int64 = 60_000
    /// After a failure to resolve, resolv.conf is looked at this often.
    public static let resolverWatch: Int64 = 2_000
    /// Events of the network follow each other closely: how long they are collected.
    public static let networkSettling: Int64 = 300
    /// Between two reactions to changes of the network; the first one is not put off.
    public static let networkPause: Int64 = 1_500
    /// What a connection that lived through a change of the network has to answer within.
    public static let probe: Int64 = 5_000
    /// How long a second connection for a probe is not opened after one that told nothing, a change of the network or an
    /// end of the live one; and after how many in a row that the server refuses there are no more.
    public static let apartPause: Int64 = 60_000
    public static let apartRefusals = 2
    /// An attempt that has come this far when the network changes begins anew.
    public static let attemptAge: Int64 = 2_000
    /// A shorter suspend is none.
    public static let wake: Int64 = 1_000
    /// What one receive from rtnetlink may give.
    public static let netlinkBuffer = 32_768
    /// How long sent bytes may stay unconfirmed by the other side's TCP, at least, and how much longer than a pong may
    /// take: the session notices first.
    public static let unconfirmed: Int64 = 20_000
    public static let unconfirmedMargin: Int64 = 5_000
    /// The longest delay between two attempts (§9).
    public static let backoff: Int64 = 600_000
    /// Clock corrections beyond this are a protocol error (§4), in seconds.
    public static let clockOffset: Int64 = 172_800
    /// 2024-01-01T00:00:00Z in Unix seconds, before this program was made: a clock that shows less was never set.
    public static let clockNeverSet: Int64 = 1_704_067_200
    /// The server refuses a login whose time is further off (§4).
    public static let clockTolerance: Int64 = 300_000
    /// From here on a change of the system's clock counts as a step, and what is known of the time is written down anew.
    public static let clockStep: Int64 = 2_000
    /// A step after which a refused login is tried again: less would not make the difference.
    public static let clockRetry: Int64 = 60_000

    // MARK: Processes

    /// Descriptors of one poll: signals, control socket and its clients, the server's socket and a second one, those that
    /// connect, DNS, network and clock, buttons, two pipes to each hook, outlets, the relay's listener and its clients.
    public static let pollSlots =
        1 + 1 + controlClients + 2 + addresses + 16 + 2 + panelOutputs + 2 * hooks + outlets
        + 1 + relayConnections
    /// How long clients of either listener stay in the queue where there is no descriptor for one.
    public static let acceptPause: Int64 = 1_000
    /// Clients of the control socket at once.
    public static let controlClients = 8
    public static let controlRequest = 1024
    public static let controlAnswer = 8192
    /// Outputs that may share a role of the panel.
    public static let panelOutputs = 4
    /// Alternatives that one `led:` output may name.
    public static let ledNames = 8
    /// The name of an LED, a GPIO line or a chip. The kernel's own bounds are 64 and 32.
    public static let deviceName = 64
    /// What a device without access is left alone before the next try.
    public static let panelRetry: Int64 = 10_000
    /// Where GPIO and PWM chips are looked for: the kernel counts them from 0, with gaps where one was removed.
    public static let chips = 256
    /// A button's contacts bounce for some milliseconds; a level counts once it has lasted this long.
    public static let buttonSettle: Int64 = 20
    /// From here on a press is a long one.
    public static let buttonLong: Int64 = 2000
    /// In seconds: what the configuration may ask for instead.
    public static let buttonHoldMinimum: Int64 = 1
    public static let buttonHoldMaximum: Int64 = 60
    /// An edge that claims to be older was stamped by another clock.
    public static let buttonEdgeAge: Int64 = 10_000
    /// Edges of one button that one turn of the loop takes.
    public static let buttonEdges = 64
    /// How long the files of a PWM channel may take to become writable, and how often they are tried.
    public static let pwmPatience: Int64 = 5000
    public static let pwmRetry: Int64 = 100
    /// The same for the files that an LED's trigger makes.
    public static let ledPatience: Int64 = 5000
    public static let ledRetry: Int64 = 100
    /// The tone of a passive buzzer, in nanoseconds a period: 2.7 kHz, where common ones are loudest.
    public static let tonePeriod: Int64 = 370_370
    /// The text of what is wrong with one output.
    public static let panelProblem = 384
    /// What is read of an LED's list of triggers.
    public static let triggerList = 8192
    /// The text of a pattern for the kernel: two flashes are eight pairs of a brightness and a time.
    public static let ledPattern = 8 * (16 + 1 + 20 + 1)
    /// LEDs whose first state is remembered: those of every role, and some that are no longer configured.
    public static let foundLights = 3 * panelOutputs + 4
    /// A line for each of them, and the first line of their file.
    public static let foundLightsFile = 64 + foundLights * (deviceName + 1 + 16 + 1 + 64 + 1)
    /// One line of the log.
    public static let logLine = 512
    /// The text of a line, after time, level and area, which take less than the rest.
    public static let logText = 448
    /// One line of the configuration: inih's own bound less its terminator.
    public static let configurationLine = 199
    /// A whole configuration.
    public static let configurationFile = 65_536
    /// Faults of a configuration that are told; the rest is counted.
    public static let configurationFaults = 64
    /// The runtime directory, so that the path of a socket in it fits its 107 bytes (unix(7)).
    public static let runtimePath = 91
    /// Routes of a configuration, and the name of one.
    public static let routes = 32
    public static let routeName = 32
    /// A strings file, and the texts in it.
    public static let stringsFile = 65_536
    public static let strings = 1024
    /// A text with its arguments.
    public static let localizedText = inflated
    /// Conditions of one route.
    public static let conditions = 8
    /// Words of a hook's command line.
    public static let hookWords = 16
    /// Hooks that run at once.
    public static let hooks = 4
    /// How long a hook may take, and how long after being asked to end until it is killed.
    public static let hookTime: Int64 = 30_000
    public static let hookGrace: Int64 = 2_000
    /// How often a hook is started until it is given up.
    public static let hookTries = 5
    /// Title and body in a hook's environment: an entry of it may have 131,072 bytes (execve(2)).
    public static let hookText = inflated
    /// What is logged of the output of one hook, and what is read of it at once after that.
    public static let hookOutput = 65_536
    /// How often the output of a hook that floods is read.
    public static let hookFlood: Int64 = 100
    /// A line of a hook's output in the log.
    public static let hookLine = 384
    /// Why a hook did not end well, and what of that is kept free for words after the program's path.
    public static let hookReason = 256
    public static let hookReasonWords = 96
    /// Places that outlets write to, and those of one route.
    public static let outlets = 16
    public static let routeOutlets = 4
    /// Lines that wait for the reader of one outlet.
    public static let outletBuffer = 131_072
    /// A notification as `inbox --json` has it: the document and what is shown of it, which is again a part of it, or
    /// comes from the strings file.
    public static let notificationJSON = 2 * canonicalJSON + 3 * 6 * localizedText + 4096
    /// Beeps of one notification.
    public static let beeps = 20
    /// Entries of a list of resolvers or of address ranges.
    public static let addressList = 16
    /// The smallest and the largest log ring.
    public static let logRingMinimum = 4096
    public static let logRingMaximum = 16 << 20
    /// Places in the program whose log rate is watched at once.
    public static let logSites = 64
    /// Lines a place may log at once.
    public static let logBurst = 10
    /// After a burst, one more line in this time.
    public static let logRefill: Int64 = 10_000
    /// A path of a file.
    public static let path = 4096
}
