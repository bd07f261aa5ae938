import Bytes
import CBoard

/// What an LED showed before the gateway took it.
struct FoundLight {
    /// The name below /sys/class/leds.
    var name = Blob<64>()
    var brightness = Blob<16>()
    /// Empty where the LED has none, or where it could not be read.
    var trigger = Blob<64>()
    /// An output of this process answers for it.
    var isInUse = false
}

/// What the LEDs showed before the gateway took them, in a file of the runtime directory, so that one that was killed does
/// not make the next one, or `panel off`, take its blinking for a person's wish. An LED that was given back, or never
/// taken, is not in it.
///
/// The file is written before the LED is first touched, and is of the boot that it names alone. Reserved once: an LED may
/// turn up late.
public final class FoundLights {
    // Generic arguments are literals; a test compares them with Limits.foundLights and Limits.deviceName.
    private var lights = InlineArray<16, FoundLight>(repeating: FoundLight())
    private(set) var count = 0
    private let file: FoundLightsFile?
    private var text = ByteBuffer(capacity: Limits.foundLightsFile)
    /// There is a file of this boot: an LED that is not in it is as it was found.
    private(set) var isComplete = false
    /// The error number of the last attempt to write the file; 0 after a success.
    public private(set) var failure: Int32 = 0

    /// Kept by this object alone.
    init() { file = nil }

    /// Takes up what a gateway of the same boot has left in `directory`.
    /// - Parameter boot: what tells this boot from every other; where it is empty, nothing outlives the process.
    public init(directory: String, boot: Blob<36>) {
        file = boot.isEmpty ? nil : FoundLightsFile(directory: directory, boot: boot)
        read()
    }

    /// The path of the file, for people; empty without one. Allocates.
    public var path: String { file?.text ?? "" }

    subscript(index: Int) -> FoundLight { lights[index] }

    func index(of name: Blob<64>) -> Int? {
        for index in 0..<count where lights[index].name == name { return index }
        return nil
    }

    /// Writes down what was found; what was known of the same LED is replaced.
    func keep(_ light: FoundLight) {
        if let index = index(of: light.name) {
            let old = lights[index]
            lights[index] = light
            if old.brightness == light.brightness, old.trigger == light.trigger { return }
        } else {
            guard count < lights.count else { return failure = ENOSPC }
            lights[count] = light
            count += 1
        }
        write()
    }

    /// The LED was given back, or is gone.
    func forget(_ name: Blob<64>) {
        guard let index = index(of: name) else { return }
        count -= 1
        lights[index] = lights[count]
        write()
    }

    /// One output answers for this LED.
    func claim(_ name: Blob<64>) {
        if let index = index(of: name) { lights[index].isInUse = true }
    }

    /// Before a panel takes the first LED: none is in use, and those that could not be given back are for it to try.
    func begin() {
        for index in 0..<count { lights[index].isInUse = false }
        if !isComplete { write() }
    }

    // MARK: The file

    /// A line of its own for each LED: name, brightness and, unless it is not known, trigger.
    private func write() {
        guard let file else { return }
        text.removeAll()
        file.appendHead(to: &text)
        for index in 0..<count {
            text.append(lights[index].name.bytes)
            text.append(UInt8(ascii: " "))
            text.append(lights[index].brightness.bytes)
            if !lights[index].trigger.isEmpty {
                text.append(UInt8(ascii: " "))
                text.append(lights[index].trigger.bytes)
            }
            text.append(UInt8(ascii: "\n"))
        }
        failure = file.replace(with: text.pointer)
        if failure == 0 { isComplete = true }
    }

    /// Nothing of a file is believed that is not wholly as `write` leaves it.
    private func read() {
        guard let file, file.read(into: &text) else { return }
        let pointer = text.pointer
        let bytes = pointer.bytes
        var start = 0
        for end in 0..<bytes.byteCount where bytes[end] == UInt8(ascii: "\n") {
            guard count < lights.count, let light = FoundLight(line: bytes.extracting(start..<end)),
                index(of: light.name) == nil
            else { return count = 0 }
            lights[count] = light
            count += 1
            start = end + 1
        }
        isComplete = start == bytes.byteCount
        if !isComplete { count = 0 }
    }
}

extension FoundLight {
    /// Nil for what no gateway writes. The name becomes a part of a path that root may follow.
    fileprivate init?(line: RawSpan) {
        var start = 0
        var words = 0
        for end in 0...line.byteCount {
            guard end == line.byteCount || line[end] == UInt8(ascii: " ") else {
                if line[end] < 0x20 || line[end] == 0x7F { return nil }
                continue
            }
            let word = line.extracting(start..<end)
            guard !word.isEmpty, take(word, at: words) else { return nil }
            start = end + 1
            words += 1
        }
        guard words >= 2 else { return nil }
    }

    private mutating func take(_ word: RawSpan, at index: Int) -> Bool {
        switch index {
        case 0:
            guard let name = Blob<64>(word), !word.equals("."), !word.equals("..") else { return false }
            for index in 0..<word.byteCount where word[index] == UInt8(ascii: "/") { return false }
            self.name = name
        case 1:
            guard let brightness = Blob<16>(word) else { return false }
            for index in 0..<word.byteCount where word[index] &- UInt8(ascii: "0") > 9 { return false }
            self.brightness = brightness
        case 2:
            guard let trigger = Blob<64>(word) else { return false }
            self.trigger = trigger
        default: return false
        }
        return true
    }
}
