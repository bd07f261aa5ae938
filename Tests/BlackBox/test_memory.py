"""Memory is decided at start: no allocation by Swift code for a notification or a ping after READY.

Needs a build that counts (--counting-binary); without one these tests are skipped and the summary says so."""
import os
import signal
import os
import struct

import pytest

from harness import wire
from harness.dns import DNS, SERVFAIL
from harness.settings import wait_until

MANY = 10_000


@pytest.fixture
def counting(world, settings):
    if not settings.counting_binary:
        pytest.skip("MEMORY TESTS NOT RUN: no --counting-binary was given")
    peer = world.peer()
    gateway, token = world.online(peer, binary=settings.counting_binary)
    return peer, gateway, token


def allocations(gateway):
    count = gateway.status()["memory"]["allocations_since_ready"]
    assert isinstance(count, int) and not isinstance(count, bool), f"a counting build gives a number, not {count}"
    return count


FORMS = {
    "plain": {}, "encrypted": {"encrypt": True}, "compressed": {"compress": True},
    "both": {"encrypt": True, "compress": True}, "flat": {"flat": {"title": "t", "body": "b", "sound": "s"}},
}


@pytest.mark.parametrize("count", [200, pytest.param(MANY, marks=pytest.mark.slow)])
def test_no_allocation_per_notification(counting, count):
    peer, gateway, token = counting
    done, forms, before = 0, list(FORMS.values()), allocations(gateway)
    for number, form in enumerate(forms):
        share = count // len(forms) if number else count - count // len(forms) * (len(forms) - 1)
        body = {} if "flat" in form else {"data": {"aps": {"alert": {"title": "t", "body": "x" * (100 + 40 * number)},
                                                           "badge": number}, "list": [1, 2.5, None, True]}}
        peer.command("flood", token=token, count=share, unqueued=True, **form, **body)
        done += share
        peer.wait("acked", count=done, seconds=90)
        assert allocations(gateway) == before, f"after {form}"
    status = gateway.status()
    assert status["received"] == count and status["rejected"] == 0


@pytest.mark.parametrize("count", [200, pytest.param(MANY, marks=pytest.mark.slow)])
def test_no_allocation_per_ping(counting, count):
    peer, gateway, _ = counting
    mark, before = peer.mark(), allocations(gateway)
    for number in range(count):
        peer.command("ping", seq=number)
        if number % 500 == 499:
            peer.wait("frame", after=mark, type="C_PONG", seq=number, seconds=30)
    peer.wait("frame", after=mark, type="C_PONG", count=count, seconds=60)
    assert allocations(gateway) == before


def test_no_allocation_for_what_is_refused(counting):
    peer, gateway, token = counting
    good, before = peer.notify(token), allocations(gateway)
    for _ in range(50):
        peer.notify(token, encrypt=True, wrong_key=True)
        peer.notify(token, expires_at=1)
        peer.garbage(token, b"\xff\xff")
        peer.notify(token, routing_key="ab" * 32)
        peer.notify(token, msg_id=good)
        peer.send(wire.PONG, struct.pack(">q", 7))
    peer.wait_ack(peer.notify(token))
    assert allocations(gateway) == before


def test_no_allocation_for_commands(counting):
    _, gateway, _ = counting
    before = allocations(gateway)
    for _ in range(20):
        gateway.cli("inbox", "--json")
        gateway.cli("read", "all")
        gateway.cli("status", code=0)
    assert allocations(gateway) == before


def test_no_allocation_for_a_login(counting):
    peer, gateway, _ = counting
    before = allocations(gateway)
    for _ in range(3):
        mark = peer.mark()
        gateway.cli("reconnect")
        gateway.wait_online(mark)
    assert allocations(gateway) == before


def test_no_allocation_for_names_and_addresses(world, settings):
    """Records and addresses, name servers that fail, addresses that lead nowhere, from READY on."""
    if not settings.counting_binary:
        pytest.skip("MEMORY TESTS NOT RUN: no --counting-binary was given")
    peer, dns = world.peer(), world.keep(DNS())
    gateway = world.gateway(peer, binary=settings.counting_binary)
    gateway.configure("server", endpoint=None)
    gateway.configure("resolver", servers=f"127.0.0.1:{dns.port}")
    dns.failures = [SERVFAIL] * 2
    name = "a-long-name-for-a-host-that-is-found-by-its-record.sgn.example"
    dns.publish(f"tcp_addr={name} tcp_port={peer.port}")
    dns.host(name, "127.0.0.2", "::1", "127.0.0.1")
    gateway.start(connect=False)
    peer.wait("poll", seconds=30)
    gateway.wait_state("connected")
    before = allocations(gateway)
    for addresses in (["127.0.0.1"], ["127.0.0.1", "127.0.0.3"], ["127.0.0.1", "::1"]):
        dns.host(name, *addresses)
        mark = peer.mark()
        gateway.cli("reconnect")
        gateway.wait_online(mark)
        gateway.wait_status(lambda s: s["interface"]["name"] == "lo", "the network is known")
    assert allocations(gateway) == before
    # Keeping the first identity, its key above all, is no part of this.
    gateway.stop()
    dns.host(name, "127.0.0.2", "127.0.0.1")
    gateway.start()
    assert allocations(gateway) == 0


@pytest.mark.slow
def test_memory_and_descriptors_are_flat_over_reconnects(counting):
    peer, gateway, _ = counting
    seen = []
    for number in range(300):
        mark = peer.mark()
        gateway.signal(signal.SIGUSR2)
        peer.wait("poll", after=mark)
        if number % 100 == 99:
            gateway.wait_state("connected")
            seen.append((gateway.status()["memory"]["rss"], len(gateway.descriptors() or [])))
    assert seen[-1][0] <= seen[0][0] * 1.1 and seen[-1][1] == seen[0][1], seen


@pytest.mark.slow
def test_memory_of_the_libraries_is_flat(counting):
    """What the libraries allocate for themselves is counted apart: they give back what they take, each round costs the
    same, and resident memory does not grow."""
    peer, gateway, token = counting
    rounds = []
    for number in range(1, 7):
        peer.command("flood", token=token, count=2000, unqueued=True, encrypt=True, compress=True, data=wire.document())
        peer.wait("acked", count=2000 * number, seconds=90)
        rounds.append(gateway.status()["memory"])
    print([(r["live_blocks"], r["library_allocations_since_ready"], r["rss"]) for r in rounds])
    settled = rounds[1:]
    live = [r["live_blocks"] for r in settled]
    assert max(live) - min(live) <= 8, live
    calls = [b["library_allocations_since_ready"] - a["library_allocations_since_ready"]
             for a, b in zip(settled, settled[1:])]
    assert max(calls) <= 1.5 * min(calls) + 2000, calls
    assert settled[-1]["rss"] <= settled[0]["rss"] * 1.1, rounds


def test_no_allocation_for_routes_hooks_and_outlets(world, settings, tmp_path):
    """Conditions, localised texts, replacing, quiet hours, hooks that fail and flood, outlets read and not read."""
    if not settings.counting_binary:
        pytest.skip("MEMORY TESTS NOT RUN: no --counting-binary was given")
    peer = world.peer()
    gateway = world.gateway(peer, binary=settings.counting_binary)
    (gateway.state / "texts").write_text('K = "%@ at %@ %2$@"\n')
    gateway.configure("strings", file="texts")
    (tmp_path / "hook").write_text("#!/bin/sh\nhead -c 100000 /dev/zero; echo a line; cat > /dev/null; exit 75\n")
    (tmp_path / "hook").chmod(0o755)
    gateway.configure("route first", bundle="*", when="aps.badge > 1000 and list contains never", light="fast")
    gateway.configure("route second", bundle="*", when="aps.badge == 1", hook=str(tmp_path / "hook"), retry="1")
    gateway.configure("route third", bundle="*", when="aps.badge == 2", hook="/no/such/program")
    gateway.configure("route fourth", bundle="*", when="aps.badge == 3", hook="/bin/true 'a word'", quiet="00:00-23:59",
                      outlet="fifo:read, fifo:not-read, socket:missing")
    os.mkfifo(gateway.state / "read")
    os.mkfifo(gateway.state / "not-read")
    reader = os.open(gateway.state / "read", os.O_RDONLY | os.O_NONBLOCK)
    token = gateway.add_token()
    gateway.start()
    last = None
    for number in range(60):
        aps = {"alert": {"title": "t", "loc-key": "K", "loc-args": ["x", 7]}, "badge": number % 4, "sound": "s",
               "thread-id": "front"}
        last = peer.notify(token, {"aps": aps, "list": ["a", 1], "collapse-id": [True, "c", 1][number % 3]},
                           compress=number % 2 == 0)
    peer.wait_ack(last)
    wait_until(lambda: sum(row.get("hook", {}).get("state") in ("done", "dead") for row in gateway.rows()) >= 30,
               settings.seconds(30), "hooks ran")
    assert os.read(reader, 65536).count(b"\n") > 5
    os.close(reader)
    peer.wait_ack(peer.notify(token, {"aps": {"badge": 3}}))
    assert allocations(gateway) == 0


def test_no_allocation_for_the_panel(world, settings):
    """Every pattern, beeps and the panel test, with outputs that are files; the devices of boards: cross/emulate
    --count-allocations."""
    if not settings.counting_binary:
        pytest.skip("MEMORY TESTS NOT RUN: no --counting-binary was given")
    peer = world.peer()
    gateway = world.gateway(peer, binary=settings.counting_binary)
    gateway.configure("panel", message="file:panel.log, file:second.log", buzzer="file:buzzer.log")
    patterns = ["pulse", "slow", "double", "fast", "solid"]
    for number, pattern in enumerate(patterns):
        gateway.configure(f"route r{number}", bundle="*", when=f"aps.badge == {number}", light=pattern, beep="2")
    token = gateway.add_token()
    gateway.start()
    for number, pattern in enumerate(patterns):
        peer.wait_ack(peer.notify(token, {"aps": {"badge": number}}))
        wait_until(lambda: gateway.light() == gateway.light(name="second.log") == pattern, settings.seconds(5), pattern)
        gateway.cli("read", "all")
        gateway.wait_light(False)
    gateway.cli("panel", "test")
    wait_until(lambda: sum(what == "fast" for _, _, what in gateway.panel()) >= 2, settings.seconds(10), "the panel test")
    wait_until(lambda: len([1 for _, role, _ in gateway.panel("buzzer.log") if role == "beep"]) > len(patterns),
               settings.seconds(20), "the buzzer had its turn")
    assert allocations(gateway) == 0
