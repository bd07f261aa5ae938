import Bytes
import Loop
import SGP
import Testing

@testable import Gateway

@Suite struct EndReasonTests {
    private func text(_ reason: EndReason) -> String {
        var out = ByteBuffer(capacity: Limits.logLine)
        out.append(reason)
        return String(decoding: out.pointer, as: UTF8.self)
    }

    @Test(
        arguments: [
            (.protocolFault(.frame(.magic(0x0A))), "protocol error: a frame begins with 0x0a"),
            (.protocolFault(.frame(.version(3))), "protocol error: a frame of version 3"),
            (.protocolFault(.frame(.type(0xFF))), "protocol error: unknown message type 0xff"),
            (.protocolFault(.frame(.reserved(1))), "protocol error: the reserved byte is 0x01"),
            (.protocolFault(.frame(.length(.notify, 69))), "protocol error: S_NOTIFY with a payload of 69 bytes"),
            (
                .protocolFault(.frame(.legacyHello(11))),
                "protocol error: the first frame is neither SGP nor a legacy hello, length field 11"
            ),
            (
                .protocolFault(.phase(.notify, .preHello)),
                "protocol error: S_NOTIFY does not belong in the phase PreHello"
            ),
            (.protocolFault(.legacyHello), "protocol error: a legacy hello that is not the first frame"),
            (.protocolFault(.payload(.registerOK)), "protocol error: the lengths inside S_REGISTER_OK do not fit it"),
            (.protocolFault(.addressByte(0)), "protocol error: the assigned address holds the byte 0x00"),
            (.protocolFault(.clockOffset(-172_801)), "protocol error: S_TIME_SYNC is -172801 s from our clock"),
            (.disconnected(code: 0, retryAfter: 0), "the server said S_DISCONNECT NORMAL"),
            (.disconnected(code: 1, retryAfter: 0), "the server said S_DISCONNECT AUTH_FAIL"),
            (.disconnected(code: 2, retryAfter: 0), "the server said S_DISCONNECT PROTOCOL"),
            (.disconnected(code: 3, retryAfter: 30), "the server said S_DISCONNECT SERVER_ERR, come back in 30 s"),
            (.disconnected(code: 4, retryAfter: 0), "the server said S_DISCONNECT REPLACED"),
            (
                .disconnected(code: 5, retryAfter: .max),
                "the server said S_DISCONNECT VERSION_MISMATCH, come back in 4294967295 s"
            ),
            (.disconnected(code: 6, retryAfter: 0), "the server said S_DISCONNECT with the unknown reason 6"),
            (.disconnected(code: 255, retryAfter: 0), "the server said S_DISCONNECT with the unknown reason 255"),
            (.registerFailed(code: 7), "the server refused the registration, code 7"),
            (.timeout(.connect), "waited too long for the TCP connection"),
            (.timeout(.tlsHandshake), "waited too long for the TLS handshake"),
            (.timeout(.hello), "waited too long for S_HELLO"),
            (.timeout(.challenge), "waited too long for S_CHALLENGE"),
            (.timeout(.authentication), "waited too long for S_AUTH_OK or S_REGISTER_OK"),
            (.timeout(.pong), "waited too long for S_PONG"),
            (.timeout(.receive), "waited too long for the rest of a frame"),
            (.timeout(.send), "waited too long for a frame to be taken"),
            (.closed, "the server closed the connection"),
            (.network(111), "Connection refused"), (.noNetwork(101), "no network: Network is unreachable"),
            (.tls(0), "TLS: TLS error 0"), (.pinMismatch, "the server's certificate is not the pinned one"),
            (.unresolved, "the server's name could not be resolved"),
            (.store(.burst, isFull: false), "what was received could not be stored"),
            (.store(.burst, isFull: true), "what was received could not be stored: no space left"),
            (.store(.address, isFull: false), "the assigned address could not be stored"),
            (.store(.address, isFull: true), "the assigned address could not be stored: no space left"),
            (.store(.registrations, isFull: false), "the registrations could not be read"),
            (.identity, "there is no private key that can be used"),
            (.clientCertificate, "the client certificate could not be used"),
            (.registered, "registered, the login follows"),
            (.registrationsChanged, "the registrations changed"), (.requested, "asked to reconnect"),
            (.stopped, "the gateway leaves"),
        ] as [(EndReason, String)])
    func texts(reason: EndReason, expected: String) {
        #expect(text(reason) == expected)
    }

    /// Whatever a reason holds, its words fit a line of the log and need no escapes in JSON.
    @Test func allMessagesAndPhases() {
        var reasons: [EndReason] = []
        for message in ServerMessage.allCases {
            reasons.append(.protocolFault(.payload(message)))
            reasons.append(.protocolFault(.frame(.length(message, .max))))
            for phase in [Phase.closed, .preHello, .helloReceived, .challengeWait, .authWait, .authenticated] {
                reasons.append(.protocolFault(.phase(message, phase)))
            }
        }
        var seen: Set<String> = []
        for reason in reasons {
            let words = text(reason)
            #expect(words.utf8.count < Limits.logText / 2)
            #expect(
                words.utf8.allSatisfy {
                    $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
                })
            #expect(seen.insert(words).inserted, "\(words)")
        }
    }

    /// The errors of a board without a route are told from those of a server that is away. Once the kernel has begun to
    /// connect, a router says the same of the server's network.
    @Test(
        arguments: [
            (101, true), (100, true), (113, true), (99, true), (111, false), (110, false), (104, false), (32, false),
            (24, false),
        ] as [(Int32, Bool)])
    func networkErrors(code: Int32, isNoNetwork: Bool) {
        let error = SystemError("connect", code: code)
        #expect(EndReason(beginning: error) == (isNoNetwork ? .noNetwork(code) : .network(code)))
        #expect(EndReason(.network(error)) == .network(code))
    }

    @Test func otherStreamErrors() {
        #expect(EndReason(.closed) == .closed)
        #expect(EndReason(.truncated) == .closed)
        #expect(EndReason(.pinMismatch) == .pinMismatch)
        #expect(EndReason(.tls(7)) == .tls(7))
    }
}
