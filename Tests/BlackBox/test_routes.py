"""Routes: which light, how many beeps, what is muted and what is replaced; all of it survives kill -9 and a reload."""
import time

import pytest

from harness import wire
from harness.settings import wait_until

DOOR, BELL = "org.example.door", "org.example.bell"


@pytest.fixture
def board(world, peer):
    """Makes a connected gateway with these routes, a buzzer, and tokens of two applications."""
    def make(routes, env=None):
        gateway = world.gateway(peer)
        gateway.configure("panel", buzzer="file:buzzer.log")
        for name, keys in routes.items():
            gateway.configure(f"route {name}", **{"bundle": "*", **keys})
        tokens = gateway.add_token(DOOR), gateway.add_token(BELL)
        gateway.start(env=env)
        return gateway, *tokens
    return make


def beeps(gateway):
    return [count for _, role, count in gateway.panel("buzzer.log") if role == "beep"]


def wait_beeps(gateway, *wanted):
    """What comes close together beeps once, so tests wait after each."""
    wait_until(lambda: beeps(gateway) == list(wanted), gateway.settings.seconds(5),
               lambda: f"beeps {beeps(gateway)}, not {list(wanted)}")


def alert(title="t", sound=None, level=None, **more):
    aps = {"alert": {"title": title}}
    if sound:
        aps["sound"] = sound
    if level:
        aps["interruption-level"] = level
    return {"aps": aps, **more}


def deliver(gateway, token, document):
    message = gateway.peer.notify(token, document)
    gateway.peer.wait_ack(message)
    return message


def wait_pattern(gateway, pattern):
    wait_until(lambda: gateway.light() == pattern, gateway.settings.seconds(5),
               lambda: f"the light is {gateway.light()}, not {pattern}")


def test_the_default_is_solid_and_one_beep_for_a_sound(board):
    gateway, door, _ = board({"other": {"bundle": "org.other", "light": "fast"}})
    deliver(gateway, door, alert())
    wait_pattern(gateway, "solid")
    assert beeps(gateway) == []
    deliver(gateway, door, alert(sound="ding"))
    wait_beeps(gateway, 1)


def test_light_and_beeps_of_the_first_route_that_matches(board):
    gateway, door, bell = board({
        "fire": {"when": 'kind == fire and "how bad".level >= 3', "light": "fast", "beep": 5},
        "door": {"bundle": DOOR, "light": "slow", "beep": 2},
        "rest": {"light": "pulse", "beep": 0}})
    deliver(gateway, bell, alert(sound="ding"))
    wait_pattern(gateway, "pulse")
    deliver(gateway, door, alert())
    wait_pattern(gateway, "slow")
    deliver(gateway, bell, alert(kind="fire", **{"how bad": {"level": 3.5}}))
    wait_pattern(gateway, "fast")
    wait_beeps(gateway, 2, 5)
    deliver(gateway, door, alert(kind="fire", **{"how bad": {"level": 2}}))
    wait_beeps(gateway, 2, 5, 2)


def test_the_most_urgent_unread_light_wins_also_after_a_power_cut(board):
    gateway, door, bell = board({"door": {"bundle": DOOR, "light": "fast"}, "bell": {"bundle": BELL, "light": "pulse"}})
    urgent = deliver(gateway, door, alert())
    deliver(gateway, bell, alert())
    wait_pattern(gateway, "fast")
    gateway.kill()
    gateway.configure("route door", light="off")  # what was decided stays decided
    gateway.start()
    wait_pattern(gateway, "fast")
    gateway.cli("read", str(gateway.row(urgent)["id"]))
    wait_pattern(gateway, "pulse")
    gateway.cli("read", "all")
    wait_pattern(gateway, "off")


def test_muted_is_acknowledged_and_kept_as_read(board):
    gateway, door, bell = board({"door": {"bundle": DOOR, "mute": "yes", "light": "fast", "beep": 3}})
    message = deliver(gateway, door, alert(sound="ding", level="critical"))
    deliver(gateway, bell, alert())
    wait_pattern(gateway, "solid")
    assert gateway.row(message)["read"] and gateway.inbox()["unread"] == 1
    assert beeps(gateway) == [] and gateway.lightings() == 1
    assert gateway.status()["received"] == 2


def test_a_background_notification_is_dark(board):
    gateway, door, _ = board({"all": {"light": "fast", "beep": 2}})
    message = deliver(gateway, door, {"aps": {"content-available": 1}, "k": 1})
    assert not gateway.row(message)["read"]
    assert gateway.light() == "off" and beeps(gateway) == []


def hours(gateway, start, end):
    """Quiet hours around now, in minutes, by UTC."""
    def clock(minutes):
        return time.strftime("%H:%M", time.gmtime(time.time() + 60 * minutes))
    gateway.configure("route all", quiet=f"{clock(start)}-{clock(end)}")
    gateway.cli("reload")


def test_quiet_hours(board):
    gateway, door, _ = board({"all": {"beep": 1}}, env={"TZ": "UTC0"})
    hours(gateway, -60, 60)
    deliver(gateway, door, alert(sound="ding"))
    deliver(gateway, door, alert(sound="ding", level="passive"))
    wait_pattern(gateway, "solid")
    assert beeps(gateway) == [], "quiet"
    deliver(gateway, door, alert(level="time-sensitive"))
    wait_beeps(gateway, 1)
    deliver(gateway, door, alert(level="critical"))
    wait_beeps(gateway, 1, 1)
    hours(gateway, 60, -60)
    deliver(gateway, door, alert(level="passive", sound="ding"))
    deliver(gateway, door, alert())
    wait_beeps(gateway, 1, 1, 1)


def test_quiet_hours_are_those_of_the_board(board):
    gateway, door, _ = board({"all": {"beep": 1}}, env={"TZ": "XXX-6"})  # six hours ahead of UTC
    hours(gateway, -60, 60)
    deliver(gateway, door, alert())
    wait_beeps(gateway, 1)
    hours(gateway, 300, 420)
    deliver(gateway, door, alert())
    deliver(gateway, door, alert(level="critical"))
    wait_beeps(gateway, 1, 1)  # the critical one alone


def unread(gateway):
    return [row["title"] for row in gateway.inbox("--unread")["notifications"]]


def test_a_newer_one_replaces_where_the_sender_asks(board):
    gateway, door, bell = board({})
    deliver(gateway, door, alert("1", **{"collapse-id": "x"}))
    deliver(gateway, bell, alert("2", **{"collapse-id": "x"}))
    deliver(gateway, door, alert("3"))
    newest = alert("4")
    newest["aps"]["collapse-id"] = "x"
    deliver(gateway, door, newest)
    assert unread(gateway) == ["4", "3", "2"]
    assert len(gateway.rows()) == 4, "the older one is read, not gone"
    gateway.kill()
    assert unread(gateway) == ["4", "3", "2"], "durable with its notification"


def test_the_same_thread_alone_replaces_nothing(board):
    gateway, door, _ = board({"keep": {"bundle": DOOR, "collapse": "no", "when": "keep exists"}})

    def threaded(title, **more):
        document = alert(title, **more)
        document["aps"]["thread-id"] = "front"
        return document
    deliver(gateway, door, threaded("1"))
    deliver(gateway, door, threaded("2"))
    assert unread(gateway) == ["2", "1"]
    deliver(gateway, door, threaded("3", keep=1, **{"collapse-id": True}))
    assert unread(gateway) == ["3", "2", "1"], "its route does not want it"
    deliver(gateway, door, threaded("4", **{"collapse-id": True}))
    assert unread(gateway) == ["4"]


def test_a_replaced_light_goes_with_its_notification(board):
    gateway, door, _ = board({"fire": {"when": "kind == fire", "light": "fast"}, "over": {"light": "slow"}})
    deliver(gateway, door, alert("fire", kind="fire", **{"collapse-id": "alarm"}))
    wait_pattern(gateway, "fast")
    deliver(gateway, door, alert("over", **{"collapse-id": "alarm"}))
    wait_pattern(gateway, "slow")


def test_reload_changes_routes_and_keeps_the_connection(board):
    gateway, door, _ = board({"all": {"light": "slow"}})
    mark = gateway.peer.mark()
    gateway.configure("route all", light="double")
    gateway.cli("reload")
    deliver(gateway, door, alert())
    wait_pattern(gateway, "double")
    assert not gateway.peer.since(mark, "connected"), "no new connection"
    gateway.configure("route all", when="kind = fire")
    done = gateway.cli("reload", code=78)
    check = gateway.cli("check", code=78)
    assert "`when`: column 13: expected one of ==" in check.stdout + check.stderr and done.stderr
    gateway.configure("route all", when="kind == fire")  # for the commands; the gateway does not see it
    gateway.cli("read", "all")
    deliver(gateway, door, alert())
    wait_pattern(gateway, "double")


def test_localised_texts_come_from_the_strings_file(world, peer):
    gateway = world.gateway(peer)
    (gateway.state / "door.strings").write_text('/* door */\n"RING" = "%2$@: %1$@ läutet";\nTITLE = Tür\n')
    gateway.configure("strings", file="door.strings")
    token = gateway.add_token()
    gateway.start()
    document = {"aps": {"alert": {"title-loc-key": "TITLE", "loc-key": "RING", "loc-args": ["Ann", "Haustür"]}}}
    row = gateway.row(deliver(gateway, token, document))
    assert (row["title"], row["body"]) == ("Tür", "Haustür: Ann läutet") and row["payload"] == document
    row = gateway.row(deliver(gateway, token, {"aps": {"alert": {"loc-key": "OTHER"}}}))
    assert row["body"] == "OTHER", "else the key"
    (gateway.state / "door.strings").write_text("TITLE = Door\nbroken\n")
    assert "door.strings:2: expected" in gateway.cli("check", code=78).stderr
    gateway.cli("reload", code=78)
    assert gateway.row(deliver(gateway, token, document))["title"] == "Tür", "the old ones stay"
    (gateway.state / "door.strings").write_text("TITLE = Door\n")
    gateway.cli("reload")
    assert gateway.row(deliver(gateway, token, document))["title"] == "Door"


def test_control_characters_are_shown_and_not_obeyed(board):
    gateway, door, _ = board({})
    long = "x" * 3000
    row = gateway.row(deliver(gateway, door, {"aps": {"alert": {"title": "a\x1b[2Jb\n\u202ec", "body": long}}}))
    assert row["title"] == "a\x1b[2Jb\n\u202ec" and row["body"] == long, "whole in the inbox"
    text = gateway.cli("inbox").stdout
    assert "a␛[2Jb␊\ufffdc" in text and "\x1b" not in text
    assert max(map(len, text.splitlines())) < 1100
