"""The real cronstable from PyPI, two versions, against the relay: paired through its API, every kind of alert.

They need the environments that `board/dependencies cronstable` makes."""
import sqlite3
import threading
import time

import pytest

from harness import relay as r
from harness.settings import wait_until

VERSIONS = [pytest.param(v, marks=pytest.mark.xdist_group(v)) for v in ("1.2.44", "current")]
pytestmark = [pytest.mark.host_only, pytest.mark.slow, pytest.mark.cronstable]

DEMANDED = 2    # s, from the post to the inbox: what is demanded grows with no slow factor

REPORT = """    {hook}:
      report:
        push:
          enabled: true
          priority: {priority}
"""
JOBS = """  - name: failing
    command: "echo line one >&2; echo disk full >&2; exit 3"
    schedule: "0 0 1 1 *"
    captureStderr: true
""" + REPORT.format(hook="onFailure", priority="time-sensitive") + """  - name: flapping
    command: "exit 1"
    schedule: "0 0 1 1 *"
""" + REPORT.format(hook="onFailure", priority="passive") + """  - name: lasting
    command: "sleep 300"
    schedule: "0 0 1 1 *"
    sla:
      maxRuntimeSeconds: 1
""" + REPORT.format(hook="onLate", priority="time-sensitive")
EXTRA = """state:
  path: {directory}/cronstate
notify:
  events:
    - dag_failure
  report:
    push:
      enabled: true
      priority: time-sensitive
dags:
  - name: nightly
    tasks:
      - id: only
        command: "exit 4"
"""


class Watch:
    """When each row of the inbox was first seen, and when the post that it came by began: to the daemon's word, since a
    breach is noticed only once a minute."""

    def __init__(self, gateway, wire):
        self.gateway, self.wire, self.seen, self.open = gateway, wire, {}, True
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        base = sqlite3.connect(f"file:{self.gateway.state / 'skyglow.db'}?mode=ro", uri=True)
        last = 0
        while self.open:
            for (last,) in base.execute("SELECT id FROM inbox WHERE id > ? ORDER BY id", (last,)).fetchall():
                self.seen[last] = time.time()
            time.sleep(0.02)
        base.close()

    def seconds(self, row, light=None):
        """From the post to the inbox; the light is on by then. With `light`, this pattern began meanwhile."""
        wait_until(lambda: row["id"] in self.seen, 2, "the row was seen")
        place = sorted(self.seen).index(row["id"])
        posts = [begun for begun, answer in zip(self.wire.times, self.wire.answers) if b'"forwarded"' in answer]
        begun, seen = posts[place], self.seen[row["id"]]
        lines = [(ms / 1000, pattern) for ms, _, pattern in self.gateway.panel()]
        before = ([pattern for when, pattern in lines if when < begun - 0.001] or ["off"])[-1]
        fresh = [pattern for when, pattern in lines if begun - 0.001 <= when <= seen + 0.5 and pattern != "off"]
        assert before != light and light in fresh if light else before != "off" or fresh, f"it is lit; {before}, then {fresh}"
        return seen - begun

    def close(self):
        self.open = False
        self.thread.join()


@pytest.fixture(scope="module", params=VERSIONS)
def pair(request, module_world):
    if r.python(request.param) is None:
        pytest.fail(f"there is no cronstable {request.param} in {r.CACHE}: see board/dependencies")
    relay = r.Relay(module_world, coalesce=2, flap=3, reminder=3600)
    relay.gateway.cli("unpair", "1")
    # The breach comes at any moment, perhaps amid others: it has a light of its own, before which all others give way.
    relay.gateway.configure("route breach", bundle="cronstable", when="kind == sla", light="fast")
    relay.gateway.cli("reload")
    directory = relay.gateway.directory
    relay.wire = module_world.wire(relay)
    relay.watch = module_world.keep(Watch(relay.gateway, relay.wire))
    daemon = r.Cronstable(module_world, request.param, relay.wire.port, JOBS, EXTRA.format(directory=directory))
    # Notices the breach once a minute.
    daemon.start_job("lasting")
    relay.gateway.cli("pair", "cronstable", daemon.link())
    return relay, daemon


def arrival(relay, kind, act, seconds=2, new=1):
    """The row of this kind that comes after `act`, lit and in time."""
    relay.gateway.cli("read", "all")
    relay.gateway.wait_light(False)

    def rows():
        return [x for x in relay.gateway.rows() if x["payload"].get("kind") == kind]
    before = len(rows())
    act()
    started = time.monotonic()
    wait_until(lambda: len(rows()) >= before + new, relay.gateway.settings.seconds(seconds), f"{kind} in the inbox")
    relay.gateway.wait_light(True, 1)
    (row, *_) = rows()
    took = relay.watch.seconds(row)
    print(f"\n{kind}: {time.monotonic() - started:.2f} s after it was asked for, {took:.3f} s after the post began")
    assert took < DEMANDED
    assert row["source"] == "cronstable" and not row["stale"] and not row["placeholder"]
    return row


def test_paired(pair):
    relay, daemon = pair
    (device,) = daemon.devices()
    assert relay.gateway.json("pairings")[0]["token"].endswith(device["pushToken"].lstrip("…"))
    done = relay.gateway.cli("pair", "cronstable", daemon.link())
    assert device["fingerprint"] in done.stdout and daemon.devices() == [device]


def test_a_test_alert(pair):
    relay, daemon = pair
    row = arrival(relay, "test", lambda: daemon.test(daemon.devices()[0]["id"]))
    assert (row["title"], row["body"]) == ("Test alert", "test alert from cronstable")


def test_a_failing_job(pair):
    relay, daemon = pair
    row = arrival(relay, "failure", lambda: daemon.start_job("failing"), 4)
    assert row["title"] == "failing failed" and row["priority"] == "time-sensitive"
    assert row["body"].endswith("line one\ndisk full") and "exit code 3" in row["body"]


def test_an_event_of_the_daemon(pair):
    relay, daemon = pair

    def trigger():
        status, answer = daemon.call("POST", "/dags/nightly/trigger", {})
        assert status in (200, 201, 202), (status, answer)
    row = arrival(relay, "event", trigger, 10)
    assert row["payload"]["event"] == "dag_failure" and "nightly" in row["title"] + (row["body"] or "")


def test_a_job_that_flaps(pair, world):
    """Without a state of its own a daemon names every run of a job the same; with one, newer daemons name the source."""
    relay, daemon = pair
    daemons = [r.Cronstable(world, daemon.version, relay.wire.port, JOBS)] + [daemon] * (daemon.version == "current")
    relay.gateway.cli("pair", "cronstable", daemons[0].link())
    for daemon in daemons:
        before, rows = relay.counters(), flaps(relay)
        for _ in range(8):
            daemon.start_job("flapping")
            time.sleep(1.2)

        def held():
            after = relay.counters()
            return after["coalesced"] + after["suppressed"] - before["coalesced"] - before["suppressed"]
        wait_until(lambda: held() >= 5, 10, "all were posted")
        # Other alerts may come meanwhile: the breach is noticed at any time.
        assert flaps(relay) - rows == 3 and held() == 5
        after = relay.counters()
        assert after["suppressed"] > before["suppressed"]
        # The next run comes within the time of coalescing.
        assert after["coalesced"] > before["coalesced"] or daemon is not daemons[0]


def flaps(relay):
    return len([row for row in relay.gateway.rows() if row["title"] == "flapping failed"])


def test_an_sla_breach(pair):
    relay, _ = pair
    row = relay.wait_row("lasting: SLA breach", 75)
    took = relay.watch.seconds(row, light="fast")
    print(f"\nsla: {took:.3f} s after the post began")
    assert took < DEMANDED
    assert row["payload"]["sla_check"] in row["body"] and not row["stale"]


def test_a_revoked_device(pair):
    relay, daemon = pair
    (device,) = daemon.devices()
    relay.gateway.cli("unpair", str(relay.gateway.json("pairings")[0]["id"]))
    assert "410" in str(daemon.test(device["id"]))
