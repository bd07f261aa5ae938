import Bytes
import SGP

// Any bytes as what a server sends, in random pieces. The first byte of the input chooses the pieces, the rest arrives.
// Whatever the pieces are, the parser finds the same items and the same fault.

/// What came out of a parser, folded into one number and a count, and how it ended.
private struct Trace: Equatable {
    var items = 0
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var fault: FrameFault?

    mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let start, count > 0 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    let whole = run(bytes, seed: 0)
    let pieces = run(bytes, seed: UInt64(start[0]) + 1)
    guard whole == pieces else { fatalError("the pieces change what is found") }
    return 0
}

/// Feeds everything; with seed 0 as much at once as there is room for.
private func run(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> Trace {
    var parser = FrameParser()
    var trace = Trace()
    var state = seed
    var taken = 0
    while taken < bytes.count {
        let tail = parser.receiveTail()
        // Room is missing only while whole frames wait, and none does here.
        guard !tail.isEmpty else { fatalError("no room") }
        var count = min(tail.count, bytes.count - taken)
        if seed > 0 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            count = min(count, 1 + Int(state >> 33) % (1 << Int(seed % 13)))
        }
        tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken..<(taken + count)]))
        parser.received(count)
        taken += count
        drain(&parser, into: &trace)
        if trace.fault != nil { return trace }
    }
    guard trace.items <= bytes.count else { fatalError("items out of nothing") }
    return trace
}

private func drain(_ parser: inout FrameParser, into trace: inout Trace) {
    do throws(FrameFault) {
        while let item = try parser.next() { check(item, parser.payload, &trace) }
    } catch {
        trace.fault = error
        guard parser.payload.byteCount == 0 else { fatalError("a payload beside a fault") }
    }
}

private func check(_ item: FrameParser.Item, _ payload: RawSpan, _ trace: inout Trace) {
    trace.items += 1
    switch item {
    case .message(let type):
        guard type.bounds.contains(payload.byteCount) else { fatalError("out of bounds") }
        trace.add(type.rawValue)
    case .legacyHello:
        guard trace.items == 1 else { fatalError("a late legacy hello") }
        trace.add(0)
    case .oversizeNotify:
        guard payload.byteCount == Limits.notifyHeader else { fatalError("fixed part") }
        trace.add(1)
    }
    for index in 0..<payload.byteCount { trace.add(payload[index]) }
}
