import CBoard

/// What the panel asks of libgpiod, call by call, so that tests can put other chips in its place. What fails sets errno.
class GPIODriver {
    /// Who uses the line, as others see it.
    static let consumer = "skyglowd"

    /// Where chips are: gpiochip0 and so on.
    var devices: String { "/dev" }

    /// `path` is that of a character device.
    func openChip(_ path: UnsafePointer<CChar>) -> OpaquePointer? { gpiod_chip_open(path) }

    func closeChip(_ chip: OpaquePointer) { gpiod_chip_close(chip) }

    func label(of chip: OpaquePointer) -> UnsafePointer<CChar>? { gpiod_chip_label(chip) }

    func lineCount(of chip: OpaquePointer) -> UInt32 { gpiod_chip_num_lines(chip) }

    /// A line of an open chip, not yet requested.
    func line(of chip: OpaquePointer, offset: UInt32) -> OpaquePointer? { gpiod_chip_get_line(chip, offset) }

    func name(of line: OpaquePointer) -> UnsafePointer<CChar>? { gpiod_line_name(line) }

    /// Who uses the line; nil if nobody does, or somebody without a name.
    func consumer(of line: OpaquePointer) -> UnsafePointer<CChar>? { gpiod_line_consumer(line) }

    /// Requests an output that has its first state at once.
    func requestOutput(_ line: OpaquePointer, activeLow: Bool, isActive: Bool) -> Bool {
        let flags = activeLow ? Int32(GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW) : 0
        return Self.consumer.withCString { gpiod_line_request_output_flags(line, $0, flags, isActive ? 1 : 0) == 0 }
    }

    /// Requests the events of both edges. With `bias` the chip's own resistor holds the line inactive.
    func requestEdges(_ line: OpaquePointer, activeLow: Bool, bias: Bool) -> Bool {
        var flags = activeLow ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0
        if bias {
            flags |=
                activeLow
                ? GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP : GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN
        }
        return Self.consumer.withCString {
            gpiod_line_request_both_edges_events_flags(line, $0, Int32(flags)) == 0
        }
    }

    func set(_ line: OpaquePointer, isActive: Bool) -> Bool { gpiod_line_set_value(line, isActive ? 1 : 0) == 0 }

    /// 1 active, 0 inactive, −1 with errno.
    func value(of line: OpaquePointer) -> Int32 { gpiod_line_get_value(line) }

    /// Readable when there are edges; −1 for a line that has none.
    func eventDescriptor(of line: OpaquePointer) -> Int32 { gpiod_line_event_get_fd(line) }

    /// The next edge without waiting, and its age in milliseconds: 1 became active, 0 inactive, −1 with errno, which is
    /// EAGAIN if there is none.
    func nextEdge(_ line: OpaquePointer, age: inout Int64) -> Int32 {
        cb_gpiod_next_edge(gpiod_line_event_get_fd(line), &age)
    }

    func release(_ line: OpaquePointer) { gpiod_line_release(line) }
}
