/// The usage of 80 columns that `--help` prints.
public enum Help {
    public static let text = """
        usage: skyglowd [-c FILE] [--json] COMMAND

        Receives push notifications of a Skyglow Notifications server and shows them
        on a light.

        The gateway
          run                      runs in the foreground, one per state directory
          check                    checks the configuration
          status                   how things stand; exit 0 connected, 1 not
                                   connected, 3 not running
          reload, reconnect, stop  tells the running gateway to
          panel test               each output in turn
          panel off                puts out what a gateway that died left on
          log [-f] [-n N]          the last N lines of the log; -f follows it
                                   and --json makes an object of each

        Setting up
          certificate fetch        fetches the server's certificate and asks
            [--from URL]             from here, not from the server's http_addr
            [--fingerprint HEX]      accept only this SHA-256
            [--yes]                  do not ask; needs --fingerprint
          certificate import FILE  takes it from a PEM file
          certificate show         the pinned certificate

        Applications
          token add BUNDLE         prints the device token of an application
          token list               all of them
          token mute BUNDLE        keeps it, shows nothing
          token unmute BUNDLE
          token delete BUNDLE      forgets it: its token is worth nothing more

        Notifications
          inbox [--unread] [-n N]  what came in, newest first
          read ID...               marks them read; the light follows
          read all

        How long a connection may be silent
          keepalive show [NETWORK] what was learned of each network, and why the
                                   interval is what it is; NETWORK is a number
                                   of this list or an interface
          keepalive plot           the history of the network in use
            [--network NETWORK]      of another one
            [--svg FILE]             as a picture; - writes it to the output
          keepalive forget [NETWORK]  of the network in use, or
          keepalive forget all        of all of them

        Daemons that send to this board directly
          pair cronstable LINK     with the daemon of a pairing link or its JSON;
                                   - reads it from standard input
          pair pocketty USER@HOST  by way of ssh
          pair rotate              another signing key: every grant is worth
                                   nothing from now on
          pairings                 all of them
          unpair ID                what it sends is refused from now on
          note pair FILE           the other side of pair pocketty, and
          note send FILE AGENT STATE [PANE]   a note: for trying it out

        Options
          -c FILE                  the configuration; else $SKYGLOWD_CONFIG,
                                   else /etc/skyglow/skyglowd.conf
          --json                   for scripts, where a command lists or shows
          --version, --help

        """
}
