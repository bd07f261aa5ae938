import Bytes
import CBoard
import Loop
import SGP
import Sealing
import Store

/// Where a key and what it makes stay while it is used. Reserved once, wiped after each use.
struct KeyWork: ~Copyable {
    var pem = ByteBuffer(capacity: Limits.keyFile)
    var publicKey = ByteBuffer(capacity: Limits.publicKey)
    var signature = ByteBuffer(capacity: Limits.signature)
}

/// The device's own key: made before a registration, used for one signature at a time, never kept in memory between
/// (SGP v2 §4).
extension Uplink {
    /// Makes a fresh key to register with. False, with the reason logged, if there is none.
    func makeKey() -> Bool {
        log.info(.link, "making a key of 2048 bits")
        defer { keyWork.pem.wipe() }
        do throws(SealingError) {
            let key = try Sealing.Identity.generate()
            try key.appendPEM(to: &keyWork.pem)
        } catch {
            log.error(.link, "no key could be made")
            return false
        }
        do throws(StoreError) { try keyFile.write(keyWork.pem.pointer.bytes) } catch {
            report(error)
            return false
        }
        hasFreshKey = true
        return true
    }

    /// Reads the registration's client certificate, if one is configured and still there.
    func loadClientCertificate() -> Bool {
        guard let path = settings.registrationCertificate else { return true }
        var pem = ByteBuffer(capacity: Limits.clientCertificate)
        defer { pem.wipe() }
        do throws(StoreError) { try AtomicFile.read(path, into: &pem) } catch {
            report(error)
            return error.isMissing
        }
        clientCertificate = ClientCertificate(pem: pem.pointer)
        guard clientCertificate == nil else { return true }
        log.error(.link, "\(path) holds no certificate with its unencrypted private key")
        return false
    }

    /// The public key goes into C_REGISTER.
    func beginRegistration(now: Int64) {
        guard readPublicKey() else { return finish(.identity, now: now) }
        link.reached(.registering, now: now)
        session.start(.register, identity: keyWork.publicKey.pointer.bytes, now: now)
    }

    /// Answers the challenge.
    func sign(now: Int64) -> Bool {
        keyWork.signature.removeAll()
        let material = session.materialPointer
        let done = withKey { key, work throws(SealingError) in try key.sign(material.bytes, into: &work.signature) }
        guard done else { return false }
        session.answerChallenge(signature: keyWork.signature.pointer.bytes, now: now)
        return true
    }

    /// Makes the assigned address durable and, in the same step, ends the client certificate: its file is deleted and
    /// what is in memory freed and cleared.
    func commitRegistration(unixTime: Int64) throws(StoreError) {
        guard let hash = keyHash() else {
            throw StoreError.misuse(.init(call: "key", path: keyFile.path))
        }
        let address = session.assignedAddress
        try store.setIdentity(
            server: settings.serverAddress.bytes, address: address.bytes, keyHash: hash.bytes,
            at: unixTime)
        clientCertificate = nil
        stream.forgetCertificate()
        link.forgetStoreFailures()
        hasFreshKey = false
        identity = try store.identity()
        delivery.resume(after: 0)
        acks.removeAll()
        log.notice(.link, "registered as \(address)")
        deleteClientCertificate()
    }

    /// Also at start: a power cut may have come between the commit and the deletion. A file that cannot be deleted is
    /// reported each time and keeps nothing else from working.
    func deleteClientCertificate() {
        guard identity != nil, let path = settings.registrationCertificate else { return }
        do throws(StoreError) {
            if try AtomicFile.delete(path) { log.notice(.link, "deleted \(path), which has served its purpose") }
        } catch { report(error) }
    }

    /// Whether the key file holds the key that was registered. A key that cannot be read just now is not a lost one:
    /// registering anew would end every device token.
    func hasKey(of known: DeviceIdentity) throws(StoreError) -> Bool {
        defer { keyWork.pem.wipe() }
        guard try keyFile.read(into: &keyWork.pem) else { return false }
        return keyHash() == known.keyHash
    }

    private func keyHash() -> Blob<32>? {
        guard readPublicKey() else { return nil }
        do throws(SealingError) { return try SHA256.digest(keyWork.publicKey.pointer.bytes) } catch { return nil }
    }

    private func readPublicKey() -> Bool {
        keyWork.publicKey.removeAll()
        return withKey { key, work throws(SealingError) in try key.appendPublicKey(to: &work.publicKey) }
    }

    /// Reads the key, uses it and clears it. False if there is none or it could not be used.
    private func withKey(
        _ body: (borrowing Sealing.Identity, inout KeyWork) throws(SealingError) -> Void
    ) -> Bool {
        keyWork.pem.wipe()
        defer { keyWork.pem.wipe() }
        do throws(StoreError) {
            guard try keyFile.read(into: &keyWork.pem) else { return false }
        } catch {
            report(error)
            return false
        }
        do throws(SealingError) {
            let key = try Sealing.Identity(pem: keyWork.pem.pointer.bytes)
            try body(key, &keyWork)
            return true
        } catch {
            log.error(.link, "\(keyFile.path): the key could not be used")
            return false
        }
    }
}
