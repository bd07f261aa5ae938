"""Killed at every system call of a delivery, one after the other, and nothing is lost, shown twice or left unacknowledged
(mqtt-client #121, webpush-protocol #18: a crash at every gap of decrypt, commit, show, ack).

The random kills of test_durability.py hit the longest gaps; these hit each. The calls are those that a delivery was seen
to make, so whatever it does more one day is met as well."""
import json
import re
import socket

import pytest

from harness import relay as r
from harness import wire
from harness.settings import wait_until
from harness.tracing import Trace, kills

pytestmark = pytest.mark.host_only
NEEDED = {"read", "fcntl", "pread64", "pwrite64", "fdatasync", "write", "poll"}


class Deliveries:
    """A connected gateway to which one notification after the other is sent, each dark before it comes."""

    def __init__(self, world, peer, hook=None):
        self.peer, self.gateway = peer, world.gateway(peer)
        self.gateway.configure("panel", buzzer="file:buzzer.log")
        self.ran, self.sent = self.gateway.directory / "ran", []
        if hook:
            program = self.gateway.directory / "hook"
            program.write_text(f"#!/bin/sh\necho \"$SKYGLOW_TITLE\" >> {self.ran}\n")
            program.chmod(0o755)
        self.gateway.configure("route all", bundle="*", beep="1", hook=str(program) if hook else None)
        self.hook = hook
        self.token = self.gateway.add_token()
        self.gateway.start()
        # What only the first one does, and what only the first one after a start does not.
        self.deliver(None)

    def ended(self, title):
        """All of it that is seen from outside."""
        return (self.peer.acks(self.sent[-1]) and self.gateway.light() != "off"
                and (not self.hook or title in self.runs()))

    def runs(self):
        """The titles that the hook was run with."""
        return self.ran.read_text().split() if self.ran.exists() else []

    def deliver(self, kill):
        """One notification; whether the gateway was killed, and the calls that were seen."""
        gateway, title = self.gateway, f"n{len(self.sent)}"
        trace = Trace(gateway, kill)
        self.sent.append(self.peer.notify(self.token, wire.document(title), encrypt=True))
        died = trace.died(lambda: self.ended(title))
        if died:
            self.peer.wait_alone()
            assert self.peer.acks() <= set(gateway.shown()), f"acknowledged and lost, {kill}"
            gateway.start()
        self.judge(kill, title)
        return died, trace

    def judge(self, kill, title):
        gateway, message = self.gateway, self.sent[-1]
        self.peer.wait_ack(message)
        assert set(self.peer.acks(message)) == {0}, kill
        gateway.wait_light(True)
        if self.hook:
            wait_until(lambda: gateway.row(message)["hook"]["state"] == "done", gateway.settings.seconds(10),
                       lambda: f"its hook is done: {gateway.row(message)['hook']}, {kill}")
            assert 1 <= self.runs().count(title) <= 2, kill
        assert gateway.shown()[::-1] == self.sent, f"each once and in order, {kill}"
        status = gateway.status()
        assert (status["received"], status["unread"]) == (len(self.sent), 1), kill
        gateway.cli("read", "all")
        gateway.wait_light(False)
        beeps = sum(what for _, role, what in gateway.panel("buzzer.log") if role == "beep")
        assert beeps <= len(self.sent), f"one beep each at the most, {kill}"


def climb(deliver, needed):
    """Every kill of the ladder; how many there were."""
    _, trace = deliver(None)
    counts = trace.counts()
    assert needed <= counts.keys(), counts
    ladder, killed = kills(counts), 0
    kill = next(ladder)
    while kill:
        died, trace = deliver(kill)
        killed += died
        if died:
            assert trace.counts()[kill[0]] == kill[1], f"{kill}: {trace.lines()[-3:]}"
        try:
            kill = ladder.send(died)
        except StopIteration:
            kill = None
    print(f"{killed} kills, of {dict(counts)}")
    assert killed >= sum(counts.values()) * 0.9, f"{killed} kills at {counts}"
    return killed


def test_killed_at_every_call_of_a_delivery(root, world, peer):
    climb(Deliveries(world, peer).deliver, NEEDED)


@pytest.mark.slow
def test_killed_at_every_call_of_a_delivery_with_a_hook(root, world, peer):
    climb(Deliveries(world, peer, hook=True).deliver, NEEDED)


def test_killed_at_every_call_of_an_alert(root, world):
    """What was answered 202 is there after the crash; what was not is sent again, as its daemon would, and there once."""
    if r.python() is None:
        pytest.skip("RELAY TESTS NOT RUN: no cronstable environment")
    relay, titles = r.Relay(world, burst=10000), []
    gateway = relay.gateway

    def deliver(kill):
        title = f"job{len(titles)}"
        titles.append(f"{title} failed")
        body = relay.envelope(relay.alert(name=title))
        data, answer = json.dumps(body).encode(), b""
        trace = Trace(gateway, kill)
        with socket.create_connection(("127.0.0.1", relay.port)) as s:
            s.sendall(b"POST /v1/notify HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(data) + data)
            s.settimeout(gateway.settings.seconds(10))
            try:
                while more := s.recv(1000):
                    answer += more
            except ConnectionResetError:
                pass
        died = trace.died(lambda: gateway.light() != "off")
        taken = answer.startswith(b"HTTP/1.1 202 ")
        assert taken or died, answer
        if died:
            there = [row["title"] for row in gateway.rows()]
            assert not taken or titles[-1] in there, f"answered and lost, {kill}"
            relay.start()
            status, said, _ = relay.post(body)
            assert status == 202 and said["outcome"] == ("coalesced" if titles[-1] in there else "forwarded"), (kill, said)
        assert [row["title"] for row in gateway.rows()][::-1] == titles, f"each once and in order, {kill}"
        gateway.wait_light(True)
        gateway.cli("read", "all")
        gateway.wait_light(False)
        return died, trace

    deliver(None)
    climb(deliver, {"accept4", "recvfrom", "pwrite64", "fdatasync", "sendto"})


def test_no_acknowledgement_before_the_disk(root, online, peer):
    """All that was written of a notification is synced before anything is said to the server."""
    gateway, token = online
    trace = Trace(gateway)
    message = peer.notify(token)
    peer.wait_ack(message)
    assert not trace.died(lambda: gateway.light() != "off")
    link = f"->127.0.0.1:{peer.port}]>"
    kinds = {"read": "R", "pwrite64": "P", "write": "W", "fdatasync": "S", "fsync": "S"}
    seen = ""
    for line in trace.lines():
        name, ending = line.partition("(")[0], line.rpartition(" = ")[2]
        if name in kinds and ending[:1] != "-" and (name not in ("read", "write") or link in line):
            seen += kinds[name]
    assert re.fullmatch("R+(P+S)+WR*", seen), f"read, written, synced, acknowledged; but {seen}: {trace.lines()}"
