"""A board with a gateway that is connected."""
import json
import os
import re
import subprocess
import time

import pytest
from relay import Relay


@pytest.fixture
def with_systemd(make_board, deploy, programs):
    """The same as `installed`, where a start that goes wrong is not waited for."""
    board = make_board(manager="systemd")
    deploy(board, "--binary", programs.edition(1), first=True)
    return board


def inbox(board):
    return json.loads(board.run("skyglowd inbox --json"))["notifications"]


def test_configuration_state_and_inbox_stay(installed, deploy, programs, server):
    board = installed
    configuration = board.path("/etc/skyglow/skyglowd.conf")
    configuration.write_text(configuration.read_text() + "# mine\n")
    server.ask("mark")
    token = board.run("skyglowd token add org.example.door").strip()
    server.ask("wait filter within=20")
    server.ask(f"notify {token} title=Before")
    end = time.monotonic() + 10
    while not inbox(board):
        assert time.monotonic() < end
        time.sleep(0.2)
    before, text, pinned = inbox(board), configuration.read_text(), board.path("/var/lib/skyglow/server.pem").read_bytes()
    first = board.current()
    done = deploy(board, "--binary", programs.edition(2))
    assert "address" not in done.text and "certificate?" not in done.text
    assert board.current() != first and board.status() == "connected"
    assert inbox(board) == before and configuration.read_text() == text
    assert board.path("/var/lib/skyglow/server.pem").read_bytes() == pinned
    assert board.run("skyglowd token add org.example.door").strip() == token
    assert first in board.binaries()


def test_the_same_again_is_quick_and_restarts_nothing(installed, deploy, programs):
    board = installed
    processes = board.run("pidof skyglowd || pgrep skyglowd", code=None)
    started = time.monotonic()
    deploy(board, "--binary", programs.edition(1)).said("on the board already").said("running there already, connected")
    assert time.monotonic() - started < 10
    assert board.run("pidof skyglowd || pgrep skyglowd", code=None) == processes


def test_a_changed_file_of_the_service_is_put_right(installed, deploy, programs):
    path = installed.path("/etc/init.d/skyglowd")
    text = path.read_text()
    path.write_text(text + "# changed\n")
    deploy(installed, "--binary", programs.edition(1)).said("is running and connected")
    assert path.read_text() == text


def test_two_old_binaries_are_kept(installed, deploy, programs):
    names = [installed.current()]
    installed.path("/usr/local/lib/skyglow/skyglowd-0123456789ab.part").write_text("of long ago")
    for number in (2, 3, 4):
        deploy(installed, "--binary", programs.edition(number))
        names.append(installed.current())
    assert installed.binaries() == sorted(names[1:])


@pytest.mark.parametrize("manager, kind", [("sysvinit", "NEVER"), ("systemd", "NEVER"), ("systemd", "CRASH"),
                                           ("systemd", "EARLY")])
def test_a_broken_one_is_rolled_back(make_board, deploy, programs, manager, kind):
    board = make_board(manager=manager)
    deploy(board, "--binary", programs.edition(1), first=True)
    service = board.tree("etc")
    good = board.current()
    done = deploy(board, "--binary", programs.stub(kind), "--timeout", "4", "--settle", "3", code=70)
    done.said("not connected within 4 s").said("the stub's last words").said(f"going back to {good}").said("^board: connected$")
    assert board.current() == good and board.status() == "connected"
    assert board.tree("etc") == service
    assert not board.path("/usr/local/lib/skyglow/rollback").exists()


def test_one_that_does_not_run_there_is_not_switched_to(installed, deploy, programs):
    before = installed.tree("etc", "usr/local")
    process = installed.run("pidof skyglowd || pgrep skyglowd", code=None)
    deploy(installed, "--binary", programs.foreign(), code=65).said("does not run here")
    assert installed.tree("etc", "usr/local") == before
    assert installed.run("pidof skyglowd || pgrep skyglowd", code=None) == process


def test_a_configuration_that_is_refused_changes_nothing(installed, deploy, programs):
    path = installed.path("/etc/skyglow/skyglowd.conf")
    path.write_text(path.read_text() + "[pannel]\n")
    before = installed.tree("etc", "usr/local")
    deploy(installed, "--binary", programs.edition(2), code=78).said("skyglowd.conf:[0-9]+: ").said("nothing was changed")
    assert installed.tree("etc", "usr/local") == before


def test_the_old_one_fails_too(installed, deploy, programs, server):
    server.ask("listen off")
    try:
        deploy(installed, "--binary", programs.edition(2), "--timeout", "3", code=71).said("does not connect either")
    finally:
        server.ask("listen on")


def test_a_copy_that_was_cut_goes_on(installed, deploy, programs):
    board = installed
    good, before = board.current(), board.tree("etc")
    relay = Relay(board.port, 3_000_000)
    deploy(board, "--binary", programs.edition(2), port=relay.port, code=75).said("lost while copying")
    relay.close()
    parts = [name for name in board.binaries() if name.endswith(".part")]
    assert len(parts) == 1 and board.current() == good and board.status() == "connected"
    assert board.tree("etc") == before
    # How much of it has arrived is the network's affair.
    assert 0 < board.path(f"/usr/local/lib/skyglow/{parts[0]}").stat().st_size < 3_000_000
    deploy(board, "--binary", programs.edition(2)).said("going on with the copy").said("is running and connected")
    assert board.current() != good and not [name for name in board.binaries() if name.endswith(".part")]


def test_a_part_of_something_else_is_begun_anew(installed, deploy, programs):
    relay = Relay(installed.port, 3_000_000)
    deploy(installed, "--binary", programs.edition(2), port=relay.port, code=75)
    relay.close()
    part = next(installed.path("/usr/local/lib/skyglow").glob("*.part"))
    part.write_bytes(b"\0" * part.stat().st_size)
    text = deploy(installed, "--binary", programs.edition(2)).text
    assert "going on with the copy" not in text and installed.status() == "connected"


@pytest.mark.parametrize("broken", [False, True])
def test_the_board_finishes_alone(with_systemd, deploy, programs, broken):
    """The connection is lost after the switch: what works stays, what does not is rolled back."""
    board, good = with_systemd, with_systemd.current()
    binary = programs.stub("NEVER") if broken else programs.edition(2)
    relay = Relay(board.port, 1 << 40)
    child = subprocess.Popen(deploy.command(board, "--binary", binary, "--timeout", "4", "--settle", "3", port=relay.port),
                             stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = ""
    while "board: starting" not in text:
        line = child.stderr.readline()
        assert line, text
        text += line
    relay.cut()
    rest = child.stderr.read()
    assert child.wait() == 75, rest
    assert re.search("goes back by itself", rest)
    end = time.monotonic() + 30
    while board.path("/usr/local/lib/skyglow/lock").exists():
        assert time.monotonic() < end
        time.sleep(0.2)
    assert (board.current() == good) == broken
    assert board.status() == "connected"
    assert not board.path("/usr/local/lib/skyglow/rollback").exists()


def test_a_binary_put_there_by_hand_is_gone_back_to(with_systemd, deploy, programs):
    installed = with_systemd
    link = installed.path("/usr/local/sbin/skyglowd")
    data = programs.edition(5).read_bytes()
    link.unlink()
    link.write_bytes(data)
    os.chmod(link, 0o755)
    deploy(installed, "--binary", programs.stub("EARLY"), "--timeout", "3", code=70)
    assert installed.current().startswith("skyglowd-unknown-")
    assert installed.path(os.readlink(link)).read_bytes() == data
    assert installed.status() == "connected"
