import Bytes
import SGP
import Store

/// The plot in 80 columns of text.
extension IntervalPlot {
    /// The characters of a plot; each fills one column.
    struct Glyphs {
        var survived, again, doubted, failed, line, cut, vertical, tick, corner, horizontal, foot: String

        static let unicode = Glyphs(
            survived: "●", again: "○", doubted: "△", failed: "✕", line: "─", cut: "┊", vertical: "│", tick: "┤",
            corner: "└", horizontal: "─", foot: "┴")
        static let ascii = Glyphs(
            survived: "o", again: "O", doubted: "?", failed: "x", line: "-", cut: ":", vertical: "|", tick: "+",
            corner: "+", horizontal: "-", foot: "+")

        func text(_ mark: Mark) -> String {
            switch mark {
            case .survived: survived
            case .again: again
            case .doubted: doubted
            case .failed: failed
            }
        }
    }

    /// One place of the plot; a later case covers an earlier one.
    private enum Cell: UInt8 {
        case blank, line, cut, survived, again, doubted, failed

        init(_ mark: Mark) {
            switch mark {
            case .survived: self = .survived
            case .again: self = .again
            case .doubted: self = .doubted
            case .failed: self = .failed
            }
        }

        func text(_ glyphs: Glyphs) -> String {
            switch self {
            case .blank: " "
            case .line: glyphs.line
            case .cut: glyphs.cut
            case .survived: glyphs.survived
            case .again: glyphs.again
            case .doubted: glyphs.doubted
            case .failed: glyphs.failed
            }
        }
    }

    private static let columns = 70
    private static let margin = 8

    /// The whole plot, lines of at most 80 columns.
    func text(_ glyphs: Glyphs) -> String {
        let perStep = max(15 / Int(value.count), 2)
        let rows = perStep * Int(value.count) + 1
        let cells = cells(rows: rows)
        var out = "\(title)\nseconds of silence\n"
        for row in (0..<rows).reversed() {
            let isMarked = row % perStep == 0
            let label = isMarked ? String(Int64(row / perStep) * value.step) : ""
            if row > 0 {
                out += Self.padded(label, Self.margin - 1) + (isMarked ? glyphs.tick : glyphs.vertical)
            } else {
                out += Self.padded(label, Self.margin - 1) + glyphs.corner
            }
            var line = ""
            for column in 0..<Self.columns {
                let cell = cells[row * Self.columns + column]
                line += row == 0 && cell == .blank ? glyphs.horizontal : cell.text(glyphs)
            }
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            out += line + "\n"
        }
        return out + timeLabels(glyphs) + legend(glyphs)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.utf8.count, 0)) + text
    }

    private func column(_ index: Int) -> Int { Int(time.step(index, of: Int64(Self.columns - 1))) }

    private func cells(rows: Int) -> [Cell] {
        var cells = [Cell](repeating: .blank, count: rows * Self.columns)
        func put(_ cell: Cell, _ row: Int, _ column: Int) {
            let place = row * Self.columns + column
            if cells[place].rawValue < cell.rawValue { cells[place] = cell }
        }
        func row(_ seconds: Int64) -> Int { Int((seconds * Int64(rows - 1) + value.top / 2) / value.top) }
        for (index, event) in events.enumerated() {
            for column in column(index)...column(index + 1) { put(.line, row(event.interval), column) }
            if let mark = Self.mark(event) { put(Cell(mark), row(event.idle), column(index)) }
        }
        for cut in time.cuts {
            let middle = (column(cut.index - 1) + column(cut.index)) / 2
            for row in 0..<rows { put(.cut, row, middle) }
        }
        return cells
    }

    /// The ends of the axis and, where there is room, what follows each cut.
    private func timeLabels(_ glyphs: Glyphs) -> String {
        var line = [UInt8](repeating: UInt8(ascii: " "), count: Self.margin + Self.columns)
        for index in labelled {
            let label = Array(Self.label(moment(index)).utf8)
            let start = min(Self.margin + column(index), line.count - label.count)
            let reach = max(start - 2, 0)..<min(start + label.count + 2, line.count)
            guard line[reach].allSatisfy({ $0 == UInt8(ascii: " ") }) else { continue }
            line.replaceSubrange(start..<start + label.count, with: label)
        }
        while line.last == UInt8(ascii: " ") { line.removeLast() }
        let caption = Self.padded("time, UTC", Self.margin + Self.columns / 2 + 4)
        return String(decoding: line, as: UTF8.self) + "\n" + caption + "\n"
    }

    private func legend(_ glyphs: Glyphs) -> String {
        var out = ""
        var column = 0
        func add(_ glyph: String, _ words: String) {
            let width = 2 + words.utf8.count
            if column > 0 {
                let fits = column + 3 + width <= 80
                out += fits ? "   " : "\n"
                column = fits ? column + 3 : 0
            }
            out += glyph + " " + words
            column += width
        }
        for mark in Mark.allCases where count(mark) > 0 { add(glyphs.text(mark), mark.words) }
        add(glyphs.line, "the interval: tried next")
        out += "\n"
        guard !time.cuts.isEmpty else { return out }
        var longest: Int64 = 0
        for cut in time.cuts { longest = max(longest, cut.seconds) }
        var span = ByteBuffer(capacity: 64)
        span.append(span: longest)
        return out + "\(glyphs.cut) quiet time drawn short, up to \(String(decoding: span.pointer, as: UTF8.self))\n"
    }
}
