"""The installed package under a real systemd: its word, its sandbox, its watchdog, what is left after a crash."""
import errno
import json
import os
import re
import shutil
import signal
import sys

import pytest
from container import Container

from conftest import ROOT, run
from test_packages import build

sys.path.append(str(ROOT / "Tests" / "Emulated"))
from server import Server  # noqa: E402

CONFIGURATION = """
[server]
address = sgn.test
certificate = server.pem
endpoint = 127.0.0.1:{port}
[panel]
message = file:lights
link = file:link
[route hook]
bundle = org.example.hook
hook = /usr/bin/tee /var/lib/skyglow/hooked
[route clock]
bundle = org.example.clock
hook = /usr/local/bin/clock /var/lib/skyglow/clock
[route home]
bundle = org.example.home
hook = /usr/bin/tee /home/hooked /etc/hooked /tmp/hooked
"""


@pytest.fixture(scope="module")
def server(pytestconfig, tmp_path_factory):
    server = Server(pytestconfig.getoption("--testbed"), tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def container(pytestconfig, tmp_path_factory, server):
    archive = pytestconfig.getoption("--systemd")
    if not archive or os.geteuid() != 0:
        pytest.skip("needs root and --systemd")
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        if not re.search(r" - cgroup2 | - cgroup .*name=systemd", file.read()):
            pytest.skip("NOT RUN: there are no control groups here for a systemd to live in")
    container = Container(tmp_path_factory.mktemp("container"), archive)
    yield container
    container.close()


def install(container, version):
    """What the installation says. Versions of its own, as other tests build packages at the same time."""
    package = build("--version", version, "x86_64")[0]
    try:
        return container.install(package)
    finally:
        os.unlink(package)


@pytest.fixture(scope="module")
def fresh(container):
    """The package as it is just installed, before a person has done anything."""
    container.said = install(container, "98.0")
    return container


@pytest.fixture(scope="module")
def configured(fresh, server):
    state = fresh.root / "var/lib/skyglow"
    with open(fresh.root / "etc/skyglow/skyglowd.conf", "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(port=server.port))
    shutil.copy(server.certificate, state / "server.pem.new")
    fresh.call("skyglowd", "certificate", "import", "/var/lib/skyglow/server.pem.new")
    fresh.call("systemctl", "restart", "skyglowd.service")
    wait_connected(fresh)
    return fresh


def state_of(container):
    done = container.call("skyglowd", "status", "--json", code=None)
    return json.loads(done.stdout)["state"] if done.stdout.startswith("{") else "not running"


def wait_connected(container):
    container.wait(lambda: state_of(container) == "connected", 30)


def lights(container, name="lights"):
    path = container.root / "var/lib/skyglow" / name
    return [line.split(" ", 1)[1] for line in path.read_text().splitlines()] if path.exists() else []


def notify(container, server, bundle, title):
    server.ask("mark")
    token = container.call("skyglowd", "token", "add", bundle).stdout.strip()
    server.ask("wait filter within=20")
    server.ask(f"notify {token} title={title}")


def test_it_runs_at_once_and_says_what_is_missing(fresh):
    assert "knows no server yet" in fresh.said
    assert fresh.show("ActiveState") == "active" and fresh.show("SubState") == "running"
    assert "no server" in fresh.show("StatusText") or "unconfigured" in fresh.show("StatusText")
    assert state_of(fresh) == "unconfigured"
    assert fresh.call("systemctl", "is-enabled", "skyglowd.service").stdout == "enabled\n"
    assert fresh.call("systemctl", "--failed", "--no-legend", "--plain").stdout == ""


def test_it_runs_as_its_own_user_without_a_capability(configured):
    pid = configured.show("MainPID")
    status = configured.call("cat", f"/proc/{pid}/status").stdout
    user, group = (configured.call(*words).stdout.strip() for words in (("id", "-u", "skyglow"), ("id", "-g", "skyglow")))
    assert re.search(rf"^Uid:\t{user}\t{user}\t{user}\t{user}$", status, re.MULTILINE)
    assert re.search(rf"^Gid:\t{group}\t", status, re.MULTILINE)
    gpio = configured.call("getent", "group", "gpio").stdout.split(":")[2]
    assert gpio in re.search(r"^Groups:\t(.*)$", status, re.MULTILINE)[1].split()
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert re.search(rf"^{name}:\t0+$", status, re.MULTILINE), status
    assert re.search(r"^NoNewPrivs:\t1$", status, re.MULTILINE) and re.search(r"^Seccomp:\t2$", status, re.MULTILINE)


def test_the_manager_knows_how_things_stand(configured):
    assert "connected" in configured.show("StatusText")
    assert configured.show("NRestarts") == "0"
    journal = configured.call("journalctl", "--unit", "skyglowd", "--output", "json").stdout.splitlines()
    own = [line for line in map(json.loads, journal) if line.get("_COMM") == "skyglowd"]
    # The prefix is the journal's to read, not the reader's; and the journal has the time itself.
    assert own and not any(re.match(r"<\d>|\d{4}-", line["MESSAGE"]) for line in own)
    assert {line["PRIORITY"] for line in own} <= set("34567")


def test_exposure_of_the_running_service(configured):
    done = configured.call("systemd-analyze", "security", "skyglowd.service").stdout
    assert float(re.search(r"exposure level for skyglowd\.service: ([\d.]+)", done)[1]) <= 2.5, done


def test_a_hook_runs_within_the_same_walls(configured, server):
    notify(configured, server, "org.example.hook", "Ring")
    written = configured.root / "var/lib/skyglow/hooked"
    configured.wait(lambda: written.exists() and written.stat().st_size, 20)
    assert json.loads(written.read_text())["title"] == "Ring"
    notify(configured, server, "org.example.home", "Home")
    configured.wait(lambda: "/home/hooked" in configured.call("skyglowd", "log").stdout, 20)
    assert not any((configured.root / path).exists() for path in ("home/hooked", "etc/hooked", "tmp/hooked"))
    configured.call("skyglowd", "read", "all")


CLOCK = """
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>
/* What is written is what is there already, should it be allowed. */
int main(int count, char **words) {
    FILE *out = fopen(words[count - 1], "w");
    struct timex state = {0};
    struct timespec now;
    struct timeval then;
    fprintf(out, "read %d\\n", clock_adjtime(CLOCK_REALTIME, &state) < 0 ? errno : 0);
    state.modes = ADJ_STATUS;
    fprintf(out, "adjust %d\\n", clock_adjtime(CLOCK_REALTIME, &state) < 0 ? errno : 0);
    clock_gettime(CLOCK_REALTIME, &now);
    fprintf(out, "set %d\\n", clock_settime(CLOCK_REALTIME, &now) < 0 ? errno : 0);
    gettimeofday(&then, 0);
    fprintf(out, "old %d\\n", syscall(SYS_settimeofday, &then, 0) < 0 ? errno : 0);
    state.modes = 0;
    fprintf(out, "older %d\\n", syscall(SYS_adjtimex, &state) < 0 ? errno : 0);
    return fclose(out);
}
"""


def test_the_clock_may_be_asked_about_and_not_set(configured, server):
    """By the hooks, which run within the same walls as the gateway."""
    program = configured.root / "usr/local/bin/clock"
    run("gcc", "-static", "-x", "c", "-", "-o", program, input=CLOCK)
    notify(configured, server, "org.example.clock", "Clock")
    written = configured.root / "var/lib/skyglow/clock"
    configured.wait(lambda: written.exists() and len(written.read_text().splitlines()) == 5, 20)
    assert dict(line.split() for line in written.read_text().splitlines()) == {
        "read": "0", "adjust": str(errno.EPERM), **dict.fromkeys(("set", "old", "older"), str(errno.ENOSYS))}
    configured.call("skyglowd", "read", "all")


def test_reload_through_the_manager(configured):
    pid = configured.show("MainPID")
    path = configured.root / "etc/skyglow/skyglowd.conf"
    text = path.read_text()
    path.write_text(text + "[no such]\n")
    assert configured.call("systemctl", "reload", "skyglowd.service", code=None).returncode != 0
    path.write_text(text)
    assert configured.show("MainPID") == pid and state_of(configured) == "connected"
    configured.call("systemctl", "reload", "skyglowd.service")
    assert configured.show("MainPID") == pid and state_of(configured) == "connected"


def test_killed_it_is_put_out_and_started_again(configured, server):
    notify(configured, server, "org.example.door", "Door")
    configured.wait(lambda: lights(configured)[-1] == "light message solid", 20)
    before = len(lights(configured))
    configured.call("kill", "-9", configured.show("MainPID"))
    # The lights are put out by ExecStopPost at once; the next start shows the unread one again.
    configured.wait(lambda: "light message off" in lights(configured)[before:], 5)
    configured.wait(lambda: configured.show("NRestarts") == "1", 20)
    wait_connected(configured)
    configured.wait(lambda: lights(configured)[-1] == "light message solid", 5)
    configured.call("skyglowd", "read", "all")
    configured.wait(lambda: lights(configured)[-1] == "light message off", 5)


def test_a_wedged_loop_is_ended_by_the_watchdog(configured):
    drop_in = configured.root / "etc/systemd/system/skyglowd.service.d"
    drop_in.mkdir()
    (drop_in / "watchdog.conf").write_text("[Service]\nWatchdogSec=2s\n")
    configured.call("systemctl", "daemon-reload")
    configured.call("systemctl", "restart", "skyglowd.service")
    wait_connected(configured)
    pid = configured.show("MainPID")
    # Six of the loop's signs of life long, it stays.
    configured.call("sleep", "6")
    assert configured.show("MainPID") == pid
    configured.call("kill", "-STOP", pid)
    configured.wait(lambda: configured.show("MainPID") not in (pid, "0"), 40)
    wait_connected(configured)
    journal = configured.call("journalctl", "--unit", "skyglowd", "--output", "cat").stdout
    assert "Watchdog timeout" in journal and "result 'watchdog'" in journal
    shutil.rmtree(drop_in)
    configured.call("systemctl", "daemon-reload")


def test_a_broken_configuration_is_not_tried_again(configured):
    path = configured.root / "etc/skyglow/skyglowd.conf"
    text = path.read_text()
    path.write_text(text.replace("[panel]", "[pannel]"))
    configured.call("systemctl", "restart", "skyglowd.service", code=None)
    configured.wait(lambda: configured.show("ActiveState") == "failed", 20)
    assert configured.show("ExecMainStatus") == "78"
    assert "skyglowd.conf:" in configured.call("journalctl", "--unit", "skyglowd", "--output", "cat", "-n", "20").stdout
    path.write_text(text)
    configured.call("systemctl", "restart", "skyglowd.service")
    wait_connected(configured)


def test_a_database_of_a_newer_version_is_not_tried_again(configured):
    """Nor a damaged one: only a person helps, and every attempt would be a few lines more on the card."""
    database = configured.root / "var/lib/skyglow/skyglow.db"
    configured.call("systemctl", "stop", "skyglowd.service")
    text = database.read_bytes()
    # PRAGMA user_version.
    database.write_bytes(text[:60] + b"\0\0\3\xe7" + text[64:])
    configured.call("systemctl", "start", "skyglowd.service", code=None)
    configured.wait(lambda: configured.show("ActiveState") == "failed", 20)
    assert configured.show("ExecMainStatus") == "65"
    assert "newer skyglowd" in configured.call("journalctl", "--unit", "skyglowd", "--output", "cat", "-n", "20").stdout
    database.write_bytes(text)
    configured.call("systemctl", "restart", "skyglowd.service")
    wait_connected(configured)


def test_upgraded_stopped_and_purged(configured):
    """Last, as nothing is left."""
    pid = configured.show("MainPID")
    install(configured, "99.0")
    assert configured.show("MainPID") not in (pid, "0")
    wait_connected(configured)
    configured.call("systemctl", "stop", "skyglowd.service")
    assert configured.show("Result") == "success"
    # Once: what was given back in order is left alone by ExecStopPost.
    assert lights(configured, "link")[-1] == "light link off" != lights(configured, "link")[-2]
    # After the end the log is still there for whoever asks what happened.
    assert "connected" in configured.call("skyglowd", "log").stdout
    configured.call("dpkg", "--purge", "skyglowd")
    assert not (configured.root / "var/lib/skyglow").exists() and not (configured.root / "run/skyglow").exists()
    assert configured.call("systemctl", "is-enabled", "skyglowd.service", code=None).returncode != 0
