import Testing

@testable import Panel

@Suite struct LightPatternTests {
    @Test(arguments: ["off", "solid", "slow", "fast", "double", "pulse"])
    func namesAreThoseOfTheConfiguration(name: String) {
        #expect(LightPattern(name: name)?.name == name)
    }

    @Test(arguments: ["", "Off", "OFF", "solid ", "blink", "of"])
    func otherNamesAreRefused(name: String) {
        #expect(LightPattern(name: name) == nil)
    }

    @Test func offAndSolidNeverChange() {
        for time in [0, 1, 999, Int64.max] as [Int64] {
            #expect(LightPattern.off.moment(at: time) == LightMoment(isOn: false, change: nil))
            #expect(LightPattern.solid.moment(at: time) == LightMoment(isOn: true, change: nil))
        }
    }

    @Test(
        arguments: [
            (.slow, 0, true, 1000), (.slow, 999, true, 1000), (.slow, 1000, false, 2000), (.slow, 1001, false, 2000),
            (.slow, 1999, false, 2000), (.slow, 2000, true, 3000), (.slow, 7_200_000, true, 7_201_000),
            (.fast, 0, true, 125), (.fast, 124, true, 125), (.fast, 125, false, 250), (.fast, 249, false, 250),
            (.fast, 250, true, 375),
            (.double, 0, true, 100), (.double, 100, false, 250), (.double, 249, false, 250), (.double, 250, true, 350),
            (.double, 350, false, 2000), (.double, 1999, false, 2000), (.double, 2000, true, 2100),
            (.pulse, 0, true, 80), (.pulse, 79, true, 80), (.pulse, 80, false, 5000), (.pulse, 4999, false, 5000),
            (.pulse, 5000, true, 5080),
            (.slow, -1, true, 1000),
        ] as [(LightPattern, Int64, Bool, Int64)])
    func moments(pattern: LightPattern, elapsed: Int64, isOn: Bool, change: Int64) {
        #expect(pattern.moment(at: elapsed) == LightMoment(isOn: isOn, change: change))
    }

    /// What the loop relies on: until the change nothing differs, and at the change it does.
    @Test(arguments: [LightPattern.slow, .fast, .double, .pulse])
    func everyChangeIsOne(pattern: LightPattern) {
        var time: Int64 = 0
        for _ in 0..<50 {
            let moment = pattern.moment(at: time)
            guard let change = moment.change else {
                Issue.record("the pattern stopped")
                return
            }
            #expect(change > time)
            #expect(pattern.moment(at: change - 1).isOn == moment.isOn)
            #expect(pattern.moment(at: change).isOn != moment.isOn)
            time = change
        }
    }

    /// 2^63 - 1 ms are 1,807 ms into a period of 2 s, 57 into one of 250 ms and 807 into one of 5 s.
    @Test(
        arguments: [
            (.off, false), (.solid, true), (.slow, false), (.fast, true), (.double, false), (.pulse, false),
        ] as [(LightPattern, Bool)])
    func theEndOfTimeIsAMomentLikeOthers(pattern: LightPattern, isOn: Bool) {
        #expect(pattern.moment(at: .max).isOn == isOn)
        #expect((pattern.moment(at: .max).change == nil) == (pattern == .off || pattern == .solid))
    }

    @Test(arguments: [1, 2, 20]) func beepsEnd(count: Int) {
        var time: Int64 = 0
        var sounded = 0
        for _ in 0..<100 {
            let moment = Flashes.beeps(count).moment(at: time)
            if moment.isOn { sounded += 1 }
            guard let change = moment.change else { break }
            time = change
        }
        #expect(sounded == count)
        #expect(time == Int64(count) * 250 - 130)
        #expect(Flashes.beeps(count).moment(at: .max) == LightMoment(isOn: false, change: nil))
    }
}
