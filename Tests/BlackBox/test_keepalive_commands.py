"""`keepalive show`, `plot` and `forget`, and what `status` says of the interval; with a daemon and without one."""
import json
import os
import re
import sqlite3
import stat
import subprocess
import time
import xml.etree.ElementTree as xml

import pytest

from harness.settings import wait_until

SVG = "{http://www.w3.org/2000/svg}"
# An interval that is learned within a test: nothing is proven before the first answer.
BOUNDS = {"keepalive": {"minimum": 2, "maximum": 8, "pong-timeout": 1}}
DAY = 86_400

# time before now, idle, outcome (1 proven, 2 refuted, 3 doubted, 4 confirmed), stage, interval
LIFE = [(40 * DAY - 120, 120, 1, 0, 180), (40 * DAY - 300, 180, 1, 0, 600), (40 * DAY - 1300, 600, 1, 0, 780),
        (40 * DAY - 2200, 780, 3, 3, 600), (40 * DAY - 2900, 780, 2, 1, 705), (3 * DAY, 705, 1, 2, 705)]


@pytest.fixture
def base(gateway):
    """The database of a gateway that does not run, made by the program itself."""
    gateway.cli("keepalive", "show")
    base = sqlite3.connect(gateway.state / "skyglow.db")
    yield base
    base.close()


def network(base, name="eth0", kind=1, key=bytes.fromhex("b827eb123456"), proven=705, refuted=780, age=3 * DAY, life=LIFE):
    now = int(time.time())
    row = base.execute("INSERT INTO networks(name, kind, key, proven, refuted, changed) VALUES (?, ?, ?, ?, ?, ?)",
                       (name, kind, key, proven, refuted, now - age)).lastrowid
    base.executemany("INSERT INTO intervals(network, time, idle, outcome, stage, interval) VALUES (?, ?, ?, ?, ?, ?)",
                     [(row, now - before, *rest) for before, *rest in life])
    base.commit()
    return row


def shown(gateway, *arguments):
    return gateway.json("keepalive", "show", *arguments)["networks"]


# ---- nothing is known -------------------------------------------------------------------------------------------------

def test_nothing_is_known(gateway):
    done = gateway.cli("keepalive", "show")
    assert done.stdout == "" and "nothing has been learned" in done.stderr
    assert gateway.json("keepalive", "show") == {"running": False, "networks": []}
    done = gateway.cli("keepalive", "plot")
    assert done.stdout == "" and "history is empty" in done.stderr
    target = gateway.directory / "empty.svg"
    assert "history is empty" in gateway.cli("keepalive", "plot", "--svg", str(target), code=65).stderr
    assert not target.exists()
    gateway.cli("keepalive", "forget", "all")
    for verb in (["show", "eth9"], ["forget", "eth9"], ["plot", "--network", "eth9"], ["show", "17"], ["show", ""]):
        done = gateway.cli("keepalive", *verb, code=65)
        assert "no network" in done.stderr and not done.stdout


@pytest.mark.parametrize("words", [[], ["dance"], ["show", "a", "b"], ["plot", "x"], ["plot", "--svg"], ["plot", "--svg", ""],
                                   ["forget", "a", "b"], ["show", "--svg", "x"], ["forget"]], ids=" ".join)
def test_usage(gateway, words):
    done = gateway.cli("keepalive", *words, code=64)
    assert done.stderr.strip() and not done.stdout


# ---- show -------------------------------------------------------------------------------------------------------------

def test_show_explains(gateway, base):
    network(base)
    text = gateway.cli("keepalive", "show").stdout
    for part in ["eth0, ethernet, gateway b8:27:eb:12:34:56", "11 min 45 s to begin with, steady", "3 days ago",
                 "no answer after 780 s idle, twice", "39 days ago", "10 min to 55 min", "down to 60 s",
                 "is the longest silence that was survived; 13 min was"]:
        assert part in text, part
    assert max(map(len, text.splitlines())) <= 80
    assert "in use" not in text
    row, = shown(gateway)
    now = time.time()
    assert row["interface"] == {"name": "eth0", "kind": "ethernet"} and row["gateway"] == "b8:27:eb:12:34:56"
    assert (row["interval"], row["proven"], row["refuted"], row["refuted_times"]) == (705, 705, 780, 2)
    assert row["stage"] == "steady" and row["in_use"] is False
    # Above what was not survived, a month after something was learned last.
    assert row["next_probe"]["interval"] > 780 and abs(row["next_probe"]["at"] - (now + 27 * DAY)) < 60
    assert abs(row["proven_at"] - (now - 3 * DAY)) < 60 and abs(row["refuted_at"] - (now - 40 * DAY + 2900)) < 60
    assert (row["minimum"], row["maximum"], row["floor"], row["events"]) == (600, 3300, 60, 6)
    assert "13 min" in row["reason"]


def test_show_finds_by_number_interface_and_gateway(gateway, base):
    first = network(base)
    second = network(base, "wlan0", 2, bytes([192, 168, 1, 1]), age=1)
    assert [r["id"] for r in shown(gateway)] == [second, first]
    for name in (str(first), "eth0", "b8:27:eb:12:34:56"):
        assert [r["id"] for r in shown(gateway, name)] == [first]
    assert [r["id"] for r in shown(gateway, "192.168.1.1")] == [second]
    text = gateway.cli("keepalive", "show").stdout
    assert re.search(rf"^{second}  wlan0, wifi, gateway 192\.168\.1\.1$", text, re.M)


def test_bounds_follow_the_kind_and_the_configuration(gateway, base):
    network(base, "ppp0", 3, b"", proven=3300, refuted=None)
    gateway.configure("keepalive", minimum=700, maximum=3000)
    row, = shown(gateway)
    assert (row["minimum"], row["maximum"], row["proven"], row["next_probe"]) == (700, 1680, 1680, None)
    gateway.configure("keepalive", minimum=900, maximum=900)
    assert shown(gateway)[0]["interval"] == 900
    assert "configuration says so" in gateway.cli("keepalive", "show").stdout.replace("\n             ", " ")
    # Above what the kind of network is asked to hold, the minimum fixes nothing.
    gateway.configure("keepalive", minimum=1800, maximum=3300)
    row, = shown(gateway)
    text = gateway.cli("keepalive", "show").stdout
    assert (row["minimum"], row["maximum"], row["proven"]) == (1680, 1680, 1680)
    assert "configuration says so" not in text and "28 min, down to 60 s" in text


def test_a_ceiling_of_long_ago_is_looked_at_again(gateway, base):
    network(base, age=31 * DAY)
    row, = shown(gateway)
    assert row["refuted"] == 780 and row["next_probe"]["interval"] > 780 and row["next_probe"]["at"] <= time.time()
    assert "once the proven has held again" in gateway.cli("keepalive", "show").stdout


def test_a_search_that_was_interrupted_goes_on(gateway, base):
    """Nothing against more; nothing proven but something failed; one connection's word for the ceiling."""
    for index, (proven, refuted, failures) in enumerate([(780, None, 0), (0, 120, 1), (705, 730, 1), (705, 730, 2)]):
        row = network(base, f"eth{index}", proven=proven, refuted=refuted, age=DAY, life=[])
        base.execute("UPDATE networks SET failures = ?, patience = ? WHERE id = ?", (failures, 30 * DAY, row))
    base.commit()
    now = time.time()
    rows = {row["interface"]["name"]: row for row in shown(gateway)}
    probes = {name: row["next_probe"] for name, row in rows.items()}
    assert probes["eth0"]["interval"] > 780 and probes["eth0"]["at"] <= now + 1
    assert rows["eth1"]["interval"] == 60 and rows["eth1"]["refuted"] == 120 and rows["eth1"]["stage"] == "backoff"
    assert "so shorter ones are tried" in rows["eth1"]["reason"]
    assert probes["eth2"]["interval"] == 730 and probes["eth2"]["at"] <= now + 1
    assert probes["eth3"]["interval"] > 730 and abs(probes["eth3"]["at"] - now - 29 * DAY) < 60
    assert "goes on once this has held again" in rows["eth2"]["reason"]
    assert "not worth another dead connection" in rows["eth3"]["reason"]


# ---- plot -------------------------------------------------------------------------------------------------------------

def test_plot_fits_and_follows_the_locale(gateway, base):
    network(base)
    for env, marks in (({"LC_ALL": "C.UTF-8"}, "●✕△─┊└"), ({"LC_ALL": "C"}, "ox?-:+"),
                       ({"LC_ALL": "", "LC_CTYPE": "", "LANG": "en_GB.utf8"}, "●✕△"), ({"LC_ALL": "POSIX", "LANG": "C.UTF-8"}, "ox?")):
        text = gateway.cli("keepalive", "plot", env=env).stdout
        assert all(mark in text for mark in marks), (env, text)
        assert max(map(len, text.splitlines())) <= 80 and len(text.splitlines()) <= 24
        assert "seconds of silence" in text and "time, UTC" in text and "eth0, ethernet" in text
        assert text.isascii() == ("C" in env["LC_ALL"] and "8" not in env["LC_ALL"] or env["LC_ALL"] == "POSIX")
        assert time.strftime("%Y-%m-%d", time.gmtime(time.time() - 40 * DAY)) in text or \
            time.strftime("%Y-%m-%d", time.gmtime(time.time() - 40 * DAY + 120)) in text


def test_svg_is_well_formed_accessible_and_alone(gateway, base):
    network(base)
    target = gateway.directory / "history.svg"
    gateway.cli("keepalive", "plot", "--svg", str(target))
    assert target.stat().st_mode & 0o777 == 0o644
    text = gateway.cli("keepalive", "plot", "--svg", "-").stdout
    root = xml.fromstring(text)
    assert xml.parse(target).getroot().tag == root.tag == SVG + "svg"
    assert root.get("role") == "img" and root.get("aria-labelledby") == "title desc" and root.get("viewBox")
    names = {e.get("id"): e for e in root}
    assert "eth0" in names["title"].text and "1 silence not survived;" in names["desc"].text
    words = [e.text for e in root.iter(SVG + "text")]
    for part in ("silence (s)", "time (UTC)", "survived", "not survived", "the interval: tried next"):
        assert part in words, part
    groups = [e.get("class") for e in root.iter(SVG + "g")]
    # One of each is in the legend.
    assert (groups.count("survived"), groups.count("failed"), groups.count("doubted"), groups.count("again")) == (5, 2, 2, 1)
    assert text.count("http") == 1 and "href" not in text and "<script" not in text


def test_svg_into_a_bad_place(gateway, base):
    network(base)
    assert "/nowhere" in gateway.cli("keepalive", "plot", "--svg", "/nowhere/x.svg", code=73).stderr
    gateway.cli("keepalive", "plot", "--svg", str(gateway.directory), code=(73, 74))
    assert gateway.cli("keepalive", "plot", "--svg", "-").stdout.startswith("<?xml")


def picture(gateway, target, **options):
    return gateway.cli("keepalive", "plot", "--svg", str(target), **options)


def test_svg_replaces_no_device_pipe_or_link(gateway, base):
    network(base)
    directory = gateway.directory
    os.symlink("real.svg", directory / "link.svg")
    picture(gateway, directory / "link.svg")
    (directory / "real.svg").chmod(0o640)
    (directory / "real.svg").write_text("old")
    before = (directory / "real.svg").stat().st_ino
    picture(gateway, directory / "link.svg")
    assert (directory / "link.svg").is_symlink() and xml.parse(directory / "real.svg").getroot().tag == SVG + "svg"
    assert (directory / "real.svg").stat().st_mode & 0o777 == 0o640 and (directory / "real.svg").stat().st_ino != before

    os.mkfifo(directory / "pipe")
    reader = os.open(directory / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    picture(gateway, directory / "pipe")
    assert os.read(reader, 1 << 20).startswith(b"<?xml") and stat.S_ISFIFO((directory / "pipe").stat().st_mode)
    os.close(reader)

    for name in ("/dev/stdout", "/proc/self/fd/1"):
        assert picture(gateway, name).stdout.startswith("<?xml")
    os.symlink("/dev/null", directory / "null")
    for name in ("/dev/null", directory / "null"):
        picture(gateway, name)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode) and (directory / "null").is_symlink()


def test_svg_leaves_what_stands_beside(gateway, base):
    network(base)
    (gateway.directory / "k.svg.new").write_text("mine")
    before = {path.name for path in gateway.directory.iterdir()}
    picture(gateway, gateway.directory / "k.svg")
    assert {path.name for path in gateway.directory.iterdir()} == before | {"k.svg"}
    assert (gateway.directory / "k.svg.new").read_text() == "mine"


def test_plot_points_to_other_networks(gateway, base):
    """Nothing has been learned of the one that is meant, but of another one."""
    network(base)
    network(base, "wlan0", 2, b"", life=[], age=0)
    done = gateway.cli("keepalive", "plot", "--network", "wlan0")
    assert not done.stdout and "--network" in done.stderr
    target = gateway.directory / "x.svg"
    assert "--network" in picture(gateway, target, code=65).stderr and not target.exists()
    picture(gateway, "-", code=65)


def test_plot_of_another_network(gateway, base):
    network(base)
    network(base, "wlan0", 2, b"", life=LIFE[:1], age=1)
    assert "wlan0" in gateway.cli("keepalive", "plot").stdout, "the one that something was learned of last"
    assert "eth0" in gateway.cli("keepalive", "plot", "--network", "eth0").stdout
    gateway.cli("keepalive", "plot", "--network", "eth1", code=65)


# ---- strange databases ------------------------------------------------------------------------------------------------

EXTREMES = [-2**63, -1, 0, 1, 2**62, 2**63 - 1]


def every_command(gateway):
    shown(gateway)
    text = gateway.cli("keepalive", "show").stdout
    assert "\x1b" not in text and "\x07" not in text
    for row in shown(gateway):
        text = gateway.cli("keepalive", "plot", "--network", str(row["id"]), env={"LC_ALL": "C.UTF-8"}).stdout
        assert "\x1b" not in text and all(len(line) <= 80 for line in text.splitlines()[1:])
        if text:
            xml.fromstring(gateway.cli("keepalive", "plot", "--svg", "-", "--network", str(row["id"])).stdout)


def test_extreme_numbers(gateway, base):
    for index, value in enumerate(EXTREMES):
        life = [(0, value, outcome, value, value) for outcome in (1, 2, 3, 4, value)]
        row = network(base, f"x{index}", value % 2**31 if value > 0 else value, b"", value, -value if value > -2**63 else None, 0, life)
        base.execute("UPDATE networks SET changed = ? WHERE id = ?", (value, row))
        base.execute("UPDATE intervals SET time = ? WHERE network = ? AND id % 2", (value, row))
    base.commit()
    assert len(shown(gateway)) == len(EXTREMES)
    every_command(gateway)


def test_hostile_names(gateway, base):
    for name in ["\x1b]0;x\x07", "<b>&\"'", "\u202e\ufffe\uffff", "x" * 100_000, "-"]:
        network(base, name, 2, name.encode()[:3000])
    base.execute("INSERT INTO networks(name, kind, key, proven, refuted, changed) VALUES (CAST(x'ff00fe' AS TEXT), 1, x'', 1, 2, 3)")
    base.commit()
    assert len(shown(gateway)) == 6
    every_command(gateway)


# What the tests' server is reached by, as the gateway tells networks apart: name, kind, key.
LOOPBACK = ("lo", 4, b"")


def test_a_daemon_starts_with_strange_rows(world, gateway, base):
    network(base, *LOOPBACK, 2**63 - 1, -2**63)
    base.execute("UPDATE networks SET changed = ?", (-2**63,))
    base.commit()
    gateway.start()
    wait_until(lambda: any(row["in_use"] for row in shown(gateway)), gateway.settings.seconds(5), "a network in use")
    row, = [row for row in shown(gateway) if row["in_use"]]
    assert row["interval"] == row["maximum"] == 3300


def test_huge_history_takes_little_memory(gateway, base):
    row = network(base, life=[])
    base.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) INSERT INTO intervals"
                 "(network, time, idle, outcome, stage, interval) SELECT ?, 1700000000 + i, i % 3000, 1 + i % 4, 0, 600 FROM n", (row,))
    base.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO networks"
                 "(name, kind, key, proven, refuted, changed) SELECT 'w' || i, 2, x'', 600, NULL, i FROM n")
    base.commit()
    assert len(shown(gateway)) == 2001
    assert shown(gateway, str(row))[0]["events"] == 128
    picture = gateway.cli("keepalive", "plot", "--svg", "-", "--network", str(row)).stdout
    assert len(picture) < 100_000
    xml.fromstring(picture)
    if not gateway.settings.emulated:
        # In KiB. What the system says of a child's memory begins with that of its parent.
        limited = ["sh", "-c", 'ulimit -v 65536 && exec "$@"', "sh", *gateway.binary, "-c", str(gateway.config), "keepalive", "show"]
        done = subprocess.run(limited, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.count("in use") <= 1 and len(done.stdout.splitlines()) > 2001, done.stderr


def test_damaged_database(gateway, base):
    network(base)
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    path = gateway.state / "skyglow.db"
    whole = path.read_bytes()
    path.write_bytes(b"SQLite nothing" * 1000)
    for verb in (["show"], ["plot"], ["forget", "all"]):
        done = gateway.cli("keepalive", *verb, code=65)
        assert "skyglow.db" in done.stderr
    path.write_bytes(whole)
    assert len(shown(gateway)) == 1


# ---- with a daemon ----------------------------------------------------------------------------------------------------

@pytest.fixture
def learning(world, peer):
    """A gateway that learns within seconds, over a wire that can go silent."""
    cable = world.wire(peer)
    gateway, token = world.online(peer, port=cable.port, configure=BOUNDS)
    return gateway, token, cable


def wait_proven(gateway, least=2):
    gateway.wait_status(lambda s: (s["keepalive"]["proven"] or 0) >= least, "something is proven", seconds=15)


def test_the_network_in_use_is_marked(learning):
    gateway, _, _ = learning
    wait_proven(gateway)
    answer = gateway.json("keepalive", "show")
    row, = answer["networks"]
    assert answer["running"] and row["in_use"] and row["id"] and row["proven"] >= 2
    assert row["maximum"] == 8 and abs(row["proven_at"] - time.time()) < gateway.settings.seconds(60)
    assert ", in use" in gateway.cli("keepalive", "show").stdout
    assert gateway.cli("keepalive", "plot").stdout
    gateway.stop()
    row, = shown(gateway)
    assert not row["in_use"] and row["proven"] >= 2


def test_before_anything_is_learned(online):
    gateway, _ = online
    row, = shown(gateway)
    assert row["id"] is None and row["in_use"] and row["interval"] == 120 and row["proven"] is None
    assert "Nothing is known of this network yet" in gateway.cli("keepalive", "show").stdout
    assert "history is empty" in gateway.cli("keepalive", "plot").stderr
    assert "every 2 min: a first try on this network" in gateway.cli("status").stdout
    gateway.cli("keepalive", "forget")


def test_status_explains(learning):
    gateway, _, _ = learning
    wait_proven(gateway, 8)
    status = gateway.status()["keepalive"]
    assert {"stage", "interval", "proven", "minimum", "maximum", "proven_at", "refuted", "refuted_at", "next_probe"} <= status.keys()
    assert status["refuted"] is None and status["next_probe"] is None
    assert re.search(r"keep-alive +every 8 s: proved (just now|1 minute ago), the longest allowed", gateway.cli("status").stdout)


def go_silent(gateway, cable):
    """The line is out from before the next ping until the connection is given up."""
    cable.hold_up = cable.hold_down = True
    gateway.wait_status(lambda s: s["state"] != "connected", "the dead link is noticed", seconds=20)
    cable.cut()
    cable.hold_up = cable.hold_down = False
    gateway.wait_state("connected", seconds=20)


def test_one_silence_is_tried_once_more_and_a_second_believed(learning):
    """A hiccup of the line as a longer silence is tried; then, on another network, a NAT that means it."""
    gateway, _, cable = learning
    wait_proven(gateway, 2)
    gateway.wait_status(lambda s: s["keepalive"]["interval"] == 8, "8 s are tried")
    go_silent(gateway, cable)
    status = gateway.status()["keepalive"]
    assert (status["refuted"], status["proven"], status["interval"]) == (8, 2, 8), "the same once more"
    assert "maybe by chance" in gateway.cli("keepalive", "show").stdout.replace("\n             ", " ")
    wait_proven(gateway, 8)
    assert gateway.status()["keepalive"]["refuted"] is None
    gateway.cli("keepalive", "forget")
    wait_proven(gateway, 2)
    for _ in range(2):
        gateway.wait_status(lambda s: s["keepalive"]["interval"] == 8, "8 s are tried")
        go_silent(gateway, cable)
    status = gateway.status()["keepalive"]
    assert (status["refuted"], status["proven"], status["interval"]) == (8, 2, 2)
    assert status["stage"] == "steady" and abs(status["next_probe"]["at"] - time.time() - 30 * DAY) < 120
    base = sqlite3.connect(gateway.state / "skyglow.db")
    proven, refuted, failures, patience = base.execute("SELECT proven, refuted, failures, patience FROM networks").fetchone()
    assert (proven, refuted, patience) == (2, 8, 30 * DAY) and failures >= 2


@pytest.mark.parametrize("argument", [[], ["all"], ["number"]], ids=["in-use", "all", "number"])
def test_a_daemon_takes_notice_of_forget(learning, argument):
    gateway, token, _ = learning
    wait_proven(gateway, 4)
    number = str(shown(gateway)[0]["id"])
    gateway.cli("keepalive", "forget", *(number if a == "number" else a for a in argument))
    base = sqlite3.connect(gateway.state / "skyglow.db")
    status = gateway.status()
    # A ping that was under way may have been answered meanwhile; never what was learned before.
    assert (status["keepalive"]["proven"] or 0) <= 4
    assert status["state"] == "connected"
    wait_proven(gateway)
    assert base.execute("SELECT count(*) FROM networks").fetchone()[0] == 1
    gateway.peer.wait_ack(gateway.peer.notify(token))


def test_forget_of_another_network_leaves_this_one_alone(learning):
    gateway, _, _ = learning
    wait_proven(gateway, 4)
    base = sqlite3.connect(gateway.state / "skyglow.db")
    other = network(base, "wlan7", 2, b"")
    before = gateway.status()["keepalive"]["proven"]
    gateway.cli("keepalive", "forget", "wlan7")
    assert other not in [r["id"] for r in shown(gateway)]
    assert gateway.status()["keepalive"]["proven"] >= before


def test_forget_without_a_daemon(gateway, base):
    keep = network(base, "wlan0", 2, b"")
    for index in range(2):
        network(base, "eth0", 1, bytes([index]))
    gateway.cli("keepalive", "forget", "eth0")
    assert [r["id"] for r in shown(gateway)] == [keep]
    assert base.execute("SELECT count(*) FROM intervals").fetchone()[0] == len(LIFE)
    gateway.cli("keepalive", "forget", "all")
    assert shown(gateway) == []


def test_what_was_forgotten_is_forgotten_after_a_restart(world, peer, gateway, base):
    network(base, *LOOPBACK, life=LIFE)
    gateway.start()
    gateway.wait_state("connected")
    assert gateway.status()["keepalive"]["interval"] == 705
    gateway.cli("keepalive", "forget")
    assert gateway.status()["keepalive"]["interval"] == 120
    gateway.restart()
    assert gateway.status()["keepalive"]["interval"] == 120


def test_history_is_bounded_and_nothing_is_written_while_settled(learning):
    gateway, _, _ = learning
    wait_proven(gateway, 8)
    base = sqlite3.connect(gateway.state / "skyglow.db")
    count = base.execute("SELECT count(*), max(id) FROM intervals").fetchone()
    assert count[0] <= 8
    mark = gateway.peer.mark()
    gateway.peer.wait("frame", after=mark, type="C_PING", count=2, seconds=25)
    assert base.execute("SELECT count(*), max(id) FROM intervals").fetchone() == count


def test_help_names_them(gateway):
    text = gateway.cli("--help").stdout
    for words in ("keepalive show [NETWORK]", "keepalive plot", "--svg FILE", "--network NETWORK", "keepalive forget"):
        assert words in text
    assert json.loads(gateway.cli("keepalive", "show", "--json").stdout) is not None
