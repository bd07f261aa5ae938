import Bytes
import Loop

// Any bytes as what one receive from rtnetlink gave. The reader may not look beyond them and comes to an end.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: min(count, Limits.netlinkBuffer))
    var reader = NetlinkReader(input.bytes)
    var messages = 0
    while let message = reader.next() {
        messages += 1
        guard message.name.count <= 16, message.address.count <= 16, message.gateway.count <= 16,
            message.hardware.count <= 20
        else { fatalError("longer than it may be") }
        if message.kind == .other, message.index != 0 { fatalError("something of nothing") }
    }
    guard messages <= input.count / 16 else { fatalError("more messages than there is room for") }
    guard reader.next() == nil else { fatalError("no end") }
    return 0
}
