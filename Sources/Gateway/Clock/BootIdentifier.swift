import Bytes
import CBoard
import Loop

/// What tells one boot of the kernel from another (random(4)).
enum BootIdentifier {
    /// 36 characters; empty where there is none, which is no other boot's.
    static var current: Blob<36> {
        let file = FileDescriptor(raw: cb_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0))
        var text = InlineArray<36, UInt8>(repeating: 0)
        let count = withUnsafeMutableBytes(of: &text) { read(file.raw, $0.baseAddress, $0.count) }
        return count == 36 ? Blob<36>(text.span.bytes) ?? Blob() : Blob()
    }
}
