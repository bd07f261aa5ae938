"""Pings both ways, and a link that is dead though nobody said so (spec §8; MQTTnet #2248, hivemq-dotnet #357)."""
import socket
import struct
import threading
import time

import pytest

from harness import wire
from harness.settings import wait_until

INTERVAL, DEADLINE = 2, 1
TOLERANCE = 0.75    # s: wire, server and board run when the kernel lets them


@pytest.fixture
def brisk(world, peer):
    """A gateway that pings every 2 s and waits 1 s for the answer, over a wire that can go silent."""
    cable = world.wire(peer)
    gateway, token = world.online(peer, port=cable.port, configure={
        "keepalive": {"minimum": INTERVAL, "maximum": INTERVAL, "pong-timeout": DEADLINE}})
    return gateway, token, cable


def test_pings_at_the_interval_and_polls_after_each_pong(brisk, peer):
    gateway, _, _ = brisk
    mark = peer.mark()
    first, second = (peer.wait("frame", after=mark, type="C_PING", count=n) for n in (1, 2))
    assert INTERVAL * 0.7 <= second["t"] - first["t"] <= gateway.settings.seconds(INTERVAL * 1.6)
    assert first["seq"] != second["seq"], "each answer can be told from the one before"
    peer.wait("poll", after=mark, count=2)
    assert not peer.since(mark, "closed") and gateway.status()["state"] == "connected"


def test_a_lost_push_arrives_after_the_next_pong(brisk, peer):
    gateway, token, _ = brisk
    message = peer.notify(token, hold=True)
    peer.wait_ack(message, seconds=INTERVAL + 5)
    assert gateway.shown() == [message]


def test_no_pong_ends_the_connection_in_time(brisk, peer):
    gateway, token, _ = brisk
    peer.set(pong=False)
    mark = peer.mark()
    ping = peer.wait("frame", after=mark, type="C_PING")
    closed = peer.wait("closed", after=mark)
    assert DEADLINE * 0.7 <= closed["t"] - ping["t"] <= gateway.settings.seconds(DEADLINE + 1.5)
    peer.set(pong=True)
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))


def test_accepted_then_silence_is_no_longer_connected(brisk, peer):
    """Every byte vanishes, both ways, as after a change of route: within interval + pong timeout it is known, and that is
    promised in numbers, which no slow factor stretches. The board writes down the moment itself, with its link light."""
    gateway, token, cable = brisk
    cable.hold_up = cable.hold_down = True
    began = time.time()

    def noticed():
        return [at / 1000 - began for at, _, pattern in gateway.panel("link.log") if at / 1000 > began and pattern != "solid"]
    took = wait_until(noticed, gateway.settings.seconds(INTERVAL + DEADLINE + 2), "the dead link is noticed")[0]
    assert took <= INTERVAL + DEADLINE + TOLERANCE
    assert gateway.status()["state"] != "connected"
    message, mark = peer.notify(token, hold=True), peer.mark()
    cable.cut()
    cable.hold_up = cable.hold_down = False
    gateway.wait_online(mark)
    peer.wait_ack(message)


def test_another_pong_than_the_one_awaited_does_not_help(brisk, peer):
    gateway, _, _ = brisk
    peer.set(pong=False)
    mark = peer.mark()
    ping = peer.wait("frame", after=mark, type="C_PING")
    wrong = (ping["seq"] ^ 0x5555) & 2**62 - 1
    peer.send(wire.PONG, struct.pack(">q", wrong))
    closed = peer.wait("closed", after=mark, seconds=DEADLINE + 3)
    assert wrong != ping["seq"]
    assert DEADLINE * 0.7 <= closed["t"] - ping["t"] <= DEADLINE + TOLERANCE, "as if nothing had come"
    told = [line for line in gateway.log() if "matches no ping of ours" in line]
    assert len(told) == 1, told


def test_an_unmatched_pong_is_ignored(online, peer):
    gateway, token = online
    mark = peer.mark()
    for number in (0, 1, -1, 2**63 - 1, -2**63):
        peer.send(wire.PONG, struct.pack(">q", number))
    peer.wait_ack(peer.notify(token))
    assert not peer.since(mark, "closed") and gateway.status()["failures"] == 0


@pytest.mark.parametrize("number", [0, 1, -1, 2**63 - 1, -2**63, 0x0123456789ABCDEF])
def test_a_server_s_ping_is_echoed(module_online, number):
    peer = module_online
    mark = peer.mark()
    peer.obeyed("ping", seq=number)
    assert peer.wait("frame", after=mark, type="C_PONG")["seq"] == number


def test_many_pings_are_all_answered_in_order(module_online):
    peer = module_online
    mark = peer.mark()
    peer.raw(b"".join(wire.frame(wire.PING, struct.pack(">q", n)) for n in range(300)))
    peer.wait("frame", after=mark, type="C_PONG", count=300)
    assert [e["seq"] for e in peer.since(mark, "frame", type="C_PONG")] == list(range(300))


@pytest.fixture(scope="module")
def module_online(module_world):
    return module_world.online()[0].peer


def test_silence_before_hello_ends_within_the_deadline(peer, gateway):
    peer.set(hello=False)
    gateway.start(connect=False)
    peer.wait_connection(0)
    peer.wait("closed", seconds=25)
    gateway.wait_state("backing-off", "connecting", "registering", "authenticating")
    assert gateway.status()["failures"] >= 1
    peer.set(hello=True)
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)


def test_silence_before_tls_ends_within_the_deadline(world, peer):
    """A listener that takes the connection and never says a word: a captive box, a hung server."""
    with socket.create_server(("127.0.0.1", 0)) as dumb:
        gateway = world.gateway(peer, port=dumb.getsockname()[1])
        gateway.start(connect=False)
        taken, _ = dumb.accept()
        ended = threading.Event()

        def drain():
            try:
                while taken.recv(4096):
                    pass
            except OSError:
                pass
            ended.set()
        threading.Thread(target=drain, daemon=True).start()
        assert ended.wait(gateway.settings.seconds(25)), "the TLS handshake has a deadline"
        gateway.wait_state("backing-off")
        taken.close()


def test_silence_in_the_middle_of_a_frame_ends_within_ten_seconds(online, peer):
    """10 s limit on a receive that has begun (§2)."""
    gateway, token = online
    mark = peer.mark()
    peer.raw(wire.good(wire.NOTIFY)[:40])
    began = time.time()
    ended = peer.wait("closed", after=mark, seconds=15)["t"]
    assert 8 <= ended - began <= gateway.settings.seconds(13)
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))


def test_commands_answer_while_the_server_is_silent(peer, gateway):
    peer.set(hello=False)
    gateway.start(connect=False)
    peer.wait_connection(0)
    began = time.monotonic()
    gateway.cli("status", code=1)
    gateway.add_token()
    gateway.rows()
    assert time.monotonic() - began < gateway.settings.seconds(3), "no call blocks on the network"


def test_status_tells_the_keepalive(brisk):
    gateway, _, _ = brisk
    keepalive = gateway.status()["keepalive"]
    assert keepalive.keys() >= {"stage", "interval", "proven", "minimum", "maximum"}
    assert (keepalive["interval"], keepalive["minimum"], keepalive["maximum"]) == (INTERVAL, INTERVAL, INTERVAL)
