import Bytes
import Loop
import SGP

extension ByteBuffer {
    /// Why a connection ended, in words for the log and the status. Never holds text of the server's own.
    mutating func append(_ reason: EndReason) {
        switch reason {
        case .protocolFault(let fault): append(fault)
        case .disconnected(let code, let retryAfter):
            append("the server said S_DISCONNECT ")
            append(disconnectReason: code)
            if retryAfter > 0 {
                append(", come back in ")
                append(decimal: retryAfter)
                append(" s")
            }
        case .registerFailed(let code):
            append("the server refused the registration, code ")
            append(decimal: code)
        case .timeout(let wait):
            append("waited too long for ")
            append(wait.name)
        case .closed: append("the server closed the connection")
        case .network(let code): append(errno: code)
        case .noNetwork(let code):
            append("no network: ")
            append(errno: code)
        case .tls(let code):
            append("TLS: ")
            append(tlsReason: code)
        case .pinMismatch: append("the server's certificate is not the pinned one")
        case .unresolved: append("the server's name could not be resolved")
        case .resolverFailed(let status):
            append("the server's name could not be resolved now: ")
            append(resolverStatus: status)
        case .networkChanged: append("the network changed")
        case .store(let task, let isFull):
            append(task)
            if isFull { append(": no space left") }
        case .identity: append("there is no private key that can be used")
        case .clientCertificate: append("the client certificate could not be used")
        case .registered: append("registered, the login follows")
        case .registrationsChanged: append("the registrations changed")
        case .clockSet: append("the clock was set, the login is repeated")
        case .requested: append("asked to reconnect")
        case .stopped: append("the gateway leaves")
        }
    }

    private mutating func append(_ failed: StoreTask) {
        switch failed {
        case .burst: append("what was received could not be stored")
        case .address: append("the assigned address could not be stored")
        case .registrations: append("the registrations could not be read")
        }
    }

    private mutating func append(disconnectReason code: UInt8) {
        switch DisconnectReason(rawValue: code) {
        case .normal: append("NORMAL")
        case .authFail: append("AUTH_FAIL")
        case .protocolError: append("PROTOCOL")
        case .serverError: append("SERVER_ERR")
        case .replaced: append("REPLACED")
        case .versionMismatch: append("VERSION_MISMATCH")
        case nil:
            append("with the unknown reason ")
            append(decimal: code)
        }
    }

    private mutating func append(_ fault: ProtocolFault) {
        append("protocol error: ")
        switch fault {
        case .frame(let fault): append(fault)
        case .phase(let message, let phase):
            append(message.name)
            append(" does not belong in the phase ")
            append(phase.name)
        case .legacyHello: append("a legacy hello that is not the first frame")
        case .payload(let message):
            append("the lengths inside ")
            append(message.name)
            append(" do not fit it")
        case .addressByte(let byte):
            append("the assigned address holds the byte 0x")
            append(hexByte: byte)
        case .clockOffset(let seconds):
            append("S_TIME_SYNC is ")
            append(decimal: seconds)
            append(" s from our clock")
        }
    }

    private mutating func append(_ fault: FrameFault) {
        switch fault {
        case .magic(let byte):
            append("a frame begins with 0x")
            append(hexByte: byte)
        case .version(let byte):
            append("a frame of version ")
            append(decimal: byte)
        case .type(let byte):
            append("unknown message type 0x")
            append(hexByte: byte)
        case .reserved(let byte):
            append("the reserved byte is 0x")
            append(hexByte: byte)
        case .length(let message, let length):
            append(message.name)
            append(" with a payload of ")
            append(decimal: length)
            append(" bytes")
        case .legacyHello(let length):
            append("the first frame is neither SGP nor a legacy hello, length field ")
            append(decimal: length)
        }
    }

    private mutating func append(hexByte byte: UInt8) {
        append(Hex.digit(byte >> 4))
        append(Hex.digit(byte & 15))
    }
}
