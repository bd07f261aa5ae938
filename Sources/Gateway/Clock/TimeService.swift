import CBoard
import Loop

/// Whether somebody keeps the system's clock.
enum TimeService {
    /// The kernel says so of any service that steers it (adjtimex(2)), and takes it back when the clock is set by hand.
    /// Where it may not be asked, as inside a unit with ProtectClock=, there is the file that systemd-timesyncd touches
    /// with every answer of its server.
    static var isKeeping: Bool {
        if cb_clock_synchronised() != 0 { return true }
        var status = stat()
        guard "/run/systemd/timesync/synchronized".withCString({ stat($0, &status) }) == 0 else { return false }
        let age = SystemClock().unixTime - Int64(status.st_mtim.tv_sec)
        return abs(age) < longest
    }

    /// Servers are asked every 34 minutes at least.
    private static let longest: Int64 = 7_200
}
