"""The relay while another process holds the store, and while clients take every place: the rest goes on.

Sealed boxes need PyNaCl: from the environment that board/dependencies makes for cronstable."""
import contextlib
import json
import signal
import socket
import sqlite3
import threading
import time

import pytest

from harness import relay as r

pytestmark = [pytest.mark.host_only, pytest.mark.skipif(r.python() is None, reason="RELAY TESTS NOT RUN: no cronstable environment")]

HEAD = b"POST /v1/notify HTTP/1.1\r\nHost: x\r\n"
PLACES = 128


@pytest.fixture
def relay(world):
    return r.Relay(world)


def request(relay, **members):
    body = json.dumps(relay.envelope(**members)).encode()
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


@contextlib.contextmanager
def held(gateway):
    """Another process is in the middle of a write."""
    base = sqlite3.connect(gateway.state / "skyglow.db", isolation_level=None)
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        base.execute("ROLLBACK")
        base.close()


def timed(act):
    started = time.monotonic()
    return act(), time.monotonic() - started


# ---- the store is held ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("many", [1, 2, 20])
def test_many_requests_at_once_wait_once(relay, many):
    """One turn of the loop waits for the store at most once, however many requests came with it."""
    gateway, clients = relay.gateway, []
    requests = [request(relay) for _ in range(many)]
    with held(gateway):
        gateway.signal(signal.SIGSTOP)
        for data in requests:
            clients.append(socket.create_connection(("127.0.0.1", relay.port)))
            clients[-1].sendall(data)
        gateway.signal(signal.SIGCONT)
        _, took = timed(gateway.status)
        assert took < gateway.settings.seconds(1.5), "half a second of waiting, and the command"
        for client in clients:
            client.settimeout(gateway.settings.seconds(5))
            answer = client.recv(1000)
            assert answer.startswith(b"HTTP/1.1 503 ") and b"\r\nRetry-After: 5\r\n" in answer
    for client, data in zip(clients, requests):
        client.sendall(data)
        assert client.recv(1000).startswith(b"HTTP/1.1 202 "), "on the same connection"
        client.close()
    assert len(gateway.rows()) == many == relay.counters()["forwarded"]


def test_the_link_outlives_a_store_that_is_held(world):
    """For longer than a pong may take; requests never end meanwhile."""
    peer = world.peer()
    relay = r.Relay(world, peer, start=False, burst=100_000)
    token = relay.gateway.add_token()
    relay.gateway.configure("keepalive", **{"pong-timeout": 2})
    relay.start()
    before, mark = relay.gateway.status(), peer.mark()
    bodies = [json.dumps(relay.envelope()).encode() for _ in range(8)]
    seen, slowest, stop = set(), 0, threading.Event()

    def send(body):
        while not stop.is_set():
            seen.add(relay.post(body)[0])
    threads = [threading.Thread(target=send, args=(body,)) for body in bodies]
    with held(relay.gateway):
        for t in threads:
            t.start()
        end = time.monotonic() + relay.gateway.settings.seconds(6)
        while time.monotonic() < end:
            slowest = max(slowest, timed(relay.gateway.status)[1])
        stop.set()
        for t in threads:
            t.join()
    print(f"\na status took {slowest:.2f} s at most")
    assert seen == {503} and slowest < relay.gateway.settings.seconds(1.5)
    assert not peer.since(mark, "connected") and abs(relay.gateway.status()["since"] - before["since"]) <= 1
    peer.wait_ack(peer.notify(token))
    assert relay.post(bodies[0])[0] == 202
    errors = [line for line in relay.gateway.log() if " error store: " in line]
    assert errors and len(errors) < 30, "told, and not once for each request"


# ---- every place is taken ---------------------------------------------------------------------------------------------

def test_a_busy_crowd_makes_room(relay):
    """Clients that ask again as soon as they have an answer: each is answered, and none keeps the others out."""
    stop, answers = threading.Event(), []

    def ask(count):
        clients = []
        while not stop.is_set():
            while len(clients) < count:
                clients.append(socket.create_connection(("127.0.0.1", relay.port), 10))
            for client in list(clients):
                try:
                    client.settimeout(10)
                    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    answer = client.recv(1000)
                except ConnectionError:
                    answer = b""
                if answer:
                    answers.append(answer[9:12])
                if not answer or b"Connection: close" in answer:
                    client.close()
                    clients.remove(client)
        for client in clients:
            client.close()
    threads = [threading.Thread(target=ask, args=(PLACES // 4,)) for _ in range(4)]
    for t in threads:
        t.start()
    try:
        deadline = time.monotonic() + 10
        while relay.counters()["connections"] < PLACES and time.monotonic() < deadline:
            time.sleep(0.05)
        took = [timed(lambda: relay.send())[1] for _ in range(5)]
    finally:
        stop.set()
        for t in threads:
            t.join()
    print(f"\nbeside {PLACES} busy clients: {max(took):.2f} s")
    assert max(took) < relay.gateway.settings.seconds(2) and set(answers) == {b"404"}
    assert len(relay.gateway.rows()) == 5


def test_clients_that_say_one_byte(relay):
    """As many as places and queue hold."""
    slow = [socket.create_connection(("127.0.0.1", relay.port)) for _ in range(PLACES)]
    for s in slow:
        s.sendall(b"P")
    time.sleep(0.3)
    more = [socket.create_connection(("127.0.0.1", relay.port)) for _ in range(100)]
    for s in more:
        s.sendall(b"P")
    (status, *_), took = timed(relay.send)
    print(f"\nbehind {len(slow) + len(more)} slow clients: {took:.2f} s")
    assert status == 202 and took < relay.gateway.settings.seconds(2.5)
    for s in slow + more:
        s.close()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_half_a_connection_is_enough(relay, count):
    """A client that says all it has to say and closes its half gets an answer to each request."""
    data = b"".join(request(relay) for _ in range(count))
    with socket.create_connection(("127.0.0.1", relay.port)) as s:
        s.sendall(data + HEAD)
        s.shutdown(socket.SHUT_WR)
        s.settimeout(relay.gateway.settings.seconds(5))
        answers = b""
        while chunk := s.recv(65536):
            answers += chunk
    assert answers.count(b"HTTP/1.1 202 ") == answers.count(b"HTTP/1.1 ") == count == len(relay.gateway.rows())


# ---- what the policy remembers ----------------------------------------------------------------------------------------

TABLE = 512


@pytest.mark.parametrize("runs", [TABLE - 1, TABLE, TABLE + 1])
def test_suppressed_runs_push_nothing_out(world, runs):
    """A job that fails for ever, each run with a name of its own: other sources stay cooled, the bucket empty."""
    relay = r.Relay(world, coalesce=3600, flap=1, reminder=3600, burst=3, refill=3600)
    once, forever = relay.envelope(flapId="1" * 32, priority="passive"), relay.envelope(flapId="2" * 32, priority="passive")

    def post(env, number):
        return relay.post({**env, "collapseId": f"{number:032x}"})[1].get("outcome", 429)
    assert [post(once, 1), post(once, 2), post(forever, 3)] == ["forwarded", "suppressed", "forwarded"]
    plain = {k: v for k, v in once.items() if k != "flapId"}
    assert [post(plain, 4), post(plain, 5)] == ["forwarded", 429]
    assert {post(forever, 10_000 + number) for number in range(runs)} == {"suppressed"}

    def check():
        assert [post(once, 6), post(plain, 4), post(plain, 7)] == ["suppressed", "coalesced", 429]
    check()
    relay.gateway.stop()
    relay.start()
    check()
