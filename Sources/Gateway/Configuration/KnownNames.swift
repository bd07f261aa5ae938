/// The names of the contract.
enum KnownNames {
    static let sections = ["server", "state", "resolver", "keepalive", "panel", "route", "strings", "relay", "log"]

    static func keys(of section: String) -> [String] {
        switch section {
        case "server": ["address", "certificate", "endpoint", "identity"]
        case "state": ["directory", "runtime"]
        case "resolver": ["servers"]
        case "keepalive": ["minimum", "maximum", "pong-timeout", "probe"]
        case "panel": ["message", "link", "buzzer", "button", "press", "hold", "hold-time"]
        case "route": ["bundle", "when", "light", "beep", "hook", "retry", "outlet", "quiet", "mute", "collapse"]
        case "strings": ["file"]
        case "relay":
            [
                "listen", "allow", "path", "address", "command", "coalesce", "flap", "flap-window", "reminder",
                "silence", "burst", "refill",
            ]
        case "log": ["level", "size"]
        default: []
        }
    }

    /// Lines are short, so conditions may be spread over several.
    static func mayRepeat(_ key: String) -> Bool { key == "when" }

    /// The name with the smallest distance, the first of equals.
    static func nearest(_ text: String, among names: [String]) -> String {
        var best = ""
        var smallest = Int.max
        for name in names {
            let distance = distance(Array(text.utf8), Array(name.utf8))
            if distance < smallest {
                smallest = distance
                best = name
            }
        }
        return best
    }

    /// How many bytes must be added, removed, replaced or swapped with the next (optimal string alignment).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        var current = previous
        for row in 0..<left.count {
            current[0] = row + 1
            for column in 0..<right.count {
                let same = left[row] == right[column]
                var least = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (same ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, before[column - 1] + 1)
                }
                current[column + 1] = least
            }
            before = previous
            previous = current
        }
        return previous[right.count]
    }
}
