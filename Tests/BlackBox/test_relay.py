"""The relay: envelopes and notes of our own making, good and bad, many and slow.

Sealed boxes need PyNaCl: from the environment that board/dependencies makes for cronstable."""
import base64
import concurrent.futures
import hmac
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from harness import relay as r
from harness.settings import wait_until

pytestmark = pytest.mark.skipif(r.python() is None, reason="RELAY TESTS NOT RUN: no cronstable environment")


@pytest.fixture
def relay(world):
    return r.Relay(world)


# ---- alerts -----------------------------------------------------------------------------------------------------------

def test_an_alert_is_shown_with_its_text_and_log(relay):
    status, answer, _ = relay.send()
    assert (status, answer) == (202, {"v": 1, "outcome": "forwarded"})
    (row,) = relay.gateway.rows()
    assert (row["source"], row["title"], row["subtitle"]) == ("cronstable", "backup failed", "nas")
    assert row["body"] == "disk full\nexit code 3\nfirst line\nlast line"
    assert (row["priority"], row["stale"], row["placeholder"], row["read"]) == ("time-sensitive", False, False, False)
    assert row["payload"]["kind"] == "failure" and row["payload"]["log_tail"] == ["first line", "last line"]
    relay.gateway.wait_light(True, 2)
    assert relay.counters()["forwarded"] == 1


KINDS = [
    ({"kind": "success", "success": True, "fail_reason": None, "log_tail": None, "exit_code": 0}, "backup succeeded", "exit code 0"),
    ({"kind": "sla", "sla_check": "late", "threshold_seconds": 60, "observed_seconds": 90.7, "exit_code": None,
      "fail_reason": None, "log_tail": None}, "backup: SLA breach", "late\nobserved seconds: 90\nallowed seconds: 60"),
    ({"kind": "event", "event": "leader_change", "subject": "nas leads now", "message": "m", "fail_reason": None,
      "log_tail": None, "exit_code": None}, "nas leads now", "m"),
    ({"kind": "event", "event": "quorum_loss", "fail_reason": None, "log_tail": None, "exit_code": None},
     "event quorum_loss", None),
    ({"kind": "test", "message": "hello", "fail_reason": None, "log_tail": None, "exit_code": None}, "Test alert", "hello"),
]


def test_every_kind(relay):
    for fields, title, body in KINDS:
        assert relay.send(relay.alert(**fields))[0] == 202
        row = relay.gateway.rows()[0]
        assert (row["title"], row["body"]) == (title, body)


def test_the_longest_alert(relay):
    """40 lines of log, and as much as 3,800 characters of base64 hold."""
    lines = [f"{number:02} " + "x" * 50 for number in range(40)]
    for spare in (1, 0):
        plain = json.dumps(relay.alert(log_tail=lines, message=""), separators=(",", ":"))
        plain = json.dumps(relay.alert(log_tail=lines, message="m" * (2802 - len(plain) - spare)), separators=(",", ":"))
        assert len(plain) == 2802 - spare
        env = relay.envelope(plain.encode())
        assert len(env["ciphertext"]) == 3800 and relay.post(env)[0] == 202
        row = relay.gateway.rows()[0]
        assert not row["placeholder"] and row["body"].endswith("\n".join(lines)) and row["payload"]["log_tail"] == lines


@pytest.mark.host_only
def test_quiet_hours(relay):
    """Time-sensitive alerts sound in them, notes do not."""
    hour = time.gmtime().tm_hour
    relay.gateway.configure("route night", bundle="*", quiet=f"{(hour + 23) % 24:02}:00-{(hour + 2) % 24:02}:00", light="slow")
    relay.gateway.configure("panel", buzzer="file:buzzer.log")
    relay.gateway.stop()
    relay.gateway.start(connect=False, env={"TZ": "UTC0"})
    relay.gateway.wait_running()
    desk = r.Pocketty(relay)

    def beeps():
        return len([p for p in relay.gateway.panel("buzzer.log") if p[1] == "beep"])
    assert desk.push()[0] == 202
    assert relay.gateway.rows()[0]["sound"] == "default"
    relay.send(priority="passive")
    time.sleep(0.3)
    assert beeps() == 0
    relay.send()
    wait_until(lambda: beeps() == 1, relay.gateway.settings.seconds(2), "a beep")


def test_routes_match_kind_name_host_and_event(relay):
    conditions = {"a": "kind == failure and name == one", "b": "host == pi", "c": "event == quorum_loss"}
    for name, when in conditions.items():
        relay.gateway.configure(f"route {name}", bundle="cronstable", when=when, light="fast")
    relay.gateway.cli("reload")
    for fields in ({"name": "one"}, {"host": "pi"}, {"kind": "event", "event": "quorum_loss"}, {"name": "two"}):
        assert relay.send(relay.alert(**fields))[0] == 202
    assert [row.get("route") for row in reversed(relay.gateway.rows())] == ["a", "b", "c", None]
    assert relay.gateway.light() == "fast"


@pytest.mark.host_only
def test_passive_and_outdated_make_no_sound(relay):
    relay.gateway.configure("panel", buzzer="file:buzzer.log")
    relay.gateway.cli("reload")
    relay.send(relay.alert(name="p"), priority="passive")
    for age, stale in ((-590, False), (590, False), (-620, True), (620, True)):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + age))
        relay.send(relay.alert(name=str(age), ts=stamp), priority="time-sensitive" if stale else "passive")
        row = relay.gateway.rows()[0]
        assert (row["stale"], row["priority"], row["sound"]) == (stale, "passive", None), age
    relay.send(relay.alert(ts="yesterday"))
    assert relay.gateway.rows()[0]["stale"]
    assert not [p for p in relay.gateway.panel("buzzer.log") if p[1] == "beep"]
    relay.send()
    wait_until(lambda: [p for p in relay.gateway.panel("buzzer.log") if p[1] == "beep"], 2, "a beep")


def test_what_does_not_open_is_a_placeholder(relay):
    plains = (b" ", b"{}", b"no json", b'{"v":2,"kind":"test"}', b'{"v":1}', b"[1]")
    for plain in plains:
        assert relay.post(relay.envelope(plain))[:2] == (202, {"v": 1, "outcome": "forwarded"}), plain
    other = base64.b64encode(os.urandom(100)).decode()
    assert relay.send(ciphertext=other)[0] == 202
    rows = relay.gateway.rows()
    assert len(rows) == relay.counters()["unopened"] == len(plains) + 1
    for row in rows:
        assert (row["title"], row["placeholder"], row["priority"], row["sound"]) == ("New alert", True, "passive", None)
    assert any("could not be opened" in line and " warning " in line for line in relay.gateway.log())


@pytest.mark.host_only
def test_a_202_is_durable(world):
    relay = r.Relay(world)
    for number in range(5):
        env = relay.envelope(relay.alert(name=f"job{number}"))
        assert relay.post(env)[0] == 202
        relay.gateway.kill()
        assert [row["title"] for row in relay.gateway.rows()][0] == f"job{number} failed"
        relay.start()
        assert relay.post(env)[1]["outcome"] == "coalesced", "the policy survives too"


def test_killed_right_after_the_answer(world):
    """By the first byte of the answer, alert and note are on the card; with them that they were shown."""
    relay = r.Relay(world)
    desk = r.Pocketty(relay)
    titles = []
    for number in range(2 if relay.gateway.settings.emulated else 8):
        if number % 2:
            sealed = desk.sealed(desk.note(state=f"{number}"))
            path, body = "/pocketty/v1/push", {"v": 1, "grant": desk.grant, "sealed": sealed}
            titles.append(f"worker: {number}")
        else:
            path, body = "/v1/notify", relay.envelope(relay.alert(name=f"job{number}"))
            titles.append(f"job{number} failed")
        data = json.dumps(body).encode()
        with socket.create_connection(("127.0.0.1", relay.port)) as s:
            s.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
            first = s.recv(1)
            relay.gateway.kill()
            assert (first + s.recv(1000)).startswith(b"HTTP/1.1 202 ")
        relay.start()
        assert [row["title"] for row in reversed(relay.gateway.rows())] == titles
        relay.gateway.wait_light(True, 2)
        again = relay.post(body, path)
        assert again[0] == 202 and again[1].get("outcome", "coalesced") == "coalesced"
        assert len(relay.gateway.rows()) == len(titles)


@pytest.mark.host_only
def test_no_202_before_the_disk(relay, root):
    """The log of the database is synced between the request and its answer."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    trace = relay.gateway.directory / "trace"
    tracer = subprocess.Popen(["strace", "-o", trace, "-e", "trace=recvfrom,sendto,fsync,fdatasync", "-s", "12", "-p",
                               str(relay.gateway.process.pid)], stderr=subprocess.PIPE)
    first = tracer.stderr.readline().decode()
    if "attached" not in first:
        pytest.skip(f"nobody may be traced here: {first}")
    assert relay.send()[0] == 202
    tracer.terminate()
    tracer.wait()
    calls = [line.partition("(")[0] for line in trace.read_text().splitlines() if "POST /v1" in line or "HTTP/1.1 202" in line
             or "sync(" in line and line.rstrip().endswith("= 0")]
    assert calls[0] == "recvfrom" and calls[-1] == "sendto" and calls[1:-1] and all("sync" in c for c in calls[1:-1]), calls


@pytest.mark.host_only
def test_what_is_coalesced_with_something_that_is_lost_is_not_taken(relay):
    """Twenty times the same alert at once, and a store that takes nothing: no 202 for any of them."""
    import sqlite3
    base = sqlite3.connect(relay.gateway.state / "skyglow.db")
    base.execute("CREATE TRIGGER no BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'no'); END")
    base.commit()
    body = json.dumps(relay.envelope()).encode()
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    relay.gateway.signal(signal.SIGSTOP)
    clients = []
    for _ in range(20):
        clients.append(socket.create_connection(("127.0.0.1", relay.port)))
        clients[-1].sendall(request)
    relay.gateway.signal(signal.SIGCONT)
    for client in clients:
        client.settimeout(relay.gateway.settings.seconds(5))
        assert client.recv(1000).startswith(b"HTTP/1.1 503 ")
        client.close()
    assert relay.counters()["coalesced"] == relay.counters()["forwarded"] == 0
    base.execute("DROP TRIGGER no")
    base.commit()
    base.close()
    assert relay.post(body)[1] == {"v": 1, "outcome": "forwarded"}


@pytest.mark.host_only
def test_a_reboot_and_then_a_restart(world):
    """What the policy knew by the clock of the boot before is moved to the new one for good."""
    import sqlite3
    import struct
    relay = r.Relay(world, coalesce=1)
    env, other = relay.envelope(), relay.envelope()
    assert relay.post(env)[1]["outcome"] == "forwarded"
    relay.gateway.stop()
    # As after a boot that had lasted eleven days longer.
    base, ahead = sqlite3.connect(relay.gateway.state / "skyglow.db"), 1_000_000_000
    base.execute("UPDATE relay_clock SET boot = 'another', booted = booted + ?", (ahead,))
    for device, key, state in base.execute("SELECT device, key, state FROM admissions").fetchall():
        times = list(struct.unpack(">20q", state))
        for place in (0, 1, *range(4, 20)):
            times[place] += ahead
        base.execute("UPDATE admissions SET state = ? WHERE device = ? AND key = ?", (struct.pack(">20q", *times), device, key))
    base.commit()
    base.close()
    relay.start()
    assert relay.post(other)[1]["outcome"] == "forwarded"
    relay.gateway.kill()
    relay.start()
    time.sleep(1.1)
    assert relay.post(env)[1]["outcome"] == "forwarded"


@pytest.mark.host_only
@pytest.mark.parametrize("number", [-2**63, -1, 0, 2**62, 2**63 - 1])
def test_damaged_rows(world, number):
    """Whatever times are in the database, alerts and notes are taken."""
    import sqlite3
    import struct
    relay = r.Relay(world, coalesce=0, flap=1)
    desk, env = r.Pocketty(relay), relay.envelope()
    assert relay.post(env)[0] == desk.push()[0] == 202
    relay.gateway.stop()
    base = sqlite3.connect(relay.gateway.state / "skyglow.db")
    base.execute("UPDATE relay_clock SET boot = 'another', booted = ?, wall = ?", (number, number))
    base.execute("UPDATE admissions SET state = ?", (struct.pack(">20q", number, number, 1, 1, *[number] * 16),))
    base.execute("UPDATE panes SET digest = x'00'")
    base.commit()
    base.close()
    relay.start()
    assert relay.post(env)[0] == relay.send()[0] == desk.push()[0] == 202
    relay.gateway.kill()
    relay.start()
    assert relay.send()[1]["outcome"] == "forwarded"


@pytest.mark.host_only
@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_damaged_key_is_told_before_anything_begins(world, size):
    relay = r.Relay(world, start=False)
    (relay.gateway.state / "relay-seal.key").write_bytes(bytes(size))
    code, words = relay.gateway.run_to_end()
    assert code in (65, 74) and "relay-seal.key" in words
    relay.gateway.cli("pair", "cronstable", "-", input=relay.daemon.link(), code=(65, 74))
    assert (relay.gateway.state / "relay-seal.key").stat().st_size == size, "nothing takes its place unasked"


@pytest.mark.host_only
def test_by_the_corrected_clock(world):
    """How old an alert is, is judged by the server's time where there is one."""
    peer = world.peer()
    relay = r.Relay(world, peer)
    peer.obeyed("time_sync", time=int(time.time()) + 5000)
    relay.gateway.wait_status(lambda s: abs(s["clock_offset"] - 5000) <= 2, "clock_offset")
    for offset, stale in ((0, True), (5000, False)):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + offset))
        relay.send(relay.alert(name=str(offset), ts=stamp))
        assert relay.gateway.rows()[0]["stale"] == stale, offset


@pytest.mark.host_only
def test_policy_numbers(world):
    relay = r.Relay(world, coalesce=1, flap=2, reminder=2, burst=4, refill=3600)
    env = relay.envelope()
    outcomes = []
    for pause in (0, 0, 1.1, 1.1, 0):
        time.sleep(pause)
        outcomes.append(relay.post(env)[1].get("outcome"))
    assert outcomes == ["forwarded", "coalesced", "forwarded", "suppressed", "suppressed"]
    time.sleep(1.2)
    assert relay.post(env)[1].get("outcome") == "forwarded", "a reminder"
    assert relay.send()[0] == 202
    status, answer, headers = relay.send()
    assert status == 429 and 1 <= int(headers["Retry-After"]) <= 3600
    assert len(relay.gateway.rows()) == 4


# ---- bad requests -----------------------------------------------------------------------------------------------------

BAD = [("v", ...), ("v", 2), ("v", "1"), ("v", 1.0), ("v", True), ("device", ...), ("device", 5), ("device", "ab" * 7),
       ("device", "ab" * 257), ("device", "a" * 17), ("device", "xy" * 16), ("ciphertext", ...), ("ciphertext", 1),
       ("ciphertext", "A" * 3804), ("ciphertext", "AAA"), ("ciphertext", "A A="), ("ciphertext", "AA-_"), ("ciphertext", "AB=="),
       ("collapseId", ...), ("collapseId", 1), ("collapseId", "a" * 31), ("collapseId", "a" * 33),
       ("collapseId", "A" * 32), ("collapseId", "g" * 32), ("priority", ...), ("priority", "Passive"), ("priority", None),
       ("priority", "active"), ("event", ...), ("event", 0), ("event", "false"), ("suite", "xwing"), ("suite", ""), ("suite", 1)]


def test_every_member_that_is_wrong_is_named(relay):
    good = relay.envelope()
    for member, value in BAD:
        env = {k: v for k, v in {**good, member: value}.items() if v is not ...}
        status, answer, _ = relay.post(env)
        assert status == 400 and member in answer["error"] and answer["v"] == 1, (member, value, status, answer)
        # A daemon that reads this word posts once more.
        assert ("ciphertext" in answer["error"]) == (member == "ciphertext"), answer
    for digits in (16, 512):
        assert relay.post({**good, "device": "ab" * (digits // 2)})[0] == 410, "a device, though not ours"
    for body in (b"", b"{", b"[]", b"null", b'{"v":1}x', b"\xff", b'{"v":1,"v":'):
        assert relay.post(body)[0] == 400, body
    assert relay.post({**good, "device": "cd" * 32})[::2][0] == 410
    assert relay.post({**good, "device": good["device"].upper(), "more": [1], "suite": "x25519"})[0] == 202
    assert relay.gateway.status()["received"] == 1
    assert relay.counters()["refused"] == len(BAD) + 10


def test_sizes(relay):
    env = relay.envelope(ciphertext=base64.b64encode(bytes(2850)).decode())
    assert len(env["ciphertext"]) == 3800 and relay.post(env)[0] == 202
    body = json.dumps(relay.envelope()).encode()
    assert relay.post(body + b" " * (8192 - len(body)))[0] == 202
    assert relay.post(body + b" " * (8193 - len(body)))[0] == 413
    assert relay.post(b"x" * 100_000)[0] == 413


def test_answers_of_http(relay):
    assert relay.post({}, "/other")[0] == 404
    for method in ("GET", "PUT", "DELETE", "post"):
        assert relay.post(b"", method=method)[0] == 405
    assert relay.post(b"", method="GET")[2]["Allow"] == "POST"
    assert relay.post({}, "/other", method="GET")[0] == 404
    assert relay.post({}, "/v1/notify?x=1")[0] == 404


HEAD = b"POST /v1/notify HTTP/1.1\r\nHost: x\r\n"
SMUGGLING = {
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "two different lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "a list of lengths": HEAD + b"Content-Length: 2, 2\r\n\r\n{}",
    "a signed length": HEAD + b"Content-Length: +2\r\n\r\n{}",
    "a length and a coding": HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a coding and a length": HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
    "bare LF": HEAD.replace(b"\r\n", b"\n") + b"Content-Length: 2\n\n{}",
    "one bare LF": HEAD + b"A: b\nContent-Length: 2\r\n\r\n{}",
    "bare CR": HEAD + b"A: b\rContent-Length: 2\r\n\r\n{}",
    "folded": HEAD + b"A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}",
    "folded first": b"POST /v1/notify HTTP/1.1\r\n Host: x\r\n\r\n",
    "space before the colon": HEAD + b"Content-Length : 2\r\n\r\n{}",
    "no name": HEAD + b": 2\r\n\r\n",
    "no colon": HEAD + b"Content-Length\r\n\r\n",
    "absolute target": b"POST http://x/v1/notify HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
    "NUL in a field": HEAD + b"A: \0\r\nContent-Length: 2\r\n\r\n{}",
    "NUL in the target": b"POST /v1\0/notify HTTP/1.1\r\nHost: x\r\n\r\n",
    "two spaces": b"POST  /v1/notify HTTP/1.1\r\nHost: x\r\n\r\n",
    "no version": b"POST /v1/notify\r\nHost: x\r\n\r\n",
    "no host": b"POST /v1/notify HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
    "two hosts": HEAD + b"Host: y\r\nContent-Length: 2\r\n\r\n{}",
    "an empty line first": b"\r\n" + HEAD + b"Content-Length: 2\r\n\r\n{}",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",
}


def test_what_could_be_read_in_two_ways_is_refused(relay):
    for name, data in SMUGGLING.items():
        answer = relay.raw(data + HEAD + b"Content-Length: 2\r\n\r\n{}")
        assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1 ") == 1, (name, answer)
        assert b"Connection: close" in answer, name


STATUSES = [
    (411, HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), (411, HEAD + b"\r\n"),
    (417, HEAD + b"Expect: tea\r\nContent-Length: 2\r\n\r\n{}"), (505, HEAD.replace(b"/1.1", b"/2.0") + b"\r\n"),
    (414, b"POST /" + b"a" * 1024 + b" HTTP/1.1\r\nHost: x\r\n\r\n"), (414, b"POST /" + b"a" * 5000),
    (431, HEAD + b"A: " + b"a" * 5000), (431, HEAD + b"A: b\r\n" * 64 + b"\r\n"),
    (404, b"POST /" + b"a" * 1023 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
    (413, HEAD + b"Content-Length: 999999999999999999\r\n\r\n"),
]


def test_statuses(relay):
    for status, data in STATUSES:
        assert relay.raw(data, relay.gateway.settings.seconds(1)).startswith(b"HTTP/1.1 %d " % status), (status, data[:99])


@pytest.mark.host_only
def test_keep_alive_pipelining_and_continue(relay):
    body = json.dumps(relay.envelope()).encode()
    one = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    answer = relay.raw(one * 3 + one.replace(b"Host: x", b"Host: x\r\nConnection: close"), 5)
    assert answer.count(b"HTTP/1.1 202 Accepted") == 4 and answer.count(b"coalesced") == 3
    with socket.create_connection(("127.0.0.1", relay.port)) as s:
        s.settimeout(5)
        s.sendall(HEAD + b"Expect: 100-Continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert s.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        s.sendall(body)
        assert s.recv(1000).startswith(b"HTTP/1.1 202")
    assert relay.raw(one.replace(b"/1.1", b"/1.0"), 5).endswith(b'"coalesced"}')
    for cut in range(0, len(one), 37):
        with socket.create_connection(("127.0.0.1", relay.port)) as s:
            s.sendall(one[:cut])
            time.sleep(0.002)
            s.sendall(one[cut:])
            s.settimeout(5)
            assert b"202" in s.recv(1000)


@pytest.mark.host_only
def test_a_slow_client_is_ended_and_disturbs_nobody(relay):
    slow = socket.create_connection(("127.0.0.1", relay.port))
    started, data = time.monotonic(), HEAD + b"Content-Length: 200\r\n\r\n"
    slow.settimeout(1)
    answer = b""
    for byte in data:
        try:
            slow.sendall(bytes([byte]))
            answer = slow.recv(1000)
            break
        except TimeoutError:
            if (time.monotonic() - started) % 3 < 1:
                assert relay.send()[0] == 202
    assert b" 408 " in answer and 9 < time.monotonic() - started < 14
    slow.close()


@pytest.mark.host_only
def test_a_full_house_of_idle_clients_makes_room(relay):
    idle = [socket.create_connection(("127.0.0.1", relay.port)) for _ in range(128)]
    for s in idle[:64]:
        s.sendall(b"POST")
    started = time.monotonic()
    assert relay.send()[0] == 202
    assert time.monotonic() - started < 5
    for s in idle:
        s.close()


@pytest.mark.host_only
def test_without_a_free_descriptor_clients_wait(relay, root):
    """And the gateway does not turn in circles."""
    import resource
    pid = relay.gateway.process.pid
    before, body = resource.prlimit(pid, resource.RLIMIT_NOFILE), json.dumps(relay.envelope()).encode()

    def used():
        fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (relay.gateway.descriptors()[-1] + 1, before[1]))
    with socket.create_connection(("127.0.0.1", relay.port)) as s:
        s.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        start = used()
        time.sleep(2)
        assert used() - start < 40, "hundredths of a second in two seconds"
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        s.settimeout(relay.gateway.settings.seconds(3))
        assert s.recv(1000).startswith(b"HTTP/1.1 202 ")


@pytest.mark.host_only
def test_strangers_are_not_let_in(world):
    relay = r.Relay(world, allow="10.0.0.0/8")
    with pytest.raises((ConnectionError, http.client.BadStatusLine)):
        relay.send()
    assert relay.counters()["strangers"] == 1 and relay.gateway.rows() == []


@pytest.mark.host_only
def test_a_late_address(world, root):
    """mosquitto #2878: the relay waits for its address, and the rest goes on."""
    peer = world.peer()
    relay = r.Relay(world, peer, start=False)
    relay.gateway.configure("relay", listen=f"192.0.2.77:{relay.port}")
    token = relay.gateway.add_token()
    relay.gateway.start()
    message = peer.notify(token)
    peer.wait_ack(message)
    status = relay.gateway.status()
    assert (status["state"], status["relay"]["listening"]) == ("connected", None)
    assert relay.gateway.shown() == [message]
    subprocess.run(["ip", "address", "add", "192.0.2.77/32", "dev", "lo"], check=True)
    try:
        relay.gateway.wait_status(lambda s: s["relay"]["listening"], "listens", 6)
    finally:
        subprocess.run(["ip", "address", "del", "192.0.2.77/32", "dev", "lo"], check=True)


@pytest.mark.host_only
def test_the_store_is_full(world):
    relay = r.Relay(world)
    import sqlite3
    base = sqlite3.connect(relay.gateway.state / "skyglow.db")
    base.execute("CREATE TRIGGER no BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'no'); END")
    base.commit()
    env = relay.envelope()
    status, answer, headers = relay.post(env)
    assert status == 503 and headers["Retry-After"] == "5"
    assert relay.counters()["forwarded"] == 0 and relay.counters()["failed"] == 1
    base.execute("DROP TRIGGER no")
    base.commit()
    base.close()
    assert relay.post(env)[:2] == (202, {"v": 1, "outcome": "forwarded"}), "not coalesced with what was not kept"


# ---- pairing ----------------------------------------------------------------------------------------------------------

def test_pairing_and_unpairing(relay):
    gateway = relay.gateway
    (pairing,) = gateway.json("pairings")
    assert (pairing["kind"], pairing["name"], pairing["token"]) == ("cronstable", "cellar", relay.token)
    path, authorization, body = relay.daemon.requests[0]
    assert (path, authorization) == ("/push/devices", "Bearer secret-token")
    assert set(body) == {"name", "platform", "publicKey", "pushToken"} and len(base64.b64decode(body["publicKey"])) == 32
    again = gateway.cli("pair", "cronstable", "-", input=relay.daemon.link())
    assert relay.daemon.requests[1][2] == body and re.search(r"fingerprint +\w{4}-\w{4}-\w{4}", again.stdout)
    for name in ("relay-seal.key",):
        assert (gateway.state / name).stat().st_mode & 0o777 == 0o600
    env = relay.envelope()
    gateway.cli("unpair", str(pairing["id"]))
    status, answer, _ = relay.post(env)
    assert status == 410 and answer["reason"] == "Unregistered"
    gateway.cli("unpair", str(pairing["id"]), code=65)
    assert gateway.json("pairings") == [] and "secret-token" not in "\n".join(gateway.log())


@pytest.mark.host_only
def test_unpaired_behind_the_gateways_back(relay):
    import sqlite3
    base = sqlite3.connect(relay.gateway.state / "skyglow.db")
    base.execute("DELETE FROM pairings")
    base.commit()
    base.close()
    env = relay.envelope()
    assert relay.post(env)[0] == 503 and relay.post(env)[0] == 410


@pytest.mark.host_only
def test_a_changed_relay_section(relay):
    env = relay.envelope()
    assert relay.post(env)[1]["outcome"] == "forwarded" and relay.post(env)[1]["outcome"] == "coalesced"
    relay.gateway.configure("relay", coalesce=0, path="/push")
    relay.gateway.cli("reload")
    relay.gateway.wait_status(lambda s: s["relay"]["listening"], "listens again")
    assert relay.post(env)[0] == 404 and relay.post(env, "/push")[1]["outcome"] == "forwarded"
    old = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 900))
    assert relay.post(relay.envelope(relay.alert(ts=old)), "/push")[0] == 202
    assert "cronstable  failure  outdated\n" in relay.gateway.cli("inbox").stdout


@pytest.mark.host_only
def test_another_fingerprint_is_a_failure(relay, world):
    wrong = world.keep(r.FakeDaemon("0000-0000-0000"))
    done = relay.gateway.cli("pair", "cronstable", wrong.link(), code=65)
    assert "FINGERPRINTS DIFFER" in done.stderr and len(relay.gateway.json("pairings")) == 1
    for link in ("https://x/pair#", "https://x/pair#e30", "nonsense", "{}", '{"url":1,"token":""}'):
        relay.gateway.cli("pair", "cronstable", link, code=65)
    relay.gateway.cli("pair", "cronstable", '{"v":1,"name":"x","url":"http://127.0.0.1:9","token":"t"}', code=69)
    assert len(relay.gateway.json("pairings")) == 1


@pytest.mark.host_only
def test_only_a_pairing_makes_keys(world):
    gateway = world.gateway()
    gateway.sections.pop("server")
    gateway.configure("relay", listen=f"127.0.0.1:{r.free_port()}")
    gateway.start(connect=False)
    gateway.wait_running()
    assert not list(gateway.state.glob("*.key"))
    daemon = world.keep(r.FakeDaemon())
    gateway.cli("pair", "cronstable", "-", input=daemon.link(), umask=0)
    assert [p.name for p in gateway.state.glob("*.key")] == ["relay-seal.key"]
    script = gateway.directory / "pair"
    script.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{{\"daemonKey\":\"{base64.b64encode(bytes(32)).decode()}\"}}'\n")
    script.chmod(0o755)
    gateway.configure("relay", command=str(script))
    gateway.cli("pair", "pocketty", "me@desk", umask=0)
    for name in ("relay-seal.key", "relay-signing.key"):
        assert (gateway.state / name).stat().st_mode & 0o777 == 0o600 and (gateway.state / name).stat().st_size == 32


def forms(key):
    """A key as it might be written somewhere."""
    text = base64.b64encode(key).rstrip(b"=")
    return key[1:31], key.hex().encode(), key.hex().upper().encode(), text, text.replace(b"+", b"-").replace(b"/", b"_")


@pytest.mark.host_only
def test_keys_are_in_locked_memory_and_in_no_text(relay, root):
    """After messages of each kind, good and bad, the running gateway has each private key only where memory is locked and
    left out of dumps (libsodium's guarded pages), and no log, inbox or status says them."""
    gateway = relay.gateway
    gateway.configure("log", level="debug")
    gateway.cli("reload")
    desk = r.Pocketty(relay)
    for _ in range(3):
        assert relay.send()[0] == relay.send(ciphertext="AAAA")[0] == desk.push()[0] == desk.push(b"x", mode=0)[0] == 202
    token = base64.urlsafe_b64decode(desk.grant.split(".")[0] + "==").hex()
    assert relay.post({"v": 1, "token": token}, "/pocketty/v1/grant")[0] == 200
    keys = [(gateway.state / name).read_bytes() for name in ("relay-seal.key", "relay-signing.key")]
    found = {key: [] for key in keys}
    for begin, data, flags in memory(gateway.process.pid):
        for key in keys:
            if key[1:31] in data:
                found[key].append(flags)
            assert not any(form in data for form in forms(key)[1:])
    for key in keys:
        assert len(found[key]) == 1 and {"dd", "lo"} <= set(found[key][0]), found[key]
    gateway.cli("unpair", "1")
    texts = "\n".join([*gateway.log(), gateway.cli("inbox", "--json").stdout, gateway.cli("status", "--json", code=1).stdout,
                       gateway.cli("pairings", "--json").stdout, gateway.stderr.read_text(), gateway.stdout.read_text()])
    for file in gateway.directory.rglob("*"):
        if file.is_file() and file.suffix != ".key":
            texts += file.read_bytes().decode("latin-1")
    assert "first line" in texts
    for key in keys:
        assert not any(form in texts.encode("latin-1", "replace") for form in forms(key))


def memory(pid):
    """(address, bytes, flags) of every mapping that can be read."""
    maps, flags = [], []
    for line in open(f"/proc/{pid}/smaps"):
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            maps.append([line.split()[:2], None])
        elif line.startswith("VmFlags:"):
            maps[-1][1] = line.split()[1:]
    with open(f"/proc/{pid}/mem", "rb", 0) as file:
        for (place, access), flags in maps:
            begin, end = (int(x, 16) for x in place.split("-"))
            if access[0] != "r":
                continue
            try:
                file.seek(begin)
                yield begin, file.read(end - begin), flags
            except (OSError, ValueError):   # [vvar], [vsyscall]
                continue


@pytest.mark.host_only
def test_a_crash_leaves_no_core(relay):
    """Where a process like any other would leave one."""
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    dumped = []
    other = subprocess.Popen(["/bin/sleep", "60"], cwd=relay.gateway.directory)
    time.sleep(0.1)
    process, relay.gateway.process = relay.gateway.process, None
    for pid in (other.pid, process.pid):
        # None that the language's own library catches in a build that has one: it would print where it was and go on.
        os.kill(pid, signal.SIGSYS)
        end, status = time.monotonic() + 20, None
        while status is None:
            assert time.monotonic() < end, "it does not end"
            done, what = os.waitpid(pid, os.WNOHANG)
            status = what if done else time.sleep(0.05)
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSYS
        dumped.append(os.WCOREDUMP(status))
    other.returncode = process.returncode = -signal.SIGSYS
    if not dumped[0]:
        pytest.skip("nothing leaves a core here: see core_pattern and ulimit -c")
    assert dumped == [True, False]


@pytest.mark.host_only
def test_keys_are_in_no_core_dump(relay, root):
    """A process that may be dumped belongs to its user; one that hides its memory to root. Run as another user."""
    gateway = relay.gateway
    gateway.stop()
    subprocess.run(["chown", "-R", "nobody", str(gateway.directory)], check=True)
    gateway.directory.chmod(0o755)
    gateway.start(connect=False, user="nobody")
    gateway.wait_running()
    assert os.stat(f"/proc/{gateway.process.pid}/environ").st_uid == 0


# ---- notes ------------------------------------------------------------------------------------------------------------

def test_notes(relay):
    desk = r.Pocketty(relay)
    assert desk.push()[:2] == (202, {"v": 1})
    (row,) = relay.gateway.rows()
    assert (row["source"], row["title"], row["subtitle"], row["body"]) == ("pocketty", "worker: waiting", "desk", "w / t / p1")
    assert (row["placeholder"], row["stale"], row["payload"]["agent"]) == (False, False, "worker")
    assert desk.push(desk.note(state="done"))[0] == 202
    assert desk.push(desk.note(pane="p2"))[0] == 202
    assert [(x["title"], x["read"]) for x in relay.gateway.rows()] == [
        ("worker: waiting", False), ("worker: done", False), ("worker: waiting", True)], "one for each pane"


def test_notes_that_do_not_open(relay):
    desk = r.Pocketty(relay)
    plain = json.dumps(desk.note()).encode()
    stranger = X25519PrivateKey.generate()
    for options in ({"mode": 0}, {"mode": 1, "psk": b"k" * 32, "psk_id": b"i"}, {"mode": 3, "psk": b"k" * 32, "psk_id": b"i"},
                    {"sender": stranger}, {"info": b"other"}):
        assert desk.push(plain, **options)[0] == 202
    for wrong in (b"{}", b"x", json.dumps({**desk.note(), "time": "now"}).encode(), b" " * 2049):
        assert desk.push(wrong)[0] == 202
    rows = relay.gateway.rows()
    assert len(rows) == 9 and all(x["title"] == "pocketty: Agent update" and x["placeholder"] for x in rows)
    assert desk.push(plain + b" " * (2048 - len(plain)))[0] == 202
    assert not relay.gateway.rows()[0]["placeholder"]


BAD_PUSHES = [(member, wrong) for member in ("v", "grant", "sealed")
              for wrong in (..., None, True, 1.0, 2, "", [], ["1"], {}, {"v": 1})] + [("v", "1"), ("sealed", "1")]
BAD_NOTES = [(member, wrong) for member in ("v", "host", "session", "workspace", "tab", "pane", "agent", "state", "time")
             for wrong in (..., None, False, 1.5, 2, -2**63, [], ["x"], {}, {"x": "y"})] + [
    ("v", "1"), ("time", ""), ("time", "now"), ("time", "2026-02-30T00:00:00Z"), ("time", "2026-11-30T00:00:00")]


def test_pushes_with_wrong_members(relay):
    """Whatever member is missing or of another kind is named, and the next push is taken."""
    desk = r.Pocketty(relay)
    good = {"v": 1, "grant": desk.grant, "sealed": desk.sealed()}
    for number, (member, wrong) in enumerate(BAD_PUSHES):
        body = {k: v for k, v in {**good, member: wrong}.items() if v is not ...}
        # From many addresses, for one may send only 60 a minute.
        status, answer, _ = relay.post(body, "/pocketty/v1/push", source=f"127.0.3.{number + 1}")
        assert status == 400 and answer["v"] == 1 and answer["error"].startswith(f"{member}: "), (member, wrong, answer)
    for body in ([], [good], "v", 1, None, True):
        assert relay.post(body, "/pocketty/v1/push", source="127.0.3.99")[0] == 400, body
    assert relay.gateway.rows() == []
    assert relay.post(good, "/pocketty/v1/push")[:2] == (202, {"v": 1})
    assert [x["title"] for x in relay.gateway.rows()] == ["worker: waiting"]


def test_notes_with_wrong_members(relay):
    """Each member is needed and a text, `v` the number 1: anything else is a placeholder, and no wrong one replaces a right
    one or is the reason why the next is not shown."""
    desks = [r.Pocketty(relay, f"me@{name}") for name in ("one", "two")]
    assert desks[0].push()[0] == 202
    for number, (member, wrong) in enumerate(BAD_NOTES):
        # Two daemons and many addresses, for each may send only 60 a minute.
        desk = desks[number % 2]
        note = {k: v for k, v in {**desk.note(), member: wrong}.items() if v is not ...}
        body = {"v": 1, "grant": desk.grant, "sealed": desk.sealed(note)}
        assert relay.post(body, "/pocketty/v1/push", source=f"127.0.3.{number + 1}")[:2] == (202, {"v": 1}), (member, wrong)
    *wrong_ones, right = relay.gateway.rows()
    assert (right["title"], right["read"]) == ("worker: waiting", False)
    assert len(wrong_ones) == len(BAD_NOTES) == relay.counters()["unopened"]
    for row in wrong_ones:
        assert (row["title"], row["source"], row["placeholder"], row["priority"], row["sound"]) == (
            "pocketty: Agent update", "pocketty", True, "passive", None)
    assert desks[0].push(desks[0].note(state="done"))[0] == 202
    assert [(x["title"], x["read"]) for x in (relay.gateway.rows()[0], relay.gateway.rows()[-1])] == [
        ("worker: done", False), ("worker: waiting", True)]


def test_replayed_notes_are_dropped(relay):
    desk = r.Pocketty(relay)
    old, new = desk.note(state="old"), desk.note(state="new")
    text = desk.sealed(new)
    assert desk.push(text=text)[0] == desk.push(text=text)[0] == desk.push(old)[0] == 202
    relay.gateway.kill()
    relay.start()
    assert desk.push(text=text)[0] == 202
    assert [x["title"] for x in relay.gateway.rows()] == ["worker: new"]
    same = {**new, "state": "other"}
    assert desk.push(same)[0] == 202 and len(relay.gateway.rows()) == 2
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 700))
    desk.push(desk.note(pane="p9", time=stamp))
    assert relay.gateway.rows()[0]["stale"]


def test_replays_among_notes_of_the_same_time(relay):
    """A daemon with a coarse clock: all of one second are shown, and none of them again, in whatever order."""
    desk = r.Pocketty(relay)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    texts = [desk.sealed(desk.note(state=f"{number}", time=stamp)) for number in range(5)]
    for text in texts:
        assert desk.push(text=text)[0] == 202
    shown = [f"worker: {number}" for number in (4, 3, 2, 1, 0)]
    assert [x["title"] for x in relay.gateway.rows()] == shown
    relay.gateway.kill()
    relay.start()
    for text in (*texts, *reversed(texts)):
        assert desk.push(text=text)[0] == 202
    assert [x["title"] for x in relay.gateway.rows()] == shown and relay.counters()["replayed"] == 10
    assert [x["read"] for x in relay.gateway.rows()] == [False, True, True, True, True]


@pytest.mark.host_only
def test_the_same_pane_of_two_daemons(relay):
    one, two = r.Pocketty(relay, "me@one"), r.Pocketty(relay, "me@two")
    note = one.note()
    assert one.push(note)[0] == two.push(note)[0] == 202
    assert [x["read"] for x in relay.gateway.rows()] == [False, False]


@pytest.mark.host_only
def test_limits_of_addresses_and_tokens(relay):
    """60 pushes a minute for each, 10 grants; whatever else is wrong with them."""
    desk, other = r.Pocketty(relay, "me@one"), r.Pocketty(relay, "me@two")
    body = {"v": 1, "grant": desk.grant, "sealed": desk.sealed()}
    seen = [relay.post(body, "/pocketty/v1/push", source=f"127.0.0.{10 + number % 3}")[0] for number in range(61)]
    assert seen == [202] * 60 + [429], "of one token from three addresses"
    for number in range(60):
        assert relay.post({"v": 1}, "/pocketty/v1/push", source="127.0.0.20")[0] == 400
    assert other.push()[0] == 202 and relay.post(body, "/pocketty/v1/push", source="127.0.0.20")[0] == 429
    for number in range(10):
        assert relay.post({"v": 1, "token": "ab" * 8}, "/pocketty/v1/grant", source=f"127.0.1.{number}")[0] == 200
    assert relay.post({"v": 1, "token": "ab" * 8}, "/pocketty/v1/grant", source="127.0.1.99")[0] == 429
    assert relay.post({"v": 1, "token": "cd" * 8}, "/pocketty/v1/grant", source="127.0.1.99")[0] == 200


def test_grants_and_bad_pushes(relay):
    desk = r.Pocketty(relay)
    token = base64.urlsafe_b64decode(desk.grant.split(".")[0] + "==").hex()
    status, answer, _ = relay.post({"v": 1, "token": token}, "/pocketty/v1/grant")
    assert (status, answer["grant"]) == (200, desk.grant)
    for body in ({"v": 1}, {"v": 2, "token": token}, {"v": 1, "token": "xx"}, {"v": 1, "token": 5}):
        assert relay.post(body, "/pocketty/v1/grant")[0] == 400
    good, push = desk.sealed(), "/pocketty/v1/push"
    for grant in (desk.grant[:-2] + "AA", "x", ".", desk.grant.split(".")[0], "AAAA." + desk.grant.split(".")[1]):
        assert relay.post({"v": 1, "grant": grant, "sealed": good}, push)[0] == 401, grant
    for body in ({"grant": desk.grant, "sealed": good}, {"v": 1, "sealed": good}, {"v": 1, "grant": desk.grant},
                 {"v": 1, "grant": desk.grant, "sealed": "*"}, {"v": 1, "grant": desk.grant, "sealed": ""}):
        assert relay.post(body, push)[0] == 400, body
    full, over = (base64.b64encode(bytes(n)).decode() for n in (4096, 4097))
    assert relay.post({"v": 1, "grant": desk.grant, "sealed": full}, push)[0] == 202
    assert relay.post({"v": 1, "grant": desk.grant, "sealed": over}, push)[0] == 413
    mac = hmac.new((relay.gateway.state / "relay-signing.key").read_bytes(), bytes.fromhex(token), "sha256").digest()
    assert desk.grant == ".".join(base64.urlsafe_b64encode(x).decode().rstrip("=") for x in (bytes.fromhex(token), mac))
    calls = len(desk.calls())
    given = json.loads(desk.file.read_text())
    assert set(given) == {"v", "grant", "sealKey", "relay"} and given["relay"] == f"http://127.0.0.1:{relay.port}"
    assert set(desk.calls()) == {"me@desk"}, "no argument of the command holds anything else"
    assert "already" in desk.pair().stdout and len(desk.calls()) == calls
    relay.gateway.configure("relay", address="http://board.lan:1")
    desk.pair()
    assert json.loads(desk.file.read_text())["relay"] == "http://board.lan:1" and len(desk.calls()) == calls + 1
    calls += 1
    relay.gateway.cli("pair", "rotate")
    assert desk.push()[0] == 401
    desk.pair()
    assert desk.push()[0] == 202 and len(desk.calls()) == calls + 1
    number = [p["id"] for p in relay.gateway.json("pairings") if p["kind"] == "pocketty"]
    relay.gateway.cli("unpair", str(number[0]))
    assert desk.push()[0] == 410


@pytest.mark.host_only
def test_note_limits(relay):
    desk = r.Pocketty(relay)
    seen = [desk.push()[0] for _ in range(61)]
    assert seen == [202] * 60 + [429]
    status, _, headers = desk.push()
    assert status == 429 and 1 <= int(headers["Retry-After"]) <= 60
    seen = [relay.post({"v": 1, "token": "ab" * 32}, "/pocketty/v1/grant")[0] for _ in range(11)]
    assert seen == [200] * 10 + [429]


def test_the_small_sender(relay):
    gateway, file = relay.gateway, relay.gateway.directory / "sender"
    gateway.configure("relay", command=f"{' '.join(gateway.binary)} note pair {file}")
    gateway.cli("pair", "pocketty", "me@here")
    assert file.stat().st_mode & 0o777 == 0o600
    gateway.cli("note", "send", str(file), "worker", "done")
    assert gateway.rows()[0]["title"] == "worker: done"
    (number,) = [p["id"] for p in gateway.json("pairings") if p["kind"] == "pocketty"]
    gateway.cli("unpair", str(number))
    gateway.cli("note", "send", str(file), "worker", "done", code=69)
    assert not file.exists(), "410 deletes the pairing"


# ---- inside notifications of the server -------------------------------------------------------------------------------

def test_sealed_inside_a_notification(world):
    peer = world.peer()
    relay = r.Relay(world, peer, start=False)
    token = relay.gateway.add_token()
    relay.start()
    desk = r.Pocketty(relay)
    aps = {"aps": {"alert": {"title": "New alert"}, "interruption-level": "time-sensitive"}}
    note = desk.sealed()
    for data in ({"v": 1, "suite": "x25519", "ciphertext": relay.seal(relay.alert())}, {"v": 1, "ciphertext": "AAAA"},
                 {"sealed": note}, {"sealed": "AAAA"}, {"sealed": note}):
        peer.wait_ack(peer.notify(token, {**aps, **data}))
    rows = list(reversed(relay.gateway.rows()))
    assert [(x["source"], x["title"], x["placeholder"]) for x in rows] == [
        ("cronstable", "backup failed", False), ("cronstable", "New alert", True), ("pocketty", "worker: waiting", False),
        ("pocketty", "New alert", True)]
    assert all(x["bundle"] == "org.example.door" for x in rows) and rows[0]["priority"] == "time-sensitive"


# ---- many -------------------------------------------------------------------------------------------------------------

@pytest.mark.host_only
def test_a_thousand_envelopes_from_a_hundred_connections(world, settings):
    peer = world.peer()
    relay = r.Relay(world, peer, start=False, burst=100000)
    token = relay.gateway.add_token()
    relay.start()
    bodies = [json.dumps(relay.envelope(relay.alert(name=f"job{n}"))).encode() for n in range(1000)]
    relay.send()
    before, open_before, counts = relay.gateway.status(), relay.gateway.descriptors(), []
    gate = threading.Barrier(101)

    def run(mine):
        gate.wait()
        for body in mine:
            counts.append(relay.post(body)[0])
    threads = [threading.Thread(target=run, args=(bodies[i::100],)) for i in range(100)]
    for t in threads:
        t.start()
    # Before the gate opens: this thread may be the last to run again.
    started = time.monotonic()
    gate.wait()
    sent = time.monotonic()
    peer.wait_ack(peer.notify(token))
    print(f"\na notification of the server was acknowledged after {time.monotonic() - sent:.2f} s amid them")
    for t in threads:
        t.join()
    took = time.monotonic() - started
    print(f"\n{1000 / took:.0f} envelopes a second from 100 connections at once")
    assert counts == [202] * 1000
    after = relay.gateway.status()
    # Rounded to seconds by two clocks.
    assert after["state"] == "connected" and abs(after["since"] - before["since"]) <= 1
    assert after["received"] == 1002
    assert {f"job{n} failed" for n in range(1000)} <= {row["title"] for row in relay.gateway.rows()}
    for round_number in range(2):
        seen = [json.dumps(relay.envelope(relay.alert(name="x"))).encode() for _ in range(300)]
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            assert set(pool.map(lambda b: relay.post(b)[0], seen)) == {202}
    final = relay.gateway.status()
    rss = [status["memory"]["rss"] for status in (before, after, final)]
    print(f"resident before, after a thousand, and after 600 more: {rss}, descriptors {open_before}")
    # What was reserved is touched for the first time, and SQLite's cache is filled: once. Exactly what is held is
    # counted below.
    assert rss[1] <= rss[0] + 3 * 2**19 and rss[2] <= rss[1] * 1.02, rss
    wait_until(lambda: relay.gateway.descriptors() == open_before, settings.seconds(5),
               lambda: f"the descriptors of before: {open_before}, but {relay.gateway.descriptors()}")


@pytest.mark.host_only
def test_no_allocation_for_the_relay(world, settings):
    if not settings.counting_binary:
        pytest.skip("MEMORY TESTS NOT RUN: no --counting-binary was given")
    relay = r.Relay(world, burst=1000, binary=settings.counting_binary)
    desk = r.Pocketty(relay)

    def memory():
        """What Swift code has allocated since READY, and the blocks that the libraries hold."""
        counts = relay.gateway.status()["memory"]
        return counts["allocations_since_ready"], counts["live_blocks"]

    # Pairing is a command like any other: keys are read again. The first round fills the libraries' caches.
    for number in range(80):
        if number == 2:
            before = memory()
        relay.send()
        relay.send(priority="passive")
        relay.send(ciphertext="AAAA")
        relay.send(device="ab" * 32)
        relay.send(event=...)
        desk.push(desk.note(pane=secrets.token_hex(4)))
        desk.push(b"x", mode=0)
        relay.post(b"{", "/v1/notify")
        relay.raw(HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n", 1)
    relay.post({"v": 1, "token": "ab" * 32}, "/pocketty/v1/grant")
    after = memory()
    assert after == before and isinstance(before[0], int), f"{before} {after}"
