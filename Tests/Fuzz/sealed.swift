import Bytes
import Sealing

// Any bytes as a sealed box and as a sealed note: nothing that was not sealed to us opens. Sealed by a right sender they
// open to the same, and with one bit turned round not at all. The first two bytes say which one.

private struct Keys {
    let board: SecretKey
    let daemon: SecretKey
    let ephemeral: SecretKey
    let boardPublic: Blob<32>
    let daemonPublic: Blob<32>
}

nonisolated(unsafe) private let keys: Keys = {
    do throws(SealingError) {
        let (board, daemon, ephemeral) = (try SecretKey(), try SecretKey(), try SecretKey())
        return Keys(
            board: board, daemon: daemon, ephemeral: ephemeral, boardPublic: try board.publicKey(),
            daemonPublic: try daemon.publicKey())
    } catch { fatalError("keys") }
}()
private let information = Array("pocketty note v1".utf8)
nonisolated(unsafe) private var sealed = ByteBuffer(capacity: Limits.sealedNote + 64)
nonisolated(unsafe) private var opened = ByteBuffer(capacity: Limits.sealedNote)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: min(count, 2 + Limits.note))
    guard input.count > 2 else { return 0 }
    let message = UnsafeRawBufferPointer(rebasing: input[2...])
    for isNote in [false, true] {
        guard !opens(message, isNote) else { fatalError("what nobody sealed") }
        seal(message, isNote)
        guard opens(sealed.pointer, isNote), opened.pointer.elementsEqual(message) else { fatalError("sealed to us") }
        guard !opens(sealed.pointer, !isNote) else { fatalError("of the other kind") }
        let bit = (Int(input[0]) << 8 | Int(input[1])) % (8 * sealed.count)
        var bad = Array(sealed.pointer)
        bad[bit / 8] ^= 1 << UInt8(bit % 8)
        // The highest bit of a point counts for nothing (RFC 7748 §5), but it is authenticated.
        guard !bad.withUnsafeBytes({ opens($0, isNote) }) else { fatalError("changed") }
        guard !opens(UnsafeRawBufferPointer(rebasing: sealed.pointer.dropLast()), isNote) else { fatalError("cut") }
    }
    return 0
}

private func seal(_ message: UnsafeRawBufferPointer, _ isNote: Bool) {
    sealed.removeAll()
    do throws(SealingError) {
        if isNote {
            try HPKE.seal(
                message.bytes, sender: keys.daemon, senderPublic: keys.daemonPublic.bytes,
                receiver: keys.boardPublic.bytes, info: information.span.bytes, ephemeral: keys.ephemeral, into: &sealed
            )
        } else {
            try SealedBox.seal(message.bytes, publicKey: keys.boardPublic.bytes, into: &sealed)
        }
    } catch { fatalError("seal") }
}

private func opens(_ bytes: UnsafeRawBufferPointer, _ isNote: Bool) -> Bool {
    opened.removeAll()
    do throws(SealingError) {
        if isNote {
            try HPKE.open(
                bytes.bytes, receiver: keys.board, receiverPublic: keys.boardPublic.bytes,
                sender: keys.daemonPublic.bytes, info: information.span.bytes, into: &opened)
        } else {
            try SealedBox.open(
                bytes.bytes, publicKey: keys.boardPublic.bytes, secretKey: keys.board, into: &opened)
        }
        return true
    } catch {
        guard opened.isEmpty else { fatalError("a part of it") }
        return false
    }
}
