import CBoard
import Foundation
import Testing

@testable import Panel

@Suite struct GPIODeviceTests {
    let lamp = FakeGPIO.Line("GPIO17")
    let gpio: FakeGPIO
    let chip: FakeGPIO.Chip
    let other = FakeGPIO.Chip("raspberrypi-exp-gpio", [FakeGPIO.Line("BT_ON"), FakeGPIO.Line()])

    init() {
        chip = FakeGPIO.Chip("pinctrl-bcm2835", [FakeGPIO.Line("ID_SDA"), lamp, FakeGPIO.Line("")])
        gpio = FakeGPIO([chip, other])
    }

    var system: PanelSystem {
        var system = PanelSystem()
        system.gpio = gpio
        return system
    }

    func panel(_ text: String, _ role: PanelRole = .message) throws -> Panel {
        var configuration = PanelConfiguration()
        configuration[role] = [try PanelOutput(text, for: role)]
        return Panel(configuration, system, now: 0)
    }

    @Test(arguments: ["gpio:GPIO17", "gpio:pinctrl-bcm2835:1"], [false, true])
    func byNameAndByLabelWhateverTheOrder(output: String, swapped: Bool) throws {
        gpio.chips = swapped ? [0: other, 3: chip] : [0: chip, 1: other]
        var panel = try panel(output)
        #expect(panel.problems == [])
        #expect(lamp.isRequested && !lamp.isHigh)
        panel.setLight(.message, .solid, now: 1, wall: 0)
        #expect(lamp.isHigh)
        #expect(panel.deadline == nil)
        panel.setLight(.message, .off, now: 2, wall: 0)
        #expect(!lamp.isHigh)
        #expect(other.opened == 0)
        #expect(chip.opened == 1)
        panel.shutdown(wall: 0)
        #expect(chip.opened == 0)
    }

    @Test(arguments: [LightPattern.slow, .fast, .double, .pulse])
    func patternsAreSwitchedByDeadline(pattern: LightPattern) throws {
        var panel = try panel("gpio:GPIO17")
        panel.setLight(.message, pattern, now: 1000, wall: 0)
        var time: Int64 = 1000
        for _ in 0..<20 {
            #expect(lamp.isHigh == pattern.moment(at: time - 1000).isOn)
            let next = panel.deadline ?? .max
            panel.tick(now: next - 1, wall: 0)
            #expect(lamp.isHigh == pattern.moment(at: time - 1000).isOn)
            panel.tick(now: next, wall: 0)
            time = next
        }
    }

    @Test func activeLow() throws {
        var panel = try panel("gpio:!GPIO17")
        #expect(lamp.isHigh)
        panel.setLight(.message, .solid, now: 1, wall: 0)
        #expect(!lamp.isHigh)
        panel.shutdown(wall: 0)
        #expect(lamp.isHigh)
        #expect(!lamp.isRequested)
    }

    @Test func putOutBeforeItIsGivenBack() throws {
        var panel = try panel("gpio:GPIO17")
        panel.setLight(.message, .solid, now: 1, wall: 0)
        panel.shutdown(wall: 0)
        #expect(!lamp.isHigh)
        #expect(!lamp.isRequested)
        #expect(panel.deadline == nil)
    }

    @Test func aBusyLineNamesItsHolderAndIsTriedAgain() throws {
        gpio.chips = [0: FakeGPIO.Chip("a", [FakeGPIO.Line("GPIO17", consumer: "led0")])]
        var panel = try panel("gpio:GPIO17")
        #expect(panel.problems == ["message gpio:GPIO17: the line is in use by `led0` on /dev/gpiochip0"])
        panel.setLight(.message, .solid, now: 1, wall: 0)
        #expect(panel.deadline == 10_000)
        let changes = panel.problemChanges
        panel.tick(now: 10_000, wall: 0)
        #expect(panel.problemChanges == changes)
        #expect(panel.deadline == 20_000)
        gpio.chips = [0: chip]
        panel.tick(now: 20_000, wall: 0)
        #expect(panel.problems == [])
        #expect(lamp.isHigh)
        #expect(panel.deadline == nil)
    }

    @Test func busyWithoutAName() throws {
        lamp.isTaken = true
        let panel = try panel("gpio:GPIO17")
        #expect(
            panel.problems == ["message gpio:GPIO17: the line is in use by somebody without a name on /dev/gpiochip0"])
        #expect(chip.opened == 0)
    }

    @Test(arguments: [
        ("gpio:GPIO18", "no GPIO line is called GPIO18"), ("gpio:gpio17", "no GPIO line is called gpio17"),
        ("gpio:GPIO1", "no GPIO line is called GPIO1"), ("gpio:GPIO177", "no GPIO line is called GPIO177"),
        ("gpio:gpiochip0:1", "no GPIO chip has the label gpiochip0"),
        ("gpio:pinctrl-bcm2835:3", "pinctrl-bcm2835 has only 3 lines"),
        ("gpio:pinctrl-bcm2835:4294967295", "pinctrl-bcm2835 has only 3 lines"),
    ])
    func whatIsNotThere(output: String, problem: String) throws {
        let panel = try panel(output)
        #expect(panel.problems == ["message \(output): \(problem)"])
        #expect(panel.deadline == 10_000)
        #expect(chip.opened == 0 && other.opened == 0)
    }

    @Test func noChipsAtAll() throws {
        gpio.chips = [:]
        let panel = try panel("gpio:GPIO17")
        #expect(panel.problems == ["message gpio:GPIO17: there is no GPIO chip in /dev"])
    }

    /// The line could be on the chip that nobody may look at; one that is found elsewhere is used.
    @Test func aForbiddenChip() throws {
        gpio.chips = [2: FakeGPIO.Chip("x", [], error: EACCES), 5: chip]
        let found = try panel("gpio:GPIO17")
        #expect(found.problems == [])
        let missing = try panel("gpio:GPIO99")
        #expect(missing.problems == ["message gpio:GPIO99: cannot open /dev/gpiochip2: Permission denied"])
    }

    /// Who has to be let in is told: the file, whose it is, and the group that may use it. A group without a name, and
    /// reasons other than access.
    @Test(
        .enabled(if: geteuid() == 0, "only root can give a file to somebody"),
        arguments: [
            (EACCES, "nogroup", mode_t(0o640), "Permission denied (owner root:nogroup, mode 0640)"),
            (EACCES, "root", 0o600, "Permission denied (owner root:root, mode 0600)"),
            (EPERM, "54321", 0o660, "Operation not permitted (owner root:54321, mode 0660)"),
            (ENODEV, "nogroup", 0o640, "No such device"),
        ])
    func aForbiddenChipNamesOwnerGroupAndMode(error: Int32, group: String, mode: mode_t, text: String) throws {
        let folder = Folder()
        gpio.folder = folder.path
        gpio.chips = [2: FakeGPIO.Chip("x", [], error: error)]
        folder.write("gpiochip2", "")
        let file = folder.path + "/gpiochip2"
        let number = try getgrnam(group)?.pointee.gr_gid ?? #require(gid_t(group))
        try #require(chown(file, 0, number) == 0 && chmod(file, mode) == 0)
        for (output, role) in [("gpio:GPIO17", PanelRole.message), ("gpio:x:3", .link), ("gpio:GPIO17", .button)] {
            let panel = try panel(output, role)
            #expect(panel.problems == ["\(role.name) \(output): cannot open \(file): \(text)"])
        }
    }

    /// The chip can be looked at, and its line not be had.
    @Test func aLineThatIsRefusedNamesTheChipsOwner() throws {
        let folder = Folder()
        gpio.folder = folder.path
        folder.write("gpiochip0", "")
        let file = folder.path + "/gpiochip0"
        try #require(chown(file, geteuid(), getegid()) == 0 && chmod(file, 0o440) == 0)
        lamp.refusesRequest = EPERM
        let panel = try panel("gpio:GPIO17")
        let problem = try #require(panel.problems.first)
        #expect(
            problem.hasPrefix(
                "message gpio:GPIO17: cannot use the line on \(file): Operation not permitted (owner "))
        #expect(problem.hasSuffix(", mode 0440)"))
        #expect(chip.opened == 0)
    }

    @Test func noChipsElsewhere() throws {
        gpio.folder = "/none"
        gpio.chips = [:]
        let panel = try panel("gpio:GPIO17")
        #expect(panel.problems == ["message gpio:GPIO17: there is no GPIO chip in /none"])
    }

    /// A chip on USB that was pulled out.
    @Test func aLineThatFailsIsOpenedAgain() throws {
        var panel = try panel("gpio:GPIO17")
        lamp.failsToSet = ENODEV
        panel.setLight(.message, .solid, now: 5, wall: 0)
        #expect(panel.problems == ["message gpio:GPIO17: cannot set the line on /dev/gpiochip0: No such device"])
        #expect(!lamp.isRequested)
        #expect(chip.opened == 0)
        lamp.failsToSet = nil
        #expect(panel.deadline == 10_005)
        panel.tick(now: 10_005, wall: 0)
        #expect(panel.problems == [])
        #expect(lamp.isHigh)
    }

    @Test func beeps() throws {
        var panel = try panel("gpio:GPIO17", .buzzer)
        panel.beep(3, now: 1000, wall: 0)
        var changes: [String] = ["\(lamp.isHigh) 1000"]
        while let deadline = panel.deadline {
            panel.tick(now: deadline, wall: 0)
            changes.append("\(lamp.isHigh) \(deadline)")
        }
        #expect(
            changes == ["true 1000", "false 1120", "true 1250", "false 1370", "true 1500", "false 1620"])
    }

    @Test func testAndBack() throws {
        var panel = try panel("gpio:GPIO17")
        panel.setLight(.message, .solid, now: 0, wall: 0)
        let first = panel.beginTest(0, now: 100, wall: 0)
        #expect(first?.label == "gpio:GPIO17")
        #expect(panel.deadline == 225)
        let second = panel.beginTest(1, now: 2100, wall: 0)
        #expect(second == nil)
        #expect(!lamp.isHigh)
        panel.endTest(now: 2100, wall: 0)
        #expect(lamp.isHigh)
    }

    // MARK: panel off

    func putOut(_ text: String) throws -> [String] {
        var configuration = PanelConfiguration()
        configuration.message = [try PanelOutput(text, for: .message)]
        var problems: [String] = []
        Panel.putOut(configuration, system, now: 0, wall: 0) { _, _, text in
            text.withUnsafeBytes { problems.append(String(decoding: $0, as: UTF8.self)) }
        }
        return problems
    }

    @Test func whatADeadGatewayLeftOnIsPutOut() throws {
        lamp.isHigh = true
        #expect(try putOut("gpio:GPIO17") == [])
        #expect(!lamp.isHigh)
        #expect(!lamp.isRequested)
        #expect(chip.opened == 0)
        #expect(try putOut("gpio:!GPIO17") == [])
        #expect(lamp.isHigh)
        lamp.isTaken = true
        #expect(try putOut("gpio:GPIO17") == ["the line is in use by somebody without a name on /dev/gpiochip0"])
    }
}

@Suite struct ButtonDeviceTests {
    let key = FakeGPIO.Line("GPIO23")
    let gpio: FakeGPIO

    init() { gpio = FakeGPIO([FakeGPIO.Chip("chip", [key])]) }

    func panel(_ text: String = "gpio:GPIO23") throws -> Panel {
        var configuration = PanelConfiguration()
        configuration.button = [try PanelOutput(text, for: .button)]
        var system = PanelSystem()
        system.gpio = gpio
        return Panel(configuration, system, now: 0)
    }

    /// Moves the line; `isActive` is what the kernel says of it.
    func edge(_ isActive: Bool, at time: Int64) {
        key.isHigh = isActive != key.activeLow
        key.edges.append((isActive ? 1 : 0, time))
    }

    func press(_ panel: inout Panel, now: Int64) -> ButtonPress? {
        gpio.now = now
        return panel.nextPress(now: now)
    }

    func descriptors(_ panel: borrowing Panel) -> [Int32] {
        var descriptors: [Int32] = []
        panel.forEachDescriptor { descriptors.append($0) }
        return descriptors
    }

    /// The chip's resistor holds the line where it is when nobody presses.
    @Test(arguments: [("gpio:GPIO23", "pull-down"), ("gpio:!GPIO23", "pull-up")])
    func bias(output: String, expected: String) throws {
        _ = try panel(output)
        #expect(key.requests == [expected])
    }

    @Test(arguments: [EINVAL, ENOTSUP]) func withoutBias(error: Int32) throws {
        key.refusesBias = error
        let panel = try panel()
        #expect(panel.problems == [])
        #expect(key.requests == ["no bias"])
    }

    @Test(arguments: ["gpio:GPIO23", "gpio:!GPIO23"]) func aPress(output: String) throws {
        key.isHigh = output.contains("!")
        var panel = try panel(output)
        let polled16 = descriptors(panel)
        #expect(polled16 == [77])
        let told1 = press(&panel, now: 10)
        #expect(told1 == nil)
        edge(true, at: 100)
        let told2 = press(&panel, now: 101)
        #expect(told2 == nil)
        #expect(panel.deadline == 120)
        let told3 = press(&panel, now: 120)
        #expect(told3 == nil)
        #expect(panel.deadline == 2100)
        edge(false, at: 250)
        let told4 = press(&panel, now: 250)
        #expect(told4 == nil)
        let told5 = press(&panel, now: 270)
        #expect(told5 == .short)
        let told6 = press(&panel, now: 271)
        #expect(told6 == nil)
        #expect(panel.deadline == nil)
    }

    @Test func aHoldTimeOfFiveSeconds() throws {
        var configuration = PanelConfiguration()
        configuration.button = [try PanelOutput("gpio:GPIO23", for: .button)]
        configuration.holdTime = 5000
        var system = PanelSystem()
        system.gpio = gpio
        var panel = Panel(configuration, system, now: 0)
        edge(true, at: 100)
        for now in [120, 2100, 5099] as [Int64] {
            let told = press(&panel, now: now)
            #expect(told == nil)
        }
        #expect(panel.deadline == 5100)
        let told = press(&panel, now: 5100)
        #expect(told == .long)
    }

    @Test func severalPressesInOneTurn() throws {
        var panel = try panel()
        edge(true, at: 100)
        edge(false, at: 200)
        edge(true, at: 1000)
        edge(false, at: 3500)
        let told7 = press(&panel, now: 5000)
        #expect(told7 == .short)
        let told8 = press(&panel, now: 5000)
        #expect(told8 == .long)
        let told9 = press(&panel, now: 5000)
        #expect(told9 == nil)
    }

    /// The kernel keeps 16 edges: when it dropped the last, the level still tells.
    @Test func lostEdges() throws {
        var panel = try panel()
        edge(true, at: 100)
        key.isHigh = false
        let told10 = press(&panel, now: 400)
        #expect(told10 == nil)
        let told11 = press(&panel, now: 420)
        #expect(told11 == .short)
    }

    /// The wall clock as the kernel's stamp: neither 50 years ago nor in the future.
    @Test(arguments: [-1_700_000_000_000, 1_700_000_000_000] as [Int64])
    func stampsOfAnotherClock(time: Int64) throws {
        var panel = try panel()
        edge(true, at: time)
        let told12 = press(&panel, now: 1000)
        #expect(told12 == nil)
        #expect(panel.deadline == 1020)
    }

    @Test func noiseDoesNotHoldTheLoop() throws {
        var panel = try panel()
        for index in 0..<1000 { edge(index % 2 == 0, at: 0) }
        let told13 = press(&panel, now: 0)
        #expect(told13 == nil)
        #expect(key.edges.count == 1000 - 64)
    }

    @Test func aBusyOrMissingButtonIsTriedAgain() throws {
        key.isTaken = true
        var panel = try panel()
        #expect(
            panel.problems == ["button gpio:GPIO23: the line is in use by somebody without a name on /dev/gpiochip0"])
        let polled17 = descriptors(panel)
        #expect(polled17 == [])
        let told14 = press(&panel, now: 5)
        #expect(told14 == nil)
        #expect(panel.deadline == 10_000)
        key.isTaken = false
        panel.tick(now: 10_000, wall: 0)
        #expect(panel.problems == [])
        let polled18 = descriptors(panel)
        #expect(polled18 == [77])
        #expect(panel.deadline == nil)
    }

    @Test func aButtonThatFailsIsNoLongerPolled() throws {
        var panel = try panel()
        key.failsToRead = ENODEV
        let told15 = press(&panel, now: 5)
        #expect(told15 == nil)
        #expect(panel.problems == ["button gpio:GPIO23: cannot read the line on /dev/gpiochip0: No such device"])
        let polled19 = descriptors(panel)
        #expect(polled19 == [])
        #expect(panel.deadline == 10_005)
    }

    @Test func aButtonHasNoTurnInTheTest() throws {
        var panel = try panel()
        let step = panel.beginTest(0, now: 0, wall: 0)
        #expect(step == nil)
        panel.shutdown(wall: 0)
        #expect(!key.isRequested)
    }
}
