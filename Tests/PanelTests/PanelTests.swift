import CBoard
import Foundation
import Testing

@testable import Panel

@Suite struct PanelTests {
    let folder = Folder()

    @Test func changesAreRecorded() {
        let path = folder.path + "/lights"
        var panel = Panel(
            configuration(message: [.file(path)], link: [.file(path)], buzzer: [.file(path)]), now: 0)
        panel.setLight(.message, .off, now: 0, wall: 1_700_000_000_000)
        panel.setLight(.message, .off, now: 1, wall: 1_700_000_000_001)
        panel.setLight(.link, .slow, now: 2, wall: 1_700_000_000_002)
        panel.setLight(.message, .fast, now: 3, wall: 1_700_000_000_003)
        panel.beep(0, now: 4, wall: 1_700_000_000_004)
        panel.beep(2, now: 5, wall: 1_700_000_000_005)
        panel.beep(21, now: 6, wall: 1_700_000_000_006)
        panel.tick(now: 100_000, wall: 1_700_000_100_000)
        panel.shutdown(wall: 1_700_000_100_001)
        let expected = """
            1700000000000 light message off
            1700000000002 light link slow
            1700000000003 light message fast
            1700000000005 beep 2
            1700000000006 beep 20
            1700000100001 light message off
            1700000100001 light link off

            """
        #expect(folder.read("lights") == expected)
    }

    @Test func rolesWithoutALightAreIgnored() {
        let path = folder.path + "/lights"
        var panel = Panel(configuration(buzzer: [.file(path)]), now: 0)
        panel.setLight(.buzzer, .solid, now: 0, wall: 0)
        panel.setLight(.button, .solid, now: 0, wall: 0)
        #expect(folder.read("lights") == "")
        #expect(panel.light(.buzzer) == .off)
        #expect(panel.light(.message) == .off)
    }

    @Test func severalOutputsShareARole() {
        folder.makeLED("ACT")
        var panel = Panel(
            configuration(message: [.led(["ACT"]), .file(folder.path + "/a"), .file(folder.path + "/b"), .none]),
            system(leds: folder.path), now: 0)
        panel.setLight(.message, .solid, now: 0, wall: 5)
        #expect(folder.read("ACT/brightness") == "15")
        #expect(folder.read("a") == "5 light message solid\n")
        #expect(folder.read("b") == "5 light message solid\n")
        #expect(panel.light(.message) == .solid)
    }

    @Test func aFileThatCannotBeOpenedIsTriedAgain() {
        var panel = Panel(configuration(message: [.file(folder.path + "/later/lights")]), now: 7)
        let problem =
            "message file:\(folder.path)/later/lights: cannot open \(folder.path)/later/lights: No such file or directory"
        #expect(panel.problems == [problem])
        panel.setLight(.message, .fast, now: 8, wall: 8)
        #expect(panel.deadline == 10_007)
        folder.make("later")
        panel.tick(now: 10_006, wall: 9)
        #expect(panel.problemCount == 1)
        panel.tick(now: 10_007, wall: 10)
        #expect(panel.problems == [])
        #expect(panel.deadline == nil)
        #expect(folder.read("later/lights") == "10 light message fast\n")
    }

    /// /dev/full opens and takes nothing.
    @Test func aFullDiskIsAProblemAndThePatternComesLater() {
        var panel = Panel(configuration(message: [.file("/dev/full")]), now: 0)
        panel.setLight(.message, .fast, now: 0, wall: 0)
        let expected = ["message file:/dev/full: cannot write /dev/full: No space left on device"]
        #expect(panel.problems == expected)
        let changes = panel.problemChanges
        panel.tick(now: 10_000, wall: 0)
        #expect(panel.problems == expected)
        #expect(panel.problemChanges == changes)
    }

    @Test func aPipeThatNobodyReadsDoesNotBlock() {
        mkfifo(folder.path + "/pipe", 0o600)
        let panel = Panel(configuration(message: [.file(folder.path + "/pipe")]), now: 0)
        #expect(panel.problems.first?.hasSuffix("No such device or address") == true)
    }

    @Test func whatIsMissingIsToldAndTheRestWorks() {
        let path = folder.path + "/lights"
        var system = system(leds: folder.path)
        system.pwm = folder.path
        system.gpio = FakeGPIO()
        var panel = Panel(
            configuration(
                message: [.line(name: "GPIO17", activeLow: true), .file(path)],
                link: [.offset(chip: "pinctrl-bcm2835", offset: 27, activeLow: false)],
                buzzer: [.pwm(chip: "0", channel: 1)]), system, now: 0)
        #expect(
            panel.problems == [
                "message gpio:!GPIO17: there is no GPIO chip in /dev",
                "link gpio:pinctrl-bcm2835:27: there is no GPIO chip in /dev",
                "buzzer pwm:0:1: no PWM chip 0 in \(folder.path)",
            ])
        let buzzerHasOne = panel.hasProblem(.buzzer)
        #expect(buzzerHasOne)
        panel.setLight(.message, .solid, now: 0, wall: 1)
        panel.beep(1, now: 0, wall: 1)
        #expect(folder.read("lights") == "1 light message solid\n")
    }

    @Test func termIntoAFileIsPlainLines() throws {
        let descriptor = open(folder.path + "/term", O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        var panel = Panel(configuration(message: [.term], link: [.term], buzzer: [.term]), now: 0, terminal: descriptor)
        panel.setLight(.message, .fast, now: 0, wall: 0)
        panel.setLight(.link, .solid, now: 1, wall: 0)
        panel.beep(3, now: 2, wall: 0)
        #expect(panel.deadline == nil)
        panel.shutdown(wall: 0)
        #expect(folder.read("term") == "light message fast\nlight link solid\nbeep 3\n")
    }

    @Test func termOnATerminalBlinksOnOneLine() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var locked: Int32 = 0
        var number: Int32 = -1
        // TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>.
        try #require(ioctl(terminal, 0x4004_5431, &locked) == 0)
        try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        defer {
            close(other)
            close(terminal)
        }
        var panel = Panel(configuration(message: [.term]), now: 0, terminal: other)
        panel.setLight(.message, .fast, now: 0, wall: 0)
        #expect(panel.deadline == 125)
        panel.tick(now: 125, wall: 0)
        #expect(panel.deadline == 250)
        let expected =
            "\r\u{1B}[K\u{1B}[33m● \u{1B}[0mmessage fast   \r\u{1B}[K\u{1B}[2m○ \u{1B}[0mmessage fast   "
        // The kernel may hand over each line by itself.
        var text: [UInt8] = []
        while text.count < expected.utf8.count {
            var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 5_000) == 1 else { break }
            var bytes = [UInt8](repeating: 0, count: 1000)
            let length = read(terminal, &bytes, bytes.count)
            guard length > 0 else { break }
            text += bytes.prefix(length)
        }
        #expect(String(decoding: text, as: UTF8.self) == expected)
        panel.setLight(.message, .solid, now: 300, wall: 0)
        #expect(panel.deadline == 1300)
        panel.shutdown(wall: 0)
        #expect(panel.deadline == nil)
    }

    /// A reader that stopped must not stop the panel.
    @Test(.timeLimit(.minutes(1))) func aFullPipeIsLeftAlone() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        defer { ends.forEach { close($0) } }
        var panel = Panel(configuration(message: [.term]), now: 0, terminal: ends[1])
        for index in 0..<20_000 {
            panel.setLight(.message, index % 2 == 0 ? .solid : .off, now: Int64(index), wall: 0)
        }
        #expect(panel.light(.message) == .off)
    }

    @Test func everyOutputHasItsTurn() {
        folder.makeLED("ACT", trigger: "[none]\n")
        var panel = Panel(
            configuration(
                message: [.led(["ACT"]), .file(folder.path + "/f"), .none], buzzer: [.file(folder.path + "/f")]),
            system(leds: folder.path), now: 0)
        let first = panel.beginTest(0, now: 0, wall: 1)
        #expect(first == PanelTestStep(role: .message, label: "led:ACT", duration: 2000))
        #expect(folder.read("ACT/brightness") == "15")
        #expect(panel.deadline == 125)
        let second = panel.beginTest(1, now: 2000, wall: 2)
        #expect(second == PanelTestStep(role: .message, label: "file:\(folder.path)/f", duration: 2000))
        #expect(folder.read("ACT/brightness") == "0")
        let third = panel.beginTest(2, now: 4000, wall: 3)
        #expect(third == PanelTestStep(role: .buzzer, label: "file:\(folder.path)/f", duration: 1000))
        #expect(folder.read("f") == "2 light message fast\n3 light message off\n3 beep 2\n")
        #expect(panel.beginTest(3, now: 5000, wall: 4) == nil)
        #expect(panel.beginTest(4, now: 5000, wall: 4) == nil)
        #expect(panel.beginTest(-1, now: 5000, wall: 4) == nil)
    }

    /// The account files have one line each of these on every Debian.
    @Test func ownersHaveNames() {
        let device = Device(role: .message, label: "")
        device.setProblem { buffer in "/etc/passwd".withCString { buffer.append(ownerOf: $0) } }
        let text = device.problem.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text == " (owner root:root, mode 0644)")
    }

    @Test func nothingConfigured() {
        var panel = Panel(PanelConfiguration(), now: 0)
        panel.setLight(.message, .fast, now: 0, wall: 0)
        panel.beep(1, now: 0, wall: 0)
        panel.tick(now: 1, wall: 0)
        #expect(panel.deadline == nil)
        #expect(panel.problemCount == 0)
        panel.shutdown(wall: 0)
    }

    @Test func filesRecordWhatPanelOffDid() {
        let outputs = configuration(
            message: [.file(folder.path + "/f"), .term, .none], buzzer: [.file(folder.path + "/b")])
        var problems = 0
        Panel.putOut(outputs, now: 0, wall: 9) { _, _, _ in problems += 1 }
        #expect(folder.read("f") == "9 light message off\n")
        #expect(folder.read("b") == nil)
        #expect(problems == 0)
    }
}
