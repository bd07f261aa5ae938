"""A board that has never seen a skyglowd."""
import pytest
from board import ROOT


@pytest.mark.parametrize("shell", ["busybox", "dash"])
@pytest.mark.parametrize("manager", ["sysvinit", "systemd"])
def test_questions_are_asked_and_the_gateway_connects(make_board, deploy, programs, server, shell, manager):
    board = make_board(shell=shell, manager=manager)
    done = deploy(board, "--binary", programs.edition(1), input="far too long an address\nsgn.test\ny\n")
    done.said("server's address").said(f"SHA-256 +{server.fingerprint}").said("is this your server's certificate")
    done.said("^board: connected$").said("is running and connected")
    assert board.status() == "connected"
    assert len(board.binaries()) == 1 and board.current() == board.binaries()[0]
    assert "address = sgn.test\n" in board.path("/etc/skyglow/skyglowd.conf").read_text()
    service = board.path("/etc/init.d/skyglowd" if manager == "sysvinit" else "/etc/systemd/system/skyglowd.service")
    assert "/usr/local/sbin/skyglowd" in service.read_text() and "/usr/sbin/skyglowd" not in service.read_text()
    if manager == "systemd":
        assert "enable skyglowd.service" in board.path("/var/log/systemctl").read_text()
    assert list(board.path("/usr/local/lib/skyglow").iterdir()) == [board.path("/usr/local/lib/skyglow") / board.current()]


def test_nothing_is_asked_where_everything_is_given(board, deploy, programs):
    text = deploy(board, "--binary", programs.edition(1), first=True).text
    assert "?" not in text
    assert board.status() == "connected"


@pytest.mark.parametrize("answers, code, words", [
    ("sgn.test\nn\n", 65, "not confirmed"), ("sgn.test\n", 64, "nobody has confirmed"), ("", 64, "give --address")])
def test_without_a_yes_nothing_changes(board, deploy, programs, answers, code, words):
    before = board.tree()
    deploy(board, "--binary", programs.edition(1), input=answers, code=code).said(words)
    assert board.tree() == before


def test_a_wrong_fingerprint_changes_nothing(board, deploy, programs):
    before = board.tree()
    deploy(board, "--binary", programs.edition(1), "--address", "sgn.test", "--fingerprint", "ab" * 32, "--yes",
           code=65).said("not your server; nothing was changed")
    assert board.tree() == before


def test_yes_alone_is_not_enough(board, deploy, programs):
    deploy(board, "--binary", programs.edition(1), "--address", "sgn.test", "--yes", code=64).said("--fingerprint")


def test_without_a_server_it_runs_unconfigured(board, deploy, programs):
    deploy(board, "--binary", programs.edition(1), "--address", "").said("put the server's address into")
    assert board.status() == "unconfigured"


def test_a_first_gateway_that_fails_leaves_no_service(make_board, deploy, programs):
    board = make_board(manager="systemd")
    deploy(board, "--binary", programs.stub("NEVER"), "--timeout", "3", "--address", "", code=70).said(
        "the stub's last words").said("no earlier skyglowd")
    assert board.current() is None and board.status() == "not running"
    assert not board.path("/etc/systemd/system/skyglowd.service").exists()
    # And the next one is not in its way.
    deploy(board, "--binary", programs.edition(1))


def test_dry_run_touches_nothing(board, deploy):
    before = board.tree()
    deploy(board, "--dry-run").said("x86_64, 64-bit programs; sysvinit; root;").said("builds for x86_64").said("would build")
    assert board.tree() == before


def test_it_builds_for_the_board(board, deploy):
    """Nothing is given but the board: cross/deploy finds out what it is and builds, which takes a moment where it was built before."""
    built = ROOT / ".build/boards/x86_64/skyglowd"
    done = deploy(board, first=True, within=600)
    done.said("builds for x86_64").said(f"check: .*{built.relative_to(ROOT)}: static, stripped").said("is running and connected")
    assert board.status() == "connected"
    assert board.path("/usr/local/lib/skyglow/" + board.current()).read_bytes() == built.read_bytes()


@pytest.mark.parametrize("there", ["nothing", "account", "group", "both"])
def test_the_account_is_in_the_group_of_the_outputs(make_board, deploy, programs, there):
    """systemd refuses a unit one of whose groups is missing, with 216."""
    board = make_board(manager="systemd")
    passwd, group = board.path("/etc/passwd"), board.path("/etc/group")
    if there in ("account", "both"):
        group.write_text(group.read_text() + "skyglow:x:950:\n")
        passwd.write_text(passwd.read_text() + "skyglow:x:950:950::/var/lib/skyglow:/bin/false\n")
    if there in ("group", "both"):
        group.write_text(group.read_text() + "gpio:x:951:\n")
    deploy(board, "--binary", programs.edition(1), first=True)
    assert board.status() == "connected"
    lines = group.read_text().splitlines()
    assert [line.split(":")[3] for line in lines if line.startswith("gpio:")] == ["skyglow"]
    assert sum(line.startswith("skyglow:") for line in lines) == 1
