import Bytes
import Payload
import Relay
import Sealing
import Store

/// Opens what is sealed to this board, whichever way it came in, and knows the paired daemons. Reserved once.
final class SealedOpener {
    struct Pairing {
        var id: Int64
        var source: Source
        var token: Blob<256>
        var key: Blob<32>
        var name: Blob<64>
    }

    /// What became of something sealed. The notification is in the document that was given.
    enum Opened: Equatable {
        case shown(isStale: Bool)
        /// An older note than one that was shown, or the same again.
        case replayed
        case unreadable
    }

    /// What stands for an alert or note that does not open and brings no texts of its own.
    static let unreadableAlert = "New alert"
    static let unreadableNote = "pocketty: Agent update"

    /// The permissions of keys that others had access to when they were read; 0 for none.
    private var openModes: (seal: UInt32, signing: UInt32) = (0, 0)
    private(set) var seal: SecretKey?
    private(set) var signing: SecretKey?
    private var sealPublic = Blob<32>()
    private let pairings: UnsafeMutablePointer<Pairing>
    private(set) var count = 0
    private var decoder: DocumentDecoder
    private var plain = Document()
    private var sealed = ByteBuffer(capacity: Limits.sealedNote + 64)
    private var opened = ByteBuffer(capacity: Limits.sealedNote)
    private var renderer = AlertRenderer()
    private let information = Array(PockettyWire.information.utf8)

    /// Nil if a library has no memory.
    init?() {
        guard let decoder = DocumentDecoder() else { return nil }
        self.decoder = decoder
        pairings = .allocate(capacity: Limits.pairings)
    }

    deinit { pairings.deallocate() }

    /// Where the keys are, once they have been read.
    private(set) var directory = ""

    /// Reads the keys and pairings again.
    func load(_ store: Store, directory: String) throws(StoreError) {
        self.directory = directory
        let keys = RelayKeys(directory: directory)
        seal = try keys.read(RelayKeys.seal, opened: { openModes.seal = $0 })
        signing = try keys.read(RelayKeys.signing, opened: { openModes.signing = $0 })
        if let seal {
            do throws(SealingError) { sealPublic = try seal.publicKey() } catch {
                throw .memory(.init(call: "key", path: directory))
            }
        }
        count = 0
        try store.pairings { row in
            guard count < Limits.pairings, let token = Blob<256>(row.token), let key = Blob<32>(row.key) else {
                return true
            }
            (pairings + count).initialize(
                to: Pairing(
                    id: row.id, source: row.source, token: token, key: key, name: Blob<64>(row.name) ?? Blob()))
            count += 1
            return true
        }
    }

    /// What is wrong with the keys, for those who look after the board; after they were read.
    func reportKeys(to log: Log) {
        let keys = RelayKeys(directory: directory)
        var needsSigning = 0
        for index in 0..<count where pairings[index].source == .pocketty { needsSigning += 1 }
        if seal == nil, count > 0 {
            log.error(
                .relay,
                "\(keys.path(of: RelayKeys.seal)) is missing: nothing that \(count) paired daemons send can be opened")
            log.error(.relay, "put it back, or pair all of them again")
        }
        if signing == nil, needsSigning > 0 {
            log.error(
                .relay,
                "\(keys.path(of: RelayKeys.signing)) is missing: \(needsSigning) pocketty daemons are refused")
            log.error(.relay, "put it back, or pair all of them again")
        }
        for (name, mode) in [(RelayKeys.seal, openModes.seal), (RelayKeys.signing, openModes.signing)] where mode != 0 {
            log.warning(
                .relay,
                "\(keys.path(of: name)) was open to others (mode \(mode >> 6)\(mode >> 3 & 7)\(mode & 7)); it is closed now"
            )
        }
        openModes = (0, 0)
    }

    /// The pairing that a daemon's device token stands for.
    func pairing(_ source: Source, token: Blob<256>) -> Pairing? {
        for index in 0..<count where pairings[index].source == source && pairings[index].token == token {
            return pairings[index]
        }
        return nil
    }

    func knows(_ pairing: Int64) -> Bool {
        for index in 0..<count where pairings[index].id == pairing { return true }
        return false
    }

    /// Parses the JSON of a request.
    func decode(_ body: RawSpan, into document: inout Document) throws(PayloadError) {
        try decoder.decode(contentType: ContentType.json, data: body, into: &document)
    }

    /// What stands for something that could not be opened.
    func placeholder(_ words: String, into output: inout Document) {
        do throws(PayloadError) { try renderer.placeholder(words, into: &output) } catch { output.removeAll() }
    }

    /// Decodes what is sealed; its length, or nil for what is not base64 or too long.
    func take(_ text: RawSpan) -> Int? {
        sealed.removeAll()
        return sealed.append(decoding: text, .standard) ? sealed.count : nil
    }

    /// Opens the alert that was taken. `output` is overwritten only if it opens.
    func openAlert(urgency: Urgency, now: Int64?, into output: inout Document) -> Opened {
        guard let seal else { return .unreadable }
        defer { forget() }
        do throws(SealingError) {
            try SealedBox.open(
                sealed.pointer.bytes, publicKey: sealPublic.bytes, secretKey: seal, into: &opened)
        } catch { return .unreadable }
        do throws(PayloadError) {
            try decoder.decode(contentType: ContentType.json, data: opened.pointer.bytes, into: &plain)
            guard let rendered = try renderer.alert(plain, urgency: urgency, now: now, into: &output) else {
                return .unreadable
            }
            return .shown(isStale: rendered.isStale)
        } catch { return .unreadable }
    }

    /// Opens the note that was taken with the key of whichever paired daemon sealed it. Within a transaction.
    ///
    /// A note that is dated further ahead than clocks differ does not make later ones that are dated rightly look old: it
    /// counts for others of its kind only, until that time has come.
    func openNote(at moment: CorrectedTime, store: Store, into output: inout Document) throws(StoreError) -> Opened {
        defer { forget() }
        guard let seal, let daemon = unseal(seal), opened.count <= Limits.note else { return .unreadable }
        var rendered: Rendered?
        do throws(PayloadError) {
            try decoder.decode(contentType: ContentType.json, data: opened.pointer.bytes, into: &plain)
            rendered = try renderer.note(plain, daemon: daemon, now: moment.told, into: &output)
        } catch { return .unreadable }
        guard let rendered, let time = rendered.time else { return .unreadable }
        let digest: Blob<32>
        do throws(SealingError) { digest = try SHA256.digest(opened.pointer.bytes) } catch { return .unreadable }
        let isBeyond = moment.isBeyond(time)
        let beyond = Self.beyond(rendered.pane)
        for list in 0..<2 {
            let pane = list == 0 ? rendered.pane : beyond
            if let last = try store.lastNote(pane: pane.bytes, digest: digest.bytes),
                isBeyond || !moment.isBeyond(last.time),
                time < last.time || (time == last.time && last.isKnown)
            {
                return .replayed
            }
        }
        let pane = isBeyond ? beyond : rendered.pane
        try store.setLastNote(pane: pane.bytes, time: time, digest: digest.bytes)
        return .shown(isStale: rendered.isStale)
    }

    /// What stands for a pane where its notes are dated ahead: no digest is like another with its bits turned round.
    private static func beyond(_ pane: Blob<32>) -> Blob<32> {
        var turned = InlineArray<32, UInt8>(repeating: 0)
        for index in 0..<32 { turned[index] = ~pane[index] }
        return Blob<32>(turned.span.bytes) ?? pane
    }

    private func unseal(_ seal: SecretKey) -> Int64? {
        for index in 0..<count where pairings[index].source == .pocketty {
            opened.removeAll()
            let key = pairings[index].key
            let information = information
            do throws(SealingError) {
                try HPKE.open(
                    sealed.pointer.bytes, receiver: seal, receiverPublic: sealPublic.bytes, sender: key.bytes,
                    info: information.span.bytes, into: &opened)
                return pairings[index].id
            } catch { continue }
        }
        return nil
    }

    /// No plaintext stays behind.
    private func forget() {
        opened.wipe()
        plain.removeAll()
    }
}
