import Foundation
import Testing

@testable import Panel

@Suite struct LEDDeviceTests {
    let folder = Folder()

    func panel(_ names: [String], buzzer: Bool = false) -> Panel {
        let outputs = [PanelOutput.led(names)]
        return Panel(
            buzzer ? configuration(buzzer: outputs) : configuration(message: outputs), now: 0, ledRoot: folder.path)
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
        let panel = Panel(configuration(message: [.led(["ACT"])]), now: 0, ledRoot: root)
        #expect(panel.problemCount == 1)
    }
}
