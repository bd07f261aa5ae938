"""Starts that must be refused: each a clear error that names the thing, and the right exit code (sysexits)."""
import os
import shutil
import subprocess
import time

import pytest

from harness import certificates, wire
from harness.settings import wait_until

FILES, PERMISSION, CONFIGURATION = (73, 74), 77, 78
NOBODY = 65534


# ---- one instance for each state directory ----------------------------------------------------------------------------

def test_a_second_run_names_the_state_directory_and_leaves_the_first_alone(online, peer):
    gateway, token = online
    mark = peer.mark()
    second = subprocess.run([*gateway.binary, "-c", str(gateway.config), "run"], capture_output=True, text=True,
                            stdin=subprocess.DEVNULL, timeout=gateway.settings.seconds(10))
    assert second.returncode in (69, *FILES), second
    assert str(gateway.state) in second.stderr
    peer.wait_ack(peer.notify(token))
    assert not peer.since(mark, "connected") and not peer.since(mark, "closed")
    assert gateway.status()["state"] == "connected"


def test_a_second_run_with_another_runtime_directory_is_refused_too(online):
    gateway, _ = online
    other = gateway.directory / "other.conf"
    (gateway.directory / "run2").mkdir()
    other.write_text(gateway.config.read_text().replace(str(gateway.runtime), str(gateway.directory / "run2")))
    second = subprocess.run([*gateway.binary, "-c", str(other), "run"], capture_output=True, text=True,
                            stdin=subprocess.DEVNULL, timeout=gateway.settings.seconds(10))
    assert second.returncode in (69, *FILES) and str(gateway.state) in second.stderr


def test_what_a_killed_run_left_behind_does_not_stop_the_next(online):
    gateway, _ = online
    gateway.kill()
    gateway.start()


def test_two_gateways_live_side_by_side(world, peer):
    first, one = world.online(peer)
    second, two = world.online(peer)
    a, b = peer.notify(one), peer.notify(two)
    peer.wait_ack(a)
    peer.wait_ack(b)
    assert first.shown() == [a] and second.shown() == [b]


# ---- certificate ------------------------------------------------------------------------------------------------------

def test_a_missing_certificate(world, peer):
    gateway = world.gateway(peer, certificate=False)
    code, said = gateway.run_to_end()
    assert code in (*FILES, CONFIGURATION) and "server.pem" in said
    assert not peer.since(0, "connected")


GARBAGE = {"empty": b"", "text": b"this is no certificate\n", "zeros": bytes(4096), "megabytes": b"-" * (3 << 20),
           "cut": b"-----BEGIN CERTIFICATE-----\nMIIC\n", "not-base64": b"-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n",
           "not-der": b"-----BEGIN CERTIFICATE-----\nAAAAAAAA\n-----END CERTIFICATE-----\n",
           "a-key": certificates.pem_key(certificates.new_key())}


@pytest.mark.parametrize("content", GARBAGE.values(), ids=GARBAGE)
def test_a_certificate_that_is_none(gateway, peer, content):
    (gateway.state / "server.pem").write_bytes(content)
    code, said = gateway.run_to_end()
    assert code in (65, *FILES, CONFIGURATION) and "server.pem" in said
    assert not peer.since(0, "connected")


def test_a_certificate_that_is_a_directory(gateway):
    (gateway.state / "server.pem").unlink()
    (gateway.state / "server.pem").mkdir()
    code, said = gateway.run_to_end()
    assert code in (65, *FILES, CONFIGURATION) and "server.pem" in said


# ---- directories ------------------------------------------------------------------------------------------------------

def test_a_missing_configuration(gateway):
    gateway.config.unlink()
    code, said = gateway.run_to_end()
    assert code in (*FILES, CONFIGURATION) and str(gateway.config) in said


def test_a_configuration_that_is_a_directory(gateway):
    gateway.config.unlink()
    gateway.config.mkdir()
    code, said = gateway.run_to_end()
    gateway.config.rmdir()
    gateway.write_config()
    assert code in (*FILES, CONFIGURATION) and str(gateway.config) in said


def test_a_state_directory_that_is_a_file(gateway):
    shutil.rmtree(gateway.state)
    gateway.state.write_text("no directory")
    code, said = gateway.run_to_end()
    gateway.state.unlink()
    gateway.state.mkdir()
    assert code in (*FILES, PERMISSION, CONFIGURATION) and str(gateway.state) in said


def as_nobody(gateway):
    """Hand the directories to an ordinary user, who must be able to reach the binary too."""
    program = gateway.directory / "skyglowd"
    shutil.copy(gateway.binary[-1], program)
    gateway.binary = [*gateway.binary[:-1], str(program)]
    os.chmod(program, 0o755)
    os.chmod(gateway.directory, 0o755)
    for path in (gateway.state, gateway.runtime, gateway.state / "server.pem"):
        os.chown(path, NOBODY, NOBODY)
    for name in ("stdout", "stderr"):
        (gateway.directory / name).touch()
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


@pytest.mark.host_only
def test_an_ordinary_user_is_enough(root, gateway):
    gateway.start(**as_nobody(gateway))


@pytest.mark.host_only
@pytest.mark.parametrize("mode", [0o555, 0o000], ids=["read-only", "closed"])
def test_a_state_directory_without_permission(root, gateway, mode):
    user = as_nobody(gateway)
    os.chmod(gateway.state, mode)
    code, said = gateway.run_to_end(**user)
    assert code in (*FILES, PERMISSION) and str(gateway.state) in said


@pytest.mark.host_only
def test_a_configuration_without_permission(root, gateway):
    user = as_nobody(gateway)
    os.chmod(gateway.config, 0o600)
    code, said = gateway.run_to_end(**user)
    assert code in (*FILES, PERMISSION, CONFIGURATION) and str(gateway.config) in said


@pytest.mark.host_only
def test_a_certificate_without_permission(root, gateway):
    user = as_nobody(gateway)
    os.chown(gateway.state / "server.pem", 0, 0)
    os.chmod(gateway.state / "server.pem", 0o600)
    code, said = gateway.run_to_end(**user)
    assert code in (*FILES, PERMISSION, CONFIGURATION) and "server.pem" in said


# ---- disks ------------------------------------------------------------------------------------------------------------

@pytest.fixture
def disk(root, gateway):
    """The state directory on a small file system of its own; `disk(size)` mounts it."""
    mounted = []

    def mount(options):
        kept = (gateway.state / "server.pem").read_bytes()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(gateway.state)], capture_output=True)
        if done.returncode:
            pytest.skip(f"cannot mount a tmpfs: {done.stderr.decode().strip()}")
        mounted.append(gateway.state)
        (gateway.state / "server.pem").write_bytes(kept)
        return gateway
    yield mount
    gateway.close()
    for place in mounted:
        subprocess.run(["umount", "-l", str(place)], check=False)


def fill(directory):
    """Every byte of the file system that holds `directory`; the file to delete afterwards."""
    filler = directory / "filler"
    with open(filler, "wb", buffering=0) as f:
        for size in (65536, 512, 1):
            try:
                while f.write(b"x" * size):
                    pass
            except OSError:
                continue
    return filler


def test_a_read_only_file_system(disk):
    gateway = disk("size=4m")
    subprocess.run(["mount", "-o", "remount,ro", str(gateway.state)], check=True)
    code, said = gateway.run_to_end()
    assert code in (*FILES, PERMISSION) and str(gateway.state) in said


def test_a_full_disk_at_the_start(disk, peer):
    gateway = disk("size=256k")
    filler = fill(gateway.state)
    code, said = gateway.run_to_end()
    assert code in FILES, said
    assert str(gateway.state) in said or "space" in said.lower() or "full" in said.lower()
    filler.unlink()
    subprocess.run(["mount", "-o", "remount,size=32m", str(gateway.state)], check=True)
    gateway.start()
    assert len(peer.since(0, "registered")) == 1


def test_a_full_disk_while_running_loses_nothing(disk, peer):
    """What cannot be made durable is not acknowledged; with space again everything arrives, each once."""
    gateway = disk("size=16m")
    token = gateway.add_token()
    gateway.start()
    first = peer.notify(token)
    peer.wait_ack(first)
    filler = fill(gateway.state)
    text = "x" * 3000
    messages = [first] + [peer.notify(token, wire.document("full", text)) for _ in range(100)]
    wait_until(lambda: gateway.crashed() is not None or any(" error store: " in line for line in gateway.log()),
               gateway.settings.seconds(10), "the full disk is noticed")
    if gateway.crashed() is None:
        gateway.kill()
    else:
        assert gateway.wait_exit() in FILES
    peer.wait_alone()
    acknowledged = set(peer.acks()) & set(messages)
    filler.unlink()
    assert acknowledged <= set(gateway.shown()), "acknowledged and lost"
    gateway.start()
    peer.wait_all_acked(messages, 30)
    assert sorted(gateway.shown()) == sorted(messages)


def test_a_full_disk_while_running_is_tried_less_and_less_often(disk, peer):
    """Each connection logs in, polls and fails at the disk: the delay grows all the same, and a person ends it."""
    gateway = disk("size=16m")
    token = gateway.add_token()
    gateway.start()
    filler, mark = fill(gateway.state), peer.mark()
    messages = [peer.notify(token, wire.document("full", "x" * 3000)) for _ in range(40)]
    reason = "what was received could not be stored: no space left"
    status = gateway.wait_status(lambda s: s["state"] == "backing-off" and s["failures"] >= 3, "3 failures", 60)
    assert status["last_end"] == reason and reason in gateway.cli("status", code=1).stdout
    assert status["next_attempt"] - time.time() > 5, "8 to 13 s after the third"
    assert any(f"{reason}; failure 3 in a row" in line for line in gateway.log())
    assert len(peer.since(mark, "poll")) <= 4
    filler.unlink()
    gateway.cli("reconnect")
    peer.wait_all_acked(messages, 30)
    assert sorted(gateway.shown()) == sorted(messages)
    assert gateway.status()["failures"] == 0


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_damaged_store_is_said_and_never_a_crash(world, online, damage):
    """Whatever it decides to do with a broken database, it says so and does not end by a signal."""
    gateway, _ = online
    gateway.stop()
    stores = [p for p in gateway.state.rglob("*") if p.is_file() and p.read_bytes()[:15] == b"SQLite format 3"]
    assert stores, "the store is an SQLite file in the state directory"
    for path in stores:
        data = path.read_bytes()
        path.write_bytes(data[:len(data) // 2 - 7] if damage == "cut" else data[:100] + b"\xa5" * (len(data) - 100))
    gateway.start(connect=False)
    ended = wait_until(lambda: "ended" if gateway.crashed() is not None else
                       "runs" if gateway.cli("status", code=None).returncode in (0, 1) else None,
                       gateway.settings.seconds(10), "ends or runs")
    if ended == "ended":
        assert gateway.wait_exit() in (65, *FILES, CONFIGURATION) and gateway.stderr.read_text().strip()
