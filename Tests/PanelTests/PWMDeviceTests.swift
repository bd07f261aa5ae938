import Foundation
import Testing

@testable import Panel

@Suite struct PWMDeviceTests {
    let folder = Folder()

    func panel(_ output: PanelOutput = .pwm(chip: "pwmchip0", channel: 1)) -> Panel {
        var system = PanelSystem()
        system.pwm = folder.path
        return Panel(configuration(buzzer: [output]), system, now: 0)
    }

    func makeChip(_ name: String = "pwmchip0") {
        folder.make(name)
        folder.write(name + "/export", "")
        folder.write(name + "/unexport", "")
    }

    func makeChannel(_ path: String = "pwmchip0/pwm1") {
        folder.make(path)
        for file in ["period", "duty_cycle", "enable"] { folder.write(path + "/" + file, "0\n") }
    }

    @Test func beepsOnAChannelThatIsThere() {
        makeChip()
        makeChannel()
        var panel = panel()
        #expect(panel.problems == [])
        #expect(folder.read("pwmchip0/export") == "")
        #expect(folder.read("pwmchip0/pwm1/period") == "370370")
        #expect(folder.read("pwmchip0/pwm1/duty_cycle") == "185185")
        #expect(folder.read("pwmchip0/pwm1/enable") == "0")
        panel.beep(2, now: 1000, wall: 0)
        var states = [folder.read("pwmchip0/pwm1/enable")]
        while let deadline = panel.deadline {
            panel.tick(now: deadline, wall: 0)
            states.append(folder.read("pwmchip0/pwm1/enable"))
        }
        #expect(states == ["1", "0", "1", "0"])
        panel.beep(2, now: 5000, wall: 0)
        panel.shutdown(wall: 0)
        #expect(folder.read("pwmchip0/pwm1/enable") == "0")
        #expect(folder.read("pwmchip0/unexport") == "")
    }

    /// The files come a second after the export, as udev brings them.
    @Test func filesThatComeLate() {
        makeChip()
        var panel = panel()
        #expect(folder.read("pwmchip0/export") == "1")
        #expect(panel.problems == [])
        var time: Int64 = 0
        while time < 1000 {
            time = panel.deadline ?? .max
            panel.tick(now: time, wall: 0)
        }
        #expect(time == 1000)
        #expect(panel.problems == [])
        makeChannel()
        panel.beep(1, now: 1010, wall: 0)
        #expect(folder.read("pwmchip0/pwm1/enable") == "0\n")
        panel.tick(now: 1100, wall: 0)
        #expect(panel.problems == [])
        #expect(folder.read("pwmchip0/pwm1/enable") == "1")
        panel.shutdown(wall: 0)
        #expect(folder.read("pwmchip0/unexport") == "1")
    }

    @Test func filesThatNeverComeAreAProblemAfterFiveSeconds() {
        makeChip()
        var panel = panel()
        var time: Int64 = 0
        while panel.problemCount == 0, time < 100_000 {
            time = panel.deadline ?? .max
            panel.tick(now: time, wall: 0)
        }
        #expect(time == 5000)
        #expect(panel.deadline == 15_000)
        panel.beep(1, now: 5001, wall: 0)
        #expect(panel.deadline == 15_000)
        makeChannel()
        panel.tick(now: 15_000, wall: 0)
        #expect(panel.problems == [])
    }

    @Test func filesThatTurnWritableLate() throws {
        makeChip()
        makeChannel()
        let files = ["period", "duty_cycle", "enable"].map { folder.path + "/pwmchip0/pwm1/" + $0 }
        files.forEach { chmod($0, 0o400) }
        chmod(folder.path + "/pwmchip0/pwm1", 0o755)
        try asNobody {
            var panel = panel()
            #expect(panel.problems == [])
            #expect(panel.deadline == 100)
            panel.tick(now: 4999, wall: 0)
            #expect(panel.problems == [])
            panel.tick(now: 5000, wall: 0)
            #expect(panel.problems.count == 1)
            #expect(panel.problems.first?.contains("/pwmchip0/pwm1/period: Permission denied (owner ") == true)
        }
        files.forEach { chmod($0, 0o666) }
        let working = try asNobody {
            let panel = panel()
            return panel.problems
        }
        #expect(working == [])
    }

    /// The same panel goes on with them, within its patience and after it.
    @Test(arguments: [100, 4_900, 15_000] as [Int64]) func filesThatTurnWritableAreUsed(time: Int64) throws {
        makeChip()
        makeChannel()
        let files = ["period", "duty_cycle", "enable"].map { folder.path + "/pwmchip0/pwm1/" + $0 }
        files.forEach { chmod($0, 0o400) }
        var panel = try asNobody { self.panel() }
        var now: Int64 = 0
        while now < time {
            #expect(panel.problemCount == (now < 5_000 ? 0 : 1))
            #expect(folder.read("pwmchip0/pwm1/period") == "0\n")
            now = panel.deadline ?? .max
            if now == time { files.forEach { chmod($0, 0o666) } }
            try asNobody { panel.tick(now: now, wall: 0) }
        }
        #expect(now == time)
        #expect(panel.problems == [])
        #expect(panel.deadline == nil)
        #expect(folder.read("pwmchip0/pwm1/period") == "370370")
        #expect(folder.read("pwmchip0/pwm1/duty_cycle") == "185185")
        #expect(folder.read("pwmchip0/pwm1/enable") == "0")
        try asNobody { panel.beep(1, now: now + 50, wall: 0) }
        #expect(folder.read("pwmchip0/pwm1/enable") == "1")
    }

    @Test func aChipByTheNameOfItsDevice() throws {
        makeChip("pwmchip0")
        makeChip("pwmchip4")
        makeChannel("pwmchip4/pwm1")
        for (chip, device) in [("pwmchip0", "fe20c800.pwm"), ("pwmchip4", "fe20c000.pwm")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/\(chip)/device", withDestinationPath: "../../../" + device)
        }
        var panel = panel(.pwm(chip: "fe20c000.pwm", channel: 1))
        #expect(panel.problems == [])
        panel.beep(1, now: 0, wall: 0)
        #expect(folder.read("pwmchip4/pwm1/enable") == "1")
    }

    @Test func aChipThatIsNotThere() {
        makeChip("pwmchip1")
        let panel = panel()
        #expect(panel.problems == ["buzzer pwm:pwmchip0:1: no PWM chip pwmchip0 in \(folder.path)"])
        #expect(panel.deadline == 10_000)
    }

    @Test func whatADeadGatewayLeftSoundingIsSilenced() {
        makeChip()
        makeChannel()
        folder.write("pwmchip0/pwm1/enable", "1\n")
        var system = PanelSystem()
        system.pwm = folder.path
        var problems = 0
        let outputs = configuration(buzzer: [.pwm(chip: "pwmchip0", channel: 1), .pwm(chip: "pwmchip0", channel: 0)])
        Panel.putOut(outputs, system, now: 0, wall: 0) { _, _, _ in problems += 1 }
        #expect(problems == 0)
        #expect(folder.read("pwmchip0/pwm1/enable") == "0")
        #expect(folder.read("pwmchip0/export") == "")
    }
}
