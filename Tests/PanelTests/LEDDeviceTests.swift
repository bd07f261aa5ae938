import Foundation
import Testing

@testable import Panel

@Suite struct LEDDeviceTests {
    let folder = Folder()

    func panel(_ names: [String], buzzer: Bool = false) -> Panel {
        let outputs = [PanelOutput.led(names)]
        return Panel(
            buzzer ? configuration(buzzer: outputs) : configuration(message: outputs), system(leds: folder.path), now: 0
        )
    }

    @Test func solidAndOffAndTheWayBack() {
        folder.makeLED("ACT")
        var panel = panel(["ACT"])
        #expect(panel.problems == [])
        #expect(folder.read("ACT/trigger") == "none")
        panel.setLight(.message, .solid, now: 10, wall: 0)
        #expect(folder.read("ACT/brightness") == "15")
        #expect(panel.deadline == nil)
        panel.setLight(.message, .off, now: 20, wall: 0)
        #expect(folder.read("ACT/brightness") == "0")
        panel.shutdown(wall: 0)
        #expect(folder.read("ACT/trigger") == "mmc0")
        #expect(folder.read("ACT/brightness") == "7")
    }

    @Test func withoutATriggerInForceTheBrightnessComesBack() {
        folder.makeLED("ACT", trigger: "[none] timer\n")
        var panel = panel(["ACT"])
        panel.setLight(.message, .fast, now: 0, wall: 0)
        #expect(folder.read("ACT/trigger") == "timer")
        panel.shutdown(wall: 0)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(folder.read("ACT/brightness") == "7")
    }

    @Test(arguments: [(LightPattern.slow, "1000"), (.fast, "125")])
    func plainBlinksAreTheKernels(pattern: LightPattern, delay: String) {
        folder.makeLED("ACT")
        var panel = panel(["ACT"])
        panel.setLight(.message, pattern, now: 0, wall: 0)
        #expect(folder.read("ACT/trigger") == "timer")
        #expect(folder.read("ACT/delay_on") == delay)
        #expect(folder.read("ACT/delay_off") == delay)
        #expect(panel.deadline == nil)
        panel.setLight(.message, .solid, now: 5, wall: 0)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(folder.read("ACT/brightness") == "15")
    }

    @Test(arguments: ["none [mmc0] heartbeat\n", "[none]\n", "", "[none] timers nontimer\n"])
    func withoutTheTimerTheLoopBlinks(trigger: String) {
        folder.makeLED("ACT", trigger: trigger)
        var panel = panel(["ACT"])
        panel.setLight(.message, .slow, now: 50, wall: 0)
        #expect(folder.read("ACT/brightness") == "15")
        #expect(panel.deadline == 1050)
        panel.tick(now: 1049, wall: 0)
        #expect(folder.read("ACT/brightness") == "15")
        panel.tick(now: 1050, wall: 0)
        #expect(folder.read("ACT/brightness") == "0")
        #expect(panel.deadline == 2050)
        // A loop that comes late catches up without blinking through what it missed.
        panel.tick(now: 12_060, wall: 0)
        #expect(folder.read("ACT/brightness") == "15")
        #expect(panel.deadline == 13_050)
    }

    @Test func aTimerThatMakesNoDelaysIsNotUsed() {
        folder.makeLED("ACT", delays: false)
        var panel = panel(["ACT"])
        panel.setLight(.message, .fast, now: 0, wall: 0)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(folder.read("ACT/brightness") == "15")
        #expect(panel.deadline == 125)
        #expect(panel.problems == [])
    }

    @Test func doubleIsSwitchedThoughThereIsATimer() {
        folder.makeLED("ACT")
        var panel = panel(["ACT"])
        panel.setLight(.message, .double, now: 0, wall: 0)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(panel.deadline == 100)
    }

    @Test func noTriggerFileAtAll() {
        folder.makeLED("ACT", trigger: nil)
        var panel = panel(["ACT"])
        #expect(panel.problems == [])
        panel.setLight(.message, .solid, now: 0, wall: 0)
        #expect(folder.read("ACT/brightness") == "15")
        panel.shutdown(wall: 0)
        #expect(folder.read("ACT/brightness") == "7")
    }

    @Test func theFirstExistingNameWins() {
        folder.makeLED("led0")
        folder.makeLED("led1")
        var panel = panel(["ACT", "led0", "led1"])
        panel.setLight(.message, .solid, now: 0, wall: 0)
        #expect(folder.read("led0/brightness") == "15")
        #expect(folder.read("led1/brightness") == "7\n")
    }

    @Test func aMissingLightIsAProblemUntilItComes() {
        var panel = panel(["ACT", "led0"])
        #expect(panel.problems == ["message led:ACT|led0: no LED ACT or led0 in \(folder.path)"])
        let changes = panel.problemChanges
        panel.setLight(.message, .solid, now: 5, wall: 0)
        #expect(panel.deadline == 10_000)
        panel.tick(now: 10_000, wall: 0)
        #expect(panel.problemCount == 1)
        #expect(panel.problemChanges == changes)
        #expect(panel.deadline == 20_000)
        folder.makeLED("led0")
        panel.tick(now: 20_000, wall: 0)
        #expect(panel.problems == [])
        #expect(panel.problemChanges != changes)
        #expect(folder.read("led0/brightness") == "15")
        #expect(panel.deadline == nil)
    }

    /// A folder in place of the file is refused to root as well.
    @Test func aForbiddenLightNamesItsFile() {
        folder.make("ACT/brightness")
        folder.makeLED("led0")
        let panel = panel(["ACT", "led0"])
        #expect(panel.problems == ["message led:ACT|led0: cannot open \(folder.path)/ACT/brightness: Is a directory"])
        #expect(folder.read("led0/brightness") == "7\n")
    }

    @Test func accessDeniedNamesTheOwner() throws {
        folder.makeLED("ACT")
        chmod(folder.path + "/ACT/brightness", 0)
        try #require(chown(folder.path + "/ACT/brightness", geteuid(), getegid()) == 0)
        let owner = geteuid() == 0 ? "root:root" : nil
        let problems = try asNobody {
            let panel = panel(["ACT"])
            return panel.problems
        }
        let text = "message led:ACT: cannot open \(folder.path)/ACT/brightness: Permission denied (owner "
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(text) == true)
        #expect(problems.first?.hasSuffix(", mode 0000)") == true)
        if let owner { #expect(problems.first?.contains("(owner \(owner), ") == true) }
    }

    /// Who has to be let in is the group: it is told apart from the owner, and each digit of the mode from the others.
    @Test(.enabled(if: geteuid() == 0, "only root can give a file to somebody"))
    func accessDeniedNamesOwnerGroupAndMode() throws {
        folder.makeLED("ACT")
        let file = folder.path + "/ACT/brightness"
        let nogroup = try #require(getgrnam("nogroup")).pointee.gr_gid
        try #require(chown(file, 0, nogroup) == 0 && chmod(file, 0o640) == 0)
        let problems = try asNobody {
            let panel = panel(["ACT"])
            return panel.problems
        }
        #expect(
            problems == [
                "message led:ACT: cannot open \(file): Permission denied (owner root:nogroup, mode 0640)"
            ])
    }

    @Test func aForbiddenTriggerLeavesTheBrightness() {
        folder.makeLED("ACT", trigger: nil)
        folder.make("ACT/trigger")
        var panel = panel(["ACT"])
        #expect(panel.problems == ["message led:ACT: cannot open \(folder.path)/ACT/trigger: Is a directory"])
        panel.setLight(.message, .solid, now: 0, wall: 0)
        #expect(folder.read("ACT/brightness") == "15")
    }

    @Test(arguments: ["", "x", "\n"]) func aBrightnessThatIsNoNumber(text: String) {
        folder.makeLED("ACT")
        folder.write("ACT/brightness", text)
        let panel = panel(["ACT"])
        #expect(panel.problems == ["message led:ACT: cannot read \(folder.path)/ACT/brightness: Invalid argument"])
    }

    @Test func withoutAMaximumFullIs255() {
        folder.makeLED("ACT")
        folder.remove("ACT/max_brightness")
        var panel = panel(["ACT"])
        panel.setLight(.message, .solid, now: 0, wall: 0)
        #expect(folder.read("ACT/brightness") == "255")
    }

    @Test func beepsOnALight() {
        folder.makeLED("BUZZ")
        var panel = panel(["BUZZ"], buzzer: true)
        panel.beep(2, now: 1000, wall: 0)
        var states: [String?] = []
        while let deadline = panel.deadline {
            states.append(folder.read("BUZZ/brightness"))
            panel.tick(now: deadline, wall: 0)
        }
        states.append(folder.read("BUZZ/brightness"))
        #expect(states == ["15", "0", "15", "0"])
    }

    @Test func aPathThatIsTooLong() {
        let root = "/" + String(repeating: "a", count: 4095)
        let panel = Panel(configuration(message: [.led(["ACT"])]), system(leds: root), now: 0)
        #expect(panel.problemCount == 1)
    }

    /// udev makes one file after the other accessible: a gateway that comes in between must not leave the LED to what the
    /// kernel has it do.
    @Test func aTriggerThatIsAccessibleLater() throws {
        folder.makeLED("ACT", trigger: "none [mmc0] timer\n")
        for file in ["brightness", "delay_on", "delay_off"] { chmod(folder.path + "/ACT/" + file, 0o666) }
        chmod(folder.path + "/ACT/trigger", 0o400)
        var panel = try asNobody { self.panel(["ACT"]) }
        try asNobody { panel.setLight(.message, .solid, now: 5, wall: 0) }
        #expect(panel.problems.count == 1)
        #expect(panel.problems.first?.contains("cannot open \(folder.path)/ACT/trigger: Permission denied") == true)
        #expect(folder.read("ACT/brightness") == "15")
        #expect(panel.deadline == 10_000)
        // Switched by deadline meanwhile.
        try asNobody { panel.setLight(.message, .slow, now: 10, wall: 0) }
        #expect(panel.deadline == 1010)
        try asNobody { panel.tick(now: 1010, wall: 0) }
        #expect(folder.read("ACT/brightness") == "0")

        try asNobody { panel.tick(now: 10_000, wall: 0) }
        #expect(panel.problems.count == 1)
        chmod(folder.path + "/ACT/trigger", 0o666)
        try asNobody { panel.tick(now: 20_000, wall: 0) }
        #expect(panel.problems.isEmpty)
        #expect(folder.read("ACT/trigger") == "timer")
        #expect(folder.read("ACT/delay_on") == "1000")
        #expect(panel.deadline == nil)
        try asNobody { panel.shutdown(wall: 0) }
        #expect(folder.read("ACT/trigger") == "mmc0")
    }

    // MARK: The pattern trigger

    /// Each state is followed by itself for no time, so that the kernel does not fade; the times of a round add up to
    /// the pattern's period.
    @Test(
        arguments: [
            (.double, "15 100 15 0 0 150 0 0 15 100 15 0 0 1650 0 0"), (.pulse, "15 80 15 0 0 4920 0 0"),
        ] as [(LightPattern, String)])
    func otherPatternsAreTheKernelsToo(pattern: LightPattern, expected: String) {
        folder.makeLED("ACT", trigger: "none [mmc0] timer pattern\n")
        folder.write("ACT/pattern", "")
        var panel = panel(["ACT"])
        panel.setLight(.message, pattern, now: 0, wall: 0)
        #expect(folder.read("ACT/trigger") == "pattern")
        #expect(folder.read("ACT/pattern") == expected)
        #expect(panel.deadline == nil)
        panel.setLight(.message, .slow, now: 1, wall: 0)
        #expect(folder.read("ACT/trigger") == "timer")
        panel.setLight(.message, .solid, now: 2, wall: 0)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(folder.read("ACT/brightness") == "15")
        panel.shutdown(wall: 0)
        #expect(folder.read("ACT/trigger") == "mmc0")
    }

    @Test func withoutTheTimerThePatternBlinks() {
        folder.makeLED("ACT", trigger: "[none] pattern\n")
        folder.write("ACT/pattern", "")
        var panel = panel(["ACT"])
        panel.setLight(.message, .fast, now: 0, wall: 0)
        #expect(folder.read("ACT/pattern") == "15 125 15 0 0 125 0 0")
        #expect(panel.deadline == nil)
    }

    @Test func aPatternTriggerThatMakesNoFileIsNotUsed() {
        folder.makeLED("ACT", trigger: "[none] pattern\n")
        var panel = panel(["ACT"])
        panel.setLight(.message, .double, now: 0, wall: 0)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(folder.read("ACT/brightness") == "15")
        #expect(panel.deadline == 100)
        #expect(panel.problems == [])
    }

    // MARK: Files that udev has to hand over

    /// The trigger's files belong to root until udev has seen the kernel's change event.
    @Test(arguments: [Int64(100), 4900, nil] as [Int64?])
    func delaysThatTurnWritableLate(time: Int64?) throws {
        folder.makeLED("ACT", trigger: "[none] timer\n")
        for file in ["brightness", "trigger"] { chmod(folder.path + "/ACT/" + file, 0o666) }
        let delays = ["delay_on", "delay_off"].map { folder.path + "/ACT/" + $0 }
        delays.forEach { chmod($0, 0o400) }
        var panel = try asNobody { self.panel(["ACT"]) }
        try asNobody { panel.setLight(.message, .fast, now: 0, wall: 0) }
        #expect(panel.problems == [])
        #expect(panel.deadline == 100)
        var now: Int64 = 0
        while now < 5000, now != time {
            now = panel.deadline ?? .max
            if now == time { delays.forEach { chmod($0, 0o666) } }
            try asNobody { panel.tick(now: now, wall: 0) }
        }
        #expect(panel.problems == [])
        guard time == nil else {
            #expect(folder.read("ACT/trigger") == "timer")
            #expect(folder.read("ACT/delay_on") == "125")
            #expect(folder.read("ACT/delay_off") == "125")
            #expect(panel.deadline == nil)
            return
        }
        // Never: the loop blinks.
        #expect(now == 5000)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(panel.deadline == 5125)
    }

    /// Another pattern ends the wait for the files of the one before.
    @Test func aLatePatternIsReplaced() throws {
        folder.makeLED("ACT", trigger: "[none] pattern\n")
        folder.write("ACT/pattern", "")
        for file in ["brightness", "trigger"] { chmod(folder.path + "/ACT/" + file, 0o666) }
        chmod(folder.path + "/ACT/pattern", 0o400)
        var panel = try asNobody { self.panel(["ACT"]) }
        try asNobody { panel.setLight(.message, .double, now: 0, wall: 0) }
        #expect(panel.deadline == 100)
        try asNobody { panel.setLight(.message, .solid, now: 50, wall: 0) }
        #expect(panel.deadline == nil)
        #expect(folder.read("ACT/trigger") == "none")
        #expect(folder.read("ACT/brightness") == "15")
    }

    // MARK: The boards' names

    /// What Raspberry Pi OS, Debian, an older kernel and a person's own overlay call the same light, with the triggers
    /// and scales these come with. Whether the lamp hangs from the supply is the kernel's business.
    @Test(
        arguments: [
            ("ACT", "255", "none rc-feedback [mmc0] timer heartbeat actpwr\n", "mmc0"),
            ("led0", "255", "none kbd-scrolllock [mmc0] timer\n", "mmc0"),
            ("led1", "255", "none timer [default-on] input\n", "default-on"),
            ("mailbox:red:notify", "1", "[none] timer\n", "none"),
        ])
    func theFourShapes(name: String, maximum: String, trigger: String, before: String) {
        folder.makeLED(name, trigger: trigger)
        folder.write(name + "/max_brightness", maximum + "\n")
        folder.write(name + "/brightness", maximum + "\n")
        var panel = panel(["ACT", "led0", "led1", "mailbox:red:notify"])
        panel.setLight(.message, .solid, now: 0, wall: 0)
        #expect(folder.read(name + "/trigger") == "none")
        #expect(folder.read(name + "/brightness") == maximum)
        panel.setLight(.message, .off, now: 0, wall: 0)
        #expect(folder.read(name + "/brightness") == "0")
        panel.shutdown(wall: 0)
        #expect(folder.read(name + "/trigger") == before)
        #expect(folder.read(name + "/brightness") == maximum)
    }

    // MARK: panel off

    func putOut(_ names: [String]) -> [String] {
        var problems: [String] = []
        Panel.putOut(configuration(message: [.led(names)]), system(leds: folder.path), now: 0, wall: 0) { _, _, text in
            text.withUnsafeBytes { problems.append(String(decoding: $0, as: UTF8.self)) }
        }
        return problems
    }

    @Test(arguments: ["[none] timer\n", "none [timer]\n", "none timer [pattern]\n"])
    func whatADeadGatewayLeftOnIsPutOut(trigger: String) {
        folder.makeLED("ACT", trigger: trigger)
        #expect(putOut(["x", "ACT"]) == [])
        #expect(folder.read("ACT/brightness") == "0")
        #expect(folder.read("ACT/trigger") == "none")
    }

    /// A gateway that stopped in order gave the light back to the card reader.
    @Test func aLightWithAnotherTriggerIsLeftAlone() {
        folder.makeLED("ACT", trigger: "none [mmc0] timer\n")
        #expect(putOut(["ACT"]) == [])
        #expect(folder.read("ACT/brightness") == "7\n")
        #expect(folder.read("ACT/trigger") == "none [mmc0] timer\n")
    }

    @Test func offWithoutTriggersAndWithoutTheLight() {
        folder.makeLED("ACT", trigger: nil)
        #expect(putOut(["ACT"]) == [])
        #expect(folder.read("ACT/brightness") == "0")
        #expect(putOut(["led7"]) == ["no LED led7 in \(folder.path)"])
    }
}
