"""The init.d script of boards without systemd, by LSB's exit codes."""
import os
import signal
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


def test_a_number_that_is_somebody_elses(board):
    board.pid.write_text(f"{os.getpid()}\n")
    board.call("status", code=1)
    board.call("stop")
    assert not board.pid.exists()


def test_unknown_word(board):
    assert "usage" in board.call("frobnicate", code=2).stderr
