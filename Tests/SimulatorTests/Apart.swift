import Foundation
import Simulator

/// Does something long on a thread of its own, so that the few threads of asynchronous tests stay free.
func apart<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: body()) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}

func simulate(_ plan: Plan) async -> Outcome { await apart { Simulation().run(plan) } }
