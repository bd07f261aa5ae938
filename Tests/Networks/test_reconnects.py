"""Reconnects that fail at each step of the handshake (esp-mqtt #25, mosquitto #592, paho.mqtt.c #831).

However often and wherever they fail: descriptors, memory and files stay as they were."""
import os
import signal
import socket
import struct
import time

import pytest

from harness import wire
from harness.dns import AAAA, SERVFAIL, TXT, text
from harness.settings import wait_until
from lab.breaker import LOGIN, REGISTER, Breaker, Reset
from lab.lab import NAMES, OTHER_NAMES, OTHER_SERVER, PORT, SERVER

MANY = 4096


def reset(_):
    raise Reset


def rest(text):
    return struct.pack(">H", len(text)) + text


# ---- the steps: what the server does with a connection ----------------------------------------------------------------

def accept_and_close(_):
    pass


def tls_refused(c):
    c.link.recv(MANY)
    c.raw(b"\x15\x03\x03\x00\x02\x02\x28")              # fatal: handshake_failure


def tls_is_none(c):
    c.link.recv(MANY)
    c.raw(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
    c.until_it_ends()


def tls_cut(c):
    c.link.recv(MANY)
    reset(c)


def tls_too_old(c):
    try:
        c.tls(c.server.old)
    except OSError:
        pass


def wrong_certificate(c):
    try:
        c.tls(c.server.false)
        c.until_it_ends()
    except OSError:
        pass


def close_before_hello(c):
    c.tls()


def garbage_for_hello(c):
    c.tls().raw(b"SSH-2.0-OpenSSH_9.2p1\r\n").until_it_ends()


def legacy_hello_and_close(c):
    c.tls().raw(wire.legacy_hello())
    c.read(0)


def close_after_hello(c):
    c.tls().hello().read(LOGIN, REGISTER)


def reset_after_hello(c):
    close_after_hello(c)
    reset(c)


def half_a_challenge(c):
    c.tls().hello().read(LOGIN, REGISTER)
    c.raw(wire.frame(wire.CHALLENGE, os.urandom(32))[:20])


def garbage_for_challenge(c):
    c.tls().hello().read(LOGIN, REGISTER)
    c.send(0x7F, b"?").until_it_ends()


def challenge_of_wrong_size(c):
    c.tls().hello().read(LOGIN, REGISTER)
    c.send(wire.CHALLENGE, bytes(31)).until_it_ends()


def close_after_challenge(c):
    c.challenge()


def reset_after_challenge(c):
    c.challenge()
    reset(c)


def out_of_phase(c):
    c.challenge()
    c.send(wire.PONG, bytes(8)).until_it_ends()


def disconnected(c):
    c.challenge()
    c.send(wire.DISCONNECT, b"\x03").until_it_ends()


def register_fails_early(c):
    c.tls().hello().read(REGISTER)
    c.send(wire.REGISTER_FAIL, b"\x01" + rest(b"not today")).until_it_ends()


def register_fails(c):
    c.challenge()
    c.send(wire.REGISTER_FAIL, b"\x02").until_it_ends()


def register_with_a_bad_address(c):
    c.challenge()
    c.send(wire.REGISTER_OK, struct.pack(">I", 2) + rest(b"bad\naddress")).until_it_ends()


def auth_refused_while_registering(c):
    c.challenge()
    c.send(wire.DISCONNECT, b"\x01").until_it_ends()


def close_after_login(c):
    c.challenge()
    c.send(wire.AUTH_OK)


def close_when_connected(c):
    c.online()


def reset_when_connected(c):
    c.online()
    reset(c)


def garbage_when_connected(c):
    c.online().raw(b"\x00" * 64).until_it_ends()


def too_large_when_connected(c):
    c.online().send(wire.PING, b"", length=2 ** 32 - 1).until_it_ends()


def half_a_notification(c):
    c.online().raw(wire.good(wire.NOTIFY)[:80])


# In these the server falls silent, and the gateway is told to begin anew.

def silent_before_tls(c):
    c.wait()


def silent_before_hello(c):
    c.tls().wait()


def silent_after_hello(c):
    c.tls().hello().read(LOGIN, REGISTER)
    c.wait()


def silent_after_challenge(c):
    c.challenge()
    c.wait()


SILENT = [silent_before_tls, silent_before_hello, silent_after_hello, silent_after_challenge]
ANYWHERE = [*SILENT, accept_and_close, reset, tls_refused, tls_is_none, tls_cut, tls_too_old, wrong_certificate, close_before_hello,
            garbage_for_hello, legacy_hello_and_close, close_after_hello, reset_after_hello, half_a_challenge,
            garbage_for_challenge, challenge_of_wrong_size, close_after_challenge, reset_after_challenge, out_of_phase,
            disconnected]
REGISTERING = [*ANYWHERE, register_fails_early, register_fails, register_with_a_bad_address, auth_refused_while_registering]
LOGGING_IN = [*ANYWHERE, close_after_login, close_when_connected, reset_when_connected, garbage_when_connected,
              too_large_when_connected, half_a_notification]


# ---- what must stay flat ----------------------------------------------------------------------------------------------

class Use:
    """What the gateway holds at a moment when it waits for the next attempt."""

    def __init__(self, gateway):
        pid = gateway.process.pid
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        with open(f"/proc/{pid}/statm") as file:
            self.resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.files = {path.name: path.stat().st_size for path in sorted(gateway.state.iterdir())
                      if path.is_file() and path.name != "link.log"}

    def __str__(self):
        return f"{self.descriptors} descriptors, {self.resident // 1024} KiB, files {self.files}"


def ask(gateway, request):
    """A request to the control socket, without the time that starting a command takes."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(gateway.settings.seconds(10))
        link.connect(str(gateway.runtime / "control.sock"))
        link.sendall(request.encode() + b"\n")
        answer = b""
        while more := link.recv(65536):
            answer += more
    return answer.decode()


def waits(gateway):
    """It has noticed the end and waits for the next attempt."""
    wait_until(lambda: ask(gateway, "status").startswith("ok backing-off\n"), gateway.settings.seconds(15),
               lambda: f"backing-off, but {ask(gateway, 'status')}", pause=0.001)


class Driver:
    def __init__(self, gateway, breaker):
        self.gateway, self.breaker = gateway, breaker
        self.done = 0

    def fail(self, step):
        """One attempt that this step ends."""
        self.breaker.step = step
        self.gateway.signal(signal.SIGUSR2)
        if step in SILENT:
            self.breaker.reached.get(timeout=self.gateway.settings.seconds(20))
            self.breaker.step = reset
            self.gateway.signal(signal.SIGUSR2)
            self.ended(step)
        self.ended(step)
        waits(self.gateway)
        self.done += 1

    def fail_to_connect(self):
        """One attempt that finds nobody who listens. The command forgets the failures before it is answered."""
        self.breaker.refuse()
        ask(self.gateway, "reconnect")
        wait_until(lambda: '"failures":1,' in ask(self.gateway, "status json"), self.gateway.settings.seconds(15),
                   "a refused connection is noticed", pause=0.001)
        self.breaker.listen()
        self.done += 1

    def ended(self, step):
        outcome = self.breaker.ended.get(timeout=self.gateway.settings.seconds(20))
        assert outcome == "done", f"{step.__name__}: {outcome}"

    def round(self, steps):
        for step in steps:
            self.fail(step)
        self.fail_to_connect()

    def rounds(self, steps, attempts):
        """Whole rounds of all steps, at least so many attempts; what is held after the first tenth and at the end."""
        self.round(steps)
        self.done, early = 0, None
        while self.done < attempts:
            self.round(steps)
            if early is None and self.done * 10 >= attempts:
                early = Use(self.gateway)
        return early, Use(self.gateway)


def flat(record_property, name, early, late, began, files=False):
    """What is held is recorded, and has not grown."""
    rows = [("descriptors", "flat", f"{early.descriptors} → {late.descriptors}"),
            ("resident KiB", "flat", f"{early.resident // 1024} → {late.resident // 1024}")]
    if files:
        rows.append(("files, bytes", "flat", f"{sum(early.files.values())} → {sum(late.files.values())}"))
    for what, demanded, value in [*rows, ("took", "", f"{time.monotonic() - began:.0f} s")]:
        record_property("measured", (f"{name}: {what}", demanded, value))
    assert late.descriptors == early.descriptors, f"{early}\n{late}"
    assert late.resident <= early.resident + 128 * 1024, f"{early}\n{late}"
    assert not files or late.files == early.files, f"{early}\n{late}"


def recovers(lab, gateway, breaker):
    """The server itself is there again, and the gateway none the worse for it."""
    # An attempt that still finds its way to the breaker must not end for good there.
    breaker.step = reset
    lab.open(SERVER, "tcp", PORT, lab.peer.port)
    mark = lab.peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)


@pytest.fixture
def breaker(lab, tmp_path):
    breaker = Breaker(lab.internet, tmp_path, lab.peer.directory / "server.pem", lab.peer.directory / "server.key")
    yield breaker
    breaker.close()


@pytest.fixture
def drive(lab, breaker, settings):
    """Starts a gateway that has to fail, registered or not, and does what a body wants with it; it must be none the worse
    for it afterwards."""

    def drive(registered, body, binary=None):
        gateway = lab.gateway(binary=binary)
        gateway.configure("log", level="error")
        gateway.add_token()
        if registered:
            gateway.start()
            gateway.stop()
        lab.open(SERVER, "tcp", PORT, breaker.port)
        breaker.step = reset
        gateway.start(connect=False)
        assert breaker.ended.get(timeout=settings.seconds(20)) == "done"
        waits(gateway)
        body(gateway, Driver(gateway, breaker), LOGGING_IN if registered else REGISTERING)
        recovers(lab, gateway, breaker)
    return drive


KINDS = pytest.mark.parametrize("registered", [False, True], ids=["registering", "logging-in"])


@KINDS
def test_reconnects_that_fail(drive, pytestconfig, record_property, registered):
    def body(_, driver, steps):
        began = time.monotonic()
        early, late = driver.rounds(steps, pytestconfig.getoption("--reconnects") // 2)
        name = f"{driver.done} reconnects failing at {len(steps) + 1} steps, {'login' if registered else 'registration'}"
        flat(record_property, name, early, late, began, files=True)
    drive(registered, body)


class Names:
    """Attempts that end at the name server, or because of what it said. The last way but one leads to a server with
    another certificate: what is known of names is forgotten with it, so that each attempt begins with a question."""

    def __init__(self, gateway, dns, breaker):
        self.gateway, self.dns, self.breaker, self.done = gateway, dns, breaker, 0
        self.good = dict(dns.records)

    def attempt(self, failed=True):
        asked = len(self.dns.questions)
        ask(self.gateway, "reconnect")
        if failed:
            wait_until(lambda: '"failures":1,' in ask(self.gateway, "status json"), self.gateway.settings.seconds(15),
                       "it has failed", pause=0.001)
        wait_until(lambda: len(self.dns.questions) > asked, self.gateway.settings.seconds(5), "it was asked", pause=0.001)
        self.done += 1

    def servfail(self):
        self.dns.failures = [SERVFAIL] * 100
        self.attempt()
        self.dns.failures = []

    def nxdomain(self):
        self.dns.records = {}
        self.attempt()

    def no_such_record(self):
        self.dns.records = {("_sgn.sgn.test", AAAA): []}
        self.attempt()

    def nonsense(self):
        self.dns.records = {("_sgn.sgn.test", TXT): [b"\x05v=xyz"]}
        self.attempt()

    def silent(self):
        self.dns.silent = True
        self.attempt(failed=False)
        self.dns.silent = False

    def no_such_host(self):
        """The record comes, and the host that it names is not there."""
        self.dns.records = {("_sgn.sgn.test", TXT): [text(f"tcp_addr=push.sgn.example tcp_port={PORT}")]}
        self.attempt()

    def several_addresses(self):
        """Nobody is there, or somebody else."""
        self.dns.records = dict(self.good)
        self.dns.publish(f"tcp_addr=push.sgn.example tcp_port={PORT}")
        self.dns.host("push.sgn.example", OTHER_SERVER, OTHER_NAMES, NAMES, SERVER)
        self.breaker.step = wrong_certificate
        self.attempt()
        assert self.breaker.ended.get(timeout=20) == "done"

    def round(self):
        for step in (self.servfail, self.nxdomain, self.no_such_record, self.nonsense, self.silent, self.no_such_host,
                     self.several_addresses):
            step()


def test_names_that_fail(lab, breaker, settings, pytestconfig, record_property):
    lab.resolv_conf(f"nameserver {NAMES}\n")
    dns = lab.name_server()
    gateway = lab.gateway()
    gateway.configure("log", level="error")
    gateway.add_token()
    gateway.start()
    gateway.stop()
    gateway.configure("server", endpoint=None)
    lab.open(SERVER, "tcp", PORT, breaker.port)
    names, attempts = Names(gateway, dns, breaker), pytestconfig.getoption("--reconnects") // 5
    dns.failures = [SERVFAIL] * 100
    gateway.start(connect=False)
    gateway.wait_running()
    names.round()
    names.done, early, began = 0, None, time.monotonic()
    while names.done < attempts:
        names.round()
        dns.questions.clear()
        if early is None and names.done * 10 >= attempts:
            early = Use(gateway)
    flat(record_property, f"{names.done} attempts failing at 7 steps of names", early, Use(gateway), began)
    dns.records = names.good
    recovers(lab, gateway, breaker)


@KINDS
def test_reconnects_allocate_nothing(drive, settings, pytestconfig, record_property, registered):
    """The gateway's own code, counted; and what the libraries take they give back, to the last block. Resident memory, above,
    could hide some bytes of each reconnect."""
    if not settings.counting_binary:
        pytest.skip("no --counting-binary was given")

    def body(gateway, driver, steps):
        def memory():
            counts = gateway.status()["memory"]
            return counts["allocations_since_ready"], counts["live_blocks"]
        for _ in range(2):
            driver.round(steps)
        before = memory()
        assert isinstance(before[0], int), "a build that counts"
        worst = {}
        for step in steps:
            last = memory()
            driver.fail(step)
            if memory()[0] != last[0]:
                worst[step.__name__] = memory()[0] - last[0]
        driver.rounds(steps, pytestconfig.getoption("--reconnects") // 10)
        after = memory()
        kind = "login" if registered else "registration"
        record_property("measured", (f"{driver.done} failing reconnects, {kind}: allocations since READY", "flat",
                                     f"{before[0]} → {after[0]}"))
        record_property("measured", (f"{driver.done} failing reconnects, {kind}: live blocks of libraries", "flat",
                                     f"{before[1]} → {after[1]}"))
        assert not worst, worst
        assert after == before, f"{before} {after}"
    drive(registered, body, settings.counting_binary)
