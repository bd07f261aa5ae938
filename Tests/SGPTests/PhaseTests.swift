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

    /// In HelloReceived C_LOGIN or C_REGISTER is on its way out and nothing but S_DISCONNECT may come, not even in the
    /// read that brought S_HELLO.
    @Test(arguments: [Purpose.login, .register], [false, true]) func helloReceived(purpose: Purpose, isOneRead: Bool) {
        for type in ServerMessage.allCases {
            let driver = Driver(purpose, in: isOneRead ? .preHello : .helloReceived)
            driver.sends = false
            driver.feed((isOneRead ? Server.hello : []) + Server.sample(type))
            if isOneRead { #expect(driver.events.removeFirst() == .hello(version: 2)) }
            if type == .disconnect {
                #expect(driver.events == [.ended(.disconnected(code: 0, retryAfter: 0))])
            } else {
                #expect(driver.events == [.ended(.protocolFault(.phase(type, .helloReceived)))], "\(type)")
                driver.sendAll()
                #expect(driver.frames.map { $0[2] } == [purpose == .login ? 0x20 : 0x28, 0x24])
            }
        }
    }

    /// The phase moves on with the frame that has left, and not with C_UPGRADE before it.
    @Test func helloReceivedUntilLoginHasLeft() {
        let driver = Driver(.login, in: .preHello)
        driver.sends = false
        driver.feed(legacyHello(54) + Server.hello)
        #expect(driver.session.phase == .helloReceived)
        driver.send()
        #expect(driver.frames == [Client.upgrade])
        #expect(driver.session.phase == .helloReceived)
        driver.send()
        #expect(driver.session.phase == .challengeWait)
        driver.sends = true
        driver.feed(Server.challenge)
        #expect(driver.session.phase == .authWait)
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
