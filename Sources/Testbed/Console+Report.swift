import Foundation

// The command `report`: what labelled notifications should do, and what they did.
extension Console {
    private struct Entry {
        var title: String?
        var body: String?
    }

    func report(_ words: inout Words) throws -> Fields {
        let path = try words.next("INBOX.json")
        let (entries, unread) = try readInbox(path)
        var acks: [[UInt8]: [Int64]] = [:]
        for event in server.events.of(.acked) {
            guard let identifier = event.bytes("msg_id"), let status = event.integer("status") else { continue }
            acks[identifier, default: []].append(status)
        }
        lines = [Console.row("sent", "expected", "acknowledged", "happened", "acknowledged", "")]
        var failures = 0
        for expectation in expectations {
            let (row, good) = judge(expectation, entries, acks)
            lines.append(row)
            if !good { failures += 1 }
        }
        if let wanted: Int = try words.integer(key: "unread"), wanted != unread {
            lines.append("unread: \(unread), expected \(wanted)")
            failures += 1
        }
        let violations = server.events.of(.violation)
        for violation in violations { lines.append("the gateway broke the protocol: \(violation)") }
        guard failures == 0, violations.isEmpty else {
            throw TestbedError.usage("\(failures) of \(expectations.count) not as expected")
        }
        return [("checked", .integer(Int64(expectations.count)))]
    }

    private func judge(
        _ expectation: Expectation, _ entries: [[UInt8]: [Entry]], _ acks: [[UInt8]: [Int64]]
    ) -> (row: String, good: Bool) {
        let found = expectation.identifiers.map { entries[$0] ?? [] }
        let statuses = expectation.identifiers.map { acks[$0] ?? [] }
        let shownRight = found.allSatisfy { $0.count == (expectation.shown ? 1 : 0) }
        let textRight = found.joined().allSatisfy { entry in
            (expectation.title == nil || entry.title == expectation.title)
                && (expectation.body == nil || entry.body == expectation.body)
        }
        let acksRight = statuses.allSatisfy { list in
            guard let status = expectation.status else { return list.isEmpty }
            return list.count >= expectation.copies && list.allSatisfy { $0 == Int64(status) }
        }
        let good = shownRight && textRight && acksRight
        let times = expectation.identifiers.count
        let count = found.joined().count
        return (
            Console.row(
                expectation.label, expectation.shown ? (times > 1 ? "\(times) shown" : "shown") : "not shown",
                expectation.status.map { Console.name($0) } ?? "no",
                count == 0 ? "not shown" : count == 1 ? (textRight ? "shown" : "wrong text") : "\(count) shown",
                Console.summary(statuses.flatMap { $0 }), good ? "ok" : "WRONG"), good
        )
    }

    /// e.g. `0 delivered`, as SGP v2 §5 numbers them.
    private static func name(_ status: UInt8) -> String {
        let names = ["delivered", "no key", "unreadable", "expired"]
        return Int(status) < names.count ? "\(status) \(names[Int(status)])" : "\(status)"
    }

    private static func summary(_ statuses: [Int64]) -> String {
        guard let first = statuses.first else { return "no" }
        let same = statuses.allSatisfy { $0 == first }
        let text = same ? name(UInt8(truncatingIfNeeded: first)) : statuses.map { "\($0)" }.joined(separator: ",")
        return statuses.count > 1 && same ? "\(text) ×\(statuses.count)" : text
    }

    private static func row(_ columns: String...) -> String {
        let widths = [22, 9, 12, 10, 16, 5]
        var line = zip(columns, widths).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }.joined(separator: " ")
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The notifications of `skyglowd inbox --json` by msg_id; placeholders do not count as shown.
    private func readInbox(_ path: String) throws -> (entries: [[UInt8]: [Entry]], unread: Int) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw TestbedError.usage("\(path) cannot be read")
        }
        guard let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let list = root["notifications"] as? [[String: Any]]
        else { throw TestbedError.usage("\(path) is not the output of inbox --json") }
        var entries: [[UInt8]: [Entry]] = [:]
        for item in list where item["placeholder"] as? Bool != true {
            let text = (item["msg_id"] as? String ?? "").filter { $0 != "-" }
            guard let identifier = bytes(hex: text) else { continue }
            entries[identifier, default: []].append(
                Entry(title: item["title"] as? String, body: item["body"] as? String))
        }
        return (entries, root["unread"] as? Int ?? -1)
    }
}
