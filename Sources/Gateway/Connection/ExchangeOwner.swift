import Bytes
import SGP
import Store

/// What carries an exchange's bytes: a TLS stream, or a model of one.
package protocol ExchangeStream: AnyObject {
    /// Bytes that have come. An end counts only after everything before it has been taken.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> ExchangeTransfer
    /// One frame, whole and in a record of its own.
    func send(_ frame: UnsafeRawBufferPointer) -> ExchangeTransfer
    /// Ends our half.
    func finishSending()
}

/// What receiving or sending came to.
package enum ExchangeTransfer {
    case done(Int)
    /// Nothing now.
    case blocked
    case failed(EndReason)
}

/// What an exchange leaves to its owner: the way to the server, the clock, the private key, and whatever nothing depends
/// on, such as the log. It is passed with each call and never kept. Times are milliseconds of a clock that never jumps.
package protocol ExchangeOwner: AnyObject {
    associatedtype Stream: ExchangeStream

    // MARK: The way to the server

    /// The connection, where it is open.
    var openStream: Stream? { get }
    /// An attempt or a connection is there to be ended.
    var isUnderWay: Bool { get }
    /// A connection that is alive is about to be left.
    func leaves()
    /// The reason that an end is put down to.
    func attributed(_ reason: EndReason) -> EndReason
    /// Lets go of the connection, or of the attempt at one, and of all that belongs to it alone.
    func disconnect(_ reason: EndReason)
    /// What an end says of the network, nil for nothing.
    func isCutOff(after reason: EndReason) -> Bool?
    func random(in range: ClosedRange<Int64>) -> Int64

    // MARK: The clock

    /// What a frame's time is made of: the system's clock in Unix seconds, and the seconds to add to it.
    func localTime(now: Int64) -> (time: Int64, offset: Int64)
    func moment(now: Int64) -> CorrectedTime
    /// The server has accepted a login or a registration with the corrected time.
    func loginAccepted(now: Int64)
    /// Outside of any transaction: what is known of the time may be kept.
    func saveClock(now: Int64)

    // MARK: The private key

    /// Answers the challenge that the session holds. False, with the reason told, if that failed.
    func answerChallenge(now: Int64) -> Bool
    /// SHA-256 of the public key.
    func publicKeyHash() throws(StoreError) -> Blob<32>
    /// The registration is durable: what served it alone can be cleared.
    func registrationIsDurable()

    // MARK: Notifications

    var routing: Routing { get }
    /// Before the burst is durable. What is thrown undoes the burst.
    func judged(_ verdict: Verdict, _ payload: UnsafeRawBufferPointer) throws(StoreError)
    /// A notification that is too long to be one was taken.
    func refusedOversize(_ payload: UnsafeRawBufferPointer)
    /// The open burst, if there was one, has come to nothing.
    func burstAbandoned()
    /// The burst is durable and its acknowledgements are queued; `wrote` is false where nothing was written.
    func committed(_ outcome: Committed, wrote: Bool, now: Int64)

    // MARK: What is told

    /// After the exchange has done its part.
    func handled(_ event: SessionEvent, now: Int64)
    /// The connection has lived through a change of the network.
    func probeAnswered(now: Int64)
    /// Before it is kept.
    func learned(_ evidence: KeepAliveEvidence, time: Int64)
    /// This many registrations do not fit and are left out.
    func registrationsLeftOut(_ count: Int)
    func report(_ error: StoreError)
    /// The connection, or the attempt at one, has ended, and the link knows it.
    func ended(_ reason: EndReason, now: Int64)
}
