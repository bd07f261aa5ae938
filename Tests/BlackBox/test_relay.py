"""The relay: envelopes and notes of our own making, good and bad, many and slow.

Sealed boxes need PyNaCl: from the environment that board/dependencies makes for cronstable."""
import base64
import concurrent.futures
import json
import os
import re
import secrets
import socket
import subprocess
import threading
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from harness import relay as r
from harness.settings import wait_until

pytestmark = [pytest.mark.host_only,
              pytest.mark.skipif(r.python() is None, reason="RELAY TESTS NOT RUN: no cronstable environment")]


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


@pytest.mark.parametrize("fields,title,body", [
    ({"kind": "success", "success": True, "fail_reason": None, "log_tail": None, "exit_code": 0}, "backup succeeded", "exit code 0"),
    ({"kind": "sla", "sla_check": "late", "threshold_seconds": 60, "observed_seconds": 90.7, "exit_code": None,
      "fail_reason": None, "log_tail": None}, "backup: SLA breach", "late\nobserved seconds: 90\nallowed seconds: 60"),
    ({"kind": "event", "event": "leader_change", "subject": "nas leads now", "message": "m", "fail_reason": None,
      "log_tail": None, "exit_code": None}, "nas leads now", "m"),
    ({"kind": "event", "event": "quorum_loss", "fail_reason": None, "log_tail": None, "exit_code": None},
     "event quorum_loss", None),
    ({"kind": "test", "message": "hello", "fail_reason": None, "log_tail": None, "exit_code": None}, "Test alert", "hello"),
])
def test_every_kind(relay, fields, title, body):
    assert relay.send(relay.alert(**fields))[0] == 202
    (row,) = relay.gateway.rows()
    assert (row["title"], row["body"]) == (title, body)


def test_routes_match_kind_name_host_and_event(relay):
    conditions = {"a": "kind == failure and name == one", "b": "host == pi", "c": "event == quorum_loss"}
    for name, when in conditions.items():
        relay.gateway.configure(f"route {name}", bundle="cronstable", when=when, light="fast")
    relay.gateway.cli("reload")
    for fields in ({"name": "one"}, {"host": "pi"}, {"kind": "event", "event": "quorum_loss"}, {"name": "two"}):
        assert relay.send(relay.alert(**fields))[0] == 202
    assert [row.get("route") for row in reversed(relay.gateway.rows())] == ["a", "b", "c", None]
    assert relay.gateway.light() == "fast"


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


@pytest.mark.parametrize("plain", [b"", b"{}", b"no json", b'{"v":2,"kind":"test"}', b'{"v":1}', b"[1]"])
def test_what_does_not_open_is_a_placeholder(relay, plain):
    assert relay.post(relay.envelope(plain or b" "))[:2] == (202, {"v": 1, "outcome": "forwarded"})
    other = base64.b64encode(os.urandom(100)).decode()
    assert relay.send(ciphertext=other)[0] == 202
    for row in relay.gateway.rows():
        assert (row["title"], row["placeholder"], row["priority"]) == ("New alert", True, "passive")
    assert relay.counters()["unopened"] == 2


def test_a_202_is_durable(world):
    relay = r.Relay(world)
    for number in range(5):
        env = relay.envelope(relay.alert(name=f"job{number}"))
        assert relay.post(env)[0] == 202
        relay.gateway.kill()
        assert [row["title"] for row in relay.gateway.rows()][0] == f"job{number} failed"
        relay.start()
        assert relay.post(env)[1]["outcome"] == "coalesced", "the policy survives too"


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
    for body in (b"", b"{", b"[]", b"null", b'{"v":1}x', b"\xff", b'{"v":1,"v":'):
        assert relay.post(body)[0] == 400, body
    assert relay.post({**good, "device": "cd" * 32})[::2][0] == 410
    assert relay.post({**good, "device": good["device"].upper(), "more": [1], "suite": "x25519"})[0] == 202
    assert relay.gateway.status()["received"] == 1
    assert relay.counters()["refused"] == len(BAD) + 8


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


@pytest.mark.parametrize("name", SMUGGLING)
def test_what_could_be_read_in_two_ways_is_refused(relay, name):
    answer = relay.raw(SMUGGLING[name] + HEAD + b"Content-Length: 2\r\n\r\n{}")
    assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1 ") == 1, answer
    assert b"Connection: close" in answer


@pytest.mark.parametrize("status,data", [
    (411, HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), (411, HEAD + b"\r\n"),
    (417, HEAD + b"Expect: tea\r\nContent-Length: 2\r\n\r\n{}"), (505, HEAD.replace(b"/1.1", b"/2.0") + b"\r\n"),
    (414, b"POST /" + b"a" * 1024 + b" HTTP/1.1\r\nHost: x\r\n\r\n"), (414, b"POST /" + b"a" * 5000),
    (431, HEAD + b"A: " + b"a" * 5000), (431, HEAD + b"A: b\r\n" * 64 + b"\r\n"),
    (404, b"POST /" + b"a" * 1023 + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
    (413, HEAD + b"Content-Length: 999999999999999999\r\n\r\n"),
])
def test_statuses(relay, status, data):
    assert relay.raw(data, 2).startswith(b"HTTP/1.1 %d " % status)


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


def test_a_full_house_of_idle_clients_makes_room(relay):
    idle = [socket.create_connection(("127.0.0.1", relay.port)) for _ in range(128)]
    for s in idle[:64]:
        s.sendall(b"POST")
    started = time.monotonic()
    assert relay.send()[0] == 202
    assert time.monotonic() - started < 5
    for s in idle:
        s.close()


def test_strangers_are_not_let_in(world):
    relay = r.Relay(world, allow="10.0.0.0/8")
    with pytest.raises((ConnectionError, OSError, AssertionError, Exception)):
        relay.send()
    assert relay.counters()["strangers"] == 1 and relay.gateway.rows() == []


def test_a_late_address(world, root):
    relay = r.Relay(world, start=False)
    relay.gateway.configure("relay", listen=f"192.0.2.77:{relay.port}")
    relay.gateway.start(connect=False)
    relay.gateway.wait_running()
    assert relay.gateway.status()["relay"]["listening"] is None
    subprocess.run(["ip", "address", "add", "192.0.2.77/32", "dev", "lo"], check=True)
    try:
        relay.gateway.wait_status(lambda s: s["relay"]["listening"], "listens", 6)
    finally:
        subprocess.run(["ip", "address", "del", "192.0.2.77/32", "dev", "lo"], check=True)


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


def test_unpaired_behind_the_gateways_back(relay):
    import sqlite3
    base = sqlite3.connect(relay.gateway.state / "skyglow.db")
    base.execute("DELETE FROM pairings")
    base.commit()
    base.close()
    env = relay.envelope()
    assert relay.post(env)[0] == 503 and relay.post(env)[0] == 410


def test_a_changed_relay_section(relay):
    env = relay.envelope()
    assert relay.post(env)[1]["outcome"] == "forwarded" and relay.post(env)[1]["outcome"] == "coalesced"
    relay.gateway.configure("relay", coalesce=0, path="/push")
    relay.gateway.cli("reload")
    relay.gateway.wait_status(lambda s: s["relay"]["listening"], "listens again")
    assert relay.post(env)[0] == 404 and relay.post(env, "/push")[1]["outcome"] == "forwarded"
    old = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 900))
    assert relay.post(relay.envelope(relay.alert(ts=old)), "/push")[0] == 202
    assert "cronstable  outdated\n" in relay.gateway.cli("inbox").stdout


def test_another_fingerprint_is_a_failure(relay, world):
    wrong = world.keep(r.FakeDaemon("0000-0000-0000"))
    done = relay.gateway.cli("pair", "cronstable", wrong.link(), code=65)
    assert "FINGERPRINTS DIFFER" in done.stderr and len(relay.gateway.json("pairings")) == 1
    for link in ("https://x/pair#", "https://x/pair#e30", "nonsense", "{}", '{"url":1,"token":""}'):
        relay.gateway.cli("pair", "cronstable", link, code=65)
    relay.gateway.cli("pair", "cronstable", '{"v":1,"name":"x","url":"http://127.0.0.1:9","token":"t"}', code=69)
    assert len(relay.gateway.json("pairings")) == 1


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
    assert (row["source"], row["title"], row["subtitle"], row["body"]) == ("pocketty", "claude: waiting", "desk", "w / t / p1")
    assert (row["placeholder"], row["stale"], row["payload"]["agent"]) == (False, False, "claude")
    assert desk.push(desk.note(state="done"))[0] == 202
    assert desk.push(desk.note(pane="p2"))[0] == 202
    assert [(x["title"], x["read"]) for x in relay.gateway.rows()] == [
        ("claude: waiting", False), ("claude: done", False), ("claude: waiting", True)], "one for each pane"


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


def test_replayed_notes_are_dropped(relay):
    desk = r.Pocketty(relay)
    old, new = desk.note(state="old"), desk.note(state="new")
    text = desk.sealed(new)
    assert desk.push(text=text)[0] == desk.push(text=text)[0] == desk.push(old)[0] == 202
    relay.gateway.kill()
    relay.start()
    assert desk.push(text=text)[0] == 202
    assert [x["title"] for x in relay.gateway.rows()] == ["claude: new"]
    same = {**new, "state": "other"}
    assert desk.push(same)[0] == 202 and len(relay.gateway.rows()) == 2
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 700))
    desk.push(desk.note(pane="p9", time=stamp))
    assert relay.gateway.rows()[0]["stale"]


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
    calls = len(desk.calls())
    assert "already" in desk.pair().stdout and len(desk.calls()) == calls
    relay.gateway.cli("pair", "rotate")
    assert desk.push()[0] == 401
    desk.pair()
    assert desk.push()[0] == 202 and len(desk.calls()) == calls + 1
    number = [p["id"] for p in relay.gateway.json("pairings") if p["kind"] == "pocketty"]
    relay.gateway.cli("unpair", str(number[0]))
    assert desk.push()[0] == 410


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
    gateway.configure("relay", command=f"{gateway.binary[-1]} note pair {file}")
    gateway.cli("pair", "pocketty", "me@here")
    assert file.stat().st_mode & 0o777 == 0o600
    gateway.cli("note", "send", str(file), "claude", "done")
    assert gateway.rows()[0]["title"] == "claude: done"
    (number,) = [p["id"] for p in gateway.json("pairings") if p["kind"] == "pocketty"]
    gateway.cli("unpair", str(number))
    gateway.cli("note", "send", str(file), "claude", "done", code=69)
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
        ("cronstable", "backup failed", False), ("cronstable", "New alert", True), ("pocketty", "claude: waiting", False),
        ("pocketty", "New alert", True)]
    assert all(x["bundle"] == "org.example.door" for x in rows) and rows[0]["priority"] == "time-sensitive"


# ---- many -------------------------------------------------------------------------------------------------------------

def test_a_thousand_envelopes_from_a_hundred_connections(world, settings):
    peer = world.peer()
    relay = r.Relay(world, peer, burst=100000)
    bodies = [json.dumps(relay.envelope(relay.alert(name=f"job{n}"))).encode() for n in range(1000)]
    relay.send()
    before, counts = relay.gateway.status(), []
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
    for t in threads:
        t.join()
    took = time.monotonic() - started
    print(f"\n{1000 / took:.0f} envelopes a second from 100 connections at once")
    assert counts == [202] * 1000
    after = relay.gateway.status()
    # Rounded to seconds by two clocks.
    assert after["state"] == "connected" and abs(after["since"] - before["since"]) <= 1
    assert after["received"] == 1001
    assert {f"job{n} failed" for n in range(1000)} <= {row["title"] for row in relay.gateway.rows()}
    for round_number in range(2):
        seen = [json.dumps(relay.envelope(relay.alert(name="x"))).encode() for _ in range(300)]
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            assert set(pool.map(lambda b: relay.post(b)[0], seen)) == {202}
    final = relay.gateway.status()
    assert final["memory"]["rss"] <= after["memory"]["rss"] * 1.05
    assert len(os.listdir(f"/proc/{relay.gateway.process.pid}/fd")) < 30


def test_no_allocation_for_the_relay(world, settings):
    if not settings.counting_binary:
        pytest.skip("MEMORY TESTS NOT RUN: no --counting-binary was given")
    relay = r.Relay(world, burst=1000, binary=settings.counting_binary)
    desk = r.Pocketty(relay)
    # Pairing is a command like any other: keys are read again.
    before = relay.gateway.status()["memory"]["allocations_since_ready"]
    for _ in range(20):
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
    assert relay.gateway.status()["memory"]["allocations_since_ready"] == before
