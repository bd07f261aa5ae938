import Bytes
import Testing

@testable import Panel

@Suite struct PanelOutputTests {
    @Test(
        arguments: [
            ("led:ACT", .led(["ACT"])), ("led:ACT|led0", .led(["ACT", "led0"])),
            ("led: ACT | led0 ", .led(["ACT", "led0"])),
            ("led:beaglebone:green:usr0", .led(["beaglebone:green:usr0"])),
            ("gpio:GPIO17", .line(name: "GPIO17", activeLow: false)),
            ("gpio:!GPIO17", .line(name: "GPIO17", activeLow: true)),
            ("gpio:pinctrl-bcm2835:27", .offset(chip: "pinctrl-bcm2835", offset: 27, activeLow: false)),
            ("gpio:!a:b:0", .offset(chip: "a:b", offset: 0, activeLow: true)),
            ("term", .term), ("none", .none), ("file:/a b", .file("/a b")), ("file:x:y", .file("x:y")),
        ] as [(String, PanelOutput)])
    func understood(text: String, expected: PanelOutput) throws {
        let output = try PanelOutput(text, for: .message)
        #expect(output == expected)
    }

    @Test func pwmIsForTheBuzzer() throws {
        let output = try PanelOutput("pwm:pwmchip0:4294967295", for: .buzzer)
        #expect(output == .pwm(chip: "pwmchip0", channel: 4_294_967_295))
    }

    @Test(
        arguments: [
            ("", PanelRole.message, "`` is no output: expected led:, gpio:, pwm:, file:, term or none"),
            ("lamp:x", .message, "`lamp:x` is no output: expected led:, gpio:, pwm:, file:, term or none"),
            ("led", .message, "`led` needs a colon and a name"), ("file", .link, "`file` needs a colon and a name"),
            ("led:", .message, "the name of an LED is missing"), ("led:a||b", .link, "the name of an LED is missing"),
            ("led:../x", .message, "`../x` is no name of an LED"), ("led:..", .message, "`..` is no name of an LED"),
            ("led:a b", .message, "`a b` is no name of an LED"),
            ("led:a|b|c|d|e|f|g|h|i", .message, "more than 8 LED names"),
            ("gpio:", .message, "the name of a GPIO line is missing"),
            ("gpio:!", .message, "the name of a GPIO line is missing"),
            ("gpio:chip:", .message, "`gpio:chip:` needs a number after the chip's label"),
            ("gpio:chip:+1", .message, "`gpio:chip:+1` needs a number after the chip's label"),
            ("gpio:chip:4294967296", .message, "`gpio:chip:4294967296` needs a number after the chip's label"),
            ("gpio::1", .message, "the name of a GPIO chip is missing"),
            ("pwm:0", .buzzer, "`pwm:0` is not pwm:CHIP:CHANNEL"),
            ("pwm:0:x", .buzzer, "`pwm:0:x` is not pwm:CHIP:CHANNEL"),
            ("pwm:0:1", .message, "`pwm:0:1` is for the buzzer only"),
            ("term:1", .message, "`term` takes nothing after it"), ("none:", .link, "`none` takes nothing after it"),
            ("file:", .message, "`file:` needs a path"),
            ("term", .button, "`term` cannot be a button: expected gpio: or none"),
        ] as [(String, PanelRole, String)])
    func refused(text: String, role: PanelRole, message: String) {
        #expect(throws: PanelOutputError(message: message)) { try PanelOutput(text, for: role) }
    }

    @Test(arguments: [63, 64, 65]) func lengthOfNames(length: Int) {
        let text = "led:" + String(repeating: "a", count: length)
        let accepted = (try? PanelOutput(text, for: .link)) != nil
        #expect(accepted == (length <= 64))
    }

    @Test func conflicts() {
        #expect(PanelOutput.led(["a", "b"]).conflicts(with: .led(["c", "b"])))
        #expect(!PanelOutput.led(["a", "b"]).conflicts(with: .led(["c"])))
        #expect(PanelOutput.line(name: "x", activeLow: true).conflicts(with: .line(name: "x", activeLow: false)))
        #expect(!PanelOutput.term.conflicts(with: .term))
        #expect(!PanelOutput.file("/x").conflicts(with: .file("/x")))
    }
}
