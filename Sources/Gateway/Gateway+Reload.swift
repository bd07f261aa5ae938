import Bytes
import Loop
import Panel
import SGP
import Store

/// SIGHUP and `skyglowd reload`: the new configuration takes the place of the old one, or the old one stays.
extension Gateway {
    /// False if the new configuration has faults; the old one is then kept.
    @discardableResult
    func reload(now: Int64) -> Bool {
        let next: Configuration
        let settings: UplinkSettings?
        let routing: Routing
        do throws(StartupError) {
            // A new place would have another database, which only a new gateway opens: until then everything stays together.
            let wanted = try Startup.load(configurationPath)
            next = try Startup.load(configurationPath, in: configuration)
            if wanted.directory != configuration.directory || wanted.runtime != configuration.runtime {
                log.warning(.configuration, "other directories take a restart: those of before stay in use")
            }
            settings = try Startup.uplinkSettings(next)
            routing = try Startup.routing(next)
        } catch {
            for line in error.lines { log.answer(.error, .configuration, "\(line)") }
            log.error(.configuration, "the old configuration stays in force")
            if error.isCertificateMissing { uplink?.forgetPlace() }
            return false
        }
        log.level = next.log.level
        if next.panel != configuration.panel {
            panel.shutdown(wall: clock.unixMilliseconds)
            panel = Panel(next.panel, found: found, now: now)
            // The new lights know nothing yet; the next turn of the loop shows the link's.
            shownLink = nil
            refreshMessageLight(now: now)
        }
        let relayChanged = next.relay != configuration.relay
        configuration = next
        hooks.replace(next.routes)
        outlets.replace(next.routes)
        replaceUplink(settings, routing, now: now)
        if relayChanged { replaceRelay(routing) } else { relay?.routing = routing }
        log.notice(.configuration, "reloaded")
        return true
    }

    private func replaceRelay(_ routing: Routing) {
        relay?.save()
        if let relay { relayCounters = relay.counters }
        // Its port has to be free.
        relay = nil
        guard let settings = configuration.relay else { return }
        do throws(StoreError) {
            relay = try RelayService(
                settings, routing: routing, opener: opener, outlets: outlets, store: store, log: log,
                counters: relayCounters)
        } catch { report(error) }
    }

    /// A changed server gets a new uplink; an unchanged one that is not connected tries again at once. Where no new one
    /// can be made, because the store is busy for one, the old one stays until it can.
    private func replaceUplink(_ settings: UplinkSettings?, _ routing: Routing, now: Int64) {
        postponed = nil
        if let uplink, let settings, uplink.settings == settings {
            uplink.routing = routing
            uplink.exchange.link.forgetStoreFailures()
            if uplink.link.state != .connected { uplink.reconnect(now: now) }
            return
        }
        guard let settings else {
            uplink?.finish(.stopped, now: now)
            return uplink = nil
        }
        let keeper =
            settings.serverAddress == uplink?.settings.serverAddress
            ? timekeeper : Timekeeper(store: store, log: log, server: settings.serverAddress)
        do throws(StoreError) {
            let made = try Uplink(
                settings, routing: routing, outlets: outlets, store: store,
                keyFile: KeyFile(directory: configuration.directory), log: log, timekeeper: keeper
            )
            uplink?.finish(.stopped, now: now)
            timekeeper = keeper
            made.monitor = monitor
            made.exchange.delivery.sealedOpener = opener
            made.start(now: now)
            uplink = made
        } catch {
            report(error)
            log.error(.link, "the new connection could not be prepared: tried again in \(Self.retry / 1_000) s")
            postponed = (settings, routing, now + Self.retry)
        }
    }

    private static let retry: Int64 = 5_000

    /// Makes the uplink that could not be made before, once that is due.
    func retryUplink(now: Int64) {
        guard let next = postponed, now >= next.due else { return }
        replaceUplink(next.settings, next.routing, now: now)
    }
}
