import Bytes
import CBoard

/// One line of a GPIO chip, found anew at each `open`: by its name, or by its chip's label and its offset. Chips are
/// searched in the order of their numbers, which decide nothing else, because they differ from board to board and from
/// boot to boot.
final class GPIOLine {
    enum Use {
        case output(isActive: Bool)
        /// An input with the events of both edges.
        case edges
    }

    private let driver: GPIODriver
    /// The line's name, or the label of its chip.
    private let name: Blob<64>
    private let offset: UInt32?
    private let activeLow: Bool
    private var path: ByteBuffer
    private var chip: OpaquePointer?
    private var line: OpaquePointer?
    private var isRequested = false

    /// What a search came across, to say why it failed.
    private struct Search {
        var chips = 0
        var refused: (index: Int, errno: Int32)?
        /// The number of lines of the chip with the label, which has too few.
        var lines: UInt32?
    }

    /// `offset` is nil where `name` is the line's.
    init(_ driver: GPIODriver, name: String, offset: UInt32?, activeLow: Bool) {
        self.driver = driver
        path = ByteBuffer(capacity: driver.devices.utf8.count + 32)
        // A longer name, which the configuration refuses, is found nowhere.
        self.name = Blob(name) ?? Blob()
        self.offset = offset
        self.activeLow = activeLow
    }

    deinit { close() }

    var isOpen: Bool { isRequested }

    /// For `poll`; −1 unless open for edges.
    var descriptor: Int32 {
        guard isRequested, let line else { return -1 }
        return driver.eventDescriptor(of: line)
    }

    /// Finds and requests the line. What goes wrong becomes the problem of `device`.
    func open(_ use: Use, for device: Device) -> Bool {
        close()
        var search = Search()
        for index in 0..<Limits.chips {
            setPath(index)
            guard let chip = openChip() else {
                let errno = cb_errno()
                if errno != ENOENT, search.refused == nil { search.refused = (index, errno) }
                continue
            }
            search.chips += 1
            if let line = find(in: chip, &search) {
                self.chip = chip
                self.line = line
                return request(line, use, for: device)
            }
            driver.closeChip(chip)
        }
        reportMissing(search, device)
        return false
    }

    /// Whether the line took the state; errno says why not.
    func set(isActive: Bool) -> Bool {
        guard isRequested, let line else {
            cb_set_errno(ENODEV)
            return false
        }
        return driver.set(line, isActive: isActive)
    }

    /// 1 active, 0 inactive, −1 with errno.
    var value: Int32 {
        guard isRequested, let line else {
            cb_set_errno(ENODEV)
            return -1
        }
        return driver.value(of: line)
    }

    /// See `GPIODriver.nextEdge`.
    func nextEdge(age: inout Int64) -> Int32 {
        guard isRequested, let line else {
            cb_set_errno(ENODEV)
            return -1
        }
        return driver.nextEdge(line, age: &age)
    }

    /// Gives the line back; its level stays as it is until somebody else sets it.
    func close() {
        if isRequested, let line { driver.release(line) }
        if let chip { driver.closeChip(chip) }
        isRequested = false
        line = nil
        chip = nil
    }

    /// Makes errno of a failed call on the open line the problem of `device`.
    func report(_ what: String, _ errno: Int32, _ device: Device) { device.report(what, path: path.pointer, errno) }

    // MARK: Searching

    private func setPath(_ index: Int) {
        path.removeAll()
        path.append(driver.devices)
        path.append("/gpiochip")
        path.append(decimal: index)
        path.append(UInt8(0))
    }

    private func openChip() -> OpaquePointer? {
        guard let start = path.pointer.baseAddress else { return nil }
        return driver.openChip(start.assumingMemoryBound(to: CChar.self))
    }

    private func find(in chip: OpaquePointer, _ search: inout Search) -> OpaquePointer? {
        let count = driver.lineCount(of: chip)
        if let offset {
            guard name.equals(cString: driver.label(of: chip)) else { return nil }
            guard offset < count else {
                search.lines = count
                return nil
            }
            return driver.line(of: chip, offset: offset)
        }
        for offset in 0..<count {
            guard let line = driver.line(of: chip, offset: offset) else { continue }
            if name.equals(cString: driver.name(of: line)) { return line }
        }
        return nil
    }

    private func request(_ line: OpaquePointer, _ use: Use, for device: Device) -> Bool {
        isRequested =
            switch use {
            case .output(let isActive): driver.requestOutput(line, activeLow: activeLow, isActive: isActive)
            case .edges: requestEdges(line)
            }
        if isRequested {
            device.clearProblem()
            return true
        }
        let errno = cb_errno()
        if errno == EBUSY { reportBusy(line, device) } else { report("cannot use the line on ", errno, device) }
        close()
        return false
    }

    /// Kernels before 5.5 and some chips know no resistors; the button then has one of its own.
    private func requestEdges(_ line: OpaquePointer) -> Bool {
        if driver.requestEdges(line, activeLow: activeLow, bias: true) { return true }
        let errno = cb_errno()
        guard errno == EINVAL || errno == ENOTSUP || errno == ENXIO else { return false }
        return driver.requestEdges(line, activeLow: activeLow, bias: false)
    }

    // MARK: Problems

    private func reportBusy(_ line: OpaquePointer, _ device: Device) {
        device.setProblem {
            $0.append("the line is in use by ")
            if let consumer = driver.consumer(of: line), consumer.pointee != 0 {
                $0.append(UInt8(ascii: "`"))
                $0.append(cString: consumer)
                $0.append(UInt8(ascii: "`"))
            } else {
                $0.append("somebody without a name")
            }
            $0.append(" on ")
            $0.append(UnsafeRawBufferPointer(rebasing: path.pointer.dropLast()))
        }
    }

    private func reportMissing(_ search: Search, _ device: Device) {
        if let lines = search.lines {
            return device.setProblem {
                $0.append(name.bytes)
                $0.append(" has only ")
                $0.append(decimal: lines)
                $0.append(" lines")
            }
        }
        // The line may be on the chip that could not be looked at.
        if let refused = search.refused {
            setPath(refused.index)
            return report("cannot open ", refused.errno, device)
        }
        device.setProblem {
            if search.chips == 0 {
                $0.append("there is no GPIO chip in ")
                return $0.append(driver.devices)
            }
            $0.append(offset == nil ? "no GPIO line is called " : "no GPIO chip has the label ")
            $0.append(name.bytes)
        }
    }
}

extension Blob {
    /// Whether a C string has just these bytes.
    func equals(cString text: UnsafePointer<CChar>?) -> Bool {
        guard let text, !isEmpty else { return false }
        for index in 0..<count where UInt8(bitPattern: text[index]) != self[index] { return false }
        return text[count] == 0
    }
}
