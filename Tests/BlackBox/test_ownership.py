"""Root's commands beside a gateway of another user: whatever they leave there is that user's, or the gateway would not start.

Each command runs as root before there is a database and after; then the gateway starts as the user."""
import base64
import os

import pytest
from cryptography.hazmat.primitives import hashes

from harness.certificates import issue, new_key, pem
from harness.relay import FakeDaemon, free_port
from harness.web import Web, response

pytestmark = pytest.mark.host_only

NOBODY = 65534
KEY = new_key()
CERTIFICATE = issue("sgn.test", KEY)
COMMANDS = [
    "check", "status", "reload", "reconnect", "stop", "panel test", "panel off", "log", "log --json",
    "certificate fetch --from {web} --fingerprint {fingerprint} --yes", "certificate import {pem}", "certificate show",
    "token add org.example.bell", "token list", "token mute org.example.bell", "token unmute org.example.bell",
    "token delete org.example.bell", "inbox", "inbox --json", "read 1", "read all", "keepalive show", "keepalive plot",
    "keepalive plot --svg {directory}/k.svg", "keepalive forget all", "pair cronstable {link}", "pair pocketty me@desk",
    "pair rotate", "pairings", "pairings --json", "unpair 1", "note pair {directory}/sender",
    "note send {directory}/sender a b", "--help", "--version",
]


@pytest.fixture
def board(world, root):
    """A gateway of nobody's with a server that is not there, a relay, and files that it has not made yet."""
    gateway = world.gateway(port=9)
    (gateway.state / "server.pem").write_bytes(pem(CERTIFICATE))
    gateway.configure("relay", listen=f"127.0.0.1:{free_port()}", command=f"{gateway.directory}/answer {{}}")
    script = gateway.directory / "answer"
    script.write_text(f"#!/bin/sh\ncat >/dev/null\nid -u >{gateway.directory}/who\n"
                      f"echo '{{\"v\":1,\"daemonKey\":\"{base64.b64encode(bytes([9]) + bytes(31)).decode()}\"}}'\n")
    script.chmod(0o755)
    gateway.user = gateway.hand_to(NOBODY)
    return gateway


def strangers(gateway):
    """Files that the gateway's user does not own."""
    return [str(p) for place in (gateway.state, gateway.runtime) for p in (place, *place.rglob("*"))
            if p.lstat().st_uid != NOBODY or p.lstat().st_gid != NOBODY]


def runs(gateway):
    gateway.start(connect=False, **gateway.user)
    gateway.wait_running()
    gateway.stop()


@pytest.mark.parametrize("database", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("line", COMMANDS)
def test_root_leaves_nothing_of_its_own(board, world, line, database):
    if database:
        runs(board)
        assert (board.state / "skyglow.db").exists()
    (board.directory / "other.pem").write_bytes(pem(CERTIFICATE))
    words = line.format(
        web=world.keep(Web(response(pem(CERTIFICATE)))).address if "{web}" in line else "",
        fingerprint=CERTIFICATE.fingerprint(hashes.SHA256()).hex(),
        link=world.keep(FakeDaemon()).link() if "{link}" in line else "",
        pem=board.directory / "other.pem", directory=board.directory).split()
    done = board.cli(*words, code=None, input='{"v":1,"grant":"g","relay":"http://127.0.0.1:9","sealKey":"%s"}'
                     % base64.b64encode(bytes([9]) + bytes(31)).decode())
    if words[0] in ("pair", "pairings", "token", "certificate", "inbox", "check") and words[1:2] not in (["mute"], ["unmute"], ["delete"]):
        assert done.returncode == 0, done.stderr
    assert strangers(board) == []
    runs(board)
    assert strangers(board) == []


def test_what_root_made_is_the_users(board, world):
    """Keys and pairings too; and the daemon is asked as the caller, whose keys ssh knows."""
    daemon = world.keep(FakeDaemon())
    board.cli("pair", "cronstable", daemon.link())
    board.cli("pair", "pocketty", "me@desk")
    assert (board.directory / "who").read_text().strip() == str(os.geteuid())
    for name in ("skyglow.db", "relay-seal.key", "relay-signing.key"):
        assert (board.state / name).stat().st_uid == NOBODY and (board.state / name).stat().st_mode & 0o777 == 0o600, name
    board.start(connect=False, **board.user)
    board.wait_running()
    board.cli("pair", "rotate")
    assert board.status()["relay"]["pairings"] == 2
    board.cli("unpair", "1")
    assert board.status()["relay"]["pairings"] == 1
    assert [p["kind"] for p in board.json("pairings")] == ["pocketty"]
    assert strangers(board) == []


@pytest.mark.parametrize("database", [False, True], ids=["before", "after"])
def test_a_gateway_that_root_starts_by_hand(board, database):
    if database:
        runs(board)
    board.start(connect=False)
    board.wait_running()
    assert strangers(board) == []
    board.stop()
    assert strangers(board) == []
    runs(board)


def test_a_gateway_of_roots_where_its_files_are(board):
    """As in a container whose state directory is somebody's: it has started before, and does now."""
    runs(board)
    for path in (*board.state.iterdir(), *board.runtime.iterdir()):
        os.chown(path, 0, 0)
        path.chmod(0o600)
    board.start(connect=False)
    board.wait_running()
    board.stop()
