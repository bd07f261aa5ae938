import SGP
import Testing

/// Every frame of a server in every phase, for both purposes, against the table of SGP v2 §3. A fault ends the
/// connection cleanly: with C_DISCONNECT, once the server has said S_HELLO.
@Suite struct PhaseTests {
    static let table: [Phase: Set<ServerMessage>] = [
        .preHello: [.hello],
        .helloReceived: [],
        .challengeWait: [.challenge, .registerFail],
        .authWait: [.authOK, .registerOK, .registerFail],
        .authenticated: [.notify, .ping, .pong, .pollDone, .timeSync],
    ]

    static func isAllowed(_ type: ServerMessage, _ phase: Phase, _ purpose: Purpose) -> Bool {
        if type == .disconnect { return true }
        if purpose == .login, type == .registerOK || type == .registerFail { return false }
        if purpose == .register, type == .authOK { return false }
        return table[phase]?.contains(type) ?? false
    }

    @Test(arguments: [Purpose.login, .register], [Phase.preHello, .challengeWait, .authWait, .authenticated])
    func table(purpose: Purpose, phase: Phase) {
        if purpose == .register, phase == .authenticated { return }
        for type in ServerMessage.allCases {
            for most in [Int.max, 1] {
                let driver = Driver(purpose, in: phase)
                #expect(driver.session.phase == phase)
                driver.feed(Server.sample(type), most: most)
                if Self.isAllowed(type, phase, purpose) {
                    #expect(driver.fault == nil, "\(type)")
                    #expect(driver.events.count >= 1, "\(type)")
                } else {
                    #expect(driver.events == [.ended(.protocolFault(.phase(type, phase)))], "\(type)")
                    #expect(driver.frames == (phase == .preHello ? [] : [Client.goodbye]), "\(type)")
                    #expect(driver.session.phase == .closed, "\(type)")
                }
            }
        }
    }

    /// In HelloReceived C_LOGIN or C_REGISTER is on its way out and nothing but S_DISCONNECT may come.
    @Test(arguments: [Purpose.login, .register]) func helloReceived(purpose: Purpose) {
        for type in ServerMessage.allCases where type != .challenge && type != .registerFail {
            let driver = Driver(purpose, in: .helloReceived)
            driver.feed(Server.sample(type))
            if type == .disconnect {
                #expect(driver.events == [.ended(.disconnected(code: 0, retryAfter: 0))])
            } else {
                #expect(driver.fault != nil, "\(type)")
            }
        }
    }

    /// Between S_CHALLENGE and the answer to it the phase is still ChallengeWait: no verdict may come yet.
    @Test(arguments: [Purpose.login, .register]) func unansweredChallenge(purpose: Purpose) {
        for type in [ServerMessage.authOK, .registerOK, .notify, .ping, .timeSync] {
            let driver = Driver(purpose, in: .challengeWait)
            driver.answers = false
            driver.feed(Server.challenge)
            #expect(driver.events == [.challenge])
            driver.feed(Server.sample(type))
            #expect(driver.fault != nil, "\(type)")
            #expect(driver.events.count == 2)
        }
    }

    /// After the end nothing is heard of, whatever comes.
    @Test func closed() {
        for type in ServerMessage.allCases {
            let driver = Driver.synchronised()
            driver.feed(frame(.disconnect, [4]))
            #expect(driver.end == .disconnected(code: 4, retryAfter: 0))
            driver.forget()
            driver.feed(Server.sample(type))
            driver.wait(10_000_000)
            #expect(driver.events == [])
            #expect(driver.frames == [])
            #expect(driver.session.deadline == .max)
        }
    }

    @Test func namesAreThoseOfTheSpecification() {
        let names = [Phase.preHello, .helloReceived, .challengeWait, .authWait, .authenticated].map(\.name)
        #expect(names == ["PreHello", "HelloReceived", "ChallengeWait", "AuthWait", "Authenticated"])
        #expect(Set(ServerMessage.allCases.map(\.name)).count == ServerMessage.allCases.count)
    }
}
