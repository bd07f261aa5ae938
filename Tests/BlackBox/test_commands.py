"""The command line: usage, exit codes, status, log, and every command without a daemon."""
import json
import re
import sqlite3
import subprocess
import threading
import time

import pytest

from harness import wire
from harness.gateway import STATES
from harness.settings import wait_until

WRONG = {
    "nothing": [], "unknown-command": ["dance"], "unknown-option": ["status", "--wobble"], "extra": ["check", "more"],
    "token-alone": ["token"], "token-unknown": ["token", "paint", "x"], "token-add-nothing": ["token", "add"],
    "token-add-two": ["token", "add", "a", "b"], "mute-nothing": ["token", "mute"], "certificate-alone": ["certificate"],
    "import-nothing": ["certificate", "import"], "read-nothing": ["read"], "inbox-n-alone": ["inbox", "-n"],
    "inbox-n-word": ["inbox", "-n", "many"], "inbox-n-negative": ["inbox", "-n", "-3"], "log-n-word": ["log", "-n", "x"],
    "panel-alone": ["panel"],
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG)
def test_usage_errors_are_64(gateway, words):
    done = gateway.cli(*words, code=64)
    assert done.stderr.strip() and not done.stdout


def test_c_without_a_file_is_a_usage_error(settings):
    done = subprocess.run([*settings.binary, "-c"], capture_output=True, timeout=settings.seconds(10))
    assert done.returncode == 64


COMMANDS = ["run", "check", "certificate", "token", "status", "inbox", "read", "log", "panel", "reconnect", "reload", "stop"]


def plain(settings, *arguments):
    return subprocess.run([*settings.binary, *arguments], capture_output=True, text=True, timeout=settings.seconds(10),
                          env={"SKYGLOWD_CONFIG": "/nonexistent"}, cwd="/")


def test_help_names_every_command_in_80_columns(settings):
    done = plain(settings, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not [c for c in COMMANDS if not re.search(rf"\b{c}\b", done.stdout)]


def test_version_tells_target_and_libraries(settings):
    done = plain(settings, "--version")
    assert done.returncode == 0 and done.stderr == ""
    assert re.search(r"skyglowd.*\d", done.stdout)
    assert re.search(r"x86_64|arm64|aarch64|armv6", done.stdout)
    for library in ("openssl", "sqlite", "zlib"):
        assert re.search(rf"{library}\D*\d", done.stdout.lower()), library


# ---- status -----------------------------------------------------------------------------------------------------------

def test_status_exit_codes(online, peer):
    gateway, _ = online
    assert gateway.cli("status", code=0).stdout.strip()
    peer.listen(False)
    gateway.wait_state("backing-off")
    gateway.cli("status", code=1)
    gateway.cli("status", "--json", code=1)
    gateway.stop()
    gateway.cli("status", code=3)
    gateway.cli("status", "--json", code=3)


def test_status_after_kill_9_is_3(online):
    gateway, _ = online
    gateway.kill()
    gateway.cli("status", code=3)


STATUS = {"state", "server", "address", "endpoint", "tls", "since", "interface", "keepalive", "failures", "next_attempt",
          "clock_offset", "unread", "received", "duplicates", "expired", "rejected", "pending_acks", "last_seq",
          "registrations", "memory", "panel", "relay", "version"}


def test_status_json_has_the_fields_of_the_contract(online, peer):
    gateway, _ = online
    status = gateway.status()
    assert STATUS <= status.keys()
    assert {"name", "kind"} <= status["interface"].keys()
    assert {"stage", "interval", "proven", "minimum", "maximum"} <= status["keepalive"].keys()
    assert {"rss", "reserved", "allocations_since_ready"} <= status["memory"].keys()
    assert {"message", "link", "buzzer"} <= status["panel"].keys()
    assert status["state"] in STATES
    assert status["tls"].startswith("TLS")
    assert abs(status["since"] - time.time()) < gateway.settings.seconds(60)
    assert status["memory"]["rss"] > 0
    for name in ("failures", "unread", "received", "duplicates", "expired", "rejected", "pending_acks"):
        assert status[name] == 0, name
    assert status["registrations"] == 1
    assert status["version"] in plain(gateway.settings, "--version").stdout


def test_only_a_counting_build_counts(online):
    gateway, _ = online
    count = gateway.status()["memory"]["allocations_since_ready"]
    counts = gateway.settings.binary == gateway.settings.counting_binary
    assert isinstance(count, int) if counts else count is None


def test_status_while_away_tells_when_it_tries_again(online, peer):
    gateway, _ = online
    peer.listen(False)
    gateway.wait_state("backing-off")
    status = gateway.status()
    assert status["failures"] >= 1 and time.time() - 2 <= status["next_attempt"] <= time.time() + 14
    assert str(status["failures"]) in gateway.cli("status", code=1).stdout


def test_status_fits_a_screen(online):
    gateway, _ = online
    lines = gateway.cli("status").stdout.splitlines()
    assert 1 <= len(lines) <= 24 and "connected" in "\n".join(lines)


# ---- the daemon told by the command line ------------------------------------------------------------------------------

def test_stop(online, peer):
    gateway, _ = online
    mark = peer.mark()
    gateway.cli("stop")
    assert gateway.wait_exit() == 0
    assert peer.wait("frame", after=mark, type="C_DISCONNECT")["reason"] == 0
    gateway.cli("status", code=3)


def test_reconnect(online, peer):
    gateway, token = online
    mark = peer.mark()
    gateway.cli("reconnect")
    peer.wait("closed", after=mark)
    gateway.wait_online(mark)
    assert gateway.status()["failures"] == 0
    peer.wait_ack(peer.notify(token))


@pytest.mark.parametrize("command", ["stop", "reconnect", "reload"])
def test_without_a_daemon_these_say_so(gateway, command):
    assert gateway.cli(command, code=(3, 69)).stderr.strip()


def test_token_and_inbox_need_no_daemon_and_no_server(world, peer):
    gateway = world.gateway(peer, certificate=False)
    token = gateway.add_token()
    assert gateway.json("token", "list")[0]["token"] == token
    gateway.cli("token", "mute", "org.example.door")
    assert gateway.inbox() == {"unread": 0, "notifications": []}
    gateway.cli("read", "all")
    gateway.cli("token", "delete", "org.example.door")
    assert not peer.since(0, "connected")


def test_commands_hold_while_many_run_at_once(online):
    gateway, _ = online
    command = [*gateway.binary, "-c", str(gateway.config), "status", "--json"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(6)]
    for process in running:
        out, _ = process.communicate(timeout=gateway.settings.seconds(20))
        assert process.returncode == 0 and b'"connected"' in out


# ---- log --------------------------------------------------------------------------------------------------------------

def test_log_of_a_running_daemon(online):
    gateway, _ = online
    lines = gateway.log()
    assert lines and gateway.log("-n", "3") == lines[-3:] or gateway.log("-n", "3")[:2] == lines[-2:]
    assert len(gateway.log("-n", "1")) == 1


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_log_of_a_dead_daemon(online, peer, way):
    gateway, _ = online
    before = gateway.log()
    getattr(gateway, way)()
    after = gateway.log()
    assert after[:len(before)] == before, "what was logged is still there"
    gateway.start()
    assert set(before) <= set(gateway.log()), "and after the next start too"


def test_log_f_follows(online, peer):
    gateway, _ = online
    follower = subprocess.Popen([*gateway.binary, "-c", str(gateway.config), "log", "-f"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
    try:
        lines = []
        threading.Thread(target=lambda: lines.extend(iter(follower.stdout.readline, "")), daemon=True).start()
        wait_until(lambda: lines, gateway.settings.seconds(5), "the lines so far")
        before = len(lines)
        peer.send(0x15)
        wait_until(lambda: len(lines) > before, gateway.settings.seconds(5), "a new line")
        assert follower.poll() is None
    finally:
        follower.terminate()  # a test run in the background may have SIGINT ignored
        follower.wait(gateway.settings.seconds(5))
        follower.stdout.close()


def test_log_before_the_first_run(gateway):
    done = gateway.cli("log", code=74)
    assert str(gateway.runtime / "log.ring") in done.stderr and "no gateway has run yet" in done.stderr and not done.stdout


@pytest.mark.parametrize("content", [b"", b"x" * 63, b"skylog1\n" + bytes(8184), None],
                         ids=["empty", "short", "zeros", "directory"])
def test_a_log_that_is_none(gateway, content):
    path = gateway.runtime / "log.ring"
    path.mkdir() if content is None else path.write_bytes(content)
    done = gateway.cli("log", code=74)
    assert f"{path}: damaged: " in done.stderr and not done.stdout


def test_log_json(online):
    """An object a line, with the same words."""
    gateway, _ = online
    plain_lines = gateway.log("-n", "5")
    objects = [json.loads(line) for line in gateway.cli("log", "-n", "5", "--json").stdout.splitlines()]
    assert len(objects) == 5 and all(list(o) == ["time", "level", "site", "text"] for o in objects)
    assert any(f"{o['level']} {o['site']}: {o['text']}" in plain_lines[-1] for o in objects)
    assert all(abs(o["time"] - time.time()) < gateway.settings.seconds(120) for o in objects)


def test_a_log_without_permission(root, gateway):
    (gateway.runtime / "log.ring").write_bytes(bytes(8192))
    options = gateway.hand_to(65534)
    (gateway.runtime / "log.ring").chmod(0o000)
    gateway.cli("log", code=77, **options)


UNREADABLE = ["missing", "directory", "below-a-file", "loop"]


@pytest.mark.parametrize("kind", UNREADABLE)
@pytest.mark.parametrize("words", [["certificate", "import", "{}"], ["note", "send", "{}", "a", "b"]], ids=["import", "send"])
def test_files_that_cannot_be_read_are_74(gateway, words, kind):
    """73 is for those that cannot be made."""
    (gateway.directory / "plain").write_text("x")
    (gateway.directory / "loop").symlink_to("loop")
    path = {"missing": "nothing", "directory": ".", "below-a-file": "plain/x", "loop": "loop"}[kind]
    path = str(gateway.directory / path)
    done = gateway.cli(*[w.format(path) for w in words], code=74)
    assert path.rstrip(".") in done.stderr and not done.stdout


@pytest.mark.parametrize("words", [["keepalive", "plot", "--svg", "{}"], ["note", "pair", "{}"]], ids=["plot", "pair"])
@pytest.mark.parametrize("path", ["nowhere/x", "plain/x"])
def test_files_that_cannot_be_made_are_73(gateway, words, path):
    (gateway.directory / "plain").write_text("x")
    gateway.cli("keepalive", "show")
    base = sqlite3.connect(gateway.state / "skyglow.db")
    base.execute("INSERT INTO networks(name, kind, key, proven, refuted, changed) VALUES ('eth0', 1, x'', 690, 780, 1)")
    base.execute("INSERT INTO intervals(network, time, idle, outcome, stage, interval) VALUES (1, 1, 690, 1, 0, 690)")
    base.commit()
    base.close()
    given = '{"v":1,"grant":"g","relay":"http://127.0.0.1:9","sealKey":"CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}'
    done = gateway.cli(*[w.format(gateway.directory / path) for w in words], code=73, input=given)
    assert str(gateway.directory / path) in done.stderr and not done.stdout


def test_secrets_are_not_in_the_log(online, peer):
    gateway, token = online
    peer.wait_ack(peer.notify(token, wire.document("very", "confidential"), encrypt=True))
    gateway.cli("token", "list")
    text = "\n".join(gateway.log()).lower()
    parts = wire.Token(token)
    for secret in (token, parts.secret.hex(), parts.key.hex(), "private key"):
        assert secret not in text


def test_panel_test_shows_each_output(online):
    gateway, _ = online
    before = len(gateway.panel())
    gateway.cli("panel", "test")
    wait_until(lambda: len(gateway.panel()) > before, gateway.settings.seconds(10), "the message output was used")
    gateway.wait_light(False)


def test_panel_off_leaves_a_running_gateway_its_lights(online):
    gateway, _ = online
    before = gateway.panel()
    refused = gateway.cli("panel", "off", code=69)
    assert str(gateway.process.pid) in refused.stderr
    assert gateway.panel() == before


def test_panel_off_after_kill_9_puts_the_lights_out(online):
    gateway, _ = online
    gateway.kill()
    gateway.cli("panel", "off")
    assert gateway.panel()[-1][1:] == ("message", "off")
    assert gateway.panel("link.log")[-1][1:] == ("link", "off")


@pytest.mark.parametrize("result, status, is_done", [
    ("success", "0", False), ("success", "PIPE", True), ("signal", "KILL", True), ("exit-code", "74", True)])
def test_panel_off_by_the_service_manager(online, result, status, is_done):
    """After a stop in order every light is as it was found, which may be on: then it is left alone."""
    gateway, _ = online
    gateway.kill()
    gateway.cli("panel", "off", env={"SERVICE_RESULT": result, "EXIT_STATUS": status})
    assert (gateway.panel("link.log")[-1][1:] == ("link", "off")) == is_done
