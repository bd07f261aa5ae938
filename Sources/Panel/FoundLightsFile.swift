import Bytes
import CBoard

/// The file of `FoundLights`: replaced whole, believed only where nobody else can have written it. It need not outlive a
/// power cut, so nothing is synced. Paths are made once.
struct FoundLightsFile {
    private static let name = "/lights"
    private let directory: [CChar]
    private let path: [CChar]
    private let temporary: [CChar]
    private let head: [UInt8]
    let text: String

    /// - Parameter boot: not empty.
    init(directory: String, boot: Blob<36>) {
        text = directory + Self.name
        self.directory = Self.cString(directory)
        path = Self.cString(text)
        temporary = Self.cString(text + ".new")
        head = Array("skyglow lights 1 \(boot.text)\n".utf8)
    }

    private static func cString(_ text: String) -> [CChar] { text.utf8.map { CChar(bitPattern: $0) } + [0] }

    /// The first line: which kind of file this is, and of which boot.
    func appendHead(to buffer: inout ByteBuffer) {
        head.withUnsafeBytes { buffer.append($0) }
    }

    /// Replaces the file; the error number, or 0.
    func replace(with text: UnsafeRawBufferPointer) -> Int32 {
        // A leftover of a crash, or a link that somebody laid: never written through.
        unlink(temporary)
        let descriptor = cb_open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { return cb_errno() }
        cb_set_errno(ENOSPC)
        let isWhole = write(descriptor, text.baseAddress, text.count) == text.count
        let error = cb_errno()
        close(descriptor)
        if isWhole, rename(temporary, path) == 0 { return 0 }
        let reason = isWhole ? cb_errno() : error
        unlink(temporary)
        return reason
    }

    /// The lines after the first; false for a file that is not there, not of this boot or not to be trusted.
    func read(into buffer: inout ByteBuffer) -> Bool {
        buffer.removeAll()
        let descriptor = cb_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard isTrusted(descriptor) else { return false }
        let length = CBoard.read(descriptor, buffer.tail.baseAddress, buffer.free)
        // A full buffer may be half a file.
        guard length >= head.count, length < buffer.free else { return false }
        buffer.commit(length)
        for index in head.indices where buffer.bytes[index] != head[index] { return false }
        buffer.removeFirst(head.count)
        return true
    }

    /// A file with one name, written by this user, by root, or by whom the directory belongs to, and by nobody else.
    private func isTrusted(_ descriptor: Int32) -> Bool {
        var status = stat()
        var parent = stat()
        guard fstat(descriptor, &status) == 0, stat(directory, &parent) == 0 else { return false }
        return UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG) && status.st_mode & 0o022 == 0
            && status.st_nlink == 1
            && (status.st_uid == geteuid() || status.st_uid == 0 || status.st_uid == parent.st_uid)
    }
}
