"""S_TIME_SYNC: the server's clock corrects later logins and every date the gateway judges (spec §4)."""
import struct
import time

import pytest

from harness import wire


def login_time(peer, mark):
    return peer.wait("frame", after=mark, type="C_LOGIN")["timestamp"]


@pytest.mark.parametrize("offset", [1000, -1000, 172_000, -172_000])
def test_offset_is_applied_to_the_next_login(online, peer, offset):
    gateway, token = online
    peer.obeyed("time_sync", time=int(time.time()) + offset)
    gateway.wait_status(lambda s: abs(s["clock_offset"] - offset) <= 2, "clock_offset")
    peer.set(clock_offset=offset)
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)
    assert abs(login_time(peer, mark) - (time.time() + offset)) < gateway.settings.seconds(10)
    peer.wait_ack(peer.notify(token))


def test_server_sends_it_after_every_login(world, peer):
    peer.set(time_sync=120)
    gateway, _ = world.online(peer)
    gateway.wait_status(lambda s: abs(s["clock_offset"] - 120) <= 2, "clock_offset")
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)
    assert abs(gateway.status()["clock_offset"] - 120) <= 2, "an offset is not added to the one before"


def test_expiry_is_judged_by_the_corrected_clock(online, peer):
    gateway, token = online
    peer.obeyed("time_sync", time=int(time.time()) + 5000)
    late = peer.notify(token, expires_at=int(time.time()) + 3000)
    good = peer.notify(token, expires_at=int(time.time()) + 8000)
    peer.wait_ack(late, 3)
    peer.wait_ack(good)
    peer.obeyed("time_sync", time=int(time.time()) - 5000)
    early = peer.notify(token, expires_at=int(time.time()) - 3000)
    peer.wait_ack(early)
    assert set(gateway.shown()) == {good, early}


BEYOND = {"above": 172_900, "below": -172_900, "a-year": 31_536_000}
EXTREMES = {"zero": 0, "minus-one": -1, "i64-maximum": 2**63 - 1, "i64-minimum": -2**63}


@pytest.mark.parametrize("offset", BEYOND.values(), ids=BEYOND)
def test_an_offset_beyond_two_days_is_a_protocol_error(online, peer, offset):
    _refused(*online, peer, int(time.time()) + offset)


@pytest.mark.parametrize("value", EXTREMES.values(), ids=EXTREMES)
def test_extreme_times_are_protocol_errors(online, peer, value):
    _refused(*online, peer, value)


def _refused(gateway, token, peer, value):
    mark = peer.mark()
    peer.send(wire.TIME_SYNC, struct.pack(">q", value))
    peer.wait("closed", after=mark)
    gateway.wait_state("backing-off")
    assert abs(gateway.status()["clock_offset"] or 0) <= 2, "the refused offset is not kept"
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)
    assert abs(login_time(peer, mark) - time.time()) < gateway.settings.seconds(10)
    peer.wait_ack(peer.notify(token))
