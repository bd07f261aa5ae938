import Bytes
import Foundation
import Testing

@testable import Panel

/// What is kept of the LEDs' first state: the file, and what is believed of it.
@Suite struct FoundLightsTests {
    let folder = Folder()
    static let boot = "0a1b2c3d-0000-4000-8000-0123456789ab"
    static let head = "skyglow lights 1 \(boot)\n"

    func found(boot: String = Self.boot) -> FoundLights {
        FoundLights(directory: folder.path, boot: Blob(boot) ?? Blob())
    }

    func light(_ name: String, _ brightness: String = "7", _ trigger: String = "") -> FoundLight {
        FoundLight(
            name: Blob(name) ?? Blob(), brightness: Blob(brightness) ?? Blob(), trigger: Blob(trigger) ?? Blob())
    }

    func lines(_ found: FoundLights) -> [String] {
        (0..<found.count).map { "\(found[$0].name.text) \(found[$0].brightness.text) \(found[$0].trigger.text)" }
    }

    @Test func keptReplacedForgotten() {
        let first = found()
        first.keep(light("ACT", "255", "mmc0"))
        #expect(folder.read("lights") == Self.head + "ACT 255 mmc0\n")
        first.keep(light("PWR", "1"))
        first.keep(light("ACT", "0", "timer"))
        #expect(folder.read("lights") == Self.head + "ACT 0 timer\nPWR 1\n")
        let second = found()
        #expect(lines(second) == ["ACT 0 timer", "PWR 1 "])
        second.forget(light("ACT").name)
        #expect(lines(found()) == ["PWR 1 "])
        second.forget(light("ACT").name)
        second.forget(light("PWR").name)
        #expect(folder.read("lights") == Self.head)
        #expect(second.failure == 0)
        #expect(found().count == 0)
    }

    @Test func theFileIsForItsOwnerAlone() throws {
        found().keep(light("ACT"))
        var status = stat()
        try #require(stat(folder.path + "/lights", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    /// No more than there is room for, and the longest names that there can be.
    @Test func full() {
        let name = String(repeating: "n", count: Limits.deviceName - 2)
        let first = found()
        for index in 0..<Limits.foundLights {
            first.keep(light(name + "\(index + 10)", "1234567890123456", String(repeating: "t", count: 64)))
        }
        #expect(first.failure == 0)
        #expect(lines(found()).count == Limits.foundLights)
        #expect(lines(found()) == lines(first))
        first.keep(light("more"))
        #expect(first.failure == ENOSPC)
        #expect(first.index(of: light("more").name) == nil)
        #expect(lines(found()).count == Limits.foundLights)
        #expect(MemoryLayout<FoundLight>.size >= Limits.deviceName)
        #expect(Blob<64>(String(repeating: "n", count: Limits.deviceName)) != nil)
    }

    @Test(arguments: ["0a1b2c3d-0000-4000-8000-0123456789ac", ""]) func anotherBootIsAnotherWorld(boot: String) {
        found().keep(light("ACT", "255", "mmc0"))
        let second = found(boot: boot)
        #expect(second.count == 0)
        second.keep(light("PWR"))
        let isWritten = folder.read("lights")?.contains("PWR") == true
        #expect(isWritten == !boot.isEmpty)
    }

    @Test(
        arguments: [
            "", "x", Self.head.replacingOccurrences(of: " 1 ", with: " 2 ") + "ACT 7 mmc0\n",
            Self.head + "ACT 7 mmc0", Self.head + "ACT 7 mmc0\nPWR 1", Self.head + "ACT\n",
            Self.head + "ACT 7 mmc0 x\n",
            Self.head + "ACT  7\n", Self.head + "ACT 7 \n", Self.head + " ACT 7\n", Self.head + "\n",
            Self.head + "ACT -7 mmc0\n", Self.head + "ACT 0x7 mmc0\n", Self.head + "ACT 12345678901234567 mmc0\n",
            Self.head + "../x 7 mmc0\n", Self.head + ". 7 mmc0\n", Self.head + ".. 7 mmc0\n", Self.head + "a/b 7\n",
            Self.head + "ACT 7 mmc0\nACT 8 timer\n", Self.head + "A\u{0}T 7 mmc0\n", Self.head + "A\u{7F}T 7\n",
            Self.head + "ACT 7 mm\tc0\n", Self.head + String(repeating: "n", count: 65) + " 7 mmc0\n",
            Self.head + "ACT 7 " + String(repeating: "t", count: 65) + "\n",
            Self.head + "PWR 1\n" + String(repeating: "ACT 7 mmc0\n", count: 1000),
            Self.head + (0...16).map { "L\($0) 7\n" }.joined(),
        ])
    func whatIsDamagedIsNotBelieved(text: String) {
        folder.write("lights", text)
        chmod(folder.path + "/lights", 0o600)
        let found = found()
        #expect(found.count == 0)
        #expect(!found.isComplete)
        // And is in nobody's way.
        found.keep(light("LED", "3", "none"))
        #expect(folder.read("lights") == Self.head + "LED 3 none\n")
    }

    /// The same file is believed where nothing is wrong with it, else the test above could not fail.
    @Test func whatIsNotDamagedIsBelieved() {
        folder.write("lights", Self.head + "ACT 7 mmc0\n")
        chmod(folder.path + "/lights", 0o600)
        #expect(lines(found()) == ["ACT 7 mmc0"])
    }

    @Test func aLinkIsNotFollowed() {
        folder.write("other", Self.head + "ACT 7 mmc0\n")
        symlink(folder.path + "/other", folder.path + "/lights")
        symlink(folder.path + "/other", folder.path + "/lights.new")
        let found = found()
        #expect(found.count == 0)
        found.keep(light("PWR"))
        #expect(folder.read("other") == Self.head + "ACT 7 mmc0\n")
        #expect(folder.read("lights") == Self.head + "PWR 7\n")
    }

    @Test func aSecondNameIsNotBelieved() {
        folder.write("other", Self.head + "ACT 7 mmc0\n")
        chmod(folder.path + "/other", 0o600)
        link(folder.path + "/other", folder.path + "/lights")
        #expect(found().count == 0)
    }

    @Test(arguments: [mode_t(0o620), 0o602, 0o666]) func whatOthersMayWriteIsNotBelieved(mode: mode_t) {
        folder.write("lights", Self.head + "ACT 7 mmc0\n")
        chmod(folder.path + "/lights", mode)
        #expect(found().count == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to somebody"))
    func whatIsSomebodyElsesIsNotBelieved() {
        folder.write("lights", Self.head + "ACT 7 mmc0\n")
        chmod(folder.path + "/lights", 0o600)
        chown(folder.path + "/lights", 65_534, 65_534)
        #expect(found().count == 0)
        // Whose directory it is, is the gateway, and root is calling.
        chown(folder.path, 65_534, 65_534)
        #expect(lines(found()) == ["ACT 7 mmc0"])
    }

    @Test(.timeLimit(.minutes(1))) func whatIsNoFile() {
        mkfifo(folder.path + "/lights", 0o600)
        #expect(found().count == 0)
        folder.remove("lights")
        folder.make("lights")
        let found = found()
        #expect(found.count == 0)
        found.keep(light("ACT"))
        #expect(found.failure == EISDIR)
        #expect(folder.read("lights.new") == nil)
    }

    @Test func withoutTheDirectory() {
        let found = FoundLights(directory: folder.path + "/none", boot: Blob(Self.boot) ?? Blob())
        found.keep(light("ACT", "255", "mmc0"))
        #expect(found.failure == ENOENT)
        #expect(lines(found) == ["ACT 255 mmc0"])
        #expect(!found.isComplete)
        folder.make("none")
        found.forget(light("ACT").name)
        #expect(found.failure == 0)
        #expect(found.isComplete)
        #expect(folder.read("none/lights") == Self.head)
    }

    /// From the first start on it is known of every LED whether a gateway has it.
    @Test func completeFromTheStartOn() {
        let first = found()
        #expect(!first.isComplete)
        first.begin()
        #expect(first.isComplete)
        #expect(folder.read("lights") == Self.head)
        let second = found()
        #expect(second.isComplete)
        let third = found(boot: "other")
        #expect(!third.isComplete)
    }

    @Test func aNewPanelTriesWhatTheLastCouldNotGiveBack() {
        let found = found()
        found.keep(light("ACT"))
        found.claim(light("ACT").name)
        found.claim(light("none").name)
        #expect(found[0].isInUse)
        found.begin()
        #expect(!found[0].isInUse)
    }

    /// A gateway that died while it wrote the new file.
    @Test func aLeftoverIsReplaced() {
        found().keep(light("ACT", "255", "mmc0"))
        folder.write("lights.new", "half")
        let second = found()
        #expect(lines(second) == ["ACT 255 mmc0"])
        second.keep(light("PWR"))
        #expect(folder.read("lights.new") == nil)
        #expect(lines(found()) == ["ACT 255 mmc0", "PWR 7 "])
    }
}
