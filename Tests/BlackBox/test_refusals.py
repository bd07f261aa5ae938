"""Refused by the server: states of their own that stop, with a way out (spec §9; mosquitto #1056, tedge #1797)."""
import shutil
import tempfile

import pytest

from harness import wire

LONGEST_FIRST_DELAY = 7


@pytest.fixture
def refused(online, peer):
    """Refused with `option` at the next login; gateway and the mark from before."""
    gateway, token = online

    def refuse(option, state):
        peer.set(auth=option)
        mark = peer.mark()
        gateway.cli("reconnect")
        gateway.wait_state(state)
        return gateway, token, mark
    return refuse


@pytest.mark.parametrize("option, state", [("fail", "error-auth"), ("version", "error-version")])
def test_a_hard_refusal_stops_and_reload_recovers(refused, peer, option, state):
    gateway, token, mark = refused(option, state)
    assert len(peer.since(mark, "connected")) == 1
    mark = peer.mark()
    peer.never("connected", after=mark, seconds=LONGEST_FIRST_DELAY + 1.5)
    assert gateway.cli("status", code=1).stdout.strip()
    assert gateway.status()["state"] == state
    peer.set(auth="ok")
    gateway.cli("reload")
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))
    assert not peer.since(0, "registered")[1:], "the identity is kept"


def test_auth_fail_again_after_reload_stops_again(refused, peer):
    gateway, _, _ = refused("fail", "error-auth")
    mark = peer.mark()
    gateway.cli("reload")
    peer.wait("connected", after=mark)
    gateway.wait_state("error-auth")
    assert len(peer.since(mark, "connected")) == 1


def test_restart_recovers(refused, peer):
    gateway, token, _ = refused("fail", "error-auth")
    peer.set(auth="ok")
    gateway.restart()
    peer.wait_ack(peer.notify(token))


def test_inbox_and_tokens_work_while_refused(refused, peer):
    gateway, token, _ = refused("fail", "error-auth")
    assert gateway.add_token() == token and gateway.rows() == []
    assert gateway.cli("read", "all").returncode == 0


@pytest.mark.parametrize("reason, state", [(1, "error-auth"), (5, "error-version")])
def test_hard_reasons_count_in_every_phase(online, peer, reason, state):
    """S_DISCONNECT before S_HELLO, and to a board that is logged in."""
    gateway, _ = online
    peer.obeyed("disconnect", reason=reason)
    gateway.wait_state(state)
    peer.set(hello=False)
    mark = peer.mark()
    gateway.cli("reload")
    peer.wait_connection(mark)
    peer.send(wire.DISCONNECT, bytes([reason]))
    gateway.wait_state(state)


def test_a_hard_reason_with_retry_after_is_still_hard(online, peer):
    gateway, _ = online
    mark = peer.mark()
    peer.obeyed("disconnect", reason=1, retry_after=1)
    gateway.wait_state("error-auth")
    peer.never("connected", after=mark, seconds=3)


def test_an_unknown_device_is_refused(online, world, peer):
    """The server forgot the device (a new server process): AUTH_FAIL, so the gateway stops and says so."""
    gateway, _ = online
    fresh = world.peer(directory=_copy(peer))
    gateway.configure("server", endpoint=f"127.0.0.1:{fresh.port}")
    gateway.restart(connect=False)
    gateway.wait_state("error-auth")
    assert not fresh.since(0, "registered"), "no second identity behind the owner's back"


def _copy(peer):
    directory = tempfile.mkdtemp(prefix="sgp-")
    for name in ("server.pem", "server.key"):
        shutil.copy(peer.directory / name, directory)
    return directory


def test_a_wrong_clock_is_refused_with_a_hint(online, peer):
    """The server allows 300 s; beyond that it answers AUTH_FAIL, and the log lets a person find out."""
    gateway, _ = online
    peer.set(clock_offset=1000)
    mark = peer.mark()
    gateway.cli("reconnect")
    peer.wait("note", after=mark, what="clock skew")
    gateway.wait_state("error-auth")
    assert any("auth" in line.lower() for line in gateway.log())
    peer.set(clock_offset=0)
    gateway.cli("reload")
    gateway.wait_online(mark)
