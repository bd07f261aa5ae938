/// Every statement of the store, prepared when it is opened.
struct Statements {
    let begin, commit, rollback, dataVersion: Statement
    let counters, addCounters: Statement
    let metaValue, setMeta, clock, setClock: Statement
    let identity, setIdentity, removeIdentity, setLastSequence: Statement
    let registrationCount, addRegistration, muteRegistration, deleteRegistration: Statement
    let registration, registrationKnown, registrations, changeRegistrations: Statement
    let registrationsGeneration: Statement
    let isSeen, markSeen, lastSeen, forgetSeen, forgetOldest: Statement
    let insertAcknowledgement, acknowledgements, deleteAcknowledgements, acknowledgementCount: Statement
    let lastAcknowledgement: Statement
    let insertNotification, insertContent, inboxCount, dropRead, dropReadWithHook, dropUnread: Statement
    let inbox, unreadInbox, notification, unread, unreadCount, isRead, markRead, markAllRead: Statement
    let unreadLights, replaceCollapsed, replaceThread: Statement
    let insertHook, nextHook, openHookCount, openHookRoutes, startHook, endHook, stopHook, buryHooks: Statement
    let names, setNames, countNames, removeNames: Statement
    let setPairing, pairings, pairingCount, deletePairing: Statement
    let admissions, setAdmission, deleteAdmission, dropAdmissions, relayClock, setRelayClock: Statement
    let pane, setPane, dropPanes: Statement
    let network, networks, setNetwork, boundNetworks, forgetNetworks, forgetNetwork: Statement
    let networkUse, setNetworkUse: Statement
    let addIntervalEvent, intervalEvents, boundIntervalEvents: Statement

    init(_ connection: borrowing Connection) throws(StoreError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        dataVersion = try connection.prepare("PRAGMA data_version")
        counters = try connection.prepare(
            "SELECT received, duplicates, expired, rejected, dropped_unread, dropped_acks FROM counters")
        addCounters = try connection.prepare(
            """
            UPDATE counters SET received = received + ?1, duplicates = duplicates + ?2, expired = expired + ?3,
            rejected = rejected + ?4, dropped_unread = dropped_unread + ?5, dropped_acks = dropped_acks + ?6
            """)
        metaValue = try connection.prepare("SELECT value FROM meta WHERE key = ?1")
        setMeta = try connection.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES (?1, ?2)")
        clock = try connection.prepare("SELECT value FROM meta WHERE key = 'clock'")
        setClock = try connection.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('clock', ?1)")

        identity = try connection.prepare("SELECT server, address, key_hash, registered, last_seq FROM identity")
        setIdentity = try connection.prepare(
            """
            INSERT OR REPLACE INTO identity(id, server, address, key_hash, registered, last_seq)
            VALUES (1, ?1, ?2, ?3, ?4, 0)
            """)
        removeIdentity = try connection.prepare("DELETE FROM identity")
        setLastSequence = try connection.prepare("UPDATE identity SET last_seq = ?1")

        let registrationColumns =
            "SELECT server, bundle, token, routing_key, e2ee_key, muted, created FROM registrations"
        registrationCount = try connection.prepare(
            "SELECT count(*) FROM registrations WHERE server = ?1 OR ?1 IS NULL")
        addRegistration = try connection.prepare(
            """
            INSERT INTO registrations(server, bundle, token, routing_key, e2ee_key, muted, created)
            VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)
            """)
        muteRegistration = try connection.prepare(
            "UPDATE registrations SET muted = ?3 WHERE server = ?1 AND bundle = ?2 AND muted <> ?3")
        deleteRegistration = try connection.prepare("DELETE FROM registrations WHERE server = ?1 AND bundle = ?2")
        registration = try connection.prepare(registrationColumns + " WHERE server = ?1 AND bundle = ?2")
        registrationKnown = try connection.prepare("SELECT 1 FROM registrations WHERE server = ?1 AND bundle = ?2")
        registrations = try connection.prepare(
            registrationColumns + " WHERE server = ?1 OR ?1 IS NULL ORDER BY id")
        changeRegistrations = try connection.prepare("UPDATE meta SET value = value + 1 WHERE key = 'registrations'")

        registrationsGeneration = try connection.prepare("SELECT value FROM meta WHERE key = 'registrations'")

        isSeen = try connection.prepare("SELECT 1 FROM seen WHERE msg_id = ?1")
        markSeen = try connection.prepare(
            "INSERT INTO seen(msg_id, keep_until) VALUES (?1, ?2) ON CONFLICT(msg_id) DO NOTHING")
        lastSeen = try connection.prepare("SELECT max(id) FROM seen")
        forgetSeen = try connection.prepare(
            """
            DELETE FROM seen WHERE id IN
            (SELECT id FROM seen INDEXED BY seen_keep_until WHERE keep_until < ?1 AND id <= ?2 LIMIT ?3)
            """)
        forgetOldest = try connection.prepare(
            "DELETE FROM seen WHERE id IN (SELECT id FROM seen WHERE id <= ?1 ORDER BY id LIMIT ?2)")

        insertAcknowledgement = try connection.prepare("INSERT INTO acks(msg_id, status) VALUES (?1, ?2)")
        acknowledgements = try connection.prepare(
            "SELECT id, msg_id, status FROM acks WHERE id > ?1 ORDER BY id LIMIT ?2")
        deleteAcknowledgements = try connection.prepare("DELETE FROM acks WHERE id <= ?1")
        lastAcknowledgement = try connection.prepare("SELECT max(id) FROM acks")
        acknowledgementCount = try connection.prepare("SELECT count(*) FROM acks WHERE id > ?1")

        insertNotification = try connection.prepare(
            """
            INSERT INTO inbox(msg_id, bundle, source, received, expires, badge, priority, stale, placeholder, read,
            light, route, collapse) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """)
        insertContent = try connection.prepare(
            """
            INSERT INTO content(id, title, subtitle, body, sound, category, thread, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        inboxCount = try connection.prepare("SELECT count(*) FROM inbox")
        let dropped = "DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE read = "
        // Those whose hook has still to run come last.
        dropRead = try connection.prepare(
            dropped + "1 AND id NOT IN (SELECT id FROM hooks WHERE state < 2) ORDER BY id LIMIT ?1)")
        dropReadWithHook = try connection.prepare(dropped + "1 ORDER BY id LIMIT ?1)")
        dropUnread = try connection.prepare(dropped + "0 ORDER BY id LIMIT ?1)")

        let notificationColumns = """
            SELECT inbox.id, msg_id, bundle, source, received, expires, badge, priority, read, stale, placeholder,
            title, subtitle, body, sound, category, thread, payload, light, inbox.route, collapse,
            hooks.state, hooks.tries, hooks.reason
            FROM inbox JOIN content ON content.id = inbox.id LEFT JOIN hooks ON hooks.id = inbox.id
            """
        inbox = try connection.prepare(notificationColumns + " ORDER BY inbox.id DESC LIMIT ?1")
        unreadInbox = try connection.prepare(
            notificationColumns + " WHERE read = 0 ORDER BY inbox.id DESC LIMIT ?1")
        notification = try connection.prepare(notificationColumns + " WHERE inbox.id = ?1")
        unread = try connection.prepare(
            "SELECT id, bundle, source, received, priority, stale, placeholder FROM inbox WHERE read = 0 ORDER BY id")
        unreadLights = try connection.prepare("SELECT DISTINCT light FROM inbox INDEXED BY inbox_light WHERE read = 0")
        replaceCollapsed = try connection.prepare(
            """
            UPDATE inbox INDEXED BY inbox_collapse SET read = 1
            WHERE read = 0 AND bundle = ?1 AND collapse = ?2 AND id < ?3
            """)
        replaceThread = try connection.prepare(
            """
            UPDATE inbox SET read = 1 WHERE read = 0 AND bundle = ?1 AND id < ?3
            AND id IN (SELECT id FROM content INDEXED BY content_thread WHERE thread = ?2)
            """)
        unreadCount = try connection.prepare("SELECT count(*) FROM inbox WHERE read = 0")
        insertHook = try connection.prepare("INSERT INTO hooks(id, route) VALUES (?1, ?2)")
        nextHook = try connection.prepare(
            "SELECT id, tries FROM hooks INDEXED BY hooks_open WHERE state < 2 AND route = ?1 ORDER BY id LIMIT 1")
        openHookCount = try connection.prepare("SELECT count(*) FROM hooks WHERE state < 2")
        openHookRoutes = try connection.prepare(
            "SELECT DISTINCT route FROM hooks INDEXED BY hooks_open WHERE state < 2")
        startHook = try connection.prepare("UPDATE hooks SET state = 1, tries = tries + 1 WHERE id = ?1")
        endHook = try connection.prepare("UPDATE hooks SET state = ?2, reason = ?3 WHERE id = ?1")
        stopHook = try connection.prepare("UPDATE hooks SET state = 0, tries = tries - 1 WHERE id = ?1 AND state = 1")
        buryHooks = try connection.prepare("UPDATE hooks SET state = 3, reason = ?2 WHERE state < 2 AND route = ?1")

        isRead = try connection.prepare("SELECT read FROM inbox WHERE id = ?1")
        markRead = try connection.prepare("UPDATE inbox SET read = 1 WHERE id = ?1")
        markAllRead = try connection.prepare("UPDATE inbox SET read = 1 WHERE read = 0 AND id <= ?1")

        names = try connection.prepare("SELECT host, port, addresses, pin, fetched FROM names WHERE name = ?1")
        setNames = try connection.prepare("INSERT OR REPLACE INTO names VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        countNames = try connection.prepare("SELECT count(*) FROM names WHERE name = ?1 OR ?1 IS NULL")
        removeNames = try connection.prepare("DELETE FROM names WHERE name = ?1 OR ?1 IS NULL")

        setPairing = try connection.prepare(
            """
            INSERT INTO pairings(source, name, place, token, key, given, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT(source, place) DO UPDATE SET name = excluded.name, key = excluded.key, given = excluded.given
            RETURNING id
            """)
        pairings = try connection.prepare(
            "SELECT id, source, name, place, token, key, given, created FROM pairings ORDER BY id")
        pairingCount = try connection.prepare("SELECT count(*) FROM pairings")
        deletePairing = try connection.prepare("DELETE FROM pairings WHERE id = ?1")
        admissions = try connection.prepare("SELECT device, key, state FROM admissions ORDER BY seen DESC")
        setAdmission = try connection.prepare(
            "INSERT OR REPLACE INTO admissions(device, key, state, seen) VALUES (?1, ?2, ?3, ?4)")
        deleteAdmission = try connection.prepare("DELETE FROM admissions WHERE device = ?1 AND key = ?2")
        dropAdmissions = try connection.prepare(
            """
            DELETE FROM admissions WHERE (SELECT count(*) FROM admissions) > ?1 AND (device, key) IN
            (SELECT device, key FROM admissions INDEXED BY admissions_seen ORDER BY seen LIMIT 1)
            """)
        relayClock = try connection.prepare("SELECT boot, booted, wall FROM relay_clock")
        setRelayClock = try connection.prepare(
            "INSERT OR REPLACE INTO relay_clock(id, boot, booted, wall) VALUES (1, ?1, ?2, ?3)")
        pane = try connection.prepare("SELECT time, digest FROM panes WHERE pane = ?1")
        // The digests of all notes of the same time, one after the other.
        setPane = try connection.prepare(
            """
            INSERT OR REPLACE INTO panes(pane, time, digest) VALUES (?1, ?2,
            CAST(coalesce((SELECT digest FROM panes WHERE pane = ?1 AND time = ?2), x'') || ?3 AS BLOB))
            """)
        dropPanes = try connection.prepare(
            """
            DELETE FROM panes WHERE (SELECT count(*) FROM panes) > ?1
            AND id = (SELECT min(id) FROM panes)
            """)

        let networkColumns = "SELECT id, name, kind, key, proven, refuted, changed, failures, patience FROM networks"
        network = try connection.prepare(networkColumns + " WHERE name = ?1 AND kind = ?2 AND key = ?3")
        networks = try connection.prepare(networkColumns + " ORDER BY changed DESC, id DESC")
        setNetwork = try connection.prepare(
            """
            INSERT INTO networks(name, kind, key, proven, refuted, changed, failures, patience, used)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6) ON CONFLICT(name, kind, key)
            DO UPDATE SET proven = ?4, refuted = ?5, changed = ?6, failures = ?7, patience = ?8, used = ?6
            """)
        networkUse = try connection.prepare("SELECT used FROM networks WHERE name = ?1 AND kind = ?2 AND key = ?3")
        setNetworkUse = try connection.prepare(
            "UPDATE networks SET used = ?4 WHERE name = ?1 AND kind = ?2 AND key = ?3")
        boundNetworks = try connection.prepare(
            """
            DELETE FROM networks WHERE id NOT IN
            (SELECT id FROM networks ORDER BY max(changed, used) DESC, id DESC LIMIT ?1)
            """)
        forgetNetworks = try connection.prepare("DELETE FROM networks WHERE name = ?1 OR ?1 IS NULL")
        forgetNetwork = try connection.prepare("DELETE FROM networks WHERE id = ?1")
        addIntervalEvent = try connection.prepare(
            """
            INSERT INTO intervals(network, time, idle, outcome, stage, interval)
            SELECT id, ?4, ?5, ?6, ?7, ?8 FROM networks WHERE name = ?1 AND kind = ?2 AND key = ?3
            """)
        intervalEvents = try connection.prepare(
            """
            SELECT time, idle, outcome, stage, interval FROM
            (SELECT * FROM intervals WHERE network = ?1 ORDER BY id DESC LIMIT ?2) ORDER BY id
            """)
        boundIntervalEvents = try connection.prepare(
            """
            DELETE FROM intervals WHERE network = ?1 AND id <=
            (SELECT id FROM intervals WHERE network = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """)
    }
}
