"""A connection that dies without a word, or with one (issue: black-holed NAT, a route removed).

MQTTnet #2248, hivemq-dotnet #357: no longer `connected` within interval + pong timeout; and never given up for good."""
import time

import pytest

from lab.lab import SERVER, Watch

INTERVAL, DEADLINE = 2, 1
NOTICED = INTERVAL + DEADLINE
FIRST_DELAY, SECOND_DELAY = 2 + 5, 4 + 5    # s, the longest (spec §9)
CONNECT = 10                                # s, for one attempt
BRISK = {"minimum": INTERVAL, "maximum": INTERVAL, "pong_timeout": DEADLINE}


@pytest.fixture
def online(lab):
    return lab.online(keepalive=BRISK)


@pytest.mark.parametrize("answer, name", [("drop", "drops the rest"), ("reject with tcp reset", "resets the rest")],
                         ids=["drop", "reset"])
def test_nat_forgets(lab, online, measured, answer, name):
    """What was sent meanwhile is lost with the connection and must come after the next login."""
    gateway, token = online
    watch = Watch(gateway)
    lab.router.forget(answer)
    message = lab.peer.notify(token)
    lost = watch.lost()
    back = watch.connected(after=lost)
    lab.peer.wait_ack(message)
    measured(f"NAT forgets, {name}: no longer connected", NOTICED, lost, exact=True)
    measured(f"NAT forgets, {name}: reconnected after that", FIRST_DELAY + 1, back - lost)
    assert gateway.status()["failures"] == 0


def test_black_hole(lab, online, measured):
    """Nothing passes for a while, no new connection either."""
    gateway, token = online
    watch = Watch(gateway)
    lab.router.weather(f"ip daddr {SERVER} drop", f"ip saddr {SERVER} drop")
    lost = watch.lost()
    measured("black hole: no longer connected", NOTICED, lost, exact=True)
    gateway.wait_state("connecting", seconds=FIRST_DELAY + 2)
    time.sleep(2)
    assert gateway.status()["state"] in ("connecting", "backing-off")
    open_again = Watch(gateway)
    lab.router.weather()
    measured("black hole: reconnected once it is gone", CONNECT + SECOND_DELAY, open_again.connected(seconds=25))
    lab.peer.wait_ack(lab.peer.notify(token))


def test_a_patient_pong_timeout(lab, measured):
    """The kernel does not give the connection up before the session does, however long that is told to wait."""
    gateway, _ = lab.online(keepalive={"minimum": INTERVAL, "maximum": INTERVAL, "pong_timeout": 25})
    watch = Watch(gateway)
    lab.router.weather(f"ip daddr {SERVER} drop", f"ip saddr {SERVER} drop")
    lost = watch.lost(seconds=40)
    measured("black hole, pong-timeout 25 s: no longer connected", INTERVAL + 25, lost, exact=True)
    assert lost > 25 and "S_PONG" in gateway.status()["last_end"]


@pytest.mark.parametrize("answer", ["icmp type host-unreachable", "icmp type net-unreachable", "icmp type admin-prohibited",
                                    "tcp reset"], ids=["host", "net", "prohibited", "reset"])
def test_somebody_on_the_way_says_no(lab, answer):
    """The board's network is there: what cannot be reached is the server."""
    gateway, _ = lab.online()
    lab.router.weather(f"ip daddr {SERVER} {'tcp dport 7373 ' if 'tcp' in answer else ''}reject with {answer}")
    gateway.cli("reconnect")
    gateway.wait_status(lambda s: s["failures"] >= 1, "it has failed", seconds=15)
    assert gateway.status()["state"] in ("backing-off", "connecting")
    assert gateway.light("link", "link.log") in ("double", "slow")
    assert "no network" not in gateway.status()["last_end"]


def test_router_without_a_route(lab, online, measured):
    """The router says that there is no way (ICMP). It is no event on the board, and comes back without one."""
    gateway, token = online
    watch = Watch(gateway)
    lab.router.namespace.ip("route del default")
    lost = watch.lost()
    measured("router's route removed: no longer connected", NOTICED, lost, exact=True)
    gateway.wait_status(lambda s: s["failures"] >= 2, "it goes on trying", seconds=25)
    assert gateway.status()["state"] in ("backing-off", "connecting"), "the board's own network is there"
    assert not any(pattern == "pulse" for _, pattern in watch.seen())
    again = Watch(gateway)
    lab.router.namespace.ip("route add default via 10.0.1.2")
    measured("router's route restored: reconnected", CONNECT + 8 + 5, again.connected(seconds=25))
    lab.peer.wait_ack(lab.peer.notify(token))


def test_own_route_removed_and_restored(lab, measured):
    """With the default interval: only the kernel's event can tell. Restored: at once."""
    gateway, token = lab.online()
    watch = Watch(gateway)
    lab.board.ip("route del default")
    measured("board's default route removed: no longer connected", 2 + 5, watch.lost())
    gateway.wait_state("no-network")
    assert gateway.light("link", "link.log") == "pulse"
    again = Watch(gateway)
    lab.board.ip("route add default via 192.168.1.1 dev eth0")
    measured("board's default route restored: reconnected", 2, again.connected())
    lab.peer.wait_ack(lab.peer.notify(token))


def test_five_percent_of_the_packets_are_lost(lab, online):
    """TCP makes up for it; nobody here may think that the connection is dead for one lost packet."""
    gateway, token = online
    mark, watch = lab.peer.mark(), Watch(gateway)
    lab.router.weather("numgen random mod 100 < 5 drop")
    messages = [lab.peer.notify(token) for _ in range(30)]
    lab.peer.wait_all_acked(messages)
    # Some pings that meet the weather as well.
    lab.peer.wait("frame", after=mark, type="C_PING", count=3)
    assert not lab.peer.since(mark, "connected") and not lab.peer.since(mark, "closed"), "the same connection"
    assert not watch.seen() and gateway.status()["state"] == "connected"
    assert len(gateway.rows()) == len(messages)
