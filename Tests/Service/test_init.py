"""The init.d script of boards without systemd, by LSB's exit codes."""
import os
import signal
import subprocess
import time

import pytest

from conftest import ROOT, run

SCRIPT = ROOT / "board/service/skyglowd.init"


class Board:
    def __init__(self, path, binary):
        self.path, self.pid = path, path / "pid"
        self.conf = path / "conf"
        self.conf.write_text(f"[state]\ndirectory = {path}/state\nruntime = {path}/run\n[panel]\nlink = file:link\n")
        user = run("id", "-un").stdout.strip()
        (path / "defaults").write_text(f"DAEMON={binary}\nUSER={user}\nCONFIG={self.conf}\nPIDFILE={self.pid}\n"
                                       f"STATE={path}/state\nRUNTIME={path}/run\n")

    def call(self, command, code=0):
        return run(SCRIPT, command, code=code, env={**os.environ, "SKYGLOWD_DEFAULTS": str(self.path / "defaults")})

    def number(self):
        return int(self.pid.read_text())

    def light(self):
        return (self.path / "state/link").read_text().split()[-1]


@pytest.fixture
def board(tool, binary, tmp_path):
    tool("start-stop-daemon")
    board = Board(tmp_path, binary)
    yield board
    board.call("stop", code=None)


def test_a_life(board):
    board.call("status", code=3)
    board.call("reload", code=7)
    board.call("start")
    first = board.number()
    assert str(first) in board.call("status").stdout
    board.call("start")
    assert board.number() == first
    board.call("reload")
    board.call("restart")
    assert board.number() != first
    board.call("stop")
    board.call("status", code=3)
    board.call("stop")


def test_reload_tells_of_faults_and_goes_on(board):
    board.call("start")
    board.conf.write_text(board.conf.read_text() + "[lgo]\n")
    board.call("reload", code=78)
    board.call("status")


def test_a_configuration_with_faults_does_not_start(board):
    board.conf.write_text("[lgo]\n")
    assert "[lgo]" in board.call("start", code=6).stderr
    board.call("status", code=3)


def test_killed(board):
    board.call("start")
    os.kill(board.number(), signal.SIGKILL)
    time.sleep(0.2)
    board.call("status", code=1)
    assert board.light() != "off"
    board.call("stop")
    assert board.light() == "off"
    board.call("status", code=3)


def test_killed_and_started(board):
    """What the dead one left on is put out first, by the gateway's user."""
    board.call("start")
    os.kill(board.number(), signal.SIGKILL)
    time.sleep(0.2)
    before = len((board.path / "state/link").read_text().splitlines())
    board.call("start")
    assert (board.path / "state/link").read_text().splitlines()[before].endswith(" off")
    board.call("status")


def test_a_follower_of_the_log_is_no_gateway(board, binary):
    """Another process of the same program keeps neither a start from happening nor the lights on."""
    board.call("start")
    follower = subprocess.Popen([binary, "-c", board.conf, "log", "-f"], stdout=subprocess.DEVNULL)
    try:
        os.kill(board.number(), signal.SIGKILL)
        time.sleep(0.2)
        board.call("stop")
        assert board.light() == "off"
        board.call("start")
        board.call("status")
    finally:
        follower.kill()
        follower.wait()


def test_only_what_runs_is_restarted(board):
    board.call("try-restart")
    board.call("status", code=3)
    board.call("start")
    first = board.number()
    board.call("try-restart")
    assert board.number() != first


def test_a_slow_one_is_not_forgotten(board, tmp_path):
    """One that does not answer in time is told as a failure, and still found by `stop`."""
    slow = tmp_path / "slow"
    source = "#include <string.h>\n#include <unistd.h>\n" \
        "int main(int n, char **a) { while (*++a) { if (!strcmp(*a, \"run\")) pause(); if (!strcmp(*a, \"status\")) return 3; } }"
    subprocess.run(["gcc", "-x", "c", "-", "-o", slow], input=source, text=True, check=True)
    with open(tmp_path / "defaults", "a") as file:
        file.write(f"DAEMON={slow}\n")
    assert "does not answer" in board.call("start", code=1).stdout
    number = board.number()
    board.call("stop")
    assert not os.path.exists(f"/proc/{number}/exe")


def test_without_the_program(board, tmp_path):
    """Removed and not purged: the script is still there, and not a failure at every boot."""
    with open(tmp_path / "defaults", "a") as file:
        file.write(f"DAEMON={tmp_path}/none\n")
    for word in ("start", "stop", "restart"):
        board.call(word)
    board.call("status", code=3)


def test_a_number_that_is_somebody_elses(board):
    board.pid.write_text(f"{os.getpid()}\n")
    board.call("status", code=1)
    board.call("stop")
    assert not board.pid.exists()


def test_unknown_word(board):
    assert "usage" in board.call("frobnicate", code=2).stderr
