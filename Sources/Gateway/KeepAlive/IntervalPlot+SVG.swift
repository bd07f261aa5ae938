import Bytes
import SGP
import Store

/// The plot as one SVG 1.1 document without anything outside of it. Marks differ in shape as well as in colour, and
/// title, description and the text of each mark say what is drawn.
extension IntervalPlot {
    private static let (left, right, top, bottom) = (80 as Int64, 840 as Int64, 60 as Int64, 360 as Int64)

    func append(svgTo out: inout ByteBuffer) {
        out.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 480" width="880" height="480" role="img" \
            aria-labelledby="title desc" font-family="sans-serif" font-size="13">
            <title id="title">
            """)
        out.append("Keep-alive history: ")
        out.append(xml: title)
        out.append("</title>\n<desc id=\"desc\">")
        appendDescription(to: &out)
        out.append("</desc>\n")
        out.append(Self.style)
        out.append("<rect class=\"paper\" width=\"880\" height=\"480\"/>\n<text class=\"head\" x=\"80\" y=\"30\">")
        out.append(xml: title)
        out.append("</text>\n")
        appendAxes(to: &out)
        appendLine(to: &out)
        out.append("<g>\n")
        for index in events.indices { appendMark(index, to: &out) }
        out.append("</g>\n")
        appendLegend(to: &out)
        out.append("</svg>\n")
    }

    private static let style = """
        <style>
        .paper { fill: #ffffff } text { fill: #222222 } .head { font-size: 16px; font-weight: bold }
        .axis { stroke: #222222; fill: none } .grid { stroke: #dddddd } .cut { stroke: #888888; stroke-dasharray: 2 4 }
        .tried { stroke: #767676; stroke-width: 2; fill: none } .survived { fill: #0072b2; stroke: #0072b2 }
        .again { fill: #ffffff; stroke: #0072b2; stroke-width: 2 } .doubted { fill: #ffffff; stroke: #b35900; stroke-width: 2 }
        .failed { fill: none; stroke: #b00020; stroke-width: 3 }
        </style>

        """

    private func appendDescription(to out: inout ByteBuffer) {
        out.append("From ")
        out.append(date: events[0].time)
        out.append(" to ")
        out.append(date: end)
        out.append(": ")
        for mark in Mark.allCases where count(mark) > 0 {
            out.append(decimal: count(mark))
            out.append(count(mark) == 1 ? " silence " : " silences ")
            out.append(mark.words)
            out.append("; ")
        }
        out.append("the interval is now ")
        out.append(decimal: events[events.count - 1].interval)
        out.append(" seconds. Quiet times are drawn shorter than they were where a dashed line stands.")
    }

    // MARK: Places

    private func x(_ index: Int) -> Int64 { Self.left + time.step(index, of: Self.right - Self.left) }
    private func y(_ seconds: Int64) -> Int64 { Self.bottom - seconds * (Self.bottom - Self.top) / value.top }

    // MARK: Parts

    private func appendAxes(to out: inout ByteBuffer) {
        for step in 0...value.count {
            let y = y(step * value.step)
            out.line("grid", Self.left, y, Self.right, y)
            out.text(Self.left - 8, y + 4, "end")
            out.append(decimal: step * value.step)
            out.append("</text>\n")
        }
        out.append("<path class=\"axis\" d=\"M80 60V360H840\"/>\n")
        out.append("<text transform=\"rotate(-90)\" x=\"-210\" y=\"24\" text-anchor=\"middle\">silence (s)</text>\n")
        out.append("<text x=\"460\" y=\"408\" text-anchor=\"middle\">time (UTC)</text>\n")
        for cut in time.cuts {
            let middle = (x(cut.index - 1) + x(cut.index)) / 2
            out.line("cut", middle, Self.top, middle, Self.bottom)
        }
        var taken: [Int64] = []
        for index in labelled {
            let x = x(index)
            guard taken.allSatisfy({ abs($0 - x) >= 130 }) else { continue }
            taken.append(x)
            out.line("axis", x, Self.bottom, x, Self.bottom + 6)
            out.text(x, Self.bottom + 22, index == 0 ? "start" : index == events.count ? "end" : "middle")
            out.append(Self.label(moment(index)))
            out.append("</text>\n")
        }
    }

    /// The interval, in steps.
    private func appendLine(to out: inout ByteBuffer) {
        out.append("<path class=\"tried\" d=\"")
        for (index, event) in events.enumerated() {
            out.append(index == 0 ? "M" : "V")
            if index == 0 {
                out.append(decimal: x(0))
                out.append(" ")
            }
            out.append(decimal: y(event.interval))
            out.append("H")
            out.append(decimal: x(index + 1))
        }
        out.append("\"/>\n")
    }

    private func appendMark(_ index: Int, to out: inout ByteBuffer) {
        let event = events[index]
        guard let mark = Self.mark(event) else { return }
        out.append("<g class=\"")
        out.append(mark.name)
        out.append("\"><title>")
        out.append(date: event.time)
        out.append(": a silence of ")
        out.append(decimal: event.idle)
        out.append(" s was ")
        out.append(mark.words)
        out.append("; next ")
        out.append(decimal: event.interval)
        out.append(" s</title>")
        out.append(mark, x(index), y(event.idle))
        out.append("</g>\n")
    }

    private func appendLegend(to out: inout ByteBuffer) {
        var x: Int64 = 90
        for mark in Mark.allCases {
            out.append("<g class=\"")
            out.append(mark.name)
            out.append("\">")
            out.append(mark, x, 440)
            out.append("</g>\n")
            out.text(x + 12, 444, "start")
            out.append(mark.words)
            out.append("</text>\n")
            x += 32 + 7 * Int64(mark.words.utf8.count)
        }
        out.line("tried", x, 440, x + 24, 440)
        out.text(x + 32, 444, "start")
        out.append("the interval: tried next</text>\n")
    }
}

extension IntervalPlot.Mark {
    fileprivate var name: String {
        switch self {
        case .survived: "survived"
        case .again: "again"
        case .doubted: "doubted"
        case .failed: "failed"
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func attribute(_ name: String, _ value: Int64) {
        append(" ")
        append(name)
        append("=\"")
        append(decimal: value)
        append("\"")
    }

    fileprivate mutating func line(_ name: String, _ x1: Int64, _ y1: Int64, _ x2: Int64, _ y2: Int64) {
        append("<line class=\"")
        append(name)
        append("\"")
        attribute("x1", x1)
        attribute("y1", y1)
        attribute("x2", x2)
        attribute("y2", y2)
        append("/>\n")
    }

    /// Begins a text; `</text>` ends it.
    fileprivate mutating func text(_ x: Int64, _ y: Int64, _ anchor: String) {
        append("<text")
        attribute("x", x)
        attribute("y", y)
        append(" text-anchor=\"")
        append(anchor)
        append("\">")
    }

    /// The shape of a mark around a point.
    fileprivate mutating func append(_ mark: IntervalPlot.Mark, _ x: Int64, _ y: Int64) {
        switch mark {
        case .survived, .again:
            append("<circle")
            attribute("cx", x)
            attribute("cy", y)
            append(" r=\"5\"/>")
        case .doubted:
            append("<path d=\"M")
            point(x, y - 6)
            append("l6 11h-12z\"/>")
        case .failed:
            append("<path d=\"M")
            point(x - 5, y - 5)
            append("l10 10m0 -10l-10 10\"/>")
        }
    }

    private mutating func point(_ x: Int64, _ y: Int64) {
        append(decimal: x)
        append(" ")
        append(decimal: y)
    }

    /// Text of an element (XML 1.0 §2.2 and §2.4). It has no control characters.
    mutating func append(xml text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\u{FFFE}", "\u{FFFF}": append("\u{FFFD}")
            default: for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
            }
        }
    }
}
