"""Fixtures: the binaries to deploy, a server, a board. How to run: board/test --only deploy."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from board import DEBIAN, ROOT, Board, Keys  # noqa: E402

sys.path.append(str(ROOT / "Tests" / "Emulated"))
from server import Server  # noqa: E402


def pytest_addoption(parser):
    group = parser.getgroup("skyglow")
    group.addoption("--binary", default=ROOT / ".build/boards/x86_64/skyglowd", help="the static binary for this machine")
    group.addoption("--testbed", default=ROOT / ".build/debug/skyglow-testbed", help="the server")


def missing(config):
    if os.geteuid() != 0:
        return "root is needed: the board lives in namespaces"
    if not (DEBIAN / ".complete").exists():
        return "board/dependencies test has not been run"
    for name in ("binary", "testbed"):
        if not os.access(config.getoption(name), os.X_OK):
            return f"no program at {config.getoption(name)}"
    return None


def pytest_collection_modifyitems(config, items):
    reason = missing(config)
    if reason:
        config.notice = f"DEPLOY TESTS NOT RUN: {reason}"
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter, config):
    if hasattr(config, "notice"):
        terminalreporter.write_sep("!", config.notice, red=True, bold=True)


class Programs:
    """The true binary in several editions, which differ in nothing but bytes that are not loaded, and broken ones."""

    def __init__(self, binary, directory):
        self.binary, self.directory = Path(binary), directory

    def edition(self, number):
        path = self.directory / f"edition-{number}"
        if not path.exists():
            shutil.copy(self.binary, path)
            with open(path, "ab") as file:
                file.write(b"edition %d\n" % number)
        return path

    def stub(self, kind):
        path = self.directory / f"stub-{kind}"
        if not path.exists():
            subprocess.run(["gcc", "-static", "-O1", f"-D{kind}", "-o", path, Path(__file__).parent / "stub.c"], check=True)
        return path

    def foreign(self):
        """A program for no machine that this could be."""
        path = self.directory / "foreign"
        data = bytearray(self.binary.read_bytes()[:100_000])
        data[18:20] = b"\x16\x00"
        path.write_bytes(data)
        return path


@pytest.fixture(scope="session")
def programs(pytestconfig, tmp_path_factory):
    return Programs(pytestconfig.getoption("binary"), tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    return Keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="session")
def server(pytestconfig, tmp_path_factory):
    server = Server(pytestconfig.getoption("testbed"), tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture
def make_board(keys):
    boards = []

    def make(**options):
        boards.append(Board(keys, **options))
        return boards[-1]
    yield make
    for board in boards:
        board.close()


@pytest.fixture
def board(make_board):
    return make_board()


class Deployed:
    def __init__(self, code, text):
        self.code, self.text = code, text

    def said(self, pattern):
        assert re.search(pattern, self.text, re.MULTILINE), f"'{pattern}' is not in:\n{self.text}"
        return self


@pytest.fixture
def deploy(server):
    """Runs cross/deploy; its exit code must be `code`. `first` gives the answers to the questions as options."""

    def command(board, *options, user="root", port=None, first=False):
        words = [str(ROOT / "cross/deploy"), "--port", str(port or board.port), "--settle", "1"]
        for option in board.options():
            words += ["--ssh-option", option.removeprefix("-o")]
        words += ["--endpoint", f"127.0.0.1:{server.port}", "--certificate-from", f"http://127.0.0.1:{server.http}"]
        if first:
            words += ["--address", "sgn.test", "--fingerprint", server.fingerprint, "--yes"]
        return [*words, *map(str, options), f"{user}@127.0.0.1"]

    def run(board, *options, code=0, input="", within=120, **more):
        done = subprocess.run(command(board, *options, **more), input=input, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=within, errors="replace")
        assert done.returncode == code, f"exit {done.returncode}, expected {code}:\n{done.stdout}"
        return Deployed(done.returncode, done.stdout)

    run.command = command
    return run


@pytest.fixture
def installed(board, deploy, programs):
    """A board on which edition 1 is running and connected."""
    deploy(board, "--binary", programs.edition(1), first=True)
    assert board.status() == "connected"
    return board
