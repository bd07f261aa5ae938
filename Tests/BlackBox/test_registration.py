"""A board introduces itself: key, challenge, address, and the client certificate that is used once (spec §4)."""
import os
import stat
import time

import pytest
from harness import certificates, wire
from harness.registered import private_key


def test_registers_then_logs_in_on_a_new_connection(peer, gateway):
    gateway.start()
    address = peer.wait("registered")["address"]
    names = [e.get("type") or e["event"] for e in peer.since(0) if e["event"] in ("frame", "registered", "authenticated",
                                                                                 "connected", "poll")]
    wanted = ["connected", "C_REGISTER", "C_REGISTER_RESP", "registered", "C_DISCONNECT",
              "connected", "C_LOGIN", "C_LOGIN_RESP", "authenticated", "C_FILTER", "poll"]
    assert names == wanted
    status = gateway.status()
    assert status["state"] == "connected" and status["failures"] == 0
    assert status["address"] == address and status["server"] == wire.ADDRESS
    assert status["endpoint"] == f"127.0.0.1:{peer.port}"


def test_register_and_login_carry_version_2_and_a_true_timestamp(peer, gateway):
    gateway.start()
    register, login = peer.wait("frame", type="C_REGISTER"), peer.wait("frame", type="C_LOGIN")
    for first, answer in ((register, "C_REGISTER_RESP"), (login, "C_LOGIN_RESP")):
        assert first["version"] == 2
        assert abs(first["timestamp"] - time.time()) < 60
        assert peer.wait("frame", type=answer)["timestamp"] == first["timestamp"]
    assert login["address"] == peer.wait("registered")["address"]
    assert peer.wait("frame", type="C_DISCONNECT")["reason"] == 0


def test_registers_once_in_its_life(peer, gateway):
    gateway.start()
    gateway.restart()
    gateway.kill()
    gateway.start()
    assert len(peer.since(0, "registered")) == 1
    assert len(peer.since(0, "frame", type="C_LOGIN")) == 3


def test_private_key_lies_in_a_0600_file_whatever_the_umask(peer, gateway):
    gateway.start(umask=0)
    keys = []
    for path in gateway.state.rglob("*"):
        if path.is_file() and private_key(path.read_bytes()):
            keys.append(path)
    assert keys, f"no private key among {sorted(p.name for p in gateway.state.iterdir())}"
    for path in keys:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, f"{path.name} has mode {path.stat().st_mode:o}"


@pytest.mark.parametrize("when", ["early", "late"])
def test_register_fail_is_soft_and_its_reason_is_logged_harmless(peer, gateway, when):
    text = "quota\x1b[2J\n exceeded"
    peer.set(register=f"early:{text}" if when == "early" else text)
    gateway.start(connect=False)
    gateway.wait_state("backing-off")
    log = gateway.log()
    assert any("quota" in line and "exceeded" in line for line in log), "the server's reason is in one log line"
    assert not any(ord(c) < 0x20 and c != "\t" for line in log for c in line), "control characters are replaced"
    assert gateway.status()["failures"] >= 1
    mark = peer.mark()
    peer.set(register="ok")
    gateway.cli("reconnect")
    gateway.wait_online(mark)


@pytest.mark.parametrize("payload", [b"\x01", b"\x01\x00\x00", b"\x07\x00\x03but"], ids=["code", "empty", "reason"])
def test_register_fail_with_and_without_a_reason(peer, gateway, payload):
    peer.set(hello=False)
    gateway.start(connect=False)
    peer.wait_connection(0)
    peer.raw(wire.good(wire.HELLO) + wire.frame(wire.REGISTER_FAIL, payload))
    gateway.wait_state("backing-off")


def test_auth_fail_during_registration_is_soft(peer, gateway):
    peer.set(clock_offset=3600)
    gateway.start(connect=False)
    gateway.wait_state("backing-off")
    mark = peer.mark()
    peer.set(clock_offset=0)
    gateway.cli("reconnect")
    gateway.wait_online(mark)


ADDRESSES = {"one-byte": "a", "every-kind": "AZaz09._@-", "longest": "a" * 246 + "@sgn.test"}


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_address_is_kept_byte_for_byte(peer, gateway, address):
    peer.set(address_override=address)
    gateway.start()
    assert peer.wait("frame", type="C_LOGIN")["address"] == address
    assert gateway.status()["address"] == address


FORBIDDEN = {"space": "a b", "nul": "a\0b", "newline": "a\n", "slash": "a/b", "backslash": "a\\b", "semicolon": "a;b",
             "quote": "a'b", "colon": "a:b", "plus": "a+b", "percent": "a%20", "latin": "b\u00e9", "emoji": "\U0001f514",
             "delete": "a\x7f", "escape": "\x1b[0m"}


@pytest.mark.parametrize("address", FORBIDDEN.values(), ids=FORBIDDEN)
def test_address_with_a_forbidden_byte_is_a_protocol_error(peer, gateway, address):
    peer.set(address_override=address)
    gateway.start(connect=False)
    peer.wait("registered")
    gateway.wait_state("backing-off")
    assert not peer.since(0, "frame", type="C_LOGIN"), "such an address is never used"
    mark = peer.mark()
    peer.set(address_override=None)
    gateway.cli("reconnect")
    peer.wait("registered", after=mark)
    gateway.wait_online(mark)


# ---- the registration client certificate ----------------------------------------------------------------------------

@pytest.fixture
def enrolment(world, tmp_path):
    """A peer that knows a root, and a gateway with a bundle of leaf, intermediate and key signed below it."""
    root_key, middle_key, leaf_key = (certificates.new_key() for _ in range(3))
    root = certificates.issue("root", root_key, authority=True)
    middle = certificates.issue("middle", middle_key, issuer=root, issuer_key=root_key, authority=True)
    leaf = certificates.issue("board-7", leaf_key, issuer=middle, issuer_key=middle_key)
    authority = tmp_path / "ca.pem"
    authority.write_bytes(certificates.pem(root))
    peer = world.peer("--client-ca", str(authority))
    gateway = world.gateway(peer)
    bundle = gateway.state / "registration.pem"
    bundle.write_bytes(certificates.pem(leaf) + certificates.pem(middle) + certificates.pem_key(leaf_key))
    os.chmod(bundle, 0o600)
    gateway.configure("server", identity="registration.pem")
    return peer, gateway, bundle


def test_client_certificate_is_shown_at_registration_only_and_then_deleted(enrolment):
    peer, gateway, bundle = enrolment
    gateway.start()
    assert peer.wait("frame", type="C_REGISTER")["client_cert"] is True
    assert [e["client_cert"] for e in peer.since(0, "connected")] == [True, False]
    assert not bundle.exists(), "the bundle is deleted with the commit of the registration"
    mark = peer.mark()
    gateway.restart()
    assert [e["client_cert"] for e in peer.since(mark, "connected")] == [False]


def test_client_certificate_stays_until_a_registration_succeeds(enrolment):
    peer, gateway, bundle = enrolment
    peer.set(register="not today")
    gateway.start(connect=False)
    gateway.wait_state("backing-off")
    assert bundle.exists()
    mark = peer.mark()
    peer.set(register="ok")
    gateway.cli("reconnect")
    gateway.wait_online(mark)
    assert peer.since(mark, "connected")[0]["client_cert"] is True
    assert not bundle.exists()


def test_client_certificate_is_not_shown_by_a_registered_board(enrolment):
    peer, gateway, bundle = enrolment
    saved = bundle.read_bytes()
    gateway.start()
    gateway.stop()
    bundle.write_bytes(saved)
    mark = peer.mark()
    gateway.start()
    assert [e["client_cert"] for e in peer.since(mark, "connected")] == [False]
