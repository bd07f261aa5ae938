"""TERM, INT, HUP, USR1, USR2 (contract: Signals)."""
import signal
import time

import pytest

from harness.settings import wait_until


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_stop_says_goodbye_and_exits_0(online, peer, number):
    gateway, _ = online
    mark = peer.mark()
    gateway.signal(number)
    assert gateway.wait_exit(5) == 0
    assert peer.wait("frame", after=mark, type="C_DISCONNECT")["reason"] == 0
    gateway.cli("status", code=3)
    gateway.start()


@pytest.mark.parametrize("when", ["connecting", "backing-off", "error-auth"])
def test_term_is_heeded_in_every_state(world, peer, when):
    gateway = world.gateway(peer)
    if when == "connecting":
        peer.set(hello=False)
    elif when == "backing-off":
        peer.listen(False)
    gateway.start(connect=when == "error-auth")
    if when == "connecting":
        peer.wait_connection(0)
    elif when == "backing-off":
        gateway.wait_state("backing-off")
    else:
        peer.obeyed("disconnect", reason=1)
        gateway.wait_state("error-auth")
    began = time.monotonic()
    gateway.stop()
    assert time.monotonic() - began < gateway.settings.seconds(3)


def test_term_while_notifications_pour_in(online, peer):
    gateway, token = online
    peer.obeyed("flood", token=token, count=800, data={"aps": {"alert": {"title": "pour"}}})
    gateway.stop()
    peer.wait_alone()
    assert peer.acks() <= set(gateway.shown()), "acknowledged and lost"


def test_usr2_reconnects(online, peer):
    gateway, _ = online
    mark = peer.mark()
    gateway.signal(signal.SIGUSR2)
    peer.wait("closed", after=mark)
    gateway.wait_online(mark)
    assert gateway.status()["failures"] == 0


def labels(lines):
    """What a status line is about: its first word, after the log's time, level and area if there are any."""
    return [line.split("gateway: ")[-1].split()[0] for line in lines if line.strip()]


def test_usr1_dumps_to_the_log(online):
    """All of it, and again at once: the limit on lines of one place must not hold back what was asked for."""
    gateway, _ = online
    expected = labels(gateway.cli("status").stdout.splitlines())
    assert len(expected) > 10, "more lines than a place in the program may log at once"
    for times in range(1, 4):
        gateway.signal(signal.SIGUSR1)
        wait_until(
            lambda: expected * times == [word for word in labels(gateway.log()) if word in expected],
            gateway.settings.seconds(5), "every line of the status in the log")
    assert gateway.status()["state"] == "connected"


def test_hup_names_every_fault_of_a_broken_file(online):
    gateway, _ = online
    faults = [f"unknown-{number}" for number in range(14)]
    begin = gateway.stderr.stat().st_size
    gateway.config.write_text(gateway.config.read_text() + "[resolver]\n" + "".join(f"{name} = 1\n" for name in faults))
    gateway.signal(signal.SIGHUP)

    def said():
        return gateway.stderr.read_bytes()[begin:].decode()

    wait_until(lambda: "the old configuration stays" in said(), gateway.settings.seconds(5), "the reload is refused")
    assert [name for name in faults if f"`{name}`" not in said()] == []


def test_hup_takes_the_new_file(online, peer):
    gateway, token = online
    gateway.configure("panel", message="file:elsewhere.log")
    gateway.signal(signal.SIGHUP)
    wait_until(lambda: gateway.panel("elsewhere.log"), gateway.settings.seconds(10), "the new panel is used")
    gateway.wait_state("connected")
    peer.wait_ack(peer.notify(token))
    wait_until(lambda: gateway.light(name="elsewhere.log") != "off", gateway.settings.seconds(10), "lit there")


def test_hup_moves_to_another_server_address(world, online, peer):
    gateway, _ = online
    cable = world.wire(peer)
    gateway.configure("server", endpoint=f"127.0.0.1:{cable.port}")
    mark = peer.mark()
    gateway.signal(signal.SIGHUP)
    gateway.wait_online(mark)
    assert cable.accepted == 1
    assert gateway.status()["endpoint"] == f"127.0.0.1:{cable.port}"


BROKEN = {"unknown-key": "[panel]\nmesage = none\n", "missing-file": None, "garbage": "\0\1\2 = [\n"}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_hup_with_a_broken_file_keeps_the_old_one(online, peer, text):
    gateway, token = online
    before, good = gateway.log(), gateway.config.read_text()
    if text is None:
        gateway.config.unlink()
    else:
        gateway.config.write_text(text)
    mark = peer.mark()
    gateway.signal(signal.SIGHUP)
    # The command line needs a good file, standard error does not.
    wait_until(lambda: "the old configuration stays in force" in gateway.stderr.read_text(), gateway.settings.seconds(10),
               "it is said that the file is refused")
    gateway.config.write_text(good)
    said = gateway.log_after(before)
    assert any(" error configuration: " in line and str(gateway.config) in line for line in said), said
    assert not any("reloaded" in line for line in said), said
    gateway.wait_state("connected")
    assert not peer.since(mark, "closed"), "the connection stays"
    peer.wait_ack(peer.notify(token))
    gateway.wait_light(True)


def test_a_volley_of_signals_is_survived(online, peer):
    gateway, token = online
    for _ in range(20):
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE, signal.SIGCHLD):
            gateway.signal(number)
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))
