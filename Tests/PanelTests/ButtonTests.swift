import Bytes
import Testing

@testable import Panel

/// Expected times follow from the two limits: 20 ms to settle, 2000 ms for a long press.
@Suite struct ButtonTests {
    /// Edges as (active, time), then what is told until `end`, asked at every deadline and millisecond.
    func presses(_ edges: [(Bool, Int64)], until end: Int64, heldAtStart: Bool = false) -> [String] {
        var button = Button(isPressed: heldAtStart, now: 0)
        var told: [String] = []
        func note(_ press: ButtonPress?, _ time: Int64) {
            guard let press else { return }
            told.append("\(press == .long ? "long" : "short") \(time)")
        }
        var next = 0
        for time in 0...end {
            while next < edges.count, edges[next].1 == time {
                note(button.edge(isActive: edges[next].0, at: time), time)
                next += 1
            }
            note(button.advance(to: time), time)
        }
        return told
    }

    @Test func aPressIsToldWhenItsReleaseHasSettled() {
        #expect(presses([(true, 100), (false, 300)], until: 5000) == ["short 320"])
    }

    @Test(arguments: [(19, []), (20, ["short 140"]), (21, ["short 141"])] as [(Int64, [String])])
    func whatIsShorterThanTheContactsBounceIsNone(length: Int64, expected: [String]) {
        #expect(presses([(true, 100), (false, 100 + length)], until: 5000) == expected)
    }

    @Test(
        arguments: [
            (1999, ["short 2119"]), (2000, ["long 2100"]), (2001, ["long 2100"]), (9000, ["long 2100"]),
        ] as [(Int64, [String])])
    func aLongPressIsToldWhileItLasts(length: Int64, expected: [String]) {
        #expect(presses([(true, 100), (false, 100 + length)], until: 12_000) == expected)
    }

    /// Every bounce begins the wait again; the press begins with the last of them.
    @Test func bouncingContactsAreOnePress() {
        var edges: [(Bool, Int64)] = []
        for index in 0..<9 { edges.append((index % 2 == 0, 100 + Int64(index) * 3)) }
        for index in 0..<9 { edges.append((index % 2 == 1, 500 + Int64(index) * 7)) }
        #expect(presses(edges, until: 5000) == ["short 576"])
    }

    @Test func aBounceInTheMiddleOfALongPressDoesNotEndIt() {
        #expect(presses([(true, 100), (false, 1000), (true, 1005)], until: 5000) == ["long 2100"])
        // Neither does one just when the press becomes long, though nobody can know before it has settled.
        #expect(presses([(true, 100), (false, 2095), (true, 2103)], until: 5000) == ["long 2103"])
        #expect(presses([(true, 100), (false, 2095)], until: 5000) == ["short 2115"])
    }

    @Test func twoPressesAreTwo() {
        let edges: [(Bool, Int64)] = [(true, 100), (false, 200), (true, 300), (false, 400)]
        #expect(presses(edges, until: 1000) == ["short 220", "short 420"])
    }

    @Test func heldSinceTheStartIsNoPress() {
        #expect(presses([], until: 5000, heldAtStart: true) == [])
        let edges: [(Bool, Int64)] = [(false, 3000), (true, 4000), (false, 4100)]
        #expect(presses(edges, until: 5000, heldAtStart: true) == ["short 4120"])
    }

    /// The loop was away for a minute: the edges still say how long each press was.
    @Test func edgesThatComeLateKeepTheirTimes() {
        var button = Button(isPressed: false, now: 0)
        #expect(button.edge(isActive: true, at: 1000) == nil)
        #expect(button.edge(isActive: false, at: 1100) == nil)
        #expect(button.edge(isActive: true, at: 2000) == .short)
        #expect(button.edge(isActive: false, at: 5000) == .long)
        #expect(button.advance(to: 60_000) == nil)
    }

    /// Between the first edge and the last, a short press and a long one may both have become certain.
    @Test func timeThatGoesBackIsHeld() {
        var button = Button(isPressed: false, now: 1000)
        #expect(button.edge(isActive: true, at: 10) == nil)
        #expect(button.deadline == 1020)
        #expect(button.advance(to: 1020) == nil)
        #expect(button.deadline == 3000)
        #expect(button.advance(to: 3000) == .long)
        #expect(button.deadline == nil)
    }

    /// A loop that sleeps until each deadline sees the same as one that looks every millisecond.
    @Test func deadlinesSuffice() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var edges: [(Bool, Int64)] = []
            var time: Int64 = 0
            for index in 0..<12 {
                time += [1, 5, 19, 20, 21, 500, 1999, 2000, 2500].randomElement(using: &random) ?? 1
                edges.append((index % 2 == 0, time))
            }
            var button = Button(isPressed: false, now: 0)
            var told: [String] = []
            var next = 0
            var now: Int64 = 0
            while true {
                let edge = next < edges.count ? edges[next].1 : .max
                let due = min(edge, button.deadline ?? .max)
                guard due != .max else { break }
                now = max(now, due)
                var press: ButtonPress?
                if due == edge {
                    press = button.edge(isActive: edges[next].0, at: now)
                    next += 1
                } else {
                    press = button.advance(to: now)
                }
                if let press { told.append("\(press == .long ? "long" : "short") \(now)") }
            }
            #expect(told == presses(edges, until: time + 3000), "edges: \(edges)")
        }
    }
}
