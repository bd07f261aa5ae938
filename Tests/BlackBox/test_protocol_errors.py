"""Every way a server can break the protocol: a clean teardown, a reason in the log, a soft error, and back (spec §2–§4).

Each case starts the daemon afresh (the log's rate limits too), breaks one rule, and then the connection must come back
and deliver."""
import random
import re
import struct

import pytest

from harness import wire
from harness.wire import BOUNDS, NAMES, good, good_payload

HELLO = good(wire.HELLO)
CHALLENGED = HELLO + good(wire.CHALLENGE)

# What must be on the wire before the bad frame, by the phase in which it is to arrive.
PREFIX = {"PreHello": b"", "ChallengeWait": HELLO, "AuthWait": CHALLENGED}

REASON = re.compile(r"protocol|frame|header|magic|version|reserved|length|payload|type|phase|hello|unexpected|invalid|"
                    r"malformed|address|offset|S_[A-Z_]+|0x[0-9a-f]{2}", re.I)


@pytest.fixture(scope="module")
def station(module_world):
    gateway, token = module_world.online()
    gateway.stop()
    return gateway.peer, gateway, token


@pytest.fixture
def logged_in(station):
    """Break a rule on a connection of a registered board."""
    peer, gateway, token = station
    yield lambda phase, data: provoke(peer, gateway, phase, data, lambda: peer.wait_ack(peer.notify(token)))
    peer.set(hello=True)
    gateway.close()


@pytest.fixture
def registering(module_world, station):
    """Break a rule on a connection that registers."""
    peer = station[0]
    gateway = module_world.gateway(peer)

    def run(phase, data):
        registered = len(peer.since(0, "registered"))
        provoke(peer, gateway, phase, data, lambda: None)
        assert len(peer.since(0, "registered")) == registered + 1
    yield run
    peer.set(hello=True)
    gateway.close()


def provoke(peer, gateway, phase, data, deliver):
    peer.wait_alone()
    mark, log = peer.mark(), gateway.log() if (gateway.runtime.exists() and any(gateway.runtime.iterdir())) else []
    if phase == "Authenticated":
        gateway.start()
    else:
        peer.set(hello=False)
        gateway.start(connect=False)
        peer.wait_connection(mark)
    peer.raw(PREFIX.get(phase, b"") + data)
    peer.wait("closed", after=mark)
    peer.set(hello=True)
    again = peer.mark()
    gateway.wait_status(lambda s: s["failures"] == 1 or peer.since(again, "connected"), "a soft error is counted")
    said = gateway.log_after(log)
    assert any(REASON.search(line) for line in said), f"no reason in the log: {said}"
    again = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(again)
    deliver()
    gateway.stop()


# ---- the header -------------------------------------------------------------------------------------------------------

HEADERS = {
    "magic-0x00": wire.frame(wire.PING, bytes(8), magic=0x00),
    "magic-0x52": wire.frame(wire.PING, bytes(8), magic=0x52),
    "magic-0xff": wire.frame(wire.PING, bytes(8), magic=0xFF),
    "version-0": wire.frame(wire.PING, bytes(8), version=0),
    "version-1": wire.frame(wire.PING, bytes(8), version=1),
    "version-3": wire.frame(wire.PING, bytes(8), version=3),
    "version-255": wire.frame(wire.PING, bytes(8), version=255),
    "reserved-1": wire.frame(wire.PING, bytes(8), reserved=1),
    "reserved-255": wire.frame(wire.PING, bytes(8), reserved=255),
    "length-4097": wire.frame(wire.PING, bytes(8), length=4097),
    "length-65536": wire.frame(wire.PING, bytes(8), length=65536),
    "length-2-to-31": wire.frame(wire.PING, bytes(8), length=2**31),
    "length-all-ones": wire.frame(wire.PING, bytes(8), length=2**32 - 1),
}
TYPES = [0x00, 0x0F, 0x15, 0x1C, 0x1F, 0x20, 0x23, 0x2B, 0x7F, 0x80, 0xFF]


@pytest.mark.parametrize("data", HEADERS.values(), ids=HEADERS)
def test_header(logged_in, data):
    logged_in("Authenticated", data)


@pytest.mark.parametrize("kind", TYPES, ids="0x{:02x}".format)
def test_unknown_type(logged_in, kind):
    logged_in("Authenticated", wire.frame(kind, b""))


@pytest.mark.parametrize("data", [wire.frame(wire.HELLO, good_payload(wire.HELLO), version=1),
                                  wire.frame(wire.HELLO, good_payload(wire.HELLO), reserved=1),
                                  wire.frame(0x15)], ids=["version", "reserved", "type"])
def test_header_of_the_first_frame(logged_in, data):
    logged_in("PreHello", data)


def test_notify_header_of_four_gigabytes(logged_in):
    logged_in("Authenticated", wire.frame(wire.NOTIFY, good_payload(wire.NOTIFY), length=2**32 - 1))


# ---- the legacy hello -------------------------------------------------------------------------------------------------

LEGACY = {
    "length-11": wire.legacy_hello(11),
    "length-0": struct.pack(">I", 0) + bytes(12),
    "length-4097": wire.legacy_hello(4097),
    "length-2-to-30": wire.legacy_hello(42, stated=2**30),
    "not-bplist00": wire.legacy_hello(42, b"bplist01"),
    "not-bplist-at-all": wire.legacy_hello(42, b"<?xml ve"),
    "twice": wire.legacy_hello() * 2,
}


@pytest.mark.parametrize("data", LEGACY.values(), ids=LEGACY)
def test_legacy_hello(logged_in, data):
    logged_in("PreHello", data)


@pytest.mark.parametrize("phase", ["ChallengeWait", "AuthWait", "Authenticated"])
def test_legacy_hello_too_late(logged_in, phase):
    logged_in(phase, wire.legacy_hello())


# ---- the bounds of payloads -------------------------------------------------------------------------------------------

PHASE_OF = {wire.HELLO: "PreHello", wire.CHALLENGE: "ChallengeWait", wire.AUTH_OK: "AuthWait",
            wire.REGISTER_OK: "AuthWait", wire.REGISTER_FAIL: "AuthWait"}


def outside(kind):
    """A payload one byte short and one byte long, by the bounds of §3."""
    least, most = BOUNDS[kind]
    base = good_payload(kind)
    if least:
        yield "short", base[:least - 1] if len(base) >= least - 1 else base + bytes(least - 1 - len(base))
    if kind == wire.REGISTER_OK:
        yield "long", wire.register_ok(b"a" * (most + 1 - 6))
    elif kind == wire.REGISTER_FAIL:
        yield "long", b"\x01" + struct.pack(">H", most + 1 - 3) + b"x" * (most + 1 - 3)
    elif kind != wire.NOTIFY:  # a long one of those is skipped and acknowledged: test_verdicts
        yield "long", base + bytes(most + 1 - len(base))


def bound_cases(kinds):
    return [pytest.param(PHASE_OF.get(kind, "Authenticated"), wire.frame(kind, payload), id=f"{NAMES[kind]}-{what}")
            for kind in kinds for what, payload in outside(kind)]


REGISTER_FRAMES = (wire.REGISTER_OK, wire.REGISTER_FAIL)


@pytest.mark.parametrize("phase, data", bound_cases([k for k in NAMES if k not in REGISTER_FRAMES]))
def test_payload(logged_in, phase, data):
    logged_in(phase, data)


@pytest.mark.parametrize("phase, data", bound_cases(REGISTER_FRAMES))
def test_payload_while_registering(registering, phase, data):
    registering(phase, data)


LIES = {
    "address-shorter-than-stated": wire.register_ok(b"aaaa@sgn.test", 14),
    "address-longer-than-stated": wire.register_ok(b"aaaa@sgn.test", 12),
    "address-of-0": wire.register_ok(b"aaaa@sgn.test", 0),
    "address-of-65535": wire.register_ok(b"aaaa@sgn.test", 65535),
}


@pytest.mark.parametrize("payload", LIES.values(), ids=LIES)
def test_lengths_inside_register_ok(registering, payload):
    registering("AuthWait", wire.frame(wire.REGISTER_OK, payload))


# ---- frames out of their phase ----------------------------------------------------------------------------------------

ALLOWED = {
    "PreHello": {wire.HELLO},
    "ChallengeWait": {wire.CHALLENGE},
    "AuthWait": {wire.AUTH_OK},
    "Authenticated": {wire.NOTIFY, wire.PING, wire.PONG, wire.POLL_DONE, wire.TIME_SYNC},
}
REGISTER_ALLOWED = {
    "ChallengeWait": {wire.CHALLENGE, wire.REGISTER_FAIL},
    "AuthWait": {wire.REGISTER_OK, wire.REGISTER_FAIL},
}


def phase_cases(allowed):
    return [pytest.param(phase, kind, id=f"{phase}-{NAMES[kind]}") for phase, kinds in allowed.items()
            for kind in NAMES if kind not in kinds and kind != wire.DISCONNECT]


@pytest.mark.parametrize("phase, kind", phase_cases(ALLOWED))
def test_out_of_phase(logged_in, phase, kind):
    logged_in(phase, good(kind))


@pytest.mark.parametrize("phase, kind", phase_cases(REGISTER_ALLOWED))
def test_out_of_phase_while_registering(registering, phase, kind):
    registering(phase, good(kind))


def test_the_first_failure_s_delay_brings_it_back_by_itself(world, peer):
    gateway, token = world.online(peer)
    mark = peer.mark()
    peer.send(0x15)
    closed = peer.wait("closed", after=mark)
    again = peer.wait("connected", after=mark, seconds=15)
    assert 1.5 <= again["t"] - closed["t"] <= gateway.settings.seconds(9)
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))


def test_ten_protocol_errors_in_a_row(world, peer):
    gateway, token = world.online(peer)
    for _ in range(10):
        mark = peer.mark()
        peer.raw(b"\xff" * 64)
        peer.wait("closed", after=mark)
        gateway.wait_state("backing-off")
        gateway.cli("reconnect")
        gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))


def test_random_bytes_never_harm(world, peer, settings):
    """Seeded noise behind a good start; whatever it does, the next connection works."""
    noise = random.Random(settings.seed)
    gateway, token = world.online(peer)
    for _ in range(20):
        mark = peer.mark()
        kind = noise.choice(list(NAMES) + [0x13] * 10)
        body = noise.randbytes(noise.randint(0, 300))
        peer.raw(wire.frame(kind, body) + noise.randbytes(noise.randint(1, 100)) + b"\xff" * 8)
        peer.wait("closed", after=mark)
        gateway.wait_state("backing-off", "error-auth", "error-version", "connecting", "authenticating", "connected")
        gateway.cli("reload")
        gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))
