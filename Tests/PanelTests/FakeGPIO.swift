import CBoard
import Foundation

@testable import Panel

/// Chips that exist only in memory. Handles are the addresses of what they stand for.
final class FakeGPIO: GPIODriver {
    final class Line {
        let name: UnsafeMutablePointer<CChar>?
        let consumerName: UnsafeMutablePointer<CChar>?
        var isBusy: Bool { consumerName != nil || isTaken }
        /// Somebody without a name has it.
        var isTaken = false
        /// What a voltmeter would show.
        var isHigh = false
        var activeLow = false
        var isRequested = false
        var requests: [String] = []
        var edges: [(value: Int32, time: Int64)] = []
        var failsToSet: Int32?
        var failsToRead: Int32?
        var refusesBias: Int32?
        var refusesRequest: Int32?

        init(_ name: String? = nil, consumer: String? = nil) {
            self.name = name.map { strdup($0) }
            consumerName = consumer.map { strdup($0) }
        }
    }

    final class Chip {
        let label: UnsafeMutablePointer<CChar>
        let lines: [Line]
        var error: Int32?
        var opened = 0

        init(_ label: String, _ lines: [Line], error: Int32? = nil) {
            self.label = strdup(label)
            self.lines = lines
            self.error = error
        }
    }

    /// By the number of the device.
    var chips: [Int: Chip] = [:]
    var now: Int64 = 0
    /// Files there may stand for the chips.
    var folder = "/dev"
    override var devices: String { folder }

    init(_ chips: [Chip] = []) {
        for (index, chip) in chips.enumerated() { self.chips[index] = chip }
    }

    private func chip(_ handle: OpaquePointer) -> Chip {
        Unmanaged.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    private func line(_ handle: OpaquePointer) -> Line {
        Unmanaged.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    private func failing(_ code: Int32) -> Bool {
        cb_set_errno(code)
        return false
    }

    override func openChip(_ path: UnsafePointer<CChar>) -> OpaquePointer? {
        let path = String(cString: path)
        let prefix = folder + "/gpiochip"
        guard path.hasPrefix(prefix), let chip = chips[Int(path.dropFirst(prefix.count)) ?? -1] else {
            cb_set_errno(ENOENT)
            return nil
        }
        if let error = chip.error {
            cb_set_errno(error)
            return nil
        }
        chip.opened += 1
        return OpaquePointer(Unmanaged.passUnretained(chip).toOpaque())
    }

    override func closeChip(_ chip: OpaquePointer) { self.chip(chip).opened -= 1 }
    override func label(of chip: OpaquePointer) -> UnsafePointer<CChar>? { UnsafePointer(self.chip(chip).label) }
    override func lineCount(of chip: OpaquePointer) -> UInt32 { UInt32(self.chip(chip).lines.count) }

    override func line(of chip: OpaquePointer, offset: UInt32) -> OpaquePointer? {
        OpaquePointer(Unmanaged.passUnretained(self.chip(chip).lines[Int(offset)]).toOpaque())
    }

    override func name(of line: OpaquePointer) -> UnsafePointer<CChar>? { UnsafePointer(self.line(line).name) }
    override func consumer(of line: OpaquePointer) -> UnsafePointer<CChar>? {
        UnsafePointer(self.line(line).consumerName)
    }

    override func requestOutput(_ handle: OpaquePointer, activeLow: Bool, isActive: Bool) -> Bool {
        let line = line(handle)
        guard !line.isBusy, !line.isRequested else { return failing(EBUSY) }
        if let error = line.refusesRequest { return failing(error) }
        line.isRequested = true
        line.activeLow = activeLow
        line.isHigh = isActive != activeLow
        line.requests.append("output")
        return true
    }

    override func requestEdges(_ handle: OpaquePointer, activeLow: Bool, bias: Bool) -> Bool {
        let line = line(handle)
        guard !line.isBusy, !line.isRequested else { return failing(EBUSY) }
        if bias, let error = line.refusesBias { return failing(error) }
        line.isRequested = true
        line.activeLow = activeLow
        line.requests.append(bias ? activeLow ? "pull-up" : "pull-down" : "no bias")
        return true
    }

    override func set(_ handle: OpaquePointer, isActive: Bool) -> Bool {
        let line = line(handle)
        if let error = line.failsToSet { return failing(error) }
        line.isHigh = isActive != line.activeLow
        return true
    }

    override func value(of handle: OpaquePointer) -> Int32 {
        let line = line(handle)
        return line.isHigh != line.activeLow ? 1 : 0
    }

    override func eventDescriptor(of line: OpaquePointer) -> Int32 { 77 }

    override func nextEdge(_ handle: OpaquePointer, age: inout Int64) -> Int32 {
        let line = line(handle)
        if let error = line.failsToRead {
            cb_set_errno(error)
            return -1
        }
        guard !line.edges.isEmpty else {
            cb_set_errno(EAGAIN)
            return -1
        }
        let edge = line.edges.removeFirst()
        age = now - edge.time
        return edge.value
    }

    override func release(_ line: OpaquePointer) { self.line(line).isRequested = false }
}
