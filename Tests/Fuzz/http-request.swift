import Bytes
import Loop

// Any bytes as a request to the relay, whole and a byte at a time.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: start, count: min(count, Limits.requestHead + Limits.requestBody))
    var whole = HTTPRequestParser()
    let outcome = whole.parse(input.bytes, full: false)
    check(outcome, input)
    var slow = HTTPRequestParser()
    for length in 0...input.count {
        let part = UnsafeRawBufferPointer(rebasing: input[0..<length])
        let partly = slow.parse(part.bytes, full: false)
        if partly != .incomplete {
            // What came later changes nothing, and what came earlier was no reason to decide otherwise.
            guard partly == outcome else { fatalError("pieces") }
            return 0
        }
    }
    guard outcome == .incomplete else { fatalError("pieces are never complete") }
    return 0
}

private func check(_ outcome: HTTPParse, _ input: UnsafeRawBufferPointer) {
    guard case .complete(let request) = outcome else { return }
    guard request.bodyStart <= min(input.count, Limits.requestHead), request.bodyLength >= 0,
        request.bodyLength <= Limits.requestBody, request.target.upperBound < request.bodyStart,
        !request.target.isEmpty, request.target.count <= Limits.requestTarget,
        input[request.target.lowerBound] == UInt8(ascii: "/"), input[request.bodyStart - 1] == 0x0A
    else { fatalError("request") }
    for index in 0..<request.bodyStart {
        guard input[index] != 0 else { fatalError("NUL") }
        if input[index] == 0x0A, input[index - 1] != 0x0D { fatalError("bare LF") }
    }
}
