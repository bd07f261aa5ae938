"""Type=notify: the word, the status and the watchdog (demands: Operations, Boot)."""
import os
import signal
import socket
import sqlite3
import time

import pytest

from harness.settings import wait_until


class Manager:
    """The socket of a service manager; `said` is every datagram's lines."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(0.05)
        self.said = []

    def drain(self):
        try:
            while True:
                self.said += self.socket.recv(4096).decode().split("\n")
        except socket.timeout:
            pass

    def wait(self, condition, seconds, what):
        def heard():
            self.drain()
            return [line for line in self.said if condition(line)]
        return wait_until(heard, seconds, lambda: f"{what}, but {self.said}", pause=0.001)


@pytest.fixture
def manager(world, gateway):
    manager = Manager(gateway.directory / "notify")
    yield manager
    manager.socket.close()


def test_ready_status_and_stopping(gateway, manager):
    gateway.start(env={"NOTIFY_SOCKET": manager.path})
    seconds = gateway.settings.seconds(5)
    manager.wait(lambda line: line == "READY=1", seconds, "READY=1")
    manager.wait(lambda line: line.startswith("STATUS=") and "connected" in line, seconds, "STATUS=…connected…")
    gateway.stop()
    manager.wait(lambda line: line == "STOPPING=1", seconds, "STOPPING=1")


def test_ready_needs_no_server(gateway, peer, manager):
    peer.listen(False)
    gateway.start(connect=False, env={"NOTIFY_SOCKET": manager.path})
    manager.wait(lambda line: line == "READY=1", gateway.settings.seconds(5), "READY=1 without a server")


def test_watchdog_is_fed_in_time(gateway, manager):
    gateway.start(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": str(int(gateway.settings.seconds(1) * 1e6))})
    manager.wait(lambda line: line == "WATCHDOG=1", gateway.settings.seconds(2), "WATCHDOG=1")
    before = manager.said.count("WATCHDOG=1")
    began = time.monotonic()
    manager.wait(lambda _: manager.said.count("WATCHDOG=1") >= before + 3, gateway.settings.seconds(4), "three more")
    assert time.monotonic() - began <= gateway.settings.seconds(3.2)


@pytest.mark.host_only
def test_a_stopped_process_feeds_no_watchdog(gateway, manager):
    """SIGSTOP stands for a loop that is wedged. It stops every thread, so it may only while there is none but the loop's."""
    if gateway.settings.emulated:
        pytest.skip("an emulator has threads of its own")
    gateway.start(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "500000"})
    manager.wait(lambda line: line == "WATCHDOG=1", 2, "WATCHDOG=1")
    assert os.listdir(f"/proc/{gateway.process.pid}/task") == [str(gateway.process.pid)], "the loop's thread and no other"
    gateway.signal(signal.SIGSTOP)
    os.waitid(os.P_PID, gateway.process.pid, os.WSTOPPED | os.WNOWAIT)
    with pytest.raises(AssertionError):
        manager.said.clear()
        manager.wait(lambda _: manager.said.count("WATCHDOG=1") >= 2, 1.5, "none is expected")
    gateway.signal(signal.SIGCONT)


@pytest.mark.host_only
def test_a_loop_that_waits_for_the_store_feeds_no_watchdog(gateway, peer, manager):
    """Another process holds the database while a message comes: the process runs, and its loop does not go round. What
    feeds the watchdog is the loop and nothing beside it, so nothing is heard until it goes on."""
    token = gateway.add_token()
    gateway.start(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000"})
    manager.wait(lambda line: line == "WATCHDOG=1", 2, "WATCHDOG=1")
    base = sqlite3.connect(gateway.state / "skyglow.db", isolation_level=None)
    base.execute("BEGIN IMMEDIATE")
    message = peer.notify(token)
    time.sleep(0.3)     # it has come
    manager.drain()
    manager.said.clear()
    time.sleep(0.9)
    manager.drain()
    with open(f"/proc/{gateway.process.pid}/stat") as file:
        assert file.read().rpartition(")")[2].split()[0] in "SRD", "not stopped"
    assert "WATCHDOG=1" not in manager.said and not peer.acks(message), "it waits"
    base.execute("ROLLBACK")
    base.close()
    manager.wait(lambda _: manager.said.count("WATCHDOG=1") >= 3, gateway.settings.seconds(2), "three more")
    peer.wait_ack(message, seconds=20)
    assert gateway.shown() == [message]


def test_no_manager_is_no_trouble(gateway):
    gateway.start(env={"NOTIFY_SOCKET": str(gateway.directory / "nobody-listens")})


def test_another_process_of_the_watchdog_is_left_alone(gateway, manager):
    """WATCHDOG_PID names who is meant (sd_watchdog_enabled(3)); a hook's parent is not."""
    gateway.start(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000", "WATCHDOG_PID": "1"})
    manager.wait(lambda line: line == "READY=1", gateway.settings.seconds(5), "READY=1")
    time.sleep(1)
    with pytest.raises(AssertionError):
        manager.wait(lambda line: line == "WATCHDOG=1", 0.1, "none is expected")


@pytest.mark.host_only
def test_nothing_is_written_while_idle(online):
    """Demands, Resources: no write to the card while connected and idle."""
    gateway, _ = online
    time.sleep(1)

    def files():
        return {p.name: (p.stat().st_mtime_ns, p.stat().st_size) for p in gateway.state.iterdir()}

    def written():
        try:
            with open(f"/proc/{gateway.process.pid}/io") as file:
                return [line for line in file if line.startswith(("syscw", "wchar", "write_bytes"))]
        except PermissionError:     # only root may count what a process that hides its memory writes
            return []
    before = files(), written()
    time.sleep(10)
    assert (files(), written()) == before


def test_a_new_link_light_shows_what_is(online):
    """A reload with another panel: the link light does not wait for the link to change."""
    gateway, _ = online
    gateway.configure("panel", link="file:other.log")
    gateway.cli("reload")
    wait_until(lambda: gateway.light("link", "other.log") == "solid", gateway.settings.seconds(5), "the new light is solid")
