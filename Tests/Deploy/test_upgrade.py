"""A board with a gateway that is connected."""
import json
import os
import re
import shutil
import subprocess
import time

import pytest
from board import ROOT
from relay import Relay


@pytest.fixture
def with_systemd(make_board, deploy, programs):
    """The same as `installed`, where a start that goes wrong is not waited for."""
    board = make_board(manager="systemd")
    deploy(board, "--binary", programs.edition(1), first=True)
    return board


def begin(board, deploy, binary, word, *options, **more):
    """A deploy that has just said this word, and what else it has said."""
    child = subprocess.Popen(deploy.command(board, "--binary", binary, *options, **more), stdin=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    text = ""
    while word not in text:
        line = child.stderr.readline()
        assert line, text
        text += line
    return child


def inbox(board):
    return json.loads(board.run("skyglowd inbox --json"))["notifications"]


def notify(board, server, title):
    """Sends a notification and waits until it is in the inbox. Returns its token."""
    server.ask("mark")
    known = "door" in board.run("skyglowd token list")
    token = board.run("skyglowd token add org.example.door").strip()
    if not known:
        server.ask("wait filter within=20")
    server.ask(f"notify {token} title={title}")
    end = time.monotonic() + 10
    while title not in [n["title"] for n in inbox(board)]:
        assert time.monotonic() < end
        time.sleep(0.2)
    return token


def test_configuration_state_and_inbox_stay(installed, deploy, programs, server):
    board = installed
    configuration = board.path("/etc/skyglow/skyglowd.conf")
    configuration.write_text(configuration.read_text() + "# mine\n")
    token = notify(board, server, "Before")
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
    processes = board.run("pidof skyglowd || pgrep skyglowd")
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
    process = installed.run("pidof skyglowd || pgrep skyglowd")
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
    """The server goes away in the middle of it."""
    child = begin(installed, deploy, programs.edition(2), "board: stopping", "--timeout", "3")
    server.ask("listen off")
    try:
        assert "does not connect either (before, it was: connected)" in child.stderr.read()
        assert child.wait() == 71
    finally:
        server.ask("listen on")


@pytest.mark.parametrize("kind", [None, "EARLY"])
def test_a_server_that_was_away_before_is_no_reason_to_go_back(with_systemd, deploy, programs, server, kind):
    """The one before was not connected either. One that does not even run is another matter."""
    board, good = with_systemd, with_systemd.current()
    server.ask("listen off")
    try:
        end = time.monotonic() + 10
        while board.status() == "connected":
            assert time.monotonic() < end
            time.sleep(0.2)
        if kind:
            deploy(board, "--binary", programs.stub(kind), "--timeout", "4", code=71).said(f"going back to {good}")
            assert board.current() == good
        else:
            done = deploy(board, "--binary", programs.edition(2), "--timeout", "4")
            done.said("not connected within 4 s").said("it stays").said("as little connected as the one before it: ")
            assert board.current() != good and good in board.binaries()
    finally:
        server.ask("listen on")
    board.run("skyglowd reconnect")
    end = time.monotonic() + 10
    while board.status() != "connected":
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.parametrize("place", ["/var/lib/skyglow", "/opt/state"])
def test_a_database_that_the_old_one_refuses_is_put_back(with_systemd, deploy, programs, server, place):
    board, good = with_systemd, with_systemd.current()
    if place != "/var/lib/skyglow":
        board.run("systemctl stop")
        board.path("/var/lib/skyglow").rename(board.path(place))
        board.path("/var/lib/skyglow").symlink_to(place)
        configuration = board.path("/etc/skyglow/skyglowd.conf")
        configuration.write_text(configuration.read_text() + f"[state]\nruntime = /run/skyglow\ndirectory = {place}  # moved\n")
        board.run("systemctl start")
        end = time.monotonic() + 10
        while board.status() != "connected":
            assert time.monotonic() < end
            time.sleep(0.2)
    notify(board, server, "Before")
    before = inbox(board)
    done = deploy(board, "--binary", programs.stub("NEWER"), "--timeout", "3", code=70)
    done.said("refuses the database that the new one leaves: .*written by a newer skyglowd").said("has again the one it left")
    assert board.current() == good and board.status() == "connected" and inbox(board) == before
    # What the new one has done is not thrown away.
    database = board.path(f"{place}/skyglow.db")
    assert board.path(f"{place}/skyglow.db.newer").read_bytes()[60:64] == b"\0\0\3\xe7"
    assert board.path(f"{place}/skyglow.db.newer").stat().st_uid == database.stat().st_uid
    assert database.stat().st_mode & 0o777 == 0o600
    assert not board.path("/usr/local/lib/skyglow/rollback").exists()
    notify(board, server, "After")


def test_a_database_that_both_read_keeps_what_came_in(with_systemd, deploy, programs, server):
    """Rolled back after notifications were acknowledged: they are not forgotten."""
    board = with_systemd
    notify(board, server, "Before")
    child = begin(board, deploy, programs.edition(2), "board: connected", "--settle", "20", "--timeout", "15")
    notify(board, server, "Meanwhile")
    # 71, because the old one is not believed so soon either.
    rest = child.stderr.read()
    assert child.wait() == 71 and "going back to" in rest and "refuses the database" not in rest, rest
    assert board.status() == "connected"
    assert [n["title"] for n in inbox(board)] == ["Meanwhile", "Before"]
    assert not board.path("/var/lib/skyglow/skyglow.db.newer").exists()


def test_one_deploy_at_a_time(with_systemd, deploy, programs):
    board, good = with_systemd, with_systemd.current()
    first = begin(board, deploy, programs.stub("NEVER"), "board: starting", "--timeout", "8")
    deploy(board, "--binary", programs.edition(2), code=75).said("another deploy is at work")
    assert first.wait() == 70, first.stderr.read()
    assert board.current() == good and board.status() == "connected"
    deploy(board, "--binary", programs.edition(2)).said("is running and connected")


@pytest.mark.parametrize("kind", ["NEVER", "NEWER"])
def test_a_power_cut_in_the_middle(with_systemd, deploy, programs, server, kind):
    """The next deploy begins with undoing what was never proved, and has something good to go back to."""
    board, good, service = with_systemd, with_systemd.current(), with_systemd.tree("etc")
    notify(board, server, "Before")
    before = inbox(board)
    child = begin(board, deploy, programs.stub(kind), "board: starting", "--timeout", "30")
    time.sleep(1)
    board.stop()
    child.wait()
    board.start()
    assert board.current() != good
    done = deploy(board, "--binary", programs.stub("EARLY"), "--timeout", "4", code=70)
    done.said("interrupted; undoing it first").said(f"going back to {good}")
    assert board.current() == good and board.status() == "connected" and inbox(board) == before
    assert board.tree("etc") == service
    assert not board.path("/usr/local/lib/skyglow/rollback").exists()


def test_a_power_cut_after_which_it_ran_well(with_systemd, deploy, programs):
    board = with_systemd
    child = begin(board, deploy, programs.edition(2), "board: starting", "--settle", "30", "--timeout", "60")
    board.stop()
    child.wait()
    board.start()
    board.run("systemctl start")
    end = time.monotonic() + 10
    while board.status() != "connected":
        assert time.monotonic() < end
        time.sleep(0.2)
    text = deploy(board, "--binary", programs.edition(2)).text
    assert "undoing" not in text and "running there already" in text


def test_that_of_a_package_is_gone_back_to(installed, deploy, programs):
    """Which is not in the place of those that are deployed."""
    board = installed
    board.run("/etc/init.d/skyglowd stop")
    board.path("/usr/local/sbin/skyglowd").unlink()
    shutil.rmtree(board.path("/usr/local/lib/skyglow"))
    shutil.copy(programs.edition(1), board.path("/usr/sbin/skyglowd"))
    shutil.copy(ROOT / "board/service/skyglowd.init", board.path("/etc/init.d/skyglowd"))
    board.run("/etc/init.d/skyglowd start")
    service = board.tree("etc")
    done = deploy(board, "--binary", programs.stub("NEVER"), "--timeout", "10", code=70)
    done.said("^board: connected$").said("rolled back: skyglowd is running again")
    assert board.tree("etc") == service and board.status() == "connected"


def test_a_link_in_the_state_directory_gives_nothing_away(installed, deploy, programs):
    """It belongs to the gateway's account, which is not to be trusted with the files of root."""
    certificate = installed.path("/var/lib/skyglow/server.pem")
    target = installed.path("/etc/ssl.pem")
    shutil.move(certificate, target)
    os.chown(target, 0, 0)
    target.chmod(0o644)
    certificate.symlink_to("/etc/ssl.pem")
    deploy(installed, "--binary", programs.edition(2))
    assert target.stat().st_uid == 0


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
    child = begin(board, deploy, binary, "board: starting", "--timeout", "4", "--settle", "3", port=relay.port)
    relay.cut()
    rest = child.stderr.read()
    assert child.wait() == 75, rest
    assert re.search("goes back by itself", rest)
    end = time.monotonic() + 30
    while board.path("/usr/local/lib/skyglow/deploying").is_symlink():
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
