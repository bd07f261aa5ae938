/// A driver or a disk that is wrong in one way, to see that the simulator notices.
public enum Mutant: String, CaseIterable, Sendable {
    /// Acknowledges what has not been committed.
    case acknowledgesEarly = "ack-before-commit"
    /// The disk says that it has synced and has not.
    case disk = "disk-lies"
    /// A message that came before is put into the inbox again.
    case showsAgain = "shows-again"
    /// Waits for a pong, or for the server, for ever.
    case waits = "no-deadline"
    /// Forgets to try again.
    case givesUp = "gives-up"
    /// Tries again at once.
    case hurries = "no-backoff"
    /// Takes twice the delay.
    case dawdles = "double-backoff"
    /// A login counts as proof that the disk is well.
    case forgetsDisk = "login-clears-disk"
    /// Connects before the old connection is closed.
    case doubles = "two-connections"
    /// A change of the registrations does not go out.
    case keepsSet = "set-not-sent"
    /// C_POLL names the highest number that was received.
    case pollsAhead = "poll-ahead"
    /// An acknowledgement counts as read as soon as it is sent.
    case trustsSending = "acks-forgotten"
    /// Never asks whether the connection lives.
    case deaf = "no-ping"
    /// Turns its loop without a pause.
    case spins = "spins"
    /// Asks every ten seconds.
    case nags = "nags"
    /// The disk forgets the head of the database when the power fails.
    case rots = "disk-rots"
}
