/// The tables, and how older files become newer ones.
///
/// `PRAGMA user_version` is the number of steps that have been applied. A step is never changed once released; a new
/// one is added behind.
enum Schema {
    /// Marks our files in `PRAGMA application_id`: "SkyG".
    static let applicationID: Int64 = 0x536B_7947

    static let steps: [String] = [first, routes, relay, networks, names, certainty, use]

    /// Facts of fixed size are apart from texts, so that marking rows read, counting them and dropping the oldest
    /// touch few pages however long the texts are.
    private static let first = """
        CREATE TABLE meta(
            key TEXT PRIMARY KEY,
            value ANY NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES ('registrations', 0);

        CREATE TABLE identity(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            server TEXT NOT NULL,
            address BLOB NOT NULL,
            key_hash BLOB NOT NULL,
            registered INTEGER NOT NULL,
            last_seq INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE registrations(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            server TEXT NOT NULL,
            bundle TEXT NOT NULL,
            token BLOB NOT NULL,
            routing_key BLOB NOT NULL UNIQUE,
            e2ee_key BLOB NOT NULL,
            muted INTEGER NOT NULL,
            created INTEGER NOT NULL,
            UNIQUE (server, bundle)
        ) STRICT;

        CREATE TABLE inbox(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            msg_id BLOB NOT NULL,
            bundle TEXT NOT NULL,
            source INTEGER NOT NULL,
            received INTEGER NOT NULL,
            expires INTEGER,
            badge INTEGER,
            priority TEXT,
            read INTEGER NOT NULL DEFAULT 0,
            stale INTEGER NOT NULL,
            placeholder INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX inbox_read ON inbox(read);

        CREATE TABLE content(
            id INTEGER PRIMARY KEY REFERENCES inbox(id) ON DELETE CASCADE,
            title TEXT,
            subtitle TEXT,
            body TEXT,
            sound TEXT,
            category TEXT,
            thread TEXT,
            payload TEXT NOT NULL
        ) STRICT;

        CREATE TABLE seen(
            id INTEGER PRIMARY KEY,
            msg_id BLOB NOT NULL UNIQUE,
            keep_until INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX seen_keep_until ON seen(keep_until);

        CREATE TABLE acks(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            msg_id BLOB NOT NULL,
            status INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE counters(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            received INTEGER NOT NULL DEFAULT 0,
            duplicates INTEGER NOT NULL DEFAULT 0,
            expired INTEGER NOT NULL DEFAULT 0,
            rejected INTEGER NOT NULL DEFAULT 0,
            dropped_unread INTEGER NOT NULL DEFAULT 0,
            dropped_acks INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO counters(id) VALUES (1);
        """

    /// What routes decided: the pattern of the light (what came before is solid, 1), the route and what a newer
    /// notification may replace it by.
    private static let routes = """
        ALTER TABLE inbox ADD COLUMN light INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE inbox ADD COLUMN route TEXT;
        ALTER TABLE inbox ADD COLUMN collapse TEXT;
        CREATE INDEX inbox_light ON inbox(read, light);
        CREATE INDEX inbox_collapse ON inbox(bundle, collapse) WHERE read = 0 AND collapse IS NOT NULL;
        CREATE INDEX content_thread ON content(thread) WHERE thread IS NOT NULL;

        CREATE TABLE hooks(
            id INTEGER PRIMARY KEY REFERENCES inbox(id) ON DELETE CASCADE,
            route TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            tries INTEGER NOT NULL DEFAULT 0,
            reason TEXT
        ) STRICT;
        CREATE INDEX hooks_open ON hooks(route, id, state) WHERE state < 2;
        """

    /// Daemons that send to the board directly, what the admission policy remembers, and the last note of each pane.
    private static let relay = """
        CREATE TABLE pairings(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            source INTEGER NOT NULL,
            name TEXT NOT NULL,
            place TEXT NOT NULL,
            token BLOB NOT NULL UNIQUE,
            key BLOB NOT NULL,
            given BLOB NOT NULL,
            created INTEGER NOT NULL,
            UNIQUE (source, place)
        ) STRICT;

        CREATE TABLE admissions(
            device INTEGER NOT NULL REFERENCES pairings(id) ON DELETE CASCADE,
            key BLOB NOT NULL,
            state BLOB NOT NULL,
            seen INTEGER NOT NULL,
            PRIMARY KEY (device, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX admissions_seen ON admissions(seen);

        CREATE TABLE relay_clock(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            boot TEXT NOT NULL,
            booted INTEGER NOT NULL,
            wall INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE panes(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            pane BLOB NOT NULL UNIQUE,
            time INTEGER NOT NULL,
            digest BLOB NOT NULL
        ) STRICT;
        """

    /// How long each network holds a silent connection, and how that was learned.
    private static let networks = """
        CREATE TABLE networks(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            kind INTEGER NOT NULL,
            key BLOB NOT NULL,
            proven INTEGER NOT NULL,
            refuted INTEGER,
            changed INTEGER NOT NULL,
            UNIQUE (name, kind, key)
        ) STRICT;

        CREATE TABLE intervals(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            network INTEGER NOT NULL REFERENCES networks(id) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            idle INTEGER NOT NULL,
            outcome INTEGER NOT NULL,
            stage INTEGER NOT NULL,
            interval INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX intervals_network ON intervals(network, id);
        """

    /// Where servers were found (SGP v2 §1).
    private static let names = """
        CREATE TABLE names(
            name TEXT PRIMARY KEY,
            host TEXT NOT NULL,
            port INTEGER NOT NULL,
            addresses BLOB NOT NULL,
            pin BLOB NOT NULL,
            fetched INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// How sure it is that a network does not hold a silence.
    private static let certainty = """
        ALTER TABLE networks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE networks ADD COLUMN patience INTEGER NOT NULL DEFAULT 0;
        """

    /// When a network was in use last: long after the last thing was learned of it.
    private static let use = "ALTER TABLE networks ADD COLUMN used INTEGER NOT NULL DEFAULT 0"
}

extension Connection {
    /// Reads the version and refuses what is not ours or newer, without changing anything. An empty file is version 0.
    func schemaVersion(known: Int) throws(StoreError) -> Int {
        let version = try integer("PRAGMA user_version")
        let application = try integer("PRAGMA application_id")
        let isEmpty = try integer("SELECT count(*) FROM sqlite_schema") == 0
        guard application == Schema.applicationID || (isEmpty && version == 0 && application == 0) else {
            throw StoreError.corrupt(.init(call: "application_id", path: path))
        }
        guard version >= 0 else { throw StoreError.corrupt(.init(call: "user_version", path: path)) }
        guard version <= known else {
            throw StoreError.newer(.init(call: "user_version", path: path), schema: Int32(clamping: version))
        }
        return Int(version)
    }

    /// Applies the steps that the file lacks, all of them or none.
    func migrate(_ steps: [String]) throws(StoreError) {
        guard try schemaVersion(known: steps.count) < steps.count else { return }
        try execute("BEGIN IMMEDIATE", as: "begin migration")
        do throws(StoreError) {
            // Read again: another process may have been faster.
            let version = try schemaVersion(known: steps.count)
            for step in steps[version...] { try execute(step, as: "migrate") }
            try execute("PRAGMA application_id = \(Schema.applicationID)", as: "migrate")
            try execute("PRAGMA user_version = \(steps.count)", as: "migrate")
            try execute("COMMIT", as: "commit migration")
        } catch {
            if isInTransaction { try? execute("ROLLBACK", as: "roll back migration") }
            throw error
        }
    }
}
