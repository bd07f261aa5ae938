// What `skyglow-testbed --help` prints, made from the tables that the console obeys.
extension Console {
    /// Usage in lines of at most 80 columns.
    public static var help: String {
        var text = """
            Usage: skyglow-testbed serve [OPTION…]

            A loopback SGP v2 server with faults on demand. It reads one command a line on
            standard input and ends at `quit` or at the end of input. Every command gets
            one reply on standard output, `ok COMMAND key=value…` or
            `error COMMAND reason=…`. Events are lines of the form
            `KIND connection=N key=value…`.

            Options:
              --dir DIR        keeps certificate, key and devices there (default: memory)
              --port P         SGP port (default: any)
              --http-port P    port of GET /snd/server_cert.pem (default: any)
              --address NAME   server address, at most 16 bytes (default: sgn.test)
              --key ec|rsa     kind of the certificate's key (default: ec)
              --expired        the certificate was valid in 2001 only
              --reference      begins with `fault reference`
              --json           replies and events as JSON, one object a line
              --events FILE    events go to FILE, only replies to standard output
              --help, --version
            The first line is `ready port=… http=… fingerprint=… certificate=…`: the
            SHA-256 of the certificate, and its file if there is a directory.

            Commands:

            """
        for command in commands { text += entry("\(command.name) \(command.usage)", command.help) }
        text += notifyHelp
        text += "\nFaults (`fault NAME VALUE`, `fault NAME off`, `fault none`):\n"
        for fault in FaultCommand.all { text += entry("\(fault.name) \(fault.values)", fault.help) }
        text += "\nMoments of `at`:\n"
        text += wrap(Moment.allCases.map(\.rawValue).joined(separator: ", "))
        text += """
            Actions of `at`: drop, close, disconnect REASON [retry=S], send HEX, skip
            (leaves out what the server would do), stall (stops reading), silence (stops
            sending). E.g. `at notify drop`: RST once an S_NOTIFY is out; `at ack drop`:
            RST before the acknowledgement counts; `at login skip send 5302120000000000`:
            S_AUTH_OK instead of S_CHALLENGE.

            Kinds of events:

            """
        return text + wrap(Event.Kind.allCases.map(\.rawValue).joined(separator: ", "))
    }

    private static let notifyHelp = """

        notify: keys
          title= body= subtitle= sound= badge=N category= thread= level= custom=TEXT
          type=flat|structured|json  structured is the default
          expires=S                  seconds from now (default: never)
          msg-id=HEX seq=N           instead of the next ones
          count=N                    N notifications, numbered
          copies=N                   the same frame N times
          size=N                     S_NOTIFY payload of exactly N bytes
          raw=HEX                    these bytes as data
          flags=N content-type=N data-length=N   replace the true ones
          label=TEXT                 a row of `report`
          expect=shown|hidden ack=0|1|2|3|none   what the row expects, if not the usual
        notify: words
          encrypt, compress, expired, garbage, oversize, wrong-key, unknown-key,
          held (waits for C_POLL), unqueued (sent and forgotten), one-write (with count)

        """

    /// A usage and what it does, side by side if the usage is short.
    private static func entry(_ usage: String, _ help: String) -> String {
        let column = 26
        var left = "  " + usage
        while left.last == " " { left.removeLast() }
        let lines = wrap(help, indent: column)
        guard left.count + 2 <= column else { return left + "\n" + lines }
        return left + lines.dropFirst(left.count)
    }

    private static func wrap(_ text: String, indent: Int = 2) -> String {
        let margin = String(repeating: " ", count: indent - 1)
        var lines = [margin]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > 80 { lines.append(margin) }
            lines[lines.count - 1] += " " + word
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
