"""The inbox and the light: what marking read does, with and without the daemon."""
import time

import pytest


@pytest.fixture
def three(online, peer):
    """Three unread notifications, oldest first."""
    gateway, token = online
    messages = []
    for number in range(3):
        messages.append(peer.notify(token, {"aps": {"alert": {"title": f"number {number}"}}}, encrypt=True))
        peer.wait_ack(messages[-1])
    gateway.wait_light(True)
    return gateway, messages


def test_newest_first_and_as_many_as_asked(three):
    gateway, messages = three
    assert gateway.shown() == messages[::-1]
    assert [r["title"] for r in gateway.inbox("-n", "2")["notifications"]] == ["number 2", "number 1"]
    assert gateway.inbox("-n", "1")["unread"] == 3


def test_read_one(three):
    gateway, messages = three
    gateway.cli("read", str(gateway.row(messages[1])["id"]))
    assert gateway.row(messages[1])["read"] is True
    inbox = gateway.inbox("--unread", "-n", "100")
    assert inbox["unread"] == 2
    assert [r["title"] for r in inbox["notifications"]] == ["number 2", "number 0"]
    assert gateway.light() != "off" and gateway.status()["unread"] == 2


def test_the_last_one_read_puts_the_light_out(three):
    gateway, messages = three
    gateway.cli("read", str(gateway.row(messages[0])["id"]), str(gateway.row(messages[1])["id"]))
    assert gateway.light() != "off"
    gateway.cli("read", str(gateway.row(messages[2])["id"]))
    gateway.wait_light(False)


def test_read_all_puts_the_light_out(three):
    gateway, messages = three
    gateway.cli("read", "all")
    gateway.wait_light(False)
    assert gateway.inbox()["unread"] == 0 == gateway.status()["unread"]
    assert all(r["read"] for r in gateway.rows()) and gateway.shown() == messages[::-1]
    gateway.cli("read", "all")


def test_a_new_one_lights_it_again(three, peer, online):
    gateway, _ = three
    gateway.cli("read", "all")
    gateway.wait_light(False)
    peer.wait_ack(peer.notify(online[1]))
    gateway.wait_light(True)


def test_read_without_the_daemon_and_the_light_when_it_is_back(three):
    gateway, messages = three
    gateway.stop()
    assert gateway.inbox()["unread"] == 3
    gateway.start()
    gateway.wait_light(True)
    gateway.stop()
    gateway.cli("read", "all")
    assert gateway.inbox()["unread"] == 0 and gateway.shown() == messages[::-1]
    lit = gateway.lightings()
    gateway.start()
    assert gateway.status()["unread"] == 0 and gateway.light() == "off" and gateway.lightings() == lit


def test_the_light_is_on_again_after_kill_9(three):
    """The light follows the unread rows, so a power cut never loses it."""
    gateway, _ = three
    gateway.kill()
    gateway.start()
    gateway.wait_light(True)
    assert gateway.status()["unread"] == 3


@pytest.mark.parametrize("number", ["999999999", "9223372036854775807", "99999999999999999999999"])
def test_reading_an_unknown_id_changes_nothing(three, number):
    gateway, _ = three
    gateway.cli("read", number, code=None)
    assert gateway.inbox()["unread"] == 3


@pytest.mark.parametrize("word", ["-5", "door", "1x", ""])
def test_reading_what_is_no_id_is_an_error(three, word):
    gateway, _ = three
    assert gateway.cli("read", word, code=(64, 65)).stderr.strip()
    assert gateway.inbox()["unread"] == 3


def test_panel_lines_carry_true_times(three):
    gateway, _ = three
    for name in ("panel.log", "link.log"):
        times = [t for t, _, _ in gateway.panel(name)]
        assert times and times == sorted(times), name
        assert all(abs(t / 1000 - time.time()) < gateway.settings.seconds(120) for t in times), name


def test_the_link_light_tells_refused_from_every_other_state(world, peer):
    """mosquitto #1056, tedge #1797: a state that only a person can end must not look like one that ends by itself."""
    cable = world.wire(peer)
    gateway, _ = world.online(peer, port=cable.port)
    lights = {"connected": gateway.light("link")}

    def note(state):
        gateway.wait_state(state)
        lights[state] = gateway.light("link")
    cable.refuse = True
    cable.cut()
    note("backing-off")
    cable.refuse, cable.hold_up = False, True
    gateway.cli("reconnect")
    note("connecting")
    # To a broadcast address the kernel has no way for TCP (ENETUNREACH), on any machine.
    endpoint = gateway.sections["server"]["endpoint"]
    gateway.configure("server", endpoint="127.255.255.255:9")
    gateway.cli("reload")
    note("no-network")
    cable.hold_up = False
    peer.set(auth="fail")
    gateway.configure("server", endpoint=endpoint)
    gateway.cli("reload")
    note("error-auth")
    assert len(set(lights.values())) == len(lights) == 5 and "off" not in lights.values(), lights


def test_an_empty_inbox(gateway):
    assert gateway.inbox() == {"unread": 0, "notifications": []}
    gateway.cli("inbox")
    gateway.cli("read", "all")
