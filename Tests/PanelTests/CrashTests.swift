import Bytes
import Foundation
import Testing

@testable import Panel

/// LEDs after a gateway that was killed. What it had written is put into the trees by hand, in the kernel's form, because a
/// plain file keeps no list of triggers.
@Suite struct CrashTests {
    let leds = Folder()
    let runtime = Folder()
    static let boot = "0a1b2c3d-0000-4000-8000-0123456789ab"
    /// The file where every LED was given back.
    static let head = "skyglow lights 1 \(boot)\n"

    func found(boot: String = Self.boot) -> FoundLights {
        FoundLights(directory: runtime.path, boot: Blob(boot) ?? Blob())
    }

    func panel(_ message: [String], link: [String]? = nil, boot: String = Self.boot) -> Panel {
        Panel(
            configuration(message: [.led(message)], link: link.map { [.led($0)] } ?? []), system(leds: leds.path),
            found: found(boot: boot), now: 0)
    }

    func putOut(_ message: [String], link: [String]? = nil, boot: String = Self.boot) -> [String] {
        var problems: [String] = []
        Panel.putOut(
            configuration(message: [.led(message)], link: link.map { [.led($0)] } ?? []), system(leds: leds.path),
            found: found(boot: boot), now: 0, wall: 0
        ) { role, label, text in
            text.withUnsafeBytes {
                problems.append("\(role?.name ?? "-") \(label): " + String(decoding: $0, as: UTF8.self))
            }
        }
        return problems
    }

    /// What a killed gateway leaves of an LED that had `mmc0` and brightness 7.
    func crash(_ name: String = "ACT", trigger: String, brightness: String = "15") {
        leds.write(name + "/trigger", trigger)
        leds.write(name + "/brightness", brightness)
    }

    static let left = ["[none] mmc0 timer pattern\n", "none mmc0 [timer] pattern\n", "none mmc0 timer [pattern]\n"]

    // MARK: Before anything is changed

    /// What happened to the runtime directory and to the files of two LEDs, in the order in which it happened.
    @Test func itIsWrittenDownBeforeTheLEDIsTouched() throws {
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        try #require(watch >= 0)
        var names = [inotify_add_watch(watch, runtime.path, UInt32(IN_MOVED_TO)): "written down"]
        for name in ["ACT", "PWR"] {
            leds.makeLED(name)
            for file in ["brightness", "trigger"] {
                names[inotify_add_watch(watch, leds.path + "/\(name)/\(file)", UInt32(IN_MODIFY))] = name
            }
        }
        var panel = panel(["ACT"], link: ["PWR"])
        panel.setLight(.message, .solid, now: 0, wall: 0)
        panel.setLight(.link, .solid, now: 0, wall: 0)
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let length = read(watch, &bytes, bytes.count)
        var events: [String?] = []
        var start = 0
        while start < length {
            let (number, rest) = bytes.withUnsafeBytes {
                (
                    $0.loadUnaligned(fromByteOffset: start, as: Int32.self),
                    $0.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self)
                )
            }
            if events.last != names[number] { events.append(names[number]) }
            start += 16 + Int(rest)
        }
        #expect(events == ["written down", "ACT", "written down", "PWR", "ACT", "PWR"])
    }

    // MARK: A start after the crash

    @Test(arguments: left) func theNextStopGivesBackWhatWasFoundFirst(trigger: String) {
        leds.makeLED("ACT", trigger: "none [mmc0] timer pattern\n")
        _ = panel(["ACT"])
        crash(trigger: trigger)
        var second = panel(["ACT"])
        #expect(second.problems == [])
        #expect(leds.read("ACT/trigger") == "none")
        second.setLight(.message, .solid, now: 0, wall: 0)
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
        #expect(runtime.read("lights") == Self.head)
    }

    /// However often it is killed.
    @Test func afterManyCrashes() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer pattern\n")
        for round in 0..<5 {
            _ = panel(["ACT"])
            crash(trigger: Self.left[round % 3])
        }
        var last = panel(["ACT"])
        last.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
    }

    /// A person's own blinking looks like the gateway's.
    @Test func aTimerThatWasThereFirst() {
        leds.makeLED("ACT", trigger: "none mmc0 [timer]\n")
        _ = panel(["ACT"])
        crash(trigger: "[none] mmc0 timer\n")
        var second = panel(["ACT"])
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "timer")
    }

    /// Killed after the note and before the LED, or after the LED was given back and before the note was dropped.
    @Test func killedWhileTheLEDIsAsItWas() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        found().keep(
            FoundLight(name: Blob("ACT") ?? Blob(), brightness: Blob("3") ?? Blob(), trigger: Blob("mmc0") ?? Blob()))
        var second = panel(["ACT"])
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7 mmc0\n") == true)
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
    }

    /// What a person has set in between counts, and not what was there before.
    @Test func setByAPersonInBetween() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer heartbeat\n")
        _ = panel(["ACT"])
        crash(trigger: "none mmc0 timer [heartbeat]\n", brightness: "9\n")
        var second = panel(["ACT"])
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "heartbeat")
        #expect(leds.read("ACT/brightness") == "9")
    }

    @Test func twoLEDsAndEachHasItsOwn() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer default-on\n")
        leds.makeLED("PWR", trigger: "none mmc0 timer [default-on]\n")
        leds.write("PWR/brightness", "15\n")
        _ = panel(["ACT"], link: ["PWR"])
        crash(trigger: "none mmc0 [timer] default-on\n")
        crash("PWR", trigger: "[none] mmc0 timer default-on\n", brightness: "0")
        var second = panel(["ACT"], link: ["PWR"])
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
        #expect(leds.read("PWR/trigger") == "default-on")
        #expect(leds.read("PWR/brightness") == "15")
        #expect(runtime.read("lights") == Self.head)
    }

    /// Killed between the two: one is as it was found, one has never been written down.
    @Test func killedBetweenTwoLEDs() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        leds.makeLED("PWR", trigger: "none mmc0 [heartbeat]\n")
        _ = panel(["ACT"])
        crash(trigger: "[none] mmc0 timer\n")
        var second = panel(["ACT"], link: ["PWR"])
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("PWR/trigger") == "heartbeat")
    }

    @Test func withoutTriggersTheBrightnessComesBack() {
        leds.makeLED("ACT", trigger: nil)
        _ = panel(["ACT"])
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7\n") == true)
        leds.write("ACT/brightness", "0")
        var second = panel(["ACT"])
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/brightness") == "7")
    }

    @Test func anotherBootTakesWhatItFinds() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        _ = panel(["ACT"])
        crash(trigger: "none mmc0 [timer]\n")
        var second = panel(["ACT"], boot: "other")
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "timer")
    }

    /// A file of the same form with what this LED does not have.
    @Test(arguments: [("7", "mmc1", "none", "7"), ("16", "mmc0", "mmc0", "15"), ("99", "none", "none", "0")])
    func onlyWhatTheLEDHasIsWritten(brightness: String, trigger: String, is expected: String, _ lit: String) {
        leds.makeLED("ACT", trigger: "none mmc0 [timer]\n")
        leds.write("ACT/brightness", "15")
        found().keep(
            FoundLight(
                name: Blob("ACT") ?? Blob(), brightness: Blob(brightness) ?? Blob(), trigger: Blob(trigger) ?? Blob()))
        var panel = panel(["ACT"])
        panel.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == expected)
        #expect(leds.read("ACT/brightness") == lit)
        #expect(runtime.read("lights") == Self.head)
    }

    /// Within one life too: what the gateway itself has put there is not what was found.
    @Test func afterAFailureTheFirstStateIsStillKnown() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        var panel = panel(["ACT"])
        crash(trigger: "none mmc0 [timer]\n")
        leds.remove("ACT/brightness")
        leds.make("ACT/brightness")
        var other = self.panel(["ACT"])
        #expect(other.problems.count == 1)
        leds.remove("ACT/brightness")
        leds.write("ACT/brightness", "15")
        other.tick(now: 10_000, wall: 0)
        #expect(other.problems == [])
        other.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
        panel.shutdown(wall: 0)
    }

    // MARK: Files that turn accessible late

    /// The list may be read before it may be written: then it is known before a dark light ends the trigger.
    @Test func aTriggerThatIsWritableLate() throws {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        chmod(leds.path + "/ACT/brightness", 0o666)
        chmod(leds.path + "/ACT/trigger", 0o444)
        chmod(runtime.path, 0o777)
        var first = try asNobody { panel(["ACT"]) }
        try asNobody { first.setLight(.message, .off, now: 0, wall: 0) }
        #expect(first.problems.count == 1)
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7 mmc0\n") == true)
        // Brightness 0 has ended the trigger. Killed, and started when the file is writable.
        crash(trigger: "[none] mmc0 timer\n", brightness: "0")
        chown(runtime.path + "/lights", geteuid(), getegid())
        chmod(leds.path + "/ACT/trigger", 0o666)
        var second = panel(["ACT"])
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
    }

    @Test func anLEDThatComesLateAfterACrash() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        _ = panel(["ACT"])
        crash(trigger: "none mmc0 [timer]\n")
        chmod(leds.path + "/ACT", 0)
        leds.make("away")
        rename(leds.path + "/ACT", leds.path + "/away/ACT")
        leds.make("ACT/brightness")
        var second = panel(["ACT"])
        #expect(second.problems.count == 1)
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7 mmc0\n") == true)
        leds.remove("ACT")
        rename(leds.path + "/away/ACT", leds.path + "/ACT")
        chmod(leds.path + "/ACT", 0o755)
        second.tick(now: 10_000, wall: 0)
        #expect(second.problems == [])
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
    }

    // MARK: Another configuration after the crash

    /// An LED that is the gateway's no longer is given back at the start, and not kept dark for ever.
    @Test func noLongerConfigured() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        leds.makeLED("PWR", trigger: "none mmc0 [heartbeat]\n")
        _ = panel(["ACT"])
        crash(trigger: "none mmc0 [timer]\n")
        var second = panel(["PWR"])
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
        #expect(leds.read("PWR/trigger") == "none")
        #expect(runtime.read("lights")?.hasSuffix("\nPWR 7 heartbeat\n") == true)
        second.shutdown(wall: 0)
        #expect(leds.read("PWR/trigger") == "heartbeat")
    }

    @Test func noLongerConfiguredAndGone() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        _ = panel(["ACT"])
        leds.remove("ACT")
        _ = panel(["PWR"])
        #expect(runtime.read("lights") == Self.head)
    }

    @Test func noLongerConfiguredAndNotAccessible() throws {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        _ = panel(["ACT"])
        leds.remove("ACT/brightness")
        leds.make("ACT/brightness")
        _ = panel(["PWR"])
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7 mmc0\n") == true)
        #expect(
            putOut(["PWR"]) == [
                "message led:PWR: no LED PWR in \(leds.path)",
                "- led:ACT: cannot open \(leds.path)/ACT/brightness: Is a directory",
            ])
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7 mmc0\n") == true)
    }

    /// The first of several names that exists is another one now.
    @Test func anotherOfTheNames() {
        leds.makeLED("led0", trigger: "none [mmc0] timer\n")
        _ = panel(["ACT", "led0"])
        crash("led0", trigger: "[none] mmc0 timer\n")
        leds.makeLED("ACT", trigger: "none [heartbeat]\n")
        var second = panel(["ACT", "led0"])
        #expect(leds.read("led0/trigger") == "mmc0")
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "heartbeat")
    }

    /// A reload gives back and takes anew.
    @Test func aReload() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        let known = found()
        let outputs = configuration(message: [.led(["ACT"])])
        var first = Panel(outputs, system(leds: leds.path), found: known, now: 0)
        first.shutdown(wall: 0)
        #expect(runtime.read("lights") == Self.head)
        leds.write("ACT/trigger", "none [mmc0] timer\n")
        var second = Panel(outputs, system(leds: leds.path), found: known, now: 0)
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7 mmc0\n") == true)
        second.shutdown(wall: 0)
        #expect(leds.read("ACT/trigger") == "mmc0")
    }

    // MARK: panel off

    @Test(arguments: left) func offGivesBackWhatWasFoundFirst(trigger: String) {
        leds.makeLED("ACT", trigger: "none [mmc0] timer pattern\n")
        _ = panel(["ACT"])
        crash(trigger: trigger)
        #expect(putOut(["ACT"]) == [])
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(leds.read("ACT/brightness") == "7")
        #expect(runtime.read("lights") == Self.head)
        // And again changes nothing.
        crash(trigger: "none [mmc0] timer pattern\n", brightness: "7")
        #expect(putOut(["ACT"]) == [])
        #expect(leds.read("ACT/brightness") == "7")
    }

    @Test func offOfAnLEDThatIsNoLongerConfigured() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        leds.makeLED("PWR", trigger: "[none] mmc0\n")
        _ = panel(["ACT"])
        crash(trigger: "none mmc0 [timer]\n")
        #expect(putOut(["PWR"]) == [])
        #expect(leds.read("ACT/trigger") == "mmc0")
        // That one no gateway has ever taken.
        #expect(leds.read("PWR/brightness") == "7\n")
        #expect(runtime.read("lights") == Self.head)
    }

    /// What was given back may be on, and without a trigger: a later `panel off` takes nothing away.
    @Test func offAfterAStopInOrder() {
        leds.makeLED("ACT", trigger: "[none] mmc0 timer\n")
        var panel = panel(["ACT"])
        panel.shutdown(wall: 0)
        leds.write("ACT/trigger", "[none] mmc0 timer\n")
        #expect(putOut(["ACT"]) == [])
        #expect(leds.read("ACT/brightness") == "7")
    }

    @Test func offLeavesWhatAPersonHasSet() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer heartbeat\n")
        _ = panel(["ACT"])
        crash(trigger: "none mmc0 timer [heartbeat]\n")
        #expect(putOut(["ACT"]) == [])
        #expect(leds.read("ACT/trigger") == "none mmc0 timer [heartbeat]\n")
        #expect(leds.read("ACT/brightness") == "15")
        #expect(runtime.read("lights") == Self.head)
    }

    /// Without anything that is to be believed it is put out, as ever.
    @Test(arguments: ["", "skyglow lights 1 \(boot)\nACT 7 mmc0"]) func offWithoutAFile(text: String) {
        leds.makeLED("ACT", trigger: "none mmc0 [timer]\n")
        runtime.write("lights", text)
        #expect(putOut(["ACT"]) == [])
        #expect(leds.read("ACT/trigger") == "none")
        #expect(leds.read("ACT/brightness") == "0")
    }

    @Test func offWithATriggerThatIsNotListed() {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        _ = panel(["ACT"])
        crash(trigger: "none [timer]\n")
        #expect(putOut(["ACT"]) == [])
        #expect(leds.read("ACT/trigger") == "none")
        #expect(leds.read("ACT/brightness") == "7")
    }

    /// What could not be given back is for the next to do.
    @Test func offWithoutAccessToTheTrigger() throws {
        leds.makeLED("ACT", trigger: "none [mmc0] timer\n")
        _ = panel(["ACT"])
        leds.remove("ACT/trigger")
        leds.make("ACT/trigger")
        leds.write("ACT/brightness", "15")
        #expect(
            putOut(["ACT"]) == ["message led:ACT: cannot open \(leds.path)/ACT/trigger: Is a directory"])
        #expect(leds.read("ACT/brightness") == "0")
        #expect(runtime.read("lights")?.hasSuffix("\nACT 7 mmc0\n") == true)
        leds.remove("ACT/trigger")
        crash(trigger: "[none] mmc0 timer\n", brightness: "0")
        #expect(putOut(["ACT"]) == [])
        #expect(leds.read("ACT/trigger") == "mmc0")
        #expect(runtime.read("lights") == Self.head)
    }
}
