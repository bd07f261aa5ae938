import CBoard

/// Whether somebody keeps the system's clock.
enum TimeService {
    /// The kernel says so of any service that steers it (adjtimex(2)). Inside our unit's sandbox that may not be asked;
    /// systemd-timesyncd leaves a file as well.
    static var isKeeping: Bool {
        cb_clock_synchronised() != 0 || access("/run/systemd/timesync/synchronized", F_OK) == 0
    }
}
